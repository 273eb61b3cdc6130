"""What a model replied → the value that the reply schema describes.

In: a prompt, and the text of a reply. Out: plain data, or one ReplyError that says everything that is wrong with it and
what to send back to the model. The invariant: a text that cannot be used raises that error and nothing else, whatever
is in it, and what the error says is short.

Where JSON stands among prose, nothing is taken that may be a part of something else: the search goes from the left to
the right, passes over what is broken, and ends where nobody knows how far that goes.
"""

import re

from .errors import ReplyError, SchemaError
from .keywords import unknown_keywords
from .problems import Problem, quoted
from .reply_json import BLANKS, Unreadable, excerpt, read
from .validation import Validator, how_far

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .prompts import Prompt

SHOWN = 10  # problems that feedback lists
PLACE = 100  # characters of a pointer that it shows
TRIED = 1000  # places in prose at which JSON may begin, or end
_EMPTY = re.compile(f"[{BLANKS}\ufeff]*+")
# Where a code fence opens: backticks or tildes; then a line without JSON, or a word, or nothing.
_FENCE = re.compile(
    r"(?:`{3,}|~{3,})[ \t]*(?:[^\n{\[`~]*+\n|[A-Za-z][\w.+-]*(?:[ \t]+(?=[^\s`~])|(?=[{\[\"])))?" + _EMPTY.pattern
)
_CLOSED = re.compile(f"[{BLANKS}]*+(`{{3,}}|~{{3,}})?[{BLANKS}]*+")
_CLOSING_LINE = re.compile(r"^[ \t]*+(?:`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_MARK = re.compile(r"^[ \t]*+(?=```|~~~)|[{}\[\]]", re.MULTILINE)  # a fence at the beginning of a line, or a bracket
# Brackets, and what may quote some. Texts without any, as JSON has them, do not, nor the apostrophe within a word.
_GROUPED = re.compile(
    r"""(?<=[\s\[{,:])"(?:[^"\\\n{}\[\]]|\\[^\n{}\[\]])*+"(?=\s*[,:\]}])|[{}\[\]"`“”‘«»]|(?<!\w)['’]|['’](?!\w)"""
)


def parsed(prompt: "Prompt", text: str, prose: str) -> "Any":
    """What `Prompt.parse` returns."""
    if prose not in ("error", "strip"):
        raise ValueError(f"prose is 'error' or 'strip', not {prose!r}")
    if not isinstance(text, str):
        raise TypeError(f"a reply is text, not {type(text).__name__}")
    stored = prompt._rest
    schema = stored.get("replySchema")
    if schema is None:
        if stored["settings"].get("responseFormat") != "json_object":
            return text
        schema = {"type": "object"}
    validator = prompt._kept.get("reply")
    if validator is None:
        validator = prompt._kept.setdefault("reply", _validator(prompt, schema))
    problems: list[Problem] = []
    furthest = (-2, 0, 0)
    for number, value in enumerate(_candidates(text, prose == "strip")):
        if isinstance(value, Unreadable):
            found = [Problem((), (), "", value.message)]
            reached = (0 if number else -1, 0, value.at)
        else:
            found = validator.problems(value)
            if not found:
                return value
            reached = how_far(found)
        if reached > furthest:
            furthest, problems = reached, found
    raise _error(prompt, [(problem.pointer, problem.message) for problem in problems])


def _validator(prompt: "Prompt", schema: "Any") -> Validator:
    unknown = unknown_keywords(schema)
    if unknown:
        first = unknown[0]
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        error = SchemaError(
            f"no reply can be compared with the reply schema of `{prompt.key}`:"
            f" {first.reason}, at {quoted(first.pointer)}{f'; {first.help}' if first.help else ''}{more}"
        )
        error.key, error.version = prompt.key, prompt.version
        error.keywords = tuple((each.pointer, each.reason) for each in unknown)
        raise error
    return Validator(schema)


def _error(prompt: "Prompt", problems: "list[tuple[str, str]]") -> ReplyError:
    lines = [f"- {_place(place)}{message}" for place, message in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"- and {len(problems) - SHOWN} more problems")
    wanted = "JSON value that fits the schema" if prompt.reply_schema is not None else "JSON object"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    error = ReplyError(
        f"the reply to `{prompt.key}` cannot be used: {lines[0].removeprefix('- ')}{more}",
        tuple(problems),
        "\n".join(["Your reply cannot be used:", *lines, f"Reply again, with nothing but one {wanted}."]),
    )
    error.key, error.version = prompt.key, prompt.version
    return error


def _place(pointer: str) -> str:
    """A pointer as feedback shows it."""
    if not pointer:
        return ""
    shown = pointer if len(pointer) <= PLACE else pointer[:PLACE] + "…"
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown)
    return f"{shown}: "


# Where the JSON is


def _candidates(text: str, strip: bool) -> "Iterator[Any]":
    """Yield the values that a text may hold, the whole of it first, or an Unreadable in the place of one. `strip`: look
    for them among prose."""
    try:
        yield _whole(text)
    except Unreadable as unreadable:
        yield unreadable
        if strip:
            yield from _in_prose(text)


def _whole(text: str) -> "Any":
    """Return the value that the whole of a text is, with or without a code fence around it. Raises Unreadable."""
    start = _start(text, 0)
    if not text[start:].strip(BLANKS + "`~"):
        raise Unreadable(text, start, "the reply is empty", shown=False)
    value, end = read(text, start)
    closed = _CLOSED.match(text, end)
    assert closed
    if closed.end() < len(text):
        what = "the code block" if closed[1] else "the JSON value"
        raise Unreadable(text, end, f"text follows {what}: {excerpt(text, closed.end())}", shown=False)
    return value


def _start(text: str, at: int) -> int:
    """Return where a value begins: behind blanks, a byte order mark and the opening of a code fence."""
    for pattern in (_EMPTY, _FENCE):
        found = pattern.match(text, at)
        at = found.end() if found else at
    return at


def _in_prose(text: str) -> "list[Any]":
    """Return the values that stand in a text: those that fill a code block, then the objects and arrays of the prose,
    none from inside of another; an Unreadable for each that is broken."""
    blocks: list[Any] = []
    others: list[Any] = []
    in_block = passed_over = False
    at = 0
    for _ in range(TRIED):
        mark = _MARK.search(text, at)
        if mark is None:
            return [*blocks, *others]
        at = mark.start()
        if mark[0] in ("]", "}"):  # it opened nowhere, so what was found may be a part of what it closes
            blocks, others, at = [], [], mark.end()
        elif mark[0] in ("[", "{"):
            try:
                value, at = read(text, at)
                others.append(value)
            except Unreadable as unreadable:
                at = _behind_group(text, at)
                if not at:  # nor can more be known of the brackets of what was passed over
                    return [unreadable] if passed_over else [*blocks, *others, unreadable]
                others.append(unreadable)
                passed_over = True
        elif in_block and (closing := _CLOSING_LINE.match(text, at)):
            at = closing.end()
            in_block = False
        else:
            start = _start(text, at)
            opening = text[start : start + 1]
            filled = None if opening in ("`", "~") else _filling(text, start)
            if filled:
                blocks.append(filled[0])
                at = filled[1]
            elif opening in ("[", "{", "`", "~"):  # broken, or with text behind it; a fence in a fence
                at = start
                in_block = True
            else:  # a block of something else, which ends with the text if it does not end before
                closing = _CLOSING_LINE.search(text, start)
                at = closing.end() if closing else len(text)
    return []


def _filling(text: str, start: int) -> "tuple[Any, int] | None":
    """Return the value of a code block that holds nothing else, and where the block ends."""
    try:
        value, end = read(text, start)
    except Unreadable:
        return None
    closed = _CLOSED.match(text, end)
    return (value, closed.end()) if closed and (closed[1] or closed.end() == len(text)) else None


def _behind_group(text: str, start: int) -> int:
    """Return where brackets that hold no JSON end, as in `{name}`, `[see there]` or `{"title": ...}`; 0 if that is not
    sure, for a quote that is inside of them may be the beginning or the end of a text that holds brackets too."""
    closing: list[str] = []
    for found in _GROUPED.finditer(text, start):
        if found[0] in "[{":
            closing.append("]" if found[0] == "[" else "}")
        elif len(found[0]) > 1:
            continue
        elif found[0] != closing.pop():
            return 0
        elif not closing:
            return found.end()
    return 0
