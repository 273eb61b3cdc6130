"""`str.format` where an ordinary call would not be safe: inside Markup, and under an engine's guard.

Imported at the first such call, because `string` imports `re`. In: a format text and its arguments. Out: text, equal to
what markupsafe makes of it; under a guard, a name beginning with `_` raises the engine's undefined (CTX-FORMAT
section 5, "No way to internals").
"""

import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]

from .guard import is_internal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


class EscapeFormatter(string.Formatter):
    """Formats like `str.format` and escapes every field that is not markup already."""

    __slots__ = ("escape",)

    def __init__(self, escape: "Callable[[Any], str]") -> None:
        self.escape = escape
        super().__init__()

    def format_field(self, value: "Any", format_spec: str) -> str:
        if hasattr(value, "__html_format__"):
            field = value.__html_format__(format_spec)
        elif hasattr(value, "__html__"):
            if format_spec:
                raise ValueError(
                    f"Format specifier {format_spec} given, but {type(value)} does not define __html_format__."
                    " A class that defines __html__ must define __html_format__ to work with format specifiers."
                )
            field = value.__html__()
        else:
            # The specification came out of this formatter: as Markup it would call back into it.
            field = super().format_field(value, str(format_spec))
        return str(self.escape(field))


class SandboxFormatter(EscapeFormatter):
    """Formats as jinja2's sandbox does: what fields name is read as templates read it."""

    def __init__(self, environment: "Any", escape: "Callable[[Any], str] | None") -> None:
        self.environment = environment
        super().__init__(escape)  # type: ignore[arg-type]

    def get_field(self, field_name: str, args: "Sequence[Any]", kwargs: "Mapping[str, Any]") -> "Any":
        first, rest = formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            value = (self.environment.getattr if is_attribute else self.environment.getitem)(value, name)
        return value, first

    def format_field(self, value: "Any", format_spec: str) -> str:
        if self.escape is None:
            return string.Formatter.format_field(self, value, format_spec)
        return super().format_field(value, format_spec)


class GuardedFormatter(string.Formatter):
    """Formats like `str.format`; for an attribute whose name begins with `_`, raises the undefined's error."""

    def __init__(self, environment: "Any") -> None:
        self.environment = environment
        self.numbered = 0

    def get_field(self, field_name: str, args: "Sequence[Any]", kwargs: "Mapping[str, Any]") -> "Any":
        first, rest = formatter_field_name_split(field_name)
        if not first:  # `{.name}`: before Python 3.13 the formatter of `string` numbers `{}` only
            first = self.numbered
        self.numbered += isinstance(first, int)
        value = self.get_value(first, args, kwargs)
        for is_attribute, name in rest:
            if is_attribute and is_internal(name):
                self.environment.undefined(obj=value, name=name)._fail_with_undefined_error()
            value = getattr(value, name) if is_attribute else value[name]
        return value, first
