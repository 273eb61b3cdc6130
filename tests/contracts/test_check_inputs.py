"""What templates are told about the types of their `Input`: each construct of the language, one by one."""

from pathlib import Path

import frozenctx_compiler
import pytest
from frozenctx_compiler.contracts.methods import data_of, methods_of
from frozenctx_compiler.contracts.types import Scalar
from frozenctx_compiler.contracts.values import ANYTHING, TEXT, Mapping, Sequence, Tuple
from frozenctx_compiler.diagnostics import Diagnostic, Span

SCHEMA = """\
from datetime import date, datetime, time
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Person:
    name: str
    mail: str | None = None
    level: Level


class Step(TypedDict):
    does: str
    by: Person
    needs: list[str]
    items: NotRequired[int]
    below: NotRequired[list["Step"]]


class Mail(TypedDict):
    kind: Literal["mail"]
    subject: str


class Call(TypedDict):
    kind: Annotated[Literal["call"], "a call"]
    number: str


class Input:
    title: str
    count: int
    share: float
    yes: bool
    day: date
    moment: datetime
    clock: time
    id: UUID
    steps: list[Step]
    people: dict[str, Person]
    names: set[str]
    pair: tuple[Person, int]
    contact: Mail | Call
    person: Person
    level: Level
    anything: Any
    table: dict
    rows: list
    maybe: Person | None = None
    tone: str = "warm"
"""


def check(template: str, tmp_path: Path, schema: str = SCHEMA, toml: str = "", **partials: str) -> list[Diagnostic]:
    """The findings in templates, `unused-input` apart."""
    package = tmp_path / "p.ctx"
    package.mkdir()
    (tmp_path / "frozenctx.toml").write_text(toml)
    (package / "settings.yaml").write_text("model: a:b\n")
    (package / "schema.pyi").write_text(schema)
    (package / "prompt.j2").write_text(template)
    (tmp_path / "partials").mkdir()
    for name, text in partials.items():
        (tmp_path / "partials" / f"{name}.j2").write_text(text)
    found = frozenctx_compiler.check(tmp_path).report.diagnostics
    return [each for each in found if each.code != "unused-input"]


