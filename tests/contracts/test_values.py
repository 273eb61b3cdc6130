"""`load(…, types="check")`: which Python values count as what a package declares."""

import collections
import datetime
import enum
import fractions
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx.errors import ValuesError, VariablesError
from frozenctx.validation import Validator
from frozenctx.values import json_view, kind_shown
from handmade import files, package, prompt_of, stored

STUB = """
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, TypedDict
from uuid import UUID

class Color(Enum):
    RED = "red"
    BLUE = "blue"

class Part(TypedDict, total=False):
    label: str

class Item:
    label: str
    price: float = 1.0
    parent: "Item | None" = None

class Input:
    text: str = ""
    count: int = 0
    ratio: float = 0.0
    flag: bool = False
    maybe: str | None = None
    words: list[str] = []
    unique: set[int] = set()
    pair: tuple[int, str] = (0, "")
    table: dict[str, int] = {}
    kind: Literal["a", "b", 3] = "a"
    color: Color = Color.RED
    day: date = ...
    moment: datetime = ...
    key: UUID = ...
    part: Part = ...
    item: Item = ...
    items: list[Item] = []
    either: int | list[Item] = 0
    anything: Any = None
    several: set[Any] = set()
    named: dict[Color, int] = {}
    optional: Literal["a"] | None = None
    texts: set[str] = set()
"""


def load(folder: Path, **options: Any) -> frozenctx.Prompt:
    source = folder / "a.ctx"
    source.mkdir(parents=True)
    (source / "settings.yaml").write_text("model: openai/gpt-5\n")
    (source / "prompt.j2").write_text("Go.")
    (source / "schema.pyi").write_text(STUB)
    return frozenctx_compiler.load(folder, lint_levels={"unused-input": "note"}, **options)["a"]


@pytest.fixture(scope="module")
def prompt(tmp_path_factory: pytest.TempPathFactory) -> frozenctx.Prompt:
    return load(tmp_path_factory.mktemp("sources"), types="check")


@dataclass
class Data:
    label: Any
    price: Any = 1
    parent: Any = None


class Slots:
    __slots__ = ("label", "parent")

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)


class Tuple(NamedTuple):
    label: Any
    price: Any = 1


class ClassAttribute:
    label = "of the class"


class Computed:
    @property
    def label(self) -> str:
        raise AssertionError("called")


class Answering:
    def __init__(self) -> None:
        self.price = 2

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name[:2] == "__" else AssertionError("called")  # pytest asks for some


class AnsweringAll:
    def __getattribute__(self, name: str) -> Any:
        if name[:2] == "__":
            return object.__getattribute__(self, name)
        raise AssertionError("called")


class Rows:
    def __getitem__(self, index: int) -> Any:
        raise AssertionError("called")

    def __len__(self) -> int:
        raise AssertionError("called")


