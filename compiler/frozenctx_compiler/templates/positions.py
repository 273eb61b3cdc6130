"""Columns for jinja2's line numbers.

In: the text of a template. Out: jinja2's token stream, in which each line number is an `int` that also carries the
column and the width of its token. The stock parser hands it on to every node (STYLE.md, "Positions").
"""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import TemplateSyntaxError
from jinja2.lexer import Lexer, newline_re


class Position(int):
    """A line number, from 1. `column`: from 1, in characters. `width`: in characters, at least 1, within the line."""

    column: int
    width: int


def position(line: int, column: int, width: int) -> Position:
    result = Position(line)
    result.column = column
    result.width = max(width, 1)
    return result


class PositionLexer(Lexer):
    """jinja2's lexer with positions for lines."""

    def tokeniter(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> Iterator[tuple[int, str, str]]:
        # The text as the stock method sees it. What it yields are pieces of that, in order, and what it leaves out
        # between two pieces is blank, so the next occurrence of a piece is the piece.
        lines = newline_re.split(source)[::2]
        if not self.keep_trailing_newline and lines[-1] == "":
            del lines[-1]
        text = "\n".join(lines)
        offset = 0
        try:
            for line, token, value in super().tokeniter(source, name, filename, state):
                start = text.find(value, offset)
                if start < 0:
                    start = offset
                column = start - text.rfind("\n", 0, start)
                yield position(line, column, len(value.partition("\n")[0])), token, value
                offset = start + len(value)
        except TemplateSyntaxError as error:
            if not isinstance(error.lineno, Position):
                error.lineno = position(error.lineno, offset - text.rfind("\n", 0, offset), 1)
            raise
