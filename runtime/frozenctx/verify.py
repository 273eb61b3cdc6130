"""Checks a whole release: every object, and that the objects agree with one another."""

from .errors import Damaged, FrozenctxError
from .objects import json_object, sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .prompt import Prompt
    from .release import Release


def faults(release: "Release") -> "Iterator[FrozenctxError]":
    """Yield what is wrong, at most one fault for each prompt. Reads and compiles everything."""
    for key in release.entries:
        try:
            _check(release, release.prompt(key))
        except FrozenctxError as fault:
            yield fault


def _check(release: "Release", prompt: "Prompt") -> None:
    what = f"prompt `{prompt.key}`"
    stored = json_object(release.object(prompt.digest, ".json", what), release.source, what)
    expected = version_of(prompt.key, identity_digest(stored["identity"]))
    if prompt.version != expected:
        raise Damaged(f"{what} in `{release.source.where}` is damaged: its version is not {expected}")
    programs = [message["program"] for message in stored["messages"] if "program" in message]
    for digest in [*programs, *(stored.get("templates") or {}).values()]:
        release.object(digest, ".py", f"a program of `{prompt.key}`")
        prompt._template(digest, {})


def identity_digest(identity: "dict[str, Any]") -> str:
    """CTX-FORMAT section 3: keys sorted at the top only, everything below in its own order."""
    import json

    text = json.dumps(dict(sorted(identity.items())), separators=(",", ":"))
    return sha256_hex(text.encode("ascii"))


def version_of(key: str, identity_hex: str) -> str:
    return f"{key}@v{identity_hex[:12]}"