class Lazy(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        return "x"

    def __iter__(self) -> Iterator[str]:
        return iter(["label"])

    def __len__(self) -> int:
        return 1


class Shade(enum.Enum):
    RED = "red"
    GREEN = "green"


class Word(str):
    pass


class Number(enum.IntEnum):
    THREE = 3


class Iterable:
    """An iterable record: whatever is declared."""

    __dataclass_fields__: Any = {}

    def __init__(self, label: Any) -> None:
        self.label = label

    def __iter__(self) -> Any:
        raise AssertionError("called")


class Method:
    def label(self) -> str:
        raise AssertionError("called")


CIRCLE: Any = {}
CIRCLE["self"] = [CIRCLE]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "x"), ("text", Word("x")), ("text", uuid.uuid4()),
        ("count", 1), ("count", 2.0), ("count", Number.THREE), ("ratio", 1), ("ratio", Decimal("1.5")),
        ("ratio", fractions.Fraction(1, 3)), ("ratio", float("nan")), ("count", Decimal(4)),
        ("flag", True), ("maybe", None), ("maybe", "x"),
        ("words", []), ("words", ("a",)), ("words", {"a"}), ("words", frozenset("ab")),
        ("words", collections.deque("ab")), ("words", {"a": 1}.keys()),
        ("words", iter([1])), ("words", (n for n in [1])), ("words", map(str, [])),
        ("words", Rows()), ("unique", {1, 2}), ("pair", (1, "a")), ("pair", [1, "a"]),
        ("table", {"a": 1}), ("table", {1: 1, None: 2}), ("table", collections.Counter("ab")),
        ("kind", "a"), ("kind", 3.0),
        ("color", Shade.RED), ("color", "blue"),
        ("day", datetime.date(2026, 1, 2)), ("day", "2026-01-02"), ("moment", datetime.datetime(2026, 1, 2)),
        ("key", uuid.uuid4()), ("part", {}), ("part", {"label": "x", "more": 1}), ("part", SimpleNamespace()),
        ("item", Data("x")), ("item", Data("x", parent=Data("y"))), ("item", {"label": "x", "price": 2}),
        ("item", Slots(label="x")), ("item", Tuple("x")), ("item", ClassAttribute()), ("item", Computed()),
        ("item", Answering()), ("item", AnsweringAll()), ("item", Lazy()), ("item", SimpleNamespace(label="x", z=1)),
        ("item", Iterable("x")), ("items", Iterable(1)), ("item", collections.ChainMap({"label": "x"})),
        ("items", [Data("x"), {"label": "y"}]), ("items", (Slots(label=Word("x")),)), ("either", [Data("x")]),
        ("either", 5), ("pair", Tuple(1, "a")),
        ("several", [CIRCLE]), ("several", [CIRCLE, [CIRCLE], {}]), ("named", {Shade.RED: 1, "blue": 2}),
        ("ratio", Decimal("sNaN")), ("count", fractions.Fraction(10**400)), ("ratio", fractions.Fraction(10**400)),
        ("ratio", Decimal("1e999")), ("count", fractions.Fraction(4, 2)), ("table", {10**5000: 1, (1, 2): 1}),
        ("anything", object()), ("anything", b"x"), ("anything", AnsweringAll()), ("anything", ...),
    ],
)  # fmt: skip
def test_a_value_counts_as_what_it_is_in_json(prompt: frozenctx.Prompt, name: str, value: Any) -> None:
    assert prompt.system({name: value}) == "Go."


@pytest.mark.parametrize(
    ("name", "value", "place", "message"),
    [
        ("text", 5, "", "expected a string, found `int`"),
        ("text", None, "", "expected a string, found None"),
        ("text", b"x", "", "expected a string, found `bytes`"),
        ("text", Data("x"), "", "expected a string, found `Data`"),
        ("count", True, "", "expected an integer, found `bool`"),
        ("count", 1.5, "", "expected an integer, found `float`"),
        ("count", Decimal("1.5"), "", "expected an integer, found `Decimal`"),
        ("count", float("inf"), "", "expected an integer, found `float`"),
        ("ratio", "1", "", "expected a number, found `str`"),
        ("flag", 1, "", "expected a boolean, found `int`"),
        ("maybe", 0, "", "expected a string or null, found `int`"),
        ("words", "text", "", "expected an array, found `str`"),
        ("words", {"a": 1}, "", "expected an array, found `dict`"),
        ("words", ["a", 1], "/1", "expected a string, found `int`"),
        ("unique", [1, 1.0], "", "the items at 0 and 1 are equal"),
        ("pair", (1, 2), "/1", "expected a string, found `int`"),
        ("pair", (1, "a", 2), "", "expected at most 2 items, found 3"),
        ("pair", Tuple("a", "a"), "/0", "expected an integer, found `str`"),
        ("table", {"a": "x"}, "/*", "expected an integer, found `str`"),
        ("table", [("a", 1)], "", "expected an object, found `list`"),
        ("kind", "c", "", 'expected one of "a", "b", 3, found `str`'),
        ("named", {"green": 1}, "", 'the name `str` of a property: expected one of "red", "blue", found `str`'),
        ("named", {Shade.GREEN: 1}, "", 'the name `str` of a property: expected one of "red", "blue", found `str`'),
        ("named", {Shade.RED: "x"}, "/*", "expected an integer, found `str`"),
        ("optional", CIRCLE, "", "expected null, found `dict`"),
        ("texts", ["a", Word("a")], "", "the items at 0 and 1 are equal"),
        ("kind", True, "", 'expected one of "a", "b", 3, found `bool`'),
        ("color", Shade.GREEN, "", 'expected one of "red", "blue", found `Shade`'),
        ("day", 5, "", "expected a string, found `int`"),
        ("item", {}, "", 'the property "label" is missing'),
        ("item", Slots(), "", 'the property "label" is missing'),
        ("item", Method(), "", 'the property "label" is missing'),
        ("item", Slots(label=1), "/label", "expected a string, found `int`"),
        ("item", Tuple(1), "/label", "expected a string, found `int`"),
        ("item", Data("x", parent=Data("y", price="z")), "/parent/price", "expected a number, found `str`"),
        ("item", "x", "", "expected an object, found `str`"),
        ("items", [Data("x"), Data(3)], "/1/label", "expected a string, found `int`"),
        ("items", Data("x"), "", "expected an array, found `Data`"),
        ("either", [Data(3)], "/0/label", "expected a string, found `int`"),
        ("either", "x", "", "expected an integer or an array, found `str`"),
    ],
)
def test_a_value_of_another_type_is_an_error_with_its_variable_and_place(
    prompt: frozenctx.Prompt, name: str, value: Any, place: str, message: str
) -> None:
    for render in (prompt.messages, prompt.system, prompt.user):
        with pytest.raises(ValuesError) as caught:
            render({name: value})
        assert caught.value.problems == ((f"/{name}{place}", message),)
        assert str(caught.value) == f"`a`, `{name}`{f' at {place}' if place else ''}: {message}"
        assert isinstance(caught.value, VariablesError)
        assert (caught.value.key, caught.value.version) == (prompt.key, prompt.version)


