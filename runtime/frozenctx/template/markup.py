"""Text that is safe to put into HTML or XML, and escaping for everything else.

In: any object. Out: `Markup`, a `str` whose operations escape what is mixed into it, so that safe stays safe.
Invariant: text and exceptions equal those of markupsafe 3.0, and an object with `__html__` counts as markup whoever
made it. Nothing is imported to load this module; `format`, `unescape` and `striptags` import what they need.
"""

from . import soft_str
from .escaping import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self, SupportsIndex

_new = str.__new__


def escape(s: "Any", /) -> "Markup":
    """Return `s` as Markup, with `&`, `<`, `>`, `'` and `"` replaced unless it has `__html__` (markupsafe's rule)."""
    if type(s) is not str and hasattr(s, "__html__"):
        return Markup(s.__html__())
    return _new(Markup, escaped(s))


def escape_silent(s: "Any", /) -> "Markup":
    """Like `escape`, with the empty Markup for None."""
    return Markup() if s is None else escape(s)


class Markup(str):
    """A `str` known to be safe. Whatever joins it is escaped, and what its methods return is Markup again."""

    __slots__ = ()

    def __new__(cls, object: "Any" = "", encoding: str | None = None, errors: str = "strict") -> "Self":
        if hasattr(object, "__html__"):
            object = object.__html__()
        if encoding is None:
            return _new(cls, object)
        return _new(cls, object, encoding, errors)

    @classmethod
    def escape(cls, s: "Any", /) -> "Self":
        """Like the function `escape`, but returns this class."""
        safe = escape(s)
        return safe if type(safe) is cls else cls(safe)

    def __html__(self, /) -> "Self":
        return self

    def __html_format__(self, format_spec: str, /) -> "Self":
        if format_spec:
            raise ValueError("Unsupported format specification for Markup.")
        return self

    def __repr__(self, /) -> str:
        return f"{self.__class__.__name__}({super().__repr__()})"

    # Operators

    def __add__(self, value: "Any", /) -> "Self":
        if isinstance(value, str) or hasattr(value, "__html__"):
            return self.__class__(super().__add__(self.escape(value)))
        return NotImplemented

    def __radd__(self, value: "Any", /) -> "Self":
        if isinstance(value, str) or hasattr(value, "__html__"):
            return self.escape(value).__add__(self)
        return NotImplemented

    def __mul__(self, value: "SupportsIndex", /) -> "Self":
        return self.__class__(super().__mul__(value))

    def __rmul__(self, value: "SupportsIndex", /) -> "Self":
        return self.__class__(super().__rmul__(value))

    def __mod__(self, value: "Any", /) -> "Self":
        wrapped: Any
        if isinstance(value, tuple):
            wrapped = tuple([_MarkupEscapeHelper(item, self.escape) for item in value])
        elif hasattr(type(value), "__getitem__") and not isinstance(value, str):
            wrapped = _MarkupEscapeHelper(value, self.escape)
        else:
            wrapped = (_MarkupEscapeHelper(value, self.escape),)
        return self.__class__(super().__mod__(wrapped))

    def __getitem__(self, key: "SupportsIndex | slice", /) -> "Self":
        return self.__class__(super().__getitem__(key))

    # Methods that take text in: it is escaped.

    def join(self, iterable: "Iterable[Any]", /) -> "Self":
        return self.__class__(super().join(map(self.escape, iterable)))

    def replace(self, old: str, new: str, count: "SupportsIndex" = -1, /) -> "Self":
        return self.__class__(super().replace(old, self.escape(new), count))

    def ljust(self, width: "SupportsIndex", fillchar: str = " ", /) -> "Self":
        return self.__class__(super().ljust(width, self.escape(fillchar)))

    def rjust(self, width: "SupportsIndex", fillchar: str = " ", /) -> "Self":
        return self.__class__(super().rjust(width, self.escape(fillchar)))

    def center(self, width: "SupportsIndex", fillchar: str = " ", /) -> "Self":
        return self.__class__(super().center(width, self.escape(fillchar)))

    def format(self, *args: "Any", **kwargs: "Any") -> "Self":
        from .formatters import EscapeFormatter

        return self.__class__(EscapeFormatter(self.escape).vformat(self, args, kwargs))

    def format_map(self, mapping: "Mapping[str, Any]", /) -> "Self":  # type: ignore[override]
        from .formatters import EscapeFormatter

        return self.__class__(EscapeFormatter(self.escape).vformat(self, (), mapping))

    # Methods that cut: every piece is Markup.

    def split(self, /, sep: str | None = None, maxsplit: "SupportsIndex" = -1) -> "list[Self]":  # type: ignore[override]
        return [self.__class__(part) for part in super().split(sep, maxsplit)]

    def rsplit(self, /, sep: str | None = None, maxsplit: "SupportsIndex" = -1) -> "list[Self]":  # type: ignore[override]
        return [self.__class__(part) for part in super().rsplit(sep, maxsplit)]

    def splitlines(self, /, keepends: bool = False) -> "list[Self]":  # type: ignore[override]
        return [self.__class__(part) for part in super().splitlines(keepends)]

    def partition(self, sep: str, /) -> "tuple[Self, Self, Self]":
        cls = self.__class__
        before, found, after = super().partition(sep)
        return cls(before), cls(found), cls(after)

    def rpartition(self, sep: str, /) -> "tuple[Self, Self, Self]":
        cls = self.__class__
        before, found, after = super().rpartition(sep)
        return cls(before), cls(found), cls(after)

    # Methods that only change the text at hand. Written out: a wrong call then names the method as markupsafe's does.

    def capitalize(self, /) -> "Self":
        return self.__class__(super().capitalize())

    def casefold(self, /) -> "Self":
        return self.__class__(super().casefold())

    def expandtabs(self, /, tabsize: "SupportsIndex" = 8) -> "Self":
        return self.__class__(super().expandtabs(tabsize))

    def lower(self, /) -> "Self":
        return self.__class__(super().lower())

    def lstrip(self, chars: str | None = None, /) -> "Self":
        return self.__class__(super().lstrip(chars))

    def removeprefix(self, prefix: str, /) -> "Self":
        return self.__class__(super().removeprefix(prefix))

    def removesuffix(self, suffix: str) -> "Self":
        return self.__class__(super().removesuffix(suffix))

    def rstrip(self, chars: str | None = None, /) -> "Self":
        return self.__class__(super().rstrip(chars))

    def strip(self, chars: str | None = None, /) -> "Self":
        return self.__class__(super().strip(chars))

    def swapcase(self, /) -> "Self":
        return self.__class__(super().swapcase())

    def title(self, /) -> "Self":
        return self.__class__(super().title())

    def translate(self, table: "Any", /) -> "Self":
        return self.__class__(super().translate(table))

    def upper(self, /) -> "Self":
        return self.__class__(super().upper())

    def zfill(self, width: "SupportsIndex", /) -> "Self":
        return self.__class__(super().zfill(width))

    # From markup back to text

    def unescape(self, /) -> str:
        """Return plain text, character references replaced by what they stand for."""
        from .filters_words import unescaped

        return unescaped(str(self))

    def striptags(self, /) -> str:
        """Return plain text: tags and comments dropped, runs of white space made one space, then unescaped."""
        from .filters_words import without_tags

        return self.__class__(without_tags(str(self))).unescape()


class _MarkupEscapeHelper:
    """An argument of `%` that escapes itself when it becomes text and stays a number where a number is asked for.

    The name is markupsafe's: Python writes it into the message when the argument does not fit.
    """

    __slots__ = ("obj", "escape")

    def __init__(self, obj: "Any", escape: "Any") -> None:
        self.obj = obj
        self.escape = escape

    def __getitem__(self, key: "Any", /) -> "_MarkupEscapeHelper":
        return _MarkupEscapeHelper(self.obj[key], self.escape)

    def __str__(self, /) -> str:
        return str(self.escape(self.obj))

    def __repr__(self, /) -> str:
        return str(self.escape(repr(self.obj)))

    def __int__(self, /) -> int:
        return int(self.obj)

    def __float__(self, /) -> float:
        return float(self.obj)


def markup_join(values: "Iterable[Any]") -> str:
    """What `~` does under autoescape: from the first operand that is markup on, the result is markup."""
    texts = [soft_str(value) for value in values]
    for text in texts:
        if hasattr(text, "__html__"):
            return Markup("").join(texts)
    return "".join(texts)
