"""Programs render what jinja2 renders, and fail as jinja2 fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from frozenctx_compiler.templates.dialect import CTX, Dialect
from templates.cases import CASES, sources_of, variables_of
from templates.oracle import by_jinja, by_program
from templates.random_templates import differences

UNDEFINED: list[Any] = ["Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined"]


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_program_renders_what_jinja2_renders(name: str, kind: str) -> None:
    sources = sources_of(name)
    assert by_program(sources, variables_of(name), kind=kind) == by_jinja(sources, variables_of(name))


# With the guard these differ by intention: templates look at names that begin with an underscore.
GUARDED: set[str] = set()


@pytest.mark.parametrize("name", [name for name in CASES if name not in GUARDED])
def test_guard_changes_nothing_for_templates_that_read_no_internals(name: str) -> None:
    sources = sources_of(name)
    assert by_program(sources, variables_of(name), guard=True) == by_jinja(sources, variables_of(name))


@pytest.mark.parametrize("undefined", UNDEFINED)
@pytest.mark.parametrize("name", [name for name in CASES if "undefined" in name or "loop" in name])
def test_each_class_of_undefined_values_behaves_as_in_jinja2(name: str, undefined: Any) -> None:
    dialect = replace(CTX, undefined=undefined)
    sources = sources_of(name)
    assert by_program(sources, variables_of(name), dialect) == by_jinja(sources, variables_of(name), dialect)


@pytest.mark.parametrize("autoescape", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_jinja2s_own_defaults_are_a_dialect(name: str, autoescape: bool) -> None:
    dialect = Dialect(autoescape=autoescape, extensions=("loopcontrols", "do"))
    sources = sources_of(name)
    assert by_program(sources, variables_of(name), dialect) == by_jinja(sources, variables_of(name), dialect)


@pytest.mark.parametrize(
    ("options", "source"),
    [
        ({"block_start_string": "<%", "block_end_string": "%>"}, "<% if a %>x<% endif %>{% raw %}"),
        ({"variable_start_string": "${", "variable_end_string": "}"}, "${ a }{{ a }}"),
        ({"comment_start_string": "<#", "comment_end_string": "#>"}, "<# no #>{# yes #}"),
        ({"line_statement_prefix": "%", "line_comment_prefix": "##"}, "% if a\n  x ## comment\n% endif\nend"),
        ({"newline_sequence": "\r\n"}, "a\nb\r\nc"),
        ({"keep_trailing_newline": True}, "a\n\n"),
        ({"trim_blocks": True}, "{% if a %}\nx\n{% endif %}\n"),
        ({"lstrip_blocks": True}, "   {% if a %}\n   x\n   {% endif %}\n"),
    ],
)
def test_every_option_of_the_dialect_means_what_it_means_in_jinja2(options: dict[str, Any], source: str) -> None:
    dialect = Dialect(**options)
    assert by_program({"main": source}, {"a": 1}, dialect) == by_jinja({"main": source}, {"a": 1}, dialect)


def test_random_templates_render_and_fail_as_in_jinja2() -> None:
    assert differences(first=0, count=250) == []
