"""What is wrong with a text that is not YAML: PyYAML's words and places → ours.

In: PyYAML's error and the text. Out: one finding, at the character that an author has to look at, with plain words for
the common mistakes.
"""

import re
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.error import MarkedYAMLError

from .diagnostics import Related, Scope, Span

EXPRESSION = "!?"  # the tag of a Yglu expression
DEEPEST = 100  # levels of nesting, aliases followed: far more than people write, far less than exhausts a stack
_BREAK = re.compile("[\x85\u2028\u2029]")  # line ends to YAML 1.1: they end comments and cut block scalars


@dataclass(frozen=True, slots=True)
class Places:
    """Where characters of the text stand in the file."""

    text: str
    file: str
    offset: int

    def span(self, start: int, end: int) -> Span:
        start = min(start, len(self.text))
        line = self.text.count("\n", 0, start) + self.offset
        return Span.at(self.file, line + 1, start - self.text.rfind("\n", 0, start), end - start)

    def mark(self, mark: Any) -> yaml.Mark:
        return yaml.Mark(self.file, mark.index, mark.line + self.offset, mark.column, None, 0)


def is_printable(char: str) -> bool:
    """YAML 1.1's printable characters, and NEL."""
    return (
        char in "\t\n\r\x85"
        or " " <= char <= "~"
        or "\xa0" <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
    )


_EXPLAINED: tuple[tuple[str, str, str], ...] = (
    # part of what PyYAML says · headline · help
    ("another document", "the file holds more than one YAML document", "remove everything from the second `---` on"),
    ("undefined alias", "an alias names an anchor that is not defined above it", "define it first with `&name`"),
    ("duplicate anchor", "an anchor is defined twice", "give each anchor a name of its own"),
    ("found a tab character", "a tab stands where YAML wants spaces", "indent with spaces"),
    ("entries are not allowed", "a list begins on the line of its key", "put each `- …` on a line of its own"),
    (
        "block collection: expected <block end>",
        "a line among the items of a list does not begin with `-`",
        "begin it with `- `",
    ),
    ("expected '<document start>'", "something follows the end of the document", "remove it"),
)
_KEY = re.compile(r"\s*([\w.-]+)\s*\Z")  # a line up to its colon, when that is its first
_BRACKETS = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:^|(?<=\s))#[^\n]*|[][{}]""", re.DOTALL)
_ITEMS = {"[": ("]", "write `,` between the items"), "{": ("}", "write `,` between the pairs and `: ` after a key")}


def report_syntax(error: MarkedYAMLError, text: str, places: Places, scope: Scope) -> None:
    problem = (error.problem or error.context or "unreadable").strip()
    context = (error.context or "").strip()
    mark, opened = error.problem_mark or error.context_mark, error.context_mark
    index = min(mark.index, len(text)) if mark is not None else 0
    span = places.span(index, index + 1)
    related = []
    if opened is not None and opened.index < index:
        related.append(Related(places.span(opened.index, opened.index + 1), context.removeprefix("while ")))
    if "second occurrence" in problem:
        problem, related = "duplicate anchor", [Related(r.span, "first defined here") for r in related]
    elif "another document" in problem:
        related = [Related(r.span, "the first one") for r in related]
    for part, headline, help in _EXPLAINED:
        if part in f"{context}: {problem}":
            keep = related if part in ("another document", "duplicate anchor") else []
            scope.add("yaml-syntax", headline, span, related=keep, help=help)
            return
    if "end of stream" in problem and "quoted" in context:
        span, related = related.pop().span if related else span, []
        scope.add("yaml-syntax", "a quoted string is never closed", span, help="close the quote")
    elif "expected ':'" in problem:
        span, related = related.pop().span if related else span, []
        headline = "a line is neither a `key: value` nor a list item"
        scope.add("yaml-syntax", headline, span, help="write it as `key: value`")
    else:
        found = _look(problem, context, text, index)
        if found is None:
            found = _Found(f"this YAML cannot be read: {problem}", "put values that hold more than words in \"quotes\"")
        else:
            related = []
        if found.start is not None:
            span = places.span(found.start, found.end)
        scope.add("yaml-syntax", found.headline, span, related=related, help=found.help)


@dataclass(frozen=True, slots=True)
class _Found:
    """What is wrong in an author's words, and where, if it is not where the reader stopped."""

    headline: str
    help: str
    start: int | None = None
    end: int = 0


