"""The stored objects as Structs: release, prompt, and what they hold. FORMAT.md beside this explains every field.

A Struct has bytes on disk. It is built by `msgspec.convert` alone, so that a value has the type of its field (`1` and
`1.0` would be other bytes), and a field that is not set is UNSET and leaves nothing behind: growing a Struct by an
optional field changes no byte of what is already stored. Fields are stored in the order given here, keys of plain
data (schemas, meta) in the order of the source.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

Digest = Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]


class Stored(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What every stored Struct is."""


class ReleaseEntry(Stored, frozen=True, kw_only=True):
    key: str
    name: str
    version: str
    prompt: Digest


class Release(Stored, frozen=True, kw_only=True):
    """`host_names`: `filter:money` → keys of the packages that need it of the host program."""

    format: int
    needs: list[str]
    prompts: list[ReleaseEntry]
    host_names: dict[str, list[str]] | UnsetType = UNSET


class StoredSettings(Stored, frozen=True, kw_only=True):
    """The settings as the runtime shows them: unlike the identity, with every value that the author set."""

    model: str
    max_tokens: int | UnsetType = UNSET
    max_rounds: int | UnsetType = UNSET
    temperature: float | UnsetType = UNSET
    reasoning_effort: str | UnsetType = UNSET
    output_retries: int | UnsetType = UNSET
    require_tool_call: bool | UnsetType = UNSET
    response_format: str | UnsetType = UNSET
    prompt_cache: str | UnsetType = UNSET
    agent: bool | UnsetType = UNSET
    sub: dict[str, str] | UnsetType = UNSET
    context: str | UnsetType = UNSET
    input_defaults: str | UnsetType = UNSET
    tools: list[str] | UnsetType = UNSET
    skills: list[str] | UnsetType = UNSET
    system_render: str | UnsetType = UNSET
    user_render: str | UnsetType = UNSET


class Message(Stored, frozen=True, kw_only=True):
    """The text of one role: exactly one of a program, a literal text, a renderer of the host."""

    role: str
    program: Digest | UnsetType = UNSET
    text: str | UnsetType = UNSET
    renderer: str | UnsetType = UNSET


class ToolContract(Stored, frozen=True, kw_only=True):
    """What a model is told about one tool. `input_schema`: JSON Schema of an object."""

    key: str
    wire_name: str
    server: str | UnsetType = UNSET
    name: str
    description: str
    input_schema: dict[str, Any]


class SkillEntry(Stored, frozen=True, kw_only=True):
    """A skill of a prompt: what the block before the system text needs, and the skill object."""

    name: str
    key: str
    description: str
    skill: Digest


class SkillObject(Stored, frozen=True, kw_only=True):
    """A skill, the same object in all packages that have it. `extra`: its other front-matter keys. `resources`: path →
    the bytes of a file, sorted."""

    key: str
    name: str
    description: str
    body: str
    extra: dict[str, Any] | UnsetType = UNSET
    resources: dict[str, Digest] | UnsetType = UNSET


class PromptObject(Stored, frozen=True, kw_only=True):
    """`file`: the package, relative to the source root. `templates`: template name → program."""

    key: str
    name: str
    version: str
    file: str
    identity: dict[str, Any]
    settings: StoredSettings
    messages: list[Message]
    templates: dict[str, Digest] | UnsetType = UNSET
    host_names: list[str] | UnsetType = UNSET
    input_schema: Any = UNSET
    input_default_values: dict[str, Any] | UnsetType = UNSET
    reply_schema: Any = UNSET
    tool_contracts: list[ToolContract] | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = UNSET
    skills: list[SkillEntry] | UnsetType = UNSET
