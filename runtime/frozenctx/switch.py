"""Which release a profile points to: the one thing about a release that changes. Builds and `rollback` write it here.

The rename of `profiles/<profile>` is the only switch; before it, the release is put last in `releases/<profile>`, the
history that rollback, `releases` and prune read. Both are written under a temporary name, synced, renamed, and their
directory synced. POSIX only: the locks are `fcntl.flock`, on a file system that has it (local ones, NFS since Linux
2.6.12); two machines that write one directory need such a file system.
"""

import os

from .errors import Damaged, LoadError, NotArtifacts
from .format import DIGEST, MARKER, PROFILES, RELEASES, TEMPORARY, hex_of, is_profile_name, profile_line
from .objects import Objects, refuse_profiles
from .pack import Directory, profile_release, profiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

MARKER_TEXT = b"frozenctx 1: prompts compiled by `frozenctx build`; to delete as a whole, not in parts\n"


class Lock:
    """Holds a lock on a file of the output directory while entered. Builds and rollback share `MARKER`, prune has it
    alone. The kernel lets go of the lock of a process that dies."""

    __slots__ = ("_path", "_exclusive", "_file")

    def __init__(self, root: str, name: str, exclusive: bool) -> None:
        self._path = f"{root}/{name}"
        self._exclusive = exclusive

    def __enter__(self) -> "Lock":
        try:
            import fcntl
        except ImportError as error:
            raise LoadError("writing needs POSIX file locks, which this system has not") from error
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(self._file, fcntl.LOCK_EX if self._exclusive else fcntl.LOCK_SH)
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", traceback: "TracebackType | None"
    ) -> None:
        os.close(self._file)


def switch(root: str, profile: str, hexdigits: str) -> bool:
    """Let `profile` point to a release that lies whole in `root`; return whether it did not already."""
    for directory in (PROFILES, RELEASES, TEMPORARY):
        os.makedirs(f"{root}/{directory}", exist_ok=True)
    with Lock(root, f"{RELEASES}/.lock", exclusive=True):
        before = current_release(root, profile)
        known = history(root, profile)
        after = [release for release in known if release != hexdigits]
        if before is not None and before not in after and before != hexdigits:
            after.append(before)
        after.append(hexdigits)
        if after != known:
            write_history(root, profile, after)
        if before != hexdigits:
            write_durably(root, f"{PROFILES}/{profile}", profile_line(hexdigits).encode())
    return before != hexdigits


def rollback(root: str, release: str, profile: "str | None" = None) -> str:
    """Let the profile (the only one, if there is but one) point to `release`, and return its name. Raises LoadErrors
    when the release is not there whole."""
    from .verify import faults

    hexdigits = hex_of(release)
    if hexdigits is None:
        raise ValueError(f"a release is `sha256:` and 64 hexadecimal digits, found `{release}`")
    source = Directory(os.path.abspath(root))
    if source.names(PROFILES) is None:
        raise NotArtifacts(f"`{root}` is no output directory")
    with Lock(source.where, MARKER, exclusive=False):
        if profile is None:
            known = profiles(source)
            if len(known) != 1:
                refuse_profiles(source, known)
            profile = known[0]
        profile_release(source, profile)
        for fault in faults(Objects(source, hexdigits)):
            raise fault
        switch(source.where, profile, hexdigits)
    return profile


def history(root: str, profile: str) -> "list[str]":
    """Return the releases that the profile pointed to, as hex digits, the latest last."""
    data = Directory(root).read(f"{RELEASES}/{profile}")
    if data is None:
        return []
    releases = []
    for line in data.decode("utf-8", "replace").splitlines():
        hexdigits = hex_of(line)
        if hexdigits is None:
            raise Damaged(f"`{root}/{RELEASES}/{profile}` is damaged: `{line[:80]}` is no release")
        releases.append(hexdigits)
    return releases


def write_history(root: str, profile: str, releases: "list[str]") -> None:
    text = "".join(f"{DIGEST}{hexdigits}\n" for hexdigits in releases)
    write_durably(root, f"{RELEASES}/{profile}", text.encode())


def current_release(root: str, profile: str) -> "str | None":
    """Return the hex digits of the release that the profile points to, None if there is no such profile."""
    source = Directory(root)
    if not is_profile_name(profile):
        raise ValueError(f"`{profile}` cannot be a profile: letters, digits, `.`, `_`, `-`, a letter or digit first")
    return None if source.read(f"{PROFILES}/{profile}") is None else profile_release(source, profile)


def write_anywhere(path: str, data: bytes) -> None:
    """Write a file outside of an output so that who has it open, or a crash, meets the old content or the new."""
    path = os.path.realpath(path)  # a link stays one
    if os.path.exists(path) and not os.path.isfile(path):  # `/dev/stdout`
        with open(path, "wb") as file:
            file.write(data)
    else:
        write_durably(*os.path.split(path), data, temporaries=".frozenctx-")


def write_durably(root: str, name: str, data: bytes, temporaries: str = f"{TEMPORARY}/") -> None:
    """Write a small file so that after a crash either the old or the new content is there."""
    temporary = write_temporary(root, data, sync=True, temporaries=temporaries)
    os.replace(temporary, f"{root}/{name}")
    sync_directory(os.path.dirname(f"{root}/{name}"))


def write_temporary(root: str, data: bytes, sync: bool = False, temporaries: str = f"{TEMPORARY}/") -> str:
    """Write `data` to a new file in the directory for temporary ones and return its path."""
    number = 0
    while True:
        path = f"{root}/{temporaries}{os.getpid()}-{number}"
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:  # a thread, another machine's process of this number, or one that was killed
            number += 1
            continue
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            if sync:
                os.fsync(file)
        except BaseException:
            os.unlink(path)
            raise
        finally:
            os.close(file)
        return path


def sync_directory(path: str) -> None:
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
