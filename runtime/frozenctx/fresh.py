"""Whether sources are still those that a release was built from: what the build looked at is looked at again.

In: the place of the sources, and the record of the release. Out: a line for each path that is not as it was. Nothing is
walked: every file, listing and probe is one that the record names, found or absent, and is followed as the compiler's
`Sources` follows it: name by name as written, up to Unicode normalisation, and links inside the root only unless the
build was told otherwise. Whatever a record says, a path in it cannot lead out of the root and the mounts.
"""

import os
import stat
from unicodedata import normalize

from .errors import Damaged, LoadError
from .format import DIGEST, FORMAT, MARKER, OBJECTS, RECORDS, VERSION
from .objects import json_object, sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .protocols import Source

_PROJECT = "frozenctx.toml"  # its directory is the root
_MOST_LINKS = 40  # on the way to one file; what Linux allows, and the compiler
_KINDS = ("file", "directory", "other", None)


class WrongPlace(Exception):
    """The path given cannot be what the build was given. The message is for the user."""


class Record:
    """The part of a record that says what was looked at, and how. Everything in it has been checked."""

    __slots__ = ("source", "links", "left_out", "mounts", "files", "listings", "probes", "names")

    def __init__(self, value: "dict[str, Any]") -> None:
        self.source: str = _path(value["source"])
        self.links: str = _one_of(value["links"], ("inside", "follow"))
        self.left_out = frozenset(map(_path, _list(value["leftOut"])))
        self.mounts: dict[str, str | None] = _mapping(value["mounts"])
        for place in self.mounts.values():
            if place is not None and ("\0" in _text(place) or os.path.isabs(place)):
                raise ValueError(f"{place!r} is no place of a mount")
        self.files = [
            (
                _path(file["path"]),
                _text(file["sha256"]),
                _one_of(file["form"], ("text", "raw")),
                _path(file["leadsTo"]) if "leadsTo" in file else None,
            )
            for file in _list(value["files"])
        ]
        self.listings: list[tuple[str, dict[str, str | None]]] = [
            (_path(listing["path"]), _mapping(listing["names"])) for listing in _list(value["listings"])
        ]
        self.probes = [(_path(probe["path"]), _one_of(probe["found"], _KINDS)) for probe in _list(value["probes"])]
        for path in [*(file[0] for file in self.files), *dict(self.listings), *dict(self.probes)]:
            if path.startswith("@") and path.partition("/")[0][1:] not in self.mounts:
                raise ValueError(f"`{shown(path)}` is in no mount")
        environments = [package["env"] for package in _list(value["packages"])]
        # Names of the environment that the packages ask for; the record has none of the values.
        kinds = ("found", "defaulted", "missing")
        self.names = {_text(name) for env in environments for kind in kinds for name in env[kind]}


def read_record(source: "Source", hexdigits: str) -> Record:
    """Return the record of a release. Raises LoadError when there is none, or one that this runtime cannot replay."""
    name = f"{RECORDS}/{hexdigits}.json"
    where = f"`{source.where}/{name}`"
    data = source.read(name)
    if data is None:
        raise LoadError(
            f"`{source.where}` has no record of release {DIGEST}{hexdigits}, which says what it was built from;"
            f" copy `{RECORDS}` too, or look where it was built"
        )
    value = json_object(data, source, f"the record of release {DIGEST}{hexdigits}")
    if type(value.get("format")) is int and value["format"] > FORMAT:
        raise LoadError(f"{where} has format {value['format']}, which a later frozenctx has; this is {VERSION}")
    if value.get("release") != DIGEST + hexdigits:
        raise Damaged(f"{where} is damaged: it is not the record of its release")
    try:
        return Record(value)
    except KeyError as error:
        raise Damaged(f"{where} is damaged: it has no {error}") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise Damaged(f"{where} is damaged: {error}") from error


def root_of(src: str, record: Record) -> str:
    """Return the root, given the path that the build was given (or the root itself)."""
    path = os.path.abspath(src)
    if record.source == ".":
        return path
    parts = record.source.split("/")
    if _names(path)[-len(parts) :] == parts:
        for _ in parts:
            path = os.path.dirname(path)
        return path
    if os.path.exists(os.path.join(path, *parts)):
        return path
    raise WrongPlace(f"`{src}` is not what the release was built from: that was `{shown(record.source)}` below a root")


