"""Packages as the pass link hands them over, made by hand from a few words: what tests of artifacts start from."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from frozenctx.format import object_name
from frozenctx.objects import sha256_hex
from frozenctx_artifacts.identity import skill_key
from frozenctx_compiler.emit import emit, emitted_files
from frozenctx_compiler.package import (
    CheckedPackage,
    Emitted,
    EnvUse,
    LinkedPackage,
    LoweredPackage,
    PackageFiles,
    Program,
    ReadPackage,
    Role,
    Settings,
    SettingsDocument,
    Skill,
)
from frozenctx_compiler.store import StoreResult, store
from frozenctx_compiler.templates.dialect import CTX
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse

HOST = replace(CTX, host_filters=("money",), host_tests=("vip",), host_globals=("site",))


def program(source: str, name: str | None, file: str) -> Program:
    """Lower one template. It may use the host's filter `money`, test `vip` and global `site`."""
    lowered = lower(parse(source, name, HOST), name=name, file=file, dialect=HOST)
    own = {"filters": HOST.host_filters, "tests": HOST.host_tests, "globals": HOST.host_globals}
    names = [f"{kind[:-1]}:{name}" for kind, needed in lowered.needs for name in needed if name in own[kind]]
    return Program(lowered.text, tuple(sorted(names)))


def skill(name: str, description: str, body: str, resources: Mapping[str, bytes] | None = None) -> Skill:
    key = skill_key(name, description, body)
    return Skill(key, name, description, body, f"skills/{name}/SKILL.md", {"license": "MIT"}, resources or {})


def package(
    key: str,
    system: str | None = None,
    user: str | None = None,
    *,
    partials: Mapping[str, str] | None = None,
    literal: str = "",
    with_skills: Sequence[Skill] = (),
    **settings: Any,
) -> LinkedPackage:
    """A package with templates (`system`, `user`, `partials` by name), or with the text `literal`."""
    if with_skills:
        settings["skills"] = tuple(each.name for each in with_skills)
    stem = key.rpartition("/")[2]
    path = f"{key}.ctx"
    read = ReadPackage(
        PackageFiles(key, stem, path, False),
        "minimal" if system is None else "rich",
        SettingsDocument(f"{path}/settings.yaml", "", None),
    )
    values: dict[str, Any] = {"name": stem, "model": "openai:gpt-5", "system": literal, **settings}
    checked = CheckedPackage(read, Settings(**values), EnvUse(), skills=tuple(with_skills))
    roles: dict[Role, Program] = {}
    renderers: dict[Role, str] = {}
    sources: dict[Role, str] = {}
    given: tuple[tuple[Role, str | None], ...] = (("system", system), ("user", user))
    for role, source in given:
        if source is not None:
            roles[role] = program(source, None, f"{path}/prompt.j2")
            bundle = "".join(f"{name}\n{text}\n" for name, text in sorted((partials or {}).items()))
            sources[role] = hashlib.sha256((source + bundle).encode()).hexdigest()
            renderers[role] = f"dotctx/{values['name']}/{role}@v{sources[role][:12]}"
    others = {name: program(text, name, f"partials/{name}") for name, text in (partials or {}).items()}
    names = {name for made in [*roles.values(), *others.values()] for name in made.host_names}
    return LinkedPackage(LoweredPackage(checked, roles, others), renderers, sources, tuple(sorted(names)))


def emitted(*packages: LinkedPackage) -> Emitted:
    return emit(packages)


def files(*packages: LinkedPackage, profile: str = "default") -> dict[str, bytes]:
    """The files of an output directory, in memory."""
    return emitted_files(emitted(*packages), profile)


def stored(out: Path, *packages: LinkedPackage, profile: str = "default", **options: Any) -> StoreResult:
    return store({profile: (emitted(*packages), b'{"format":1}')}, str(out), **options)[profile]


def release_of(content: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """The same files with another release object."""
    line = content["profiles/default"].decode()
    release = json.loads(content[object_name(line[19:83], ".json")])
    data = json.dumps({**release, **changes}).encode()
    digest = sha256_hex(data)
    return {**content, object_name(digest, ".json"): data, "profiles/default": f"{line[:19]}{digest}\n".encode()}


def prompt_of(content: dict[str, bytes], changes: dict[str, Any]) -> dict[str, bytes]:
    """The same files with another object for the first prompt."""
    release = json.loads(content[object_name(content["profiles/default"].decode()[19:83], ".json")])
    prompt = json.loads(content[object_name(release["prompts"][0]["prompt"][7:], ".json")])
    data = json.dumps({**prompt, **changes}).encode()
    digest = sha256_hex(data)
    entry = {**release["prompts"][0], "prompt": f"sha256:{digest}"}
    return release_of({**content, object_name(digest, ".json"): data}, prompts=[entry])
