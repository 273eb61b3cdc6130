"""jinja2 as the judge of programs.

In: the texts of templates by name (the one to render is `main`), variables, a dialect. Out: what jinja2 gives and what
the compiled program gives, each either the text or the exception's (class name, message).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

import frozenctx.template.undefined
import jinja2
from frozenctx import errors
from frozenctx.template import Engine, Template
from frozenctx_compiler.templates.dialect import CTX, Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse

Outcome = str | tuple[str, str]
Sources = Mapping[str, str]

OPTIONS = (
    "trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape", "newline_sequence", "block_start_string",
    "block_end_string", "variable_start_string", "variable_end_string", "comment_start_string", "comment_end_string",
    "line_statement_prefix", "line_comment_prefix",
)  # fmt: skip


def jinja_environment(sources: Sources, dialect: Dialect) -> jinja2.Environment:
    return jinja2.Environment(
        undefined=getattr(jinja2, dialect.undefined),
        loader=jinja2.DictLoader(dict(sources)),
        extensions=[f"jinja2.ext.{name}" for name in dialect.extensions],
        **{option: getattr(dialect, option) for option in OPTIONS},
    )


def outcome_of(error: Exception) -> tuple[str, str]:
    message = error.message if isinstance(error, jinja2.TemplateSyntaxError) else str(error)
    return type(error).__name__, without_addresses(message or "")


def without_addresses(text: str) -> str:
    """Objects without a text of their own print where they are in memory."""
    return re.sub("0x[0-9a-f]{6,}", "0x", text)


def by_jinja(sources: Sources, variables: Mapping[str, Any], dialect: Dialect = CTX) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # Python's, of what jinja2 gives it to compile
        try:
            return without_addresses(jinja_environment(sources, dialect).get_template("main").render(variables))
        except Exception as error:
            return outcome_of(error)


def templates_of(
    sources: Sources, dialect: Dialect = CTX, *, kind: Any = "lean", guard: bool = False, **engine_options: Any
) -> Any:
    """Return the lookup function of an engine that has all of `sources`, compiled at first use."""
    engine = Engine(
        undefined=getattr(frozenctx.template.undefined, dialect.undefined),
        guard=guard,
        autoescape=dialect.autoescape,
        newline_sequence=dialect.newline_sequence,
        **engine_options,
    )
    made: dict[str, Template] = {}

    def lookup(name: str) -> Template:
        if name not in sources:
            raise errors.TemplateNotFound(name)
        if name not in made:
            tree = parse(sources[name], name, dialect)
            made[name] = Template(lower(tree, name=name, file=name, dialect=dialect, kind=kind).text, engine, lookup)
        return made[name]

    return lookup


def by_program(
    sources: Sources,
    variables: Mapping[str, Any],
    dialect: Dialect = CTX,
    *,
    kind: Any = "lean",
    guard: bool = False,
) -> Outcome:
    try:
        return without_addresses(templates_of(sources, dialect, kind=kind, guard=guard)("main").render(variables))
    except Exception as error:
        return outcome_of(error)
