"""Filters that lay out text: lists, blocks, lines of a width. See the package."""

from . import Absent, pass_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def do_numbered_list(value: "Iterable[Any]", start: int = 1) -> str:
    """One line `1. item` for each item, numbered from `start`; the empty text when there is none.

    What is wrong is said in the order in which it is written: the value first, then a `start` that is no integer.
    """
    items = iter(value)
    if isinstance(start, Absent):
        start._fail_with_undefined_error()
    return "\n".join([f"{number}. {item}" for number, item in enumerate(items, start)])


def do_bulleted_list(value: "Iterable[Any]", bullet: str = "-") -> str:
    """One line `- item` for each item; the empty text when there is none."""
    return "\n".join([f"{bullet} {item}" for item in value])


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
    at = text.find(fence)
    while at >= 0:  # a run that is as long: the fence becomes longer than it, and the search goes on behind it
        behind = at + len(fence)
        while text[behind : behind + 1] == "`":
            behind += 1
        fence = "`" * (behind - at + 1)
        at = text.find(fence, behind)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{lang}\n{text}{end}{fence}"


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