def _look(problem: str, context: str, text: str, index: int) -> _Found | None:
    """Look at the text around the character that stopped the reader."""
    start = text.rfind("\n", 0, index) + 1
    before, char = text[start:index], text[index : index + 1]
    last = before.rstrip()[-1:]
    if "mapping values are not allowed" in problem:
        return _stray_colon(text, start, index)
    if "cannot start any token" in problem:
        if char == "\t":
            return _Found("a tab stands where YAML wants spaces", "indent with spaces")
        shown = "a backquote" if char == "`" else f"`{char}`"
        return _Found(f"a value cannot begin with {shown} unless it is quoted", 'put the value in "quotes"')
    if "expected ' '" in problem and "tag" in context:
        help = f"put a space after `{EXPRESSION}`" if EXPRESSION in before else "put a space between tag and value"
        return _Found("a tag must be followed by a space", help)
    if "flow" in context:
        return _in_brackets(problem, text, start, index)
    if "node content" in problem and char:
        return _Found(f"a value cannot begin with `{char}` unless it is quoted", 'put the value in "quotes"')
    if "mapping keys are not allowed" in problem:
        return _Found("a mapping begins on the line of its key", "put `key: value` on a line of its own, indented")
    extra = "block mapping" in context and "expected <block end>" in problem
    if extra and not before.strip():
        end = len(text[start:].split("\n", 1)[0].rstrip()) + start
        return _Found("a line begins further left or right than those it belongs to", "line it up", index, end)
    if extra and last in ("'", '"'):
        inside = "`\'\'`" if last == "'" else '`\\"`'
        return _Found("something follows a quoted value", f"write {inside} for a quote inside the value")
    if extra and last in ("]", "}"):
        return _Found(f"something follows the closing `{last}`", "remove it")
    if "alphabetic or numeric" in problem:
        help = 'put the value in "quotes", if it is text'
        return _Found(f"`{last}` must be followed by a name", help, index - 1, index)
    if "block scalar" in context:
        return _Found("something stands on the line where a text block begins", "begin the text on the next line")
    if "unknown escape" in problem:
        escape = text[index : index + 2] if char == "\\" else text[index - 1 : index + 1]
        at = index if char == "\\" else index - 1
        return _Found(f'`{escape}` is no escape in "double quotes"', f"write `\\{escape}`", at, at + 2)
    return None


def _stray_colon(text: str, start: int, index: int) -> _Found:
    """A `: ` that makes no key, because the text before it continues a value: of its line, or of the line above."""
    key = _KEY.match(text[start:index])
    above = [(at, line) for at, line in _lines(text[:start]) if line.strip() and not line.lstrip().startswith("#")]
    if key is None or not above:
        value = text[start:index].partition(": ")[2].lstrip()
        if value.startswith(EXPRESSION):
            help = f"put the expression after `{EXPRESSION}` in 'single quotes'"
            return _Found("a `: ` stands inside an unquoted expression", help)
        return _Found("a `: ` stands inside an unquoted value", 'put the value in "quotes"')
    at, line = above[-1]
    if re.search(r":(\s|$)", line):
        headline = f"`{key[1]}` is indented further than the line above, which has a value already"
        return _Found(headline, "begin both lines in the same column", start + key.start(1), start + key.end(1))
    first, end = at + len(line) - len(line.lstrip()), at + len(line.rstrip())
    glued = re.match(r"\s*[\w.-]+:\S", line)
    help = "put a space after the colon" if glued else "write it as `key: value`"
    return _Found("a line is neither a `key: value` nor a list item", help, first, end)


def _in_brackets(problem: str, text: str, start: int, index: int) -> _Found:
    """A fault inside `[…]` or `{…}`: one that is never closed, or something missing between its parts."""
    opened = _open_brackets(text, index)
    if not opened:
        return _Found("something is missing inside `[…]` or `{…}`", "write a value between two commas")
    at = opened[-1]
    closing, help = _ITEMS[text[at]]
    rest = text[start:].split("\n", 1)[0]
    is_next_key = at < start and re.match(r"[\w.-]+:(\s|$)", rest) is not None
    if not text[index:].strip() or is_next_key or text[index] in {"]", "}"} - {closing}:
        return _Found(f"a `{text[at]}` is never closed", f"close it with `{closing}`", at, at + 1)
    if EXPRESSION in text[start:index]:
        help = "inside `[…]` and `{…}`, put the expression in 'single quotes'"
    if "node content" in problem:
        return _Found(f"a value is missing before `{text[index]}`", "write a value, or remove the comma")
    return _Found(f"expected `,` or `{closing}`", help)


def _open_brackets(text: str, end: int) -> list[int]:
    """Where the brackets stand that are open at `end`, innermost last; quoted text and comments are passed over."""
    opened: list[int] = []
    for found in _BRACKETS.finditer(text, 0, end):
        if found[0] in ("[", "{"):
            opened.append(found.start())
        elif found[0] in ("]", "}") and opened:
            opened.pop()
    return opened


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with the offsets they begin at."""
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((at, line))
        at += len(line) + 1
    return lines


def report_character(text: str, places: Places, scope: Scope) -> None:
    """The first character that YAML does not allow at all."""
    at = next(i for i, char in enumerate(text) if not is_printable(char))
    escape = f'write it as the escape `\\x{ord(text[at]):02x}` in "double quotes"'
    scope.add(
        "yaml-syntax",
        f"YAML does not allow the character U+{ord(text[at]):04X}",
        places.span(at, at + 1),
        help=escape if ord(text[at]) < 0x100 else "remove it",
    )


def report_number(index: int, places: Places, scope: Scope) -> None:
    """A number that PyYAML's scanner makes nothing of: the digits of an escape, or a version in `%YAML`."""
    escape = re.compile(r"U([0-9A-Fa-f]{8})").match(places.text, index - 1)
    if escape is None:
        scope.add("yaml-syntax", "the version in `%YAML` is too long", places.span(index, index + 1), help="remove it")
        return
    headline = f"there is no character U+{escape[1].upper()}"
    scope.add("yaml-syntax", headline, places.span(index - 2, escape.end()), help="write the character")


def report_line_end(text: str, places: Places, scope: Scope) -> bool:
    """Whether the text holds a character that ends a line in YAML 1.1 only: it would have two meanings."""
    stray = _BREAK.search(text)
    if stray is None:
        return False
    scope.add(
        "yaml-syntax",
        f"the character U+{ord(stray[0]):04X} ends a line in YAML 1.1 and does not in YAML 1.2",
        places.span(stray.start(), stray.end()),
        help=f'put a space in its place, or write `\\u{ord(stray[0]):04x}` in "double quotes"',
    )
    return True
