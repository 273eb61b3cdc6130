"""What is wrong with a text that jinja2 cannot parse, in words of ours; and the text without it, so that more is found.

In: jinja2's error, whose line is a `Position`, and the text. Out: a finding at the token that fails, together with the
tag or block that it belongs to; or the text with a harmless tag of the same size in the place of the broken one.
jinja2 is pinned, so its messages are known; the corpus holds them to what is said here.
"""

import re
from dataclasses import dataclass

from jinja2 import TemplateSyntaxError

from .diagnostics import Related, Scope
from .excerpt import Excerpt
from .sources import line_starts
from .spelling import near
from .tags import Block, Token, open_at_end, tokens, with_blocks
from .templates.parse import NESTED_TOO_DEEPLY

_TAGS = frozenset(
    ["autoescape", "block", "break", "call", "continue", "do", "elif", "else", "extends", "filter", "for", "from", "if"]
    + ["import", "include", "macro", "print", "raw", "set", "with", "endautoescape", "endblock", "endcall", "endfilter"]
    + ["endfor", "endif", "endmacro", "endraw", "endset", "endwith"]
)
_ELSEWHERE = {
    "assign": "set",
    "elseif": "elif",
    "elsif": "elif",
    "endforeach": "endfor",
    "foreach": "for",
    "let": "set",
    "switch": "if",
    "unless": "if",
}  # tags of other languages

# How jinja2 calls tokens → what an author writes.
_TOKENS = {
    "begin of print statement": "`{{`",
    "end of print statement": "`}}`",
    "begin of statement block": "`{%`",
    "end of statement block": "`%}`",
    "end of template": "the end of the template",
    "template data / text": "text",
    "name": "a name",
    "string": "a string",
    "integer": "a number",
    "float": "a number",
}
_NOT_ASSIGNED = {"const": "a constant", "call": "a call", "filter": "a filter", "test": "a test"}

_NOT_EMPTY = "Required blocks can only contain comments or whitespace"
_NO_DEFAULT = "non-default argument follows default argument"
_SENTENCES = {
    "tag name expected": ("expected the name of a tag", None),
    "expected name or number": ("expected a name or a number after the dot", None),
    "expected subscript expression": ("expected an index", None),
    "expected call": ("`call` without the call of a macro", "write `{% call name() %}`"),
    "You cannot chain multiple tests with is": ("tests cannot be chained", "write `x is a and x is b`"),
    "Block names in Jinja have to be valid Python identifiers and may not contain hyphens,"
    " use an underscore instead.": ("the name of a block holds a hyphen", "use an underscore"),
    _NOT_EMPTY: (
        "a required block is not empty",
        "leave only comments and blanks in it, or take `required` out",
    ),
    "names starting with an underline can not be imported": (
        "a name that begins with `_` cannot be imported",
        "give it a name without",
    ),
    _NO_DEFAULT: (
        "an argument without a default follows one that has one",
        "put it before, or give it a default",
    ),
    "invalid syntax for function call expression": (
        "the arguments of this call are in a wrong order",
        "write plain arguments first, then `name=value`, then `*list` and `**mapping`",
    ),
    "Invalid character in identifier": ("a name holds a character that no name can hold", None),
}
_CHARACTERS = {
    "&": "write `and`",
    "!": "write `not`, or `!=` to compare",
    "?": "write `a if condition else b`",
    "$": "write the name alone",
    "@": "write the name alone",
    "#": "put comments between `{#` and `#}`",
}
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}


@dataclass(frozen=True, slots=True)
class _Tag:
    """What stands between `{{` and `}}`, `{%` and `%}` or `{#` and `#}`: `opening` is the first, `end` is None when the
    second is not there."""

    opening: str
    start: int
    end: int | None


@dataclass(frozen=True, slots=True)
class _Words:
    """A finding about a template: headline, place, and what stands under it."""

    headline: str
    start: int
    width: int
    label: str = ""
    opened: tuple[int, int, str] | None = None  # what it belongs to: where that is, how wide, the label
    notes: tuple[str, ...] = ()
    help: str | None = None


def report_mistake(error: TemplateSyntaxError, excerpt: Excerpt, scope: Scope) -> None:
    """Report what jinja2 says of the excerpt's text."""
    found = _in_words(error, excerpt.text)
    related: tuple[Related, ...] = ()
    if found.opened is not None:
        start, width, label = found.opened
        related = (Related(excerpt.span_at(start, width), label),)
    scope.add(
        "template-syntax",
        found.headline,
        excerpt.span_at(found.start, found.width),
        label=found.label,
        related=related,
        notes=found.notes,
        help=found.help,
    )


def ends_too_early(error: TemplateSyntaxError) -> bool:
    """Whether the mistake is that a block is never ended."""
    return (error.message or "").startswith("Unexpected end of template")


def unknown_tag(error: TemplateSyntaxError) -> str | None:
    """The tag that does not exist or does not belong where it stands, if that is the mistake."""
    match = re.match(r"Encountered unknown tag '(.*?)'\.", error.message or "")
    return match[1] if match else None


