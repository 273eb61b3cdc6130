"""From a path to prompts that render.

In: where the artifacts are and what the host program supplies. Out: `Prompts`, a mapping of key to `Prompt`.
A prompt is read when it is first asked for, and every caller gets the same object. Nothing is ever written.
"""

import sys

from .errors import AmbiguousName, ReleaseGone, ReleaseMismatch, UnknownKey, UnknownName
from .format import DIGEST, hex_of
from .objects import listed, near, profile_release, profiles, read_release, the_profile
from .release import Release
from .source import open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from typing import Any, Literal, NoReturn

    from .prompt import Prompt

    KeyedPrompts = Mapping[str, Prompt]
else:
    KeyedPrompts = object


def load(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None" = None,
    release: "str | None" = None,
    expect: "str | None" = None,
    verify: bool = False,
    pack: "Literal['never'] | None" = None,
    extra: "Literal['error', 'ignore']" = "error",
    renderers: "Mapping[str, Callable[[dict[str, Any]], str]] | None" = None,
    filters: "Mapping[str, Callable[..., Any]] | None" = None,
    tests: "Mapping[str, Callable[..., Any]] | None" = None,
    globals: "Mapping[str, Any] | None" = None,
) -> "Prompts":
    """Open the artifacts at `path`: an output directory, one inside a zip file (`app.zip/prompts`), or a mapping of
    the names in one to their bytes.

    `profile`: which profile's release; the only one if there is but one. `release`: this release (`sha256:…`), whatever
    the profile points to. `expect`: fail unless the release is this one. `verify`: read and check everything now.
    `extra="ignore"`: undeclared variables are no error. `renderers`, `filters`, `tests`, `globals`: what the packages
    expect of the host program; what none of them expects is ignored, but a built-in cannot be replaced that way.

    Raises a LoadError: NotArtifacts, UnknownProfile, UnsupportedFormat, ReleaseGone, ReleaseMismatch, Damaged,
    HostNamesMissing.
    """
    if extra not in ("error", "ignore"):
        raise ValueError(f"extra is 'error' or 'ignore', not {extra!r}")
    if pack not in (None, "never"):
        raise ValueError(f"pack={pack!r}: packs come with frozenctx 0.2; here pack is None or 'never'")
    opened = open_release(path, profile=profile, release=release, expect=expect)
    opened.extra = extra
    opened.take_host_names({"filter": filters, "test": tests, "global": globals, "renderer": renderers})
    if verify:
        from .verify import faults

        for fault in faults(opened):
            raise fault
    return Prompts(opened)


def open_release(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None" = None,
    release: "str | None" = None,
    expect: "str | None" = None,
) -> Release:
    """Find the release that `load` serves, without looking at what the host supplies."""
    source = open_source(path)
    if release is None and profile is None:
        profile = the_profile(source)
    while True:
        hexdigits = profile_release(source, profile or "") if release is None else _hex(release, "release")
        if expect is not None and _hex(expect, "expect") != hexdigits:
            raise ReleaseMismatch(f"`{source.where}` serves release {DIGEST}{hexdigits}, but {expect} is expected")
        try:
            stored = read_release(source, hexdigits, profile if release is None else None)
        except ReleaseGone:
            # A build and a prune may have come between the profile line and the release.
            if release is not None or profile_release(source, profile or "") == hexdigits:
                raise
        else:
            return Release(source, hexdigits, profile, stored)


def _hex(digest: object, option: str) -> str:
    hexdigits = hex_of(digest)
    if hexdigits is None:
        raise ValueError(f"{option}: expected `sha256:` and 64 hexadecimal digits, found {digest!r}")
    return hexdigits


class Prompts(KeyedPrompts):
    """The prompts of one release, by key. `items()` and `values()` read all of them."""

    __slots__ = ("_release",)

    def __init__(self, release: Release) -> None:
        self._release = release

    @property
    def digest(self) -> str:
        """The release, as `sha256:…`."""
        return DIGEST + self._release.hex

    @property
    def profile(self) -> "str | None":
        """The profile that was loaded; None when a release was asked for without one."""
        return self._release.profile

    @property
    def source(self) -> str:
        """What the prompts are served from: `objects`."""
        return "objects"

    def is_current(self) -> bool:
        """Whether the profile still points to this release (loaded without a profile: whether any does)."""
        release = self._release
        names = [release.profile] if release.profile is not None else profiles(release.source)
        return any(profile_release(release.source, name) == release.hex for name in names)

    def named(self, name: str) -> "Prompt":
        """Return the prompt with this name. Raises UnknownName or AmbiguousName, which no look-up by key hides."""
        entries = self._release.entries
        keys = [key for key, entry in entries.items() if entry["name"] == name]
        if len(keys) == 1:
            return self._release.prompt(keys[0])
        if keys:
            raise AmbiguousName(f"several prompts are named `{name}`: {listed(keys)}; ask for one of them by its key")
        similar = near(name, [entry["name"] for entry in entries.values()])
        also = f"; `{name}` is a key: prompts[{name!r}]" if name in entries else similar
        raise UnknownName(f"no prompt is named `{name}`{also}")

    def __getitem__(self, key: str) -> "Prompt":
        if key not in self._release.entries:
            self._no_such(key)
        return self._release.prompt(key)

    def _no_such(self, key: "Any") -> "NoReturn":
        entries = self._release.entries
        keys = [other for other, entry in entries.items() if entry["name"] == key]
        if keys:
            raise UnknownKey(f"no prompt has the key `{key}`; it is the name of {listed(keys)}")
        raise UnknownKey(f"no prompt has the key `{key}`{near(key, list(entries))}")

    def __iter__(self) -> "Iterator[str]":
        return iter(self._release.entries)

    def __len__(self) -> int:
        return len(self._release.entries)

    def __repr__(self) -> str:
        release = self._release
        profile = f", profile {release.profile}" if release.profile else ""
        return f"<frozenctx.Prompts: {len(release.entries)} prompts, {DIGEST}{release.hex[:12]}{profile}>"

    if not TYPE_CHECKING:  # what Mapping would supply if importing it were free

        def __contains__(self, key):
            return key in self._release.entries

        def get(self, key, default=None):
            return self[key] if key in self._release.entries else default

        def keys(self):
            return self._release.entries.keys()

        def values(self):
            return [self[key] for key in self]

        def items(self):
            return [(key, self[key]) for key in self]


if not TYPE_CHECKING and "_collections_abc" in sys.modules:  # always, unless the interpreter was started with -S
    sys.modules["_collections_abc"].Mapping.register(Prompts)
