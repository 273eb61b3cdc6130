"""What `load` looks at when the path is no output directory: a zip file on the way to it, or else what went wrong."""

import os

from .errors import Damaged, LoadError, NotArtifacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .source import Source


class Archive:
    """A directory inside a zip file. Its index is read once and the file stays open, so that a replaced file means
    nothing; reading needs no lock and no file position, so that threads and forked processes cannot disturb it."""

    __slots__ = ("where", "_file", "_entries")

    def __init__(self, path: str, inside: str) -> None:
        from zipfile import ZipFile

        self.where = f"{path}/{inside}".rstrip("/")
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._entries: dict[str, tuple[int, int, int, int, int]] = {}
        with os.fdopen(os.dup(self._file), "rb") as file, ZipFile(file) as archive:
            for info in archive.infolist():
                if info.filename.startswith(inside) and not info.is_dir():
                    self._entries[info.filename[len(inside) :]] = (
                        info.header_offset,
                        info.compress_type,
                        info.compress_size,
                        info.file_size,
                        info.CRC,
                    )

    def __del__(self) -> None:
        try:
            os.close(self._file)
        except (AttributeError, OSError):
            pass

    def read(self, name: str) -> "bytes | None":
        from zlib import crc32, decompressobj, error

        entry = self._entries.get(name)
        if entry is None:
            return None
        offset, method, packed, size, crc = entry
        header = self._at(offset, 30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise Damaged(f"`{self.where}/{name}` is damaged: no file header where the zip index says")
        offset += 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        data = self._at(offset, packed)
        if method == 8:
            try:
                data = decompressobj(-15).decompress(data, size + 1)
            except error as problem:
                raise Damaged(f"`{self.where}/{name}` is damaged: {problem}") from problem
        elif method != 0:
            raise LoadError(f"`{self.where}/{name}` is compressed by method {method}; stored and deflated can be read")
        if len(data) != size or crc32(data) != crc:
            raise Damaged(f"`{self.where}/{name}` is damaged: its length or check sum is not what the zip index says")
        return data

    def names(self, directory: str) -> "list[str] | None":
        start = directory + "/"
        inside = {name[len(start) :].partition("/")[0] for name in self._entries if name.startswith(start)}
        return sorted(inside) or None

    def _at(self, offset: int, size: int) -> bytes:
        try:
            if hasattr(os, "pread"):
                return os.pread(self._file, size, offset)
            with open(os.dup(self._file), "rb") as file:  # systems without pread: not safe for several threads
                file.seek(offset)
                return file.read(size)
        except (OSError, OverflowError) as error:
            raise Damaged(f"`{self.where}` is damaged or cannot be read: {error}") from error


def open_archive(path: str) -> "Source | None":
    """Return the source for `…/app.zip/inside`, or None if no zip file lies on the path or it holds no profiles."""
    from zipfile import is_zipfile

    outside = os.path.abspath(path)
    inside = ""
    while not os.path.isfile(outside):
        parent, last = os.path.split(outside)
        if parent == outside:
            return None
        outside, inside = parent, f"{last}/{inside}"
    if not is_zipfile(outside):
        return None
    try:
        archive = Archive(outside, inside)
    except OSError as error:
        raise LoadError(f"`{outside}` cannot be read: {error.strerror}") from error
    except Exception as error:  # zipfile meets a damaged index with many kinds
        raise Damaged(f"`{outside}` is damaged: {error}") from error
    return archive if archive.names("profiles") is not None else None


def why_not(path: str, absolute: str) -> NotArtifacts:
    """Say why there is nothing to load at `path`."""
    if path.endswith(".pack"):
        return NotArtifacts(f"`{path}`: packs come with frozenctx 0.2; load the output directory itself")
    if not os.path.exists(absolute):
        return NotArtifacts(f"`{path}` does not exist")
    if _is_source(absolute):
        return NotArtifacts(
            f"`{path}` holds prompt sources, not artifacts; compile them with `frozenctx build {path} -o dist/prompts`"
            f" and load `dist/prompts`, or in tests and while editing use `frozenctx_compiler.load({path!r})`"
        )
    return NotArtifacts(f"`{path}` holds no artifacts (no `profiles` directory); `frozenctx build` writes them")


def _is_source(path: str) -> bool:
    if path.rstrip("/").endswith(".ctx"):
        return True
    for looked_at, (_directory, directories, files) in enumerate(os.walk(path)):
        if "frozenctx.toml" in files or any(name.endswith(".ctx") and name != ".ctx" for name in directories + files):
            return True
        if looked_at > 1000:  # enough to recognise a source tree; a load that fails must not walk a whole disk
            return False
    return False
