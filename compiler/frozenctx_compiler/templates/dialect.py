"""Which Jinja a template is written in.

In: choices (delimiters, whitespace, extensions, names that the host supplies). Out: `Dialect`, a value, and the jinja2
environment that parses and analyses for it. The environment never renders: its filters are those of the runtime and,
for names of the host, stand-ins that are there to be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from frozenctx.template.filters import FILTERS
from frozenctx.template.globals import GLOBALS
from frozenctx.template.markers import pass_arg, pass_context
from frozenctx.template.tests import TESTS
from jinja2 import Environment
from jinja2.lexer import Lexer

from .positions import PositionLexer

JINJA_VERSION = "3.1.6"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of a template's language; the defaults are jinja2's.

    `host_filters`, `host_tests`, `host_globals`: names that the program which loads the template supplies.
    `strict_names`: an unknown filter or test is an error at build even where jinja2 would leave it to the render
    (inside a condition). `finalize`: the engine has a function that every printed value passes through.
    """

    undefined: Literal["Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined"] = "Undefined"
    trim_blocks: bool = False
    lstrip_blocks: bool = False
    keep_trailing_newline: bool = False
    autoescape: bool = False
    newline_sequence: Literal["\n", "\r\n", "\r"] = "\n"
    block_start_string: str = "{%"
    block_end_string: str = "%}"
    variable_start_string: str = "{{"
    variable_end_string: str = "}}"
    comment_start_string: str = "{#"
    comment_end_string: str = "#}"
    line_statement_prefix: str | None = None
    line_comment_prefix: str | None = None
    extensions: tuple[Literal["loopcontrols", "do"], ...] = ()
    host_filters: tuple[str, ...] = ()
    host_tests: tuple[str, ...] = ()
    host_globals: tuple[str, ...] = ()
    strict_names: bool = False
    finalize: bool = False


CTX = Dialect(
    undefined="StrictUndefined",
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    extensions=("loopcontrols", "do"),
    strict_names=True,
)
"""The dialect of packages (CTX-FORMAT section 5)."""


class BuildEnvironment(Environment):
    """jinja2's environment with a lexer that knows columns."""

    _lexer: Lexer | None = None

    @property
    def lexer(self) -> Lexer:
        if self._lexer is None:
            self._lexer = PositionLexer(self)
        return self._lexer


def from_context(_context: Any, value: Any, *_args: Any, **_kwargs: Any) -> Any:
    """Stand in for a filter, test or global of the host, which exists only where the template is rendered."""
    raise NotImplementedError("a function of the host was called while compiling")


pass_context(from_context)


@cache
def environment(dialect: Dialect) -> Environment:
    """Return the environment that parses `dialect`; the same one for equal dialects."""
    result = BuildEnvironment(
        block_start_string=dialect.block_start_string,
        block_end_string=dialect.block_end_string,
        variable_start_string=dialect.variable_start_string,
        variable_end_string=dialect.variable_end_string,
        comment_start_string=dialect.comment_start_string,
        comment_end_string=dialect.comment_end_string,
        line_statement_prefix=dialect.line_statement_prefix,
        line_comment_prefix=dialect.line_comment_prefix,
        trim_blocks=dialect.trim_blocks,
        lstrip_blocks=dialect.lstrip_blocks,
        newline_sequence=dialect.newline_sequence,
        keep_trailing_newline=dialect.keep_trailing_newline,
        extensions=[f"jinja2.ext.{name}" for name in dialect.extensions],
        autoescape=dialect.autoescape,
    )
    adopt_names(result, dialect)
    return result


def adopt_names(target: Environment, dialect: Dialect) -> None:
    """Let `target` know exactly the filters, tests and globals that programs of `dialect` find at render."""
    target.filters = {**FILTERS, **dict.fromkeys(dialect.host_filters, from_context)}
    target.tests = {**TESTS, **dict.fromkeys(dialect.host_tests, from_context)}
    target.globals = {**GLOBALS, **dict.fromkeys(dialect.host_globals, from_context)}


__all__ = ["CTX", "JINJA_VERSION", "Dialect", "adopt_names", "environment", "pass_arg"]
