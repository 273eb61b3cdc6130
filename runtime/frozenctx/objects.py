"""A release read from its objects: digest → program text or JSON, checked.

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
    HOST_KINDS,
    PROFILE_WORD,
    PROFILES,
    RAW,
    VERSION,
    hex_of,
    object_name,
)
from .pack import profiles
from .words import listed

_MAPPINGS = ("templates", "meta", "inputSchema", "inputDefaultValues")  # of a prompt object, when it has them

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any, NoReturn

    from .protocols import Source


def _find_sha256() -> "Callable[[bytes], Any]":
    """The bare C type costs half a millisecond to import, hashlib three; some builds have hashlib's only. Where that is
    loaded anyway it is taken: OpenSSL's is several times as fast."""
    if "hashlib" in sys.modules:
        return sys.modules["hashlib"].sha256  # type: ignore[no-any-return]
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


def refuse_profile(source: "Source", profile: str, data: "bytes | None") -> "NoReturn":
    """Raise what is wrong with a profile: UnknownProfile, Damaged or UnsupportedFormat. `data`: its file, if any."""
    if data is None:
        known = profiles(source)
        raise UnknownProfile(
            f"`{source.where}` has no profile `{profile}`; it has {listed(known) if known else 'none at all'}"
        )
    words = data.decode("utf-8", "replace").split(" ")
    release = hex_of(words[2][:71]) if len(words) >= 3 else None
    if release and words[0] == PROFILE_WORD and words[1].isdecimal() and words[1] != str(FORMAT):
        raise _unsupported(source, f"format {words[1]}", release)
    raise Damaged(f"`{source.where}/{PROFILES}/{profile}` is damaged: it is not a profile line")


def refuse_profiles(source: "Source", known: "list[str]") -> "NoReturn":
    """Raise UnknownProfile because there is not exactly one."""
    if known:
        raise UnknownProfile(f"`{source.where}` has several profiles ({listed(known)}); say which: `profile=…`")
    raise UnknownProfile(f"`{source.where}` has no profile: its first build did not finish; build again")


class Objects:
    """The contents of a release, from its objects."""

    __slots__ = ("source", "hex", "entries", "count", "needs", "host_names", "_host_keys")
    kind = "objects"

    def __init__(self, source: "Source", hexdigits: str, profile: "str | None" = None) -> None:
        self.source = source
        self.hex = hexdigits
        stored = read_release(source, hexdigits, profile)
        self.needs: list[str] = stored["needs"]
        try:
            if type(stored["prompts"]) is not list:
                raise TypeError
            for entry in stored["prompts"]:
                if not type(entry["key"]) is type(entry["name"]) is type(entry["version"]) is str:
                    raise TypeError
            self.entries: dict[str, dict[str, Any]] = {entry["key"]: entry for entry in stored["prompts"]}
            self.count = len(self.entries)
            self._host_keys: dict[str, list[str]] = stored.get("hostNames", {})
            self.host_names = tuple(self._host_keys)
            if any(name.partition(":")[0] not in HOST_KINDS for name in self.host_names):
                raise ValueError
            if type(self._host_keys) is not dict or not all(map(_are_texts, self._host_keys.values())):
                raise TypeError
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Damaged(
                f"release {DIGEST}{hexdigits} in `{source.where}` is damaged: not as FORMAT.md says"
            ) from error

    def keys(self) -> "Iterator[str]":
        return iter(self.entries)

    def names(self) -> "Iterator[str]":
        return iter([entry["name"] for entry in self.entries.values()])

    def has(self, key: "Any") -> bool:
        return isinstance(key, str) and key in self.entries

    def keys_named(self, name: "Any") -> "list[str]":
        return [key for key, entry in self.entries.items() if entry["name"] == name]

    def keys_that_need(self, host_name: str) -> "list[str]":
        return self._host_keys[host_name]

    def head(self, key: "Any") -> "dict[str, Any] | None":
        """Return the prompt object, with its digest as `prompt`; None if there is no such prompt."""
        entry = self.entries.get(key) if isinstance(key, str) else None
        if entry is None:
            return None
        what = f"prompt `{key}`"
        stored = json_object(self.object(entry.get("prompt"), ".json", what), self.source, what)
        if not _fits(stored, entry):
            raise Damaged(f"{what} in `{self.source.where}` is damaged: not as FORMAT.md says")
        stored["prompt"] = entry["prompt"]
        return stored

    def rest(self, head: "dict[str, Any]") -> "dict[str, Any]":
        return head

    def text(self, text: str) -> str:
        return text

    def code(self, digest: str, what: str) -> "CodeType":
        from .template.text import compile_program

        data = self.object(digest, ".py", what)
        try:
            return compile_program(data.decode("ascii"))
        except (SyntaxError, ValueError) as error:
            raise Damaged(f"{what} in `{self.source.where}` is damaged: {error}") from error

    def skill(self, entry: "dict[str, Any]") -> "dict[str, Any]":
        """Return the skill object that an entry of a prompt refers to."""
        what = f"the skill `{entry['name']}`"
        stored = json_object(self.object(entry["skill"], ".json", what), self.source, what)
        if not _fits_skill(stored, entry):
            raise Damaged(f"{what} in `{self.source.where}` is damaged: not as FORMAT.md says")
        return stored

    def resource(self, digest: "Any", what: str) -> bytes:
        return self.object(digest, RAW, what)

    def object(self, digest: "Any", suffix: str, what: str) -> bytes:
        """Return the checked bytes of an object that the release refers to."""
        hexdigits = hex_of(digest)
        if hexdigits is None:
            raise Damaged(f"{what} in `{self.source.where}` is damaged: {digest!r} is no digest")
        try:
            return read_object(self.source, hexdigits, suffix)
        except KeyError:
            pass
        # Prune removes the release object before anything that it leads to.
        read_release(self.source, self.hex)
        raise Damaged(f"{what} in `{self.source.where}` is damaged: the object {digest} is missing")


