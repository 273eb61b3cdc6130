"""Strict JSON: the standard library's values in the file's order, and every guess of it a fault with a place."""

import json
from typing import Any

import pytest
from frozenctx_compiler.diagnostics import Diagnostic, Report
from frozenctx_compiler.jsontree import FAULTY, parse_json
from hypothesis import given
from hypothesis import strategies as st


def read(text: str) -> tuple[Any, tuple[Diagnostic, ...]]:
    report = Report()
    return parse_json(text, "s.json", report.scoped("p")), report.diagnostics


DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(DATA, st.booleans(), st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back(data: object, ascii: bool, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=ascii, indent=indent)
    value, found = read(text)
    assert not found
    assert json.dumps(value) == json.dumps(data)


@given(st.text(st.sampled_from(list('{}[]:,"\\ \n0123.-+eEtrufalsn')), max_size=20))
def test_any_text_is_the_standard_librarys_value_or_a_fault(text: str) -> None:
    value, found = read(text)
    assert (value is FAULTY) == bool(found)
    if value is FAULTY:
        for diagnostic in found:
            assert diagnostic.help
            assert diagnostic.span is not None
            assert diagnostic.span.line <= text.count("\n") + 1
    else:
        assert json.dumps(json.loads(text)) == json.dumps(value)


@given(st.text(st.sampled_from(list('{}[]:,"a 01.-')), max_size=12))
def test_what_the_standard_library_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert read(text)[0] is FAULTY


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', "duplicate-key", 2, 16),
        ('{"a": NaN}', "json-syntax", 1, 7),
        ('{"a": -Infinity}', "json-syntax", 1, 7),
        ('{"日": 1,}', "json-syntax", 1, 9),
        ("{'a': 1}", "json-syntax", 1, 2),
        ('{"a": 1 "b": 2}', "json-syntax", 1, 9),
        ('{"a" 1}', "json-syntax", 1, 6),
        ("[1, 2", "json-syntax", 1, 6),
        ("[1,]", "json-syntax", 1, 4),
        ("[01]", "json-syntax", 1, 2),
        ("[1.]", "json-syntax", 1, 2),
        ("[.5]", "json-syntax", 1, 2),
        ("[+1]", "json-syntax", 1, 2),
        ("[True]", "json-syntax", 1, 2),
        ("// x\n1", "json-syntax", 1, 1),
        ("1 2", "json-syntax", 1, 3),
        ("", "json-syntax", 1, 1),
        ('"a\nb"', "json-syntax", 1, 3),
        ('"\\q"', "json-syntax", 1, 2),
        ('"\\ud800"', "json-syntax", 1, 1),
        ("[1e999]", "json-syntax", 1, 2),
        ("[99999999999999999999]", "json-syntax", 1, 2),
        ("[" + "1" * 5000 + "]", "json-syntax", 1, 2),
        ("[" * 5000, "json-syntax", 1, 102),
    ],
    ids=range(24),
)
def test_a_fault_has_its_place(text: str, code: str, line: int, column: int) -> None:
    value, [found] = read(text)
    assert value is FAULTY
    assert found.code == code
    assert found.span is not None
    assert (found.span.line, found.span.column) == (line, column)


def test_faults_that_do_not_end_the_reading_are_said_together() -> None:
    value, found = read('{"a": NaN, "a": 01,\n "b": [True, 1e999, "\\ud800"], "c": undefined,\n}')
    assert value is FAULTY
    assert [(f.span.line, f.span.column) for f in found if f.span] == [
        (1, 7), (1, 12), (1, 17), (2, 8), (2, 14), (2, 21), (2, 37), (3, 1),
    ]  # fmt: skip
