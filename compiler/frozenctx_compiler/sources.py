"""The only opener of source files: root-confined, caching, recording.

In: a root directory, mounts (name → directory), and how links are taken. Out: text, bytes, listings and probes by
path, and `observed()`, the list of everything that was looked at, found or absent.

Paths are root-relative POSIX strings: `briefs/draft.ctx/prompt.j2`, `.` for the root, `@name/rel` below a mount. Names
are read as UTF-8 whatever the locale says; a byte that is none is written `\\xff`, and the name can only be reported.
Invariants: nothing outside root and mounts is ever opened; a name matches only as it is written (a file system that
folds case answers like one that does not) up to Unicode normalisation; every answer stays the same for the life of
the object. What goes wrong is raised as a SourceFault, which the pass turns into a diagnostic.
"""

import errno
import hashlib
import os
import re
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast
from unicodedata import normalize

from frozenctx.format import MARKER, OBJECTS

from .diagnostics import Report, Scope, Span

Kind = Literal["file", "directory", "other"]
Links = Literal["inside", "follow"]
T = TypeVar("T")

_MOST_LINKS = 40  # on the way to one file; what Linux allows
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class SourceFault(Exception):
    """A file that cannot be used as source. `line` and `column` are 0 unless the fault lies in the file's content."""

    def __init__(
        self,
        code: str,
        headline: str,
        path: str,
        *,
        notes: tuple[str, ...] = (),
        help: str | None = None,
        line: int = 0,
        column: int = 0,
        hides_directory: bool = False,
    ) -> None:
        super().__init__(headline)
        self.code = code
        self.headline = headline
        self.path = path
        self.notes = notes
        self.help = help
        self.line = line
        self.column = column
        self.hides_directory = hides_directory  # a refused link whose target is a directory: packages may be behind it

    def add_to(self, report: Report | Scope, at: Span | None = None, *, label: str = "") -> None:
        """Report this fault where it lies; a fault without a place of its own is shown at the reference `at`."""
        if self.line:
            at, label = Span.at(self.path, self.line, self.column), ""
        elif at is None:
            at = Span(self.path)
        report.add(self.code, self.headline, at, label=label, notes=self.notes, help=self.help)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory. `kind` is None for a link to nothing and for a link that is refused (`fault`)."""

    name: str
    kind: Kind | None
    fault: SourceFault | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A file that was read: sha256 hex of its normalised text, or of its bytes when `form` is "raw".

    `leads_to`: the path that it stands for when links lead elsewhere (`Sources.identity`)."""

    path: str
    digest: str
    form: Literal["text", "raw"]
    leads_to: str | None = None


