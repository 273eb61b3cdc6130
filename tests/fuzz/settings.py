"""The settings in which cases are rendered: a dialect, and what a host supplies.

In: nothing. Out: `SETTINGS`. The host's functions are the same objects on both sides, marked in jinja2's way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import jinja2
from frozenctx_compiler.templates.dialect import CTX, HF, Dialect


def host_shout(value: Any, times: int = 1) -> str:
    return str(value).upper() + "!" * times


@jinja2.pass_context
def host_peek(context: Any, value: Any, name: str = "a") -> str:
    found = context.get(name, "nothing")
    return f"{value}|{found if isinstance(found, str | int) else type(found).__name__}"


@jinja2.pass_context
def host_escapes(context: Any, value: Any) -> bool:
    # Wants the context, so that jinja2 does not call it while compiling.
    return bool(context.eval_ctx.autoescape)


@jinja2.pass_environment
def host_knows(environment: Any, value: Any) -> bool:
    return value in environment.filters if isinstance(value, str) else False


def host_long(value: Any, limit: int = 3) -> bool:
    return len(value) > limit


def host_join(*values: Any) -> str:
    return "+".join(str(value) for value in values)


@jinja2.pass_context
def host_sees(context: Any, name: str) -> str:
    value = context.resolve(name)
    return f"{name}:{value}" if isinstance(value, str | int) else f"{name}:{type(value).__name__}"


def finalize(value: Any) -> Any:
    return "-" if value is None else value


HOST_FILTERS = {function.__name__: function for function in (host_shout, host_peek, host_escapes, host_knows)}
HOST_TESTS = {"host_long": host_long}
HOST_GLOBALS = {function.__name__: function for function in (host_join, host_sees)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A dialect as both sides are set up for it."""

    dialect: Dialect

    @property
    def strict(self) -> bool:
        return self.dialect.undefined == "StrictUndefined"

    @property
    def finalize(self) -> Any:
        return finalize if self.dialect.finalize else None


def setting(dialect: Dialect) -> Setting:
    return Setting(replace(
        dialect, extensions=("loopcontrols", "do"), host_filters=tuple(HOST_FILTERS), host_tests=tuple(HOST_TESTS),
        host_globals=tuple(HOST_GLOBALS),
    ))  # fmt: skip


SETTINGS: dict[str, Setting] = {name: setting(dialect) for name, dialect in {
    "ctx": CTX,
    "default": Dialect(),
    "escape": Dialect(autoescape=True),
    "escape-strict": replace(CTX, autoescape=True),
    "chainable": Dialect(undefined="ChainableUndefined", lstrip_blocks=True),
    "debug": Dialect(undefined="DebugUndefined", trim_blocks=True),
    "finalize": Dialect(finalize=True, keep_trailing_newline=True),
    "other-signs": Dialect(
        block_start_string="<%", block_end_string="%>", variable_start_string="${", variable_end_string="}",
        comment_start_string="<#", comment_end_string="#>", newline_sequence="\r\n", trim_blocks=True,
        lstrip_blocks=True,
    ),
    "hf": HF,
    "lines": Dialect(line_statement_prefix="%%", line_comment_prefix="##", newline_sequence="\r"),
}.items()}  # fmt: skip
"""Name → setting. The names are part of a seed's meaning."""
