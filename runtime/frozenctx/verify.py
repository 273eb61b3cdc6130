"""Checks a whole release: every object, that the objects agree with one another, and that a pack is what they make."""

from .errors import Damaged, FrozenctxError, PackMissing
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


def identity_digest(identity: "dict[str, Any]") -> str:
    """CTX-FORMAT section 3: keys sorted at the top only, everything below in its own order."""
    import json

    text = json.dumps(dict(sorted(identity.items())), separators=(",", ":"))
    return sha256_hex(text.encode("ascii"))


def version_of(key: str, identity_hex: str) -> str:
    return f"{key}@v{identity_hex[:12]}"
