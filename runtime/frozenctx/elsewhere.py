"""What `load` looks at when the path is no output directory: a zip file on the way to it, a lone pack, files in
memory, or else what went wrong."""

import os

from .errors import Damaged, LoadError, NotArtifacts, PackMissing, UnknownProfile
from .format import PACK_FORMAT, PACK_WORD, PROFILES, hex_of, interpreter, is_profile_name
from .loading import open_source, require_release
from .pack import Directory, OpenFile, Pack, profile_release, profiles
from .prompts import Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

    from .protocols import File, Source


class Blob:
    """A file whose bytes are in memory."""

    __slots__ = ("where", "size", "_data")

    def __init__(self, where: str, data: bytes) -> None:
        self.where = where
        self.size = len(data)
        self._data = data

    def read(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]


def in_memory(source: "Source", name: str) -> "Blob | None":
    """Return a file of a source, read as a whole; None if there is no such file."""
    data = source.read(name)
    return None if data is None else Blob(f"{source.where}/{name}", data)


class Memory:
    """The files of an output directory as a mapping of name to bytes."""

    __slots__ = ("_files",)
    where = "memory"

    def __init__(self, files: "Mapping[str, bytes]") -> None:
        self._files = dict(files)
        for name, data in self._files.items():
            if not isinstance(name, str) or not isinstance(data, bytes):
                raise TypeError(f"a mapping to load has names (str) and bytes; it has {name!r}: {type(data).__name__}")

    def read(self, name: str) -> "bytes | None":
        return self._files.get(name)

    def names(self, directory: str) -> "list[str] | None":
        start = directory + "/"
        inside = {name[len(start) :].partition("/")[0] for name in self._files if name.startswith(start)}
        return sorted(inside) or None

    def file(self, name: str) -> "File | None":
        return Blob(name, self._files[name]) if name in self._files else None


class LonePack:
    """A pack without anything around it."""

    __slots__ = ("where", "pack", "hex", "interpreter")

    def __init__(self, file: "File") -> None:
        line = file.read(0, 200).partition(b"\n")[0].decode("utf-8", "replace")
        word, format, interpreter, release = (*line.split(" "), "", "", "", "")[:4]
        hexdigits = hex_of(release)
        if word != PACK_WORD or hexdigits is None:
            raise Damaged(f"`{file.where}` is damaged: it does not begin as a pack does")
        if format != str(PACK_FORMAT):
            raise PackMissing(f"`{file.where}` is a pack of format {format}; this runtime reads format {PACK_FORMAT}")
        self.where = file.where
        self.pack = file
        self.hex = hexdigits
        self.interpreter = interpreter

    def read(self, name: str) -> None:
        return None

    def names(self, directory: str) -> None:
        return None

    def file(self, name: str) -> None:
        return None


def lone_release(
    source: "Source",
    profile: "str | None",
    release: "str | None",
    expect: "str | None",
    pack: "str | None",
    verify: bool,
) -> Release:
    """What `open_release` returns for a lone pack."""
    assert isinstance(source, LonePack)
    if profile is not None:
        raise UnknownProfile(f"`{source.where}` is a pack, which has no profiles but one release")
    if pack == "never" or verify:
        option = "`pack='never'`" if pack == "never" else "`verify=True`"
        raise LoadError(f"{option} needs objects, and `{source.where}` is a pack alone; load its output directory")
    mine = interpreter()
    if source.interpreter != mine:
        raise PackMissing(
            f"`{source.where}` is a pack for {source.interpreter}, and this interpreter is {mine};"
            " `python -m frozenctx pack` makes one with the interpreter that runs it"
        )
    if release is not None:
        require_release(source, source.hex, release)
    require_release(source, source.hex, expect)
    return Release(source, None, Pack(source.pack, source.hex, source.interpreter))


def is_current(source: "Source", hexdigits: str) -> bool:
    """Whether a release that was opened without a profile is still what a new `load` might find."""
    if isinstance(source, LonePack):
        found, _ = open_source(source.where)
        return isinstance(found, LonePack) and found.hex == hexdigits
    return any(profile_release(source, name) == hexdigits for name in profiles(source))


class Stored:
    """A file of a zip that is not compressed."""

    __slots__ = ("where", "size", "_archive", "_start")

    def __init__(self, archive: "Archive", name: str, start: int, size: int) -> None:
        self.where = f"{archive.where}/{name}"
        self.size = size
        self._archive = archive
        self._start = start

    def read(self, offset: int, size: int) -> bytes:
        return self._archive.at(self._start + offset, max(0, min(size, self.size - offset)))