def mended(text: str, error: TemplateSyntaxError, *, means_nothing: bool = False) -> str | None:
    """The text with the same lines and columns, in which the tag of this mistake does nothing; None when what follows
    would mean something else without it. `means_nothing`: the tag opens and ends no block."""
    start = _offset(text, error)
    tag = _tag_at(text, start)
    nested = " nested " in (error.message or "")  # once more, if it is taken out
    if tag is None or tag.opening == "{#" or error.message == _NOT_EMPTY or nested:
        return None
    end = tag.end
    if end is None and text[start : start + 1] == "}":  # meant to close it
        end = start + (2 if text[start : start + 2] == "}}" else 1)
    if end is None:
        line = text[tag.start :].partition("\n")[0]
        end = tag.start + len(line)
    old = text[tag.start : end]
    new: str | None
    if means_nothing:
        new = ""
    elif tag.opening == "{{":
        new = "{{0}}"
    else:
        new = _harmless(old, unknown_tag(error), _block_at(text, tag.start), text[end:], tag.start)
    if new is None or len(new) > len(old.partition("\n")[0]):
        return None
    return text[: tag.start] + new + re.sub(r"[^\n]", " ", old[len(new) :]) + text[end:]


def _harmless(tag: str, unknown: str | None, block: Block | None, rest: str, number: int) -> str | None:
    """A tag that opens or ends what `tag` does, "" if that is nothing, None if it cannot be known."""
    match = re.match(r"\{%\W*(\w*)", tag)
    word = match[1] if match else ""
    if unknown is not None:
        if word.startswith("end"):
            return f"{{%end{block.word}%}}" if word not in _TAGS and block is not None else None
        return ""
    if word.startswith("end"):
        return f"{{%{word}%}}"
    if word == "set" and "=" not in tag and "endset" in rest:
        return "{%set a%}"
    return {
        "autoescape": "{%autoescape 0%}",
        "block": f"{{%block _{number}%}}",
        "call": "{%call a()%}",
        "elif": "{%elif 0%}",
        "else": "{%else%}",
        "filter": "{%filter d%}",
        "for": "{%for a in 0%}",
        "if": "{%if 0%}",
        "macro": "{%macro a()%}",
        "with": "{%with%}",
    }.get(word, "")


def _offset(text: str, error: TemplateSyntaxError) -> int:
    starts = line_starts(text)
    line = min(max(int(error.lineno), 1), len(starts))
    return min(starts[line - 1] + int(getattr(error.lineno, "column", 1)) - 1, len(text))


def _tag_at(text: str, offset: int) -> _Tag | None:
    """The tag that `offset` is in. One that is not closed before the next line with a tag counts as not closed."""
    begin: Token | None = None
    try:
        for token in tokens(text):
            if token.kind in ("variable_begin", "block_begin", "comment_begin", "raw_begin"):
                if token.start > offset:
                    break
                begin = token
            elif begin is not None and token.kind == begin.kind.replace("begin", "end"):
                if token.start >= offset:
                    end = token.start + len(text[token.start : token.end].rstrip())
                    if re.search(r"\n.*\{[{%#]", text[offset:end]):
                        break
                    return _Tag(text[begin.start : begin.start + 2], begin.start, end)
                begin = None
    except TemplateSyntaxError:
        pass
    if begin is None:
        return None
    opening = text[begin.start : begin.start + 2]
    closing = text.find(_CLOSING.get(opening, "}}"), offset)
    following = re.compile(r"\{[{%#]").search(text, offset + 1)
    if closing < 0 or (following is not None and following.start() < closing):
        return _Tag(opening, begin.start, None)
    return _Tag(opening, begin.start, closing + 2)


def _block_at(text: str, offset: int) -> Block | None:
    """The innermost block that is open at `offset`."""
    found: tuple[Block, ...] = ()
    try:
        for token, blocks in with_blocks(text, tokens(text)):
            if token.start > offset:
                break
            found = blocks
    except TemplateSyntaxError:
        pass
    return found[-1] if found else None


# -- words ----------------------------------------------------------------------------------------------------------


