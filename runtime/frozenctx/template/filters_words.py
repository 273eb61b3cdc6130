"""Filters of letters, words and tags in text. See the package.

`without_tags` and `unescaped` are what Markup does, too.
"""

from . import pass_eval_context, soft_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def do_center(value: "Any", width: int = 80) -> str:
    return soft_str(value).center(width)


def do_format(value: "Any", *args: "Any", **kwargs: "Any") -> str:
    if args and kwargs:
        from ..errors import FilterArgumentError

        raise FilterArgumentError("can't handle positional and keyword arguments at the same time")
    return soft_str(value) % (kwargs or args)


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


def without_tags(text: str) -> str:
    """Return markup without tags and comments, and with runs of white space made one space."""
    kept = []
    position = 0
    while (start := text.find("<", position)) != -1:
        # What is not closed is text, with all that follows.
        if text.startswith("<!--", start):
            end = text.find("-->", start + 4) + 3
            closed = end != 2
        else:
            end = text.find(">", start) + 1
            closed = end != 0
        if not closed:
            break
        kept.append(text[position:start])
        position = end
    kept.append(text[position:])
    return " ".join("".join(kept).split())


def unescaped(text: str) -> str:
    """Return text with character references replaced by what they stand for."""
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def do_striptags(value: "Any") -> str:
    if hasattr(value, "__html__"):
        value = value.__html__()
    return unescaped(without_tags(str(value)))


def url_quote(value: "Any", query: bool = False) -> str:
    """Percent-encode the UTF-8 of `value` (RFC 3986); in a query `/` is encoded too and a space becomes `+`."""
    if not isinstance(value, bytes):
        value = soft_str(value).encode("utf-8")
    kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~" + (b" " if query else b"/")
    text = "".join([chr(byte) if byte in kept else f"%{byte:02X}" for byte in value])
    return text.replace(" ", "+")


def do_urlencode(value: "Any") -> str:
    if isinstance(value, str) or getattr(type(value), "__iter__", None) is None:
        return url_quote(value)
    pairs = value.items() if isinstance(value, dict) else value
    return "&".join([f"{url_quote(k, query=True)}={url_quote(v, query=True)}" for k, v in pairs])


def do_pprint(value: "Any") -> str:
    from pprint import pformat

    return pformat(value)