# `§` stands before what is reported: at its place, and nothing else.
WRONG = {
    "an item of a list that may be empty": "{% for s in steps | default([]) %}{{ s.§doez }}{% endfor %}"
    "{% for s in steps or [] %}{{ s.§doez }}{% endfor %}{% set all = steps | default([], true) %}{{ all[0].§doez }}"
    "{% for s in steps + (steps[0].below | default([])) %}{{ s.§doez }}{% endfor %}"
    "{% for k, p in (people or {}).items() %}{{ p.§nam }}{% endfor %}"
    "{% for k, p in people | default({}) | dictsort %}{{ p.§nam }}{% endfor %}",
    "in a loop, though another list is changed": "{% set l = [] %}{% do l.append(1) %}"
    "{% for s in steps | default([]) %}{{ s.§doez }}{% endfor %}{% for s in steps or [] %}{{ s.§doez }}{% endfor %}",
    "members of a union that a filter leaves": "{% for c in [contact] | selectattr('kind', 'eq', 'mail') %}"
    "{{ c.§number }}"
    "{% endfor %}{% for c in [contact] | rejectattr('kind', 'in', ['mail']) %}{{ c.§subject }}{% endfor %}"
    "{% for c in [contact] | selectattr('kind', 'ne', 'mail') %}{{ c.§subject }}{% endfor %}",
    "members of a union that one of several constants leaves": "{% if contact.kind in ['mail', 'x'] %}"
    "{{ contact.§number }}"
    "{% elif contact.kind not in ('call', 'y') %}{% else %}{{ contact.§subject }}{% endif %}",
    "what a loop sets, after it": "{% for s in steps %}{% set last = s %}{{ last.does }}{% endfor %}{{ §last }}"
    "{{ §s }}",
    "what a loop is over by its own name": "{% for step in §step %}{{ step }}{% endfor %}",
    "what with, a filter or a set block sets": "{% with a = 1 %}{% set b = 2 %}{% endwith %}{{ §a }}{{ §b }}"
    "{% filter upper %}"
    "{% set c = 1 %}{% endfilter %}{{ §c }}{% set d %}{% set e = 1 %}{% endset %}{{ d }}{{ §e }}",
    "loop where there is none": "{{ §loop.index }}{% for s in steps if §loop.first %}{{ loop.index }}{% endfor %}"
    "{% macro m() %}{{ §loop.index }}{% endmacro %}{% for s in steps %}{{ loop.index }}{{ m() }}{% endfor %}",
    "a key that is undefined": "{{ people.get(§nope) }}{{ {'a': 1}.get(§nope2, 2) }}{{ person.get(§nope3) }}",
    "a method of text": "{{ title.§uper() }}",
    "a method of what a method gives": "{{ title.strip().§splt() }}",
    "an attribute of a part of text": "{{ title[0].§x }}{{ title[1:].§y }}",
    "a method of a list": "{{ steps.§first }}",
    "a method of a number": "{{ count.§reel }}",
    "a method of a date": "{{ day.§hours }}{{ moment.§yaer }}{{ clock.§year }}{{ id.§hexx }}",
    "a field": "{{ person.§nam }}",
    "a key": "{{ person[§'nam'] }}",
    "a field of an item": "{{ steps[0].by.§nam }}",
    "a field of a value": "{{ people.ann.§nam }}{{ people['ann'].§nam }}{{ people[title].§nam }}",
    "a field of what get gives": "{{ people.get('ann').§nam }}{{ steps[0].get('by').§nam }}",
    "values and items of a mapping": "{% for p in people.values() %}{{ p.§nam }}{% endfor %}"
    "{% for k, p in people.items() %}{{ k.§x }}{{ p.§nam }}{% endfor %}{% for k in people %}{{ k.§x }}{% endfor %}",
    "dictsort and items": "{% for k, p in people | dictsort %}{{ p.§nam }}{% endfor %}"
    "{% for pair in people | items %}{{ pair[1].§nam }}{% endfor %}",
    "parts of a tuple": "{{ pair[0].§x }}{% set who, n = pair %}{{ who.§x }}{{ n.§y }}",
    "a set": "{% for n in names %}{{ n.§x }}{% endfor %}{{ names.§ad }}",
    "every member of a union": "{{ contact.§nam }}",
    "a member that a comparison leaves": "{% if contact.kind == 'mail' %}{{ contact.§number }}{% endif %}",
    "a member that is left": "{% if contact.kind != 'mail' %}{{ contact.§subject }}{% endif %}",
    "what set was given": "{% set p = person %}{{ p.§nam }}",
    "what with was given": "{% with p = person %}{{ p.§nam }}{% endwith %}",
    "both branches of a set": "{% if yes %}{% set p = person %}{% else %}{% set p = pair[0] %}{% endif %}{{ p.§nam }}",
    "text that is set": "{% set t %}x{% endset %}{{ t.§x }}",
    "an argument of a macro": "{% macro m(p) %}{{ p.§nam }}{% endmacro %}{{ m(person) }}",
    "a named argument": "{% macro m(a, p=1) %}{{ p.§nam }}{% endmacro %}{{ m(1, p=person) }}",
    "a default of a macro": "{% macro m(p=person) %}{{ p.§nam }}{% endmacro %}{{ m() }}",
    "one of several calls": "{% macro m(p) %}{{ p.§does }}{% endmacro %}{{ m(steps[0]) }}{{ m(person) }}",
    "an argument of caller": "{% macro m() %}{{ caller(person) }}{% endmacro %}{% call(p) m() %}{{ p.§nam }}"
    "{% endcall %}",
    "what a macro gives": "{% macro m() %}{% endmacro %}{{ m().§x }}",
    "a recursive macro": "{% macro m(s) %}{{ s.§doez }}{% for b in s.below | default([]) %}{{ m(b) }}{% endfor %}"
    "{% endmacro %}{% for s in steps %}{{ m(s) }}{% endfor %}",
    "a recursive loop": "{% for s in steps recursive %}{{ s.§doez }}{{ loop(s.below | default([])) }}{% endfor %}",
    "neighbours in a loop": "{% for s in steps %}{{ loop.§idx }}{% if not loop.first %}{{ loop.previtem.§x }}"
    "{% endif %}"
    "{% endfor %}",
    "a loop that else follows": "{% for s in steps %}{% else %}{{ person.§x }}{% endfor %}",
    "a filter of a loop": "{% for s in steps if s.§doez %}{% endfor %}",
    "first, last, random, min, max": "{{ (steps | first).§x }}{{ (steps | last).§x }}{{ (steps | random).§x }}",
    "what filters keep": "{{ (steps | sort(attribute='does') | reverse | list | unique(attribute='does') | first).§x "
    "}}",
    "batches": "{% for row in steps | batch(2) %}{% for s in row %}{{ s.§x }}{% endfor %}{% endfor %}",
    "groups": "{% for g in steps | groupby('by.name') %}{{ g.grouper.§x }}{{ g.list[0].§y }}{{ g.§z }}{% endfor %}",
    "attributes that filters are given": "{{ steps | map(attribute=§'doez') | join }}{{ steps | sum(attribute=§'n') }}"
    "{{ steps | sort(attribute=§'n') | length }}{{ steps | groupby(§'n') | length }}{{ steps | join('', §'n') }}"
    "{{ steps | selectattr(§'n') | list | length }}{{ steps | rejectattr(§'n', 'eq', 1) | list | length }}",
    "paths that filters are given": "{{ steps | map(attribute=§'by.nam') | join }}"
    "{{ steps | map(attribute='needs.0') | join }}",
    "a filter of each item": "{{ (steps | map(attribute='does') | map('upper') | first).§x }}",
    "text that filters give": "{{ (title | trim).§x }}{{ (count | string).§x }}{{ (steps | tojson).§x }}",
    "what default gives": "{{ (tone | default('x')).§x }}{{ (maybe | default(person, true)).§nam }}",
    "both sides of a choice": "{{ (person if yes else pair[0]).§nam }}",
    "or": "{{ (title or tone | default('')).§x }}",
    "lists that are added": "{{ (steps + [steps[0]])[0].§x }}",
    "text that is made": "{{ (title ~ 1).§x }}{{ ('%s' % title).§x }}{{ (title + 'x').§x }}",
    "dicts that are written": "{{ {'p': person}.p.§nam }}{{ dict(p=person).p.§nam }}",
    "an undeclared name": "{{ §titel }}{% if §nope %}{% endif %}{{ §nope2 ~ '' }}{% for x in §nope3 %}{% endfor %}",
    "an undeclared name that is compared": "{{ §nope == 1 }}{{ §nope2.x is defined }}{{ §nope3() }}"
    "{{ §nope4 | upper }}",
    "what a list holds": "{% for x in [person.§nam, title] %}{{ x }}{% endfor %}",
    "a use in a call": "{{ title.replace('a', person.§nam) }}{{ range(person.§nam) | list }}",
    "a slice": "{{ title[:person.§nam] }}",
    "numbers have no items": "{% for x in §count %}{% endfor %}{{ §share | join }}{% for x in person.level %}"
    "{% endfor %}",
    "methods have no items": "{% for k, v in people.§items %}{% endfor %}",
    "blocks": "{% block a %}{{ person.§nam }}{% endblock %}",
    "filter blocks": "{% filter upper %}{{ person.§nam }}{% endfilter %}",
    "call blocks": "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ person.§nam }}{% endcall %}",
    "what is behind another test": "{% if person.mail is defined %}{{ person.§nam }}{% endif %}",
    "a test of a defined thing": "{% if title is defined %}{{ title.§x }}{% endif %}",
    "after a guard that leaves": "{% for s in steps %}{% if s.items is defined %}{% continue %}{% endif %}{{ s.§x }}"
    "{% endfor %}",
    "a string test keeps text": "{% if title is string %}{{ title.§x }}{% endif %}",
    "beside lists that are changed": "{% set l = [] %}{% do l.append(title) %}{% for s in steps %}{{ s.§x }}"
    "{% endfor %}",
    "cycle and namespace do not hide": "{% set ns = namespace(x=1) %}{{ ns.x.y }}{{ cycler('a').next().z }}"
    "{{ person.§nam }}",
}

