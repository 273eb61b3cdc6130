"""The one table of settings keys (CTX-FORMAT §3), and how a value becomes one of a key's type.

`KEYS` says for each key its camelCase twin, its type, where it may stand, when it enters the identity, and what it
means. check reads it; a JSON Schema of the settings is to be made from it. The invariant: no rule about a single key
is written anywhere else, except the ones that need other files or several keys.
"""

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from .models import EFFORTS
from .package import Layout

Kind = Literal[
    "string", "integer", "number", "boolean", "choice", "strings", "schema", "mapping", "response format", "sub"
]
Identity = Literal["always", "set", "positive", "true", "not local", "any", "never", "elsewhere"]

ALL: tuple[Layout, ...] = ("minimal", "rich", "single")
MINIMAL: tuple[Layout, ...] = ("minimal",)
LARGEST = 2**63 - 1  # integers of the stored artifacts


@dataclass(frozen=True, slots=True)
class Key:
    """One settings key. `identity`: when it counts ("elsewhere": through what it names)."""

    name: str
    kind: Kind
    meaning: str
    identity: Identity = "set"
    choices: tuple[str, ...] = ()
    folded: bool = False  # a choice is trimmed and lower-cased first
    layouts: tuple[Layout, ...] = ALL
    instead: str = ""  # what to do in the other layouts
    twin: str | None = None  # the camelCase spelling, where there is one
    later: bool = False  # known, and not supported by this version


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _twin(name: str, kind: Kind, meaning: str, **more: object) -> Key:
    return Key(name, kind, meaning, twin=_camel(name), **more)  # type: ignore[arg-type]


_PROMPT = "the template of the package is its prompt"
_RENDERED = "a package with templates renders itself"

KEYS: tuple[Key, ...] = (
    Key("name", "string", "what the prompt is called; without it, the stem of the package's path", "always"),
    Key("model", "string", "`provider/model`, `provider:model` or a bare name, with an optional `@effort`", "always"),
    Key("system", "string", "the system prompt as literal text", "always", layouts=MINIMAL, instead=_PROMPT),
    Key("system_file", "string", "a file whose text is the system", "elsewhere", layouts=MINIMAL, instead=_PROMPT),
    _twin("reply_schema", "schema", "the JSON Schema of the reply, kept verbatim", identity="always"),
    Key("schema_file", "string", "a JSON file that holds the reply schema", "elsewhere"),
    Key("tools", "strings", "keys of the tools the model may call, in order", "always"),
    _twin("system_render", "string", "the host's renderer of the system prompt", layouts=MINIMAL, instead=_RENDERED),
    _twin("user_render", "string", "the host's renderer of the user prompt", layouts=MINIMAL, instead=_RENDERED),
    _twin("max_tokens", "integer", "most tokens of one reply"),
    _twin("max_rounds", "integer", "most rounds of tool calls"),
    Key("temperature", "number", "sampling temperature"),
    _twin("reasoning_effort", "choice", "how much a reasoning model thinks", choices=EFFORTS, folded=True),
    _twin("output_retries", "integer", "how often a reply that breaks the schema is retried", identity="positive"),
    _twin("require_tool_call", "boolean", "whether the model must call a tool", identity="true"),
    _twin("response_format", "response format", "`{type: json_object}`: any JSON object"),
    _twin("prompt_cache", "choice", "how long a provider may cache the prompt", choices=("5m", "1h")),
    Key("agent", "boolean", "whether the prompt is run as an agent", "true"),
    Key("sub", "sub", "how the prompt is run as a step of another: `shape` and `summary_policy`"),
    Key("context", "choice", "what of the session the prompt is given", "not local",
        choices=("none", "local", "summary", "whole_session")),
    Key("skills", "strings", "names of skills of this package", "elsewhere", layouts=("minimal", "rich"),
        instead="a single file has no `skills/` directory"),
    _twin("input_defaults", "choice", "`apply`: defaults of `Input` are given to templates", choices=("apply",)),
    Key("sections", "mapping", "a prompt put together from files", "elsewhere", later=True),
    Key("layers", "mapping", "how often the sections change", "elsewhere", later=True),
    Key("meta", "mapping", "plain data about the prompt: owner, description, anything", "never"),
)  # fmt: skip

SPELLINGS: dict[str, Key] = {
    spelling: key for key in KEYS for spelling in (key.name, key.twin) if spelling is not None
}  # fmt: skip

SUB_CHOICES: dict[str, tuple[str, ...]] = {
    "shape": ("Pipeline", "Dataflow", "Branching", "Feedback", "Staged", "Agent"),
    "summary_policy": ("result_only", "compressed_trace", "full_child_ref"),
}


def kind_of(spelling: str) -> Kind | None:
    """The type of a key in either spelling; None for an unknown one."""
    key = SPELLINGS.get(spelling)
    return key.kind if key is not None else None


class _Refused:
    __slots__ = ()

    def __repr__(self) -> str:
        return "REFUSED"


REFUSED: Final = _Refused()

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")


def coerce(kind: Kind, value: object) -> int | float | bool | _Refused:
    """`value` as an integer, a finite number (always a float) or a boolean, or REFUSED.

    Numeric strings count as numbers, blanks around them allowed, and "true" and "false" as booleans, because values of
    the environment are strings. A boolean is never a number.
    """
    if kind == "boolean":
        if isinstance(value, bool):
            return value
        return {"true": True, "false": False}.get(value, REFUSED) if isinstance(value, str) else REFUSED
    if isinstance(value, bool):
        return REFUSED
    if kind == "integer":
        if isinstance(value, int):
            return value
        if isinstance(value, str) and len(value) < 1000 and _INTEGER.match(value.strip()):
            return int(value)
        return REFUSED
    number: float | None = None
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.match(value.strip())):
        try:
            number = float(value)
        except OverflowError:
            return REFUSED
    return number if number is not None and math.isfinite(number) else REFUSED
