"""What is wrong with a value, in words.

In: places, values and what was expected of them. Out: clauses for messages. However large or odd a value is, its words
are few and printable.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Part = str | int
    Path = tuple[Part, ...]

LEVELS = 200  # of objects and arrays in one another that are looked into
LONGEST = 60  # characters of a value that a message shows
CLAUSE = 300  # characters of a message
MOST = 8  # values or names that a message lists


class Problem:
    """Something in a value that its schema does not allow. `path` leads to it, `place` to the `keyword` in the schema;
    `message` is one plain clause, in which values are shortened and nothing is unprintable."""

    __slots__ = ("path", "place", "keyword", "message", "expected")

    def __init__(self, path: "Path", place: "Path", keyword: str, message: str, expected: str = "") -> None:
        self.path = path
        self.place = place
        self.keyword = keyword
        self.message = message
        self.expected = expected  # the types that were expected, in words

    @property
    def pointer(self) -> str:
        """The place in the value as a JSON pointer (RFC 6901)."""
        return pointer(self.path)

    @property
    def schema_pointer(self) -> str:
        return pointer(self.place)


def pointer(path: "Path") -> str:
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def quoted(value: object) -> str:
    """Return a text as a message shows it: in JSON's quotes, shortened, whatever cannot be printed escaped."""
    from json import dumps

    text = str(value)
    shown = dumps(text[:LONGEST], ensure_ascii=False)
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return shown if len(text) <= LONGEST else f'{shown[:-1]}…"'


def shown(value: "Any") -> str:
    """Return a value in a few words."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and value.bit_length() > 128:
        return "a very large integer"
    return str(value)


def counted(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def literal(value: "Any") -> str:
    """Return what a schema says as a message shows it: JSON, shortened."""
    from json import dumps

    try:
        text = shown(value) if not isinstance(value, dict | list) else dumps(value, ensure_ascii=True)
    except RecursionError:
        text = "what is nested deeply there"
    return text if len(text) <= LONGEST + 3 else text[:LONGEST] + "…"