RIGHT = {
    "lists that begin empty": "{% set a = [] %}{{ a[0].x is defined }}{% for x in a %}{{ x.y }}{% endfor %}"
    "{% macro m(l=[], d={}) %}{% for x in l %}{{ x.y.z }}{% endfor %}{{ d.x is defined }}{% endmacro %}{{ m() }}"
    "{% set n = namespace(l=[]) %}{% for s in steps %}{% set n.l = n.l + [s] %}{% endfor %}{{ n.l[0].anything }}",
    "lists that begin empty and are changed": "{% set a = [] %}{% set b = a %}{% do b.append(person) %}"
    "{% for x in a %}{{ x.name }}{% endfor %}{{ (a + [title])[0].name }}{% set d = {} %}{% do d.update(a=person) %}"
    "{{ d.a.name }}",
    "a member that several constants leave": "{% if contact.kind in ['mail', 'call'] %}{{ contact.subject }}"
    "{{ contact.number }}{% endif %}{% for c in [contact] | rejectattr('kind', 'eq', title) %}{{ c.number }}"
    "{% endfor %}"
    "{% for c in [contact] | selectattr('kind', 'in', names) %}{{ c.number }}{{ c.subject }}{% endfor %}",
    "names that are set elsewhere": "{% macro m() %}{{ later }}{% endmacro %}{% if yes %}{% set later = 1 %}{{ m() }}"
    "{% set x = 1 %}{% block b %}{{ x }}{% endblock %}{% endif %}{{ x }}{{ later }}{% for s in steps %}"
    "{% if loop.first %}{% set y = 1 %}{% else %}{% set y = 2 %}{% endif %}{{ y }}{% endfor %}"
    "{% for s in steps %}{% if y is defined %}{{ y }}{% endif %}{% endfor %}",
    "what was asked for before it was set": "{% if x is defined %}{{ x }}{% endif %}{% if yes %}{% set x = 1 %}"
    "{% block b %}{{ x }}{% endblock %}{% endif %}",
    "defaults that ask for other arguments": "{% macro m(a=b, b=1) %}{{ a.x }}{% endmacro %}{{ m(b=person) }}",
    "loops around": "{% for s in steps %}{% for n in s.needs %}{{ n }}{% else %}{{ loop.index }}{% endfor %}"
    "{{ loop.index }}{% for n in s.needs if loop.first %}{{ n }}{% endfor %}{% macro m() %}{{ loop.index }}"
    "{% endmacro %}"
    "{{ m() }}{% endfor %}{% for s in steps recursive %}{{ s.does }}{% endfor %}{% if loop is defined %}{% endif %}",
    "what is asked for": "{{ nope is defined }}{{ nope | default(1) }}{{ person.nope is defined }}{{ person.nope | d }}"
    "{{ nope is none }}{{ nope is string }}{% if nope is defined and nope.x %}{{ nope.y }}{% endif %}",
    "behind the test": "{% if person.nope is defined %}{{ person.nope.x }}{% endif %}"
    "{% if person.nope is not defined %}{% else %}{{ person.nope }}{% endif %}"
    "{{ person.nope.x if person.nope is defined }}{{ person.nope is defined and person.nope.x }}",
    "in a macro behind a test": "{% macro m() %}{{ nope }}{% endmacro %}{% if nope is defined %}{{ m() }}{% endif %}",
    "in a macro that nothing calls": "{% macro m() %}{{ nope }}{% endmacro %}",
    "what the template sets": "{% set x = 1 %}{{ x }}{% for y in steps %}{{ y.does }}{{ loop.index }}{% endfor %}"
    "{% macro m(z) %}{{ z }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }}{% with w = 1 %}{{ w }}{% endwith %}",
    "what a branch sets": "{% if yes %}{% set x = 1 %}{% endif %}{{ x }}",
    "globals": "{{ range(3) | list }}{{ dict(a=1).a }}{{ lipsum(1) }}{{ cycler(1, 2).next() }}{{ joiner()() }}",
    "some member of a union": "{{ contact.subject }}{{ contact.number }}",
    "a member behind a comparison": "{% if contact.kind == 'mail' %}{{ contact.subject }}{% else %}"
    "{{ contact.number }}{% endif %}",
    "methods of a class as a mapping": "{% for k, v in person.items() %}{{ k }}{{ v.x }}{% endfor %}"
    "{{ person.get('x').y }}"
    "{{ person.keys() | list }}{% for k in steps[0] %}{{ k.upper() }}{% endfor %}",
    "a field that is called like a method": "{% if steps[0].items is defined %}{{ steps[0].items }}"
    "{{ steps[0]['items'] }}{% endif %}",
    "enums": "{{ level.value }}{{ level.name }}{{ level.upper() }}{{ person.level.describe() }}",
    "anything": "{{ anything.a.b.c() }}{{ table.a.b }}{% for x in anything %}{{ x.y }}{% endfor %}{{ rows[0].x }}"
    "{% for x in rows %}{{ x.y }}{% endfor %}{{ (title | from_json).x }}",
    "dates as text or objects": "{{ day.year }}{{ day.isoformat() }}{{ day[:4] }}{{ moment.strftime('%Y') }}"
    "{{ id.hex }}"
    "{{ moment.date().year }}{{ clock.hour }}{{ moment.split('T') }}",
    "another kind behind a test": "{% if title is mapping %}{{ title.x }}{% endif %}{% if count is string %}"
    "{{ count.x }}{% endif %}",
    "text is iterable": "{% for c in title %}{{ c.upper() }}{% endfor %}{{ title | length }}{{ title | list }}",
    "a module": "{% set m = namespace() %}{% set m.x = person %}{{ m.x.anything }}{{ m.y }}",
    "lists that are changed": "{% set l = ['a'] %}{% do l.append(person) %}{% for x in l %}{{ x.name }}{% endfor %}",
    "mappings that are changed": "{% do person.update(nope=1) %}{{ person.nope }}",
    "positions beyond a tuple": "{{ pair[5] is defined }}{{ pair[1] + 1 }}",
    "lenient results": "{{ 'x' if person.nope is defined }}{{ (none | default('x', true)).upper() }}",
    "unknown callables": "{{ anything(person.nope) }}",
    "unused values": "{% set x = person.nope %}{{ x is defined }}{{ [nope] | length }}",
    "self, super, caller": "{% block a %}x{% endblock %}{{ self.a() }}{% macro m() %}{% if caller %}{{ caller() }}"
    "{% endif %}"
    "{% endmacro %}{{ m() }}",
    "loop": "{% for s in steps %}{{ loop.cycle('a', 'b') }}{{ loop.changed(s.does) }}{{ loop.previtem.does }}"
    "{{ loop.depth0 }}"
    "{{ loop.revindex }}{{ loop.last }}{{ loop.nextitem.by.name }}{% endfor %}",
    "undefined in branches that end": "{% for s in steps %}{% if s.nope is not defined %}{% continue %}{% endif %}"
    "{{ s.nope.x }}"
    "{% endfor %}",
    "a guard through selectattr": "{% for s in steps | selectattr('below', 'defined') %}{{ s.below[0].does }}"
    "{% endfor %}"
    "{% for p in [person] | selectattr('mail') %}{{ p.mail.upper() }}{% endfor %}",
    "map with a default": "{{ steps | map(attribute='nope', default='x') | join }}",
}


