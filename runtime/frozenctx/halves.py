"""Classes in two halves, and the package itself: what rendering needs, and what is loaded when someone asks for it.

A class in two halves says in `_other` where its other half is, and asks for it here: most are a `Half` (`pack`). For
type checkers it is a subclass of that half. What is looked up in the class itself (`__len__` and its like) belongs into
the first half.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKAGE = __name__.rpartition(".")[0]
# Name in the package → the module that has it, and its name there.
_EXPORTS = {
    "FrozenctxError": ("errors", "FrozenctxError"),
    "Prompt": ("prompts_rest", "Prompt"),  # whole, for whoever looks at the class itself
    "Prompts": ("prompts_rest", "Prompts"),
    "Settings": ("settings", "Settings"),
    "Skill": ("skills", "Skill"),
    "Skills": ("skills", "Skills"),
    "Template": ("encoded", "Template"),
    "Tool": ("tools", "Tool"),
    "__version__": ("format", "VERSION"),
    "errors": ("errors", None),
    "load_template": ("encoded", "load_template"),
}


def exported(name: str) -> "Any":
    """Return `frozenctx.<name>`. Raises AttributeError if the package has none."""
    if name not in _EXPORTS:
        raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}")
    place, attribute = _EXPORTS[name]
    module = __import__(f"{_PACKAGE}.{place}", fromlist=[place])
    return module if attribute is None else getattr(module, attribute)


def asked(obj: "Any", name: str) -> "Any":
    """Make the members of the other half of the class of `obj` members of it, like any other from now on, and return
    `obj.name`. Raises AttributeError if that is none of them."""
    kind, half = _halves(obj)
    if name.startswith("__") or name not in vars(half):
        raise AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}", name=name, obj=obj)
    complete(kind, half)
    return object.__getattribute__(obj, name)  # what a property raises asks nothing further


def listing(obj: "Any") -> "list[str]":
    """Return the names of all members of `obj`."""
    complete(*_halves(obj))
    return sorted(object.__dir__(obj))


def _halves(obj: "Any") -> "tuple[type, type]":
    kind = next(kind for kind in type(obj).__mro__ if "_other" in vars(kind))
    module, name = kind._other  # type: ignore[attr-defined]
    return kind, getattr(__import__(module, globals(), None, [name], 1), name)


def complete(kind: type, half: type) -> None:
    """Make the members of `half` members of `kind`."""
    for each, value in vars(half).items():
        if not each.startswith("__") and not hasattr(kind, each):
            setattr(kind, each, value)