class Archive:
    """A directory inside a zip file. Its index is read once and the file stays open, so that a replaced file means
    nothing; reading needs no lock and no file position, so that threads and forked processes cannot disturb it."""

    __slots__ = ("where", "_file", "_entries")

    def __init__(self, file: "File", inside: str) -> None:
        from io import BytesIO
        from zipfile import ZipFile

        self.where = f"{file.where}/{inside}".rstrip("/")
        self._file = file
        self._entries: dict[str, tuple[int, int, int, int, int]] = {}
        opened: IO[bytes]
        if isinstance(file, OpenFile):
            opened = os.fdopen(os.dup(file.descriptor), "rb")
        else:
            opened = BytesIO(file.read(0, file.size))
        with opened, ZipFile(opened) as archive:
            for info in archive.infolist():
                if info.filename.startswith(inside) and not info.is_dir():
                    self._entries[info.filename[len(inside) :]] = (
                        info.header_offset,
                        info.compress_type,
                        info.compress_size,
                        info.file_size,
                        info.CRC,
                    )

    def read(self, name: str) -> "bytes | None":
        from zlib import crc32, decompressobj, error

        if name not in self._entries:
            return None
        start, method, packed, size, crc = self._entries[name]
        data = self.at(self._content(name, start), packed)
        if method == 8 and size <= 1032 * packed:  # nothing is deflated better
            try:
                data = decompressobj(-15).decompress(data, size + 1)
            except error as problem:
                raise Damaged(f"`{self.where}/{name}` is damaged: {problem}") from problem
        elif method not in (0, 8):
            raise LoadError(f"`{self.where}/{name}` is compressed by method {method}; stored and deflated can be read")
        if len(data) != size or crc32(data) != crc:
            raise Damaged(f"`{self.where}/{name}` is damaged: its length or check sum is not what the zip index says")
        return data

    def names(self, directory: str) -> "list[str] | None":
        start = directory + "/"
        inside = {name[len(start) :].partition("/")[0] for name in self._entries if name.startswith(start)}
        return sorted(inside) or None

    def file(self, name: str) -> "File | None":
        if name not in self._entries:
            return None
        start, method, _packed, size, _crc = self._entries[name]
        if method == 0:  # a pack checks itself what it reads
            return Stored(self, name, self._content(name, start), size)
        return in_memory(self, name)

    def _content(self, name: str, start: int) -> int:
        """Where the bytes of a file begin, whose own header begins at `start`."""
        header = self.at(start, 30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise Damaged(f"`{self.where}/{name}` is damaged: no file header where the zip index says")
        return start + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")

    def at(self, offset: int, size: int) -> bytes:
        if not 0 <= offset <= offset + size <= self._file.size:
            raise Damaged(f"`{self.where}` is damaged: the zip index leads out of the file")
        return self._file.read(offset, size)


def open_elsewhere(path: str, absolute: str) -> "tuple[Source, list[str] | None]":
    """What `open_source` returns for a path that is no output directory."""
    if os.path.isfile(absolute) and path.endswith(".pack"):
        directory, name = os.path.split(absolute)
        file = Directory(directory).file(name)
        if file is not None:
            return LonePack(file), None
    archive = open_archive(absolute)
    if archive is None:
        raise why_not(path, absolute)
    return archive, [name for name in archive.names(PROFILES) or () if is_profile_name(name)]


def open_archive(path: str) -> "Source | None":
    """Return the source for `…/app.zip/inside`, or None if no file lies on the path. Raises NotArtifacts."""
    from zipfile import is_zipfile

    outside = os.path.abspath(path)
    inside = ""
    while not os.path.isfile(outside):
        parent, last = os.path.split(outside)
        if parent == outside:
            return None
        outside, inside = parent, f"{last}/{inside}"
    directory, name = os.path.split(outside)
    file = Directory(directory).file(name)
    if file is None:
        return None
    if not is_zipfile(outside):
        if file.read(0, len(PACK_WORD) + 1) == f"{PACK_WORD} ".encode():
            raise NotArtifacts(f"`{outside}` is a pack; rename it: `load` knows a pack by a name that ends in `.pack`")
        raise NotArtifacts(f"`{outside}` is neither an output directory nor a zip file nor a pack")
    try:
        archive = Archive(file, inside)
    except Exception as error:  # zipfile meets a damaged index with many kinds
        raise Damaged(f"`{outside}` is damaged: {str(error) or type(error).__name__}") from error
    if archive.names(PROFILES) is None:
        raise NotArtifacts(f"`{path}` holds no artifacts (no `profiles` directory in the zip file)")
    return archive


def why_not(path: str, absolute: str) -> LoadError:
    """Say why there is nothing to load at `path`."""
    try:
        os.stat(absolute)
    except (FileNotFoundError, NotADirectoryError):
        return NotArtifacts(f"`{path}` does not exist")
    except OSError as error:
        return LoadError(f"`{path}` cannot be read: {error.strerror}")
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
