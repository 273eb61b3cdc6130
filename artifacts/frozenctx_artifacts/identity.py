"""From settings to the identity of a prompt: what it *is*, whichever compiler wrote it (CTX-FORMAT section 3).

The law: whatever can change one byte that a provider receives for the same arguments is in it. Everything optional is
omitted when unset, so that a new kind of setting moves no old identity.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from frozenctx.verify import identity_digest as identity_digest
from frozenctx.verify import resources_digest as resources_digest
from frozenctx.verify import skill_key as skill_key
from frozenctx.verify import version_of as version_of
from msgspec import UNSET, UnsetType

from .codec import sha256_hex
from .objects import Stored

Role = Literal["system", "user"]


class Identity(Stored, frozen=True, kw_only=True):
    """The identity's keys, in camelCase where stored. The first five are always there."""

    name: str
    model: str
    system: str
    reply_schema: Any
    tools: list[str]
    system_render: str | UnsetType = UNSET
    user_render: str | UnsetType = UNSET
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
    skills: list[str] | UnsetType = UNSET
    input_defaults: str | UnsetType = UNSET
    sources: dict[str, str] | UnsetType = UNSET
    tool_contracts: dict[str, str] | UnsetType = UNSET
    skill_resources: dict[str, str] | UnsetType = UNSET
    input_default_values: dict[str, Any] | UnsetType = UNSET
    host_names: list[str] | UnsetType = UNSET


def identity_of(
    settings: Mapping[str, Any],
    *,
    renderers: Mapping[Role, str] | None = None,
    sources: Mapping[Role, str] | None = None,
    skill_keys: Sequence[str] = (),
    tool_contracts: Mapping[str, str] | None = None,
    skill_resources: Mapping[str, str] | None = None,
    input_default_values: Mapping[str, Any] | None = None,
    host_names: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the identity as plain data, keys in camelCase.

    `settings`: the checked settings by snake_case name, None (or absent) where unset. `renderers`: role → renderer
    name of its template; a package with templates has `""` as system. `sources`: role → the full sha256 that the
    renderer name is cut from. `skill_keys`: of the active skills. The rest: see CTX-FORMAT section 3.
    """
    values: dict[str, Any] = {
        "name": settings["name"],
        "model": settings["model"],
        "system": "" if renderers else settings.get("system") or "",
        "replySchema": settings.get("reply_schema"),
        "tools": list(settings.get("tools") or ()),
        "systemRender": settings.get("system_render"),
        "userRender": settings.get("user_render"),
        "maxTokens": settings.get("max_tokens"),
        "maxRounds": settings.get("max_rounds"),
        "temperature": settings.get("temperature"),
        "reasoningEffort": settings.get("reasoning_effort"),
        "outputRetries": settings.get("output_retries") or None,
        "requireToolCall": settings.get("require_tool_call") or None,
        "responseFormat": settings.get("response_format"),
        "promptCache": settings.get("prompt_cache"),
        "agent": settings.get("agent") or None,
        "sub": settings.get("sub"),
        "context": None if settings.get("context") == "local" else settings.get("context"),
        "skills": list(skill_keys) or None,
        "inputDefaults": settings.get("input_defaults"),
        "sources": dict(sources) if sources else None,
        "toolContracts": dict(tool_contracts) if tool_contracts else None,
        "skillResources": dict(skill_resources) if skill_resources else None,
        "inputDefaultValues": dict(input_default_values) if input_default_values else None,
        "hostNames": sorted(host_names) or None,
    }
    for role, renderer in (renderers or {}).items():
        values[f"{role}Render"] = renderer
    given = {key: value for key, value in values.items() if value is not None or key == "replySchema"}
    identity: dict[str, Any] = msgspec.to_builtins(msgspec.convert(given, Identity))
    return identity


def contract_digest(description: str, input_schema: Mapping[str, Any]) -> str:
    """The sha256, in hexadecimal, of what a model is told about a tool: in the form of an identity, nothing sorted."""
    told = {"description": description, "inputSchema": input_schema}
    return sha256_hex(json.dumps(told, separators=(",", ":")).encode("ascii"))
