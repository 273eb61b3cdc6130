"""What a cold start reads: the line of a profile, and the release as one file, for one interpreter.

In: an output directory. Out: the release that a profile points to, and from a pack of it prompts by key, found by
reading a few pages of a sorted index, and the code of programs, not compiled again. FORMAT.md describes the bytes;
what of its names and numbers is read here stands here, and all of them are in `format`.

A source has `where` (for messages), `read(name)` → bytes or None if there is no such file, `names(directory)` → the
names directly inside, sorted, or None if there is no such directory, and `file(name)` → the file opened for reading
at any offset, or None. Names are relative, with `/`. Directories are here; a place inside a zip file, a mapping in
memory and a lone pack are in `elsewhere`. `os` is not imported on the way: it costs most of a millisecond in an
interpreter that has not done so.

Nothing of a pack is unmarshalled before it is checked: the first line says for which interpreter and release it is, and
whoever points to a slice has its check sum, from the head down. They find damage, not tampering.
"""

import sys
from _frozen_importlib_external import MAGIC_NUMBER  # loaded in every interpreter; importlib.util has it from there
from _imp import source_hash
from marshal import loads

try:
    import posix as system
except ImportError:
    import os as system  # type: ignore[no-redef]
POSIX = hasattr(system, "pread")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, NoReturn, TypeVar

    from .errors import LoadError
    from .pack_rest import PackRest
    from .protocols import File, Source

    Found = TypeVar("Found")
    Slice = tuple[int, int, bytes]  # offset behind the head, size, check sum

FORMAT = 1  # the number in release objects and profile lines
LIMITS = "limits 0.1.0"  # in `needs`: the programs count what they do, which this version was the first to support
FEATURES = frozenset(["limits", "skills"])  # names that a release's `needs` may list and this runtime understands
DIGEST = "sha256:"
PROFILE_WORD = "frozenctx"  # first word of a profile line
PROFILES, PACKS = "profiles", "packs"
PACK_WORD, PACK_FORMAT = "frozenctx-pack", 1  # how the first line of a pack begins
PACK_KEY = 0x66726F7A  # what the check sums in packs are keyed with
FIRST = 4096  # bytes of a pack that are read at once; nearly every head fits
FIXED = 28  # bytes between first line and body: check sum of the head, check sum of the rest, size, length of the body

_HEX = frozenset("0123456789abcdef")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def hex_of(digest: object) -> "str | None":
    """Return the 64 hex digits of `sha256:<hex>`, or None if it is anything else."""
    if type(digest) is str and len(digest) == 71 and digest.startswith(DIGEST) and _HEX.issuperset(digest[7:]):
        return digest[7:]
    return None


def is_profile_name(name: object) -> bool:
    """Whether `name` can be a profile: 1 to 100 of `A-Z a-z 0-9 . _ -`, the first a letter or a digit."""
    return type(name) is str and 0 < len(name) <= 100 and name[0].isalnum() and _NAME.issuperset(name)


def profile_line(hexdigits: str) -> str:
    return f"{PROFILE_WORD} {FORMAT} {DIGEST}{hexdigits}\n"


def interpreter() -> "str | None":
    """Return `cpython-311-a70d0d0a`: cache tag and full magic number, which say whose bytecode an interpreter runs.
    None for one that keeps no bytecode."""
    tag = sys.implementation.cache_tag
    return f"{tag}-{MAGIC_NUMBER.hex()}" if tag else None


def pack_name(hexdigits: str, interpreter: str) -> str:
    """Where the pack of a release for an interpreter lies below the output directory."""
    return f"{PACKS}/{hexdigits}.{interpreter}.pack"


def pack_line(hexdigits: str, interpreter: str) -> bytes:
    """How a pack begins."""
    return f"{PACK_WORD} {PACK_FORMAT} {interpreter} {DIGEST}{hexdigits}\n".encode()


# Files


def absolute(path: str) -> str:
    if not POSIX:
        return system.path.abspath(path)  # type: ignore[attr-defined,no-any-return]
    return path if path.startswith("/") else f"{system.getcwd()}/{path}"


class Directory:
    """An output directory. `path` is absolute, so that a later change of the working directory means nothing."""

    __slots__ = ("where",)

    def __init__(self, path: str) -> None:
        self.where = path

    def read(self, name: str) -> "bytes | None":
        return _found(f"{self.where}/{name}", "read", _content)

    def names(self, directory: str) -> "list[str] | None":
        return _found(f"{self.where}/{directory}", "listed", lambda path: sorted(system.listdir(path)))

    def file(self, name: str) -> "File | None":
        if not POSIX:
            from .elsewhere import in_memory

            return in_memory(self, name)
        return _found(f"{self.where}/{name}", "read", OpenFile)


class OpenFile:
    """A file that stays open, so that what replaces or removes it means nothing. Reading uses no file position, so that
    other threads and forked processes cannot disturb it. POSIX only."""

    __slots__ = ("where", "size", "descriptor", "_which")
    _holders: "dict[int, tuple[int, int]]" = {}  # descriptor → `_which` of the last one that got this number

    def __init__(self, path: str) -> None:
        self.where = path
        self.descriptor = system.open(path, system.O_RDONLY | system.O_CLOEXEC)
        status = system.fstat(self.descriptor)
        self.size = status.st_size
        self._which = self._holders[self.descriptor] = status.st_dev, status.st_ino

    # The names of a module may be gone when an interpreter ends, these are not.
    def __del__(self, fstat: "Any" = system.fstat, close: "Any" = system.close) -> None:
        try:  # a daemon closes all descriptors at its start: the number may be another file's by now, or nobody's
            status = fstat(self.descriptor)
            if self._holders[self.descriptor] is self._which == (status.st_dev, status.st_ino):
                close(self.descriptor)
        except (AttributeError, OSError):
            pass

    def __reduce_ex__(self, protocol: object) -> "NoReturn":
        # A copy would hold the same descriptor and close it under this one; in another process the number means another
        # file. And opened anew, the path may lead to another release's bytes.
        raise TypeError("prompts of an open pack cannot be copied or pickled; load them where they are used")

    def read(self, offset: int, size: int) -> bytes:
        try:
            return system.pread(self.descriptor, size, offset)
        except OSError as error:
            raise _unreadable(self.where, "read", error) from error


