"""Values that templates meet, made anew for a side: many of them can be used up or changed by a call."""

import datetime
import decimal
import fractions
import types
from collections import ChainMap, OrderedDict, UserDict, defaultdict, deque, namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

from templates_library.two_sides import UNDEFINED_CLASSES, Side

Point = namedtuple("Point", "x y")  # noqa: PYI024


class Text(str):
    """A subclass of str that says nothing of its own."""


class Words(dict[str, Any]):
    """A subclass of dict."""


class Html:
    def __init__(self, html: str) -> None:
        self.html = html

    def __html__(self) -> str:
        return self.html

    def __str__(self) -> str:
        return "text of " + self.html

    def __repr__(self) -> str:
        return f"Html({self.html!r})"


class User:
    """Attributes in the instance, in the class, by property, by __getattr__; items too."""

    role = "user"

    def __init__(self, name: str, age: int = 3) -> None:
        self.name = name
        self.age = age
        self.asked = 0

    @property
    def upper(self) -> str:
        return self.name.upper()

    @property
    def broken(self) -> str:
        raise AttributeError("broken")

    @property
    def failing(self) -> str:
        raise ValueError("failing")

    def __getattr__(self, name: str) -> Any:
        if name == "dynamic":
            return "found"
        raise AttributeError(name)

    def __getitem__(self, key: Any) -> Any:
        if key in ("item", "broken"):
            return f"item {key}"
        raise KeyError(key)

    def __repr__(self) -> str:
        return f"User({self.name!r})"


class Slotted:
    __slots__ = ("name", "unset")

    def __init__(self) -> None:
        self.name = "slot"

    def __repr__(self) -> str:
        return "Slotted()"


class Sized:
    """Has a length and items, and is no sequence by registration."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> str:
        return "ab"[index]

    def __repr__(self) -> str:
        return "Sized()"


class Mapped(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        return {"b": 2, "A": 1}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["b", "A"])

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return "Mapped()"


class Once:
    """An iterator that prints the same on both sides, which a generator does not."""

    def __init__(self, *items: Any) -> None:
        self.items = list(items)

    def __iter__(self) -> "Once":
        return self

    def __next__(self) -> Any:
        if not self.items:
            raise StopIteration
        return self.items.pop(0)

    def __repr__(self) -> str:
        return "Once()"


TEXTS = (
    "",
    "a",
    "Hello World",
    "  padded\t\n",
    "<b>bold</b> & 'q' \"d\"",
    "a-b (c) {d} [e] <f> it's o'neil",
    "first\nsecond\r\n\n  fourth \n",
    "Straße ǅ ﬁ İ ΑΣ ΑΣ-ΑΣ",
    "日本語のテキスト 👩‍👩‍👧 é",
    "no\u00a0break\u2003em\u2028line\x85next\x1cfs\x0bvt",
    "&lt;i&gt;&amp;&copy;&#39;&nbsp;",
    "42",
    " 42.23 ",
    "0x1F",
    "1e400",
    "nan",
    "٣",
    "%s and %s",
    "%(name)s",
    "{0} {name}",
    "http://example.com, (www.example.org/x?y=1&z=2) mail@example.com",
    "word " * 40,
    "x" * 300,
    '{"a": [1, 2.5, null, true], "é": "\\u00e9"}',
)


def numbers() -> list[Any]:
    return [
        0, 1, -1, 2, 7, 42, 999, 1000, 1023, 1024, 10**6, 10**27, 10**40, True, False, 0.0, -0.0, 1.0, 1.5, 2.5, 42.55,
        -3.7, 1e-7, 1e22, float("inf"), float("-inf"), float("nan"), 3 + 4j,
        decimal.Decimal("2.675"), fractions.Fraction(7, 3),
    ]  # fmt: skip


def containers(side: Side) -> list[Any]:
    markup = side.Markup
    return [
        [], (), {}, set(), frozenset(), [1], [1, 2, 3, 4, 5], [3, 1, 2], ["b", "A", "a", "C"], ("x", "y"),
        [1, "1", 1.0, True], [None, None], ["<a>", markup("<b>"), 1], [Html("<i>"), "<u>"], [[1, 2], [3]],
        [("k", "v"), ("a b", "c/d")], [1, None, "a"], [float("nan"), 1.0], range(5), range(0),
        {"b": 1, "A": 2, "c": None}, {"a<": "<&>", "n": markup("<b>")}, {1: "x", 2: "y"}, {"a b": 1}, {"a\u00a0b": 1},
        {"x": {"y": {"z": 1}}}, {"class": "c", "missing": None}, {(1, 2): 3}, {b"k": 1}, {"items": 1, "name": "N"},
        OrderedDict(z=1, y=2), defaultdict(list, a=[1]), Words(name="w", b="B"), UserDict({"q": 1}), Mapped(),
        ChainMap({"a": 1}, {"b": 2}), types.MappingProxyType({"p": 1}), deque([1, 2, 3]), Point(1, 2),
        [{"name": "Bo", "age": 2, "in": {"x": 1}}, {"name": "ann", "age": 1, "in": {"x": 0}}, {"name": "Ann",
         "age": 2}],
        [User("Zoe", 5), User("amy", 5), User("Bob", 2)], [Point(2, 1), Point(1, 2)], [{"name": "x"}, {}],
        Once(), Once(1, 2, 3), Once("b", "a"),
    ]  # fmt: skip


def objects(side: Side) -> list[Any]:
    return [
        None, Ellipsis, b"bytes <b>", bytearray(b"ba"), memoryview(b"mv").tobytes(), object, int, len,
        User("Ann"), Slotted(), Sized(), Html("<p>a</p>"), datetime.date(2024, 2, 29), ValueError("oops"),
        slice(1, 2), Text("sub <x>"), side.Markup(""), side.Markup("<b>safe</b> &amp; \n <i>x</i>"),
        side.Markup("%s <%s>"), side.Markup("a b c d e f g"),
    ]  # fmt: skip


def undefineds(side: Side) -> list[Any]:
    made: list[Any] = []
    for kind in UNDEFINED_CLASSES:
        cls = side.undefineds[kind]
        made += [cls(name="who"), cls("a hint"), cls(obj={"a": 1}, name="b"), cls(obj=None, name=3)]
    return made


def everything(side: Side) -> list[Any]:
    values = [*TEXTS, *numbers(), *containers(side), *objects(side), *undefineds(side)]
    strict = side.undefineds["StrictUndefined"](name="inner")
    return [*values, [strict], {"k": strict}, (side.undefineds["Undefined"](name="soft"), 1)]
