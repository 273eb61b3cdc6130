"""From a path to prompts that render.

In: where the artifacts are and what the host program supplies. Out: `Prompts`, a mapping of key to `Prompt`; behind it
one `Release`, which the prompts share. A prompt is read when it is first asked for, and every caller gets the same
object: first its head, which is what rendering needs, then the rest, when it is asked for. Neither changes: whatever is
handed out is a value that cannot be changed (text, number, tuple, Settings) or a fresh copy. Nothing is locked: threads
that race make the same thing twice, and `dict.setdefault` keeps the first for all. Nothing is ever written.
"""

import sys

from .format import DIGEST, LIMITS, hex_of, interpreter, pack_name
from .pack import Pack, open_source, profile_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from types import CodeType
    from typing import Any, Literal

    from .objects import Objects
    from .prompts_rest import PromptRest, PromptsRest
    from .protocols import Source
    from .template import Template
    from .template.engine import Engine
    from .validation import Validator
else:
    PromptRest = PromptsRest = object  # loaded when something of them is asked for (`halves`)


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
    if extra not in ("error", "ignore"):
        raise ValueError(f"extra is 'error' or 'ignore', not {extra!r}")
    if types not in ("names", "check"):
        raise ValueError(f"types is 'names' or 'check', not {types!r}")
    if pack not in (None, "require", "never"):
        raise ValueError(f"pack is None, 'require' or 'never', not {pack!r}")
    for name, cap in (("max_steps", max_steps), ("max_output", max_output)):
        if cap is not None and (type(cap) is not int or cap < 0):
            raise ValueError(f"{name} is a number, 0 or more, not {cap!r}")
    opened = open_release(path, profile=profile, release=release, expect=expect, pack=pack, verify=verify)
    opened.extra = extra
    opened.types = types
    opened.take_caps(max_steps, max_output)
    given = {"filter": filters, "test": tests, "global": globals, "renderer": renderers}
    if opened.contents.host_names or any(supplied is not None for supplied in given.values()):
        from .host import wanted

        opened.host = wanted(opened.contents, given)
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

    __slots__ = ("source", "profile", "contents", "extra", "types", "host", "limits", "_codes", "_engine")

    def __init__(self, source: "Source", profile: "str | None", contents: "Objects | Pack") -> None:
        self.source = source
        self.profile = profile
        self.contents = contents
        self.extra = "error"
        self.types = "names"
        self.host: dict[str, dict[str, Any]] = {}
        # The caps, None for no cap; nothing if the programs do not count.
        self.limits: tuple[int | None, int | None] | None = (None, None) if LIMITS in contents.needs else None
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


