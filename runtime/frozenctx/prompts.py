"""From a path to prompts that render.

In: where the artifacts are and what the host program supplies. Out: `Prompts`, a mapping of key to `Prompt`; behind it
one `Release`, which the prompts share. A prompt is read when it is first asked for, and every caller gets the same
object. Nothing is locked: threads that race make the same thing twice, and `dict.setdefault` keeps the first for all.
Nothing is ever written.
"""

import sys

from .format import DIGEST, LIMITS, hex_of, interpreter, pack_name
from .pack import Pack
from .prompt import Prompt
from .source import open_source, profile_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike
    from types import CodeType
    from typing import Any, Literal, NoReturn

    from .objects import Objects
    from .source import Source
    from .template.engine import Engine

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
    pack: "Literal['require', 'never'] | None" = None,
    extra: "Literal['error', 'ignore']" = "error",
    renderers: "Mapping[str, Callable[[dict[str, Any]], str]] | None" = None,
    filters: "Mapping[str, Callable[..., Any]] | None" = None,
    tests: "Mapping[str, Callable[..., Any]] | None" = None,
    globals: "Mapping[str, Any] | None" = None,
    max_steps: "int | None" = None,
    max_output: "int | None" = None,
) -> "Prompts":
    """Open the artifacts at `path`: an output directory, one inside a zip file (`app.zip/prompts`), a lone pack
    (`prompts.pack`), or a mapping of the names in an output directory to their bytes.

    `profile`: which profile's release; the only one if there is but one. `release`: this release (`sha256:…`), whatever
    the profile points to. `expect`: fail unless the release is this one. `verify`: read and check everything now, and
    that the pack holds what its objects compile to. `pack`: by default the pack of the running interpreter is used if
    there is one, else the objects, with the same results; "require" fails when there is none, "never" does not look.
    `extra="ignore"`: undeclared variables are no error. `renderers`, `filters`, `tests`, `globals`: what the packages
    expect of the host program; what none of them expects is ignored, but a built-in cannot be replaced that way.
    `max_steps`, `max_output`: caps for each rendering (docs/limits.md), of a release that was built with limits;
    LimitExceeded is raised when one is reached.

    Raises a LoadError: NotArtifacts, UnknownProfile, UnsupportedFormat, ReleaseGone, ReleaseMismatch, PackMissing,
    Damaged, HostNamesMissing, NotLimited.
    """
    if extra not in ("error", "ignore"):
        raise ValueError(f"extra is 'error' or 'ignore', not {extra!r}")
    if pack not in (None, "require", "never"):
        raise ValueError(f"pack is None, 'require' or 'never', not {pack!r}")
    for name, cap in (("max_steps", max_steps), ("max_output", max_output)):
        if cap is not None and (type(cap) is not int or cap < 0):
            raise ValueError(f"{name} is a number, 0 or more, not {cap!r}")
    opened = open_release(path, profile=profile, release=release, expect=expect, pack=pack, verify=verify)
    opened.extra = extra
    opened.take_caps(max_steps, max_output)
    opened.take_host_names({"filter": filters, "test": tests, "global": globals, "renderer": renderers})
    return Prompts(opened)


def open_release(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None" = None,
    release: "str | None" = None,
    expect: "str | None" = None,
    pack: "str | None" = None,
    verify: bool = False,
) -> "Release":
    """Find the release that `load` serves, without looking at what the host supplies."""
    source, known = open_source(path)
    if known is None:
        from .elsewhere import lone_release

        return lone_release(source, profile, release, expect, pack, verify)
    if release is None and profile is None:
        if len(known) != 1:
            from .objects import refuse_profiles

            refuse_profiles(source, known)
        profile = known[0]
    while True:
        hexdigits = profile_release(source, profile or "") if release is None else _hex(release, "release")
        require_release(source, hexdigits, expect)
        try:
            contents = _contents(source, hexdigits, profile if release is None else None, pack, verify)
            return Release(source, profile, contents)
        except Exception as error:
            from .errors import ReleaseGone

            # A build and a prune may have come between the profile line and the release.
            gone = isinstance(error, ReleaseGone) and release is None
            if not gone or profile_release(source, profile or "") == hexdigits:
                raise


def require_release(source: "Source", hexdigits: str, expect: "str | None") -> None:
    """Raise ReleaseMismatch unless the release is the one that `expect` pins."""
    if expect is not None and _hex(expect, "expect") != hexdigits:
        from .errors import ReleaseMismatch

        raise ReleaseMismatch(f"`{source.where}` serves release {DIGEST}{hexdigits}, but {expect} is expected")


