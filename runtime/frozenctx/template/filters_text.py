"""Filters of text and numbers, and `default`. See `filters`."""

from .markers import pass_environment, pass_eval_context
from .undefined import Undefined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def soft_str(s: "Any", /) -> str:
    """What `markup.soft_str` is, without loading Markup."""
    return s if isinstance(s, str) else str(s)


def do_default(value: "Any", default_value: "Any" = "", boolean: bool = False) -> "Any":
    if isinstance(value, Undefined) or (boolean and not value):
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


def do_center(value: "Any", width: int = 80) -> str:
    return soft_str(value).center(width)


def do_title(s: "Any") -> str:
    # A word begins after white space or one of -({[<. None of these has a case: they may be treated as words too.
    text = str.__str__(soft_str(s))
    if text.isprintable() and not ("-" in text or "(" in text or "{" in text or "[" in text or "<" in text):
        # The only white space that can be printed is the blank.
        return " ".join([word[:1].upper() + word[1:].lower() for word in text.split(" ")])
    words = []
    start = 0
    for position, character in enumerate(text):
        if character in "-({[<" or character.isspace():
            words.append(text[start:position])
            words.append(character)
            start = position + 1
    words.append(text[start:])
    return "".join([word[0].upper() + word[1:].lower() for word in words if word])


def do_wordcount(s: "Any") -> int:
    # A word is a run of what re calls \w.
    return len("".join([letter if letter == "_" or letter.isalnum() else " " for letter in soft_str(s)]).split())


@pass_eval_context
def do_replace(eval_ctx: "Any", s: "Any", old: "Any", new: "Any", count: int | None = None) -> str:
    if count is None:
        count = -1
    if not eval_ctx.autoescape:
        return str(s).replace(str(old), str(new), count)
    from .markup import escape

    if hasattr(old, "__html__") or (hasattr(new, "__html__") and not hasattr(s, "__html__")):
        s = escape(s)
    else:
        s = soft_str(s)
    return s.replace(soft_str(old), soft_str(new), count)  # type: ignore[no-any-return]


def do_format(value: "Any", *args: "Any", **kwargs: "Any") -> str:
    if args and kwargs:
        from ..errors import FilterArgumentError

        raise FilterArgumentError("can't handle positional and keyword arguments at the same time")
    return soft_str(value) % (kwargs or args)


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


@pass_environment
def do_wordwrap(
    environment: "Any", s: "Any", width: int = 79, break_long_words: bool = True,
    wrapstring: str | None = None, break_on_hyphens: bool = True,
) -> str:
    from textwrap import wrap

    if wrapstring is None:
        wrapstring = environment.newline_sequence
    options: Any = {"expand_tabs": False, "replace_whitespace": False}
    options.update(width=width, break_long_words=break_long_words, break_on_hyphens=break_on_hyphens)
    # Every line is a paragraph of its own.
    return wrapstring.join([wrapstring.join(wrap(line, **options)) for line in s.splitlines()])


def do_pprint(value: "Any") -> str:
    from pprint import pformat

    return pformat(value)


def do_filesizeformat(value: "Any", binary: bool = False) -> str:
    size = float(value)
    base = 1024 if binary else 1000
    if size == 1:
        return "1 Byte"
    if size < base:
        return f"{int(size)} Bytes"
    power = 1
    while power < 8 and not size < base ** (power + 1):
        power += 1
    prefix = "KMGTPEZY"[power - 1] + "i" if binary else "kMGTPEZY"[power - 1]
    return f"{base * size / base ** (power + 1):.1f} {prefix}B"


def do_int(value: "Any", default: "Any" = 0, base: int = 10) -> "Any":
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        # "42.23" is 42.
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
            return default


def do_float(value: "Any", default: "Any" = 0.0) -> "Any":
    try:
        return float(value)
    except (TypeError, ValueError):
        return default


def do_round(value: "Any", precision: int = 0, method: str = "common") -> "Any":
    if method not in {"common", "ceil", "floor"}:
        from ..errors import FilterArgumentError

        raise FilterArgumentError("method must be common, ceil or floor")
    if method == "common":
        return round(value, precision)
    import math

    rounded = math.ceil if method == "ceil" else math.floor
    return rounded(value * (10**precision)) / (10**precision)


def do_as_xml(value: "Any", tag: str = "data") -> str:
    """`<tag>text</tag>`: the text of `value` (nothing for None) with `&`, `<` and `>` escaped; `tag` as it is."""
    text = "" if value is None else str(value)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{tag}>{text}</{tag}>"


def do_as_codeblock(value: "Any", lang: str = "") -> str:
    """A fenced Markdown block. The fence is longer than every run of backticks in the text, and three at least.

    Text that ends with a line end gets no second one.
    """
    text = str(value)
    fence = "```"
    while fence in text:
        fence += "`"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{lang}\n{text}{end}{fence}"


def do_numbered_list(value: "Iterable[Any]", start: int = 1) -> str:
    """One line `1. item` for each item, numbered from `start`; the empty text when there is none."""
    return "\n".join([f"{number}. {item}" for number, item in enumerate(value, start)])


def do_bulleted_list(value: "Iterable[Any]", bullet: str = "-") -> str:
    """One line `- item` for each item; the empty text when there is none."""
    return "\n".join([f"{bullet} {item}" for item in value])


def do_dedent(value: "Any") -> str:
    """Text without the spaces and tabs that all its lines begin with; blank lines do not count and become empty.

    Equal to `textwrap.dedent` of Python 3.11 to 3.13.
    """
    lines = ["" if not line.strip(" \t") else line for line in str(value).split("\n")]
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line]
    margin = min(margins, default="")
    most = max(margins, default="")
    while not most.startswith(margin):
        margin = margin[:-1]
    return "\n".join([line[len(margin) :] for line in lines])
