"""The pass emit: linked packages → all objects of one release, in memory. FORMAT.md describes the objects.

The same packages give the same bytes: nothing but what the packages say goes in, sorted by key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import CodeType
from typing import Any

import msgspec
from frozenctx.format import DIGEST, FORMAT, PROFILES, RAW, SKILLS, object_name, profile_line
from frozenctx_artifacts.codec import encode, require_json, sha256_hex
from frozenctx_artifacts.identity import contract_digest, identity_digest, identity_of, resources_digest, version_of
from frozenctx_artifacts.objects import PromptObject, Release, SkillObject

from .package import Emitted, LinkedPackage, Program, Settings, Skill, Tool

# Settings that are stored elsewhere in the prompt object.
_NOT_STORED = ("name", "system", "reply_schema", "meta")


def emit(linked: Sequence[LinkedPackage], needs: Sequence[str] = ()) -> Emitted:
    """Return the objects of the release that holds these packages, given in any order. `needs`: of a runtime.

    Nothing is left to find wrong here: the passes before have seen to it that everything is JSON data (else NotJson).
    """
    objects: dict[str, bytes] = {}
    programs: dict[str, CodeType | None] = {}
    entries: list[dict[str, str]] = []
    host_names: dict[str, list[str]] = {}
    resources: dict[str, bytes] = {}
    places: dict[str, str] = {}

    def add(data: bytes) -> str:
        digest = sha256_hex(data)
        objects[digest] = data
        return digest

    def add_program(program: Program) -> str:
        digest = add(program.text.encode("ascii"))
        programs[digest] = program.code
        return DIGEST + digest

    def add_skill(skill: Skill, digests: Mapping[str, str]) -> dict[str, str]:
        require_json(_plain(skill.extra))
        stored: dict[str, Any] = {"key": skill.key, "name": skill.name, "description": skill.description}
        stored["body"] = skill.body
        if skill.extra:
            stored["extra"] = dict(skill.extra)
        if skill.resources:
            stored["resources"] = {path: DIGEST + digest for path, digest in digests.items()}
            for path, data in skill.resources.items():
                resources[digests[path]] = data
                places.setdefault(digests[path], f"{skill.file.rpartition('/')[0]}/{path}")
        digest = add(encode(msgspec.convert(stored, SkillObject)))
        places.setdefault(digest, skill.file)
        return {**{name: stored[name] for name in ("name", "key", "description")}, "skill": DIGEST + digest}

    for package in sorted(linked, key=lambda package: package.lowered.checked.read.files.key):
        checked = package.lowered.checked
        files, settings = checked.read.files, checked.settings
        values = {field.name: getattr(settings, field.name) for field in fields(settings)}
        require_json(_plain(settings.reply_schema))
        require_json(_plain(settings.meta))
        require_json(_plain(checked.input_schema))
        files_of = {
            skill.key: {path: sha256_hex(data) for path, data in skill.resources.items()} for skill in checked.skills
        }
        identity = identity_of(
            values,
            renderers=package.renderers,
            sources=package.sources,
            host_names=package.host_names,
            input_default_values=checked.input_defaults,
            skill_keys=[skill.key for skill in checked.skills],
            skill_resources={key: resources_digest(digests) for key, digests in files_of.items() if digests},
            tool_contracts={tool.key: contract_digest(tool.description, tool.input_schema) for tool in checked.tools},
        )
        version = version_of(files.key, identity_digest(identity))
        prompt: dict[str, Any] = {
            "key": files.key,
            "name": settings.name,
            "version": version,
            "file": files.path,
            "identity": identity,
            "settings": _stored_settings(values),
            "messages": [
                {"role": role, "program": add_program(program)} for role, program in package.lowered.roles.items()
            ]
            or _literal_messages(settings),
        }
        if package.lowered.partials:
            prompt["templates"] = {
                name: add_program(program) for name, program in sorted(package.lowered.partials.items())
            }
        if package.host_names:
            prompt["hostNames"] = sorted(package.host_names)
        if checked.input_schema is not None:
            prompt["inputSchema"] = checked.input_schema
        if checked.input_defaults:
            prompt["inputDefaultValues"] = dict(checked.input_defaults)
        if settings.reply_schema is not None:
            prompt["replySchema"] = settings.reply_schema
        if checked.tools:
            prompt["toolContracts"] = [_contract(tool) for tool in checked.tools]
        if settings.meta:
            prompt["meta"] = dict(settings.meta)
        if checked.skills:
            prompt["skills"] = [add_skill(skill, files_of[skill.key]) for skill in checked.skills]
        digest = add(encode(msgspec.convert(prompt, PromptObject)))
        entries.append({"key": files.key, "name": settings.name, "version": version, "prompt": DIGEST + digest})
        renderers = [f"renderer:{message['renderer']}" for message in prompt["messages"] if "renderer" in message]
        for name in [*package.host_names, *renderers]:
            host_names.setdefault(name, []).append(files.key)
    if any(package.lowered.checked.skills for package in linked):
        needs = [*needs, SKILLS]
    release: dict[str, Any] = {"format": FORMAT, "needs": list(needs), "prompts": entries}
    if host_names:
        release["hostNames"] = dict(sorted(host_names.items()))
    return Emitted(
        add(encode(msgspec.convert(release, Release))),
        objects,
        tuple((entry["key"], entry["version"]) for entry in entries),
        tuple(sorted(programs)),
        {digest: code for digest, code in programs.items() if code is not None},
        resources,
        places,
    )


def emitted_files(emitted: Emitted, profile: str = "default") -> dict[str, bytes]:
    """Return what `store` would write for `frozenctx.load` to read: names below the output directory → bytes."""
    programs = frozenset(emitted.programs)
    files = {
        object_name(digest, ".py" if digest in programs else ".json"): data
        for digest, data in sorted(emitted.objects.items())
    }
    files.update({object_name(digest, RAW): data for digest, data in sorted(emitted.resources.items())})
    files[f"{PROFILES}/{profile}"] = profile_line(emitted.release).encode()
    return files


def _literal_messages(settings: Settings) -> list[dict[str, str]]:
    """The messages of a minimal package: literal text, or what renderers of the host make."""
    system = {"renderer": settings.system_render} if settings.system_render else {"text": settings.system}
    messages = [{"role": "system", **system}]
    if settings.user_render:
        messages.append({"role": "user", "renderer": settings.user_render})
    return messages


def _contract(tool: Tool) -> dict[str, Any]:
    require_json(_plain(tool.input_schema))
    server = {} if tool.server is None else {"server": tool.server}
    return {
        "key": tool.key,
        "wireName": tool.wire_name,
        **server,
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }


def _stored_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    stored = {
        name: list(value) if isinstance(value, tuple) else _plain(value)
        for name, value in settings.items()
        if name not in _NOT_STORED and value is not None and value != ()
    }
    return {_camel(name): value for name, value in stored.items()}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
