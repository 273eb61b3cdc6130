"""Where the bytes of a release come from: a directory, a zip file, a mapping in memory. Read-only, no state to lock.

A source has `where` (for messages), `read(name)` → bytes or None if there is no such file, and `names(directory)` →
the names directly inside, sorted, or None if there is no such directory. Names are relative, with `/`.
`os` is not imported on the way: it costs most of a millisecond in an interpreter that has not done so.
"""

from .errors import LoadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Protocol

    class Source(Protocol):
        @property
        def where(self) -> str: ...
        def read(self, name: str) -> "bytes | None": ...
        def names(self, directory: str) -> "list[str] | None": ...


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
            raise LoadError(f"`{self.where}/{name}` cannot be read: {error.strerror}") from error

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
            raise LoadError(f"`{self.where}/{directory}` cannot be listed: {error.strerror}") from error


class Memory:
    """The files of an output directory as a mapping of name to bytes."""

    __slots__ = ("_files",)
    where = "memory"

    def __init__(self, files: "Mapping[str, bytes]") -> None:
        self._files = dict(files)

    def read(self, name: str) -> "bytes | None":
        return self._files.get(name)

    def names(self, directory: str) -> "list[str] | None":
        start = directory + "/"
        inside = {name[len(start) :].partition("/")[0] for name in self._files if name.startswith(start)}
        return sorted(inside) or None


def open_source(path: "str | PathLike[str] | Mapping[str, bytes]") -> "Source":
    """Return the source that `path` names: a directory, a place inside a zip file, or a mapping of name to bytes.

    Raises NotArtifacts, with the way out, when there is nothing to load.
    """
    text: object = path
    if not isinstance(path, str):
        if hasattr(path, "keys"):
            return Memory(path)  # type: ignore[arg-type]
        text = path.__fspath__() if hasattr(path, "__fspath__") else None
    if not isinstance(text, str):
        raise TypeError(f"the path to load is a str, a path or a mapping of names to bytes, not {type(path).__name__}")
    directory = Directory(_absolute(text))
    if directory.names("profiles") is not None:
        return directory
    from .elsewhere import open_archive, why_not

    archive = open_archive(directory.where)
    if archive is None:
        raise why_not(text, directory.where)
    return archive


def _absolute(path: str) -> str:
    try:
        from posix import getcwd
    except ImportError:
        from os.path import abspath

        return abspath(path)
    return path if path.startswith("/") else f"{getcwd()}/{path}"
