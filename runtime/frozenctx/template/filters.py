"""Filters of text, which most prompts use. See the package."""

from . import Absent, pass_environment, soft_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def do_default(value: "Any", default_value: "Any" = "", boolean: bool = False) -> "Any":
    if isinstance(value, Absent) or (boolean and not value):
        return default_value
    return value


def do_upper(s: "Any") -> str:
    return soft_str(s).upper()


def do_lower(s: "Any") -> str:
    return soft_str(s).lower()


def do_capitalize(s: "Any") -> str:
    return soft_str(s).capitalize()


def do_trim(value: "Any", chars: str | None = None) -> str:
    return soft_str(value).strip(chars)


@pass_environment
def do_truncate(
    env: "Any", s: "Any", length: int = 255, killwords: bool = False, end: str = "...", leeway: int | None = None
) -> "Any":
    if leeway is None:
        leeway = env.policies["truncate.leeway"]
    if not length >= len(end):
        raise AssertionError(f"expected length >= {len(end)}, got {length}")
    if not leeway >= 0:
        raise AssertionError(f"expected leeway >= 0, got {leeway}")
    if len(s) <= length + leeway:
        return s
    if killwords:
        return s[: length - len(end)] + end
    return s[: length - len(end)].rsplit(" ", 1)[0] + end


def do_indent(s: "Any", width: int | str = 4, first: bool = False, blank: bool = False) -> "Any":
    indention = width if isinstance(width, str) else " " * width
    newline = "\n"
    if isinstance(s, str) and hasattr(s, "__html__"):
        from .markup import Markup

        indention = Markup(indention)
        newline = Markup(newline)
    # The added line end keeps a last empty line; `+=` because the operator is part of the message for what is not text.
    s += newline
    lines = s.splitlines()
    if blank:
        result = (newline + indention).join(lines)
    else:
        result = lines.pop(0)
        if lines:
            result += newline + newline.join([indention + line if line else line for line in lines])
    return indention + result if first else result
