"""Where the bytes of a release come from, and which release a profile points to. Read-only, no state to lock.

A source has `where` (for messages), `read(name)` → bytes or None if there is no such file, `names(directory)` → the
names directly inside, sorted, or None if there is no such directory, and `file(name)` → the file opened for reading
at any offset (pack.py), or None. Names are relative, with `/`. Directories are here; a place inside a zip file, a
mapping in memory and a lone pack are in `elsewhere`.
`os` is not imported on the way: it costs most of a millisecond in an interpreter that has not done so.
"""

from .format import PROFILES, hex_of, is_profile_name, profile_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import NoReturn

    from .errors import LoadError
    from .protocols import File, Source


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
