"""Random stubs, read by us as text, and by pydantic and msgspec after they were executed: one meaning.

What the three write down differently and mean alike is brought to one form before it is compared: references are
followed, unions are flat, titles dropped, `const` is an `enum` of one. What not every msgspec says (unique items,
formats, the order of properties) or takes (unions of two kinds of text) is left out of its comparison alone.
"""

import json
import sys
import types
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pydantic
import pytest
from frozenctx_compiler.contracts.declarations import declarations_of
from frozenctx_compiler.contracts.json_schema import SchemaWriter
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.package import StubFile
from frozenctx_compiler.python_text import parse_python
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("ignore:.*ReadOnly.*")

HEAD = """\
import datetime as dt
import enum
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from enum import Enum, IntEnum, StrEnum, auto
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, Optional, Set, Tuple, Union
import typing as t

from typing_extensions import NotRequired, ReadOnly, Required, TypedDict

"""
DEEPEST = 7  # objects within objects that are compared; the random ones are less deep, unless they contain themselves
NAMES = ["Alpha", "Beta", "Gamma", "Delta"]
FIELDS = ["one", "two", "three", "zeta", "alpha", "größe"]
SCALARS = ["str", "int", "float", "bool", "None", "Any", "t.Any", "dt.datetime", "date", "time", "uuid.UUID"]


def schema_of_stub(text: str, name: str = "Output") -> dict[str, Any]:
    report = Report()
    scope = report.scoped("a")
    tree = parse_python(text, "schema.pyi", scope)
    assert tree is not None, report.diagnostics
    declared = declarations_of(StubFile("schema.pyi", text, tree), scope)
    assert report.diagnostics == (), text
    return SchemaWriter(declared.classes).schema(declared.classes[name])


# -- random stubs ------------------------------------------------------------------------------------------------------


@st.composite
def literals(draw: st.DrawFn) -> str:
    values = st.lists(st.sampled_from(['"a"', '"b c"', '"ü"', "1", "-2", "0", "None", '"1"']), min_size=1, max_size=4)
    return f"Literal[{', '.join(draw(values))}]"


def annotations(known: list[str]) -> st.SearchStrategy[str]:
    """Types, of scalars, of bare collections and of the names given."""
    leaves = st.one_of(
        st.sampled_from(SCALARS),
        st.sampled_from(["list", "dict", "set", "tuple", "List", "Dict"]),
        literals(),
        *([st.sampled_from(known), st.sampled_from(known).map(lambda name: f'"{name}"')] if known else []),
    )

    def around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        one = st.sampled_from(
            [
                "list[{}]",
                "List[{}]",
                "Sequence[{}]",
                "tuple[{}, ...]",
                "Tuple[{}, ...]",
                "dict[str, {}]",
                "t.Dict[str, {}]",
            ]
            + ["Mapping[str, {}]", "Optional[{}]", "Union[{}]", 'Annotated[{}, "words"]', 'dict[Literal["a", "b"], {}]']
            + ["frozenset[{}]", "Set[{}]", "FrozenSet[{}]"]
        )
        two = st.sampled_from(["tuple[{}, {}]", "Union[{}, {}]", "Union[{}, {}, None]"])
        return st.one_of(
            st.builds(lambda form, a: form.format(a), one, inner),
            st.builds(lambda form, a, b: form.format(a, b), two, inner, inner),
            st.builds(_with_bars, st.lists(inner, min_size=2, max_size=3)),
        )

    # Of `Optional[None]` a schema does not tell that a field of it may be left out.
    return st.recursive(leaves, around, max_leaves=5).map(lambda text: text.replace("Optional[None]", "Optional[int]"))


def _with_bars(members: list[str]) -> str:
    """`X | Y`; a text and None cannot stand beside each other at a bar when it is executed."""
    return " | ".join(f"Union[{each}]" if each == "None" or each.startswith('"') else each for each in members)


