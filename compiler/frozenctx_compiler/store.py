"""The pass store: objects and records of releases → an output directory. The only writer.

Everything new is written under temporary names and renamed, the release object last; then its packs, which the
runtime makes; one sync; then the profile line, whose rename is the switch (frozenctx/switch.py). Killed anywhere, the
release before stays whole, and the next build finishes the work. Builds hold a shared lock on the directory, prune an
exclusive one. POSIX only, as switch.py says.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import frozenctx
from frozenctx.errors import FrozenctxError, LoadError
from frozenctx.format import (
    DIGEST,
    MARKER,
    OBJECTS,
    PACKS,
    PROFILES,
    RAW,
    RECORDS,
    RELEASES,
    TEMPORARY,
    hex_of,
    interpreter,
    is_profile_name,
    object_name,
)
from frozenctx.objects import decode_json, read_object, read_release
from frozenctx.pack import Directory, profiles
from frozenctx.packs import write_pack
from frozenctx.switch import (
    MARKER_TEXT,
    Lock,
    current_release,
    history,
    switch,
    sync_directory,
    write_history,
    write_temporary,
)
from frozenctx.vendoring import vendor

from .package import Emitted

OLDEST = (3, 11)  # the first Python that the runtime runs on
KEEP = 2  # releases of each profile that prune keeps beside the current one


class StoreError(Exception):
    """The output directory cannot be written as asked. The message is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What prune removed: releases (hex digits, sorted), and how many files in all."""

    releases: tuple[str, ...] = ()
    files: int = 0


@dataclass(frozen=True, slots=True)
class StoreResult:
    """`release`: hex digits. `written`: objects that were not there before. `switched`: the profile pointed elsewhere
    before. `notes`: what the makers of packs had to say. `gone`: keys that the profile served before and this release
    does not have, sorted. `pruned`: when asked for."""

    release: str
    written: int
    switched: bool
    notes: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    pruned: Pruned | None = None


def store(
    releases: Mapping[str, tuple[Emitted, bytes]],
    out: str,
    *,
    pythons: Sequence[str] = (),
    vendor_runtime: bool = False,
    keep: int = KEEP,
    prune: bool = False,
) -> dict[str, StoreResult]:
    """Write releases to `out`, with packs for the running interpreter and for `pythons` (and the runtime with bytecode
    for them, if `vendor_runtime`), and let profiles point to them. `releases`: profile → release and record. No profile
    is switched before all of it is written. Raises StoreError; OSError as the system gives it.

    `out` is made when it does not exist, and refused when it holds something that is not ours.
    """
    for profile in releases:
        if not is_profile_name(profile):
            raise StoreError(
                f"`{profile}` cannot be a profile: letters, digits, `.`, `_`, `-`, a letter or digit first"
            )
    for python in pythons:
        _refuse_old(python)
    out = os.path.abspath(out)
    _claim(out)
    try:
        _remove_leftovers(out)
    except ImportError as error:
        raise StoreError("writing needs POSIX file locks, which this system has not") from error
    with Lock(out, MARKER, exclusive=False):
        for directory in (TEMPORARY, OBJECTS, RECORDS, PACKS, PROFILES):
            os.makedirs(f"{out}/{directory}", exist_ok=True)
        try:
            before = {profile: current_release(out, profile) for profile in releases}
            for profile in releases:
                history(out, profile)
        except LoadError as error:
            raise StoreError(f"{error}; remove that file, or name another output directory") from error
        if vendor_runtime:
            vendor(out)
        written: dict[str, int] = {}
        notes: dict[str, list[str]] = {}
        changed = False
        for profile, (emitted, record) in releases.items():
            written[profile] = _write_objects(out, emitted)
            changed |= _write(out, f"{RECORDS}/{emitted.release}.json", record) or written[profile] > 0
            as_text = _pack(out, emitted)
            notes[profile] = [
                f"the program of `{file}` cannot be marshalled: it is in the pack as text" for file in as_text
            ]
            for python in pythons:
                notes[profile].extend(_pack_with(python, out, emitted.release))
        if changed:
            os.sync()
        results = {}
        for profile, (emitted, _record) in releases.items():
            gone = sorted(_keys_of(out, before[profile]) - {key for key, _version in emitted.prompts})
            switched = switch(out, profile, emitted.release)
            results[profile] = StoreResult(
                emitted.release, written[profile], switched, tuple(notes[profile]), tuple(gone)
            )
    pruned = prune_releases(out, keep) if prune else None
    return {profile: replace(result, pruned=pruned) for profile, result in results.items()}


def _write_objects(out: str, emitted: Emitted) -> int:
    """Write the objects of a release, the release object last, and return how many were not there before."""
    programs = frozenset(emitted.programs)
    written = 0
    for digest, data in emitted.objects.items():
        if digest != emitted.release:
            written += _write(out, object_name(digest, ".py" if digest in programs else ".json"), data)
    for digest, data in emitted.resources.items():
        written += _write(out, object_name(digest, RAW), data)
    return written + _write(out, object_name(emitted.release, ".json"), emitted.objects[emitted.release])


def _keys_of(out: str, release: str | None) -> set[str]:
    """The keys of a release; none when there is no release, or it cannot be read (then it serves nothing either)."""
    try:
        return {prompt["key"] for prompt in read_release(Directory(out), release)["prompts"]} if release else set()
    except (LoadError, LookupError, TypeError):
        return set()


def prune_releases(out: str, keep: int = KEEP) -> Pruned:
    """Remove what no kept release leads to. Kept are, for each profile, the current release and the last `keep` others.

    Waits until no build is running. Raises StoreError, and removes nothing, if a kept release is not whole.
    """
    out = os.path.abspath(out)
    if not os.path.isfile(f"{out}/{MARKER}"):
        raise StoreError(f"`{out}` is no output directory of frozenctx (it has no `{MARKER}`)")
    source = Directory(out)
    with Lock(out, MARKER, exclusive=True):
        try:
            kept_of = {profile: _kept(out, profile, keep) for profile in _all_profiles(source)}
            kept = {release for releases in kept_of.values() for release in releases}
            reachable = {digest for release in sorted(kept) for digest in _reachable(source, release)}
        except FrozenctxError as error:
            raise StoreError(f"nothing is pruned, because a release that is kept is not whole: {error}") from error
        for profile, releases in kept_of.items():
            if releases != history(out, profile):
                write_history(out, profile, releases)
        releases_gone, objects_gone = _unreachable(source, reachable)
        files = [
            f"{directory}/{name}"
            for directory in (PACKS, RECORDS)
            for name in source.names(directory) or ()
            if hex_of(DIGEST + name.partition(".")[0]) and name.partition(".")[0] not in kept
        ]
        # Releases first: whoever has one open must find it gone before he finds it incomplete.
        for name in [*releases_gone, *files, *objects_gone]:
            os.unlink(f"{out}/{name}")
        for directory in source.names(OBJECTS) or ():
            if source.names(f"{OBJECTS}/{directory}") == []:
                os.rmdir(f"{out}/{OBJECTS}/{directory}")
        leftovers = _empty_temporary(out)
    gone = tuple(sorted("".join(name.split("/")[1:]).removesuffix(".json") for name in releases_gone))
    return Pruned(gone, len(releases_gone) + len(files) + len(objects_gone) + leftovers)


def _claim(out: str) -> None:
    """Make the directory, if need be, and mark it as ours."""
    try:
        os.makedirs(out, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise StoreError(f"`{out}` cannot be the output directory: `{error.filename}` is a file") from error
    marker = f"{out}/{MARKER}"
    names = sorted(os.listdir(out))
    # Another build may have marked the directory since it was listed.
    if names and not _is_marked(marker):
        raise StoreError(
            f"`{out}` is not empty and was not written by frozenctx (it holds `{names[0]}`); name another directory"
        )
    file = os.open(marker, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if os.fstat(file).st_size < len(MARKER_TEXT):
            os.write(file, MARKER_TEXT)
    finally:
        os.close(file)
    if not names:
        sync_directory(out)


def _remove_leftovers(out: str) -> None:
    """Remove the temporary files of builds that were killed, if no build is running."""
    import fcntl  # not at the top: where it is missing, checking and loading must still work

    file = os.open(f"{out}/{MARKER}", os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _empty_temporary(out)
    except BlockingIOError:
        pass
    finally:
        os.close(file)


def _empty_temporary(out: str) -> int:
    # Only what `write_temporary` names: whatever else lies there is not ours.
    ours = [name for name in Directory(out).names(TEMPORARY) or () if name.replace("-", "", 1).isdecimal()]
    for name in ours:
        os.unlink(f"{out}/{TEMPORARY}/{name}")
    return len(ours)


def _is_marked(marker: str) -> bool:
    """Whether the marker is ours: a file that begins as we write it, or is empty because its writer was killed."""
    if not os.path.isfile(marker):
        return False
    with open(marker, "rb") as file:
        return file.read(10) in (b"", MARKER_TEXT[:10])


def _write(out: str, name: str, data: bytes) -> bool:
    """Put a file in place unless it is there already with these bytes; return whether it was written."""
    if Directory(out).read(name) == data:
        return False
    temporary = write_temporary(out, data)
    try:
        os.replace(temporary, f"{out}/{name}")
    except FileNotFoundError:
        os.makedirs(os.path.dirname(f"{out}/{name}"), exist_ok=True)
        os.replace(temporary, f"{out}/{name}")
    return True


def _pack(out: str, emitted: Emitted) -> tuple[str, ...]:
    """Make the pack for this interpreter, if it is one that keeps bytecode; return the templates it holds as text."""
    if interpreter() is None:
        return ()
    _place, _written, as_text = write_pack(out, emitted.release, codes=emitted.codes)
    return as_text


_PACK = """
import sys
sys.path.append(sys.argv[1])
from frozenctx.commands import main
sys.exit(main(["pack", sys.argv[2], "--release", sys.argv[3]]))
"""


def _refuse_old(python: str) -> None:
    """Raise StoreError unless this is an interpreter that the runtime runs on."""
    version = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = _run([python, "-E", "-S", "-c", version])  # what Python 2 understands as well
    major, _, minor = done.stdout.strip().partition(".")
    if done.returncode != 0:
        raise StoreError(f"`{python}` is no Python: {_last_words(done)}")
    if not (major.isdecimal() and minor.isdecimal()):
        raise StoreError(f"`{python}` is no Python: it does not say its version")
    if (int(major), int(minor)) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise StoreError(f"`{python}` is Python {major}.{minor}, and packs need {oldest} or newer")


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise StoreError(f"`{command[0]}` cannot be run: {error.strerror}") from error


def _last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Why a program failed, in a line."""
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"


