"""Strict JSON text → plain data, with every fault at its place.

In: the text of a `.json` file. Out: dicts in the file's order, lists, strings, numbers, booleans, None. Stricter than
the standard library where it would guess: a key twice, NaN and Infinity, numbers no artifact holds, half surrogate
pairs and deep nesting are faults. What does not end the reading is reported together with what comes after it.
"""

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # undocumented, and there since 2.6

from .diagnostics import Related, Scope, Span

DEEPEST = 100
_BLANKS = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[-+A-Za-z0-9_.]*")
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_LONGEST = 400  # digits of a number

FAULTY = object()

Places = dict[tuple[str | int, ...], Span]


def parse_json(text: str, file: str, scope: Scope, places: Places | None = None) -> object:
    """The document, or FAULTY with its faults reported. `places` is filled: path → the key there, or the item's first
    character."""
    reader = _Reader(text, file, scope, {} if places is None else places)
    try:
        value = reader.document()
    except _Stuck:
        return FAULTY
    return value if reader.sound else FAULTY


class _Stuck(Exception):
    """What follows cannot be read; the fault is reported."""


class _Reader:
    """Reads one text from left to right; `at` is the offset of what comes next."""

    __slots__ = ("at", "file", "path", "places", "scope", "sound", "text")

    def __init__(self, text: str, file: str, scope: Scope, places: Places) -> None:
        self.text, self.file, self.scope, self.places = text, file, scope, places
        self.path: tuple[str | int, ...] = ()
        self.at, self.sound = 0, True

    def document(self) -> object:
        self.skip()
        value = self.value(0)
        self.skip()
        if self.at != len(self.text):
            raise self.stuck("something follows the end of the JSON value", "remove it")
        return value

    # -- faults -----------------------------------------------------------------------------------------------------

    def fault(self, headline: str, help: str, at: int, width: int = 1) -> None:
        """A fault that what follows can be read behind."""
        self.sound = False
        self.scope.add("json-syntax", headline, self.span(at, width), help=help)

    def stuck(self, headline: str, help: str, width: int = 1) -> _Stuck:
        """A fault of what comes next, to be raised."""
        self.fault(headline, help, self.at, width)
        return _Stuck()

    def span(self, at: int, width: int) -> Span:
        return Span.at(self.file, self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at), width)

    # -- values -----------------------------------------------------------------------------------------------------

    def skip(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found else self.at

    @property
    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise self.stuck("the JSON is nested too deeply", f"nest at most {DEEPEST} levels")
        if self.next == "{":
            return self.members(depth)
        if self.next == "[":
            return self.items(depth)
        if self.next == '"':
            return self.string()
        if not self.next:
            raise self.stuck("the JSON ends where a value is expected", "write the value, and close what is open")
        found = _WORD.match(self.text, self.at)
        word, at = (found[0] if found else ""), self.at
        if not word:
            comma = self.text[:at].rstrip().endswith(",") and self.next in "]}"
            help = "remove the comma before it" if comma else 'write strings in "double quotes"'
            raise self.stuck(f"expected a JSON value, found `{self.next}`", help)
        self.at += len(word)
        if word in _WORDS:
            return _WORDS[word]
        number = _NUMBER.fullmatch(word)
        if number:
            return self.number(word, bool(number[1] or number[2]), at)
        if word.lstrip("+-").lower() in ("nan", "infinity", "inf"):
            self.fault(f"`{word}` is not a JSON number", "write a number, or `null`", at, len(word))
        else:
            digits = word[0] in "+-.0123456789"
            help = "write numbers like `1`, `-2` or `0.5`" if digits else 'write strings in "double quotes"'
            if word in _PYTHON:
                help = f"write `{_PYTHON[word]}`"
            self.fault(f"expected a JSON value, found `{word}`", help, at, len(word))
        return None

    def number(self, digits: str, fraction: bool, at: int) -> int | float | None:
        if len(digits) <= _LONGEST:
            if not fraction and -(2**63) <= int(digits) < 2**64:
                return int(digits)
            if fraction and math.isfinite(float(digits)):
                return float(digits)
        self.fault("the number is too large to be stored", "write it as a string", at, len(digits))
        return None

    def string(self) -> str:
        start = self.at
        value: str
        try:
            value, self.at = scanstring(self.text, start + 1, True)
        except json.JSONDecodeError as error:
            self.at, problem = error.pos, error.msg[:1].lower() + error.msg[1:]
            help = "write `\\\\` for a backslash" if "escape" in problem else "write `\\n` for the end of a line"
            if "unterminated" in problem:
                help = "close the quote"
            raise self.stuck(f"the string cannot be read: {problem}", help)
        if any("\ud800" <= char <= "\udfff" for char in value):
            self.fault("the string holds half of a surrogate pair", "write the character", start, self.at - start)
        return value

    def members(self, depth: int) -> dict[str, object]:
        result: dict[str, object] = {}
        places: dict[str, Span] = {}
        self.at += 1
        self.skip()
        if self.next == "}":
            self.at += 1
            return result
        while True:
            if self.next != '"':
                comma = self.next == "}" and bool(result)
                help = "remove the comma before it" if comma else 'write keys in "double quotes"'
                raise self.stuck('expected a key in "double quotes"', help)
            start = self.at
            key = self.string()
            span = self.span(start, self.at - start)
            if key in places:
                self.sound = False
                self.scope.add(
                    "duplicate-key",
                    f"the key `{key}` stands twice in one object",
                    span,
                    label="again here",
                    related=[Related(places[key], "first here")],
                    help="remove one of the two",
                )
            places.setdefault(key, span)
            self.skip()
            if self.next != ":":
                raise self.stuck("expected `:` after a key", "write `:` between the key and its value")
            self.at += 1
            self.skip()
            result[key] = self.part(key, span, depth)
            if self.ends("}"):
                return result

    def items(self, depth: int) -> list[object]:
        result: list[object] = []
        self.at += 1
        self.skip()
        if self.next == "]":
            self.at += 1
            return result
        while True:
            result.append(self.part(len(result), self.span(self.at, 1), depth))
            if self.ends("]"):
                return result

    def part(self, name: str | int, span: Span, depth: int) -> object:
        """The value of a key, or an item."""
        around = self.path
        self.path = (*around, name)
        self.places[self.path] = span
        value = self.value(depth + 1)
        self.path = around
        return value

    def ends(self, closing: str) -> bool:
        """Whether an object or an array ends here; otherwise its next part comes next."""
        self.skip()
        if self.next not in (",", closing):
            help = "write `,` before it" if self.next else f"close it with `{closing}`"
            raise self.stuck(f"expected `,` or `{closing}`", help)
        ended = self.next == closing
        self.at += 1
        if not ended:
            self.skip()
        return ended
