"""A place in a text → the JSON value that begins there.

In: a text, and where in it. Out: plain data and where it ends, or Unreadable, which says what is wrong and where. The
invariant: no text raises anything else, none takes longer than its length asks for, and how deep a value may be nested
is the same however deep the caller is.

JSON is read as its standard (RFC 8259) has it, more strictly than Python does by itself: NaN and Infinity are none, nor
are numbers that no float or integer of Python holds; a name stands once in an object; half of a surrogate pair is no
text. The words of an error are the same on every Python, which those of the standard library are not.
"""

import re

from .problems import LEVELS, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANKS = " \t\r\n"
_BLANK = re.compile(f"[{BLANKS}]*+")
# Nothing but what closes a code fence: there a value is cut off as it is at the end of the text.
_END = re.compile(f"[{BLANKS}`~]*+\\Z")
_WORD = re.compile(r"[-+.\w]*+")  # a number or a name of a value, well-formed or not
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*+')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})')
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?\Z")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}
_CLOSING = {"[": "]", "{": "}"}
_CUT_OFF = "the JSON is cut off"


class Unreadable(Exception):
    """What is at a place is no JSON value. `at`: where it stops being one; `shown`: whether what stands there is to be
    told."""

    def __init__(self, text: str, at: int, what: str, shown: bool = True) -> None:
        super().__init__(what)
        self.text = text
        self.at = at
        self.what = what
        self.shown = shown

    @property
    def message(self) -> str:
        """One clause, with the line and the column in the whole text, counted from 1."""
        if not self.shown:
            return self.what
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return f"{self.what}, found {excerpt(self.text, self.at)} (line {line}, column {column})"


def excerpt(text: str, at: int) -> str:
    return quoted(text[at : at + 1000].lstrip(BLANKS)[:30])


def read(text: str, at: int) -> "tuple[Any, int]":
    """Return the value that begins at a place, and where it ends. Raises Unreadable."""
    around: list[Any] = []  # the arrays and objects that are open, from the outside in
    names: list[str] = []  # the property that is being read, of each object among them
    while True:
        at = _end(_BLANK, text, at)
        opening = text[at : at + 1]
        if opening in _CLOSING:
            if len(around) == LEVELS:
                raise Unreadable(text, at, f"the JSON is nested too deeply, in more than {LEVELS} levels", shown=False)
            value: Any = [] if opening == "[" else {}
            at = _end(_BLANK, text, at + 1)
            if text[at : at + 1] == _CLOSING[opening]:
                at += 1
            else:
                around.append(value)
                if opening == "{":
                    at = _name(text, at, value, names)
                continue
        elif opening == '"':
            value, at = _text(text, at)
        else:
            value, at = _number_or_word(text, at)
        while around:
            outer = around[-1]
            is_object = isinstance(outer, dict)
            if is_object:
                outer[names.pop()] = value
            else:
                outer.append(value)
            at = _end(_BLANK, text, at)
            if text[at : at + 1] == ("}" if is_object else "]"):
                value = around.pop()
                at += 1
                continue
            if text[at : at + 1] != ",":
                raise _expected(text, at, "expected `,` or the end of an array or object")
            following = _end(_BLANK, text, at + 1)
            if text[following : following + 1] in ("]", "}"):
                raise Unreadable(text, at, "a comma stands before a closing bracket")
            at = _name(text, following, outer, names) if is_object else following
            break
        else:
            return value, at


def _end(pattern: "re.Pattern[str]", text: str, at: int) -> int:
    """Return where something ends that may be nothing."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _expected(text: str, at: int, what: str) -> Unreadable:
    return Unreadable(text, at, _CUT_OFF, shown=False) if _END.match(text, at) else Unreadable(text, at, what)


def _name(text: str, at: int, outer: "dict[str, Any]", names: "list[str]") -> int:
    """Read the name of a property of an object, and return where its value begins."""
    if text[at : at + 1] != '"':
        raise _expected(text, at, "the name of a property must stand in double quotes")
    name, end = _text(text, at)
    if name in outer:
        raise Unreadable(text, at, f"an object has the property {quoted(name)} twice", shown=False)
    names.append(name)
    end = _end(_BLANK, text, end)
    if text[end : end + 1] != ":":
        raise _expected(text, end, "expected `:` after the name of a property")
    return end + 1


def _text(text: str, start: int) -> "tuple[str, int]":
    parts: list[str] = []
    at = start + 1
    while True:
        end = _end(_PLAIN, text, at)
        parts.append(text[at:end])
        escape = _ESCAPE.match(text, end)
        if escape:
            at = escape.end()
            parts.append(_ESCAPES.get(text[end + 1]) or chr(int(text[end + 2 : at], 16)))
        elif text[end : end + 1] == '"':
            break
        elif _END.match(text, end) or _CUT_ESCAPE.match(text, end):
            raise Unreadable(text, end, f"{_CUT_OFF} inside a text", shown=False)
        elif text[end] == "\\":
            raise Unreadable(text, end, "a backslash in a text begins no escape that JSON has")
        else:
            what = "a line break or another control character in a text must be an escape, such as \\n"
            raise Unreadable(text, end, what)
    made = "".join(parts)
    try:  # pairs of escapes are one character each
        return made if made.isascii() else made.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), end + 1
    except UnicodeDecodeError:
        raise Unreadable(text, start, "half of a surrogate pair is no text") from None


def _number_or_word(text: str, at: int) -> "tuple[Any, int]":
    end = _end(_WORD, text, at)
    word = text[at:end]
    if word in _WORDS:
        return _WORDS[word], end
    if word in ("NaN", "Infinity", "-Infinity"):
        raise Unreadable(text, at, f"`{word}` is not JSON", shown=False)
    number = _NUMBER.match(text, at)
    if number is None or number.end() < end:
        begun = any(known.startswith(word) for known in _WORDS) or _NUMBER.fullmatch(f"{word}0")
        if begun and _END.match(text, end):
            raise Unreadable(text, end, _CUT_OFF, shown=False)
        if number is None:
            raise Unreadable(text, at, "expected a JSON value")
    return _number(text, at, number), number.end()


def _number(text: str, at: int, found: "re.Match[str]") -> "int | float":
    digits = found[0]
    if found[1] is None and found[2] is None:
        try:
            return int(digits)
        except ValueError:  # Python's limit, 4,300 digits unless the host sets another
            raise Unreadable(text, at, f"a number has {len(digits)} digits", shown=False) from None
    number = float(digits)
    if number - number:  # infinite
        raise Unreadable(text, at, f"the number {quoted(digits)[1:-1]} is too large", shown=False)
    return number
