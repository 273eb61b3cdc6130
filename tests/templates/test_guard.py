"""No way to internals (CTX-FORMAT section 5): under the guard no template reaches an attribute with `_` in front."""

from __future__ import annotations

from typing import Any

import pytest
from frozenctx.template import Engine
from frozenctx.template.markup import Markup
from frozenctx_compiler.templates.dialect import Dialect
from templates.oracle import by_jinja, by_program, templates_of


class Account:
    """What a host might hand to a template by mistake."""

    _token = "SECRET"

    def __init__(self) -> None:
        self.name = "ada"
        self._key = "SECRET"

    def greet(self) -> str:
        return f"hello {self.name}"


WAYS = [
    "o._token",
    "o['_token']",
    "o[n]",
    "o|attr('_token')",
    "o|attr(n)",
    "o|attr(n|string)",
    "o|attr(n|safe)",
    "o[n|safe]",
    "[o]|map(attribute='_token')|first",
    "[o]|map(attribute=n)|first",
    "[o]|map('attr', n)|first",
    "[[o]]|map(attribute='0._token')|first",
    "[o]|sum(attribute='_token', start='')",
    "[o]|join(attribute=n)",
    "([o]|groupby(n))[0].grouper",
    "([o]|groupby('_token')|first)[0]",
    "[o]|map(attribute='_token.upper')|first",
    "'{0._token}'.format(o)",
    "'{o._token}'.format(o=o)",
    "'{o._token}'.format_map({'o': o})",
    "'{0._token!r:>9}'.format(o)",
    "('{0._token}'|attr('format'))(o)",
    "'{0._token}'['format'](o)",
    "'{0._token}'[f](o)",
    "('{0.' ~ n ~ '}').format(o)",
    "('{0._token}'|safe).format(o)",
    "('{o._token}'|safe).format_map({'o': o})",
    "'{:{0._token}}'.format(o, 1)",
    "'{0.__class__.__init__.__globals__}'.format(o)",
    "(['{0._token}']|map(attribute='format')|first)(o)",
    "(['{0._token}']|map('attr', 'format')|first)(o)",
    "o.__dict__",
    "o.__class__",
    "o['__class__']",
    "o.greet.__func__",
    "o.greet.__self__._token",
    "''.__class__.__mro__",
    "m._func",
    "self._TemplateReference__now",
    "cycler.__init__",
    "namespace._Namespace__attrs",
    "namespace(a=o)._Namespace__attrs",
    "namespace(a=o).__class__",
    "dict.__base__.__name__",
    "lib._body_stream",
    "lib.__dict__",
    "joiner()._Joiner__x",
    "(u|default(1)).__class__.__name__",
    "none.__class__",
    "gen.gi_frame.f_globals",
    "(gen|map('upper')).gi_frame",
    "gen['gi_frame']",
    "gen|attr('gi_code')",
    "'{0.gi_frame}'.format(gen)",
    "range.__self__",
    "''.join.__self__.__class__",
    "[o]|selectattr('_token')|first|attr(n)",
    "loop_of._iterable",
    "str.format('{0._token}', o)",
    "str['format']('{0._token}', o)",
    "(str|attr('format'))('{0._token}', o)",
    "str.format('{0.' ~ n ~ '}', o)",
    "str.format('{:{0._token}}', o, 1)",
    "str.format_map('{o._token}', {'o': o})",
    "markup.format('{0._token}', o)",
    "markup.format('{0._token}'|safe, o)",
    "markup.format_map('{o._token}', {'o': o})",
    "(text.format)('{0._token}', o)",
    "str.mro()",
    "str['mro']()",
    "(str|attr('mro'))()",
    "dict['x'].mro()",
    "text.mro()",
]


def generator() -> Any:
    yield "x"


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_to_an_internal_attribute(way: str, kind: str) -> None:
    sources = {
        "main": "{% macro m() %}{% endmacro %}{% import 'lib' as lib %}{% for x in [1] %}{% set ns = loop %}"
        "{% endfor %}{% set outcome %}{{ " + way + " }}{% endset %}reached {{ outcome }}",
        "lib": "",
    }
    variables = {"o": Account(), "n": "_token", "f": "format", "gen": generator(), "loop_of": None}
    variables |= {"str": str, "markup": Markup, "text": type("Text", (str,), {})}
    outcome = by_program(sources, variables, kind=kind, guard=True)
    # jinja2's undefined, or the error of who got it instead of the value: nothing else.
    assert isinstance(outcome, tuple)
    assert outcome[0] in ("UndefinedError", "TypeError", "IndexError", "KeyError")
    assert "SECRET" not in str(outcome)


@pytest.mark.parametrize(
    "way", ["[o]|map(attribute='_token')|list", "[o]|groupby('_token')|list", "[o]|map('attr', n)|list"]
)
def test_lenient_undefined_values_show_nothing_either(way: str) -> None:
    variables = {"o": Account(), "n": "_token"}
    outcome = by_program({"main": "{{ " + way + " }}"}, variables, Dialect(undefined="Undefined"), guard=True)
    assert "SECRET" not in str(outcome)


@pytest.mark.parametrize(
    "source",
    [
        "{{ str.format('{0}{1.name}', 1, o) }}{{ str.format_map('{o.name}', {'o': o}) }}",
        "{{ markup.format('<{}>', '<') }}",
        "{{ {'mro': 1}.mro }}{{ {'mro': 1}['mro'] }}{{ str.format is callable }}",
        "{{ d._k }}{{ d['_k'] }}{{ d[n] }}{{ [d]|map(attribute='_k')|list }}{{ '{0[_k]}'.format(d) }}",
        "{% set ns = namespace(_a=1) %}{% set ns._b = 2 %}{{ ns._a }}{{ ns._b }}{{ ns['_a'] }}",
        "{% set _v = 1 %}{{ _v }}{% macro _m() %}m{% endmacro %}{{ _m() }}",
        "{% block _b %}x{% endblock %}{{ self._b() }}",
        "{{ '{} {x:>5} {y!r}'.format(1, x=2, y='q') }}{{ '{0.name}'.format(o) }}{{ '{a}'.format_map({'a': 1}) }}",
        "{{ '{:{}}'.format(1, 5) }}{{ '{{}}'.format() }}{{ ('<{}>'|safe).format('<') }}{{ d.format }}{{ d['format'] }}",
        "{{ '{'.format() }}",
        "{{ '{5}'.format(1) }}",
        "{{ o.greet() }}{{ o|attr('name') }}{{ o['name'] }}{{ [o]|map(attribute='name')|list }}",
    ],
)
def test_data_and_ordinary_attributes_stay_readable(source: str) -> None:
    variables: dict[str, Any] = {"d": {"_k": "v", "format": "f"}, "n": "_k", "o": Account()}
    variables |= {"str": str, "markup": Markup}
    assert by_program({"main": source}, variables, guard=True) == by_jinja({"main": source}, variables)


def test_message_of_the_guard_is_that_of_a_missing_attribute() -> None:
    outcome = by_program({"main": "{{ o._token }}"}, {"o": Account()}, guard=True)
    assert outcome == ("UndefinedError", "'test_guard.Account object' has no attribute '_token'") or outcome == (
        "UndefinedError",
        f"'{Account.__module__}.Account object' has no attribute '_token'",
    )


def test_guard_is_on_unless_switched_off() -> None:
    assert Engine().guard
    assert templates_of({"main": "{{ o._token }}"}, guard=False)("main").render({"o": Account()}) == "SECRET"
