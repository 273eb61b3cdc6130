"""Drift: what is the same in other writing is no difference, and what is another thing is one, with rows to read."""

import copy
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import api
from frozenctx_compiler.contracts import schema_graphs
from frozenctx_compiler.contracts.drift import compared
from hypothesis import given, settings
from hypothesis import strategies as st

NULL = {"type": "null"}
NODE = 'class N:\n    v: int\n    kid: "N | None" = None\n'
MUTUAL = 'class A:\n    b: "B | None" = None\nclass B:\n    a: "A | None" = None\n'
INT, TEXT = {"type": "integer"}, {"type": "string"}


def rows(root: Path, stub: str, schema: Any, code: str = "tool-schema-drift") -> list[str] | None:
    """The rows of the finding with a code, None without one."""
    package = root / "p.ctx"
    package.mkdir(exist_ok=True)
    (package / "settings.yaml").write_text("model: openai/gpt-5\n", "utf-8")
    (package / "prompt.j2").write_text("Hi.", "utf-8")
    (package / "tools.pyi").write_text(f'__server__ = "s"\n{stub}\n', "utf-8")
    served = {"servers": {"s": {"tools": [{"name": "f", "inputSchema": schema}]}}}
    (root / "served.json").write_text(json.dumps(served), "utf-8")
    found = list(api.check(root, tools_snapshot=root / "served.json").report.diagnostics)
    assert {each.code for each in found} <= {"tool-schema-drift", "tool-text-drift"}, found
    told = [note for each in found if each.code == code for note in each.notes if "differ" in note]
    return [" ".join(line.split()) for note in told for line in note.split("\n")[2:]] if told else None


def arguments(definitions: Mapping[str, Any] | None = None, /, **properties: Any) -> dict[str, Any]:
    """What a server serves for arguments that all are required but for those that may be null."""
    required = [name for name, part in properties.items() if "?" not in part]
    parts = {name: {key: value for key, value in part.items() if key != "?"} for name, part in properties.items()}
    whole = {"type": "object", "properties": parts, "required": required}
    return {**whole, "$defs": dict(definitions)} if definitions else whole


def an_object(_required: str = "", /, **properties: Any) -> dict[str, Any]:
    needed = {"required": _required.split()} if _required else {}
    return {"type": "object", "properties": properties, **needed}


def either(*members: Any) -> dict[str, Any]:
    return {"anyOf": list(members)}


def ref(pointer: str) -> dict[str, Any]:
    return {"$ref": pointer}


