"""Classes in two halves: one that rendering needs, one that is loaded when something of it is asked for.

A class `C` whose other half is `CRest` has a `__getattr__` that looks there, with `member`; for type checkers it is a
subclass of it. What is looked up in the class itself (`__len__` and its like) belongs into the first half.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def member(half: type, obj: "Any", name: str) -> "Any":
    """Return what `obj.name` is by the other half of its class. Raises AttributeError if that does not define it."""
    if name not in vars(half):
        raise AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}", name=name, obj=obj)
    return vars(half)[name].__get__(obj)
