"""The commonest expressions of settings, answered directly: `$env.get("NAME", default)` and `$env.NAME`.

In: the text after `!?`. Out: a `Get`, or `NotYet` for everything else of CTX-FORMAT §4, which is left to `yglu_tree`;
then, with an environment, its value. Defaults are Julep's literals: true, True, false, False, null, None, numbers,
quoted strings, nested gets.
The invariant: for what Yglu reads too, the value is Yglu's (`True` and `None` excepted, which it takes for strings).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

_ENV = re.compile(r"\$env\s*\.\s*([A-Za-z_]\w*)\s*", re.ASCII)
_STRING = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")  # as Julep writes them
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_WORD = re.compile(r"[A-Za-z]+\b")
_ESCAPE = re.compile(r"\\(?:(U.{8}|u.{4}|x..)|([0-7]{1,3})|(N)\{[^}]+\}|([\\'\"abfnrtv]))")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BLANKS = re.compile(r"\s*")
DEEPEST = 20  # nested gets


@dataclass(frozen=True, slots=True)
class Literal:
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Get:
    """One look into the environment. `start` and `end` are where the name stands in the expression's text."""

    name: str
    start: int
    end: int
    default: "Get | Literal | None" = None
    source: str = ""  # the default as the author wrote it


class NotYet(Exception):
    """Not answered here; `at` is the offset of the first character that does not fit."""

    def __init__(self, at: int, expected: str) -> None:
        super().__init__(expected)
        self.at = at
        self.expected = expected


class BadEscape(Exception):
    """A string holds an escape that is refused, from `at` on. The message is a clause about the escape."""

    def __init__(self, at: int, length: int, headline: str, help: str | None = None) -> None:
        super().__init__(headline)
        self.at, self.length, self.headline, self.help = at, length, headline, help


def unescaped(text: str) -> str:
    """What YAQL makes of the text inside the quotes of a string; raises BadEscape.

    A backslash before anything else stays. Refused is what is no character, and what is one only in some versions of
    Python: their tables of names differ.
    """
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    hexadecimal, octal, named, letter = escape.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    start, length = escape.start(), len(escape[0])
    if named is not None:
        headline = "which characters have a name depends on the version of Python"
        raise BadEscape(start, length, headline, "write the character itself, or its number `\\u…`")
    if hexadecimal is None:
        number, most = int(octal, 8), 0xFF
    elif _HEX.fullmatch(hexadecimal, 1):
        number, most = int(hexadecimal[1:], 16), 0x10FFFF
    else:
        headline = f"`\\{hexadecimal[0]}` takes {len(hexadecimal) - 1} hexadecimal digits"
        raise BadEscape(start, length, headline, "write `\\\\` for a backslash")
    if number > most:
        raise BadEscape(start, length, "there is no character of this number")
    if 0xD800 <= number <= 0xDFFF:
        help = "write the character itself, or all of its number: `\\U0001f600` for `\\ud83d\\ude00`"
        raise BadEscape(start, length, "this is half of a surrogate pair, and no character", help)
    return chr(number)


@lru_cache(4096)
def parse(text: str) -> Get:
    """The expression of one `!?` scalar; raises NotYet. The packages of a tree often ask the same."""
    at = _after_blanks(text, 0)
    if not text[at:].startswith("$env"):
        raise NotYet(at, "`$env.get(…)`")
    get, at = _get(text, at, 0)
    if at != len(text):
        raise NotYet(at, "the end of the expression")
    return get


@dataclass(frozen=True, slots=True)
class Answer:
    """What an expression comes to: a value, and the name it came from when the environment gave it."""

    value: str | int | float | bool | None
    name: str | None = None


def evaluate(
    get: Get,
    env: Mapping[str, str],
    *,
    found: Callable[[Get], None],
    defaulted: Callable[[Get], None],
    missing: Callable[[Get], None],
) -> Answer:
    """The value in `env`; the callbacks hear of each name that is looked up, in order. An unset name is None."""
    value = env.get(get.name)
    if value is not None:
        found(get)
        return Answer(value, get.name)
    if get.default is None:
        missing(get)
        return Answer(None)
    defaulted(get)
    if isinstance(get.default, Literal):
        return Answer(get.default.value)
    return evaluate(get.default, env, found=found, defaulted=defaulted, missing=missing)


def _get(text: str, at: int, depth: int) -> tuple[Get, int]:
    head = _ENV.match(text, at)
    if head is None or depth > DEEPEST:
        raise NotYet(at, "`$env.get(…)` or `$env.NAME`")
    if head[1] != "get" or text[head.end() : head.end() + 1] != "(":
        if text[head.end() : head.end() + 1] == "(":
            raise NotYet(head.start(1), "`get`")
        return Get(head[1], head.start(1), head.end(1)), head.end()
    name_at = _after_blanks(text, head.end() + 1)
    name, name_end = _string(text, name_at, "a quoted name")
    at = _after_blanks(text, name_end)
    default: Get | Literal | None = None
    source = ""
    if text[at : at + 1] == ",":
        start = _after_blanks(text, at + 1)
        default, end = _default(text, start, depth)
        source = text[start:end].rstrip()
        at = _after_blanks(text, end)
    if text[at : at + 1] != ")":
        raise NotYet(at, "`)`" if default is not None else "`,` or `)`")
    return Get(name, name_at, name_end, default, source), _after_blanks(text, at + 1)


def _default(text: str, at: int, depth: int) -> tuple[Get | Literal, int]:
    if text[at : at + 1] == "$":
        return _get(text, at, depth + 1)
    if text[at : at + 1] in ("'", '"'):
        string, end = _string(text, at, "a default")
        return Literal(string), end
    if number := _NUMBER.match(text, at):
        digits = number[0]
        if len(digits) > 300:
            raise NotYet(at, "a shorter number")
        is_float = any(each in digits for each in ".eE")
        return Literal(float(digits) if is_float else int(digits)), number.end()
    word = _WORD.match(text, at)
    if word is not None and word[0] in _WORDS:
        return Literal(_WORDS[word[0]]), word.end()
    raise NotYet(at, "a string, a number, true, false, null or another `$env.get(…)`")


def _string(text: str, at: int, expected: str) -> tuple[str, int]:
    quoted = _STRING.match(text, at)
    if quoted is None:
        raise NotYet(at, expected)
    value = quoted[1] if quoted[1] is not None else quoted[2]
    if "\\" in value:
        try:
            value = unescaped(value)
        except BadEscape:
            raise NotYet(at, "a string whose escapes are characters") from None
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise NotYet(at, "a string without halves of surrogate pairs")
    return value, quoted.end()


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
