"""The classes of undefined values that packages do not use: chainable and debug. See `undefined`."""

from . import missing
from .undefined import Undefined, object_type_repr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ChainableUndefined(Undefined):
    """Attributes and items of it are itself."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)

    def __getattr__(self, name: str) -> "ChainableUndefined":
        if name[:2] == "__" and name[-2:] == "__":
            raise AttributeError(name)
        return self

    def __getitem__(self, _key: "Any") -> "ChainableUndefined":  # type: ignore[override]
        return self


class DebugUndefined(Undefined):
    """Prints what is undefined, in braces."""

    __slots__ = ()

    def __str__(self) -> str:
        if self._undefined_hint:
            text = f"undefined value printed: {self._undefined_hint}"
        elif self._undefined_obj is missing:
            text = self._undefined_name
        else:
            text = f"no such element: {object_type_repr(self._undefined_obj)}[{self._undefined_name!r}]"
        return f"{{{{ {text} }}}}"
