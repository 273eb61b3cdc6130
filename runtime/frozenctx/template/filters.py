"""Filters of text, which most prompts use. See the package.

Text and what is no text yet: `soft_str` and `escaped` are what other filters and Markup make of values.
"""

from . import Absent, pass_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def soft_str(s: "Any", /) -> str:
    """Return `s` itself when it is a string of any kind (Markup stays Markup), else `str(s)`."""
    return s if isinstance(s, str) else str(s)


def escaped(s: "Any", /) -> str:
    """Return the text of `escape(s)`, without loading Markup."""
    if type(s) is not str:
        if hasattr(s, "__html__"):
            s = s.__html__()
            return str.__str__(str(s.__html__() if hasattr(s, "__html__") else s))
        # A __str__ may return a subclass, whose methods need not be those of text.
        s = str.__str__(str(s))
    # Most text has none of the five: finding that out is cheaper than replacing five times.
    if "&" in s:
        s = s.replace("&", "&amp;")
    if "<" in s:
        s = s.replace("<", "&lt;")
    if ">" in s:
        s = s.replace(">", "&gt;")
    if "'" in s:
        s = s.replace("'", "&#39;")
    if '"' in s:
        s = s.replace('"', "&#34;")
    return s  # type: ignore[no-any-return]


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
