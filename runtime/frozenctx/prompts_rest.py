"""What prompts are asked for besides their texts.

In: a prompt, or the prompts of a release. Out: what `Prompt` and `Prompts` have under the same names: the classes here
are the other halves of those, loaded when something of them is asked for.
"""

from .halves import complete
from .pack import DIGEST, profile_release
from .prompts import Prompt, Prompts, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, NoReturn

    from .prompts import Release
    from .settings import Settings
    from .skills import Skills
    from .tools import Tool

    KeyedPrompts = Mapping[str, Prompt]
else:
    KeyedPrompts = object


class PromptRest:
    """The other half of `Prompt`."""

    if TYPE_CHECKING:
        _release: Release
        _head: dict[str, Any]
        _kept: dict[str, Any]

        @property
        def key(self) -> str: ...

        @property
        def version(self) -> str: ...

        def _render(self, role: str, variables: dict[str, Any]) -> str: ...

    @property
    def _rest(self) -> "dict[str, Any]":
        if "rest" not in self._kept:
            self._kept["rest"] = self._release.contents.rest(self._head)
        return self._kept["rest"]  # type: ignore[no-any-return]

    @property
    def digest(self) -> str:
        """The stored prompt object, as `sha256:…`. A better compiler changes it; `version` says what the prompt is."""
        return self._head["prompt"]  # type: ignore[no-any-return]

    @property
    def identity(self) -> "dict[str, Any]":
        """Everything that can change a byte that a provider receives for the same arguments."""
        return copied(self._rest["identity"])  # type: ignore[no-any-return]

    @property
    def model(self) -> str:
        """`provider:model`, or a model without provider."""
        return self._head.get("model") or self._rest["settings"]["model"]  # type: ignore[no-any-return]

    @property
    def provider(self) -> "str | None":
        provider, colon, _ = self.model.partition(":")
        return provider if colon else None

    @property
    def model_name(self) -> str:
        return self.model.partition(":")[2] or self.model

    @property
    def settings(self) -> "Settings":
        from .settings import Settings

        return Settings(self._rest["settings"])

    @property
    def meta(self) -> "dict[str, Any]":
        """The package's own remarks about itself; {} when it has none."""
        return copied(self._rest.get("meta") or {})  # type: ignore[no-any-return]

    @property
    def input_schema(self) -> "Any":
        """The JSON Schema of the variables, or None when they are not declared."""
        return copied(self._rest.get("inputSchema"))

    @property
    def reply_schema(self) -> "Any":
        """The JSON Schema of the reply, or None."""
        return copied(self._rest.get("replySchema"))

    @property
    def tools(self) -> "tuple[str, ...]":
        """The keys of the tools that the model may call."""
        return tuple(self._rest["settings"].get("tools") or ())

    @property
    def tool_contracts(self: "Any") -> "tuple[Tool, ...]":
        """The contracts of those tools that the package's `tools.pyi` declares, in the order of `tools`."""
        from .tools import contracts_of

        return contracts_of(self)

    def tool(self: "Any", name: str) -> "Tool":
        """Return the contract of the tool with this key or wire name: `key`, `wire_name`, `server`, `name`,
        `description`, `input_schema`. Raises UnknownTool."""
        from .tools import find

        return find(self, name)

    def check_tools(self: "Any", functions: "Mapping[str, Any]") -> None:
        """Compare Python functions with the contracts of the tools that they carry out.

        `functions`: key, wire name, or the bare name if only one tool has it → a function, method, partial or other
        callable that takes the tool's arguments by name (`**kwargs` takes them all). Raises ToolsError with everything
        that is wrong: tools without a function, names that are no tool, parameters that are missing, not wanted or of
        another type, defaults that differ. Annotations are compared where both sides are plain.
        """
        from .tools import check_tools

        check_tools(self, functions)

    @property
    def skills(self) -> "Skills":
        """The active skills: a mapping of name to skill, in the order of the settings (docs/skills.md)."""
        from .skills import Skills

        return Skills(self._release.contents, self._head.get("skills") or [])

    @property
    def host_names(self) -> "tuple[str, ...]":
        """What its templates need of the host program: `filter:money`, `test:…`, `global:…`."""
        return tuple(self._rest.get("hostNames") or ())

    @property
    def parts(self) -> "list[dict[str, str]]":
        """The stored messages: for each role its program, its literal text, or its renderer."""
        text = self._release.contents.text
        return [{**part, "text": text(part["text"])} if "text" in part else {**part} for part in self._head["messages"]]

    def programs(self) -> "list[str]":
        """The digests of all programs that rendering may run."""
        used = [part["program"] for part in self._head["messages"] if "program" in part]
        return list(dict.fromkeys([*used, *(self._head.get("templates") or {}).values()]))

    def parse(self: "Any", text: str, prose: "Literal['error', 'strip']" = "error") -> "Any":
        """Return what a model replied, as the reply schema describes it: JSON without a code fence around it, compared
        with the schema. Without a schema the text itself is returned, or an object for `response_format: json_object`.

        `prose="strip"` finds the JSON inside of other text; by default other text is an error. Raises ReplyError, with
        all problems and a `feedback` for the model; SchemaError if the schema has keywords that are not known here.
        """
        from .replies import parsed

        return parsed(self, text, prose)

    # Renderings that are not all ordinary

    def _renderer(self, name: str) -> "Callable[[dict[str, Any]], str]":
        from .host import renderer

        return renderer(self._release.host.get("renderer") or {}, name)

    def _metered(self, roles: "Iterable[str]", variables: "dict[str, Any]") -> "list[str]":
        from .template.limits import Meter

        assert self._release.limits is not None
        with Meter(*self._release.limits):
            return [self._render(role, variables) for role in roles]

    def _merged(self, vars: "Mapping[str, Any]", more: "dict[str, Any]") -> "dict[str, Any]":
        """Return the variables of a mapping and of keywords, as a dict."""
        if not hasattr(vars, "keys"):
            raise TypeError(f"variables come as a mapping or as keywords, not as {type(vars).__name__}")
        if not more.keys().isdisjoint(vars):
            from .words import listed

            twice = sorted(name for name in more if name in vars)
            raise TypeError(f"given in the mapping and as a keyword: {listed(twice)}")
        return dict(vars, **more)

    def _check(self: "Any", schema: "dict[str, Any]", variables: "dict[str, Any]") -> None:
        """Raise VariablesError if variables are missing or not declared, ValuesError if values are not as declared."""
        self._refuse_variables(schema, variables)
        if self._release.types == "check":
            from .values import check_values

            check_values(self, variables)

    def _refuse_variables(self, schema: "dict[str, Any]", variables: "dict[str, Any]") -> None:
        declared = schema.get("properties") or {}
        missing = tuple(name for name in schema.get("required") or () if name not in variables)
        undeclared: tuple[str, ...] = ()
        if self._release.extra == "error":
            undeclared = tuple(sorted(str(name) for name in variables if name not in declared))
        if missing or undeclared:
            from .errors import VariablesError
            from .words import listed, near

            faults = [f"needs {listed(list(missing))}"] if missing else []
            if undeclared:
                meant = next(filter(None, [near(name, declared) for name in undeclared[:10]]), "")
                faults.append(f"does not declare {listed(list(undeclared))}{meant}")
            error = VariablesError(f"`{self.key}` {' and '.join(faults)}", missing, undeclared)
            error.key, error.version = self.key, self.version
            raise error


