"""What a template exports is what jinja2's module of it has."""

from __future__ import annotations

import jinja2
import pytest
from frozenctx_compiler.exports import exported
from frozenctx_compiler.package import TemplateText
from frozenctx_compiler.templates.dialect import CTX
from frozenctx_compiler.templates.parse import parse

BASE = "{% set base = 1 %}{% block b %}{% set in_base_block = 1 %}{% endblock %}{% macro base_macro() %}{% endmacro %}"


@pytest.mark.parametrize(
    "source",
    [
        "text {{ 1 }}",
        "{% macro a() %}{% set inner = 1 %}{% macro deeper() %}{% endmacro %}{% endmacro %}",
        "{% macro _b() %}{% endmacro %}{% macro c() %}{% endmacro %}",
        "{% set a = 1 %}{% set b, (c, _d) = 1, (2, 3) %}{% set e %}text{% endset %}{% set f | upper %}x{% endset %}",
        "{% if true %}{% set a = 1 %}{% if true %}{% macro m() %}{% endmacro %}{% endif %}{% endif %}",
        "{% for x in [1] %}{% set a = x %}{% else %}{% set b = 1 %}{% endfor %}",
        "{% with c = 1 %}{% set d = 1 %}{% endwith %}{% set e = 1 %}",
        "{% filter upper %}{% set a = 1 %}{% endfilter %}{% block c %}{% set b = 1 %}{% endblock %}",
        "{% set a %}{% set b = 1 %}{% endset %}{% autoescape true %}{% set c = 1 %}{% endautoescape %}",
        "{% set ns = namespace(a=1) %}{% set ns.b = 2 %}{% set ns.c %}x{% endset %}",
        "{% from 'base' import base, base_macro as m %}{% import 'base' as lib %}{% set own = base %}",
        "{% extends 'base' %}{% set a = 1 %}{% block b %}{% set c = 1 %}{% endblock %}{% macro d() %}{% endmacro %}",
        "{% extends 'base' if true else 'base' %}{% set a = 1 %}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{% set a = 1 %}{% endcall %}{% do [] %}",
    ],
)
def test_names_that_can_be_imported_are_those_of_jinja2s_module(source: str) -> None:
    sources = {"lib": source, "base": BASE}
    environment = jinja2.Environment(loader=jinja2.DictLoader(sources), extensions=["jinja2.ext.do"])
    module = environment.get_template("lib").module
    partials = {name: TemplateText(name, name, text, parse(text, name, CTX)) for name, text in sources.items()}
    names = frozenset(name for name in vars(module) if not name.startswith("_"))
    assert exported("lib", partials) == names


def test_all_branches_count_and_a_base_that_is_not_there_leaves_it_open() -> None:
    def names(source: str) -> frozenset[str] | None:
        return exported("lib", {"lib": TemplateText("lib", "lib", source, parse(source, "lib", CTX))})

    source = "{% if x %}{% set a = 1 %}{% elif y %}{% set b = 1 %}{% else %}{% set c = 1 %}{% endif %}"
    assert names(source) == frozenset("abc")
    assert names("{% extends 'gone' %}") is None
    assert names("{% extends x %}") is None
    assert names("{% extends 'lib' %}{% set a = 1 %}") == frozenset("a")
