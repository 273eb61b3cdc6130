"""What stands for a value that is not there.

In: how the value was asked for. Out: objects that behave, print and fail exactly as those of jinja2's classes of the
same name. Loaded when there is such a value: what all of them are, `Absent`, is in `engine`.
"""

from . import Absent, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn


# Messages name classes by module, and messages are an interface: classes that jinja2 has too go by its module's name.
_PACKAGE = __name__.rpartition(".")[0]
_JINJA_MODULES = {
    name: module
    for module, names in {
        "jinja2.environment": "Template TemplateModule",
        "jinja2.filters": "_GroupTuple",
        "jinja2.nodes": "EvalContext",
        "jinja2.runtime": "BlockReference ChainableUndefined Context DebugUndefined LoopContext Macro StrictUndefined"
        " TemplateReference Undefined",
        "jinja2.utils": "Cycler Joiner Namespace",
        "markupsafe": "Markup",
    }.items()
    for name in names.split()
}


def object_type_repr(obj: "Any") -> str:
    """Name the type of `obj` as jinja2's messages do: `None`, `int object`, `app.models.User object`."""
    if obj is None:
        return "None"
    if obj is Ellipsis:
        return "Ellipsis"
    kind = type(obj)
    module = kind.__module__
    if module == "builtins":
        return f"{kind.__name__} object"
    if module.startswith(_PACKAGE):
        module = _JINJA_MODULES.get(kind.__name__, module)
    return f"{module}.{kind.__name__} object"


class Undefined(Absent):
    """Prints as nothing, is false, is empty; all else raises `exc`, or UndefinedError (jinja2's default class)."""

    __slots__ = ("_undefined_hint", "_undefined_obj", "_undefined_name", "_undefined_exc")

    def __init__(
        self,
        hint: "str | None" = None,
        obj: "Any" = missing,
        name: "Any" = None,
        exc: "type[Exception] | None" = None,
    ) -> None:
        self._undefined_hint = hint
        self._undefined_obj = obj
        self._undefined_name = name
        self._undefined_exc = exc

    @property
    def _undefined_exception(self) -> "type[Exception]":
        if self._undefined_exc is not None:
            return self._undefined_exc
        from ..errors import UndefinedError

        return UndefinedError

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        if self._undefined_obj is missing:
            return f"{self._undefined_name!r} is undefined"
        kind = object_type_repr(self._undefined_obj)
        if not isinstance(self._undefined_name, str):
            return f"{kind} has no element {self._undefined_name!r}"
        return f"{kind!r} has no attribute {self._undefined_name!r}"

    def _fail_with_undefined_error(self, *args: "Any", **kwargs: "Any") -> "NoReturn":
        raise self._undefined_exception(self._undefined_message)

    def __getattr__(self, name: str) -> "Any":
        # Python asks objects for dunders to learn what they can do: the answer to that is AttributeError.
        if name[:2] == "__" and name[-2:] == "__":
            raise AttributeError(name)
        self._fail_with_undefined_error()

    __add__ = __radd__ = __sub__ = __rsub__ = _fail_with_undefined_error
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _fail_with_undefined_error
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _fail_with_undefined_error
    __div__ = __rdiv__ = __pow__ = __rpow__ = _fail_with_undefined_error
    __pos__ = __neg__ = __call__ = __getitem__ = _fail_with_undefined_error
    __lt__ = __le__ = __gt__ = __ge__ = _fail_with_undefined_error
    __int__ = __float__ = __complex__ = _fail_with_undefined_error

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return id(type(self))

    def __str__(self) -> str:
        return ""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> "Iterator[Any]":
        yield from ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "Undefined"


class StrictUndefined(Undefined):
    """Raises on everything but `is defined` and `default`."""

    __slots__ = ()

    __iter__ = __str__ = __len__ = __bool__ = Undefined._fail_with_undefined_error
    __eq__ = __ne__ = __hash__ = __contains__ = Undefined._fail_with_undefined_error


if not TYPE_CHECKING:

    def __getattr__(name):
        if name in ("ChainableUndefined", "DebugUndefined"):
            from . import undefined_kinds

            return getattr(undefined_kinds, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