def marked(template: str) -> tuple[str, list[tuple[int, int]]]:
    parts = template.split("§")
    text, places = parts[0], []
    for part in parts[1:]:
        places.append((text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1))
        text += part
    return text, places


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_found_where_it_is_and_nothing_else(name: str, tmp_path: Path) -> None:
    template, places = marked(WRONG[name])
    found = [each for each in check(template, tmp_path) if each.level == "error"]
    assert [(each.span.line, each.span.column) for each in found if each.span] == places, found


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_be_right_is_no_error(name: str, tmp_path: Path) -> None:
    assert [each for each in check(RIGHT[name], tmp_path) if each.level == "error"] == []


GUARDED = {
    "a key that is asked for": "{% for s in steps %}{{ s.below | length if 'below' in s }}{% if 'below' not in s %}"
    "{% else %}{{ s['below'] | length }}{% endif %}{% if s.get('below') %}{{ s.below[0].does }}{% endif %}"
    "{% if s.get('by') and s.get('below') %}{{ s.below[0].does }}{% endif %}{% endfor %}",
    "default": "{{ tone | default('x') }}{{ maybe | default(person, true) | string }}"
    "{{ (maybe | default(person, true)).name }}",
    "is defined and": "{% if maybe is defined and maybe %}{{ maybe.name }}{% endif %}",
    "not none": "{% if maybe is defined and maybe is not none %}{{ maybe.name }}{% endif %}"
    "{% if maybe is defined and maybe != none %}{{ maybe.name }}{% endif %}",
    "the other branch": "{% if maybe is not defined or maybe is none %}{% else %}{{ maybe.name }}{% endif %}"
    "{% if not (maybe is defined and maybe) %}{% elif yes %}{{ maybe.name }}{% endif %}",
    "elif": "{% if tone is undefined %}{% elif tone == 'x' %}{{ tone }}{% else %}{{ tone }}{% endif %}",
    "choice": "{{ maybe.name if maybe is defined and maybe else '' }}",
    "set": "{% if tone is not defined %}{% set tone = 'x' %}{% endif %}{{ tone }}",
    "set to a default": "{% set tone = tone | default('x') %}{{ tone }}",
    "a default that says no": "{% if maybe | default(none) is not none %}{{ maybe.name }}{% endif %}"
    "{% if maybe | default(false) %}{{ maybe.name }}{% endif %}{% if (tone | default('x')) == 'y' %}{{ tone }}"
    "{% endif %}"
    "{% if tone | default('') != '' %}{{ tone }}{% endif %}{% if tone | default('') in ['a', 'b'] %}{{ tone }}"
    "{% endif %}",
    "attributes": "{{ person.mail | default('x', true) }}{% if person.mail is defined and person.mail %}"
    "{{ person.mail }}{% endif %}"
    "{% for s in steps if s.below is defined %}{{ s.below | length }}{% endfor %}{{ person.get('mail') }}",
    "a loop that goes on": "{% for s in steps %}{% if s.below is not defined %}{% continue %}{% endif %}"
    "{{ s.below | length }}{% endfor %}",
    "in a loop behind a test": "{% if tone is defined %}{% for s in steps %}{{ tone }}{% endfor %}{% endif %}",
    "in a partial behind a test": "{% if tone is defined %}{% include 'partials/a.j2' %}{% endif %}",
    "in a macro behind a test": "{% macro m() %}{{ tone }}{% endmacro %}{% if tone is defined %}{{ m() }}{% endif %}",
    "as an argument": "{% macro m(t) %}{% if t is defined %}{{ t }}{% endif %}{% endmacro %}{{ m(tone) }}",
    "none compared": "{% if maybe is defined %}{{ maybe == none }}{{ maybe is none }}{% if maybe %}{% endif %}"
    "{% endif %}",
}
UNGUARDED = {
    "printed": "{{ §tone }}",
    "truth is no guard": "{% if §tone %}{% endif %}",
    "of several uses the first": "{{ §tone }}{{ tone }}{% if tone %}{{ tone }}{% endif %}",
    "an attribute": "{{ §maybe.name }}",
    "none is left": "{% if maybe is defined %}{{ §maybe.name }}{% endif %}",
    "the wrong branch": "{% if tone is defined %}{% else %}{{ §tone }}{% endif %}",
    "after the test": "{% if tone is defined %}{{ tone }}{% endif %}{{ §tone }}",
    "or": "{% if tone is defined or yes %}{{ §tone }}{% endif %}",
    "an optional attribute": "{{ person.§mail }}{% for s in steps %}{% for b in s.§below %}{% endfor %}{% endfor %}",
    "a name that was given another": "{% set t = §tone %}{{ t }}",
    "in a partial": "{% include 'partials/b.j2' %}{{ §tone }}",
}