class Called(BaseException):
    """No guard against exceptions hides it."""


def _called(*_: Any, **__: Any) -> Any:
    raise Called


_NEEDED = ("__new__", "__init__", "__init_subclass__", "__subclasshook__", "__class_getitem__", "__getattribute__")
_OF_OBJECTS = ("__eq__", "__hash__", "__str__", "__repr__", "__len__", "__iter__", "__bool__", "__contains__")


def hostile(base: type, *args: Any, **more: Any) -> Any:
    """An instance of a child of a class, whose every method and attribute is code that must not run."""
    kind = type("Hostile", (base,), {"__class__": property(_called), "__dict__": property(_called)})
    made = kind(*args)
    names = {name for each in base.__mro__[:-1] for name, member in vars(each).items() if callable(member)}
    for name in {*names, *_OF_OBJECTS, "__getitem__", "__getattr__"} - {*_NEEDED}:
        setattr(kind, name, _called)
    for name in ("_fields", "_value_", "label", "real"):
        setattr(kind, name, property(_called))
    for name, member in more.items():
        setattr(kind, name, member)
    return made


HOSTILE = [
    hostile(str, "x"), hostile(int, 1), hostile(float, 1.0), hostile(list, [1]), hostile(tuple, (1,)),
    hostile(dict, {"a": 1}), hostile(set, [1]), hostile(frozenset, [1]), hostile(object), hostile(Decimal, 1),
    hostile(fractions.Fraction, 1, 2), hostile(datetime.date, 2026, 1, 2), hostile(datetime.datetime, 2026, 1, 2),
    hostile(collections.OrderedDict), hostile(collections.Counter), hostile(object, __getattribute__=_called),
    hostile(Exception), hostile(Tuple, "x"), hostile(Data, "x"),
]  # fmt: skip
HOSTILE_IDS = [type(value).__mro__[1].__name__ for value in HOSTILE]


@pytest.mark.parametrize("number", range(len(HOSTILE)), ids=HOSTILE_IDS)
def test_no_code_of_an_instance_runs(number: int) -> None:
    """Neither for a value itself nor for one inside of others, whatever is declared."""
    value = HOSTILE[number]
    schemas: list[Any] = [
        {"type": "string", "pattern": "a"}, {"type": "integer"}, {"type": "number", "multipleOf": 2}, {"type": "null"},
        {"type": "array", "uniqueItems": True, "items": {"type": "string"}}, {"const": 1}, {"enum": ["x", {}]},
        {"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]}, {"const": {"a": [1]}},
        {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"enum": ["a"]}},
        {"anyOf": [{"type": "array", "uniqueItems": True}, {"enum": [[1], 1, "x", None]}]}, {"minimum": 1},
    ]  # fmt: skip
    for schema in schemas:
        for given in (value, [value, value], {"a": value, "label": value}, SimpleNamespace(label=value)):
            Validator(schema, json_view, kind_shown).problems(given)