class Prompt(PromptRest):
    """One prompt. Mappings and lists that it hands out are copies: change them as you like."""

    __slots__ = ("_release", "_head", "_whole", "_roles", "_parts", "_validators", "__weakref__")

    def __init__(self, release: "Release", head: "dict[str, Any]") -> None:
        self._release = release
        self._head = head
        self._whole: dict[str, Any] | None = None
        self._roles: dict[str, dict[str, Any]] = {message["role"]: message for message in head["messages"]}
        self._parts: dict[str, Callable[[dict[str, Any]], str]] = {}
        self._validators: dict[str, Validator] = {}

    # What it is

    @property
    def key(self) -> str:
        return self._head["key"]  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        return self._head["name"]  # type: ignore[no-any-return]

    @property
    def version(self) -> str:
        """`<key>@v<12 hex digits of its identity>`: what belongs into logs, traces and locks."""
        return self._head["version"]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<frozenctx.Prompt {self.version}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from .halves import member
            from .prompts_rest import PromptRest

            return member(Prompt, PromptRest, self, name)

        def __dir__(self):
            from .prompts_rest import PromptRest

            return sorted({*object.__dir__(self), *vars(PromptRest)})

    # What it says

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
        skills = self._head.get("skills")
        if skills is not None:
            from .skill_block import block

            at = list(self._roles).index("system")
            texts[at] = f"{block(skills)}\n\n{texts[at]}"
        return [{"role": role, "content": text} for role, text in zip(self._roles, texts)]  # noqa: B905 (same length)

    def system(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Render the system text alone, without the block of skills. Variables and errors as for `messages`."""
        return self._texts(("system",), self._variables(vars, more))[0]

    def user(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "str | None":
        """Render the user text alone; None when the package has none. Variables and errors as for `messages`."""
        variables = self._variables(vars, more)
        return self._texts(("user",), variables)[0] if "user" in self._roles else None

    def _variables(self, vars: "Mapping[str, Any] | None", more: "dict[str, Any]") -> "dict[str, Any]":
        if vars is None:
            variables = more
        elif not hasattr(vars, "keys"):
            raise TypeError(f"variables come as a mapping or as keywords, not as {type(vars).__name__}")
        elif not more and type(vars) is dict:
            variables = vars
        else:
            if not more.keys().isdisjoint(vars):
                self._refuse_twice(vars, more)
            variables = dict(vars, **more)
        schema = self._head.get("inputSchema")
        if schema is not None:
            declared = schema.get("properties") or {}
            given = variables.keys()
            if not given >= set(schema.get("required") or ()) or (self._release.extra == "error" and given - declared):
                self._refuse_variables(schema, variables)
            if self._release.types == "check":
                from .values import check_values

                check_values(self, variables)
            defaults = self._head.get("inputDefaultValues")
            if defaults:
                left_out = {name: copied(value) for name, value in defaults.items() if name not in variables}
                variables = {**left_out, **variables}
        return variables

    def _texts(self, roles: "Iterable[str]", variables: "dict[str, Any]") -> "list[str]":
        """Render these roles: one rendering, of which the caps speak."""
        limits = self._release.limits
        if limits is None:
            return [self._render(role, variables) for role in roles]
        from .template.limits import Meter

        with Meter(*limits):
            return [self._render(role, variables) for role in roles]

    def _render(self, role: str, variables: "dict[str, Any]") -> str:
        part = self._parts.get(role)
        if part is None:
            part = self._parts.setdefault(role, self._part(role))
        try:
            return part(variables)
        except Exception as exception:
            from .explain import explain

            if isinstance(exception, StopIteration):  # from a value's method; as jinja2, whose templates are generators
                ended = RuntimeError("generator raised StopIteration").with_traceback(exception.__traceback__)
                explain(ended, self, role, variables)
                raise ended from exception
            explain(exception, self, role, variables)
            raise

    def _part(self, role: str) -> "Callable[[dict[str, Any]], str]":
        """Return the function that renders one role."""
        message = self._roles[role]
        if type(message.get("program")) is str:
            return self._template(message["program"], {}).render
        if type(message.get("renderer")) is str:
            from .host import renderer

            return renderer(self._release.host.get("renderer") or {}, message["renderer"])
        text = self._release.contents.text(message["text"])
        return lambda variables: text

    def _template(self, digest: "Any", found: "dict[str, Template]") -> "Template":
        """Return the template of a program. `found`: the others of the same role, by name, as they come to be used."""
        from _weakref import ref

        from .template import Template

        names = self._head.get("templates") or {}
        weakly = ref(self)  # no cycle leads to an open file: it is closed as soon as nobody has the prompts

        def lookup(name: str) -> "Template":
            template = found.get(name)
            if template is None:
                prompt = weakly()
                if prompt is None or name not in names:
                    from .errors import TemplateNotFound

                    raise TemplateNotFound(name)
                template = found.setdefault(name, prompt._template(names[name], found))
            return template

        what = f"a program of `{self.key}`"
        return Template(self._release.code(digest, what), self._release.engine(), lookup)


def copied(value: "Any") -> "Any":
    """Copy JSON data."""
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if type(value) is list:
        return [copied(item) for item in value]
    return value


class Prompts(PromptsRest):
    """The prompts of one release, by key. `items()` and `values()` read all of them."""

    __slots__ = ("_release", "_found")

    def __init__(self, release: Release) -> None:
        self._release = release
        self._found: dict[str, Prompt] = {}

    def _prompt(self, key: "Any") -> "Prompt | None":
        """Return the prompt, always the same object; None if there is no such prompt."""
        prompt = self._found.get(key) if isinstance(key, str) else None
        if prompt is None:
            head = self._release.contents.head(key)
            if head is not None:
                prompt = self._found.setdefault(key, Prompt(self._release, head))
        return prompt

    def __getitem__(self, key: str) -> "Prompt":
        return self._prompt(key) or self._no_such("key", key)

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

        def __getattr__(self, name):
            from .halves import member
            from .prompts_rest import PromptsRest

            return member(Prompts, PromptsRest, self, name)

        def __dir__(self):
            from .prompts_rest import PromptsRest

            return sorted({*object.__dir__(self), *vars(PromptsRest)})


if not TYPE_CHECKING and "_collections_abc" in sys.modules:  # always, unless the interpreter was started with -S
    sys.modules["_collections_abc"].Mapping.register(Prompts)
