"""`compile_template`: one template, from its text to bytes that render, for callers that have no package.

In: a template's text, its name, its dialect. Out: `CompiledTemplate`. Equal input gives equal bytes on every machine
and Python version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frozenctx.format import DIGEST, TEMPLATE_FORMAT, TEMPLATE_WORD
from frozenctx.objects import sha256_hex
from jinja2 import TemplateAssertionError, TemplateSyntaxError, nodes

from .dialect import Dialect, dialect_of
from .generate import Needs, kind_of, lower
from .parse import NESTED_TOO_DEEPLY, parse
from .proof import NotAProgram, prove
from .tree import descendants

OTHERS = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


@dataclass(frozen=True, slots=True)
class CompiledTemplate:
    """`text`: a Python program without imports. `needs`: kind → names of filters, tests and globals that it uses.
    `variables`: the other names that it asks for, sorted. `reaches_others`: it includes, imports or extends."""

    name: str | None
    options: Dialect
    text: str
    needs: Needs
    variables: tuple[str, ...]
    reaches_others: bool

    def encode(self) -> bytes:
        """Return what `frozenctx.load_template` takes: program and options, with a digest against damage."""
        options = self.options
        facts = {
            "name": self.name,
            "options": {
                "autoescape": options.autoescape,
                "chat": options.chat,
                "finalize": options.finalize,
                "host": {
                    "filters": sorted(options.host_filters),
                    "globals": sorted(options.host_globals),
                    "tests": sorted(options.host_tests),
                },
                "newlineSequence": options.newline_sequence,
                "undefined": options.undefined,
            },
            "reachesOthers": self.reaches_others,
            "variables": self.variables,
        }
        body = f"{json.dumps(facts, separators=(',', ':'))}\n{self.text}".encode("ascii")
        return f"{TEMPLATE_WORD} {TEMPLATE_FORMAT} {DIGEST}{sha256_hex(body)}\n".encode() + body


def compile_template(
    source: str, *, name: str | None = None, options: Dialect | Mapping[str, Any] | str | None = None
) -> CompiledTemplate:
    """Compile `source` as a Jinja template.

    `name` is what the template calls itself in messages, and what others include it by. `options`: "hf" (Hugging Face
    chat templates), "ctx" (packages), a `Dialect`, or its fields that differ from jinja2's defaults, by name. Raises
    `jinja2.TemplateSyntaxError`; ValueError for options that there are not, with the nearest one; TypeError for a
    source or a name that is no text.
    """
    if not isinstance(source, str):
        raise TypeError(f"the source of a template is a text, not {type(source).__name__}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"the name of a template is a text or None, not {type(name).__name__}")
    dialect = dialect_of(options)
    tree = parse(source, name, dialect)
    reaches = any(isinstance(node, OTHERS) for node in descendants(tree))
    kind = kind_of(tree, escapes=True)  # with whom it will be loaded is not known
    lowered = lower(tree, name=name, file=name or "<template>", dialect=dialect, kind=kind)
    for node in descendants(tree):
        if isinstance(node, nodes.Macro | nodes.CallBlock):
            names = [arg.name for arg in node.args]
            for arg in names:
                if names.count(arg) > 1:
                    message = f"duplicate argument '{arg}' in function definition"
                    raise TemplateAssertionError(message, node.lineno, name)
    try:
        prove(lowered.text, "'")
    except NotAProgram as error:
        if error.too_deep:
            raise TemplateSyntaxError(NESTED_TOO_DEEPLY, error.line, name) from None
        raise TemplateAssertionError(error.message, error.line, name) from None
    return CompiledTemplate(name, dialect, lowered.text, lowered.needs, lowered.variables, reaches)
