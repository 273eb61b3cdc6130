"""What `load` does when more is asked of it than the pack of an output directory: with options, from another place,
or where the interpreter finds no pack.

In: what `load` was called with. Out: the `Release` that it serves, or an error that says what to do.
"""

from .format import HOST_KINDS
from .pack import (
    DIGEST,
    PROFILES,
    Directory,
    Pack,
    absolute,
    hex_of,
    interpreter,
    is_profile_name,
    pack_name,
    profile_release,
    profiles,
)
from .prompts import Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from .objects import Objects
    from .protocols import Source


def load_release(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None",
    release: "str | None",
    expect: "str | None",
    verify: bool,
    pack: "str | None",
    extra: str,
    types: str,
    max_steps: "int | None",
    max_output: "int | None",
    **host: "Mapping[str, Any] | None",
) -> Release:
    """Open what `load` of `prompts` is asked for, whose options these are. `host`: its `filters` and their like."""
    if extra not in ("error", "ignore"):
        raise ValueError(f"extra is 'error' or 'ignore', not {extra!r}")
    if types not in ("names", "check"):
        raise ValueError(f"types is 'names' or 'check', not {types!r}")
    if pack not in (None, "require", "never"):
        raise ValueError(f"pack is None, 'require' or 'never', not {pack!r}")
    for name, cap in (("max_steps", max_steps), ("max_output", max_output)):
        if cap is not None and (type(cap) is not int or cap < 0):
            raise ValueError(f"{name} is a number, 0 or more, not {cap!r}")
    opened = open_release(path, profile=profile, release=release, expect=expect, pack=pack, verify=verify)
    opened.extra = extra
    opened.types = types
    take_caps(opened, max_steps, max_output)
    given = {kind: host[f"{kind}s"] for kind in HOST_KINDS}
    if opened.contents.host_names or any(supplied is not None for supplied in given.values()):
        from .host import wanted

        opened.host = wanted(opened.contents, given)
    return opened


def take_caps(release: Release, max_steps: "int | None", max_output: "int | None") -> None:
    """Let no rendering go beyond these. Raises NotLimited if the programs do not count."""
    if release.limits is not None:
        release.limits = max_steps, max_output
    elif max_steps is not None or max_output is not None:
        from .errors import NotLimited

        raise NotLimited(
            f"release {DIGEST}{release.contents.hex} in `{release.source.where}` was built without limits, so that"
            " max_steps and max_output mean nothing to it; build it with `frozenctx build --limits`"
        )


def open_release(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None" = None,
    release: "str | None" = None,
    expect: "str | None" = None,
    pack: "str | None" = None,
    verify: bool = False,
) -> Release:
    """Find the release that `load` serves, without looking at what the host supplies."""
    source, known = open_source(path)
    if known is None:
        from .elsewhere import lone_release

        return lone_release(source, profile, release, expect, pack, verify)
    if release is None and profile is None:
        if len(known) != 1:
            from .objects import refuse_profiles

            refuse_profiles(source, known)
        profile = known[0]
    while True:
        hexdigits = profile_release(source, profile or "") if release is None else _hex(release, "release")
        require_release(source, hexdigits, expect)
        try:
            contents = _contents(source, hexdigits, profile if release is None else None, pack, verify)
            return Release(source, profile, contents)
        except Exception as error:
            from .errors import ReleaseGone

            # A build and a prune may have come between the profile line and the release.
            gone = isinstance(error, ReleaseGone) and release is None
            if not gone or profile_release(source, profile or "") == hexdigits:
                raise


def require_release(source: "Source", hexdigits: str, expect: "str | None") -> None:
    """Raise ReleaseMismatch unless the release is the one that `expect` pins."""
    if expect is not None and _hex(expect, "expect") != hexdigits:
        from .errors import ReleaseMismatch

        raise ReleaseMismatch(f"`{source.where}` serves release {DIGEST}{hexdigits}, but {expect} is expected")


def _contents(
    source: "Source", hexdigits: str, profile: "str | None", pack: "str | None", verify: bool
) -> "Objects | Pack":
    """Open the pack of the running interpreter or, when there is none, the objects."""
    mine = interpreter() if pack != "never" else None
    file = mine and source.file(pack_name(hexdigits, mine))
    if verify:
        from .verify import verify_release

        verify_release(source, hexdigits, profile, file or None)
    if mine and file:
        return Pack(file, hexdigits, mine)
    if pack == "require":
        from .packs import no_pack

        raise no_pack(source, hexdigits, mine)
    from .objects import Objects

    return Objects(source, hexdigits, profile)


def _hex(digest: object, option: str) -> str:
    hexdigits = hex_of(digest)
    if hexdigits is None:
        raise ValueError(f"{option}: expected `sha256:` and 64 hexadecimal digits, found {digest!r}")
    return hexdigits


def open_source(path: "str | PathLike[str] | Mapping[str, bytes]") -> "tuple[Source, list[str] | None]":
    """Return the source that `path` names (a directory, a place inside a zip file, a mapping of name to bytes, a lone
    pack) and the profiles that are there; None for a pack, which has none.

    Raises NotArtifacts, with the way out, when there is nothing to load.
    """
    text: object = path
    if not isinstance(path, str):
        if hasattr(path, "keys"):
            from .elsewhere import Memory

            memory = Memory(path)  # type: ignore[arg-type]
            return memory, profiles(memory)
        text = path.__fspath__() if hasattr(path, "__fspath__") else None
    if not isinstance(text, str):
        raise TypeError(f"the path to load is a str, a path or a mapping of names to bytes, not {type(path).__name__}")
    if not text or "\0" in text or not text.isascii() and not _is_encodable(text):
        raise ValueError(f"{text!r} is no path")
    directory = Directory(absolute(text))
    names = directory.names(PROFILES)
    if names is not None:
        return directory, [name for name in names if is_profile_name(name)]
    from .elsewhere import open_elsewhere

    return open_elsewhere(text, directory.where)


def _is_encodable(path: str) -> bool:
    """Whether the file system can be asked for it. Names that are not in its encoding come as lone surrogates."""
    from sys import getfilesystemencodeerrors, getfilesystemencoding

    try:
        path.encode(getfilesystemencoding(), getfilesystemencodeerrors())
    except UnicodeEncodeError:
        return False
    return True