@pytest.mark.parametrize("name", GUARDED)
def test_a_guard_is_understood(name: str, tmp_path: Path) -> None:
    assert check(GUARDED[name], tmp_path, a="{{ tone }}\n") == []


@pytest.mark.parametrize("name", UNGUARDED)
def test_what_may_be_left_out_needs_a_guard(name: str, tmp_path: Path) -> None:
    template, places = marked(UNGUARDED[name])
    found = check(template, tmp_path, b="x\n")
    assert [(each.span.line, each.span.column) for each in found if each.span] == places
    assert {each.code for each in found} <= {"unguarded-input", "unguarded-attribute"}
    assert all(each.level == "warning" for each in found)


def test_a_default_is_suggested_to_be_applied_and_then_needs_no_guard(tmp_path: Path) -> None:
    (found,) = check("{{ tone }}", tmp_path)
    assert "input_defaults: apply" in (found.help or "")
    (tmp_path / "p.ctx" / "settings.yaml").write_text("model: a:b\ninput_defaults: apply\n")
    left = frozenctx_compiler.check(tmp_path).report.diagnostics
    assert {each.code for each in left} == {"unused-input"}


def test_a_finding_shows_the_use_the_declaration_and_the_nearest_name(tmp_path: Path) -> None:
    (found,) = check("{% for s in steps %}\n日本 {{ s.by.nmae }}\n{% endfor %}", tmp_path)
    assert found.code == "unknown-attribute"
    assert found.headline == "`Person` has no attribute `nmae`"
    assert found.span == Span.at("p.ctx/prompt.j2", 2, 12, 4)
    (related,) = found.related
    assert (related.span.file, related.span.line, related.span.column) == ("p.ctx/schema.pyi", 12, 7)
    assert found.help == "did you mean `name`?"


