"""Marks on functions that want to know where they are called.

In: filters, tests and functions of the host. Out: the same function, marked; `pass_arg` reads the mark. The decorators
mean what jinja2's of the same name mean, and functions marked with jinja2's own are recognised.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_KINDS = ("context", "eval_context", "environment")


def pass_context(f: "F") -> "F":
    """Mark `f` as wanting the template's context (its variables) as first argument."""
    f.jinja_pass_arg = "context"  # type: ignore[attr-defined]
    return f


def pass_eval_context(f: "F") -> "F":
    """Mark `f` as wanting the evaluation context (is autoescape on?) as first argument."""
    f.jinja_pass_arg = "eval_context"  # type: ignore[attr-defined]
    return f


def pass_environment(f: "F") -> "F":
    """Mark `f` as wanting the engine as first argument."""
    f.jinja_pass_arg = "environment"  # type: ignore[attr-defined]
    return f


def pass_arg(f: "Any") -> "Literal['context', 'eval_context', 'environment'] | None":
    """Return what `f` wants as first argument, or None. What is no real mark (a Mock has every attribute) is none."""
    mark = getattr(f, "jinja_pass_arg", None)
    if mark is None:
        return None
    if type(mark).__name__ == "_PassArg":
        mark = mark.name
    return mark if type(mark) is str and mark in _KINDS else None  # type: ignore[return-value]


def in_context(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """Return `f` as a function that takes the context first, whatever it is marked to want."""
    wants = pass_arg(f)
    if wants == "context":
        return f
    if wants == "eval_context":
        return lambda context, /, *args, **kwargs: f(context.eval_ctx, *args, **kwargs)
    if wants == "environment":
        return lambda context, /, *args, **kwargs: f(context.environment, *args, **kwargs)
    return lambda context, /, *args, **kwargs: f(*args, **kwargs)
