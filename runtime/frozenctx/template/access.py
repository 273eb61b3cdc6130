"""Attributes by literal name, as programs read them most.

In: an object and a name that is neither an attribute of dicts nor looked at by the guard (the compiler sees to that).
Out: what `Engine.getattr` returns. For an exact dict the attribute that cannot be there is not looked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DICT_ATTRIBUTES = frozenset(
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]
)
"""Names, without underscores in front, that are attributes of dicts in some Python version."""

# A Python whose dicts have more attributes than the compiler knows of gets no short cut.
_Shortcut: "type | None" = (
    dict if all(name in DICT_ATTRIBUTES for name in dir(dict) if name[:1] != "_") else None
)


def attribute_reader(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the function that reads attributes for an engine with this class of undefined values."""

    def attr(obj: "Any", name: str) -> "Any":
        if type(obj) is _Shortcut:
            try:
                return obj[name]  # type: ignore[index]
            except KeyError:
                return undefined(obj=obj, name=name)
        try:
            return getattr(obj, name)
        except AttributeError:
            pass
        try:
            return obj[name]
        except (TypeError, LookupError, AttributeError):
            return undefined(obj=obj, name=name)

    return attr
