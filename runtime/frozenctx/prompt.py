"""One prompt: what it is, its settings, and its texts.

Its head is what rendering needs; the rest of the prompt object is read when it is asked for. Neither changes: whatever
is handed out is a value that cannot be changed (text, number, tuple, Settings) or a fresh copy.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from .prompts import Release
    from .settings import Settings
    from .template.program import Template


class Prompt:
    """One prompt. Mappings and lists that it hands out are copies: change them as you like."""

    __slots__ = ("_release", "_head", "_whole", "_roles", "_parts")

    def __init__(self, release: "Release", head: "dict[str, Any]") -> None:
        self._release = release
        self._head = head
        self._whole: dict[str, Any] | None = None
        self._roles: dict[str, dict[str, Any]] = {message["role"]: message for message in head["messages"]}
        self._parts: dict[str, Callable[[dict[str, Any]], str]] = {}

    @property
    def _rest(self) -> "dict[str, Any]":
        if self._whole is None:
            self._whole = self._release.contents.rest(self._head)
        return self._whole

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
        return self._rest["settings"]["model"]  # type: ignore[no-any-return]

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
    def skills(self) -> "tuple[str, ...]":
        """The names of the active skills."""
        return tuple(self._rest["settings"].get("skills") or ())

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
        texts = self._texts(self._roles, variables)
        return [{"role": role, "content": text} for role, text in zip(self._roles, texts)]  # noqa: B905 (same length)

    def system(self, vars: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Render the system text alone. Variables and errors as for `messages`."""
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
            twice = sorted(name for name in more if name in vars)
            if twice:
                from .words import listed

                raise TypeError(f"given in the mapping and as a keyword: {listed(twice)}")
            variables = dict(vars, **more)
        schema = self._head.get("inputSchema")
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
            from .errors import VariablesError
            from .words import listed, near

            faults = [f"needs {listed(list(missing))}"] if missing else []
            if undeclared:
                meant = next(filter(None, [near(name, declared) for name in undeclared[:10]]), "")
                faults.append(f"does not declare {listed(list(undeclared))}{meant}")
            error = VariablesError(f"`{self.key}` {' and '.join(faults)}", missing, undeclared)
            error.key, error.version = self.key, self.version
            raise error

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
            name: str = message["renderer"]
            return _host_renderer(name, self._release.host_renderer(name))
        text = self._release.contents.text(message["text"])
        return lambda variables: text

    def _template(self, digest: "Any", found: "dict[str, Template]") -> "Template":
        """Return the template of a program. `found`: the others of the same role, by name, as they come to be used."""
        from .template.program import Template

        names = self._head.get("templates") or {}

        def lookup(name: str) -> "Template":
            template = found.get(name)
            if template is None:
                if name not in names:
                    from .errors import TemplateNotFound

                    raise TemplateNotFound(name)
                template = found.setdefault(name, self._template(names[name], found))
            return template

        what = f"a program of `{self.key}`"
        return Template(self._release.code(digest, what), self._release.engine(), lookup)


def _host_renderer(name: str, render: "Callable[[dict[str, Any]], Any]") -> "Callable[[dict[str, Any]], str]":
    def part(variables: "dict[str, Any]") -> str:
        text = render(dict(variables))
        if not isinstance(text, str):
            raise TypeError(f"the renderer `{name}` returned {type(text).__name__}, not str")
        return text

    return part


def copied(value: "Any") -> "Any":
    """Copy JSON data."""
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    if type(value) is list:
        return [copied(item) for item in value]
    return value