class Unlisted(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise ValueError

    def __iter__(self) -> Iterator[str]:
        raise ValueError

    def __len__(self) -> int:
        return 1


def test_what_cannot_be_listed_may_be_anything(prompt: frozenctx.Prompt) -> None:
    assert prompt.system(item=Unlisted(), text=Unlisted(), table=Unlisted()) == "Go."


def test_a_long_chain_is_named_with_its_variable(prompt: frozenctx.Prompt) -> None:
    chain = Data("x")
    for _ in range(150):
        chain = Data("x", parent=chain)
    assert prompt.system(item=chain) == "Go."
    for _ in range(1000):
        chain = Data("x", parent=chain)
    with pytest.raises(ValuesError, match="`a`, `item` at .*nested too deeply, in more than 200 levels"):
        prompt.system(item=chain)


def test_no_value_is_shown(prompt: frozenctx.Prompt) -> None:
    with pytest.raises(ValuesError) as caught:
        prompt.system(
            text=12345678,
            kind="hunter2",
            words=["fine", {"hunter2"}],
            unique=["hunter2", "hunter2"],
            table={"hunter2": "x"},
            named={"hunter2": "hunter2"},
        )
    assert "1234" not in f"{caught.value}{caught.value.problems}"
    assert "hunter2" not in f"{caught.value}{caught.value.problems}"
    assert "(and 8 more)" in str(caught.value)


def test_values_that_lead_in_circles_and_everywhere_are_compared_once(prompt: frozenctx.Prompt) -> None:
    alone = Data("x")
    alone.parent = alone
    assert prompt.system(item=alone) == "Go."
    alone.price = "x"
    with pytest.raises(ValuesError, match="`item` at /price"):
        prompt.system(item=alone)


@dataclass
class Friend:
    label: str
    friends: list["Friend"] = field(default_factory=list)


def test_a_graph_in_which_everybody_knows_everybody_takes_no_time() -> None:
    person = {
        "type": "object",
        "properties": {"label": {"type": "string"}, "friends": {"type": "array", "items": {"$ref": "#/$defs/Person"}}},
    }
    schema = {
        "properties": {"people": {"type": "array", "items": {"$ref": "#/$defs/Person"}}}, "$defs": {"Person": person},
    }  # fmt: skip
    content = prompt_of(files(package("a", "Go.")), {"inputSchema": schema})
    people = [Friend(str(number)) for number in range(60)]
    for one in people:
        one.friends = people
    assert frozenctx.load(content, types="check")["a"].system(people=people) == "Go."


def test_by_default_names_are_compared_and_types_are_not(tmp_path: Path) -> None:
    for options in ({}, {"types": "names"}):
        loose = load(tmp_path / str(len(options)), **options)
        assert loose.system(text=5) == "Go."
        with pytest.raises(VariablesError, match="does not declare `txt`"):
            loose.system(txt=5)


def test_names_are_compared_before_types(prompt: frozenctx.Prompt) -> None:
    with pytest.raises(VariablesError) as caught:
        prompt.system(txt=5, text=5)
    assert type(caught.value) is VariablesError


def test_undeclared_variables_that_are_let_through_may_be_anything(tmp_path: Path) -> None:
    assert load(tmp_path, types="check", extra="ignore").system(text="x", more=object()) == "Go."


def test_a_pack_compares_as_objects_do(tmp_path: Path) -> None:
    schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
    given = package("a", "{{ n }}")
    checked = replace(given.lowered.checked, input_schema=schema)
    stored(tmp_path, replace(given, lowered=replace(given.lowered, checked=checked)))
    for pack in ("require", "never"):
        prompts = frozenctx.load(tmp_path, pack=pack, types="check")
        assert prompts["a"].system(n=1) == "1"
        with pytest.raises(ValuesError, match="`a`, `n`: expected an integer, found `str`"):
            prompts["a"].system(n="1")


def test_a_prompt_that_declares_nothing_takes_everything() -> None:
    assert frozenctx.load(files(package("a", "{{ n }}")), types="check")["a"].system(n=None) == "None"


def test_another_word_for_types_is_refused() -> None:
    with pytest.raises(ValueError, match="types is 'names' or 'check', not True"):
        frozenctx.load(files(package("a", "x")), types=True)  # type: ignore[arg-type]
