"""The line that the author of a SKILL.md meant to write: what stands there → what YAML reads as that text.

In: front matter, and the line that is at fault. Out: the help that shows the line as it should be, or None when nobody
can say. Whatever is answered was read by YAML first: it is a line to copy, not a guess at one.
"""

import re
from collections.abc import Callable, Iterator

import yaml

from .diagnostics import Report, Scope
from .yamlnodes import MAPPING_TAG
from .yamltree import compose

_PAIR = re.compile(r"([ \t]*)([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]*)(.*?)[ \t]*")
_HEAD = re.compile(r"\s*(?:[\w.-]+\s*:\s*)?")
_ODD = re.compile(r"[^\S \t\n]")  # what looks like a space, and is none in YAML
_LONGEST = 160  # characters of a line that is shown
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
    return _spaced(lines, index) or _rewritten(lines, index) or _going_on(lines, index) or _folded(lines, index)


def _spaced(lines: list[str], index: int) -> str | None:
    """The help when blanks that are no spaces stand before or behind a key, there or above."""
    for at in range(index, -1, -1):
        found = _HEAD.match(lines[at])
        head = found[0] if found else ""
        odd = _ODD.search(head)
        if odd is not None and _reads_with(lines, at, _ODD.sub(" ", head) + lines[at][len(head) :], index):
            return f"put a space in the place of the {character(odd[0])} in line {at + 2}"
    return None


def _rewritten(lines: list[str], index: int) -> str | None:
    """The help that shows the line as it was meant."""
    for line in _candidates(lines[index]):
        if line != lines[index] and len(line) <= _LONGEST and _reads_with(lines, index, line, index):
            return f"write `{line}`"
    return None


def _going_on(lines: list[str], index: int) -> str | None:
    """The help for a line without a key below one with a value: it is the rest of that, not indented."""
    above = next((at for at in range(index - 1, -1, -1) if lines[at][:1] not in ("", " ", "\t", "#")), 0)
    pair = _PAIR.fullmatch(lines[above])
    if pair is None or not pair[3] or pair[2] == "name" or _PAIR.fullmatch(lines[index]):
        return None
    if not _reads_with(lines, index, f"  {lines[index]}", index):
        return None
    return f"indent it by two spaces, if it goes on with `{pair[2]}`"


def _folded(lines: list[str], index: int) -> str | None:
    """The help for a line that goes on with a value, or is a long one: let the value begin on a line of its own."""
    first = next((at for at in range(index, -1, -1) if lines[at][:1] not in ("", " ", "\t", "#")), 0)
    pair = _PAIR.fullmatch(lines[first])
    if pair is None or not pair[3] or (first == index and len(lines[index]) <= _LONGEST):
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
    return f"write `{line}`" if len(line) <= _LONGEST and _reads_with(lines, index, line, index) else None


def character(char: str) -> str:
    """How a message names a character that cannot be seen."""
    return f"character U+{ord(char):04X}"


def _candidates(line: str) -> Iterator[str]:
    """What may have been meant, the likeliest first."""
    pair = _PAIR.fullmatch(line)
    if pair is None:
        return
    indent, key, value = pair[1].replace("\t", "  "), pair[2], pair[3]
    is_tag = value.startswith("!")  # which nobody means
    if not is_tag:
        yield f"{indent}{key}: {value.replace(chr(9), ' ')}"  # tabs, and no space behind the colon
    if value:
        yield f"{indent}{key}: {_quoted(_unquoted(value))}"
    if indent and key in _TOP:
        if not is_tag:
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


def _reads_with(lines: list[str], at: int, line: str, index: int) -> bool:
    """Whether everything up to line `index` can be read when line `at` is another one."""
    return _is_read("\n".join([*lines[:at], line, *lines[at + 1 :]]), index)


def _is_read(text: str, index: int) -> bool:
    """Whether YAML reads the text as a mapping, or at least finds nothing wrong up to this line."""
    tried = Report()
    node = compose(text, "", tried.scoped(""))
    errors = [found for found in tried.diagnostics if found.level == "error"]
    lines = [found.span.line - 1 if found.span is not None else 0 for found in errors]
    if lines:
        return min(lines) > index
    return isinstance(node, yaml.MappingNode) and node.tag == MAPPING_TAG
