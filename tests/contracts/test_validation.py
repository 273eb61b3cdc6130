"""The interpreter of JSON Schema against two others, on random schemas and values, and what is its own."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import frozenctx_compiler
import jsonschema
import jsonschema_rs
import pytest
from contracts import schemas_made
from contracts.schemas_made import schemas, values
from frozenctx.keywords import KEYWORDS, unknown_keywords
from frozenctx.validation import Validator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

often = settings(
    max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def problems(schema: Any, value: Any) -> list[tuple[str, str, str]]:
    """Place in the value, place in the schema, message."""
    return [(problem.pointer, problem.schema_pointer, problem.message) for problem in Validator(schema).problems(value)]


def messages(schema: Any, value: Any) -> list[str]:
    return [message for _, _, message in problems(schema, value)]


# Against the others


@often
@given(schemas(), values)
def test_a_value_fits_a_schema_exactly_when_jsonschema_rs_says_so(schema: Any, value: Any) -> None:
    assert not unknown_keywords(schema)
    assert (not problems(schema, value)) == jsonschema_rs.Draft202012Validator(schema).is_valid(value)


def _reads_otherwise(schema: Any, value: Any) -> bool:
    """What jsonschema leaves to Python: `$` before a last line end, and remainders of binary fractions."""
    return "multipleOf" in json.dumps(schema) or "\\n" in json.dumps(value)


@often
@given(schemas(), values)
def test_and_exactly_when_jsonschema_says_so(schema: Any, value: Any) -> None:
    if not _reads_otherwise(schema, value):
        assert (not problems(schema, value)) == jsonschema.Draft202012Validator(schema).is_valid(value)


@often
@given(schemas(alternatives=False), values)
def test_problems_are_at_the_places_where_jsonschema_rs_has_errors(schema: Any, value: Any) -> None:
    ours = {(problem.path, problem.place) for problem in Validator(schema).problems(value)}
    theirs = set()
    for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(value):
        path, place = tuple(error.instance_path), tuple(error.schema_path)
        # Items that must not be there: ours is one problem of the array, theirs one of each item.
        theirs.add((path[:-1] if place[-1:] == ("items",) else path, place))
    assert ours == theirs


@often
@given(schemas(), values)
def test_with_alternatives_each_problem_is_inside_of_an_error_of_jsonschema_rs_and_none_is_left_out(
    schema: Any, value: Any
) -> None:
    ours = [problem.path for problem in Validator(schema).problems(value)]
    errors = list(jsonschema_rs.Draft202012Validator(schema).iter_errors(value))
    theirs = [tuple(error.instance_path)[: -1 if error.schema_path[-1:] == ["items"] else None] for error in errors]
    assert all(any(path[: len(place)] == place for place in theirs) for path in ours)
    assert all(any(path[: len(place)] == place for path in ours) for place in theirs)


# Values


@pytest.mark.parametrize(
    ("schema", "fits", "does_not"),
    [
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, 10**1000, 1.5),
        ({"type": "number"}, 1, False),
        ({"const": 1}, 1.0, True),
        ({"const": [0, {"a": False}]}, [0.0, {"a": False}], [False, {"a": 0}]),
        ({"enum": [None, "x"]}, None, 0),
        ({"uniqueItems": True}, [1, True, "1", [1], [True]], [1, 1.0]),
        ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"a": 2, "b": 1}], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]),
        ({"multipleOf": 0.01}, 0.07, 0.075),
        ({"multipleOf": 0.1}, 1e300, 0.25),
        ({"multipleOf": 3}, 10**400 * 3, 10**400),
        ({"maxLength": 1}, "\U0001f600", "e\u0301"),
        ({"pattern": r"^\d+$"}, "12", "12\n"),
        ({"pattern": r"^\d+$"}, "12", "\u0661"),
        ({"pattern": r"^\w$"}, "a", "é"),
        ({"pattern": r"^\s$"}, "\ufeff", "\x1c"),
        ({"pattern": r"^[\s]\S$"}, "\u2003x", "\u2003\u2003"),
        ({"pattern": r"a.c"}, "a\x85c", "a\u2028c"),
        ({"pattern": r"^(?<year>\d)\k<year>$"}, "11", "12"),
        ({"pattern": r"^\u{1F600}[^]$"}, "\U0001f600\n", "\U0001f600"),
        ({"pattern": r"^[[a|&~]$"}, "[", "]"),
        ({"pattern": r"^[a[]$"}, "[", "b"),
        ({"pattern": r"^\$\.$"}, "$.", "$x"),
        ({"pattern": r"^\ud83d\uDE00$"}, "\U0001f600", "x"),
        ({"pattern": r"^[\ud83d\ude00-\ud83d\ude02]$"}, "\U0001f601", "\U0001f603"),
        ({"pattern": r"^\u{1f600}[\u0041\]\1]$"}, "\U0001f600A", "\U0001f600B"),
        ({"pattern": r"^\B$"}, "", "a"),
        ({"pattern": r"a\Bb"}, "ab", "a b"),
        ({"pattern": r"^(a)?b\1$"}, "b", "ba"),
        ({"pattern": r"^(a)?b\1+$"}, "aba", "ab"),
        ({"pattern": r"^(?:(?<x>a)|b)\k<x>$"}, "b", "a"),
        ({"pattern": r"^(a)\\1$"}, "a\\1", "aa"),
        ({"$ref": "#/$defs/a~1b%25~0", "$defs": {"a/b%~": {"type": "null"}}}, None, 1),
        ({"$ref": "#name", "$defs": {"a": {"$anchor": "name", "type": "null"}}}, None, 1),
        ({"$id": "https://example.com/x#", "$ref": "https://example.com/x#/$defs/a", "$defs": {"a": False}}, ..., 1),
        ({"type": "array", "items": {"$ref": "#"}}, [[], [[]]], [[], [1]]),
        ({"definitions": {"a": True}, "$ref": "#/definitions/a"}, 1, ...),
        ({"format": "date", "contentEncoding": "base64", "x-mine": 1}, "no date", ...),
        (True, 1, ...),
        (False, ..., 1),
    ],
)
def test_values_are_json(schema: Any, fits: Any, does_not: Any) -> None:
    assert not unknown_keywords(schema)
    assert fits is ... or not problems(schema, fits)
    assert does_not is ... or problems(schema, does_not)


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def below(frames: int, call: Callable[[], Any]) -> Any:
    """What a call returns that is made so many frames of Python further down."""
    return below(frames - 1, call) if frames else call()


TREE = {
    "$defs": {"node": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/list"}, {"$ref": "#/$defs/leaf"}]},
              "leaf": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
              "list": {"type": "array", "items": {"allOf": [{"oneOf": [{"$ref": "#/$defs/node"}]}]}}},
    "$ref": "#/$defs/node",
}  # fmt: skip


@pytest.mark.parametrize("frames", [0, sys.getrecursionlimit() - 300])
def test_nesting_is_bounded_by_a_number_and_not_by_the_stack(frames: int) -> None:
    deep, wanted = nested(5000), "the value is nested too deeply, in more than 200 levels"
    schemas: list[Any] = [{"type": "array", "items": {"$ref": "#"}}, TREE]
    for schema in schemas:
        assert below(frames, partial(problems, schema, nested(201))) == []
        ((pointer, _, message),) = below(frames, partial(problems, schema, deep))
        assert (pointer, message) == ("/0" * 201, wanted)
    assert below(frames, lambda: problems({"const": deep}, nested(5000))) == []
    assert len(below(frames, lambda: problems({"enum": [nested(4999)]}, deep))) == 1
    assert len(below(frames, lambda: problems({"uniqueItems": True}, [deep, {}, deep]))) == 1


@often
@given(st.data())
def test_each_value_is_compared_once_with_each_schema_however_many_ways_lead_there(data: st.DataObject) -> None:
    names = ["a", "b", "c"]
    references = st.sampled_from([{"$ref": f"#/$defs/{name}"} for name in names])
    inside = st.recursive(
        references | st.sampled_from([{"type": "integer"}, {"const": "x"}, {"required": ["a"]}, {"maxProperties": 1}]),
        lambda inner: st.builds(
            lambda keyword, schemas: {keyword: schemas},
            st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=2, max_size=3),
        )
        | st.builds(lambda schema: {"not": schema}, inner)
        | st.builds(lambda one, two: {"if": one, "then": two, "else": one}, inner, inner),
        max_leaves=5,
    )  # fmt: skip
    two = st.fixed_dictionaries({"a": inside, "b": inside})
    keywords = {
        "properties": two, "items": inside, "contains": inside, "unevaluatedProperties": inside,
        "dependentSchemas": st.builds(lambda schemas: {"a": {"properties": schemas}}, two), "type": st.just("object"),
    }  # fmt: skip
    definition = st.fixed_dictionaries({}, optional=keywords)
    schema = {"$ref": "#/$defs/a", "$defs": {name: data.draw(definition) for name in names}}
    value: Any = data.draw(st.sampled_from([1, "x", None, {}]))
    for _ in range(30):
        value = data.draw(st.sampled_from([{"a": value}, {"a": value, "b": 1}, {"b": value, "a": "x"}, [value, 1]]))
    visits = 0

    def view(value: Any, _: Any) -> Any:
        nonlocal visits
        visits += 1
        return value

    Validator(schema, view).problems(value)
    assert visits <= 100 * json.dumps(schema).count("{")  # 30 levels of at most 3 values, and the constants


def test_the_same_problem_of_one_value_is_told_once() -> None:
    schema = {"allOf": [{"properties": {"x": {"$ref": "#"}}}, {"properties": {"x": {"$ref": "#"}}}], "type": "object"}
    value: Any = 5
    for _ in range(40):
        value = {"x": value}
    assert messages(schema, value) == ["expected an object, found 5"]


# Messages


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "string"}, 5, ["expected a string, found 5"]),
        ({"type": ["integer", "null"]}, [], ["expected an integer or null, found an empty array"]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", ['expected an integer or null, found "x"']),
        ({"anyOf": [{"anyOf": [{"type": "object"}, {"type": "array"}]}, {"type": "string"}]}, 5, [
            "expected an object or an array or a string, found 5"
        ]),
        ({"enum": ["a", 1, None]}, "b", ['expected one of "a", 1, null, found "b"']),
        ({"enum": list(range(20))}, 99, ["expected one of 0, 1, 2, 3, 4, 5, 6, 7 and 12 more, found 99"]),
        ({"const": {"a": [1]}}, {}, ['expected {"a": [1]}, found an empty object']),
        ({"required": ["a", "b"]}, {"b": 1}, ['the property "a" is missing']),
        (
            {"properties": {"title": {}}, "additionalProperties": False},
            {"tilte": 1},
            ['the property "tilte" is not allowed; did you mean `title`?'],
        ),
        ({"minLength": 2}, "x", ["expected at least 2 characters, found 1"]),
        ({"minProperties": 2}, {"a": 1}, ["expected at least 2 properties, found 1"]),
        ({"maxItems": 1}, [1, 2], ["expected at most 1 item, found 2"]),
        ({"items": False}, [1], ["expected at most 0 items, found 1"]),
        ({"uniqueItems": True}, [1, 2, 1], ["the items at 0 and 2 are equal"]),
        ({"exclusiveMaximum": 1}, 1, ["expected less than 1, found 1"]),
        ({"multipleOf": 0.5}, 0.7, ["expected a multiple of 0.5, found 0.7"]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, [
            'the name "ab" of a property: expected at most 1 character, found 2'
        ]),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, ['the property "b" is missing, which goes with "a"']),
        ({"contains": {"type": "null"}}, [1], [
            'expected at least 1 item that fit `contains`: {"type": "null"}, found 0'
        ]),
        ({"not": {"type": "null"}}, None, ['null is what the schema excludes here: {"type": "null"}']),
        ({"oneOf": [True, {"type": "null"}]}, None, [
            "fits several of 2 alternatives (numbers 1 and 2) and must fit one only"
        ]),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, [
            'fits none of 2 alternatives: the property "a" is missing; or the property "b" is missing'
        ]),
        ({"properties": {"a": False}}, {"a": 1}, ["nothing is allowed here, found 1"]),
    ],
)  # fmt: skip
def test_a_message_says_what_is_expected_and_what_was_found(schema: Any, value: Any, said: list[str]) -> None:
    assert messages(schema, value) == said


ANIMALS = {
    "anyOf": [
        {"type": "null"},
        {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}},
        {
            "type": "object",
            "properties": {"kind": {"const": "dog"}, "friends": {"items": {"$ref": "#"}}},
            "required": ["kind", "name"],
        },
    ]
}


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"kind": "dog"}, [("", "/anyOf/2/required")]),
        ({"kind": "cat", "lives": "9"}, [("/lives", "/anyOf/1/properties/lives/type")]),
        (
            {"kind": "dog", "name": "x", "friends": [{"kind": "cat"}, {"kind": "cat", "lives": None}]},
            [("/friends/1/lives", "/anyOf/1/properties/lives/type")],
        ),
        (7, [("", "/anyOf")]),
    ],
)
def test_of_alternatives_the_one_that_fits_best_says_what_is_wrong(value: Any, places: list[tuple[str, str]]) -> None:
    assert [(where, place) for where, place, _ in problems(ANIMALS, value)] == places


def test_messages_are_short_and_printable_whatever_the_value_is() -> None:
    wild = "\x00\x1b[31m\u202e\ud800" + "x" * 100_000
    schema: Any = {"additionalProperties": False, "properties": {"a": {"enum": ["b"]}}, "propertyNames": False}
    for _ in range(6):
        schema = {"anyOf": [schema, {**schema, "minProperties": 9}, {"required": ["q" * 1000]}]}
    found = messages(schema, {wild: 1, "a": wild})
    assert found
    assert all(len(message) <= 300 and message.isprintable() for message in found)


# What is not known


@pytest.mark.parametrize(
    ("schema", "places"),
    [
        ({"nullable": True}, ["/nullable"]),
        ({"properties": {"a": {"properties": {"b": {"typ": "null"}}}}}, ["/properties/a/properties/b/typ"]),
        ({"const": {"typ": 1}, "default": {"typ": 1}, "enum": [{"typ": 1}], "examples": [{"typ": 1}]}, []),
        ({"$ref": "#/elsewhere/a", "elsewhere": {"a": {"typ": 1}}}, ["/elsewhere", "/elsewhere/a/typ"]),
        ({"allOf": [{"items": {"minimum": "1"}}]}, ["/allOf/0/items/minimum"]),
        ({"type": "text"}, ["/type"]),
        ({"type": []}, ["/type"]),
        ({"required": "a"}, ["/required"]),
        ({"enum": []}, ["/enum"]),
        ({"allOf": [True], "$ref": "#/allOf/" + "9" * 5000}, ["/$ref"]),
        ({"allOf": [True], "$ref": "#/allOf/00"}, ["/$ref"]),
        ({"allOf": [True], "$ref": "#/allOf/\u0660"}, ["/$ref"]),
        ({"maxLength": 1.5}, ["/maxLength"]),
        ({"maxLength": 1.0}, []),
        ({"minItems": True}, ["/minItems"]),
        ({"multipleOf": 0}, ["/multipleOf"]),
        ({"items": [True]}, ["/items"]),
        ({"anyOf": []}, ["/anyOf"]),
        ({"properties": [1]}, ["/properties"]),
        ({"pattern": r"\p{L}"}, ["/pattern"]),
        ({"patternProperties": {"[": True}}, ["/patternProperties/["]),
        ({"$ref": "#/$defs/a"}, ["/$ref"]),
        ({"$ref": "https://example.com/a"}, ["/$ref"]),
        ({"$dynamicRef": "#a"}, ["/$dynamicRef"]),
        ({"properties": {"a": {"$id": "x"}}}, ["/properties/a/$id"]),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x"}, []),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, []),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, ["/$schema"]),
        ([], [""]),
        (1, [""]),
    ],
)
def test_what_cannot_be_worked_with_is_told_with_its_place(schema: Any, places: list[str]) -> None:
    assert [unknown.pointer for unknown in unknown_keywords(schema)] == places


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"type": "null"}, {"$ref": "#"}]},
        {"$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        {"if": True, "then": {"dependentSchemas": {"a": {"else": {"$ref": "#/then"}}}}},
    ],
)
def test_references_in_a_circle_that_looks_at_one_value_only_are_told_and_end(schema: Any) -> None:
    (unknown,) = unknown_keywords(schema)
    assert unknown.pointer.endswith("/$ref")
    assert "never end" in unknown.reason
    Validator(schema).problems({"a": 1})


def test_every_keyword_with_a_meaning_is_tried_by_the_random_schemas() -> None:
    text = Path(schemas_made.__file__).read_text("utf-8")
    untried = {name for name, shape in KEYWORDS.items() if shape != "remark" and f'"{name}"' not in text}
    assert untried == {"definitions"}


def test_nothing_in_the_schemas_of_the_examples_is_unknown() -> None:
    examples = Path(__file__).parents[2] / "examples/prompts"
    prompts = frozenctx_compiler.load(examples, env_files=[f"{examples}.env"])
    made = [schema for prompt in prompts.values() for schema in (prompt.reply_schema, prompt.input_schema) if schema]
    assert len(made) > 10
    assert not [unknown.reason for schema in made for unknown in unknown_keywords(schema)]