@dataclass(frozen=True, slots=True)
class Observations:
    """Everything that was looked at, each part sorted by path: the inputs of whatever was made from these sources.

    `links` and `left_out` say how it was looked at, so that it can be looked at again.
    """

    files: tuple[FileSeen, ...]
    listings: tuple[tuple[str, tuple[Entry, ...]], ...]  # directory → its names and their kinds
    probes: tuple[tuple[str, Kind | None], ...]  # path → what was there, None for nothing
    links: Links
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a path leads: the real absolute path and its kind, or a fault that using it raises."""

    real: str
    kind: Kind | None
    fault: SourceFault | None = None


_Listed = Literal["file", "directory", "link", "other"]


@dataclass(frozen=True, slots=True)
class _Name:
    """One name in a real directory: as the file system has it, and what it is without following links."""

    actual: str
    listed: _Listed
    readable: bool = True  # whether it is UTF-8


class Sources:
    """All source files of one build. Not for use from several threads at once."""

    def __init__(self, root: str, mounts: Mapping[str, str] | None = None, links: Links = "inside") -> None:
        self.links: Links = links
        self._tops = {"": os.path.realpath(root)}
        for name, directory in sorted((mounts or {}).items()):
            self._tops["@" + name] = os.path.realpath(directory)
        self._left_out: frozenset[str] = frozenset()
        self._names: dict[str, dict[str, _Name]] = {}
        self._places: dict[str, _Place] = {}
        self._found_tops: dict[str, _Place] = {}
        self._texts: dict[str, str] = {}
        self._text_digests: dict[str, str] = {}
        self._raws: dict[str, bytes] = {}
        self._raw_digests: dict[str, str] = {}
        self._entries: dict[str, tuple[Entry, ...]] = {}
        self._probes: dict[str, Kind | None] = {}
        self._derived: dict[tuple[str, str], Any] = {}

    def leave_out(self, paths: Iterable[str]) -> None:
        """Keep these paths, where builds write, out of all listings. To be called before anything is listed."""
        self._left_out |= frozenset(paths)

    def anew(self) -> "Sources":
        """The same files with nothing looked at yet: what they are now."""
        mounts = {top[1:]: directory for top, directory in self._tops.items() if top}
        again = Sources(self._tops[""], mounts, self.links)
        again.leave_out(self._left_out)
        return again

    # -- asking ----------------------------------------------------------------------------------------------------

    def kind(self, path: str) -> Kind | None:
        """What is at `path`, None for nothing. Recorded as a probe, found or absent."""
        place = self._place(path)
        if place.fault is not None:
            raise place.fault
        self._probes[path] = place.kind
        return place.kind

    def entries(self, path: str) -> tuple[Entry, ...]:
        """The names in a directory, sorted by code point, with what each is. Recorded as a listing.

        What was left out is not among them, nor is any other output, nor a directory that holds nothing else: a tree
        looks the same before its first build into itself and after it.
        """
        known = self._entries.get(path)
        if known is not None:
            return known
        place = self._directory(path)
        found = []
        for name, entry in sorted(self._scan(place.real, path).items()):
            at = name if path == "." else f"{path}/{name}"
            like_a_mount = path == "." and name.startswith("@")
            if at in self._left_out or (not like_a_mount and self._is_left_out(at, entry)):
                continue
            if like_a_mount:
                found.append(Entry(name, None, self._like_a_mount(place.real, name)))
                continue
            below = self._place(at)
            found.append(Entry(name, below.kind, below.fault))
        self._entries[path] = tuple(found)
        return self._entries[path]

    def listing(self, path: str) -> tuple[str, ...]:
        """The names in a directory, sorted by code point. Recorded."""
        return tuple(entry.name for entry in self.entries(path))

    def text(self, path: str) -> str:
        """The file's text: UTF-8, a leading BOM dropped, CRLF and CR made LF (CTX-FORMAT §1). Recorded, cached."""
        known = self._texts.get(path)
        if known is not None:
            return known
        text = _normalised(self._read(path), path)
        self._texts[path] = text
        self._text_digests[path] = hashlib.sha256(text.encode()).hexdigest()
        return text

    def raw(self, path: str) -> bytes:
        """The file's bytes as they are. Recorded, cached."""
        known = self._raws.get(path)
        if known is None:
            known = self._raws[path] = self._read(path)
            self._raw_digests[path] = hashlib.sha256(known).hexdigest()
        return known

    def size(self, path: str) -> int:
        """How many bytes a file has, for who would rather not read a large one. Not recorded."""
        try:
            return os.stat(self._place(path).real).st_size
        except OSError as error:
            raise _unreadable(path, error)

    def digest(self, path: str) -> str:
        """sha256 hex of the normalised text, or of the bytes when the file was read raw only."""
        if path in self._raw_digests and path not in self._text_digests:
            return self._raw_digests[path]
        self.text(path)
        return self._text_digests[path]

    def derived(self, path: str, what: str, make: Callable[[str], T]) -> T:
        """`make(text of path)`, worked out once per path and `what`: shared files are parsed once per build.

        `make` must depend on the text alone, and its result must not be changed by anybody.
        """
        key = (what, path)
        if key not in self._derived:
            self._derived[key] = make(self.text(path))
        return cast(T, self._derived[key])

    def once(self, text: str, what: str, make: Callable[[], T | None]) -> T | None:
        """What `make` makes of a text, worked out once for all copies of it. None is not kept: there were findings.

        What is made must depend on the text alone, and must not be changed by anybody.
        """
        key = (f"{what} of a text", text)
        found = self._derived.get(key)
        if found is None:
            found = self._derived[key] = make()
        return cast("T | None", found)

    def identity(self, path: str) -> str:
        """The file that `path` stands for: two paths that reach one file through links have one identity.

        With `links="follow"` every file counts at its logical path.
        """
        if self.links == "follow":
            return path
        place = self._place(path)
        top_name, below = _split_top(path)
        if place.real == f"{self._tops[top_name]}/{below}":
            return path
        rest = utf8(os.path.relpath(place.real, self._tops[top_name])).replace(os.sep, "/")
        return rest if not top_name else top_name if rest == "." else f"{top_name}/{rest}"

    def real(self, path: str) -> str:
        """The real absolute path, for telling whether a directory contains itself; never for opening."""
        return os.path.realpath(self._place(path).real)

    def join(self, directory: str, target: str) -> str:
        """`target` seen from `directory`, worked out on the text alone.

        `@name/...` is a mount wherever it is written. Absolute targets, `..` that climbs out of the root or the
        mount, and names of no mount are SourceFaults.
        """
        if target.startswith("/") or _DRIVE.match(target):
            raise SourceFault(
                "outside-root",
                f"`{target}` is an absolute path",
                target,
                help="write it relative to the directory it is read from",
            )
        parts: list[str]
        if target.startswith("@"):
            top, _, below = target.partition("/")
            if top not in self._tops:
                raise self._no_such_mount(top)
            parts = []
        else:
            (top, rest), below = _split_top(directory), target
            parts = rest.split("/") if rest else []
        for part in below.split("/"):
            if part == "..":
                if not parts:
                    where = f"the mount `{top}`" if top else "the root"
                    raise SourceFault(
                        "outside-root",
                        f"`{target}` climbs out of {where}",
                        target,
                        help="mount the directory under `[mounts]` and write `@name/…`",
                    )
                parts.pop()
            elif part not in ("", "."):
                parts.append(normalize("NFC", part))
        return "/".join([top, *parts] if top else parts) or "."

    def neighbours(self, path: str) -> tuple[str, ...]:
        """Names beside `path`, for messages that suggest one; not recorded."""
        parent = self._place(_parent(path))
        if parent.kind != "directory" or parent.fault is not None:
            return ()
        return tuple(sorted(self._scan(parent.real, _parent(path))))

    def texts(self) -> list[tuple[str, str]]:
        """Every text that was read, with its path, sorted."""
        return sorted(self._texts.items())

    def observed(self) -> Observations:
        files = [FileSeen(path, digest, "text", self._leads_to(path)) for path, digest in self._text_digests.items()]
        files += [FileSeen(path, digest, "raw", self._leads_to(path)) for path, digest in self._raw_digests.items()]
        return Observations(
            tuple(sorted(files, key=lambda file: (file.path, file.form))),
            tuple(sorted(self._entries.items(), key=lambda listing: listing[0])),
            tuple(sorted(self._probes.items(), key=lambda probe: probe[0])),
            self.links,
            tuple(sorted(self._left_out)),
        )

    def _leads_to(self, path: str) -> str | None:
        # How a file system normalises names is not a link.
        other = normalize("NFC", self.identity(path))
        return other if other != path else None

    def missing(self, path: str) -> SourceFault:
        """The fault for a file that is named and not there, with the neighbour that may have been meant."""
        name = path.rpartition("/")[2]
        near = [other for other in self.neighbours(path) if other.casefold() == name.casefold()]
        note = (f"there is `{near[0]}`, and names are compared exactly on every file system",) if near else ()
        return SourceFault("missing-file", f"`{path}` does not exist", path, notes=note)

    # -- finding ---------------------------------------------------------------------------------------------------

    def _place(self, path: str) -> _Place:
        known = self._places.get(path)
        if known is not None:
            return known
        top, rest = _split_top(path)
        place = self._top(top)
        at = top
        for part in rest.split("/") if rest else ():
            at = f"{at}/{part}" if at else part
            below = self._places.get(at)
            if below is None:
                below = self._places[at] = self._below(at, self._tops.get(top, ""), place, part)
            place = below
        self._places[path] = place
        return place

    def _top(self, top: str) -> _Place:
        if top not in self._tops:
            return _Place("", None, self._no_such_mount(top))
        if top not in self._found_tops:
            self._found_tops[top] = _Place(self._tops[top], "directory" if os.path.isdir(self._tops[top]) else None)
        return self._found_tops[top]

    def _below(self, path: str, top: str, parent: _Place, name: str) -> _Place:
        if parent.fault is not None or parent.kind != "directory":
            return _Place("", None, parent.fault)
        try:
            return self._step(path, top, parent.real, normalize("NFC", name))
        except SourceFault as fault:
            return _Place("", None, fault)

    def _step(self, path: str, top: str, directory: str, name: str) -> _Place:
        """One name further down from a real directory."""
        entry = self._scan(directory, _parent(path)).get(name)
        if entry is None:
            return _Place("", None)
        real = os.path.join(directory, entry.actual)
        if not entry.readable:
            headline = f"the name `{path}` is not UTF-8"
            return _Place("", None, SourceFault("not-utf-8", headline, path, hides_directory=os.path.isdir(real)))
        if entry.listed != "link":
            return _Place(real, entry.listed)
        if self.links == "follow":
            return self._followed(path, real)
        return self._resolved(path, top, directory, name)

    def _followed(self, path: str, real: str) -> _Place:
        try:
            mode = os.stat(real).st_mode
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _loop(path)
            return _Place("", None)
        return _Place(real, "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other")

    def _resolved(self, path: str, top: str, directory: str, name: str) -> _Place:
        """Follow a link name by name without ever stepping out of `top`: a detour through the outside is refused."""
        pending = [name]
        links = 0
        while pending:
            part = pending.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                if directory == top:
                    raise self._leaves(path)
                directory = os.path.dirname(directory)
                continue
            entry = self._scan(directory, path).get(normalize("NFC", part))
            if entry is None:
                return _Place("", None)
            if not entry.readable:
                return _Place("", None)
            here = os.path.join(directory, entry.actual)
            if entry.listed == "directory":
                directory = here
            elif entry.listed == "link":
                links += 1
                if links > _MOST_LINKS:
                    raise _loop(path)
                target = os.readlink(here)
                if os.path.isabs(target):
                    target = self._rest(top, target, path)
                    directory = top
                pending[:0] = utf8(target).split("/")
            elif pending:
                return _Place("", None)  # a name below a file
            else:
                return _Place(here, entry.listed)
        return _Place(directory, "directory")

    def _rest(self, top: str, target: str, path: str) -> str:
        """The rest of an absolute link target below `top`."""
        if target == top or target.startswith(top.rstrip("/") + "/"):
            return target[len(top) :]
        raise self._leaves(path)

    def _leaves(self, path: str) -> SourceFault:
        top, rest = _split_top(path)
        behind = os.path.isdir(os.path.join(self._tops[top], native(rest)))  # a stat, nothing is opened
        return SourceFault(
            "outside-root",
            f"the link `{path}` leaves {f'the mount `{top}`' if top else 'the root'}",
            path,
            notes=("nothing outside the root and its mounts is read",),
            help="mount the directory under `[mounts]`, or build with `--links=follow`",
            hides_directory=behind,
        )

    def _no_such_mount(self, name: str) -> SourceFault:
        mounts = [f"`{top}`" for top in self._tops if top]
        return SourceFault(
            "unknown-mount",
            f"there is no mount `{name}`",
            name,
            notes=(f"mounts are {', '.join(mounts)}" if mounts else "frozenctx.toml names no mounts",),
        )

    def _is_left_out(self, path: str, entry: _Name, levels: int = 2) -> bool:
        """Whether this is an output, or a directory around such and around nothing else. An output that this build
        was not told of is known by what it holds, on as many `levels`."""
        if path in self._left_out:
            return True
        is_around = any(output.startswith(f"{path}/") for output in self._left_out)
        if not is_around and (not levels or entry.listed != "directory"):
            return False
        levels -= not is_around
        place = self._place(path)
        if place.kind != "directory" or place.fault is not None:
            return False
        try:
            names = self._scan(place.real, path)
        except SourceFault:  # raised again when it is asked for
            return False
        marks = [names[name].listed for name in (MARKER, OBJECTS) if name in names]
        if marks == ["file", "directory"]:
            return True
        return bool(names) and all(self._is_left_out(f"{path}/{name}", below, levels) for name, below in names.items())

    def _like_a_mount(self, root: str, name: str) -> SourceFault:
        return SourceFault(
            "unknown-mount",
            f"`{name}` cannot be read: a path that begins with `@` is one in a mount",
            name,
            help="rename it",
            hides_directory=os.path.isdir(os.path.join(root, native(name))),
        )

    def _scan(self, directory: str, path: str) -> dict[str, _Name]:
        """The names in a real directory, NFC."""
        known = self._names.get(directory)
        if known is not None:
            return known
        names: dict[str, _Name] = {}
        try:
            with os.scandir(directory) as scan:
                found = [(entry.name, _listed(entry)) for entry in scan]
        except OSError as error:
            raise _unreadable(path, error)
        for actual, listed in sorted(found):
            written = utf8(actual)
            name = normalize("NFC", written)
            if name in names:
                raise SourceFault(
                    "name-collision",
                    f"two names in `{path}` are both `{name}` after Unicode normalisation",
                    path,
                    help="rename one of them",
                )
            names[name] = _Name(actual, listed, written == actual or native(written) == actual)
        self._names[directory] = names
        return names

    # -- opening ---------------------------------------------------------------------------------------------------

    def _directory(self, path: str) -> _Place:
        place = self._place(path)
        if place.fault is not None:
            raise place.fault
        if place.kind is None:
            raise self.missing(path)
        if place.kind != "directory":
            raise SourceFault("not-a-file", f"`{path}` is not a directory", path)
        return place

    def _read(self, path: str) -> bytes:
        place = self._place(path)
        if place.fault is not None:
            raise place.fault
        if place.kind is None:
            self._probes[path] = None
            raise self.missing(path)
        if place.kind != "file":
            what = "a directory" if place.kind == "directory" else "neither a file nor a directory"
            raise SourceFault("not-a-file", f"`{path}` is {what}", path, notes=("only regular files are read",))
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if self.links == "inside":
            flags |= getattr(os, "O_NOFOLLOW", 0)
        try:
            descriptor = os.open(place.real, flags)
            with open(descriptor, "rb") as file:
                # The file may have been replaced since its directory was listed: a FIFO would block for ever.
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise SourceFault("not-a-file", f"`{path}` is no longer a regular file", path)
                return file.read()
        except OSError as error:
            raise _unreadable(path, error)