def test_a_mistake_in_a_shared_partial_is_one_finding_of_all_its_packages(tmp_path: Path) -> None:
    check("{% include 'partials/a.j2' %}", tmp_path, a="{{ person.nmae }}{{ nope }}\n")
    other = tmp_path / "q.ctx"
    other.mkdir()
    (other / "settings.yaml").write_text("model: a:b\n")
    (other / "schema.pyi").write_text(f"# another file\n\n{SCHEMA}")
    (other / "prompt.j2").write_text("{% include 'partials/a.j2' %}")
    found = [each for each in frozenctx_compiler.check(tmp_path).report.diagnostics if each.level == "error"]
    assert [(each.code, each.packages) for each in found] == [
        ("unknown-attribute", ("p", "q")),
        ("undeclared-input", ("p", "q")),
    ]


def test_context_and_arguments_flow_into_what_is_included_and_imported(tmp_path: Path) -> None:
    found = check(
        "{% set p = person %}{% include 'partials/a.j2' %}{% include 'partials/a.j2' without context %}"
        "{% from 'partials/b.j2' import m %}{{ m(person) }}"
        "{% import 'partials/c.j2' as c with context %}{{ c.n() }}{{ c.shown.x }}",
        tmp_path,
        a="{{ p.nmae if p is defined }}\n",
        b="{% macro m(p) %}{{ p.titel }}{{ count }}{% endmacro %}\n",
        c="{% set shown = title %}{% macro n() %}{{ p.kind }}{{ count }}{% endmacro %}\n",
    )
    assert [(each.span.file, each.headline) for each in found if each.span] == [
        ("p.ctx/prompt.j2", "text has no attribute `x`"),
        ("partials/a.j2", "`Person` has no attribute `nmae`"),
        ("partials/b.j2", "`Person` has no attribute `titel`"),
        ("partials/b.j2", "`count` does not reach a template that is imported without context"),
        ("partials/c.j2", "`Person` has no attribute `kind`"),
    ]


