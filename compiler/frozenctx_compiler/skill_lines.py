"""The line that the author of a SKILL.md meant to write: what stands there → what YAML reads as that text.

In: front matter, and the line that is at fault. Out: the help that shows the line as it should be, or None when nobody
can say. Whatever is answered was read by YAML first: it is a line to copy, not a guess at one.
"""

import re
from collections.abc import Callable, Iterator

import yaml

from .diagnostics import Report, Scope
from .yamltree import MAPPING_TAG, compose

_PAIR = re.compile(r"([ \t]*)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]*)(.*?)[ \t]*")
_TOP = frozenset({"name", "description", "license", "compatibility", "allowed-tools", "metadata", "version", "model"})


def add_mended(tried: Report, help_for: Callable[[int], str | None], scope: Scope) -> None:
    """Report what a trial found; of an error, with the help that `help_for` has for its line, if it has any."""
    for found in tried.diagnostics:
        help = help_for(found.span.line) if found.level == "error" and found.span is not None else None
        scope.add(
            found.code,
            found.headline,
            found.span,
            label=found.label,
            related=found.related,
            notes=found.notes,
            help=help or found.help,
        )


def mended(text: str, index: int) -> str | None:
    """The help for line `index` (from 0) of front matter: one with which everything up to it can be read."""
    lines = text.split("\n")
    if not 0 <= index < len(lines):
        return None
    for line in _candidates(lines[index]):
        if line != lines[index] and _is_read("\n".join([*lines[:index], line, *lines[index + 1 :]]), index):
            return f"write `{line}`"
    return _folded(lines, index)


def _folded(lines: list[str], index: int) -> str | None:
    """The help for a line that goes on with a value: let the value begin on a line of its own."""
    first = next((at for at in range(index, -1, -1) if lines[at][:1] not in ("", " ", "\t", "#")), 0)
    pair = _PAIR.fullmatch(lines[first])
    if first == index or pair is None or not pair[3]:
        return None
    begun = f"{pair[2]}: >-"
    text = "\n".join([*lines[:first], begun, f"  {pair[3]}", *lines[first + 1 :]])
    return f"write `{begun}`, and the whole text below it, indented" if _is_read(text, index + 1) else None


def as_text(text: str, index: int) -> str | None:
    """The help for a value that is no text: the line with it in quotes, when it is all on that line."""
    lines = text.split("\n")
    pair = _PAIR.fullmatch(lines[index]) if 0 <= index < len(lines) else None
    if pair is None or not pair[3] or pair[3][0] in "|>":
        return None
    line = f"{pair[1]}{pair[2]}: {_quoted(pair[3])}"
    return f"write `{line}`" if _is_read("\n".join([*lines[:index], line, *lines[index + 1 :]]), index) else None


def _candidates(line: str) -> Iterator[str]:
    """What may have been meant, the likeliest first."""
    pair = _PAIR.fullmatch(line)
    if pair is None:
        return
    indent, key, value = pair[1].replace("\t", "  "), pair[2], pair[3]
    yield f"{indent}{key}: {value.replace(chr(9), ' ')}"  # tabs, and no space behind the colon
    if value:
        yield f"{indent}{key}: {_quoted(_unquoted(value))}"
    if indent and key in _TOP:
        yield f"{key}: {value}"
        yield f"{key}: {_quoted(_unquoted(value))}"


def _unquoted(value: str) -> str:
    """A value without the quotes that were meant to stand around the whole of it."""
    quote = value[0]
    if quote not in "\"'":
        return value
    if len(value) > 1 and value[-1] == quote:
        return value[1:-1]
    return value[1:] if quote not in value[1:] else value


def _quoted(value: str) -> str:
    if '"' not in value and "\\" not in value:
        return f'"{value}"'
    return "'" + value.replace("'", "''") + "'"


def _is_read(text: str, index: int) -> bool:
    """Whether YAML reads the text as a mapping, or at least finds nothing wrong up to this line."""
    tried = Report()
    node = compose(text, "", tried.scoped(""))
    errors = [found for found in tried.diagnostics if found.level == "error"]
    lines = [found.span.line - 1 if found.span is not None else 0 for found in errors]
    if lines:
        return min(lines) > index
    return isinstance(node, yaml.MappingNode) and node.tag == MAPPING_TAG
