"""Strict JSON text → plain data, or the first fault with its place.

In: the text of a `.json` file. Out: dicts in the file's order, lists, strings, numbers, booleans, None. Stricter than
the standard library where it would guess: a key twice, NaN and Infinity, numbers no artifact holds, half surrogate
pairs and deep nesting are faults.
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
_LONGEST = 400  # digits of a number


class _Fault(Exception):
    def __init__(self, code: str, headline: str, at: int, width: int = 1, help: str | None = None) -> None:
        super().__init__(headline)
        self.code, self.headline, self.at, self.width, self.help = code, headline, at, width, help
        self.first: int | None = None


FAULTY = object()


def parse_json(text: str, file: str, scope: Scope) -> object:
    """The document, or FAULTY with the fault reported."""
    try:
        value, end = _value(text, _skip(text, 0), 0)
        end = _skip(text, end)
        if end != len(text):
            raise _Fault("json-syntax", "something follows the end of the JSON value", end)
    except _Fault as fault:
        related = []
        if fault.first is not None:
            related.append(Related(_span(text, file, fault.first, fault.width), "first here"))
        scope.add(
            fault.code,
            fault.headline,
            _span(text, file, fault.at, fault.width),
            label="again here" if related else "",
            related=related,
            help=fault.help,
        )
        return FAULTY
    return value


def _span(text: str, file: str, at: int, width: int) -> Span:
    return Span.at(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), width)


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    if depth > DEEPEST:
        raise _Fault("json-syntax", "the JSON is nested too deeply", at, help=f"nest at most {DEEPEST} levels")
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    if first == '"':
        return _string(text, at)
    number = _NUMBER.match(text, at)
    word = _WORD.match(text, at)
    found = word[0] if word else ""
    if number and number[0] == found:
        return _number(found, bool(number[1] or number[2]), at), number.end()
    if found in _WORDS:
        return _WORDS[found], at + len(found)
    if not first:
        raise _Fault("json-syntax", "the JSON ends where a value is expected", at)
    if found.lstrip("+-").lower() in ("nan", "infinity", "inf"):
        raise _Fault("json-syntax", f"`{found}` is not a JSON number", at, len(found))
    raise _Fault("json-syntax", f"expected a JSON value, found `{found or first}`", at, len(found or first))


def _number(digits: str, fraction: bool, at: int) -> int | float:
    if len(digits) <= _LONGEST:
        if not fraction and -(2**63) <= int(digits) < 2**64:
            return int(digits)
        if fraction and math.isfinite(float(digits)):
            return float(digits)
    raise _Fault("json-syntax", "the number is too large to be stored", at, len(digits))


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = scanstring(text, at + 1, True)
    except json.JSONDecodeError as error:
        raise _Fault("json-syntax", f"the string cannot be read: {error.msg[:1].lower()}{error.msg[1:]}", error.pos)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise _Fault("json-syntax", "the string holds half of a surrogate pair", at, end - at)
    return value, end


def _object(text: str, at: int, depth: int) -> tuple[dict[str, object], int]:
    result: dict[str, object] = {}
    places: dict[str, int] = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return result, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise _Fault("json-syntax", 'expected a key in "double quotes"', at)
        key, end = _string(text, at)
        if key in places:
            fault = _Fault(
                "duplicate-key", f"the key `{key}` stands twice in one object", at, end - at, "remove one of the two"
            )
            fault.first = places[key]
            raise fault
        places[key] = at
        at = _skip(text, end)
        if text[at : at + 1] != ":":
            raise _Fault("json-syntax", "expected `:` after a key", at)
        result[key], at = _value(text, _skip(text, at + 1), depth + 1)
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return result, at + 1
        if text[at : at + 1] != ",":
            raise _Fault("json-syntax", "expected `,` or `}`", at)
        at = _skip(text, at + 1)


def _array(text: str, at: int, depth: int) -> tuple[list[object], int]:
    result: list[object] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return result, at + 1
    while True:
        value, at = _value(text, at, depth + 1)
        result.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return result, at + 1
        if text[at : at + 1] != ",":
            raise _Fault("json-syntax", "expected `,` or `]`", at)
        at = _skip(text, at + 1)
