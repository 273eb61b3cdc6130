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
    # part of PyYAML's problem · headline · help
    ("mapping values are not allowed", "a `: ` stands inside an unquoted value", 'put the value in "quotes"'),
    ("another document", "the file holds more than one YAML document", "remove everything from the second `---` on"),
    ("maximum nesting depth", "the YAML is nested too deeply", f"nest at most {DEEPEST} levels"),
    ("undefined alias", "an alias names an anchor that is not defined above it", "define it first with `&name`"),
    ("duplicate anchor", "an anchor is defined twice", "give each anchor a name of its own"),
)


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
        if part in problem:
            if "maximum nesting" in part:
                scope.add("yaml-too-large", headline, span, help=help)
            else:
                scope.add("yaml-syntax", headline, span, related=related, help=help)
            return
    char = text[index : index + 1]
    help_text = None
    if "cannot start any token" in problem and char == "\t":
        headline, help_text = "a tab stands where YAML wants spaces", "indent with spaces"
    elif "cannot start any token" in problem:
        headline, help_text = f"a value cannot begin with `{char}` unless it is quoted", 'put the value in "quotes"'
    elif "end of stream" in problem and "quoted" in context:
        headline, help_text = "a quoted string is never closed", "close the quote"
        span, related = related.pop().span if related else span, []
    elif "expected ':'" in problem:
        headline, help_text = "a line is neither a `key: value` nor a list item", "write it as `key: value`"
        span, related = related.pop().span if related else span, []
    else:
        headline = f"this YAML cannot be read: {problem}"
        line = text[text.rfind("\n", 0, index) + 1 : index]
        if "flow" in context and EXPRESSION in line:
            help_text = "inside `[…]` and `{…}`, put the expression in 'single quotes'"
    scope.add("yaml-syntax", headline, span, related=related, help=help_text)


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
