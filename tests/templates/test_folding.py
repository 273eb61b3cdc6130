"""What is computed at build, and what must not be."""

from __future__ import annotations

import pytest
from frozenctx_compiler.templates.dialect import Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
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
