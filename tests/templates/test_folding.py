"""What is computed at build, and what must not be."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest
from frozenctx.template import Engine, Template
from frozenctx.template.limits import LimitedEngine, Meter
from frozenctx.template.undefined import Undefined
from frozenctx_compiler.templates.dialect import Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
from markupsafe import Markup
from templates.oracle import by_jinja, by_program


def body(source: str, dialect: Dialect | None = None) -> str:
    dialect = dialect or Dialect()
    return lower(parse(source, "t", dialect), name="t", file="t", dialect=dialect).text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a{{ 1 + 2 * 3 }}b", "a7b"),
        ("{{ 'a' ~ 1 ~ 'b' }}", "a1b"),
        ("{{ ' ab '|trim|upper }}", "AB"),
        ("{{ -3|abs }}{{ 'abc'|length }}{{ 7 // 2 }}{{ 1 / 4 }}", "3330.25"),
        ("{{ none }}{{ true }}{{ 1.50 }}", "NoneTrue1.5"),
    ],
)
def test_constant_output_becomes_text(source: str, text: str) -> None:
    assert f"return ('{text}')" in body(source)
    assert by_jinja({"main": source}, {}) == text


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'x' * 1000000000 }}", "{{ 10 ** 1000 }}", "{{ 9999999999 * 9999999999 }}", "{{ 1 / 0 }}", "{{ 1 % 0 }}",
        "{{ [1, 2]|random }}", "{{ 'ǆ'|upper }}", "{{ lipsum() }}", "{{ 'a'|nonsense if false }}", "{{ [1]|first }}",
    ],
)  # fmt: skip
def test_what_is_large_impure_failing_or_depends_on_unicode_is_left_to_the_render(source: str) -> None:
    assert "return ('" not in body(source)


def test_filters_of_the_host_never_run_at_build() -> None:
    assert "engine.from_host('filters', 'upper')" in body("{{ 'a'|upper }}", Dialect(host_filters=("upper",)))


@pytest.mark.parametrize("autoescape", [True, False])
@pytest.mark.parametrize("source", ["{{ '<' }}", "{{ '<' ~ 1 }}", "{{ '<'|upper }}", "<{{ '<'|string }}"])
def test_constants_are_escaped_as_by_jinja2(source: str, autoescape: bool) -> None:
    dialect = Dialect(autoescape=autoescape)
    assert by_program({"main": source}, {}, dialect) == by_jinja({"main": source}, {}, dialect)


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize("undefined", ["Undefined", "StrictUndefined"])
@pytest.mark.parametrize(
    "source",
    [
        "{{ 1[0:1]|default(3) }}", "{{ {'a': 1}[0:]|default(3) }}", "{{ 1[0:1] is defined }}",
        "{{ 1[0:1]|default(x) }}",
        "{% set x = 1[0:1]|default(3) %}{{ x }}", "{% if 1[0:1] %}a{% endif %}", "{% for x in 5[:] %}{% endfor %}",
        "{{ (1[0:1]|default(3)) + x }}", "{{ x ~ (1[0:1] is defined) }}", "{{ f(1[0:1]) }}", "{{ 'abc'[1:]|upper }}",
    ],
)  # fmt: skip
def test_slices_of_constants_that_have_none_give_what_jinja2_gives(source: str, undefined: Any, kind: str) -> None:
    dialect = Dialect(undefined=undefined)
    variables = {"x": 7, "f": str}
    assert by_program({"main": source}, variables, dialect, kind=kind) == by_jinja({"main": source}, variables, dialect)


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize(
    "choice",
    [
        "true", "false", "none", "1", "''", "on", "not on", "1 == 1", "[1]", "10 ** 2", "(on, 1)|length",
        "10 ** 9999999999",
    ],
)  # fmt: skip
def test_only_a_plain_constant_says_at_build_whether_autoescape_is_on(choice: str, kind: Any) -> None:
    source = "{% autoescape " + choice + " %}<{{ x }}{{ '<' }}{{ x ~ '<' }}{% endautoescape %}{{ x }}"
    for autoescape in (True, False):
        dialect = Dialect(autoescape=autoescape)
        text = lower(parse(source, "t", dialect), name="t", file="t", dialect=dialect, kind=kind).text
        if len(choice) > 12:  # jinja2 computes it while it compiles, and never ends
            assert text
            continue
        for on in (True, False):
            variables = {"x": "<", "on": on}
            outcome = by_program({"main": source}, variables, dialect, kind=kind)
            assert outcome == by_jinja({"main": source}, variables, dialect)


CHILDREN = (
    "['<']", "('<', 1)", "{'a': '<'}", "'<' * 2", "'<' + '>'", "'%s' % '<'", "'<' ~ 1", "[1, ('<' ~ 2)]", "['<'][0]",
    "{'a': '<'}.a", "[].a|default('<')", "'<'|upper", "['<']|first", "['<', 'a'|upper]", "'<' if 1 == 1 else on",
    "on if 1 > 2 else '<'", "'<' if 1 > 2 else on", "'<' if on else '>'", "'<' if true", "'<' if false", "true and '<'",
    "'<' or x", "'' or x", "'<' and x", "not '<'", "['<', 1 > 2 > x]", "['<', x]", "'<' if 'a' is string else x",
    "'<' if [1][0] else '>'", "'<' if [1][0] else x", "'<' if 2 ** 3 == 8 else x", "'<' if 'a' in 'abc' else x",
    "(x ~ '<')", "m ~ '<'", "m", "m|upper", "f('<')", "[m, '<']", "x if [] else '<'", "{'<': none}", "none",
    "none if true else 1", "[none]",
)  # fmt: skip
CHOICES = (
    "1 == 1", "1 == 2", "[1]", "[]", "10 ** 2", "on", "not on", "true and on", "true and 1", "'a' is string",
    "('a'|upper) == 'a'", "('upper' is filter) or x", "('x' is test) or x", "2 is odd or x", "'a' is string and x",
    "([0]|first) or x", "[]|first or x", "x if 'a' is none else 1", "''|default('a', true) or x", "[0][0]",
    "on if false else 1", "1 if true", "1 / 4", "off or true",
)  # fmt: skip


PLACES = (
    "{% autoescape CHOICE %}P{% endautoescape %}P",
    "{% autoescape on %}{% autoescape CHOICE %}P{% endautoescape %}P{% endautoescape %}",
    "{% autoescape CHOICE %}{% autoescape on %}P{% endautoescape %}{% autoescape off %}P{% endautoescape %}"
    "{% autoescape true %}P{% endautoescape %}{% endautoescape %}",
    "{% autoescape off %}{% autoescape true %}P{% autoescape CHOICE %}P{% endautoescape %}{% endautoescape %}"
    "{% endautoescape %}",
)


@pytest.mark.parametrize("kind", ["lean", "limited", "reference"])
@pytest.mark.parametrize("place", PLACES)
def test_constants_are_escaped_as_jinja2_knows_it_when_it_compiles(place: str, kind: Any) -> None:
    printed = "".join(f"{child}:{{{{ {child} }}}}|" for child in CHILDREN)

    def finalize(value: Any) -> Any:
        return "-" if value is None else value

    def by_name(name: str) -> Template:
        raise LookupError(name)

    for number, choice in enumerate(CHOICES):
        autoescape, finalizes = number % 2 == 0, number % 3 == 0
        options: dict[str, Any] = {"autoescape": autoescape, "finalize": finalize if finalizes else None}
        environment = jinja2.Environment(**options)
        dialect = Dialect(autoescape=autoescape, finalize=finalizes)
        engine = (LimitedEngine if kind == "limited" else Engine)(undefined=Undefined, **options)
        source = place.replace("CHOICE", choice).replace("P", printed)
        judge = environment.from_string(source)
        text = lower(parse(source, "t", dialect), name="t", file="t", dialect=dialect, kind=kind).text
        template = Template(text, engine, by_name)
        for on in (True, False):
            variables = {"x": "<", "on": on, "off": not on, "f": str}
            with Meter(10**9, 10**9):
                ours = template.render({**variables, "m": engine.Markup("<i>")})
            theirs = judge.render({**variables, "m": Markup("<i>")})
            assert ours.split("|") == theirs.split("|"), (choice, autoescape, on)


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
def test_what_was_written_under_autoescape_escapes_so_when_it_is_called_elsewhere(kind: Any) -> None:
    for choice in CHOICES:
        source = (
            "{% set kept = [] %}{% autoescape CHOICE %}{% macro m() %}{{ x }}{{ ['<'] }}{{ y ~ x }}"
            "{% filter upper %}{{ x }}{% endfilter %}{% endmacro %}{% do kept.append(m) %}{{ m() }}{% endautoescape %}"
            "{% autoescape true %}{{ kept[0]() }}{% endautoescape %}{% autoescape false %}{{ kept[0]() }}"
            "{% endautoescape %}"
        ).replace("CHOICE", choice)
        dialect = Dialect(extensions=("do",))
        for on in (True, False):
            variables = {"x": "<", "on": on, "off": not on, "y": "&"}
            ours = by_program({"main": source}, variables, dialect, kind=kind)
            assert ours == by_jinja({"main": source}, variables, dialect), choice


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize("mark", [None, "pass_context", "pass_eval_context", "pass_environment"])
def test_constants_are_escaped_and_finalized_in_jinja2s_order(mark: str | None, kind: Any) -> None:
    source = "<{{ none }}{{ '<' }}{{ 1 + 1 }}{{ x }}{{ y }}{% autoescape x %}{{ none }}{{ '<' }}{% endautoescape %}"

    def finalize(*given: Any) -> Any:
        return "-" if given[-1] is None else f"({given[-1]})" if given[-1] == "<" else given[-1]

    def by_name(name: str) -> Template:
        raise LookupError(name)

    if mark is not None:
        finalize = getattr(jinja2, mark)(finalize)
    for autoescape in (True, False):
        environment = jinja2.Environment(autoescape=autoescape, finalize=finalize)
        dialect = Dialect(autoescape=autoescape, finalize=True)
        text = lower(parse(source, "t", dialect), name="t", file="t", dialect=dialect, kind=kind).text
        template = Template(text, Engine(autoescape=autoescape, finalize=finalize), by_name)
        variables = {"x": "<", "y": None}
        assert template.render(variables) == environment.from_string(source).render(variables)


def test_an_f_string_ends_before_python_takes_long_to_read_it() -> None:
    source = "{{ x }}" * 2000
    text = body(source)
    most = max(line.count("{") for line in text.split("\n"))
    assert 100 < most <= 200
    assert by_program({"main": source}, {"x": "'"}) == "'" * 2000