def differences(root: str, record: Record, mounts: "Mapping[str, str]") -> "list[str]":
    """Return a line for each path that is not as the record says, sorted by path. `mounts`: name to directory, for
    those that lie elsewhere than they did."""
    found: dict[str, list[str]] = {}

    def say(path: str, what: str) -> None:
        said = found.setdefault(path, [])
        if what not in said:
            said.append(what)

    tree = _Tree(root, record, mounts)
    here = [path for path, *_ in record.files if not path.startswith("@")]
    if len(here) > 1 and not any(tree.find(path).kind or tree.find(path).refused for path in here):
        raise WrongPlace(f"`{root}` is not what the release was built from: none of the {len(here)} files is there")
    for path, digest, form, leads_to in record.files:
        for what in _file(tree, path, digest, form, leads_to):
            say(path, what)
    for path, before in record.probes:
        now = tree.find(path)
        for what in [now.refused] if now.refused else _kinds(before, now.kind):
            say(path, what)
    for path, names in record.listings:
        for what in _listing(tree, path, names):
            say(path, what)
    if (_PROJECT, "file") not in record.probes and tree.find(_PROJECT).kind != "file":
        above = _project_above(root)
        if above is not None:
            say(above, "appeared, which makes its directory the root")
    return [f"{shown(path)}: {', '.join(said)}" for path, said in sorted(found.items())]


def _project_above(root: str) -> "str | None":
    """The project file that a build would find above the root, where it looks in every directory."""
    way = ""
    while os.path.dirname(root) != root:
        root, way = os.path.dirname(root), f"../{way}"
        if os.path.isfile(os.path.join(root, _PROJECT)):
            return way + _PROJECT
    return None


def _file(tree: "_Tree", path: str, digest: str, form: str, leads_to: "str | None") -> "Iterator[str]":
    place = tree.find(path)
    if place.refused:
        yield place.refused
    elif place.kind != "file":
        yield from _kinds("file", place.kind)
    else:
        try:
            data = tree.read(place)
        except OSError as error:
            yield _unreadable(error)
            return
        if form == "text":  # CTX-FORMAT section 1
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf")
        if sha256_hex(data) != digest:
            yield "changed"
        target = tree.leads_to(path, place)
        if target != (leads_to or path):
            yield f"leads to `{shown(target)}`, led to `{shown(leads_to or path)}`"


def _listing(tree: "_Tree", path: str, before: "dict[str, str | None]") -> "Iterator[str]":
    place = tree.find(path)
    if place.refused:
        yield place.refused
        return
    if place.kind != "directory":
        yield from _kinds("directory", place.kind)
        return
    try:
        now = tree.listing(path)
    except OSError as error:
        yield _unreadable(error)
        return
    except _Refused as refused:
        yield str(refused)
        return
    changes = [f"gained `{shown(name)}`" for name in sorted(now.keys() - before.keys())]
    changes += [f"lost `{shown(name)}`" for name in sorted(before.keys() - now.keys())]
    for name in sorted(before.keys() & now.keys()):
        if now[name] != before[name]:
            changes.append(f"`{shown(name)}` is {_a(now[name])}, was {_a(before[name])}")
    if changes:
        yield "listing " + ", ".join(changes)


def _kinds(before: "str | None", now: "str | None") -> "Iterator[str]":
    if before == now:
        return
    if before is None:
        yield "appeared"
    elif now is None:
        yield "removed"
    else:
        yield f"is {_a(now)}, was {_a(before)}"


def _a(kind: "str | None") -> str:
    names = {"file": "a file", "directory": "a directory", "other": "neither file nor directory"}
    return names.get(kind or "", "a link to nothing that may be read")


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {(error.strerror or str(error)).lower()}"


def shown(name: str) -> str:
    """A name as it can stand on a line, whatever is in it."""
    return name if name.isprintable() else ascii(name)[1:-1]


