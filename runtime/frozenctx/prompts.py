"""From a path to prompts that render.

In: where the artifacts are and what the host program supplies. Out: `Prompts`, a mapping of key to `Prompt`; behind it
one `Release`, which the prompts share. A prompt is read when it is first asked for, and every caller gets the same
object: first its head, which is what rendering needs, then the rest, when it is asked for. Neither changes: whatever is
handed out is a value that cannot be changed (text, number, tuple, Settings) or a fresh copy. Nothing is locked: threads
that race make the same thing twice, and `dict.setdefault` keeps the first for all. Nothing is ever written.

Here is what nearly every start and rendering goes through. What `load` does with options, or without a pack in an
output directory, is in `loading`, what prompts are asked for besides their texts in `prompts_rest`.
"""

import sys
from _weakref import ref
from marshal import dumps, loads

from .pack import LIMITS, Directory, Half, Pack, absolute, interpreter, pack_name, profile_release, profiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from types import CodeType
    from typing import Any, Literal

    from .objects import Objects
    from .prompts_rest import PromptRest, PromptsRest
    from .protocols import Source
    from .template import Engine, Template
else:
    PromptRest = PromptsRest = Half


def load(
    path: "str | PathLike[str] | Mapping[str, bytes]",
    *,
    profile: "str | None" = None,
    release: "str | None" = None,
    expect: "str | None" = None,
    verify: bool = False,
    pack: "Literal['require', 'never'] | None" = None,
    extra: "Literal['error', 'ignore']" = "error",
    types: "Literal['names', 'check']" = "names",
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
    `extra="ignore"`: undeclared variables are no error. `types="check"`: values are compared with the declared types
    (docs/replies.md), and not names alone. `renderers`, `filters`, `tests`, `globals`: what the packages expect of the
    host program; what none of them expects is ignored, but a built-in cannot be replaced that way.
    `max_steps`, `max_output`: caps for each rendering (docs/limits.md), of a release that was built with limits;
    LimitExceeded is raised when one is reached.

    Raises a LoadError: NotArtifacts, UnknownProfile, UnsupportedFormat, ReleaseGone, ReleaseMismatch, PackMissing,
    Damaged, HostNamesMissing, NotLimited.
    """
    asked = dict(locals())
    unusual = {name for name, default in _DEFAULTS.items() if asked[name] is not default}
    opened = None
    if unusual <= {"profile", "pack"} and pack in (None, "require"):
        opened = _from_pack(path, profile)
    if opened is None:
        from .loading import load_release

        opened = load_release(**asked)
    return Prompts(opened)


_DEFAULTS: "dict[str, Any]" = load.__kwdefaults__ or {}


def _from_pack(path: object, profile: "str | None") -> "Release | None":
    """Open the pack for this interpreter in an output directory. None if it takes more than that: `loading` does it."""
    if type(path) is not str or not path.isascii() or not path or "\0" in path:
        return None
    source = Directory(absolute(path))
    known = profiles(source)
    if profile is None and len(known) == 1:
        profile = known[0]
    mine = interpreter()
    if mine is None or profile not in known:
        return None
    hexdigits = profile_release(source, profile)
    file = source.file(pack_name(hexdigits, mine))
    release = file and Release(source, profile, Pack(file, hexdigits, mine))
    return release if release and not release.contents.host_names else None


class Release:
    """One opened release. `contents`: its objects, or its pack. `host`: what the host supplies, by kind. `limits`: the
    caps, None for no cap; nothing if the programs do not count."""

    __slots__ = ("source", "profile", "contents", "extra", "types", "host", "limits", "_codes", "_engine")

    def __init__(self, source: "Source", profile: "str | None", contents: "Objects | Pack") -> None:
        self.source = source
        self.profile = profile
        self.contents = contents
        self.extra = "error"
        self.types = "names"
        self.host: dict[str, dict[str, Any]] = {}
        self.limits: tuple[int | None, int | None] | None = (None, None) if LIMITS in contents.needs else None
        self._codes: dict[str, CodeType] = {}
        self._engine: dict[None, Engine] = {}

    def code(self, digest: str, what: str) -> "CodeType":
        return self._codes.get(digest) or self._codes.setdefault(digest, self.contents.code(digest, what))

    def engine(self) -> "Engine":
        if not self._engine:
            if self.limits is None:
                from .template import Engine
            else:
                from .template.limits import LimitedEngine as Engine

            host = self.host
            engine = Engine(filters=host.get("filter"), tests=host.get("test"), globals=host.get("global"))
            self._engine.setdefault(None, engine)
        return self._engine[None]


class Prompt(PromptRest):
    """One prompt. Mappings and lists that it hands out are copies: change them as you like."""

    __slots__ = ("_release", "_head", "_roles", "_parts", "_kept", "__weakref__")
    _other = "prompts_rest", "PromptRest"

    def __init__(self, release: "Release", head: "dict[str, Any]") -> None:
        self._release = release
        self._head = head
        self._roles: dict[str, dict[str, Any]] = {message["role"]: message for message in head["messages"]}
        self._parts: dict[str, Callable[[dict[str, Any]], str]] = {}
        self._kept: dict[str, Any] = {}  # what `prompts_rest` has made

    # What belongs into logs is there without the other half, whatever happens.

    if TYPE_CHECKING:

        @property
        def key(self) -> str: ...

        @property
        def name(self) -> str: ...

        @property
        def version(self) -> str:
            """`<key>@v<12 hex digits of its identity>`: what belongs into logs, traces and locks."""

    else:
        key = property(lambda self: self._head["key"])
        name = property(lambda self: self._head["name"])
        version = property(lambda self: self._head["version"], doc="`<key>@v<12 hex digits of its identity>`")

    def __repr__(self) -> str:
        return f"<frozenctx.Prompt {self.version}>"

    def messages(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "list[Any]":
        """Render the prompt: `[{"role": "system", "content": …}, {"role": "user", "content": …}]`, the second only if
        the package has one. Variables come as a mapping, as keywords, or both, each name once (else TypeError). With
        skills, the system text begins with the block of their names (docs/skills.md).

        Raises the TemplateErrors of `frozenctx.errors`; VariablesError when the variables are declared and others are
        given; whatever the caller's own objects raise, with a note that says where. Under `input_defaults: apply`, a
        variable left out is a fresh copy of its declared default.
        """
        variables = self._variables(vars, more)
        texts = self._texts(self._roles, variables)
        messages = [{"role": role, "content": text} for role, text in zip(self._roles, texts)]  # noqa: B905 (same length)
        skills = self._head.get("skills")
        if skills is not None:
            from .skill_block import put_before

            put_before(messages, skills)
        return messages

    def system(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Render the system text alone, without the block of skills. Variables and errors as for `messages`."""
        return self._texts(("system",), self._variables(vars, more))[0]

    def user(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "str | None":
        """Render the user text alone; None when the package has none. Variables and errors as for `messages`."""
        variables = self._variables(vars, more)
        return self._texts(("user",), variables)[0] if "user" in self._roles else None

    def _variables(self, vars: "Mapping[str, Any] | None", more: "dict[str, Any]") -> "dict[str, Any]":
        variables = more if vars is None else vars if type(vars) is dict and not more else self._merged(vars, more)
        schema = self._head.get("inputSchema")
        if schema is not None:
            given = variables.keys()
            undeclared = self._release.extra == "error" and given - (schema.get("properties") or {})
            if undeclared or not given >= set(schema.get("required") or ()) or self._release.types == "check":
                self._check(schema, variables)
            defaults = self._head.get("inputDefaultValues")
            if defaults:
                left_out = {name: copied(value) for name, value in defaults.items() if name not in variables}
                variables = {**left_out, **variables}
        return variables

    def _texts(self, roles: "Iterable[str]", variables: "dict[str, Any]") -> "list[str]":
        """Render these roles: one rendering, of which the caps speak."""
        if self._release.limits is not None:
            return self._metered(roles, variables)
        return [self._render(role, variables) for role in roles]

    def _render(self, role: str, variables: "dict[str, Any]") -> str:
        part = self._parts.get(role) or self._parts.setdefault(role, self._part(role))
        try:
            return part(variables)
        except Exception as exception:
            from .explain import explain

            other = explain(exception, self, role, variables)
            if other is not None:
                raise other from exception
            raise

    def _part(self, role: str) -> "Callable[[dict[str, Any]], str]":
        """Return the function that renders one role."""
        message = self._roles[role]
        if type(message.get("program")) is str:
            return self._template(message["program"], {}).render
        if type(message.get("renderer")) is str:
            return self._renderer(message["renderer"])
        text = self._release.contents.text(message["text"])
        return lambda variables: text

    def _template(self, digest: "Any", found: "dict[str, Template]") -> "Template":
        """Return the template of a program. `found`: the others of the same role, by name, as they come to be used."""
        from .template import Template

        names = self._head.get("templates") or {}
        weakly = ref(self)  # no cycle leads to an open file: it is closed as soon as nobody has the prompts

        def lookup(name: str) -> "Template":
            if name not in found:
                prompt = weakly()
                if prompt is None or name not in names:
                    from .errors import TemplateNotFound

                    raise TemplateNotFound(name)
                found.setdefault(name, prompt._template(names[name], found))
            return found[name]

        code = self._release.code(digest, f"a program of `{self._head['key']}`")
        return Template(code, self._release.engine(), lookup)


def copied(value: "Any") -> "Any":
    """Copy JSON data."""
    return loads(dumps(value))


class Prompts(PromptsRest):
    """The prompts of one release, by key. `items()` and `values()` read all of them."""

    __slots__ = ("_release", "_found")
    _other = "prompts_rest", "PromptsRest"

    def __init__(self, release: Release) -> None:
        self._release = release
        self._found: dict[str, Prompt] = {}

    def _prompt(self, key: "Any") -> "Prompt | None":
        """Return the prompt, always the same object; None if there is no such prompt."""
        found = self._found.get(key) if isinstance(key, str) else None
        head = None if found else self._release.contents.head(key)
        return self._found.setdefault(key, Prompt(self._release, head)) if head else found

    def __getitem__(self, key: str) -> "Prompt":
        return self._prompt(key) or self._no_such("key", key)

    def __contains__(self, key: object) -> bool:
        return self._release.contents.has(key)

    def __iter__(self) -> "Iterator[str]":
        return self._release.contents.keys()

    def __len__(self) -> int:
        return self._release.contents.count


if not TYPE_CHECKING and "_collections_abc" in sys.modules:  # always, unless the interpreter was started with -S
    sys.modules["_collections_abc"].Mapping.register(Prompts)
