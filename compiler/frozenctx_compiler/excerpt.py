"""A text cut out of a source file, and the way back from its lines to the file's.

In: the text and, per line, where it came from. Out: spans in the file. Invariant: `lines` and `columns` are both empty
(the text is the file) or as long as the text has lines.
"""

from dataclasses import dataclass

from .diagnostics import Span
from .sources import line_of, line_starts


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`lines[i]` is the file's line that line i + 1 of `text` came from, `columns[i]` its shift to the right there."""

    file: str
    text: str
    lines: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()

    def span(self, line: int, column: int = 1, width: int = 1) -> Span:
        """The place in the file of a 1-based line and column of the text."""
        if not self.lines:
            return Span.at(self.file, line, column, width)
        index = min(max(line, 1), len(self.lines)) - 1
        return Span.at(self.file, self.lines[index], max(column + self.columns[index], 1), width)

    def span_at(self, offset: int, width: int = 1) -> Span:
        """The place in the file of an offset into the text."""
        starts = line_starts(self.text)
        index = line_of(starts, offset)
        return self.span(index + 1, offset - starts[index] + 1, width)

    def cut(self, start: int, end: int) -> "Excerpt":
        """The part of the text between two offsets, as an excerpt of the same file."""
        if start == 0 and end == len(self.text):
            return self
        starts = line_starts(self.text)
        first = line_of(starts, start)
        text = self.text[start:end]
        indexes = range(first, first + text.count("\n") + 1)
        lines = tuple(self.lines[i] if self.lines else i + 1 for i in indexes)
        columns = [self.columns[i] if self.columns else 0 for i in indexes]
        columns[0] += start - starts[first]
        return Excerpt(self.file, text, lines, tuple(columns))
