"""`compile_template`: one template, from its text to its program, for callers that have no package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dialect import Dialect
from .generate import Lowered, lower
from .parse import parse


def compile_template(
    source: str, *, name: str | None = None, options: Dialect | Mapping[str, Any] | None = None
) -> Lowered:
    """Compile `source` as a Jinja template of the dialect `options`: a `Dialect`, or its fields that differ from
    jinja2's defaults, by name.

    `name` is what the template calls itself in messages. The result's `.text` is a Python program without imports,
    for `frozenctx.template.program.Template`. Raises `jinja2.TemplateSyntaxError`.
    """
    dialect = options if isinstance(options, Dialect) else Dialect(**(options or {}))
    return lower(parse(source, name, dialect), name=name, file=name or "<template>", dialect=dialect)