N = an_object("v", v=INT, kid=either(ref("#/$defs/N"), NULL))
A = an_object(b=either(ref("#/$defs/B"), NULL))
B = an_object(a=either(ref("#/$defs/A"), NULL))
SAME = {
    "recursion with a level written out": (
        NODE + "def f(a: N): ...",
        arguments({"N": N}, a=an_object("v", v=INT, kid=either(ref("#/$defs/N"), NULL))),
    ),
    "recursion with three levels written out": (
        NODE + "def f(a: N): ...",
        arguments(
            {"N": an_object("v", v=INT, kid=either(an_object("v", v=INT, kid=either(ref("#/$defs/N"), NULL)), NULL))},
            a=ref("#/$defs/N"),
        ),
    ),
    "recursion to where it stands, as zod has it": (
        NODE + "def f(a: N): ...",
        arguments(a=an_object("v", v=INT, kid=either(ref("#/properties/a"), NULL))),
    ),
    "classes that name each other, one written out": (
        MUTUAL + "def f(a: A): ...",
        arguments({"A": A, "B": B}, a=an_object(b=either(B, NULL))),
    ),
    "one class under two names": (
        NODE + "def f(a: N): ...",
        arguments(
            {
                "X": an_object("v", v=INT, kid=either(ref("#/$defs/Y"), NULL)),
                "Y": an_object("v", v=INT, kid=either(ref("#/$defs/X"), NULL)),
            },
            a=ref("#/$defs/X"),
        ),
    ),
    "a pointer with an index": (
        "class P:\n    x: int\ndef f(a: P | None, b: P): ...",
        arguments(a=either(an_object("x", x=INT), NULL), b=ref("#/properties/a/anyOf/0")),
    ),
    "a pointer with percents": (
        "class P:\n    x: int\ndef f(a: P): ...",
        arguments({"P[int]": an_object("x", x=INT)}, a=ref("#/$defs/P%5Bint%5D")),
    ),
    "a pointer with escapes": (
        "class P:\n    x: int\ndef f(a: P): ...",
        arguments({"a/b~c": an_object("x", x=INT)}, a=ref("#/$defs/a~1b~0c")),
    ),
    "an anchor": (
        "class P:\n    x: int\ndef f(a: P): ...",
        arguments({"P": {**an_object("x", x=INT), "$anchor": "p"}}, a=ref("#p")),
    ),
    "a class named in another alphabet": (
        'class Größe:\n    k: list["Größe"]\ndef f(a: Größe): ...',
        arguments(a=an_object("k", k={"type": "array", "items": ref("#/properties/a")})),
    ),
    "a list of types with items": (
        "def f(a: list[str] | None): ...",
        arguments(a={"type": ["array", "null"], "items": TEXT}),
    ),
    "a list of types with a format": (
        "from datetime import datetime\ndef f(a: datetime | None): ...",
        arguments(a={"type": ["string", "null"], "format": "date-time"}),
    ),
    "a list of types with values": (
        'def f(a: Literal["x", "y"] | None): ...',
        arguments(a={"type": ["string", "null"], "enum": ["x", "y", None]}),
    ),
    "a list of types with fields": (
        "class P:\n    x: int\ndef f(a: P | None): ...",
        arguments(a={**an_object("x", x=INT), "type": ["null", "object"], "additionalProperties": False}),
    ),
    "a list of types in a union": (
        "def f(a: list[str] | int | None): ...",
        arguments(a=either({"type": ["array", "null"], "items": TEXT}, INT)),
    ),
    "constants in a union": (
        'def f(a: Literal["x", "y"]): ...',
        arguments(a=either({"const": "x"}, {"const": "y", "type": "string"})),
    ),
    "values in a nested union": (
        'def f(a: Literal["x", "y", 3] | None): ...',
        arguments(a=either(either({"enum": ["y", None]}, {"const": 3.0}), {"const": "x"})),
    ),
    "both booleans": ("def f(a: Literal[True, False]): ...", arguments(a={"type": "boolean"})),
    "nested unions through references": (
        "def f(a: int | str | None): ...",
        arguments({"I": either(INT, ref("#/$defs/T")), "T": either(TEXT, NULL)}, a=ref("#/$defs/I")),
    ),
    "unions that contain themselves": (
        "def f(a: int | str): ...",
        arguments({"I": either(INT, ref("#/$defs/I"), TEXT)}, a=ref("#/$defs/I")),
    ),
    "what goes with another type": (
        "def f(a: str): ...",
        arguments(a={"type": "string", "items": {"type": "integer"}, "minimum": 3}),
    ),
    "closed objects": (
        "class P:\n    x: int\ndef f(a: P): ...",
        {**arguments(a={**an_object("x", x=INT), "additionalProperties": False}), "additionalProperties": False},
    ),
    "a closed object without arguments": ("def f(): ...", {"type": "object", "additionalProperties": False}),
    "a schema of references": (
        "class P:\n    x: int\ndef f(a: P): ...",
        {"$ref": "#/definitions/f", "definitions": {"f": arguments(a=an_object("x", x=INT))}},
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_what_is_the_same_in_other_writing_is_no_drift(tmp_path: Path, case: str) -> None:
    assert rows(tmp_path, *SAME[case]) is None


DEEPER = 'class B:\n    a: "B | None" = None\nclass A:\n    b: B\ndef f(a: A): ...'
OTHER = {
    "references that lead back to another place": (
        DEEPER,
        arguments({"A": an_object("b", b=an_object(a=either(ref("#/$defs/A"), NULL)))}, a=ref("#/$defs/A")),
        ["a.b.a.a object of a or null -", "a.b.a.b - object of a"],
    ),
    "a level that is not as the others": (
        NODE + "def f(a: N): ...",
        arguments(
            {"N": N},
            a=an_object("v", v=INT, kid=either(an_object("v", v=TEXT, kid=either(ref("#/$defs/N"), NULL)), NULL)),
        ),
        ["a.kid.v integer string"],
    ),
    "a closed object without fields": (
        "def f(a: dict): ...",
        arguments(a={"type": "object", "additionalProperties": False}),
        ["a.* anything nothing"],
    ),
    "a closed object with no properties": (
        "def f(a: dict): ...",
        arguments(a={"type": "object", "properties": {}, "additionalProperties": False}),
        ["a.* anything nothing"],
    ),
    "items of any type": ("def f(a: list[int]): ...", arguments(a={"type": "array"}), ["a[] integer anything"]),
    "a default of null": (
        'def f(a: str = "x"): ...',
        arguments(a={"type": "string", "default": None, "?": 1}),
        ['a default "x" null'],
    ),
    "a type less": (
        "def f(a: int | str | None): ...",
        arguments(a={"type": ["null", "string"]}),
        ["a integer or string or null null or string"],
    ),
    "a member that differs": (
        "def f(a: int | str | None): ...",
        arguments(a={"type": ["null", "boolean", "string"]}),
        ["a integer boolean"],
    ),
    "a value less": (
        'def f(a: Literal["x", "y"] | None): ...',
        arguments(a={"enum": ["x", None]}),
        ['a enum ["x", "y"] ["x"]'],
    ),
    "recursion that goes on": (
        "class N:\n    kids: list[N]\ndef f(a: N): ...",
        arguments(a=an_object("kids", kids={"type": "array", "items": an_object("kids", kids={"type": "array"})})),
        ["a.kids[].kids[] object of kids anything"],
    ),
    "a reference to nowhere": (
        "def f(a: int): ...",
        arguments(a=ref("#/$defs/None")),
        ['a integer {"$ref": "#/$defs/None"}'],
    ),
    "a reference to itself": (
        "def f(a: int): ...",
        arguments({"A": ref("#/$defs/A")}, a=ref("#/$defs/A")),
        ['a integer {"$ref": "#/$defs/A"}'],
    ),
    "a reference and something else": (
        "class P:\n    x: int\ndef f(a: P): ...",
        arguments({"P": an_object("x", x=INT)}, a={"$ref": "#/$defs/P", "properties": {"y": TEXT}}),
        None,
    ),
    "two unions of objects": (
        "class P:\n    x: int\nclass Q:\n    x: str\ndef f(a: P | Q): ...",
        arguments(a=either(an_object("x", x=NULL), an_object("x", x={"type": "boolean"}))),
        None,
    ),
    "two parameters of one class": (
        NODE + "def f(a: N, b: N): ...",
        arguments(
            {"N": an_object("v", v=TEXT, kid=either(ref("#/$defs/N"), NULL))}, a=ref("#/$defs/N"), b=ref("#/$defs/N")
        ),
        ["a.v integer string", "b.v integer string"],
    ),
    "further items of a tuple": (
        "def f(a: tuple[int, str]): ...",
        arguments(a={"type": "array", "prefixItems": [INT, TEXT]}),
        ["a items false -"],
    ),
}


@pytest.mark.parametrize("case", OTHER)
def test_what_is_another_thing_has_rows_to_read(tmp_path: Path, case: str) -> None:
    stub, schema, expected = OTHER[case]
    found = rows(tmp_path, stub, schema)
    assert found is not None
    assert expected is None or found == expected
    assert all("$ref" not in row for row in found) or "reference" in case


TEXTS = {
    "members of a union": (
        'def f(a: Annotated[int, "x"] | Annotated[str, "y"]): ...',
        arguments(a=either({**TEXT, "description": "y"}, {**INT, "description": "aa"})),
        ["a description x aa"],
    ),
    "members of a union that another has not": (
        'def f(a: Annotated[int, "x"] | Annotated[str, "y"]): ...',
        arguments(a=either({**INT, "description": "zz"}, {**TEXT, "description": "y"})),
        ["a description x zz"],
    ),
    "below further properties": (
        'class P:\n    x: Annotated[int, "x"]\ndef f(a: dict[str, P]): ...',
        arguments(a={"type": "object", "additionalProperties": an_object("x", x={**INT, "description": "z"})}),
        ["a.*.x description x z"],
    ),
    "of constants": (
        'def f(a: Literal["x", "y"]): ...',
        arguments(a=either({"const": "x", "description": "One."}, {"const": "y", "description": "Two."})),
        ["a description - One.", "a description - Two."],
    ),
    "beside a reference": (
        NODE + "def f(a: N): ...",
        arguments({"N": {**N, "description": "Below."}}, a={**ref("#/$defs/N"), "description": "Here."}),
        ["a description - Here.", "a.kid description - Below."],
    ),
    "the same": (
        'def f(a: Annotated[list[int], "x"] | None): ...',
        arguments(a=either(either({"type": "array", "items": INT, "description": "x"}), NULL)),
        None,
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_texts_are_compared_member_by_member(tmp_path: Path, case: str) -> None:
    stub, schema, expected = TEXTS[case]
    assert rows(tmp_path, stub, schema) is None
    assert rows(tmp_path, stub, schema, "tool-text-drift") == expected


@pytest.mark.parametrize("levels", [200, 300, 5000])
def test_a_long_chain_of_references_is_compared_to_its_end(tmp_path: Path, levels: int) -> None:
    definitions = {f"A{i}": an_object(x=ref(f"#/$defs/A{i + 1}")) for i in range(levels)}
    schema, other = (arguments({**definitions, f"A{levels}": end}, a=ref("#/$defs/A0")) for end in (INT, TEXT))
    assert rows(tmp_path, "def f(a: int): ...", schema) == ["a integer object of x"]
    (found,) = compared(schema, other)[0]
    assert found.where == "…" + ("x" + ".x" * 29)
    assert (len(found.where), found.declared, found.served) == (60, "integer", "string")


WIDE = {name: ref("#/$defs/W") for name in map(str, range(300))}
ITEMS = [{"type": "array", "items": ref("#/$defs/W"), "minItems": count} for count in range(200)]
FIELDS = {name: ref(f"#/$defs/{name}") for name in map(str, range(150))}


def circle(length: int, other: int = -1) -> dict[str, Any]:
    """Classes of which each contains the next, and the last the first; one of them has something else besides."""
    others = [{"y": NULL} if at == other else {} for at in range(length)]
    return {str(at): an_object(x=ref(f"#/$defs/{(at + 1) % length}"), **others[at]) for at in range(length)}


LARGE = {
    "fields without a type": ({}, INT, {"W": {"properties": WIDE}}, ref("#/$defs/W"), ["a"]),
    "lists of alternatives": ({}, INT, {"W": either(*ITEMS)}, ref("#/$defs/W"), ["a"]),
    "all use all": (
        {name: an_object(**FIELDS) for name in FIELDS}, ref("#/$defs/0"),
        {name: an_object(**FIELDS, **({"y": NULL} if name == "17" else {})) for name in FIELDS}, ref("#/$defs/0"),
        ["a.17.y"],
    ),
    "circles of other lengths": (circle(7), ref("#/$defs/0"), circle(1001), ref("#/$defs/0"), []),
    "circles of which one has more": (
        circle(61), ref("#/$defs/0"), circle(1000, 17), ref("#/$defs/0"),
        ["a" + 17 * ".x" + ".y", "…x" + 28 * ".x" + ".y"],
    ),
    "alternatives without end": (
        {}, INT, {str(i): either({**TEXT, "minLength": i + 1}, ref(f"#/$defs/{i + 1}")) for i in range(1500)},
        ref("#/$defs/0"), ["a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_large_schemas_are_compared_in_no_time_and_little_room(case: str) -> None:
    ours, mine, theirs, served, places = LARGE[case]
    found, _ = compared(arguments(ours, a=mine), arguments(theirs, a=served))
    assert [each.where for each in found] == places


def test_what_takes_too_many_steps_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_graphs, "MOST_STEPS", 1000)
    definitions = {f"A{i}": an_object(x=ref(f"#/$defs/A{i + 1}")) for i in range(1000)}
    assert rows(tmp_path, "def f(a: int): ...", arguments({**definitions, "A1000": INT}, a=ref("#/$defs/A0"))) is None
    (found,) = api.check(tmp_path, tools_snapshot=tmp_path / "served.json").report.diagnostics
    assert (found.code, found.level) == ("tool-schema-drift", "error")
    assert "too large a schema" in found.headline


# -- any schema, written in another way --

KINDS = ["integer", "string", "boolean", "null", "number"]
CLASSES = {
    "P": an_object("x", x=INT, p=either(ref("#/$defs/P"), NULL)),
    "Q": an_object("q", q=ref("#/$defs/R"), s={"type": "array", "items": ref("#/$defs/Q")}),
    "R": an_object(p=either(ref("#/$defs/P"), ref("#/$defs/Q"), NULL)),
}
schemas = st.recursive(
    st.one_of(
        st.sampled_from([{"type": kind} for kind in KINDS]),
        st.sampled_from([ref(f"#/$defs/{name}") for name in CLASSES]),
        st.lists(st.sampled_from(["x", "y", 3, None]), min_size=1, unique=True).map(lambda values: {"enum": values}),
        st.just({"type": "string", "format": "date"}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda members: {"anyOf": members}),
        inner.map(lambda items: {"type": "array", "items": items}),
        inner.map(lambda values: {"type": "object", "additionalProperties": values}),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda parts: an_object("a0", **{f"a{i}": p for i, p in enumerate(parts)})
        ),
    ),
    max_leaves=5,
)


def rewritten(schema: Any, way: random.Random, depth: int = 0) -> Any:
    """The same schema, written in another way."""
    if "$ref" in schema:
        if depth < 4 and way.random() < 0.5:
            return rewritten(CLASSES[schema["$ref"][8:]], way, depth + 1)
        return way.choice([schema, {"allOf": [schema]}, {"anyOf": [schema]}, ref(schema["$ref"].replace("$", "%24"))])
    again = {**schema}
    if "properties" in again:
        names = way.sample(list(again["properties"]), len(again["properties"]))
        again["properties"] = {name: rewritten(again["properties"][name], way, depth) for name in names}
        if way.random() < 0.5:
            again["additionalProperties"] = False
    for keyword in ("items", "additionalProperties"):
        if isinstance(again.get(keyword), dict):
            again[keyword] = rewritten(again[keyword], way, depth)
    if "anyOf" in again:
        members = [rewritten(member, way, depth) for member in again["anyOf"]]
        way.shuffle(members)
        again["anyOf"] = [{"anyOf": members[:2]}, *members[2:]] if way.random() < 0.3 else members
        kinds = [member.get("type") for member in members]
        if all(isinstance(kind, str) for kind in kinds) and len({*kinds}) == len(kinds) and "enum" not in str(members):
            both = {**members[0], "type": kinds}
            if len(members) == 2 and members[1].keys() == {"type"} and not {*kinds} >= {"integer", "number"}:
                again = both
    if "enum" in again and way.random() < 0.5:
        again = {"anyOf": [{"const": value} for value in again["enum"]]}
    return again


def complete(schema: Any) -> dict[str, Any]:
    return arguments(CLASSES, a=schema)


@given(schemas, st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_any_schema_written_in_another_way_is_no_drift(schema: Any, seed: int) -> None:
    again = complete(rewritten(schema, random.Random(seed)))
    assert compared(complete(schema), again) == ([], []), again


@given(schemas, st.integers(0, 2**32), st.sampled_from(["P", "Q", "R"]))
@settings(max_examples=300, deadline=None)
def test_a_class_that_is_another_is_drift_wherever_it_is_used(schema: Any, seed: int, name: str) -> None:
    changed = complete(rewritten(schema, random.Random(seed)))
    way = random.Random(seed)
    classes = copy.deepcopy(CLASSES)
    properties = classes[name]["properties"]
    properties[way.choice(sorted(properties))] = {"type": "array", "items": {"type": "boolean"}}
    changed["$defs"] = classes
    used: list[str] = []
    ahead = [changed["properties"]]
    while ahead:  # the classes that the schema leads to
        text = json.dumps(ahead.pop())
        for each in CLASSES:
            if f"$defs/{each}" in text.replace("%24", "$") and each not in used:
                used.append(each)
                ahead.append(classes[each])
    found, _ = compared(complete(schema), changed)
    assert bool(found) == (name in used), changed
