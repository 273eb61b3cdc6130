"""One prompt: what it is, its settings, and its texts.

Everything is read from the prompt object once, and never changes. Whatever is handed out is a value that cannot be
changed (text, number, tuple, Settings) or a fresh copy.
"""

from .errors import Damaged, TemplateNotFound, VariablesError
from .format import SETTINGS
from .objects import json_object, listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .release import Release
    from .template.program import Template


class Prompt:
    """One prompt. Mappings and lists that it hands out are copies: change them as you like."""

    __slots__ = ("_release", "_entry", "_stored", "_roles", "_parts")

    def __init__(self, release: "Release", entry: "dict[str, Any]") -> None:
        self._release = release
        self._entry = entry
        what = f"prompt `{entry['key']}`"
        data = release.object(entry.get("prompt"), ".json", what)
        self._stored = stored = json_object(data, release.source, what)
        self._parts: dict[str, Callable[[dict[str, Any]], str]] = {}
        try:
            self._roles: dict[str, dict[str, Any]] = {message["role"]: message for message in stored["messages"]}
            fits = _fits(stored, entry) and "system" in self._roles
        except (AttributeError, KeyError, TypeError):
            fits = False
        if not fits:
            raise Damaged(f"{what} in `{release.source.where}` is damaged: not as FORMAT.md says")

    # What it is

    @property
    def key(self) -> str:
        return self._entry["key"]  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        return self._entry["name"]  # type: ignore[no-any-return]

    @property
    def version(self) -> str:
        """`<key>@v<12 hex digits of its identity>`: what belongs into logs, traces and locks."""
        return self._entry["version"]  # type: ignore[no-any-return]

    @property
    def digest(self) -> str:
        """The stored prompt object, as `sha256:…`. A better compiler changes it; `version` says what the prompt is."""
        return self._entry["prompt"]  # type: ignore[no-any-return]

    @property
    def identity(self) -> "dict[str, Any]":
        """Everything that can change a byte that a provider receives for the same arguments."""
        return _copy(self._stored["identity"])  # type: ignore[no-any-return]

    @property
    def model(self) -> str:
        """`provider:model`, or a model without provider."""
        return self._stored["settings"]["model"]  # type: ignore[no-any-return]

    @property
    def provider(self) -> "str | None":
        provider, colon, _ = self.model.partition(":")
        return provider if colon else None

    @property
    def model_name(self) -> str:
        return self.model.partition(":")[2] or self.model

    @property
    def settings(self) -> "Settings":
        return Settings(self._stored["settings"])

    @property
    def meta(self) -> "dict[str, Any]":
        """The package's own remarks about itself; {} when it has none."""
        return _copy(self._stored.get("meta") or {})  # type: ignore[no-any-return]

    @property
    def input_schema(self) -> "Any":
        """The JSON Schema of the variables, or None when they are not declared."""
        return _copy(self._stored.get("inputSchema"))

    @property
    def reply_schema(self) -> "Any":
        """The JSON Schema of the reply, or None."""
        return _copy(self._stored.get("replySchema"))

    @property
    def tools(self) -> "tuple[str, ...]":
        """The keys of the tools that the model may call."""
        return tuple(self._stored["settings"].get("tools") or ())

    @property
    def skills(self) -> "tuple[str, ...]":
        """The names of the active skills."""
        return tuple(self._stored["settings"].get("skills") or ())

    @property
    def host_names(self) -> "tuple[str, ...]":
        """What its templates need of the host program: `filter:money`, `test:…`, `global:…`."""
        return tuple(self._stored.get("hostNames") or ())

    @property
    def parts(self) -> "list[dict[str, str]]":
        """The stored messages: for each role its program, its literal text, or its renderer."""
        return _copy(self._stored["messages"])  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<frozenctx.Prompt {self.version}>"

    # What it says

    def messages(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "list[Any]":
        """Render the prompt: `[{"role": "system", "content": …}, {"role": "user", "content": …}]`, the second only if
        the package has one. Variables come as a mapping, as keywords, or both, each name once (else TypeError).

        Raises the TemplateErrors of `frozenctx.errors`; VariablesError when the variables are declared and others are
        given; whatever the caller's own objects raise, with a note that says where.
        """
        variables = self._variables(vars, more)
        return [{"role": role, "content": self._render(role, variables)} for role in self._roles]

    def system(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Render the system text alone. Variables and errors as for `messages`."""
        return self._render("system", self._variables(vars, more))

    def user(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "str | None":
        """Render the user text alone; None when the package has none. Variables and errors as for `messages`."""
        variables = self._variables(vars, more)
        return self._render("user", variables) if "user" in self._roles else None

    def _variables(self, vars: "Mapping[str, Any] | None", more: "dict[str, Any]") -> "dict[str, Any]":
        if vars is None:
            variables = more
        elif not hasattr(vars, "keys"):
            raise TypeError(f"variables come as a mapping or as keywords, not as {type(vars).__name__}")
        elif not more and type(vars) is dict:
            variables = vars
        else:
            twice = sorted(name for name in more if name in vars)
            if twice:
                raise TypeError(f"given in the mapping and as a keyword: {listed(twice)}")
            variables = dict(vars, **more)
        schema = self._stored.get("inputSchema")
        if schema is not None:
            self._check_variables(schema, variables)
        return variables

    def _check_variables(self, schema: "dict[str, Any]", variables: "dict[str, Any]") -> None:
        declared = schema.get("properties") or {}
        missing = tuple(name for name in schema.get("required") or () if name not in variables)
        undeclared: tuple[str, ...] = ()
        if self._release.extra == "error":
            undeclared = tuple(sorted(str(name) for name in variables if name not in declared))
        if missing or undeclared:
            faults = [f"needs {listed(list(missing))}"] if missing else []
            if undeclared:
                faults.append(f"does not declare {listed(list(undeclared))}{near(undeclared[0], list(declared))}")
            error = VariablesError(f"`{self.key}` {' and '.join(faults)}", missing, undeclared)
            error.key, error.version = self.key, self.version
            raise error

    def _render(self, role: str, variables: "dict[str, Any]") -> str:
        part = self._parts.get(role)
        if part is None:
            part = self._parts.setdefault(role, self._part(role))
        try:
            return part(variables)
        except Exception as exception:
            from .explain import explain

            explain(exception, self, role)
            raise

    def _part(self, role: str) -> "Callable[[dict[str, Any]], str]":
        """Return the function that renders one role."""
        message = self._roles[role]
        if type(message.get("program")) is str:
            return self._template(message["program"], {}).render
        if type(message.get("renderer")) is str:
            name: str = message["renderer"]
            return _host_renderer(name, self._release.host_renderer(name))
        text: str = message["text"]
        return lambda variables: text

    def _template(self, digest: "Any", found: "dict[str, Template]") -> "Template":
        """Return the template of a program. `found`: the others of the same role, by name, as they come to be used."""
        from .template.program import Template

        names = self._stored.get("templates") or {}

        def lookup(name: str) -> "Template":
            template = found.get(name)
            if template is None:
                if name not in names:
                    raise TemplateNotFound(name)
                template = found.setdefault(name, self._template(names[name], found))
            return template

        what = f"a program of `{self.key}`"
        return Template(self._release.code(digest, what), self._release.engine(), lookup)


class Settings:
    """The settings of a prompt, one attribute for each, None when unset. Other names than these do not exist."""

    __slots__ = ("_stored",)

    if TYPE_CHECKING:
        model: str
        max_tokens: int | None
        max_rounds: int | None
        temperature: float | None
        reasoning_effort: str | None
        output_retries: int | None
        require_tool_call: bool | None
        response_format: str | None
        prompt_cache: str | None
        agent: bool | None
        sub: dict[str, str] | None
        context: str | None
        input_defaults: str | None
        tools: tuple[str, ...] | None
        skills: tuple[str, ...] | None
        system_render: str | None
        user_render: str | None

    def __init__(self, stored: "dict[str, Any]") -> None:
        self._stored = stored

    if not TYPE_CHECKING:  # a type checker would take every name for a setting

        def __getattr__(self, name):
            if name not in SETTINGS:
                raise AttributeError(f"there is no setting `{name}`{near(name, list(SETTINGS))}", name=name, obj=self)
            value = self._stored.get(SETTINGS[name])
            return tuple(value) if type(value) is list else _copy(value)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_stored" or hasattr(self, "_stored"):
            raise AttributeError("settings cannot be changed; they are compiled from the package")
        object.__setattr__(self, name, value)

    def __dir__(self) -> "list[str]":
        return sorted(SETTINGS)

    def __repr__(self) -> str:
        stored = [f"{name}={self._stored[key]!r}" for name, key in SETTINGS.items() if key in self._stored]
        return f"Settings({', '.join(stored)})"


def _fits(stored: "dict[str, Any]", entry: "dict[str, Any]") -> bool:
    """Whether a prompt object has the types that FORMAT.md gives it, and is the one that the release means."""
    settings = stored["settings"]
    return (
        all(stored[name] == entry[name] for name in ("key", "name", "version"))
        and type(stored["identity"]) is dict
        and type(settings["model"]) is str
        and all(type(settings.get(name) or []) is list for name in ("tools", "skills"))
        and all(any(type(m.get(kind)) is str for kind in ("program", "text", "renderer")) for m in stored["messages"])
        and all(type(stored.get(name) or {}) is dict for name in ("templates", "meta", "inputSchema"))
        and type(stored.get("hostNames") or []) is list
    )


def _host_renderer(name: str, render: "Callable[[dict[str, Any]], Any]") -> "Callable[[dict[str, Any]], str]":
    def part(variables: "dict[str, Any]") -> str:
        text = render(dict(variables))
        if not isinstance(text, str):
            raise TypeError(f"the renderer `{name}` returned {type(text).__name__}, not str")
        return text

    return part


def _copy(value: "Any") -> "Any":
    """Copy JSON data."""
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    if type(value) is list:
        return [_copy(item) for item in value]
    return value