def _content(path: str) -> bytes:
    with open(path, "rb", 0) as file:
        return file.read()


def _found(path: str, how: str, look: "Callable[[str], Found]") -> "Found | None":
    """Return what is found by looking at `path`, None if nothing is there. Raises LoadError: it cannot be `how`."""
    try:
        return look(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, how, error) from error


def _unreadable(path: str, how: str, error: OSError) -> "LoadError":
    from .errors import LoadError

    return LoadError(f"`{path}` cannot be {how}: {error.strerror}")


# Profiles


def profiles(source: "Source") -> "list[str]":
    return [name for name in source.names(PROFILES) or () if is_profile_name(name)]


def profile_release(source: "Source", profile: str) -> str:
    """Return the hex digits of the release that `profile` points to. Raises UnknownProfile, Damaged, or
    UnsupportedFormat."""
    data = source.read(f"{PROFILES}/{profile}") if is_profile_name(profile) else None
    release = hex_of(data[-72:-1].decode("ascii", "replace")) if data else None
    if release is None or data != profile_line(release).encode():
        from .objects import refuse_profile

        refuse_profile(source, profile, data)
    return release


# Classes in two halves


class Half:
    """A class that has what rendering needs. The rest, its other half, is loaded when something of it is asked for
    (`halves`) from where `_other` says, module and name; for type checkers it is a subclass of that half."""

    __slots__ = ()

    def __getattr__(self, name: str) -> "Any":
        from .halves import asked

        return asked(self, name)

    def __dir__(self) -> "list[str]":
        from .halves import listing

        return listing(self)

    def __repr__(self) -> str:
        return self._shown()  # type: ignore[no-any-return]


if not TYPE_CHECKING:
    PackRest = Half

# Packs


class Pack(PackRest):
    """The contents of a release, from its pack. `_pages`: those of the indexes that were read."""

    __slots__ = (
        "file", "hex", "needs", "host_names", "count", "_host_keys", "_keys", "_names", "_base", "_pages", "_programs",
    )  # fmt: skip
    _other = "pack_rest", "PackRest"
    kind = "pack"

    def __init__(self, file: "File", hexdigits: str, interpreter: str) -> None:
        line = pack_line(hexdigits, interpreter)
        data = file.read(0, FIRST)
        start = len(line)
        end = start + FIXED + int.from_bytes(data[start + 24 : start + FIXED], "little")
        if FIRST < end <= file.size:
            data = file.read(0, end)
        fixed, body = data[start : start + FIXED], data[start + FIXED : end]
        check = source_hash(PACK_KEY, line + fixed[8:] + body)
        if check != fixed[:8] or file.size != int.from_bytes(fixed[16:24], "little") or not data.startswith(line):
            self._refuse(file, data.startswith(line), fixed, check)
        self.file = file
        self.hex = hexdigits
        _writer, self.needs, self.host_names, self._host_keys, self.count, self._keys, self._names = loads(body)
        if any(need.partition(" ")[0] not in FEATURES for need in self.needs):
            from .objects import require_features

            require_features(file.where, hexdigits, self.needs)
        self._base = end
        self._pages: dict[int, Any] = {}
        self._programs: dict[str, Slice] = {}

    def _bytes(self, place: "Slice") -> bytes:
        offset, size, check = place
        data = self.file.read(self._base + offset, size)
        if source_hash(PACK_KEY, data) != check:
            raise self._damaged(self.file, f"the {size} bytes at {self._base + offset} have another check sum")
        return data

    # The indexes: trees of pages `(level, keys, values)`. On level 0 a value belongs to its key; above, it is the
    # page of the keys from its key on.

    def _page(self, place: "Slice") -> "Any":
        return self._pages.get(place[0]) or self._pages.setdefault(place[0], loads(self._bytes(place)))

    def _find(self, tree: "Slice", key: str) -> "Any":
        """Return what the tree has at `key`, or None."""
        place: Any = tree
        while True:
            level, keys, values = self._page(place)
            low, high = 0, len(keys)
            while low < high:
                middle = (low + high) // 2
                if keys[middle] <= key:
                    low = middle + 1
                else:
                    high = middle
            if not low or not level and keys[low - 1] != key:
                return None
            place = values[low - 1]
            if not level:
                return place

    # What a release holds

    def head(self, key: "Any") -> "dict[str, Any] | None":
        """Return what rendering needs of the prompt object, and where the rest is; None if there is no such prompt."""
        place = self._find(self._keys, key) if isinstance(key, str) else None
        if place is None:
            return None
        head, programs = loads(self._bytes(place))
        self._programs.update(programs)
        return head  # type: ignore[no-any-return]

    def text(self, place: "Any") -> str:
        return self._bytes(place).decode()

    def code(self, digest: str, what: str) -> "CodeType":
        code: CodeType | str = loads(self._bytes(self._programs[digest]))
        return self._compiled(code) if isinstance(code, str) else code