def _contents(
    source: "Source", hexdigits: str, profile: "str | None", pack: "str | None", verify: bool
) -> "Objects | Pack":
    """Open the pack of the running interpreter or, when there is none, the objects."""
    mine = interpreter() if pack != "never" else None
    file = mine and source.file(pack_name(hexdigits, mine))
    if verify:
        from .verify import verify_release

        verify_release(source, hexdigits, profile, file or None)
    if mine and file:
        return Pack(file, hexdigits, mine)
    if pack == "require":
        from .packs import no_pack

        raise no_pack(source, hexdigits, mine)
    from .objects import Objects

    return Objects(source, hexdigits, profile)


def _hex(digest: object, option: str) -> str:
    hexdigits = hex_of(digest)
    if hexdigits is None:
        raise ValueError(f"{option}: expected `sha256:` and 64 hexadecimal digits, found {digest!r}")
    return hexdigits


class Release:
    """One opened release. `contents`: its objects, or its pack. `host`: what the host supplies, by kind."""

    __slots__ = ("source", "profile", "contents", "extra", "host", "limits", "_prompts", "_codes", "_engine")

    def __init__(self, source: "Source", profile: "str | None", contents: "Objects | Pack") -> None:
        self.source = source
        self.profile = profile
        self.contents = contents
        self.extra = "error"
        self.host: dict[str, dict[str, Any]] = {}
        # The caps, None for no cap; nothing if the programs do not count.
        self.limits: tuple[int | None, int | None] | None = (None, None) if LIMITS in contents.needs else None
        self._prompts: dict[str, Prompt] = {}
        self._codes: dict[str, CodeType] = {}
        self._engine: dict[None, Engine] = {}

    def take_caps(self, max_steps: "int | None", max_output: "int | None") -> None:
        """Let no rendering go beyond these. Raises NotLimited if the programs do not count."""
        if self.limits is not None:
            self.limits = max_steps, max_output
        elif max_steps is not None or max_output is not None:
            from .errors import NotLimited

            raise NotLimited(
                f"release {DIGEST}{self.contents.hex} in `{self.source.where}` was built without limits, so that"
                " max_steps and max_output mean nothing to it; build it with `frozenctx build --limits`"
            )

    def take_host_names(self, given: "dict[str, Mapping[str, Any] | None]") -> None:
        """Keep of the host's filters, tests, globals and renderers what the packages need."""
        for kind, supplied in given.items():
            if supplied is not None and not hasattr(supplied, "keys"):
                raise TypeError(f"{kind}s= takes a mapping of names, not {type(supplied).__name__}")
        lacking = []
        for wanted in self.contents.host_names:
            kind, _, name = wanted.partition(":")
            supplied = given[kind]
            if supplied is None or name not in supplied:
                lacking.append(wanted)
            elif kind != "global" and not callable(supplied[name]):
                raise TypeError(f"the {kind} `{name}` is not callable: {supplied[name]!r}")
            else:
                self.host.setdefault(kind, {})[name] = supplied[name]
        if lacking:
            raise _lacking(lacking, self.contents)
        for kind in ("filter", "test", "global"):
            if given[kind]:
                spare = given[kind].keys() - self.host.get(kind, {}).keys()  # type: ignore[union-attr]
                _refuse_builtin(kind, spare)

    def host_renderer(self, name: str) -> "Callable[[dict[str, Any]], str]":
        supplied = self.host.get("renderer") or {}
        if name not in supplied:
            from .errors import HostNamesMissing

            raise HostNamesMissing(f"the renderer `{name}` comes from the host program, and there is none here")
        render: Callable[[dict[str, Any]], str] = supplied[name]
        return render

    def prompt(self, key: "Any") -> "Prompt | None":
        """Return the prompt, always the same object; None if there is no such prompt."""
        prompt = self._prompts.get(key) if isinstance(key, str) else None
        if prompt is None:
            head = self.contents.head(key)
            if head is not None:
                prompt = self._prompts.setdefault(key, Prompt(self, head))
        return prompt

    def code(self, digest: str, what: str) -> "CodeType":
        code = self._codes.get(digest)
        if code is None:
            code = self._codes.setdefault(digest, self.contents.code(digest, what))
        return code

    def engine(self) -> "Engine":
        engine = self._engine.get(None)
        if engine is None:
            if self.limits is None:
                from .template.engine import Engine
            else:
                from .template.limits import LimitedEngine as Engine

            host = self.host
            engine = Engine(filters=host.get("filter"), tests=host.get("test"), globals=host.get("global"))
            engine = self._engine.setdefault(None, engine)
        return engine