def test_what_a_loop_includes_sees_loop_only_if_the_loop_uses_it(tmp_path: Path) -> None:
    found = check(
        "{% for s in steps %}{% include 'partials/a.j2' %}{% endfor %}"
        "{% for s in steps %}{{ loop.index }}{% include 'partials/b.j2' %}{% endfor %}"
        "{% for s in steps %}{{ loop.index }}{% for n in s.needs %}{% include 'partials/b.j2' %}{% endfor %}"
        "{% endfor %}",
        tmp_path,
        a="{{ s.does }}{{ loop.index }}\n",
        b="{{ loop.index }}{{ loop.nope }}\n",
    )
    assert [(each.span.file, each.headline) for each in found if each.span] == [
        ("partials/a.j2", "`loop` is only there inside of a loop"),
        ("partials/b.j2", "`loop` has no attribute `nope`"),
    ]


def test_what_an_imported_template_does_not_export_is_found_where_it_is_used(tmp_path: Path) -> None:
    found = check(
        "{% import 'partials/a.j2' as a %}{{ a.header(1) }}{{ a.heading(1) }}{{ a.nothing is defined }}{{ a.set }}"
        "{% import 'partials/b.j2' as b %}{{ b.heading }}",
        tmp_path,
        a="{% macro header(x) %}{% endmacro %}{% if true %}{% set set = 1 %}{% endif %}\n",
        b="{% extends 'partials/c.j2' %}\n",
        c="{% set heading = 1 %}\n",
    )
    assert [(each.headline, each.help) for each in found] == [
        ("`partials/a.j2` exports no `heading`", "did you mean `header`?")
    ]


HELPS = {
    "{{ person.mail }}": "test `person.mail is defined and person.mail is not none` before, or write `person.mail | "
    'default("…", true)`',
    "{{ steps[0].below }}": "test it with `is defined` before, or write `steps[0].below | default([])`",
    "{{ steps[count].below }}": "test it with `is defined` before, or add `| default([])`",
    "{{ maybe.name }}": "test `maybe is defined and maybe is not none` before",
    "{{ steps | map(attribute='below') | join }}": 'keep those that have it before: `selectattr("below", "defined")`',
    "{{ steps | selectattr('by.mail') | list }}": "keep those that have it before: "
    '`selectattr("by.mail", "defined") | rejectattr("by.mail", "none")`',
    "{{ steps.does }}": "loop over it, or take one: `(steps | first).does`",
    "{{ steps.length }}": "`length` is a filter: `steps | length`",
    "{{ title.lenght }}": "`length` is a filter: `title | length`",
    "{{ steps[0].name }}": "did you mean `steps[0].by.name`?",
    "{{ mail }}": "did you mean `person.mail`?",
    "{{ titel }}": "did you mean `title`?",
    "{% set total = 1 %}{{ totl }}{{ total }}": "did you mean `total`?",
    "{{ person.lev }}": "did you mean `level`?",
    "{% for step in step %}{% endfor %}": "did you mean `steps`?",
    "{% for s in steps %}{% set x = s %}{% endfor %}{{ x }}": "what is set in a loop, `with`, macro or block ends with "
    "it; keep it in a `namespace` made before it",
}


@pytest.mark.parametrize("template", HELPS)
def test_a_help_says_what_can_be_written_there(template: str, tmp_path: Path) -> None:
    assert [each.help for each in check(template, tmp_path)] == [HELPS[template]]


def test_a_declared_name_that_was_probably_meant_is_not_unused_as_well(tmp_path: Path) -> None:
    schema = "class Input:\n    question: str\n    other: str\n"
    check("{{ qestion }}", tmp_path, schema)
    found = frozenctx_compiler.check(tmp_path).report.diagnostics
    assert [each.headline for each in found] == [
        "`qestion` is not declared by `Input`",
        "`other` is declared by `Input`, and no template uses it",
    ]


def test_blocks_see_what_the_chain_of_templates_sets(tmp_path: Path) -> None:
    found = check(
        "{% extends 'partials/a.j2' %}{{ never.printed }}{% set p = person %}"
        "{% block one %}{{ super() }}{{ p.nmae }}{{ q.x }}{% endblock %}{% block unused %}{{ nope }}{% endblock %}",
        tmp_path,
        a="{% set q = title %}{{ p.titel }}{% block one %}{{ p.one }}{% endblock %}{% block two %}{% for s in steps %}"
        "{% block three scoped %}{{ s.doez }}{% endblock %}{% endfor %}{% endblock %}{{ self.one() }}\n",
    )
    assert [(each.span.file, each.headline) for each in found if each.span] == [
        ("p.ctx/prompt.j2", "`Person` has no attribute `nmae`"),
        ("p.ctx/prompt.j2", "text has no attribute `x`"),
        ("partials/a.j2", "`Person` has no attribute `titel`"),
        ("partials/a.j2", "`Person` has no attribute `one`"),
        ("partials/a.j2", "`Step` has no attribute `doez`"),
    ]


