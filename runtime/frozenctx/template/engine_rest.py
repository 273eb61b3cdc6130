"""What engines are asked for less often.

In: an engine. Out: what `Engine` has under the same names, loaded when one of them is asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def identity(x: "Any") -> "Any":
    return x


def str_join(values: "Iterable[Any]") -> str:
    """What `~` does: convert every operand to text and join."""
    return "".join(map(str, values))


class EngineRest:
    """See the module."""

    identity = staticmethod(identity)
    str_join = staticmethod(str_join)

    # What filters written for jinja2 ask of an environment.
    is_async = False
    sandboxed = False

    def call_filter(self: "Any", name: str, value: "Any", *args: "Any", **kwargs: "Any") -> "Any":
        """Apply the filter `name` as a template does. More arguments: those of `applying.applied`."""
        return self.applied(self, "filter", name, *args, **kwargs)(value)

    def call_test(self: "Any", name: str, value: "Any", *args: "Any", **kwargs: "Any") -> "Any":
        """Apply the test `name` as a template does. More arguments: those of `applying.applied`."""
        return self.applied(self, "test", name, *args, **kwargs)(value)

    def failure(self: "Any", message: str) -> Exception:
        return self.TemplateRuntimeError(message)  # type: ignore[no-any-return]

    def nothing(self: "Any", hint: str) -> "Any":
        """Return what is left of an inline `if` without `else`."""
        return self.Undefined(hint)

    def from_host(self: "Any", kind: str, name: str) -> "Callable[..., Any]":
        """Return a filter or test of the host, to be called with the context first: its mark was not seen at build."""
        return self.in_context(getattr(self, kind)[name])  # type: ignore[no-any-return]

    def if_present(self: "Any", kind: str, name: str) -> "Callable[..., Any]":
        """Return a filter or test that the compiler does not know; if it is not here either, its use fails."""
        found: Callable[..., Any] | None = getattr(self, kind).get(name)
        if found is not None:
            return found

        def fail(*_args: "Any", **_kwargs: "Any") -> "Any":
            raise self.failure(f"No {kind[:-1]} named {name!r} found.")

        return fail

    @property
    def finalize(self: "Any") -> "Callable[..., Any]":
        """The function that every printed value passes through, to be called with the context first."""
        return self.in_context(self._finalize or self.identity)  # type: ignore[no-any-return]

    def finalize_constant(self: "Any", context: "Any", escapes: bool, value: "Any") -> "Any":
        """Return what prints a constant. As in jinja2, where a `finalize` that need not wait for a context gets
        constants that are escaped already, if they are to be (`escapes`)."""
        if self._finalize and self.pass_arg(self._finalize) in (None, "environment"):
            return self.finalize(context, self.escape(value) if escapes else value)
        finalized = self.finalize(context, value)
        return self.escape(finalized) if context.eval_ctx.autoescape else finalized

    def refuse_replaced(self: "Any", kind: str, names: "Iterable[str]") -> None:
        from ..errors import ProgramError

        name = next(name for name in names if name in self._given[kind])
        raise ProgramError(
            f"the host supplies the {kind[:-1]} `{name}`, which the program has in it already:"
            f" name it among the host's {kind} when building"
        )

    def refuse_lacking(self: "Any", needs: "Iterable[tuple[str, Iterable[str]]]", file: str) -> None:
        from ..errors import ProgramError

        known = {"filters": self.filters, "tests": self.tests, "globals": self.global_names}
        lacking = [f"{kind[:-1]} `{name}`" for kind, names in needs for name in names if name not in known[kind]]
        raise ProgramError(f"`{file}` needs the {' and the '.join(lacking)}, which the host does not supply")
