"""Which argument of a macro's call is for which parameter, where that is not their order alone.

In: a macro, and what it is called with. Out: the arguments of its function: a value or `missing` for each parameter
that it declares, then caller, kwargs and varargs, if it takes them. What does not fit is an error in jinja2's words.
"""

from . import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .sharing import Macro


def matched(macro: "Macro", args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "tuple[Any, ...]":
    """See the module."""
    count = len(macro.arguments)
    found = list(args[:count])
    caller_given = macro.explicit_caller and len(found) == count
    for name in macro.arguments[len(found) :]:
        found.append(kwargs.pop(name, missing))
        if name == "caller":
            caller_given = True
    if macro.caller and not caller_given:
        caller = kwargs.pop("caller", None)
        if caller is None:
            caller = macro._environment.undefined("No caller defined", name="caller")
        found.append(caller)
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
