"""Filters and tests by their names, as functions of a value.

In: the name that a template gives to `map`, `select` and their like, with the arguments. Out: what applies it as a
template does: with the context, evaluation context or engine first, where it is marked to want that.
"""

from . import KINDS, Absent, EvalContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from .context import Context


def pass_arg(f: "Any") -> "Literal['context', 'eval_context', 'environment'] | None":
    """Return what `f` wants as first argument, or None. What is no real mark (a Mock has every attribute) is none."""
    mark = getattr(f, "jinja_pass_arg", None)
    if mark is None:
        return None
    if type(mark).__name__ == "_PassArg":
        mark = mark.name
    return mark if type(mark) is str and mark in KINDS else None  # type: ignore[return-value]


def applied(
    engine: "Any",
    kind: str,
    name: str,
    args: "Sequence[Any] | None" = None,
    kwargs: "Mapping[str, Any] | None" = None,
    context: "Context | None" = None,
    eval_ctx: "EvalContext | None" = None,
) -> "Callable[[Any], Any]":
    """Return the filter or test `name` (`kind` says which) as a function of a value, as a template applies it."""
    known = engine.filters if kind == "filter" else engine.tests
    f = known.get(name)
    if f is None:
        message = f"No {kind} named {name!r}."
        if isinstance(name, Absent):
            try:
                name._fail_with_undefined_error()
            except Exception as error:
                message = f"{message} ({error}; did you forget to quote the callable name?)"
        raise engine.failure(message)
    wants = pass_arg(f)
    first: tuple[Any, ...] = ()
    if wants == "context":
        if context is None:
            raise engine.failure(f"Attempted to invoke a context {kind} without context.")
        first = (context,)
    elif wants == "eval_context":
        if eval_ctx is None:
            eval_ctx = EvalContext(engine) if context is None else context.eval_ctx
        first = (eval_ctx,)
    elif wants == "environment":
        first = (engine,)
    if kwargs or first or (args and len(args) > 1):
        return lambda value: f(*first, value, *(args or ()), **(kwargs or {}))
    if args:
        only = args[0]
        return lambda value: f(value, only)
    return f  # type: ignore[no-any-return]
