"""Which Jinja a template is written in.

In: choices (delimiters, whitespace, extensions, names that the host supplies). Out: `Dialect`, a value, and the jinja2
environment that parses and analyses for it. The environment never renders: its filters are those of the runtime and,
for names of the host, stand-ins that are there to be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from frozenctx.template import chat, pass_context
from frozenctx.template.applying import pass_arg
from frozenctx.template.guard import needs_care
from frozenctx.template.language import FILTERS, GLOBALS, TESTS
from jinja2 import Environment
from jinja2.lexer import Lexer

from .generation import Generation
from .positions import PositionLexer

JINJA_VERSION = "3.1.6"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options of a template's language; the defaults are jinja2's.

    `host_filters`, `host_tests`, `host_globals`: names that the program which loads the template supplies.
    `strict_names`: an unknown filter or test is an error at build even where jinja2 would leave it to the render
    (inside a condition). `finalize`: the engine has a function that every printed value passes through. `chat`: what
    Hugging Face chat templates find around them, the immutable sandbox and the tag `generation` included.
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
    chat: bool = False

    def needs_care(self, name: str) -> bool:
        """Whether an attribute must be read by the engine, which may refuse it, or find something else."""
        return needs_care(name) or (self.chat and name in chat.CHANGING)


CTX = Dialect(
    undefined="StrictUndefined",
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    extensions=("loopcontrols", "do"),
    strict_names=True,
)
"""The dialect of packages (CTX-FORMAT section 5)."""

HF = Dialect(trim_blocks=True, lstrip_blocks=True, extensions=("loopcontrols",), chat=True)
"""Chat templates as transformers renders them."""

PROFILES = {"ctx": CTX, "hf": HF}


def dialect_of(options: Dialect | Mapping[str, Any] | str | None) -> Dialect:
    """Return the dialect that `options` stand for: a `Dialect`, a name of `PROFILES`, or what differs from jinja2's
    defaults, by the names of `Dialect`'s fields. Raises ValueError, which names the nearest that there is; TypeError
    for anything else."""
    if isinstance(options, str):
        if options not in PROFILES:
            raise ValueError(f"no profile of options is called `{options}`{nearest(options, PROFILES)}")
        return PROFILES[options]
    if not isinstance(options, Dialect):
        if options is not None and not isinstance(options, Mapping):
            kind = type(options).__name__
            raise TypeError(f"options are a profile's name, a Dialect or a mapping of options, not {kind}")
        names = [field.name for field in fields(Dialect)]
        for name in options or ():
            if name not in names:
                raise ValueError(f"no option is called `{name}`{nearest(name, names)}")
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in (options or {}).items()
        }
        options = Dialect(**given)
    check_values(options)
    return options


def check_values(dialect: Dialect) -> None:
    """Raise ValueError unless every option has a value of its kind."""
    for name, kind in get_type_hints(Dialect).items():
        value = getattr(dialect, name)
        values: tuple[Any, ...] = (value,)
        if get_origin(kind) is tuple:
            if not isinstance(value, tuple):
                raise ValueError(f"the option `{name}` is a list of names, not {value!r}")
            values, kind = value, get_args(kind)[0]
        for each in values:
            choices = get_args(kind) if get_origin(kind) is Literal else ()
            if choices and each not in choices:
                known = ", ".join(repr(choice) for choice in choices)
                raise ValueError(f"the option `{name}` is one of {known}, not {each!r}{meant(each, choices)}")
            if not choices and not isinstance(each, kind):
                raise ValueError(f"the option `{name}` cannot be {each!r}")
    delimiters = [getattr(dialect, f"{kind}_start_string") for kind in ("block", "variable", "comment")]
    if len(set(delimiters)) < 3 or not all(delimiters):
        raise ValueError(f"blocks, variables and comments must begin differently, not with {delimiters}")


def meant(value: object, choices: "tuple[Any, ...]") -> str:
    found = get_close_matches(str(value), [each for each in choices if each.isprintable()], 1)
    return f"; did you mean `{found[0]}`?" if found else ""


def nearest(name: object, known: "Mapping[str, Any] | list[str] | tuple[Any, ...]") -> str:
    found = get_close_matches(str(name).rpartition(".")[2], list(known), 1)
    return f"; did you mean `{found[0]}`?" if found else f"; there are {', '.join(f'`{each}`' for each in known)}"


class BuildEnvironment(Environment):
    """jinja2's environment with a lexer that knows columns."""

    # What jinja2's generator asks where there is a sandbox.
    intercepted_binops = intercepted_unops = frozenset[str]()
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
        extensions=[*(f"jinja2.ext.{name}" for name in dialect.extensions), *([Generation] if dialect.chat else [])],
        autoescape=dialect.autoescape,
    )
    result.sandboxed = dialect.chat
    adopt_names(result, dialect)
    return result


def adopt_names(target: Environment, dialect: Dialect) -> None:
    """Let `target` know exactly the filters, tests and globals that programs of `dialect` find at render."""
    target.filters = {**FILTERS, **dict.fromkeys(dialect.host_filters, from_context)}
    target.tests = {**TESTS, **dict.fromkeys(dialect.host_tests, from_context)}
    target.globals = {**GLOBALS, **dict.fromkeys(dialect.host_globals, from_context)}
    if dialect.chat:
        target.filters.update({n: f for n, f in chat.FILTERS.items() if n not in dialect.host_filters})
        target.globals.update({n: f for n, f in chat.GLOBALS.items() if n not in dialect.host_globals})


__all__ = ["CTX", "HF", "JINJA_VERSION", "Dialect", "adopt_names", "dialect_of", "environment", "pass_arg"]