def _in_words(error: TemplateSyntaxError, text: str) -> _Words:
    message = error.message or "the template cannot be parsed"
    start, width = _offset(text, error), int(getattr(error.lineno, "width", 1))
    unknown = unknown_tag(error)
    if unknown is not None:
        return _about_tag(unknown, message, start, text)
    if message == NESTED_TOO_DEEPLY:  # somewhere in this tag: where depends on the interpreter
        tag = _tag_at(text, start)
        return _Words(message, tag.start if tag else start, 2)
    if ends_too_early(error):
        return _about_end(start, text)
    if message in _SENTENCES:
        headline, help = _SENTENCES[message]
        before = re.search(r"(\w+)\s*\Z", text[:start])
        block = _block_at(text, start)
        if message == _NO_DEFAULT and before is not None:
            start, width = before.start(), len(before[1])
        elif message == _NOT_EMPTY and block is not None:
            start, width = block.start, block.end - block.start
        return _Words(headline, start, width, help=help)
    match = re.fullmatch(r"expected token '(.*)', got '(.*)'", message) or re.fullmatch(
        r"(Expected an expression), got '(.*)'", message
    )
    if match:
        return _about_token(match[1], match[2], start, width, text)
    match = re.fullmatch(r"unexpected char (.*) at \d+", message, re.DOTALL)
    if match:
        return _about_character(text[start : start + 1], start)
    match = re.fullmatch(r"unexpected '(.*)', expected '(.*)'", message)
    if match:
        return _Words(f"expected `{match[2]}`, found `{match[1]}`", start, width, help=_closing_help(text, start))
    match = re.fullmatch(r"unexpected '(.*)'", message)
    if match and match[1] not in (")", "]", "}"):
        return _about_token("Expected an expression", match[1], start, width, text)
    if match:
        return _Words(f"unexpected `{match[1]}`", start, width, help=_closing_help(text, start))
    match = re.fullmatch(r"can't assign to '(\w+)'", message)
    if match:
        return _Words(f"cannot assign to {_NOT_ASSIGNED.get(match[1], 'this')}", start, width)
    if message == "Missing end of comment tag":
        tag = _tag_at(text, start)
        begin = tag.start if tag else start
        return _Words("the comment is never closed", begin, 2, "opens here", help="end it with `#}`")
    if message == "Missing end of raw directive":
        begin = text.rfind("{%", 0, start)
        return _Words(
            "the block `raw` is never ended", begin, start - begin, "opens here", help="end it with `{% endraw %}`"
        )
    if text[start : start + 1] in ("'", '"'):  # a codec's words
        return _Words("a string holds a broken escape", start, width, message)
    return _Words(message[:1].lower() + message[1:].rstrip("."), start, width)


def _about_tag(name: str, message: str, start: int, text: str) -> _Words:
    """A tag that does not exist, or not here."""
    block = _block_at(text, start)
    opened = (block.start, block.end - block.start, f"`{block.word}` opens here") if block else None
    looked_for = re.findall(r"'(\w+)'", message.partition(" looking for ")[2].partition(". ")[0])
    if name not in _TAGS:
        ended = f"end{block.word}" if name == "end" and block is not None else None
        meant = ended or _ELSEWHERE.get(name) or near(name, [*looked_for, *sorted(_TAGS)])
        here = opened if meant in looked_for else None
        help = f"did you mean `{meant}`?" if meant else None
        return _Words(f"there is no tag `{name}`", start, len(name), opened=here, help=help)
    if block is None:
        nothing = "ends nothing" if name.startswith("end") else "belongs to nothing"
        return _Words(f"`{name}` {nothing}", start, len(name), "no block is open here")
    ends = name.startswith("end")
    expected = " or ".join(f"`{word}`" for word in looked_for if not ends or word.startswith("end"))
    return _Words(f"expected {expected}, found `{name}`", start, len(name), opened=opened)


def _about_end(start: int, text: str) -> _Words:
    """A block that is never ended is shown where it begins; jinja2 only says that the template ends too early."""
    blocks = open_at_end(text)
    if not blocks:
        return _Words("the template ends too early", start, 1)
    block = blocks[-1]
    return _Words(
        f"the block `{block.word}` is never ended",
        block.start,
        block.end - block.start,
        "opens here",
        help=f"end it with `{{% end{block.word} %}}`",
    )


def _about_token(expected: str, found: str, start: int, width: int, text: str) -> _Words:
    tag = _tag_at(text, start)
    opened = None
    help = None
    if tag is not None and "\n" in text[tag.start : start]:
        opened = (tag.start, 2, "in what opens here")
    if found == "=" and expected in ("end of print statement", "end of statement block", ")", "]", ","):
        help = "write `==` to compare"
    elif found == "|":
        help = "write `or`"
    elif found == "if" and re.search(r"\belse\s*\Z", text[:start]):
        help = "write `elif`"
    elif tag is not None and tag.end is None and expected in ("end of print statement", "end of statement block"):
        help = f"close `{tag.opening}` with {_TOKENS[expected]}"
    wanted = "an expression" if expected == "Expected an expression" else _TOKENS.get(expected, f"`{expected}`")
    headline = f"expected {wanted}, found {_TOKENS.get(found, f'`{found}`')}"
    return _Words(headline, start, width, opened=opened, help=help)


def _about_character(character: str, start: int) -> _Words:
    if character in ("'", '"'):
        return _Words("the string is never closed", start, 1, "opens here", help=f"end it with `{character}`")
    return _Words(f"unexpected character `{character}`", start, 1, help=_CHARACTERS.get(character))


def _closing_help(text: str, start: int) -> str | None:
    """How to close the tag that the bracket at `start` was perhaps meant to close."""
    tag = _tag_at(text, start)
    if tag is None or text[start : start + 1] != "}" or tag.end is not None:
        return None
    return f"close `{tag.opening}` with `{_CLOSING[tag.opening]}`" if tag.opening in _CLOSING else None
