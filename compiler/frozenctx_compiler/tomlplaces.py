"""Where the keys and values of a TOML text stand, which tomllib does not say.

In: a text that tomllib has read. Out: for each path of names and indices the places of its key and of its value, as
offsets. The invariant: every path of the data has a value, and every path that ends in a name has a key.
"""

import re
import tomllib
from dataclasses import dataclass, field

from .diagnostics import Span

Path = tuple[str | int, ...]
_BLANKS = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_SCALAR = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")  # a date and a time may have a blank between them


@dataclass(slots=True)
class TomlPlaces:
    """Offsets of where keys and values begin and end."""

    text: str
    keys: dict[Path, tuple[int, int]] = field(default_factory=dict)
    values: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def key(self, path: Path, file: str) -> Span:
        """The key, or what is nearest around it."""
        while path and path not in self.keys:
            path = path[:-1]
        return self.span(self.keys[path], file) if path else Span(file)

    def value(self, path: Path, file: str) -> Span:
        """The value; where it is a table with a heading, its key."""
        return self.span(self.values[path], file) if path in self.values else self.key(path, file)

    def span(self, place: tuple[int, int], file: str) -> Span:
        start, end = place
        line_end = self.text.find("\n", start)
        end = end if line_end < 0 else min(end, line_end)
        line = self.text.count("\n", 0, start) + 1
        return Span.at(file, line, start - self.text.rfind("\n", 0, start), end - start)


def toml_places(text: str) -> TomlPlaces:
    """The places in a TOML text with line ends LF."""
    places = TomlPlaces(text)
    table: Path = ()
    lengths: dict[Path, int] = {}  # of arrays of tables
    at = _after(_BETWEEN, text, 0)
    while at < len(text):
        if text[at] == "[":
            double = text.startswith("[[", at)
            names, end = _key(text, at + (2 if double else 1))
            end = text.index("]", end) + (2 if double else 1)
            table = ()
            for name in names:
                table = (*table, name)
                places.keys.setdefault(table, (at, end))
                if table in lengths and not (double and len(table) == len(names)):
                    table = (*table, lengths[table] - 1)
            if double:
                lengths[table] = lengths.get(table, 0) + 1
                table = (*table, lengths[table] - 1)
            at = end
        else:
            at = _pair(places, table, at)
        at = _after(_BETWEEN, text, at)
    return places


def _pair(places: TomlPlaces, table: Path, at: int) -> int:
    names, end = _key(places.text, at)
    path = table
    for name in names:
        path = (*path, name)
        places.keys.setdefault(path, (at, end))
    equals = places.text.index("=", end)
    return _value(places, path, _after(_BLANKS, places.text, equals + 1))


def _key(text: str, at: int) -> tuple[list[str], int]:
    """The names of a dotted key and where it ends, blanks not counted."""
    names: list[str] = []
    while True:
        at = _after(_BLANKS, text, at)
        found = _BARE.match(text, at) or _STRING.match(text, at)
        if found is None:
            raise ValueError(f"no key at offset {at}")
        names.append(found[0] if found.re is _BARE else next(iter(tomllib.loads(f"{found[0]} = 1"))))
        end = found.end()
        at = _after(_BLANKS, text, end)
        if text[at : at + 1] != ".":
            return names, end
        at += 1


def _value(places: TomlPlaces, path: Path, at: int) -> int:
    text, start = places.text, at
    if text[at] == "[":
        at, index = _after(_BETWEEN, text, at + 1), 0
        while text[at] != "]":
            at = _after(_BETWEEN, text, _value(places, (*path, index), at))
            index += 1
            if text[at] == ",":
                at = _after(_BETWEEN, text, at + 1)
        end = at + 1
    elif text[at] == "{":
        at = _after(_BETWEEN, text, at + 1)
        while text[at] != "}":
            at = _after(_BETWEEN, text, _pair(places, path, at))
            if text[at] == ",":
                at = _after(_BETWEEN, text, at + 1)
        end = at + 1
    else:
        found = _STRING.match(text, at) or _SCALAR.match(text, at)
        if found is None:
            raise ValueError(f"no value at offset {at}")
        end = found.end()
    places.values[path] = (start, end)
    return end


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
