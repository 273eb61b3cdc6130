"""The filters of CTX-FORMAT section 5 that jinja2 does not have."""

import json
import textwrap
import time
from typing import Any

import pytest
from frozenctx.errors import UndefinedError
from frozenctx.template import undefined
from frozenctx.template.language import FILTERS
from frozenctx.template.markup import Markup
from hypothesis import given, settings
from hypothesis import strategies as st
from templates_library.test_filters import JSON


@settings(max_examples=300, deadline=None)
@given(JSON, st.sampled_from([None, 0, 2, 4, "\t"]))
def test_to_json_writes_what_json_dumps_writes_without_ascii_escapes(value: Any, indent: Any) -> None:
    assert FILTERS["to_json"](value, indent) == json.dumps(value, ensure_ascii=False, indent=indent)


def test_to_json_keeps_the_order_of_insertion_and_non_ascii_text() -> None:
    assert FILTERS["to_json"]({"ж": 1, "a": "日本 <&'>"}) == '{"ж": 1, "a": "日本 <&\'>"}'
    assert FILTERS["to_json"]({"b": [1], "a": {}}, indent=2) == '{\n  "b": [\n    1\n  ],\n  "a": {}\n}'


@pytest.mark.parametrize("value", [{1, 2}, object, {(1, 2): 3}, b"x", [1, 1j], {"a": {"b": {3}}}])
@pytest.mark.parametrize("indent", [None, 2])
def test_to_json_raises_json_s_error_for_what_json_cannot_say(value: Any, indent: Any) -> None:
    with pytest.raises(TypeError) as ours:
        FILTERS["to_json"](value, indent)
    with pytest.raises(TypeError) as theirs:
        json.dumps(value, indent=indent)
    assert str(ours.value) == str(theirs.value)


def test_to_json_reports_a_circle_each_time() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for _ in range(2):
        with pytest.raises(ValueError, match="Circular reference detected"):
            FILTERS["to_json"](circle)


@pytest.mark.parametrize("kind", ["Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined"])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_filters_name_the_undefined(kind: str, indent: Any) -> None:
    value = getattr(undefined, kind)(name="ticket")
    with pytest.raises(UndefinedError, match="'ticket' is undefined"):
        FILTERS["to_json"]({"a": [value]}, indent)
    with pytest.raises(UndefinedError, match="'ticket' is undefined"):
        FILTERS["from_json"](value)


def test_from_json_reads_text_and_markup_and_bytes_and_refuses_the_rest() -> None:
    for text in (
        '{"b": [1, 2.0, null], "a": "é"}',
        Markup('{"b": [1, 2.0, null], "a": "é"}'),
        b'{"b": [1, 2.0, null], "a": "\xc3\xa9"}',
    ):
        assert FILTERS["from_json"](text) == {"b": [1, 2.0, None], "a": "é"}
    with pytest.raises(json.JSONDecodeError, match="Expecting value"):
        FILTERS["from_json"]("nope")
    with pytest.raises(TypeError, match="must be str, bytes or bytearray, not dict"):
        FILTERS["from_json"]({})


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_from_json_is_the_inverse_of_to_json(value: Any) -> None:
    assert repr(FILTERS["from_json"](FILTERS["to_json"](value))) == repr(json.loads(json.dumps(value)))


@pytest.mark.parametrize(
    ("value", "arguments", "expected"),
    [
        ("a", (), "<data>a</data>"),
        ("a & <b> \"c\" 'd'", ("doc",), "<doc>a &amp; &lt;b&gt; \"c\" 'd'</doc>"),
        ("&amp;", (), "<data>&amp;amp;</data>"),
        (None, (), "<data></data>"),
        ("", ("x",), "<x></x>"),
        (0, (), "<data>0</data>"),
        (["<", 1], (), "<data>['&lt;', 1]</data>"),
        ({"k": "&"}, ("d",), "<d>{'k': '&amp;'}</d>"),
        ("two\nlines\n", (), "<data>two\nlines\n</data>"),
        (Markup("<b>"), (), "<data>&lt;b&gt;</data>"),
    ],
)
def test_as_xml(value: Any, arguments: tuple[str, ...], expected: str) -> None:
    result = FILTERS["as_xml"](value, *arguments)
    assert (type(result), result) == (str, expected)