@st.composite
def stubs(draw: st.DrawFn) -> str:
    parts = [HEAD]
    known: list[str] = []
    for name in draw(st.lists(st.sampled_from(["Colour", "Level", "Odd"]), unique=True)):
        parts.append(_ENUMS[name])
        known.append(name)
    if draw(st.booleans()):
        parts.append(f"Alias = {draw(annotations(known))}\n\n")
        known.append("Alias")
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3))
    classes: dict[str, str] = {}  # name → kind
    for name in [*names, "Output"]:
        kind = draw(st.sampled_from(["class", "dict"]))
        bases = [each for each, other in classes.items() if other == kind]
        base = draw(st.sampled_from([None, *bases]))
        parts.append(draw(classes_of(name, kind, base, [*known, *classes])))
        classes[name] = kind
    return "".join(parts)


@st.composite
def classes_of(draw: st.DrawFn, name: str, kind: str, base: str | None, known: list[str]) -> str:
    fields = draw(st.lists(st.sampled_from(FIELDS), unique=True, max_size=4))
    if base is not None:  # a TypedDict may not say a field anew
        fields = [f"{name.lower()}_{field}" for field in fields]
    lines: list[str] = []
    if draw(st.booleans()):
        lines.append('    """What it is."""\n')
    contains_itself = draw(st.booleans())
    for field in fields:
        type = draw(annotations(known))
        if contains_itself and draw(st.booleans()):
            type = f'List["{name}"]'
        if kind == "dict":
            form = draw(st.sampled_from(["{}", "Required[{}]", "NotRequired[{}]", "ReadOnly[{}]"]))
            lines.append(f"    {field}: {form.format(type)}\n")
        else:
            default = draw(st.sampled_from(["", " = None"]))
            if draw(st.integers(0, 3)) == 0:
                type, default = draw(st.sampled_from(_WITH_DEFAULTS))
                default = f" = {default}"
            lines.append(f"    {field}: {type}{default}\n")
    body = "".join(lines) or "    pass\n"
    if kind == "dict":
        total = draw(st.sampled_from(["", ", total=False", ", total=True"]))
        return f"class {name}({base or 'TypedDict'}{total}):\n{body}\n\n"
    return f"@dataclass(kw_only=True)\nclass {name}{f'({base})' if base else ''}:\n{body}\n\n"


_WITH_DEFAULTS = [
    ("str", '"text"'),
    ("int", "-3"),
    ("float", "2.5"),
    ("bool", "True"),
    ("Optional[int]", "4"),
    ('Literal["a", "b"]', '"b"'),
    ("tuple[int, str]", '(1, "x")'),
    ("tuple[int, ...]", "()"),
]
_ENUMS = {
    "Colour": 'class Colour(StrEnum):\n    """Of the walls."""\n\n    RED = auto()\n    BLUE = "b l u e"\n\n\n',
    "Level": "class Level(IntEnum):\n    LOW = -1\n    HIGH = auto()\n    TOP = 7\n\n\n",
    "Odd": 'class Odd(enum.Enum):\n    A = "a"\n    B = 2\n\n\n',
}


# -- one form ----------------------------------------------------------------------------------------------------------


def plain(schema: Any, root: dict[str, Any], level: int = 0) -> Any:
    """A schema in the form that is compared: sorted, references followed, unions flat."""
    if schema is True:
        return {}
    schema = dict(schema)
    while "$ref" in schema:
        target: Any = root
        for part in schema.pop("$ref").removeprefix("#/").split("/"):
            target = target[part]
        schema = {**target, **schema}
    if "anyOf" in schema:
        members: list[Any] = []
        for each in schema["anyOf"]:
            found = plain(each, root, level)
            members += found["anyOf"] if list(found) == ["anyOf"] else [found]
        unique = {json.dumps(each, sort_keys=True): each for each in members}
        if len(unique) == 1:
            return next(iter(unique.values()))
        return {"anyOf": [unique[text] for text in sorted(unique)]}
    result: dict[str, Any] = {}
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    for keyword in ("type", "format", "uniqueItems"):
        if keyword in schema:
            result[keyword] = schema[keyword]
    if "enum" in schema:
        values = sorted({*map(json.dumps, schema["enum"])})  # a Literal may name a value twice
        if values == ["null"]:
            return {"type": "null"}
        if "null" in values:  # a Literal with None in it is a union with None
            rest = [value for value in schema["enum"] if value is not None]
            return plain({"anyOf": [{"enum": rest}, {"type": "null"}]}, root, level)
        result = {"enum": values}
    if "prefixItems" in schema:
        result["prefixItems"] = [plain(each, root, level) for each in schema["prefixItems"]]
    for keyword in ("items", "additionalProperties", "propertyNames"):
        inner = schema.get(keyword)
        if inner not in (None, False, True) and (found := plain(inner, root, level)) != {}:
            result[keyword] = found
    if result.get("propertyNames") == {"type": "string"}:
        del result["propertyNames"]
    if "properties" in schema:
        if level == DEEPEST:
            return "deeper"
        result["properties"] = [[name, field(each, root, level)] for name, each in schema["properties"].items()]
        result["required"] = sorted(schema.get("required", ()))
    return result


