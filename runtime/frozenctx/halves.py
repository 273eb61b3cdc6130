"""Classes in two halves: one that rendering needs, one that is loaded when something of it is asked for.

A class `C` whose other half is `CRest` has a `__getattr__` that asks `member`; for type checkers it is a subclass of
it. What is looked up in the class itself (`__len__` and its like) belongs into the first half.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def member(kind: type, half: type, obj: "Any", name: str) -> "Any":
    """Make the members of `half` members of `kind`, like any other from now on, and return `obj.name`. Raises
    AttributeError if that is none of them."""
    if name not in vars(half):
        raise AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}", name=name, obj=obj)
    complete(kind, half)
    return getattr(obj, name)


def complete(kind: type, half: type) -> None:
    """Make the members of `half` members of `kind`."""
    for each, value in vars(half).items():
        if not hasattr(kind, each):
            setattr(kind, each, value)
