"""Calls of macros: which argument is for which parameter.

In: a macro, and what it is called with. Out: its text. The function of a macro takes a value or `missing` for each
parameter that it declares, then caller, kwargs and varargs, if it takes them. What does not fit is an error in jinja2's
words. Programs that know a macro when they are bound, and what it takes, call its function themselves.
"""

from . import EvalContext, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sharing import Macro


def call(macro: "Macro", autoescape: "bool | None", args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> str:
    """What calling from a template does, where autoescape is on or not. None: the first argument may say so. Host code
    that calls a macro passes no evaluation context: then the one of the macro's own template counts."""
    if autoescape is None:
        autoescape = macro._default_autoescape
        if args and isinstance(args[0], EvalContext):
            autoescape, args = args[0].autoescape, args[1:]
    lacking = macro._plain - len(args)
    count = len(macro.arguments)
    if macro._called and len(kwargs) == 1 and len(args) <= count and kwargs.get("caller") is not None:
        # A call block, with positional arguments.
        args = (*args, *(missing,) * (count - len(args)), kwargs["caller"])
    elif kwargs or lacking < 0:
        args = matched(macro, args, kwargs)
    elif lacking:
        args += (missing,) * lacking
    text = macro._func(*args)
    return macro._environment.Markup(text) if autoescape else text


def matched(macro: "Macro", args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "tuple[Any, ...]":
    """Return the arguments of the macro's function."""
    count = len(macro.arguments)
    found = list(args[:count])
    lacking = macro.arguments[len(found) :]
    found += [kwargs.pop(name, missing) for name in lacking]
    if macro.caller and not (macro.explicit_caller and (not lacking or "caller" in lacking)):
        caller = kwargs.pop("caller", None)
        found.append(macro._environment.undefined("No caller defined", name="caller") if caller is None else caller)
    if macro.catch_kwargs:
        found.append(kwargs)
    elif kwargs:
        if "caller" in kwargs:
            raise TypeError(
                f"macro {macro.name!r} was invoked with two values for the special caller argument."
                " This is most likely a bug."
            )
        raise TypeError(f"macro {macro.name!r} takes no keyword argument {next(iter(kwargs))!r}")
    if macro.catch_varargs:
        found.append(args[count:])
    elif len(args) > count:
        raise TypeError(f"macro {macro.name!r} takes not more than {count} argument(s)")
    return tuple(found)
