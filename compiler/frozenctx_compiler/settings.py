"""The one table of settings keys (CTX-FORMAT §3), and how a value becomes one of a key's type.

`KEYS` says for each key its camelCase twin, its type, where it may stand, when it enters the identity, and what it
means. check reads it, and so do `frozenctx schema` and the page docs/settings.md. The invariant: no rule about a
single key is written anywhere else, except the ones that need other files or several keys.
"""

import math
import re
from dataclasses import replace
from typing import Final

from .keys import (
    BOOLEAN,
    FILLED,
    LARGEST,
    MAPPING,
    NUMBER,
    STRING,
    Document,
    Key,
    Kind,
    Type,
    choice,
    integer,
    list_of,
    record,
)
from .models import DEFAULT_MODEL, EFFORTS
from .package import Layout

__all__ = ["EITHER", "FRONT_MATTER", "KEYS", "LARGEST", "REFUSED", "SETTINGS", "SPELLINGS", "coerce"]

_MINIMAL: tuple[Layout, ...] = ("minimal",)
_PROMPT = "the template of the package is its prompt"
_RENDERED = "a package with templates renders itself"
_COUNT = integer(0, worded=True)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _twin(key: Key) -> Key:
    return replace(key, twin=_camel(key.name))


KEYS: tuple[Key, ...] = (
    Key("name", Type("string", "name"), "what the prompt is called, without control characters, `@`, `,` and `/`",
        "the stem of the package's path", identity="always"),
    Key("model", Type("string", "model"),
        "the model: `provider/model`, `provider:model` or a bare name, with an optional suffix `@effort`",
        f"`model` under `[defaults]` in frozenctx.toml, else `{DEFAULT_MODEL}` with a warning", identity="always"),
    Key("system", STRING, "the system prompt as literal text, which is never a template",
        identity="always", layouts=_MINIMAL, instead=_PROMPT),
    Key("system_file", FILLED, "the path of a file whose text is the system prompt, relative to the package",
        identity="elsewhere", layouts=_MINIMAL, instead=_PROMPT),
    _twin(Key("reply_schema", Type("schema"), "the JSON Schema of the reply, kept as it is written",
              identity="always")),
    Key("schema_file", FILLED, "the path of a JSON file that holds the reply schema, relative to the package",
        identity="elsewhere"),
    Key("tools", list_of(FILLED), "the keys of the tools that the model may call, in order", identity="always"),
    _twin(Key("system_render", FILLED, "the name of a renderer of the host for the system prompt",
              layouts=_MINIMAL, instead=_RENDERED)),
    _twin(Key("user_render", FILLED, "the name of a renderer of the host for the user prompt",
              layouts=_MINIMAL, instead=_RENDERED)),
    _twin(Key("max_tokens", _COUNT, "the most tokens of one reply")),
    _twin(Key("max_rounds", _COUNT, "the most rounds of tool calls")),
    Key("temperature", NUMBER, "the sampling temperature"),
    _twin(Key("reasoning_effort", choice(*EFFORTS, folded=True),
              "how much a reasoning model thinks; stronger than the effort that `model` names")),
    _twin(Key("output_retries", _COUNT, "how often a reply that breaks the schema is asked for again", "0",
              identity="positive")),
    _twin(Key("require_tool_call", BOOLEAN, "whether the model must call a tool", "false", identity="true")),
    _twin(Key("response_format", record(Key("type", choice("json_object"), "the form", required=True, null=False)),
              "the form of the reply: any JSON object; a reply schema is stronger")),
    _twin(Key("prompt_cache", choice("5m", "1h"), "how long a provider may cache the prompt")),
    Key("agent", BOOLEAN, "whether the prompt is run as an agent", "false", identity="true"),
    Key("sub",
        record(
            Key("shape", choice("Pipeline", "Dataflow", "Branching", "Feedback", "Staged", "Agent"),
                "what kind of step it is", required=True, null=False),
            Key("summary_policy", choice("result_only", "compressed_trace", "full_child_ref"),
                "what the other prompt is told of it"),
        ),
        "how the prompt is run as a step of another"),
    Key("context", choice("none", "local", "summary", "whole_session"), "what of the session the prompt is given",
        "`local`", identity="not local"),
    Key("skills", list_of(FILLED, distinct=True), "the names of the package's skills that are active, each once",
        null=False, identity="elsewhere", layouts=("minimal", "rich"),
        instead="a single file has no `skills/` directory"),
    _twin(Key("input_defaults", choice("apply"),
              "with `apply`, the defaults that `Input` declares are given to templates for variables left out")),
    Key("sections", MAPPING, "a prompt put together from files", identity="elsewhere", later=True),
    Key("layers", MAPPING, "how often the sections change", identity="elsewhere", later=True),
    Key("meta", MAPPING, "plain data about the prompt: owner, description, anything", identity="never"),
)  # fmt: skip

EITHER = (("system", "system_file"), ("reply_schema", "schema_file"))

_NOTES = (
    "a file that `system_file` or `schema_file` names must exist and be readable, and the latter hold a JSON Schema",
    "a setting that is unset for want of an environment variable has no value to look at",
)

SETTINGS = Document(
    "settings",
    "Settings of a .ctx package",
    "What a prompt is called, which model it is for and how it is run.",
    ("**/*.ctx/settings.yaml", "**/*.ctx/settings.yml"),
    record(*KEYS),
    expressions=True,
    ignored=True,
    either=EITHER,
    notes=("a package with templates takes no key that is for packages without them, unless it is null", *_NOTES),
)
FRONT_MATTER = Document(
    "frontmatter",
    "Front matter of a single-file .ctx package",
    "The settings of a single-file package: what stands between its first line `---` and the next such line.",
    (),
    record(*(key for key in KEYS if "single" in key.layouts)),
    expressions=True,
    ignored=True,
    either=EITHER,
    notes=("`system` and what else is for directories may be null, which sets nothing", *_NOTES),
)

SPELLINGS: dict[str, Key] = {spelling: key for key in KEYS for spelling in key.spellings}


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
