"""What templates export, imported without context: no rendering sees what another one left behind."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from frozenctx_compiler.templates.constancy import is_constant
from frozenctx_compiler.templates.parse import parse
from templates.oracle import by_jinja, templates_of

SEEN = "{% set seen = [] %}{% macro add(x) %}{% do seen.append(x) %}{{ seen }}{% endmacro %}"
KEEPERS = [
    SEEN,
    "{% set ns = namespace(n=0) %}{% macro add(x) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ x }}{% endmacro %}",
    "{% set sep = joiner(', ') %}{% macro add(x) %}{{ sep() }}{{ x }}{% endmacro %}",
    "{% set turn = cycler('a', 'b') %}{% macro add(x) %}{{ turn.next() }}{{ x }}{% endmacro %}",
    "{% set d = {'l': []} %}{% macro add(x) %}{% do d.l.append(x) %}{{ d }}{% endmacro %}",
    "{% set l, m = [], 1 %}{% macro add(x) %}{% do l.append(x) %}{{ l }}{% endmacro %}",
    "{% if true %}{% set l = [] %}{% endif %}{% macro add(x) %}{% do l.append(x) %}{{ l }}{% endmacro %}",
    "{% import 'deep' as deep %}{% macro add(x) %}{{ deep.add(x) }}{% endmacro %}",
    "{% from 'deep' import add %}{% set add = add %}",
    "{% extends 'deep' %}",
    "{% macro add(x) %}{% import 'deep' as deep %}{{ deep.add(x) }}{% endmacro %}",
]
USES = [
    "{% import 'lib' as m %}{{ m.add(user) }}|{{ m.add(user) }}",
    "{% from 'lib' import add %}{{ add(user) }}|{% include 'other' %}",
    "{% macro f() %}{% import 'lib' as m %}{{ m.add(user) }}{% endmacro %}{{ f() }}{{ f() }}",
    "{% extends 'base' %}{% block b %}{% import 'lib' as m %}{{ m.add(user) }}{{ m.add(user) }}{% endblock %}",
    "{% include 'lib' without context %}{% import 'lib' as m %}{{ m.add(user) }}",
    "{% include ['none', 'other'] %}{% include 'other' %}",
]
OTHERS = {"other": "{% import 'lib' as m %}{{ m.add(user) }}", "base": "{% block b %}{% endblock %}", "deep": SEEN}


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("library", KEEPERS)
def test_every_rendering_is_the_first_one_of_a_fresh_jinja2_environment(library: str, use: str, kind: str) -> None:
    sources = {**OTHERS, "main": use, "lib": library}
    template = templates_of(sources, kind=kind)("main")
    for user in ("ada", "bob", "ada"):
        expected = by_jinja(sources, {"user": user})
        assert template.render({"user": user}) == expected
        assert "".join(template.generate({"user": user})) == expected


def test_a_rendering_within_a_rendering_has_modules_of_its_own() -> None:
    sources = {"main": "{% import 'lib' as m %}{{ m.add(1) }}{{ inner() }}{{ m.add(2) }}", "lib": SEEN}
    lookup = templates_of({**sources, "inner": "{% import 'lib' as m %}{{ m.add('i') }}"})
    assert lookup("main").render({"inner": lambda: lookup("inner").render()}) == "[1]['i'][1, 2]"


def test_a_rendering_that_fails_leaves_nothing_behind() -> None:
    lookup = templates_of({"main": "{% import 'lib' as m %}{{ m.add(user) }}{{ 1 // n }}", "lib": SEEN})
    with pytest.raises(ZeroDivisionError):
        lookup("main").render({"user": "ada", "n": 0})
    assert lookup("main").render({"user": "bob", "n": 1}) == "['bob']1"


def test_what_is_called_from_outside_is_not_seen_by_renderings() -> None:
    lookup = templates_of({"main": "{% import 'lib' as m %}{{ m.add(user) }}", "lib": SEEN})
    assert lookup("lib").module.add("host") == "['host']"
    assert lookup("main").render({"user": "ada"}) == "['ada']"
    assert lookup("lib").module.add("host") == "['host', 'host']"


def test_threads_that_render_at_once_share_nothing() -> None:
    both = threading.Barrier(2)
    main = "{% import 'lib' as m %}{{ m.add(user) }}{{ wait() }}{{ m.add(user) }}"
    template = templates_of({"main": main, "lib": SEEN})("main")
    texts: dict[str, str] = {}

    def render(user: str) -> None:
        texts[user] = template.render({"user": user, "wait": lambda: both.wait(10) and "" or ""})

    threads = [threading.Thread(target=render, args=(user,)) for user in ("ada", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {user: f"['{user}']['{user}', '{user}']" for user in ("ada", "bob")}


def test_a_library_of_macros_and_constants_is_made_once() -> None:
    library = "{% set a = 1 %}{% macro f() %}{{ a }}{% endmacro %}"
    lookup = templates_of({"main": "{% import 'lib' as m %}{{ m.f() }}", "lib": library})
    assert lookup("main").render() == "1"
    module = lookup("lib").module
    assert lookup("lib").constant
    assert lookup("main").render() == "1"
    assert lookup("lib").module is module


@pytest.mark.parametrize(
    ("source", "constant"),
    [
        ("text {# comment #}", True), ("{% macro f(x, l=[]) %}{{ joiner() }}{% endmacro %}", True),
        ("{% set a = 'x' ~ 1 + 2 %}{{ a }}", False), ("{% set a = 'x' ~ 1 + 2 %}{{ 3 }}", True),
        ("{% set a = (1, -2) %}{% set t %}text{% endset %}", True), ("{% set a = 1 if true else (2,) %}", True),
        ("{% set a = [] %}", False), ("{% set a = ([],) %}", False), ("{% set a = {} %}", False),
        ("{% set a = f() %}", False), ("{% set a = x %}", False), ("{% set a = x.y %}", False),
        ("{% set a = 'x'|list %}", False), ("{% set t %}{{ f() }}{% endset %}", False),
        ("{% set t | list %}{% endset %}", False), ("{% do f() %}", False), ("{% import 'x' as x %}", False),
        ("{% from 'x' import x %}", False), ("{% include 'x' %}", False), ("{% extends 'x' %}", False),
        ("{% block b %}{% endblock %}", False), ("{% for x in 'ab' %}{% endfor %}", False),
        ("{% if x %}{% endif %}", False), ("{% with a = [] %}{% endwith %}", False), ("{% set n.x = 1 %}", False),
        ("{% call f() %}{% endcall %}", False), ("{% filter upper %}{% endfilter %}", False),
    ],
)  # fmt: skip
def test_only_what_can_keep_nothing_is_constant(source: str, constant: Any) -> None:
    assert is_constant(parse(source)) is constant
