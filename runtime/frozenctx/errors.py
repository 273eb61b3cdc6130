"""Every exception of this runtime.

The errors of templates have jinja2's names, hierarchy, constructors and messages. All of them are `FrozenctxError`s
and say where they belong as far as that is known: `key` and `version` of the prompt, `role` of the text, `file` and
`line` of the template source (None until known).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class FrozenctxError(Exception):
    """What every exception of frozenctx is."""

    key: "str | None" = None
    version: "str | None" = None
    role: "str | None" = None
    file: "str | None" = None
    line: "int | None" = None

    def __reduce__(self) -> "tuple[Any, ...]":
        return restored, (type(self), self.args, self.__dict__)


def restored(kind: "type[Exception]", args: "tuple[Any, ...]", state: "dict[str, Any]") -> Exception:
    """Make a copied or pickled exception again, notes included, whatever its constructor asks for."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


# Templates


class TemplateError(FrozenctxError):
    """What every error of a template is."""

    def __init__(self, message: "str | None" = None) -> None:
        super().__init__(message)

    @property
    def message(self) -> "str | None":
        return self.args[0] if self.args else None


class TemplateNotFound(OSError, LookupError, TemplateError):
    """A template that does not exist was asked for by `name`."""

    message: "str | None" = None  # type: ignore[assignment,unused-ignore]
    __reduce__ = FrozenctxError.__reduce__  # before OSError's

    def __init__(self, name: "Any", message: "str | None" = None) -> None:
        OSError.__init__(self, name)
        if message is None:
            from .template.undefined import Undefined

            if isinstance(name, Undefined):
                name._fail_with_undefined_error()
            message = name
        self.message = message
        self.name = name
        self.templates: list[Any] = [name]

    def __str__(self) -> str:
        return str(self.message)


class TemplatesNotFound(TemplateNotFound):
    """None of several templates exists."""

    def __init__(self, names: "Iterable[Any]" = (), message: "str | None" = None) -> None:
        from .template.undefined import Undefined

        names = list(names)
        if message is None:
            tried = [name._undefined_message if isinstance(name, Undefined) else name for name in names]
            message = f"none of the templates given were found: {', '.join(map(str, tried))}"
        super().__init__(names[-1] if names else None, message)
        self.templates = names


class TemplateSyntaxError(TemplateError):
    """A template's source is not well formed. Only the compiler finds such errors."""

    def __init__(self, message: str, lineno: int, name: "str | None" = None, filename: "str | None" = None) -> None:
        super().__init__(message)
        self.lineno = lineno
        self.name = name
        self.filename = filename

    def __str__(self) -> str:
        place = f"line {self.lineno}"
        name = self.filename or self.name
        if name:
            place = f'File "{name}", {place}'
        return f"{self.message}\n  {place}"


class TemplateAssertionError(TemplateSyntaxError):
    """A template's source is well formed and can mean nothing. Only the compiler finds such errors."""


class TemplateRuntimeError(TemplateError):
    """A template did what it must not do while it was rendered."""


class UndefinedError(TemplateRuntimeError):
    """Something was done with an undefined value that such a value does not allow."""


class SecurityError(TemplateRuntimeError):
    """A template tried something that is not allowed to templates."""


class FilterArgumentError(TemplateRuntimeError):
    """A filter was called with arguments that it cannot work with."""


class LimitExceeded(TemplateRuntimeError):
    """A rendering needed more than the caps allow. `limit`: `max_steps` or `max_output`; `value`: what it is."""

    def __init__(self, limit: str, value: int, unit: str) -> None:
        super().__init__(f"the rendering needs more than {value} {unit} ({limit}={value})")
        self.limit = limit
        self.value = value


class ProgramError(FrozenctxError):
    """A program cannot run here: it is no program, of another version, or needs what the engine does not have."""


# Loading


class LoadError(FrozenctxError):
    """Artifacts cannot be loaded as asked."""


class NotArtifacts(LoadError):
    """The path holds nothing that can be loaded."""


class UnknownProfile(LoadError):
    """No such profile, or several and none was named."""


class UnsupportedFormat(LoadError):
    """The artifacts need a later frozenctx; the message names the version if they do."""


class ReleaseGone(LoadError):
    """The release that was asked for, or that was open, is not there any more (pruned, or copied in part)."""


class ReleaseMismatch(LoadError):
    """The release is not the one that `expect=` pins."""


class PackMissing(LoadError):
    """A pack for the running interpreter is required, and there is none, or to be verified, and of another version."""


class Damaged(LoadError):
    """Stored bytes are not what their digest says, or not what FORMAT.md says."""


class NotLimited(LoadError):
    """Caps were asked for, and the release was not built with limits."""


class HostNamesMissing(LoadError):
    """Packages need filters, tests, globals or renderers of the host program that `load` was not given."""


class UnknownKey(FrozenctxError, KeyError):
    """No prompt has this key."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class UnknownSkill(FrozenctxError, KeyError):
    """A prompt has no skill of this name."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownResource(FrozenctxError, KeyError):
    """A skill has no file of this path."""

    def __str__(self) -> str:
        return str(self.args[0])


class ResourceNotText(FrozenctxError, ValueError):
    """A file of a skill was asked for as text and is not UTF-8."""


class UnknownName(FrozenctxError):
    """No prompt has this name. Not a KeyError: a look-up by key must not hide it."""


class AmbiguousName(FrozenctxError):
    """Several prompts have this name."""


class VariablesError(FrozenctxError):
    """The variables are not those that the package declares. `missing` and `undeclared` hold their names, sorted."""

    def __init__(self, message: str, missing: "tuple[str, ...]" = (), undeclared: "tuple[str, ...]" = ()) -> None:
        super().__init__(message)
        self.missing = missing
        self.undeclared = undeclared


class UnknownTool(FrozenctxError, KeyError):
    """The prompt has no tool with this key or wire name, or no contract of it."""

    def __str__(self) -> str:  # KeyError would show the repr
        return str(self.args[0])


class ToolsError(FrozenctxError):
    """Functions do not fit the tools of a prompt. `findings`: each difference in words."""

    def __init__(self, message: str, findings: "tuple[str, ...]" = ()) -> None:
        super().__init__(message)
        self.findings = findings


class ValuesError(VariablesError):
    """Variables have values of other types than the package declares. `problems`: JSON pointer, message."""

    def __init__(self, message: str, problems: "tuple[tuple[str, str], ...]" = ()) -> None:
        super().__init__(message)
        self.problems = problems


# Replies


class ReplyError(FrozenctxError):
    """A reply of a model cannot be used. `problems`: JSON pointer into the reply, message; `feedback`: a short text to
    send back to the model."""

    def __init__(self, message: str, problems: "tuple[tuple[str, str], ...]" = (), feedback: str = "") -> None:
        super().__init__(message)
        self.problems = problems
        self.feedback = feedback


class SchemaError(FrozenctxError):
    """A reply schema holds what nothing can be compared with here. `keywords`: JSON pointer into it, reason."""

    keywords: "tuple[tuple[str, str], ...]" = ()
