"""One meaning per scalar: what is read is what PyYAML and a YAML 1.2 core schema reader agree on; the rest is refused.

The two oracles are independent of the compiler: yaml.SafeLoader, and the resolver below, written from section 10.3.2
of the YAML 1.2.2 specification.
"""

import datetime
import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.yamltree import compose, plain
from hypothesis import example, given
from hypothesis import strategies as st
from settings.one_package import outcome

BROKEN = object()


def yaml_1_1(text: str) -> object:
    try:
        return yaml.safe_load(f"- {text}")[0]
    except (yaml.constructor.ConstructorError, ValueError, OverflowError):
        return BROKEN


def yaml_1_2(text: str) -> object:
    rules: list[tuple[str, Any]] = [
        (r"null|Null|NULL|~|", lambda t: None),
        (r"true|True|TRUE|false|False|FALSE", lambda t: t.lower() == "true"),
        (r"[-+]?[0-9]+", int),
        (r"0o[0-7]+", lambda t: int(t[2:], 8)),
        (r"0x[0-9a-fA-F]+", lambda t: int(t[2:], 16)),
        (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", float),
        (r"[-+]?(\.inf|\.Inf|\.INF)", lambda t: -math.inf if t.startswith("-") else math.inf),
        (r"\.nan|\.NaN|\.NAN", lambda t: math.nan),
    ]
    return next((value(text) for pattern, value in rules if re.fullmatch(pattern, text)), text)


def equal(first: object, second: object) -> bool:
    return type(first) is type(second) and repr(first) == repr(second)


def read(text: str) -> tuple[object, list[str]]:
    """The one item of a list, and the codes of what was reported."""
    report = Report()
    scope = report.scoped("p")
    node = compose(f"- {text}", "f.yaml", scope)
    located = plain(node, "f.yaml", scope) if node is not None else None
    return (located.value[0] if located else None), [found.code for found in report.diagnostics]


def assert_one_meaning(text: str) -> None:
    first, second = yaml_1_1(text), yaml_1_2(text)
    value, codes = read(text)
    if first is not BROKEN and equal(first, second):
        assert codes == []
        assert equal(value, first)
    else:
        assert codes == ["ambiguous-scalar"], (first, second)


NUMBERISH = st.from_regex(r"\A[-+]?[0-9a-fA-FoOxXbB_.:eE+\-]{1,8}\Z")
WORDS = st.sampled_from(
    [
        word
        for base in ("yes", "no", "on", "off", "true", "false", "null", "y", "n", "t", "none", ".inf", ".nan")
        for word in (base, base.upper(), base.capitalize(), base[:-1], base + "s", "-" + base, "+" + base)
    ]
    + ["~", "=", "<<", "~~", "-.Inf", ".NaN", "2001-12-14t21:59:43.10-05:00", "2001-1-1 1:1:1", "2001-02-30"]
)


@given(NUMBERISH | WORDS | st.from_regex(r"\A[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\Z"))
@example("012")
@example("07")
@example("08")
@example("0x_")
@example("1e3")
@example("1.5e+3")
@example("-0")
@example("-0.0")
@example("+.5")
@example(".5")
@example("1.")
@example("190:20:30.5")
@example("0b1")
@example("-0x1F")
def test_a_plain_scalar_is_read_exactly_when_both_readings_agree(text: str) -> None:
    try:
        [event] = [e for e in yaml.parse(f"- {text}", Loader=yaml.SafeLoader) if isinstance(e, yaml.ScalarEvent)]
    except (yaml.YAMLError, ValueError):
        return  # not one scalar in the first place
    if event.value == text:
        assert_one_meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "012",
        "0o17",
        "12:30",
        "2024-01-01",
        "2024-01-01 10:00:00",
        "0b1",
        "1e3",
        "1.5e3",
        "yes",
        "No",
        "on",
        "OFF",
        "1_000",
        "1_0.5",
        "+.5",
        "-.5",
        "08",
        "-0x1F",
        "<<",
        "=",
        "1:20:30.5",
        "0x_",
    ],
)
def test_scalars_of_two_meanings_are_refused_by_name(text: str) -> None:
    report = Report()
    scope = report.scoped("p")
    node = compose(f"- {text}", "f.yaml", scope)
    assert node is not None
    assert plain(node, "f.yaml", scope) is None
    [found] = report.diagnostics
    assert found.code == "ambiguous-scalar"
    assert f"`{text}`" in found.headline
    assert found.span is not None
    assert (found.span.column, found.span.end_column) == (3, 3 + len(text))
    assert found.help is not None
    assert f'`"{text}"`' in found.help


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("+12", 12),
        ("-0", 0),
        ("07", 7),
        ("0x1f", 31),
        ("1.", 1.0),
        (".5", 0.5),
        ("1.5e+3", 1500.0),
        ("~", None),
        ("NULL", None),
        ("True", True),
        ("FALSE", False),
        ("y", "y"),
        ("1.2.3", "1.2.3"),
        (".inf", math.inf),
        ("10-5", "10-5"),
        ("_1", "_1"),
        ("0x", "0x"),
        ("0o8", "0o8"),
        ("1e", "1e"),
        ("none", "none"),
    ],
)
def test_scalars_of_one_meaning_keep_it(text: str, value: object) -> None:
    assert equal(read(text), (value, []))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'012'", "012"),
        ('"yes"', "yes"),
        ("!!str 012", "012"),
        ("!!str yes", "yes"),
        ("! abc", "abc"),
        ("!!int '12'", 12),
        ("!!float '1'", 1.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
    ],
)
def test_quotes_and_tags_settle_the_meaning(text: str, value: object) -> None:
    assert equal(read(text), (value, []))


