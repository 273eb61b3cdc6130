"""Docstrings and their words: from the text of a string literal to the description that a model reads.

In: the value of the literal. Out: the text without its indentation, the same on every Python: `inspect.cleandoc` took
other characters for blanks before 3.13. Here a blank is a space, a tab counts as up to eight of them, and a line ends
at a line feed and nowhere else; what else looks empty (no-break space, form feed) is text.
"""

import ast
from collections.abc import Sequence

_TAB = 8


def clean(text: str) -> str:
    """Drop the indentation that all lines but the first share, and the empty lines at both ends (PEP 257)."""
    first, *others = [_spaced(line) for line in text.split("\n")]
    indents = [len(line) - len(line.lstrip(" ")) for line in others if line.strip(" ")]
    margin = min(indents, default=0)
    lines = [first.lstrip(" "), *(line[margin:] for line in others)]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    while lines and not lines[0].strip(" "):
        lines.pop(0)
    return "\n".join(lines)


def docstring(body: Sequence[ast.stmt]) -> ast.Constant | None:
    """The literal that documents a module, class or function: its first statement, if that is a string."""
    return literal(body[0]) if body else None


def literal(statement: ast.stmt) -> ast.Constant | None:
    """The string that a statement consists of."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value if isinstance(statement.value.value, str) else None
    return None


def is_nothing(statement: ast.stmt) -> bool:
    """Whether a statement says nothing: `pass`, `...`, or None."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is ... or statement.value.value is None
    return isinstance(statement, ast.Pass)


def _spaced(line: str) -> str:
    """Spaces for tabs, up to the next multiple of eight."""
    if "\t" not in line:
        return line
    parts: list[str] = []
    width = 0
    for piece in line.split("\t")[:-1]:
        width += len(piece)
        fill = _TAB - width % _TAB
        parts += [piece, " " * fill]
        width += fill
    return "".join([*parts, line.rpartition("\t")[2]])
