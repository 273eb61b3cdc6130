"""Which attributes are special, a short way to all others, and `Namespace`, whose attributes are data.

`attribute_reader` makes the function by which programs read an attribute of a literal name that is neither an
attribute of dicts nor looked at by the guard (the compiler asks `needs_care`). It returns what `Engine.getattr`
returns; for an exact dict the attribute that cannot be there is not looked for, and a namespace is asked for its data.
"""

from .undefined import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DICT_ATTRIBUTES = frozenset(
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]
)
"""Names, without underscores in front, that are attributes of dicts in some Python version."""

_attribute = object.__getattribute__

# They lead from an iterator or an exception to Python's frames, and from there to everything.
_FRAMES = frozenset(
    ["gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin", "ag_frame", "ag_code"]
    + ["ag_await", "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "tb_frame", "tb_next"]
)


# What is read under these names may lead further, depending on what it is (`Engine._guarded`).
LOOKED_AT = ("format", "format_map", "mro")


def exact(name: str) -> str:
    """Return a name as text of Python's own kind: another kind may be found under another name than it says."""
    return str.__str__(name) if issubclass(type(name), str) else name


def is_internal(name: str) -> bool:
    """Whether the guard keeps the attribute `name` from templates (CTX-FORMAT section 5, "No way to internals")."""
    return str.startswith(name, "_") or name in _FRAMES


def needs_care(name: str) -> bool:
    """Whether the attribute `name` must be read by `Engine.getattr`."""
    return is_internal(name) or name in DICT_ATTRIBUTES or name in LOOKED_AT


class Namespace:
    """`namespace(a=1)`: attributes that `{% set ns.a = 2 %}` may change from any scope.

    Programs assign by item (`ns['a'] = 2`). Reading an attribute finds what was stored and nothing of the class, so
    that every name is free.
    """

    def __init__(*args: "Any", **kwargs: "Any") -> None:  # noqa: B902 (no parameter's name is taken from kwargs)
        self, *pairs = args
        self.__attrs = dict(*pairs, **kwargs)

    def __getattribute__(self, name: str) -> "Any":
        if name in ("_Namespace__attrs", "__class__"):
            return object.__getattribute__(self, name)
        try:
            return self.__attrs[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setitem__(self, name: str, value: "Any") -> None:
        self.__attrs[name] = value

    def __repr__(self) -> str:
        return f"<Namespace {self.__attrs!r}>"


# A Python whose dicts have more attributes than the compiler knows of gets no short cut.
Dict: "type | None" = (
    dict if all(name in DICT_ATTRIBUTES for name in dir(dict) if name[:1] != "_") else None
)


def attributes_of(obj: "Any") -> "dict[str, Any] | None":
    """Return the data of a namespace as it holds it, None for anything else."""
    return _attribute(obj, "_Namespace__attrs") if type(obj) is Namespace else None


_seen: "tuple[type, bool | None]" = (dict, False)


def view(obj: "Any") -> "bool | None":
    """Return None if attributes of `obj`, which is no exact dict, are best tried; False if it is a dict of another
    class: an exception for each attribute that is a key would cost more than to ask first. (Unless its class answers
    for its keys itself.) Both give the same; what the last class was is remembered, for the next of its objects."""
    global _seen
    kind = type(obj)
    if kind is not _seen[0]:
        _seen = kind, False if issubclass(kind, dict) and not hasattr(kind, "__getattr__") else None
    return _seen[1]


def item_reader(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the function that reads what an object without an attribute of that name has in its place."""

    def item(obj: "Any", name: str) -> "Any":
        try:
            return obj[name]
        except (TypeError, LookupError, AttributeError):
            return undefined(obj=obj, name=name)

    return item


def absence(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the handler of programs' reads, `obj[name]` of exact dicts and `obj.name` of all else: what `attr` gives
    where there is neither."""

    def absent(obj: "Any", name: str) -> "Any":
        from sys import exc_info

        if type(obj) is not Dict and not issubclass(exc_info()[0], AttributeError):  # type: ignore[arg-type]
            raise  # a KeyError of a property
        return item(obj, name)

    item = item_reader(undefined)
    return absent


def attribute_reader(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the function that reads attributes for an engine with this class of undefined values."""

    def attr(obj: "Any", name: str) -> "Any":
        value = getattr(obj, name, missing)
        return item(obj, name) if value is missing else value

    item = item_reader(undefined)
    return attr
