"""Checks a whole release: every object, that the objects agree with one another, and that a pack is what they make."""

from .errors import Damaged, FrozenctxError, PackMissing
from .format import hex_of
from .objects import Objects, sha256_hex
from .prompts import Prompt, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .protocols import File, Source


def verify_release(source: "Source", hexdigits: str, profile: "str | None", pack: "File | None") -> None:
    """Read and check everything; raise the first fault. `pack`: the pack of the running interpreter, if it is used.
    Nothing of it is unmarshalled."""
    objects = Objects(source, hexdigits, profile)
    for fault in faults(objects):
        raise fault
    if pack is not None:
        check_pack(pack, objects)


def faults(objects: Objects) -> "Iterator[FrozenctxError]":
    """Yield what is wrong, at most one fault for each prompt. Reads and compiles everything."""
    release = Release(objects.source, None, objects)
    for key in objects.entries:
        try:
            _check(release, key)
        except FrozenctxError as fault:
            yield fault


def check_pack(pack: "File", objects: Objects) -> None:
    """Raise Damaged unless the pack of the running interpreter has the very bytes that the objects make here, and
    PackMissing when those that another version made can be others."""
    from .packing import damage, made_by, packed, writer

    data = pack.read(0, pack.size)
    if data == packed(objects).data:
        return
    reason = damage(data)
    if reason is None and made_by(data) != writer():
        raise PackMissing(
            f"the pack `{pack.where}` was made by {made_by(data)}, and only that can compare it with its objects;"
            f" this is {writer()}: make it anew with `python -m frozenctx pack`"
        )
    reason = reason or "its bytes are not what its objects compile to"
    raise Damaged(f"the pack `{pack.where}` is damaged: {reason}")


def _check(release: "Release", key: str) -> None:
    what = f"prompt `{key}` in `{release.source.where}`"
    head = release.contents.head(key)
    assert head is not None
    prompt = Prompt(release, head)
    expected = version_of(key, identity_digest(prompt.identity))
    if prompt.version != expected:
        raise Damaged(f"{what} is damaged: its version is not {expected}")
    for digest in prompt.programs():
        prompt._template(digest, {})
    _check_skills(prompt, head.get("skills") or [], what)


def _check_skills(prompt: Prompt, entries: "list[dict[str, Any]]", what: str) -> None:
    """Read every skill and every file of it: they must be what the identity says."""
    contents = prompt._release.contents
    resources = {}
    for entry in entries:
        skill = contents.skill(entry)
        key = skill_key(skill["name"], skill["description"], skill["body"])
        if key != entry["key"]:
            raise Damaged(f"{what} is damaged: the key of the skill `{entry['name']}` is not {key}")
        files = skill.get("resources") or {}
        for path, digest in files.items():
            contents.resource(digest, f"`{path}` of the skill `{entry['name']}`")
        if files:
            resources[key] = resources_digest({path: hex_of(digest) or "" for path, digest in files.items()})
    identity = prompt.identity
    keys = [entry["key"] for entry in entries]
    if (identity.get("skills") or [], identity.get("skillResources") or {}) != (keys, resources):
        raise Damaged(f"{what} is damaged: its skills are not those of its identity")


def identity_digest(identity: "dict[str, Any]") -> str:
    """CTX-FORMAT section 3: keys sorted at the top only, everything below in its own order."""
    import json

    text = json.dumps(dict(sorted(identity.items())), separators=(",", ":"))
    return sha256_hex(text.encode("ascii"))


def skill_key(name: str, description: str, body: str) -> str:
    """CTX-FORMAT section 7: `skill/<name>@v` and 12 digits of the sha256 of name, description and body."""
    return f"skill/{name}@v{sha256_hex(chr(0).join((name, description, body)).encode())[:12]}"


def resources_digest(files: "dict[str, str]") -> str:
    """The sha256 (hex digits) of what `sha256sum` prints for the files of a skill, sorted by path. `files`: path → the
    sha256 of its bytes."""
    return sha256_hex("".join(f"{digest}  {path}\n" for path, digest in sorted(files.items())).encode())


def version_of(key: str, identity_hex: str) -> str:
    return f"{key}@v{identity_hex[:12]}"
