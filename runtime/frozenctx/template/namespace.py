"""What the global `namespace` of the language makes.

In: attributes, and what a template stores in them. Out: an object that behaves, and fails, as jinja2's.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_attribute = object.__getattribute__


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
            return _attribute(self, name)
        try:
            return self.__attrs[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setitem__(self, name: str, value: "Any") -> None:
        self.__attrs[name] = value

    def __repr__(self) -> str:
        return f"<Namespace {self.__attrs!r}>"


def attributes_of(obj: "Any") -> "dict[str, Any] | None":
    """Return the data of a namespace as it holds it, None for anything else."""
    return _attribute(obj, "_Namespace__attrs") if type(obj) is Namespace else None
