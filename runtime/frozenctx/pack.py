"""What a cold start reads: the line of a profile, and the release as one file, for one interpreter.

In: a path. Out: its source, the release that a profile points to, and from a pack of it prompts by key, found by
reading a few pages of a sorted index, and the code of programs, not compiled again. FORMAT.md describes the bytes.

A source has `where` (for messages), `read(name)` → bytes or None if there is no such file, `names(directory)` → the
names directly inside, sorted, or None if there is no such directory, and `file(name)` → the file opened for reading
at any offset, or None. Names are relative, with `/`. Directories are here; a place inside a zip file, a mapping in
memory and a lone pack are in `elsewhere`. `os` is not imported on the way: it costs most of a millisecond in an
interpreter that has not done so.

Nothing of a pack is unmarshalled before it is checked: the first line says for which interpreter and release it is, and
whoever points to a slice has its check sum, from the head down. They find damage, not tampering.
"""

from _imp import source_hash
from marshal import loads

from .format import FEATURES, PACK_KEY, PROFILES, hex_of, is_profile_name, pack_line, profile_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from types import CodeType
    from typing import Any, NoReturn

    from .errors import LoadError
    from .pack_rest import PackRest
    from .protocols import File, Source

    Slice = tuple[int, int, bytes]  # offset behind the head, size, check sum
else:
    PackRest = object


# Sources


class Directory:
    """An output directory. `path` is absolute, so that a later change of the working directory means nothing."""

    __slots__ = ("where",)

    def __init__(self, path: str) -> None:
        self.where = path

    def read(self, name: str) -> "bytes | None":
        try:
            with open(f"{self.where}/{name}", "rb", 0) as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable(f"{self.where}/{name}", "read", error) from error

    def names(self, directory: str) -> "list[str] | None":
        try:
            from posix import listdir
        except ImportError:
            from os import listdir
        try:
            return sorted(listdir(f"{self.where}/{directory}"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable(f"{self.where}/{directory}", "listed", error) from error

    def file(self, name: str) -> "File | None":
        try:
            import posix  # noqa: F401
        except ImportError:
            from .elsewhere import Blob

            data = self.read(name)
            return None if data is None else Blob(f"{self.where}/{name}", data)
        try:
            return OpenFile(f"{self.where}/{name}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreadable(f"{self.where}/{name}", "read", error) from error


class OpenFile:
    """A file that stays open, so that what replaces or removes it means nothing. Reading uses no file position, so that
    other threads and forked processes cannot disturb it. POSIX only."""

    __slots__ = ("where", "size", "descriptor", "_which", "_read", "_close", "_stat")
    _holders: "dict[int, tuple[int, int]]" = {}  # descriptor → `_which` of the last one that got this number

    def __init__(self, path: str) -> None:
        from posix import O_CLOEXEC, O_RDONLY, close, fstat, open, pread

        self.where = path
        self._read, self._close, self._stat = pread, close, fstat
        self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
        status = fstat(self.descriptor)
        self.size = status.st_size
        self._which = self._holders[self.descriptor] = status.st_dev, status.st_ino

    def __del__(self) -> None:
        try:  # a daemon closes all descriptors at its start: the number may be another file's by now, or nobody's
            status = self._stat(self.descriptor)
            if self._holders[self.descriptor] is self._which == (status.st_dev, status.st_ino):
                self._close(self.descriptor)
        except (AttributeError, OSError):
            pass

    def __reduce_ex__(self, protocol: object) -> "NoReturn":
        # A copy would hold the same descriptor and close it under this one; in another process the number means another
        # file. And opened anew, the path may lead to another release's bytes.
        raise TypeError("prompts of an open pack cannot be copied or pickled; load them where they are used")

    def read(self, offset: int, size: int) -> bytes:
        try:
            return self._read(self.descriptor, size, offset)
        except OSError as error:
            raise _unreadable(self.where, "read", error) from error


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
    directory = Directory(_absolute(text))
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


def _absolute(path: str) -> str:
    try:
        from posix import getcwd
    except ImportError:
        from os.path import abspath

        return abspath(path)
    return path if path.startswith("/") else f"{getcwd()}/{path}"


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


# Packs

FIRST = 4096  # bytes that are read at once; nearly every head fits
FIXED = 28  # bytes between first line and body: check sum of the head, check sum of the rest, size, length of the body


class Pack(PackRest):
    """The contents of a release, from its pack. `_pages`: those of the indexes that were read."""

    __slots__ = (
        "file", "hex", "needs", "host_names", "count", "_host_keys", "_keys", "_names", "_base", "_pages", "_programs",
    )  # fmt: skip
    kind = "pack"

    def __init__(self, file: "File", hexdigits: str, interpreter: str) -> None:
        line = pack_line(hexdigits, interpreter)
        data = file.read(0, FIRST)
        start = len(line)
        fixed = data[start : start + FIXED]
        if not data.startswith(line) or len(fixed) < FIXED:
            raise self._damaged(file, "it begins with another line than its name asks for")
        end = start + FIXED + int.from_bytes(fixed[24:], "little")
        if FIRST < end <= file.size:
            data = file.read(0, end)
        if source_hash(PACK_KEY, line + data[start + 8 : end]) != fixed[:8] or len(data) < end:
            raise self._damaged(file, "its head has another check sum")
        if file.size != int.from_bytes(fixed[16:24], "little"):
            size = int.from_bytes(fixed[16:24], "little")
            raise self._damaged(file, f"it has {file.size} bytes and should have {size}")
        self.file = file
        self.hex = hexdigits
        _writer, self.needs, self.host_names, self._host_keys, self.count, self._keys, self._names = loads(
            data[start + FIXED : end]
        )
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
        page = self._pages.get(place[0])
        if page is None:
            page = self._pages.setdefault(place[0], loads(self._bytes(place)))
        return page

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
            if not low or (not level and keys[low - 1] != key):
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
        code = loads(self._bytes(self._programs[digest]))
        if type(code) is str:  # the text of a program whose code could not be marshalled
            from .template.text import compile_program

            return compile_program(code)
        return code  # type: ignore[no-any-return]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from .halves import member
            from .pack_rest import PackRest

            return member(Pack, PackRest, self, name)
