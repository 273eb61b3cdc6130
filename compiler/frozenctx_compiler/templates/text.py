"""Output statements: text and expressions to calls that write f-strings.

In: the parts of one output, in order. Out: for each call its lines, with the template line of each. Before Python 3.12
an expression in an f-string holds neither a backslash nor the quotes around it: quotes are chosen accordingly, and an
expression for which that is impossible is written by itself. Each expression is converted to text before the next is
evaluated, as f-strings do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .literals import literal

Line = tuple[int | None, str]
QUOTES: tuple[str, ...] = ("'", '"', "'''", '"""')
# Python takes quadratic time for an f-string with very many expressions.
MOST_HOLES = 200


@dataclass(frozen=True, slots=True)
class Hole:
    """An expression to be written. `line`: of the template. `settled`: its value is text (or a number), so that
    nothing can fail and nobody can tell when it is written. `is_text`: it is text once it is evaluated."""

    source: str
    line: int
    settled: bool = False
    is_text: bool = False


def write_calls(write: str, parts: Sequence[str | Hole]) -> Iterator[list[Line]]:
    """Yield statements, as lists of lines, that call `write` with the text of `parts`.

    All expressions of one call stand on one line of the template: up to Python 3.11 an error in the conversion of any
    of them counts as one of the call's first line.
    """
    pending: list[str | Hole] = []
    line: int | None = None
    quotes = QUOTES
    holes = 0
    for part in parts:
        if isinstance(part, Hole):
            holes += 1
            if holes % MOST_HOLES == 0:
                yield from one_call(write, line, pending)
                pending, line, quotes = [], None, QUOTES
            own = quotes_around(part.source, QUOTES)
            left = quotes_around(part.source, quotes)
            if not left or line not in (None, part.line):
                before, pending = cut(pending, line)
                yield from one_call(write, line, before)
                line, left = None, own
            if not own:
                yield from one_call(write, None, pending)
                yield [(part.line, f"{write}(str({part.source}))")]
                pending, quotes = [], QUOTES
                continue
            line, quotes = part.line, left
        if part != "":
            pending.append(part)
    yield from one_call(write, line, pending)


def quotes_around(source: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `quotes` that can stand around an f-string that holds the expression `source`."""
    return () if "\\" in source else tuple(quote for quote in quotes if quote not in source)


def cut(parts: list[str | Hole], line: int | None) -> tuple[list[str | Hole], list[str | Hole]]:
    """Cut after the last line break of the text at the end of `parts`."""
    if line is None or not parts or isinstance(parts[-1], Hole):
        return parts, []
    head, line_break, tail = parts[-1].rpartition("\n")
    before = parts[:-1] + ([head + line_break] if line_break else [])
    return before, [tail] if tail else []


def one_call(write: str, line: int | None, parts: Sequence[str | Hole]) -> Iterator[list[Line]]:
    texts = [f_string(segment) for segment in text_lines(parts)]
    if len(texts) == 1:
        yield [(line, f"{write}({texts[0]})")]
    elif texts:
        # Adjacent literals are one string.
        yield [(line, f"{write}("), *((None, f"    {text}") for text in texts), (None, ")")]


def text_lines(parts: Sequence[str | Hole]) -> Iterator[list[str | Hole]]:
    """Cut after each line break."""
    segment: list[str | Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            segment.append(part)
            continue
        *lines, rest = part.split("\n")
        for line in lines:
            segment.append(line + "\n")
            yield segment
            segment = []
        if rest:
            segment.append(rest)
    if segment:
        yield segment


def f_string(segment: Sequence[str | Hole]) -> str:
    holes = [part.source for part in segment if isinstance(part, Hole)]
    if not holes:
        return literal("".join(part for part in segment if isinstance(part, str)))
    quote = next(quote for quote in QUOTES if all(quote not in hole for hole in holes))
    return f"f{quote}{''.join(field(part, quote) for part in segment)}{quote}"


def field(part: str | Hole, quote: str) -> str:
    if isinstance(part, Hole):
        source = f"({part.source})" if part.source.startswith("{") else part.source
        return f"{{{source}}}" if part.settled or part.is_text else f"{{{source}!s}}"
    # With both quotes in front, ascii() puts single ones around, whatever the text.
    escaped = ascii("'\"" + part)[4:-1].replace("{", "{{").replace("}", "}}")
    if quote.startswith('"'):
        escaped = escaped.replace("\\'", "'").replace('"', '\\"')
    return escaped