def _fits(stored: "dict[str, Any]", entry: "dict[str, Any]") -> bool:
    """Whether a prompt object has the types that FORMAT.md gives it, and is the one that the release means."""
    try:
        settings = stored["settings"]
        return (
            all(stored[name] == entry[name] for name in ("key", "name", "version"))
            and type(stored["identity"]) is dict
            and type(settings["model"]) is str
            and all(_are_texts(settings.get(name) or []) for name in ("tools", "skills"))
            and type(stored["messages"]) is list
            and all(_is_message(message) for message in stored["messages"])
            and any(message["role"] == "system" for message in stored["messages"])
            and all(type(stored.get(name, {})) is dict for name in _MAPPINGS)
            and type(stored.get("inputSchema", {}).get("properties", {})) is dict
            and _are_texts(stored.get("inputSchema", {}).get("required", []))
            and all(type(digest) is str for digest in (stored.get("templates") or {}).values())
            and _are_texts(stored.get("hostNames", []))
            and all(_is_contract(contract) for contract in stored.get("toolContracts") or ())
            and type(stored.get("skills", [])) is list
            and all(
                all(type(skill[name]) is str for name in ("name", "key", "description", "skill"))
                for skill in stored.get("skills", [])
            )
        )
    except (AttributeError, KeyError, TypeError):
        return False


def _fits_skill(stored: "dict[str, Any]", entry: "dict[str, Any]") -> bool:
    """Whether a skill object has the types that FORMAT.md gives it, and is the one that a prompt means."""
    try:
        resources = stored.get("resources", {})
        return (
            all(stored[name] == entry[name] for name in ("name", "key", "description"))
            and type(stored["body"]) is str
            and type(stored.get("extra", {})) is dict
            and type(resources) is dict
            and all(hex_of(digest) for digest in resources.values())
        )
    except KeyError:
        return False


def _are_texts(value: object) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _is_contract(contract: "dict[str, Any]") -> bool:
    texts = ("key", "wireName", "name", "description")
    return all(type(contract[name]) is str for name in texts) and type(contract["inputSchema"]) is dict


def _is_message(message: "dict[str, Any]") -> bool:
    kinds = [kind for kind in ("program", "text", "renderer") if type(message.get(kind)) is str]
    return type(message["role"]) is str and bool(kinds)


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
    if release["format"] != FORMAT:
        raise _unsupported(source, f"format {release['format']}", hexdigits)
    require_features(source.where, hexdigits, needs)
    return release


def require_features(where: str, hexdigits: str, needs: "list[str]") -> None:
    """Raise UnsupportedFormat unless this runtime has every feature that a release needs."""
    unknown = [need for need in needs if need.partition(" ")[0] not in FEATURES]
    if unknown:
        raise _of_a_later_version(where, hexdigits, "", unknown)


def _unsupported(source: "Source", what: str, hexdigits: str) -> UnsupportedFormat:
    """The error for artifacts of another format. Their `needs` should name the version that has it."""
    try:
        needs = [n for n in decode_json(read_object(source, hexdigits, ".json"))["needs"] if type(n) is str]
    except (Damaged, LookupError, TypeError, ValueError):
        needs = []
    unknown = [need for need in needs if need.partition(" ")[0] not in FEATURES]
    return _of_a_later_version(source.where, hexdigits, what, unknown)


def _of_a_later_version(where: str, hexdigits: str, what: str, unknown: "list[str]") -> UnsupportedFormat:
    reasons = []
    for need in unknown:
        feature, _, since = need.partition(" ")
        reasons.append(f"`{feature}`, which frozenctx {since or 'of a later version'} has")
    return UnsupportedFormat(
        f"release {DIGEST}{hexdigits} in `{where}` needs "
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