def field(schema: dict[str, Any], root: dict[str, Any], level: int) -> Any:
    found = plain(schema, root, level + 1)
    if schema.get("default") is not None:
        return [found, schema["default"]]
    return [found]


def without(schema: Any, *keywords: str) -> Any:
    if isinstance(schema, dict):
        return {name: without(each, *keywords) for name, each in schema.items() if name not in keywords}
    if isinstance(schema, list):
        return [without(each, *keywords) for each in schema]
    return schema


def in_any_order(schema: Any) -> Any:
    """Properties by name: msgspec puts those that are required first."""
    if isinstance(schema, dict):
        found = {name: in_any_order(each) for name, each in schema.items()}
        return {**found, "properties": sorted(found["properties"], key=str)} if "properties" in found else found
    return [in_any_order(each) for each in schema] if isinstance(schema, list) else schema


def nullable(schema: Any, root: dict[str, Any]) -> bool:
    """Whether a property is a union with None. A Literal with None among its values is none."""
    if "$ref" in schema:
        return False
    return any(each == {"type": "null"} or nullable(each, root) for each in schema.get("anyOf", ()))


def as_stubs_mean_it(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The one rule that is ours alone: a field of a plain class that may be None may be left out."""
    plain_classes = {
        line.split()[1].partition("(")[0].rstrip(":")
        for before, line in zip(text.splitlines(), text.splitlines()[1:], strict=False)
        if before.startswith("@dataclass")
    }
    for definition in [schema, *schema.get("$defs", {}).values()]:
        if definition.get("title") in plain_classes and "required" in definition:
            optional = {name for name, each in definition["properties"].items() if nullable(each, schema)}
            definition["required"] = [name for name in definition["required"] if name not in optional]
    return schema


def as_module(text: str) -> Iterator[Any]:
    """The stub as a module that is importable while it is asked, for quoted names are looked up there."""
    module: Any = types.ModuleType("random_stub")
    sys.modules["random_stub"] = module
    try:
        exec(compile(text, "random_stub.py", "exec"), module.__dict__)
        yield module
    finally:
        del sys.modules["random_stub"]


@settings(max_examples=60, deadline=None)
@given(text=stubs())
def test_pydantic_reads_the_same_from_what_is_executed(text: str) -> None:
    ours = schema_of_stub(text)
    for module in as_module(text):
        theirs = as_stubs_mean_it(text, pydantic.TypeAdapter(module.Output).json_schema(mode="validation"))
        assert plain(ours, ours) == plain(theirs, theirs), text


def test_msgspec_reads_the_same_from_what_is_executed() -> None:
    compared = 0

    @settings(max_examples=60, deadline=None)
    @given(text=stubs())
    def compare(text: str) -> None:
        nonlocal compared
        ours = without(schema_of_stub(text), "uniqueItems", "format")
        for module in as_module(text):
            try:
                theirs = msgspec.json.schema(module.Output)
            except TypeError:  # what msgspec has no type for
                return
            theirs = as_stubs_mean_it(text, without(json.loads(json.dumps(theirs)), "uniqueItems", "format"))
            theirs = theirs | theirs["$defs"]["Output"] if theirs.get("$ref") == "#/$defs/Output" else theirs
            assert in_any_order(plain(ours, ours)) == in_any_order(plain(theirs, theirs)), text
            compared += 1

    compare()
    assert compared > 15


@settings(max_examples=60, deadline=None)
@given(text=stubs())
def test_every_schema_is_one_of_2020_12_and_the_same_each_time(text: str) -> None:
    schema = schema_of_stub(text)
    assert jsonschema_rs.meta.is_valid({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert json.dumps(schema) == json.dumps(schema_of_stub(text))
