"""Output statements: text and expressions to calls that write f-strings.

In: the parts of one output, in order. Out: for each call its lines, with the template line of each. Before Python 3.12
an expression in an f-string holds neither a backslash nor the quotes around it: quotes are chosen accordingly, and an
expression with a backslash is written by itself. Order of evaluation: each expression is converted to text before the
next is evaluated, as f-strings do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .literals import literal

Line = tuple[int | None, str]


@dataclass(frozen=True, slots=True)
class Hole:
    """An expression to be written. `line`: of the template."""

    source: str
    line: int


def write_calls(write: str, parts: Sequence[str | Hole]) -> Iterator[list[Line]]:
    """Yield statements, as lists of lines, that call `write` with the text of `parts`."""
    pending: list[str | Hole] = []
    for part in parts:
        if isinstance(part, Hole) and "\\" in part.source:
            yield from one_call(write, pending)
            pending = []
            yield [(part.line, f"{write}(str({part.source}))")]
        elif part != "":
            pending.append(part)
    yield from one_call(write, pending)


def one_call(write: str, parts: Sequence[str | Hole]) -> Iterator[list[Line]]:
    segments = [(line, f_string(segment)) for line, segment in source_lines(parts)]
    if len(segments) == 1:
        yield [(segments[0][0], f"{write}({segments[0][1]})")]
    elif segments:
        # Adjacent literals are one string; each line of it is counted by Python, so errors know theirs.
        yield [(None, f"{write}("), *((line, f"    {text}") for line, text in segments), (None, ")")]


def source_lines(parts: Sequence[str | Hole]) -> Iterator[tuple[int | None, list[str | Hole]]]:
    """Cut after each line break of the text, and where the next expression stands on another line."""
    line: int | None = None
    segment: list[str | Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            if line is not None and line != part.line:
                yield line, segment
                segment = []
            line = part.line
            segment.append(part)
            continue
        for piece in part.splitlines(keepends=True) if "\n" in part else [part]:
            segment.append(piece)
            if piece.endswith("\n"):
                yield line, segment
                line, segment = None, []
    if segment:
        yield line, segment


def f_string(segment: Sequence[str | Hole]) -> str:
    holes = [part.source for part in segment if isinstance(part, Hole)]
    if not holes:
        return literal("".join(part for part in segment if isinstance(part, str)))
    quote = next(q for q in ("'", '"', "'''", '"""') if all(q not in hole for hole in holes))
    return f"f{quote}{''.join(field(part, quote) for part in segment)}{quote}"


def field(part: str | Hole, quote: str) -> str:
    if isinstance(part, Hole):
        source = f"({part.source})" if part.source.startswith("{") else part.source
        return f"{{{source}!s}}"
    # With both quotes in front, ascii() puts single ones around, whatever the text.
    escaped = ascii("'\"" + part)[4:-1].replace("{", "{{").replace("}", "}}")
    if quote.startswith('"'):
        escaped = escaped.replace("\\'", "'").replace('"', '\\"')
    return escaped