def _pack_with(python: str, out: str, release: str) -> list[str]:
    """Let another interpreter make its pack, with the runtime alone; return what it remarked."""
    runtime = os.path.dirname(os.path.dirname(os.path.abspath(frozenctx.__file__)))
    done = _run([python, "-I", "-S", "-B", "-c", _PACK, runtime, out, DIGEST + release])
    if done.returncode != 0:
        raise StoreError(f"`{python}` could not make its pack: {_last_words(done).removeprefix('error: ')}")
    return [line.removeprefix("note: ") for line in done.stderr.splitlines()]


def _all_profiles(source: Directory) -> list[str]:
    """Profiles, and those whose line was deleted but whose history is there."""
    named = {name for name in source.names(RELEASES) or () if is_profile_name(name)}
    return sorted(named.union(profiles(source)))


def _kept(out: str, profile: str, keep: int) -> list[str]:
    """The releases of one profile that stay, as its history lists them."""
    current = current_release(out, profile)
    releases = history(out, profile)
    if current is not None and current not in releases:
        releases.append(current)
    others = [release for release in releases if release != current]
    kept = set(others[len(others) - keep :] if keep < len(others) else others)
    return [release for release in releases if release == current or release in kept]


def _reachable(source: Directory, release: str) -> set[str]:
    """All objects that a release leads to, itself included. Whatever looks like a digest in an object counts as one:
    that keeps also what a later version refers to."""
    found = {release}
    for entry in read_release(source, release)["prompts"]:
        digest = hex_of(entry["prompt"])
        if digest is None:
            raise LoadError(f"release sha256:{release} is damaged: `{entry['prompt']}` is no digest")
        prompt = _collected(source, release, digest, found)
        for skill in prompt.get("skills", ()):
            _collected(source, release, hex_of(skill["skill"]) or "", found)
    return found