class PromptsRest(KeyedPrompts):
    """The other half of `Prompts`."""

    if TYPE_CHECKING:
        _release: Release

        def _prompt(self, key: Any) -> Prompt | None: ...

    def _shown(self) -> str:
        contents, profile = self._release.contents, self._release.profile
        of_profile = f", profile {profile}" if profile else ""
        return f"<frozenctx.Prompts: {contents.count} prompts, {DIGEST}{contents.hex[:12]}{of_profile}>"

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
        prompt = self._prompt(keys[0]) if len(keys) == 1 else None
        return prompt or self._no_such("name", name)

    def _no_such(self, what: str, asked: "Any") -> "NoReturn":
        from .errors import AmbiguousName, UnknownKey, UnknownName
        from .words import listed, near

        contents = self._release.contents
        keys = contents.keys_named(asked)
        if what == "key":
            if keys:
                raise UnknownKey(f"no prompt has the key `{asked}`; it is the name of {listed(keys)}")
            known = list(contents.keys())
            there = near(asked, known) or (f"; the keys are {listed(known)}" if known else "; there are no prompts")
            raise UnknownKey(f"no prompt has the key `{asked}`{there}")
        if keys:
            raise AmbiguousName(f"several prompts are named `{asked}`: {listed(keys)}; ask for one of them by its key")
        also = f"; `{asked}` is a key: prompts[{asked!r}]" if contents.has(asked) else near(asked, contents.names())
        raise UnknownName(f"no prompt is named `{asked}`{also}")

    if not TYPE_CHECKING:  # what Mapping would supply if importing it were free

        def get(self, key, default=None):
            prompt = self._prompt(key)
            return default if prompt is None else prompt

        def keys(self):
            return dict.fromkeys(self).keys()

        def values(self):
            return [self[key] for key in self]

        def items(self):
            return [(key, self[key]) for key in self]


complete(Prompt, PromptRest)
complete(Prompts, PromptsRest)
