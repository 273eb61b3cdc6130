"""From a source to checked objects: profile line → release, digest → program text or JSON.

Nothing is believed before it is checked: an object must have the digest it is named by, a digest must be 64 hex
digits before it becomes part of a path, and a value must have the type that FORMAT.md gives it. What is not so ends
in Damaged, a format or feature of a later version in UnsupportedFormat, a release that went away in ReleaseGone.
"""

import sys

from .errors import Damaged, ReleaseGone, UnknownProfile, UnsupportedFormat
from .format import (
    DIGEST,
    FEATURES,
    FORMAT,
    PROFILE_WORD,
    PROFILES,
    VERSION,
    hex_of,
    is_profile_name,
    object_name,
    profile_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .source import Source


def _find_sha256() -> "Callable[[bytes], Any]":
    """The bare C type costs half a millisecond to import, hashlib three; some builds have hashlib's only."""
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256
    return sha256  # type: ignore[no-any-return,unused-ignore]


_sha256: "Callable[[bytes], Any] | None" = None


def sha256_hex(data: bytes) -> str:
    global _sha256
    if _sha256 is None:
        _sha256 = _find_sha256()
    return _sha256(data).hexdigest()  # type: ignore[no-any-return]


class _JsonRules:
    """What `_json`'s scanner asks of a decoder: the strict grammar, and no NaN or Infinity."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    def parse_constant(self, word: str) -> None:
        raise ValueError(f"`{word}` is not JSON")


def _find_scanner() -> "Callable[[str], Any]":
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.JSONDecoder(parse_constant=_JsonRules().parse_constant).decode
    scan = make_scanner(_JsonRules())  # type: ignore[arg-type,unused-ignore]

    def decode(text: str) -> "Any":
        try:
            value, end = scan(text, 0)  # type: ignore[call-arg,arg-type,unused-ignore]
        except StopIteration:
            raise ValueError("no JSON value") from None
        if end != len(text):
            raise ValueError("more than one JSON value")
        return value

    return decode


_decode: "Callable[[str], Any] | None" = None


def decode_json(data: bytes) -> "Any":
    """Return the value of a JSON text without blanks around it. Raises ValueError."""
    global _decode
    if _decode is None:
        _decode = _find_scanner()
    return _decode(data.decode("utf-8"))


def read_object(source: "Source", hexdigits: str, suffix: str) -> bytes:
    """Return the object's bytes. Raises Damaged if they are not what the digest says, KeyError if there are none."""
    data = source.read(object_name(hexdigits, suffix))
    if data is None:
        raise KeyError(hexdigits)
    if sha256_hex(data) != hexdigits:
        raise Damaged(f"`{source.where}/{object_name(hexdigits, suffix)}` is damaged: its bytes have another digest")
    return data


def profile_release(source: "Source", profile: str) -> str:
    """Return the hex digits of the release that `profile` points to. Raises UnknownProfile, Damaged, or
    UnsupportedFormat."""
    data = source.read(f"{PROFILES}/{profile}") if is_profile_name(profile) else None
    if data is None:
        known = profiles(source)
        raise UnknownProfile(
            f"`{source.where}` has no profile `{profile}`; it has {listed(known) if known else 'none at all'}"
        )
    words = data.decode("utf-8", "replace").split(" ")
    release = hex_of(words[2][:71]) if len(words) >= 3 else None
    if release and data == profile_line(release).encode():
        return release
    if release and words[0] == PROFILE_WORD and words[1].isdecimal() and words[1] != str(FORMAT):
        raise _unsupported(source, f"format {words[1]}", release)
    raise Damaged(f"`{source.where}/{PROFILES}/{profile}` is damaged: it is not a profile line")


def profiles(source: "Source") -> "list[str]":
    return [name for name in source.names(PROFILES) or () if is_profile_name(name)]


def the_profile(source: "Source") -> str:
    """Return the only profile. Raises UnknownProfile when there are several, or none."""
    known = profiles(source)
    if len(known) == 1:
        return known[0]
    if known:
        raise UnknownProfile(f"`{source.where}` has several profiles ({listed(known)}); say which: `profile=…`")
    raise UnknownProfile(f"`{source.where}` has no profile: its first build did not finish; build again")


def read_release(source: "Source", hexdigits: str, profile: "str | None" = None) -> "dict[str, Any]":
    """Return the release object; `profile`, if given, is the profile that points to it."""
    try:
        data = read_object(source, hexdigits, ".json")
    except KeyError:
        owner = f" of profile `{profile}`" if profile else ""
        raise ReleaseGone(
            f"release {DIGEST}{hexdigits}{owner} is not in `{source.where}`: pruned, or copied in part"
        ) from None
    release = json_object(data, source, f"release {DIGEST}{hexdigits}")
    needs = release.get("needs")
    if type(release.get("format")) is not int or type(needs) is not list or not all(type(n) is str for n in needs):
        raise Damaged(f"release {DIGEST}{hexdigits} in `{source.where}` is damaged: no format or no needs")
    unknown = [need for need in needs if need.partition(" ")[0] not in FEATURES]
    if release["format"] != FORMAT or unknown:
        raise _unsupported(source, f"format {release['format']}", hexdigits, unknown)
    return release


def _unsupported(source: "Source", what: str, hexdigits: str, unknown: "list[str] | None" = None) -> UnsupportedFormat:
    """The error for artifacts of a later version. `needs` names, for each feature, the version that has it."""
    if unknown is None:
        try:
            unknown = [n for n in decode_json(read_object(source, hexdigits, ".json"))["needs"] if type(n) is str]
        except (Damaged, LookupError, TypeError, ValueError):
            unknown = []
    reasons = []
    for need in unknown:
        feature, _, since = need.partition(" ")
        reasons.append(f"`{feature}`, which frozenctx {since or 'of a later version'} has")
    return UnsupportedFormat(
        f"release {DIGEST}{hexdigits} in `{source.where}` needs "
        + (", and ".join(reasons) if reasons else f"{what}, which a later frozenctx has")
        + f"; this is frozenctx {VERSION}"
    )


def json_object(data: bytes, source: "Source", what: str) -> "dict[str, Any]":
    try:
        value = decode_json(data)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{what} in `{source.where}` is damaged: {error}") from error
    if type(value) is not dict:
        raise Damaged(f"{what} in `{source.where}` is damaged: it is not a JSON object")
    return value


def listed(names: "list[str]") -> str:
    """`a`, `b`, `c` and 4 more."""
    shown = ", ".join(f"`{name}`" for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def near(name: object, known: "list[str]") -> str:
    """`; did you mean …?` or nothing."""
    from difflib import get_close_matches

    found = get_close_matches(name, known, 3) if isinstance(name, str) else []
    return f"; did you mean {' or '.join(f'`{other}`' for other in found)}?" if found else ""
