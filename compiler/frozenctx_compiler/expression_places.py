"""Where a part of an expression stands in its file.

In: the node of the expression, offsets into its text, and the lines of the file. Out: a span. The invariant: what is
pointed at is what is meant; where escapes or folded lines hide that, the whole expression is.
"""

from collections.abc import Sequence

import yaml

from .diagnostics import Span
from .yamltree import span_of


def place(node: yaml.ScalarNode, file: str, lines: Sequence[str], start: int, end: int) -> Span:
    """The characters `start` to `end` of the text of `node`."""
    first, last = node.start_mark, node.end_mark
    if node.style == "|":
        return _place_in_block(node, file, lines, start, end)
    if first.line != last.line or first.line >= len(lines):
        return span_of(node, file)
    # An unquoted text ends where the node does; its tag stands before it.
    at = last.column - len(node.value) if not node.style else first.column
    at = lines[first.line].find(node.value, at, last.column)
    if at < 0 or (node.style and not node.value):
        return span_of(node, file)
    return Span.at(file, first.line + 1, at + start + 1, max(end - start, 1))


def _place_in_block(node: yaml.ScalarNode, file: str, lines: Sequence[str], start: int, end: int) -> Span:
    line_start = node.value.rfind("\n", 0, start) + 1
    number = node.start_mark.line + 1 + node.value.count("\n", 0, start)
    text = node.value[line_start:].partition("\n")[0]
    if number >= len(lines) or not text or not lines[number].endswith(text):
        return span_of(node, file)
    end = min(end, line_start + len(text))
    column = len(lines[number]) - len(text) + start - line_start
    return Span.at(file, number + 1, column + 1, max(end - start, 1))
