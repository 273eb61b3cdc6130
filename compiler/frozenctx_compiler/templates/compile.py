"""`compile_template`: one template, from its text to its program, for callers that have no package."""

from __future__ import annotations

from .dialect import Dialect
from .generate import Lowered, lower
from .parse import parse


def compile_template(source: str, *, name: str | None = None, options: Dialect | None = None) -> Lowered:
    """Compile `source` as a Jinja template of the dialect `options` (default: jinja2's own defaults).

    `name` is what the template calls itself in messages. The result's `.text` is a Python program without imports,
    for `frozenctx.template.program.Template`. Raises `jinja2.TemplateSyntaxError`.
    """
    dialect = options or Dialect()
    return lower(parse(source, name, dialect), name=name, file=name or "<template>", dialect=dialect)