@pytest.mark.parametrize("text", ["!!int x", "!!float 1e", "!!bool 1"])
def test_a_tag_that_does_not_fit_its_value_is_refused(text: str) -> None:
    assert read(text)[1] == ["misplaced-tag"]


@pytest.mark.parametrize("text", ["!!int '012'", "!!bool yes", "!!int 1_0", "! 12:30", "! 12"])
def test_a_tag_does_not_settle_what_is_read_in_two_ways_under_it(text: str) -> None:
    assert read(text)[1] == ["ambiguous-scalar"]


@pytest.mark.parametrize(
    "text", ["!!timestamp 2024-01-01", "!!binary aGk=", "!!set {a}", "!!omap [a: 1]", "!!pairs []"]
)
def test_yaml_types_that_are_no_plain_data_are_refused(text: str) -> None:
    assert read(text)[1] == ["unknown-tag"]


@given(NUMBERISH | WORDS, st.sampled_from(["max_tokens", "temperature", "agent", "max_rounds", "maxTokens"]))
@example("1_000", "max_tokens")
@example("1e-1", "temperature")
@example("yes", "agent")
@example("012", "max_tokens")
@example("08", "max_tokens")
@example("-08", "max_tokens")
@example("0o17", "max_tokens")
def test_a_typed_key_takes_what_yaml_1_1_gives_its_type_and_warns(text: str, key: str) -> None:
    """Against a second statement of the rule, from the two readings of the oracles."""
    try:
        [event] = [e for e in yaml.parse(f"- {text}", Loader=yaml.SafeLoader) if isinstance(e, yaml.ScalarEvent)]
    except (yaml.YAMLError, ValueError):
        return
    if event.value != text or text in ("", "<<", "=", "~", "null", "Null", "NULL"):
        return
    first, second = as_type(key, yaml_1_1(text)), as_type(key, yaml_1_2(text))
    result = outcome(f"{key}: {text}\n", Path(__file__).parent)
    if first is None or (second is not None and not equal(first, second)):
        assert result.checked is None
        assert len([code for code in result.codes if code != "yaml-1-1"]) == 1  # the warning may stand beside the error
    else:
        name = "max_tokens" if key == "maxTokens" else key
        assert equal(getattr(result.settings, name), first)
        agree = equal(yaml_1_1(text), yaml_1_2(text))
        assert result.codes == ([] if agree else ["yaml-1-1"])


def as_type(key: str, value: object) -> object:
    if key == "agent":
        words = {"true": True, "false": False}
        return words.get(value) if isinstance(value, str) else value if isinstance(value, bool) else None
    if isinstance(value, bool):
        return None
    if key == "temperature":
        if isinstance(value, str):
            value = float(value) if re.fullmatch(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", value) else None
        number = float(value) if isinstance(value, int | float) else None
        return number if number is not None and math.isfinite(number) else None
    if isinstance(value, str):
        value = int(value) if re.fullmatch(r"[-+]?\d+", value) else None
    return value if isinstance(value, int) and 0 <= value < 2**63 else None


@pytest.mark.parametrize("text", ["1.10", "2024", "true", "012", "yes", "1e3", "0o17", "12:30", ".5"])
def test_a_string_key_asks_for_quotes(text: str, tmp_path: Path) -> None:
    result = outcome(f"name: {text}\nmodel: m\n", tmp_path)
    assert result.checked is None
    [found] = result.found
    assert found.code in ("bad-value", "ambiguous-scalar")
    assert "quotes" in f"{found.help}" or f'"{text}"' in f"{found.help}"


@pytest.mark.parametrize("expression", ["", 'model: !? $env.get("M", "x")\n'])
def test_values_are_the_same_with_and_without_expressions_in_the_file(expression: str, tmp_path: Path) -> None:
    text = "meta: {a: 1.0, b: 07, c: y, d: ~, e: [true, 0x10]}\n" + expression
    assert outcome(text, tmp_path).settings.meta == {"a": 1.0, "b": 7, "c": "y", "d": None, "e": [True, 16]}


def test_dates_never_reach_a_value() -> None:
    assert isinstance(yaml_1_1("2024-01-01"), datetime.date)
    assert read("2024-01-01")[1] == ["ambiguous-scalar"]