def _collected(source: Directory, release: str, digest: str, found: set[str]) -> dict[str, Any]:
    """An object, which is found then, as is all that it refers to."""
    found.add(digest)
    try:
        value: dict[str, Any] = decode_json(read_object(source, digest, ".json"))
    except KeyError:
        raise LoadError(f"release sha256:{release} is damaged: the object sha256:{digest} is missing") from None
    _collect(value, found)
    return value


def _collect(value: object, found: set[str]) -> None:
    if isinstance(value, str):
        digest = hex_of(value)
        if digest is not None:
            found.add(digest)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, found)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found)


def _unreachable(source: Directory, reachable: set[str]) -> tuple[list[str], list[str]]:
    """The files of objects that nothing kept leads to: releases, and the others."""
    releases: list[str] = []
    others: list[str] = []
    for directory in source.names(OBJECTS) or ():
        for name in source.names(f"{OBJECTS}/{directory}") or ():
            digest = directory + name.partition(".")[0]
            if digest in reachable or not hex_of(DIGEST + digest):  # what is not named as an object is not ours
                continue
            path = f"{OBJECTS}/{directory}/{name}"
            # FORMAT.md: a release object, and no other JSON, begins with its format.
            is_release = path.endswith(".json") and (source.read(path) or b"").startswith(b'{"format":')
            (releases if is_release else others).append(path)
    return releases, others