def test_what_a_macro_includes_may_see_what_is_set_later(tmp_path: Path) -> None:
    template = (
        "{% macro m() %}{% include 'partials/a.j2' %}{% endmacro %}{% if yes %}{% set later = 1 %}{{ m() }}{% endif %}"
    )
    assert check(template, tmp_path, a="{{ later }}\n") == []


def test_what_a_branch_extends_sees_what_is_set_after_it(tmp_path: Path) -> None:
    found = check(
        "{% if tone is defined %}{% extends 'partials/a.j2' %}{% endif %}{% set p = person %}"
        "{% block one %}{{ super() }}{{ p.nmae }}{% endblock %}",
        tmp_path,
        a="{{ tone }}{{ p.name }}{% block one %}{{ p.titel }}{% endblock %}\n",
    )
    assert [(each.span.file, each.headline) for each in found if each.span] == [
        ("p.ctx/prompt.j2", "`Person` has no attribute `nmae`"),
        ("partials/a.j2", "`Person` has no attribute `titel`"),
    ]


def test_names_of_the_host_are_declared_by_the_project(tmp_path: Path) -> None:
    toml = '[host]\nglobals = ["today"]\nfilters = ["money", "first"]\ntests = ["fresh"]\n'
    template = "{{ today().x }}{{ (count | money).y }}{{ (steps | first).z }}{% if nope is fresh %}{% endif %}"
    assert check(template, tmp_path, toml=toml) == []


def test_levels_of_the_lints_are_moved(tmp_path: Path) -> None:
    toml = '[lint]\nundeclared-input = "note"\nunguarded-input = "error"\n'
    found = check("{{ nope }}{{ tone }}", tmp_path, toml=toml)
    assert [(each.code, each.level) for each in found] == [("undeclared-input", "note"), ("unguarded-input", "error")]


def test_a_package_with_such_an_error_is_not_built(tmp_path: Path) -> None:
    check("{{ nope }}", tmp_path)
    result = frozenctx_compiler.build(tmp_path, tmp_path / "out")
    assert not result.written


def test_recursion_of_every_kind_ends(tmp_path: Path) -> None:
    template = (
        "{% macro a(x) %}{{ b([x]) }}{{ a({'x': x}) }}{% endmacro %}{% macro b(x) %}{{ a((x, x)) }}{% endmacro %}"
        "{{ a(title) }}"
        "{% for s in steps recursive %}{{ loop([[s]]) }}{% endfor %}{% set deep = 1 %}{% include 'partials/a.j2' %}"
    )
    partial = "{% if yes %}{% set deep = [deep, deep] %}{% include 'partials/a.j2' %}{% endif %}"
    assert check(template, tmp_path, a=partial) == []


@pytest.mark.parametrize("written", ["+ count ", "and count ", "| abs ", ".x ", "or count == 1 "])
def test_long_expressions_end_in_a_finding_and_no_traceback(written: str, tmp_path: Path) -> None:
    found = check(f"{{{{ count {written * 3000} }}}}", tmp_path)
    assert {each.code for each in found} <= {"template-syntax", "unknown-attribute"}


def test_blocks_in_macros_in_blocks_end(tmp_path: Path) -> None:
    inside, template = "", ""
    for number in range(40):
        depth = 30
        template += f"{{% macro m{number}() %}}{'{% if yes %}' * depth}{inside}{'{% endif %}' * depth}{{% endmacro %}}"
        inside = f"{{{{ m{number}() }}}}"
    assert check(template + inside, tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "examples"),
    [
        (Scalar("str"), ["x"]),
        (Scalar("int"), [1]),
        (Scalar("float"), [1.5]),
        (Scalar("bool"), [True]),
        (Sequence("list", TEXT), [[]]),
        (Sequence("tuple", TEXT), [()]),
        (Sequence("set", TEXT), [set()]),
        (Tuple((TEXT,)), [()]),
        (Mapping(TEXT, ANYTHING), [{}]),
    ],
)
def test_the_tables_of_attributes_have_what_this_python_has(kind: object, examples: list[object]) -> None:
    known = {*methods_of(kind), *data_of(kind)}  # type: ignore[arg-type]
    for example in examples:
        missing = {name for name in dir(example) if not name.startswith("_")} - known
        assert not missing


def test_the_tables_of_dates_have_what_this_python_has() -> None:
    import datetime
    import uuid

    examples = {
        "date": datetime.date(2026, 1, 2),
        "datetime": datetime.datetime(2026, 1, 2),
        "time": datetime.time(1),
        "uuid": uuid.UUID(int=1),
    }
    for kind, example in examples.items():
        scalar = Scalar(kind)  # type: ignore[arg-type]
        missing = {name for name in dir(example) if not name.startswith("_")} - {*methods_of(scalar), *data_of(scalar)}
        assert not missing, kind