@pytest.mark.parametrize(
    ("value", "lang", "expected"),
    [
        ("x = 1", "python", "```python\nx = 1\n```"),
        ("x = 1\n", "", "```\nx = 1\n```"),
        ("a\n\n", "", "```\na\n\n```"),
        ("", "", "```\n\n```"),
        ("say `hi`", "", "```\nsay `hi`\n```"),
        ("```\nin\n```", "md", "````md\n```\nin\n```\n````"),
        ("a ````` b ``` c", "", "``````\na ````` b ``` c\n``````"),
        (42, "", "```\n42\n```"),
    ],
)
def test_as_codeblock_fence_is_longer_than_what_it_holds(value: Any, lang: str, expected: str) -> None:
    assert FILTERS["as_codeblock"](value, lang) == expected


def test_lists_have_a_line_for_each_item() -> None:
    assert FILTERS["numbered_list"](["a", 2, None]) == "1. a\n2. 2\n3. None"
    assert FILTERS["numbered_list"](("a", "b"), start=9) == "9. a\n10. b"
    assert FILTERS["numbered_list"](iter("ab"), 0) == "0. a\n1. b"
    assert FILTERS["bulleted_list"](["a", "b"]) == "- a\n- b"
    assert FILTERS["bulleted_list"]({"k": 1, "l": 2}, bullet="*") == "* k\n* l"
    assert FILTERS["numbered_list"]([]) == FILTERS["bulleted_list"]([]) == ""


@pytest.mark.parametrize("name", ["as_xml", "as_codeblock", "numbered_list", "bulleted_list", "dedent"])
def test_an_undefined_raises_its_own_error(name: str) -> None:
    with pytest.raises(UndefinedError, match="'items' is undefined"):
        FILTERS[name](undefined.StrictUndefined(name="items"))


def test_a_numbered_list_says_what_is_wrong_with_the_value_and_then_with_where_to_start() -> None:
    numbered = FILTERS["numbered_list"]
    lost = undefined.StrictUndefined(name="items")
    for start in (1, "a", 1.5, None, undefined.Undefined(name="n")):
        with pytest.raises(UndefinedError, match="'items' is undefined"):
            numbered(lost, start)
        with pytest.raises(TypeError, match="'int' object is not iterable"):
            numbered(1, start)
    for value in ([], ["a"], iter("ab"), undefined.Undefined(name="items")):
        with pytest.raises(UndefinedError, match="'n' is undefined"):
            numbered(value, undefined.Undefined(name="n"))
        for start in ("a", 1.5, None):
            with pytest.raises(TypeError, match=f"'{type(start).__name__}' object cannot be interpreted as an integer"):
                numbered(value, start)
    assert numbered(["a", "b"], True) == "1. a\n2. b"
    assert numbered(undefined.Undefined(name="items")) == ""


@settings(max_examples=500, deadline=None)
@given(st.text(st.sampled_from(list(" \t\nab\r\x0b\u00a0")), max_size=40))
def test_dedent_equals_textwrap_dedent(text: str) -> None:
    assert FILTERS["dedent"](text) == textwrap.dedent(text)
    assert FILTERS["dedent"](Markup(text)) == textwrap.dedent(text)


def test_as_codeblock_takes_time_in_proportion_to_the_text() -> None:
    runs = "x".join("`" * length for length in (3, 200_000, 5, 200_001))
    start = time.process_time()
    assert FILTERS["as_codeblock"](runs).startswith("`" * 200_002 + "\n")
    assert time.process_time() - start < 60  # quadratic, it takes minutes