def _normalised(data: bytes, path: str) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _line_and_column(data[: error.start].decode("utf-8"))
        raise SourceFault(
            "not-utf-8",
            f"`{path}` is not UTF-8",
            path,
            notes=(f"byte 0x{data[error.start]:02x} at offset {error.start} cannot be decoded",),
            help="save the file as UTF-8",
            line=line,
            column=column,
        )
    if "\0" in text:
        at = text.index("\0")
        line, column = _line_and_column(text[:at])
        offset = len(text[:at].encode())
        raise SourceFault(
            "nul-character",
            f"`{path}` holds a NUL character",
            path,
            notes=(f"at offset {offset}",),
            line=line,
            column=column,
        )
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff")


def _line_and_column(before: str) -> tuple[int, int]:
    before = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a normalised text begin; `[0]` for an empty one."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def line_of(starts: list[int], offset: int) -> int:
    """The index into `starts` of the line that holds `offset`."""
    return bisect_right(starts, offset) - 1


def _listed(entry: "os.DirEntry[str]") -> _Listed:
    if entry.is_symlink():
        return "link"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "directory" if entry.is_dir(follow_symlinks=False) else "other"


def utf8(name: str) -> str:
    """A name of the file system, read as UTF-8 and not with the locale's encoding; other bytes as `\\xff`."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def native(name: str) -> str:
    """The way back: how this process has to spell a name to open the file that is called so in UTF-8."""
    return name if name.isascii() else os.fsdecode(name.encode())


def _loop(path: str) -> SourceFault:
    return SourceFault("link-loop", f"the link `{path}` leads back to itself", path)


def _unreadable(path: str, error: OSError) -> SourceFault:
    reasons = {
        errno.ENOENT: "it vanished while it was being read",
        errno.EACCES: "permission denied",
        errno.EPERM: "permission denied",
        errno.ELOOP: "it became a link while it was being read",
    }
    reason = reasons.get(error.errno or 0) or os.strerror(error.errno or 0).lower()
    return SourceFault("unreadable-file", f"`{path}` cannot be read", path, notes=(reason,))


def _split_top(path: str) -> tuple[str, str]:
    """(mount such as `@shared` or "" for the root, path below it or "")."""
    if path.startswith("@"):
        top, _, rest = path.partition("/")
        return top, rest
    return "", "" if path == "." else path


def _parent(path: str) -> str:
    parent = path.rpartition("/")[0]
    return parent or "."