def _lacking(wanted: "list[str]", contents: "Objects | Pack") -> Exception:
    from .errors import HostNamesMissing
    from .words import listed

    named = [(*name.partition(":"), contents.keys_that_need(name)) for name in wanted]
    needs = "; ".join(f"the {kind} `{name}` ({listed(keys)})" for kind, _, name, keys in named)
    return HostNamesMissing(f"packages need of the host program: {needs}. Pass them to `load`")


def _refuse_builtin(kind: str, spare: "set[str]") -> None:
    from .template.names import FILTERS, GLOBALS, TESTS

    builtin: dict[str, dict[str, Any]] = {"filter": FILTERS, "test": TESTS, "global": GLOBALS}
    for name in sorted(spare):
        if name in builtin[kind]:
            raise ValueError(f"the {kind} `{name}` is built in, and no package asks the host for it")


class Prompts(KeyedPrompts):
    """The prompts of one release, by key. `items()` and `values()` read all of them."""

    __slots__ = ("_release",)

    def __init__(self, release: Release) -> None:
        self._release = release

    @property
    def digest(self) -> str:
        """The release, as `sha256:…`."""
        return DIGEST + self._release.contents.hex

    @property
    def profile(self) -> "str | None":
        """The profile that was loaded; None when a release was asked for without one."""
        return self._release.profile

    @property
    def source(self) -> str:
        """What the prompts are served from: `pack` or `objects`."""
        return self._release.contents.kind

    def is_current(self) -> bool:
        """Whether the profile still points to this release (loaded without a profile: whether any does)."""
        release = self._release
        if release.profile is not None:
            return profile_release(release.source, release.profile) == release.contents.hex
        from .elsewhere import is_current

        return is_current(release.source, release.contents.hex)

    def named(self, name: str) -> "Prompt":
        """Return the prompt with this name. Raises UnknownName or AmbiguousName, which no look-up by key hides."""
        keys = self._release.contents.keys_named(name)
        prompt = self._release.prompt(keys[0]) if len(keys) == 1 else None
        return prompt or self._no_such("name", name)

    def __getitem__(self, key: str) -> "Prompt":
        return self._release.prompt(key) or self._no_such("key", key)

    def _no_such(self, what: str, asked: "Any") -> "NoReturn":
        from .errors import AmbiguousName, UnknownKey, UnknownName
        from .words import listed, near

        contents = self._release.contents
        keys = contents.keys_named(asked)
        if what == "key":
            if keys:
                raise UnknownKey(f"no prompt has the key `{asked}`; it is the name of {listed(keys)}")
            raise UnknownKey(f"no prompt has the key `{asked}`{near(asked, contents.keys())}")
        if keys:
            raise AmbiguousName(f"several prompts are named `{asked}`: {listed(keys)}; ask for one of them by its key")
        also = f"; `{asked}` is a key: prompts[{asked!r}]" if contents.has(asked) else near(asked, contents.names())
        raise UnknownName(f"no prompt is named `{asked}`{also}")

    def __iter__(self) -> "Iterator[str]":
        return self._release.contents.keys()

    def __len__(self) -> int:
        return self._release.contents.count

    def __repr__(self) -> str:
        contents, profile = self._release.contents, self._release.profile
        of_profile = f", profile {profile}" if profile else ""
        return f"<frozenctx.Prompts: {contents.count} prompts, {DIGEST}{contents.hex[:12]}{of_profile}>"

    if not TYPE_CHECKING:  # what Mapping would supply if importing it were free

        def __contains__(self, key):
            return self._release.contents.has(key)

        def get(self, key, default=None):
            prompt = self._release.prompt(key)
            return default if prompt is None else prompt

        def keys(self):
            return dict.fromkeys(self).keys()

        def values(self):
            return [self[key] for key in self]

        def items(self):
            return [(key, self[key]) for key in self]


if not TYPE_CHECKING and "_collections_abc" in sys.modules:  # always, unless the interpreter was started with -S
    sys.modules["_collections_abc"].Mapping.register(Prompts)
