"""Calls of `format` and `format_map` on a template's text, when the engine guards against internals.

In: the method as a template called it, bound to a text or read from a type of texts, and the arguments. Out: what the
method returns, unless its text reads an attribute whose name begins with `_`; then the error of the engine's undefined.
Loads nothing for innocent texts.
"""

from .engine import is_internal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def is_format_method(value: "Any", owner: "Any" = None) -> bool:
    """Whether `value` is `format` or `format_map` bound to a string (of any kind), or what `owner`, a type of strings,
    has under one of these names."""
    if issubclass(type(owner), type) and issubclass(owner, str):
        return callable(value)
    return getattr(value, "__name__", None) in ("format", "format_map") and isinstance(
        getattr(value, "__self__", None), str
    )


def reads_internals(text: str) -> bool:
    """Whether a replacement field of `text`, nested ones included, reads an attribute that begins with `_`."""
    from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]

    try:
        for _literal, field, spec, _conversion in formatter_parser(text):
            if field is None:
                continue
            _first, rest = formatter_field_name_split(field)
            if any(is_attribute and is_internal(name) for is_attribute, name in rest):
                return True
            if spec and reads_internals(spec):
                return True
    except ValueError:
        # Not a format text: formatting it raises the same, and says so better.
        return False
    return False


def guarded_format(environment: "Any", method: "Any", args: "Sequence[Any]", kwargs: "Mapping[str, Any]") -> "Any":
    """Call `method` (see `is_format_method`) for a template of a guarding `environment`."""
    direct = getattr(environment, "formatted", None) or called  # an engine with limits counts
    text = getattr(method, "__self__", None)
    if not isinstance(text, str):  # `str.format`: the text is the first argument
        if not args or not isinstance(args[0], str):
            return direct(method, args, kwargs)
        text, rest = args[0], args[1:]
        if not reads_internals(str.__str__(text)):
            return direct(method, args, kwargs)
        args = rest
    elif not reads_internals(str.__str__(text)):
        return direct(method, args, kwargs)
    from .formatters import GuardedFormatter

    # Markup or not: the field that reads internals raises, so that nothing is returned.
    if method.__name__ == "format_map":
        (kwargs,), args = args, ()
    formatter = getattr(environment, "counting", identity)(GuardedFormatter)
    return formatter(environment).vformat(text, args, kwargs)


def called(method: "Any", args: "Sequence[Any]", kwargs: "Mapping[str, Any]") -> "Any":
    return method(*args, **kwargs)


def identity(formatter: "Any") -> "Any":
    return formatter
