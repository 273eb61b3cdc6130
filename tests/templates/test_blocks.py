"""Blocks and inheritance in every mixture of programs: with a context, without one, and both in one chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import jinja2
import pytest
from frozenctx.errors import TemplateNotFound, UndefinedError
from frozenctx.template import Engine, Template, pass_context
from frozenctx.template.undefined import StrictUndefined
from frozenctx_compiler.templates.dialect import CTX, Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse

from .oracle import Outcome, jinja_environment, outcome_of, without_addresses

Sources = Mapping[str, str]


def program(source: str, kind: Any = "lean", name: str = "t.j2", dialect: Dialect = CTX) -> str:
    return lower(parse(source, name, dialect), name=name, file=name, dialect=dialect, kind=kind).text


def loaded(sources: Sources, kinds: Mapping[str, str], dialect: Dialect = CTX) -> Template:
    engine = Engine(guard=False, autoescape=dialect.autoescape)
    made: dict[str, Template] = {}

    def lookup(name: str) -> Template:
        if name not in sources:
            raise TemplateNotFound(name)
        if name not in made:
            made[name] = Template(program(sources[name], kinds[name], name, dialect), engine, lookup)
        return made[name]

    return lookup("main")


def mixtures(sources: Sources) -> list[dict[str, str]]:
    """Return, for each way to choose, name → kind of program."""
    return [dict(zip(sources, kinds, strict=True)) for kinds in product(("lean", "kept"), repeat=len(sources))]


def outcome(render: Callable[[], str]) -> Outcome:
    try:
        return without_addresses(render())
    except Exception as error:
        return outcome_of(error)


# Which functions


def test_blocks_and_what_extends_or_has_them_need_no_context() -> None:
    for source in (
        "{% macro m(x) %}<{{ x }}>{% endmacro %}{% block b %}{{ y }}{{ f() }}{% include 'p' %}{% endblock %}"
        "{{ m(1) }}",
        "{% extends 'p' %}{% set x = 1 %}{% block b %}{{ super() }}{% block c scoped %}{% endblock %}{% endblock %}",
        "{% if x %}{% extends y %}{% endif %}{{ self.b }}{% block b required %}{% endblock %}",
        "{{ self }}",
        "{% import 'a' as m %}{% import 'b' as m %}{% for m in x %}{% block b %}{% endblock %}{% endfor %}",
    ):
        text = program(source)
        assert "def root(variables, own, blocks=None):" in text
        assert "context" not in text


def test_a_template_that_has_no_blocks_is_not_given_any() -> None:
    assert "def root(variables, own):" in program("{% include 'p' %}{% macro m() %}{% endmacro %}{{ m() }}")


@pytest.mark.parametrize(
    "source",
    [
        "{% block b %}{% autoescape true %}{{ x }}{% endautoescape %}{% endblock %}",
        "{% set m = 1 %}{% import 'a' as m %}{% block b %}{% endblock %}",
    ],
)
def test_where_autoescape_changes_or_a_name_is_imported_and_set_functions_take_a_context(source: str) -> None:
    text = program(source)
    assert "def root(context):" in text
    assert "def block_b(context):" in text


def test_what_is_only_called_is_called_without_an_object_for_it() -> None:
    text = program("{% block a %}{{ super() }}{{ self.b() }}{% endblock %}{% block b %}{% endblock %}{{ self.a() }}")
    assert "TemplateReference" not in text
    assert "blocks.super" not in text
    assert "blocks['b'][0](variables, own, blocks)" in text


# In every mixture as jinja2

CHAINS: dict[str, dict[str, str]] = {
    "super": {
        "main": "{% extends 'mid' %}{% block a %}1{{ super() }}{{ super.super() }}{{ super.super is defined }}"
        "{{ super.super.super is defined }}{% endblock %}",
        "mid": "{% extends 'base' %}{% block a %}2{{ super() | upper }}{% endblock %}",
        "base": "[{% block a %}three {{ x }}{% endblock %}]",
    },
    "super of none": {"main": "{% extends 'base' %}{% block a %}{{ super() }}{% endblock %}", "base": "{{ self.a() }}"},
    "super as a value": {
        "main": "{% extends 'base' %}{% block a %}{% set s = super %}{{ s() }}{{ s.name }}{{ s.super is defined }}"
        "{% macro m(f) %}<{{ f() }}>{% endmacro %}{{ m(super) }}{{ m(self.b) }}{% include 'part' %}{% endblock %}",
        "base": "{% block a %}{{ x }}{% endblock %}{% block b %}b{% endblock %}",
        "part": "{{ super() }}{{ self.b is defined }}",
    },
    "self": {
        "main": "{% extends 'base' %}{% block a %}{{ self.b() }}{{ self.b.super() }}{{ self }}"
        "{{ self.zzz is defined }}"
        "{% endblock %}{% block b %}mine{% endblock %}",
        "base": "{{ self.a() }}{{ self.b() }}{% set x = 'later' %}{{ self.b.super() }}{% block a %}{% endblock %}"
        "{% block b %}{{ x }}{% endblock %}{% macro m() %}{{ self.b() }}{% endmacro %}{{ m() }}",
    },
    "self of a root that extends": {
        "main": "{% set kept = [] %}{% do kept.append(self) %}{{ self.a() }}{% extends 'base' %}"
        "{% block a %}a{% endblock %}",
        "base": "{{ kept[0].a() }}{{ kept[0].b() }}{% block b %}b{{ x }}{% endblock %}{{ kept[0] }}",
    },
    "a block of self from before what extends": {
        "main": "{% set a = self.a %}{% set s = a.super %}{% extends 'base' %}{% block a %}1{{ super() }}"
        "{% endblock %}",
        "base": "{{ a() }}{{ a.super() }}{{ s is defined }}{% set x = 'set' %}{{ a() }}{% block a %}{{ x }}"
        "{% endblock %}{{ a.name }}",
    },
    "sets reach blocks": {
        "main": "{% set y = 'before' %}{% extends 'mid' %}{% set z = y ~ x %}{% block a %}{{ x }}{{ y }}{{ z }}"
        "{{ m() }}"
        "{% set x = 'own' %}{{ x }}{% block b %}{{ x }}{% endblock %}{% endblock %}{% macro m() %}m{{ x }}"
        "{% endmacro %}",
        "mid": "{% extends 'base' %}{% set x = 'mid' %}{% if z %}{% set y = y ~ '+' %}{% endif %}",
        "base": "{% block a %}{% endblock %}{% set x = 'base' %}{{ y }}{{ self.a() }}{{ m() }}",
    },
    "what is kept for later": {
        "main": "{% extends 'base' %}{% block a %}{% macro m() %}{{ x }}{{ self.c() }}{% endmacro %}"
        "{% do kept.append(m) %}{{ m() }}{% endblock %}{% block c %}c{{ x }}{% endblock %}",
        "base": "{% block a %}{% endblock %}{% set x = 'set' %}{{ kept[0]() }}{% block c %}{% endblock %}"
        "{% for y in [1] %}{% block d scoped %}{{ y }}{{ kept[0]() }}{% endblock %}{% endfor %}",
    },
    "scoped": {
        "main": "{% extends 'base' %}{% block row %}{{ i }}{{ loop.index }}{{ super() }}{{ x }}{% set i = 'own' %}"
        "{% block deep scoped %}{{ i }}{% endblock %}{% block flat %}{{ i is defined }}{% endblock %}{% endblock %}",
        "base": "{% set x = 'set' %}{% for i in [1, 2] %}{% set j = i %}{% block row scoped %}<{{ i }}{{ j }}>"
        "{% endblock %}{% block plain %}{{ i is defined }}{% endblock %}{% endfor %}",
    },
    "required": {
        "main": "{% extends 'mid' %}{% block b %}b{% endblock %}",
        "mid": "{% extends 'base' %}",
        "base": "{% block b required %}{% endblock %}{% block c required %} {% endblock %}",
    },
    "nested": {
        "main": "{% extends 'base' %}{% block inner %}{{ super() }}!{% endblock %}",
        "base": "{% block outer %}({% block inner %}{{ x }}{% endblock %}){% endblock %}{{ self.inner() }}",
    },
    "extends by condition": {
        "main": "before{% if x %}{% extends 'base' %}{% endif %}after{{ x }}{% block a %}mine{% endblock %}"
        "{% for i in [1] %}loop{% endfor %}",
        "base": "[{% block a %}{% endblock %}]",
    },
    "extends not, by condition": {
        "main": "before{% if not x %}{% extends 'base' %}{% endif %}after{{ x }}"
        "{% block a %}mine{{ super is defined }}"
        "{% endblock %}",
        "base": "[{% block a %}{% endblock %}]",
    },
    "extends what is computed": {
        "main": "{% extends ['ba', 'se'] | join %}{% block a %}{{ super() }}+{% endblock %}",
        "base": "[{% block a %}{{ x }}{% endblock %}]",
    },
    "extends a list": {"main": "{% extends ['base'] %}", "base": "{% block a %}{% endblock %}"},
    "extends a tuple": {"main": "{% extends ('no', 'base') %}", "base": "{% block a %}{% endblock %}"},
    "imports a list": {"main": "{% import ['base'] as b %}{% block a %}{% endblock %}", "base": ""},
    "imports from a tuple": {"main": "{% from ('no', 'base') import b %}{% block a %}{% endblock %}", "base": ""},
    "extends twice": {"main": "{% extends 'base' %}{% extends 'base' %}", "base": "{% block a %}{% endblock %}"},
    "extends twice, by condition": {
        "main": "{% if x %}{% extends 'base' %}{% endif %}{% extends 'base' %}",
        "base": "{% block a %}{% endblock %}",
    },
    "a parent without blocks": {
        "main": "{% set y = 'set' %}{% extends 'mid' %}{% block a %}never{% endblock %}",
        "mid": "{{ x }}{{ y }}{% set x = 'mid' %}{{ x }}{% include 'base' %}"
        "{% import 'base' as b with context %}{{ b }}",
        "base": "({{ x }}{{ y }})",
    },
    "what a child writes besides": {
        "main": "{% macro n(i) %}{{ caller(i) }}{% endmacro %}{% extends 'base' %}text{{ 1 / 0 }}"
        "{% for i in [1] %}loop{% endfor %}{% with y = 1 %}with{% endwith %}"
        "{% set t %}{% block a %}in a set{% endblock %}{% endset %}{% macro m() %}{{ t }}{% endmacro %}"
        "{% call(i) n(1) %}{{ i }}{% endcall %}",
        "base": "[{% block a %}{% endblock %}{{ t }}{{ m() }}]",
    },
    "imports": {
        "main": "{% extends 'base' %}{% from 'lib' import row, shown with context %}{% import 'lib' as lib %}"
        "{% block a %}{{ row(x) }}{{ lib.row(1) }}{{ shown }}{% for i in [1, 2] %}{{ row(i) }}{% endfor %}"
        "{% from 'lib' import row as other %}{{ other(3) }}{% endblock %}",
        "base": "{% block a %}{% endblock %}{{ row(4) }}{{ lib.shown }}",
        "lib": "{% macro row(i) %}|{{ i }}{% endmacro %}{% set shown = x | default('none') %}{% block z %}"
        "{% endblock %}",
    },
    "an include that extends": {
        "main": "{% set x = 'mine' %}{% include 'part' %}{% block a %}{% include 'part' %}{% endblock %}",
        "part": "{% extends 'base' %}{% block a %}part's {{ x }}{{ super() }}{% endblock %}",
        "base": "[{% block a %}{{ x }}{% endblock %}]",
    },
    "blocks in macros and call blocks": {
        "main": "{% macro w() %}<{{ caller() }}>{% endmacro %}{% call w() %}{% block a %}{{ x }}{% endblock %}"
        "{% endcall %}"
        "{% macro m(x) %}{% block b scoped %}{{ x }}{% endblock %}{% block c %}{{ x }}{% endblock %}{% endmacro %}"
        "{{ m(1) }}{% filter upper %}{% block d %}d{{ x }}{% endblock %}{% endfilter %}",
    },
    "scoped blocks in macros and call blocks in loops": {
        "main": "{% macro w() %}<{{ caller() }}>{% endmacro %}{% for i in [1, 2] %}{% call w() %}{% block a scoped %}"
        "{{ i }}{{ loop.index }}{% endblock %}{% endcall %}{% endfor %}{% for i in [3] %}{% macro m() %}"
        "{% block b scoped %}{{ i }}{{ loop is defined }}{% endblock %}{% endmacro %}{{ m() }}{% endfor %}"
        "{% for i in [4] %}{% for j in [5] %}{% call w() %}{% for k in [6] %}{% block c scoped %}{{ i }}{{ j }}{{ k }}"
        "{{ loop.last }}{% endblock %}{% endfor %}{% endcall %}{% endfor %}{% else %}{% block d scoped %}"
        "{% endblock %}{% endfor %}",
    },
    "macros that ask for blocks of templates extended later": {
        "main": "{% macro m() %}{{ self.b() }}{% endmacro %}{% macro n() %}{% block z %}0{{ super() }}{{ self.b() }}"
        "{% endblock %}{% endmacro %}{% set s = self %}{% extends 'mid' %}{% block a %}{{ m() }}{{ n() }}{{ s.b() }}"
        "{{ super() }}{% endblock %}",
        "mid": "{% macro o() %}{{ self.z() }}{{ self.c() }}{% endmacro %}{% extends 'low' %}{% block z %}1{{ super() }}"
        "{% endblock %}",
        "low": "{% extends 'base' %}{% block a %}{{ o() }}{% endblock %}{% block z %}2{{ super() }}{% endblock %}",
        "base": "{% block a %}{% endblock %}{% block b %}b{% endblock %}{{ m() }}{{ n() }}{{ o() }}{{ s.z() }}"
        "{% block z %}3{% endblock %}{% block c %}c{{ s }}{% endblock %}",
    },
    "context for the host": {
        "main": "{% extends 'base' %}{% set y = 'set' %}{% block a %}{% set z = 'own' %}{{ seen() }}"
        "{% for i in [1] %}{% set w = i %}{{ seen() }}{% endfor %}{{ seen() }}{% endblock %}",
        "base": "{{ seen() }}{% set x = 'base' %}{% block a %}{% endblock %}{{ seen() }}",
    },
    "an error in a block": {
        "main": "{% extends 'base' %}{% block a %}{{ super() }}{% endblock %}",
        "base": "{% block a %}{{ x.y.z }}{% endblock %}",
    },
    "autoescape": {
        "main": "{% extends 'base' %}{% block a %}{{ super() ~ '<' }}{{ self.b() }}{{ m('<') }}{% endblock %}"
        "{% macro m(t) %}{{ t }}{{ html }}{% endmacro %}",
        "base": "{% block a %}{{ html }}<{% endblock %}{% block b %}{{ [html, '<'] | join }}{% endblock %}",
    },
    "a namespace that a top level sets": {
        "main": "{% extends 'base' %}{% set n = namespace(a=1) %}{% block a %}{% set n.a %}text{% endset %}"
        "{% endblock %}",
        "base": "{% block a %}{% endblock %}{% block b %}{% set n.a = 2 %}{% endblock %}{{ n.a }}",
    },
    "a call that goes wrong": {
        "main": "{% extends 'base' %}{% block a %}{{ f(**1) }}{% endblock %}",
        "base": "{% block a %}{% endblock %}",
    },
}  # fmt: skip


def variables(mark: Callable[[Any], Any]) -> dict[str, Any]:
    def seen(context: Any) -> str:
        names = ("x", "y", "z", "w", "i")
        values = ",".join(f"{name}={context.get(name)}" for name in names)
        return f"{values};{context.name};{sorted(context.blocks)};{[*map(len, context.blocks.values())]};"

    return {"x": "given", "html": "<b>", "kept": [], "seen": mark(seen), "f": lambda **kwargs: ""}


@pytest.mark.parametrize("name", list(CHAINS))
@pytest.mark.parametrize("dialect", [CTX, Dialect(autoescape=True, extensions=CTX.extensions)])
def test_each_mixture_of_programs_renders_as_jinja2(name: str, dialect: Dialect) -> None:
    sources = CHAINS[name]
    theirs = outcome(
        lambda: jinja_environment(sources, dialect).get_template("main").render(variables(jinja2.pass_context))
    )
    for kinds in mixtures(sources):
        ours = outcome(lambda: loaded(sources, kinds, dialect).render(variables(pass_context)))  # noqa: B023
        assert ours == theirs, kinds


@pytest.mark.parametrize("name", list(CHAINS))
def test_each_mixture_exports_what_jinja2_exports_and_gives_the_same_in_pieces(name: str) -> None:
    sources = CHAINS[name]

    def exported(template: Any, mark: Callable[[Any], Any]) -> str:
        module = template.make_module(variables(mark))
        return f"{module}|{sorted(name for name in vars(module) if name[:1] != '_')}"

    template = jinja_environment(sources, CTX).get_template("main")
    theirs = outcome(lambda: exported(template, jinja2.pass_context))
    for kinds in mixtures(sources):
        main = loaded(sources, kinds)
        assert outcome(lambda: exported(main, pass_context)) == theirs, kinds  # noqa: B023
        whole = outcome(lambda: main.render(variables(pass_context)))  # noqa: B023
        assert outcome(lambda: "".join(main.generate(variables(pass_context)))) == whole, kinds  # noqa: B023


EXPORTS = {
    "set by one, imported by the other": {
        "main": "{% extends 'base' %}{% set a = 1 %}{% set _b = 2 %}{% from 'lib' import c %}",
        "base": "{% from 'lib' import a %}{% set c = 3 %}{% if a %}{% set d = 4 %}{% endif %}{% block b %}"
        "{% endblock %}",
        "lib": "{% set a = 5 %}{% set c = 6 %}",
    },
    "in the middle": {
        "main": "{% extends 'mid' %}{% from 'lib' import a, c %}",
        "mid": "{% set a = 7 %}{% extends 'base' %}{% set c = 8 %}",
        "base": "{% from 'lib' import a %}{% set e = 9 %}",
        "lib": "{% set a = 5 %}{% set c = 6 %}",
    },
    "a name is both": {
        "main": "{% extends 'base' %}{% from 'lib' import a %}{% set a = 1 %}{% set c = 2 %}"
        "{% from 'lib' import c %}",
        "base": "{% block b %}{{ a }}{{ c }}{% endblock %}",
        "lib": "{% set a = 5 %}{% set c = 6 %}",
    },
}


@pytest.mark.parametrize("name", list(EXPORTS))
def test_exported_is_what_was_set_and_not_imported_last(name: str) -> None:
    sources = EXPORTS[name]
    module: Any = jinja_environment(sources, CTX).get_template("main").make_module({})
    theirs = {name: value for name, value in vars(module).items() if name[:1] != "_" and not callable(value)}
    for kinds in mixtures(sources):
        module = loaded(sources, kinds).make_module({})
        ours = {name: value for name, value in vars(module).items() if name[:1] != "_" and not callable(value)}
        assert ours == theirs, kinds


def test_renderings_of_one_template_do_not_see_each_other() -> None:
    sources = {
        "main": "{% extends parent %}{% block a %}{{ super() }}{{ x }}{% endblock %}",
        "one": "{% set x = 'one' %}{% block a %}1{% endblock %}",
        "two": "{% block a %}2{% endblock %}",
    }
    for kinds in mixtures(sources):
        main = loaded(sources, kinds)
        texts = [main.render(parent=parent, x="given") for parent in ("one", "two", "one")]
        assert texts == ["1one", "2given", "1one"]


def test_a_block_calls_the_one_that_it_overrides() -> None:
    main = loaded({"main": "{% block b %}{{ super() }}{% endblock %}"}, {"main": "lean"})
    with pytest.raises(UndefinedError, match="there is no parent block called 'b'"):
        main.render()
    assert StrictUndefined is main.engine.undefined