# The place that a path leads to, by the rules of the compiler's `Sources`. Names of the file system are bytes here:
# they are read as UTF-8 whatever the locale says.


class _Refused(Exception):
    """A place that the build would not have read. The message follows the path on its line."""


class _Place:
    """Where a path leads: the real path and its kind, or why it must not be read."""

    __slots__ = ("real", "kind", "refused")

    def __init__(self, real: bytes, kind: "str | None", refused: "str | None" = None) -> None:
        self.real = real
        self.kind = kind
        self.refused = refused


class _Tree:
    """The sources now. What was asked once is not asked again."""

    __slots__ = ("_tops", "_follow", "_left_out", "_places", "_scans")

    def __init__(self, root: str, record: Record, mounts: "Mapping[str, str]") -> None:
        self._tops = {"": os.path.realpath(os.fsencode(root))}
        unknown = sorted(mounts.keys() - record.mounts.keys())
        if unknown:
            raise WrongPlace(f"the release has no mount `{shown(unknown[0])}`")
        for name, written in record.mounts.items():
            if name in mounts and not os.path.isdir(mounts[name]):
                raise WrongPlace(f"--mount {shown(name)}: `{shown(mounts[name])}` is no directory")
            place = mounts.get(name) or written
            if place is None:
                raise WrongPlace(
                    f"the mount `{shown(name)}` has an absolute path in frozenctx.toml; say where it is:"
                    f" --mount {shown(name)}=DIR"
                )
            self._tops["@" + name] = os.path.realpath(os.fsencode(os.path.join("" if name in mounts else root, place)))
        self._follow = record.links == "follow"
        self._left_out = record.left_out
        self._places: dict[str, _Place] = {}
        self._scans: dict[bytes, dict[str, tuple[bytes, str]]] = {}

    def find(self, path: str) -> _Place:
        top, _, below = path.partition("/") if path.startswith("@") else ("", "", "" if path == "." else path)
        real = self._tops[top]
        place = self._places.get(top)
        if place is None:
            place = self._places[top] = _Place(real, "directory" if os.path.isdir(real) else None)
        at = top
        for name in below.split("/") if below else ():
            at = f"{at}/{name}" if at else name
            known = self._places.get(at)
            if known is None:
                known = self._places[at] = self._below(place, real, normalize("NFC", name))
            place = known
        return place

    def listing(self, path: str) -> "dict[str, str | None]":
        """The names in a directory, with what each is; without those that builds write."""
        found: dict[str, str | None] = {}
        for name, (_actual, kind) in self._scan(self.find(path).real).items():
            at = name if path == "." else f"{path}/{name}"
            like_a_mount = path == "." and at.startswith("@")
            if at not in self._left_out and (like_a_mount or not self._is_left_out(at, kind)):
                found[name] = None if like_a_mount else self.find(at).kind
        return found

    def leads_to(self, path: str, place: _Place) -> str:
        if self._follow:
            return path
        top = path.partition("/")[0] if path.startswith("@") else ""
        rest = _decoded(place.real[len(self._tops[top]) :].lstrip(b"/"))
        return normalize("NFC", f"{top}/{rest}" if top else rest)

    def read(self, place: _Place) -> bytes:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if not self._follow:
            flags |= getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(place.real, flags), "rb") as file:
            # It may have been replaced since its directory was listed; a FIFO would block for ever.
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(0, "it is no longer a file")
            return file.read()

    def _below(self, parent: _Place, top: bytes, name: str) -> _Place:
        if parent.refused or parent.kind != "directory":
            return _Place(b"", None, parent.refused)
        try:
            actual, kind = self._scan(parent.real).get(name, (b"", ""))
            if not kind:
                return _Place(b"", None)
            if kind == "unreadable":
                raise _Refused("its name is not UTF-8")
            real = os.path.join(parent.real, actual)
            if kind != "link":
                return _Place(real, kind)
            return self._followed(real) if self._follow else self._resolved(parent.real, top, name)
        except OSError as error:
            return _Place(b"", None, _unreadable(error))
        except _Refused as refused:
            return _Place(b"", None, str(refused))

    def _followed(self, real: bytes) -> _Place:
        import errno

        try:
            mode = os.stat(real).st_mode
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _Refused("is a link that leads back to itself") from error
            return _Place(b"", None)
        return _Place(real, "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other")

    def _resolved(self, directory: bytes, top: bytes, name: str) -> _Place:
        """Follow a link name by name, never stepping out of `top`."""
        pending = [name]
        links = 0
        while pending:
            part = pending.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                if directory == top:
                    raise _Refused("is a link that leaves where it may lead")
                directory = os.path.dirname(directory)
                continue
            actual, kind = self._scan(directory).get(normalize("NFC", part), (b"", ""))
            here = os.path.join(directory, actual)
            if kind in ("", "unreadable"):
                return _Place(b"", None)
            if kind == "directory":
                directory = here
            elif kind == "link":
                links += 1
                if links > _MOST_LINKS:
                    raise _Refused("is a link that leads back to itself")
                target = os.readlink(here)
                if target.startswith(b"/"):
                    if target != top and not target.startswith(top.rstrip(b"/") + b"/"):
                        raise _Refused("is a link that leaves where it may lead")
                    target = target[len(top) :]
                    directory = top
                pending[:0] = _decoded(target).split("/")
            elif pending:
                return _Place(b"", None)  # a name below a file
            else:
                return _Place(here, kind)
        return _Place(directory, "directory")

    def _is_left_out(self, path: str, kind: str, levels: int = 2) -> bool:
        """Whether this is an output, or a directory around such and around nothing else."""
        if path in self._left_out:
            return True
        is_around = any(output.startswith(f"{path}/") for output in self._left_out)
        if not is_around and (not levels or kind != "directory"):
            return False
        levels -= not is_around
        place = self.find(path)
        if place.kind != "directory":
            return False
        try:
            names = self._scan(place.real)
        except (OSError, _Refused):
            return False
        if [names[name][1] for name in (MARKER, OBJECTS) if name in names] == ["file", "directory"]:
            return True
        return bool(names) and all(self._is_left_out(f"{path}/{name}", names[name][1], levels) for name in names)

    def _scan(self, directory: bytes) -> "dict[str, tuple[bytes, str]]":
        """The names in a real directory, NFC and sorted: each as the file system has it, and what it is itself."""
        known = self._scans.get(directory)
        if known is not None:
            return known
        names: dict[str, tuple[bytes, str]] = {}
        with os.scandir(directory) as scan:
            found = sorted((entry.name, _listed(entry)) for entry in scan)
        for actual, kind in found:
            name = normalize("NFC", _decoded(actual))
            if name in names:
                raise _Refused(f"holds `{shown(name)}` twice after Unicode normalisation")
            try:
                actual.decode("utf-8")
            except UnicodeDecodeError:
                kind = "unreadable"
            names[name] = actual, kind
        self._scans[directory] = {name: names[name] for name in sorted(names)}
        return self._scans[directory]


def _listed(entry: "os.DirEntry[bytes]") -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "directory" if entry.is_dir(follow_symlinks=False) else "other"


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def _names(path: str) -> "list[str]":
    return [normalize("NFC", name) for name in _decoded(os.fsencode(path)).split(os.sep)]


# What a record may hold


def _path(value: object) -> str:
    """A path below the root or a mount: no way leads out of it."""
    path = _text(value)
    parts = path.split("/")
    if path != "." and any(part in ("", ".", "..") for part in parts) or "\0" in path:
        raise ValueError(f"`{shown(path)}` is no path below the root")
    return path


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError(f"expected a string, found {type(value).__name__}")
    return value


def _list(value: object) -> "list[Any]":
    if type(value) is not list:
        raise TypeError(f"expected a list, found {type(value).__name__}")
    return value


def _mapping(value: object) -> "dict[str, Any]":
    if type(value) is not dict:
        raise TypeError(f"expected an object, found {type(value).__name__}")
    return value


def _one_of(value: "Any", known: "tuple[Any, ...]") -> "Any":
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(map(str, known))}")
    return value
