"""Filters and tests that are written out do what those of jinja2 do: with values of every kind, and what they are
asked for in which order."""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import frozenctx.template.undefined
import jinja2
import markupsafe
import pytest
from frozenctx.template import Engine, Template
from frozenctx.template.language import FILTERS
from frozenctx.template.limits import LimitedEngine, Meter
from frozenctx.template.markup import Markup
from frozenctx_compiler.templates.dialect import Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
from frozenctx_compiler.templates.short_cuts import OPTIONS, TRUNCATE

from .oracle import Outcome, outcome_of, without_addresses
from .test_lean import loaded, program

KINDS = ("lean", "kept", "limited")
UNDEFINED = ("Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined")
# Those that are no filters of jinja2's are judged by what they are where they are called.
OF_THE_FORMAT = ("as_xml", "bulleted_list", "numbered_list")
FORMS = [
    "x|abs", "x|count", "x|length", "x|list", "x|first", "x|last", "x|string", "x|capitalize", "x|lower", "x|upper",
    "x|trim", "x|trim('a ')", "x|trim(none)", "x|trim(chars=' ')", "x|round", "x|round(1)", "x|round(precision=-1)",
    "x|round(1, 'floor')", "x|sum", "x|sum(attribute='n')", "x|sum('n.a', 1)", "x|sum(start=2)",
    "x|join", "x|join('{}')", "x|join(', ', attribute='n')", "x|join(d='\\n')", "x|join(', ', 0)", "x|join(2)",
    "x|max", "x|min", "x|max(true)", "x|max(attribute='n')", "x|min(attribute='n.a')", "x|min(attribute=0)",
    "[x, 'b']|max", "[x, 2]|min", "[]|max", "x|map(attribute='n')|max", "x|select|min", "(x|max) is defined",
    "x|sort", "x|sort(true)", "x|sort(reverse=true)", "x|sort(case_sensitive=true)", "x|sort(attribute='n')",
    "x|sort(attribute='n,s', reverse=true)", "x|sort(attribute=0)", "x|sort(attribute='n.a,')", "x|sort(attribute='')",
    "x|sort|join('-')", "x|map('lower')|sort", "x|sort|first", "x|sort|last", "x|sort(1)", "x|sort(nope=1)",
    "x|sort(true, reverse=true)",
    "x|dictsort", "x|dictsort(true)", "x|dictsort(by='value')", "x|dictsort(reverse=true)", "x|dictsort(by='n')",
    "x|dictsort(false, 'value', true)", "x|dictsort|map('first')|list", "(x|dictsort)[0]", "x|dictsort|first",
    "x|truncate", "x|truncate(5)", "x|truncate(5, true)", "x|truncate(5, leeway=0)", "x|truncate(5, end='')",
    "x|truncate(1)", "x|truncate(n)", "x|truncate(n, y, '..', 3)", "x|truncate(length=n, end='…')", "x|truncate(y)",
    "x|truncate(nothing)", "x|truncate(5, nothing)", "x|truncate('5')", "x|truncate(5, leeway=-1)", "x|truncate(true)",
    "x|default({'n': y})", "x|default([y, 1, nothing], true)", "nothing|default({'n': [y]})", "x.n|default((y, n))",
    "x|as_xml", "x|as_xml('a{}b')", "x|as_xml(tag='<t>')", "x|as_xml(7)",
    "x|bulleted_list", "x|bulleted_list('{0}')", "x|bulleted_list(bullet='\\'\"')", "x|select|bulleted_list",
    "x|numbered_list", "x|numbered_list(0)", "x|numbered_list(start=-2)",
    "x.n.s|lower|bulleted_list", "x|map('upper')|numbered_list", "x|trim|numbered_list",
    "x|map('length')|list", "x|map('first')|list", "x|map('trim', 'a')|list", "x|map('default', y)|list",
    "x|map('default', 1, true)|join", "x|map('join', '-')|join(' ')", "x|map('sort')|list", "x|map('string')|list",
    "x|map('replace', 'a', y)|list", "x|map('round', n)|list", "x|map('title')|unique|list", "x|map(attribute=0)|list",
    "x|map('trim')|batch(2)|list", "x|map(attribute='n')|slice(2)|list", "x|map('list')|map('first')|list",
    "x|map('lower')|unique|join", "x|unique|first", "x|unique(true)|list",
    "x|unique(attribute='n')|join('-')", "x|unique(false, 'n.a')|list", "x|unique|map('upper')|list",
    "x|unique(1)|list",
    "x|trim|unique|list", "x|map('lower')|unique|select('in', 'abc')|sort", "x|default(y.n.n)", "x.n|default(x.s)",
    "nothing|default(x.n, true)", "x|first|default(y[0], true)", "x.n|d(x[0])|d(x|list)", "x|default(x|first, true)",
    "x|select('in', y|default([]))|list", "x|reject('in', nothing|default([n]))|list",
    "x|map(attribute=n)|list", "x|map(y)|list",
    "x|select('in', [y, 'a', none])|list", "x|reject('in', y)|list", "x|select('eq', n)|list", "x|reject('ne', y)|list",
    "x|select('gt', n)|list", "x|select('<=', 1)|list", "x|selectattr('n', 'eq', n)|list",
    "x|selectattr('n', 'in', (n, 1))|list", "x|rejectattr(0, 'equalto', y)|list", "x|selectattr('n.a')|list",
    "x|selectattr('n', 'defined')|list", "x|rejectattr('n', 'undefined')|list", "x|select('mapping')|list",
    "x|selectattr('n', 'mapping')|list", "x|selectattr('n', 'number')|list", "x|reject('integer')|list",
    "x|select('string')|list", "x|select('boolean')|list", "x|select('odd')|list", "x|select('float')|list",
    "x|select('none')|list", "x|select('true')|list", "x|select('false')|list", "x|select('even')|list",
    "x|select('in')|list", "x|select('eq', 1, 2)|list", "x|select('divisibleby', 2)|list", "x|select(y)|list",
    "x|select('odd', 1)|list", "x|selectattr|list", "x|select('defined')|sum", "x|selectattr('n', 'nope')|list",
    "x is boolean", "x is defined", "x is even", "x is odd", "x is false", "x is true", "x is float", "x is integer",
    "x is mapping", "x is number", "x is none", "x is string", "x is undefined", "x.n is mapping", "x[0] is integer",
    "x is eq(n)", "x is ne y", "x is gt 1", "x is lessthan(n)", "x is ge('a')", "x is in(y)", "x is in('abc')",
    "x is not in([n, y])", "x.n.a is number", "x is eq", "x is in", "x is mapping(1)", "x|first is odd",
]  # fmt: skip
PLACES = [
    "{{ FORM }}", "{% if FORM %}yes{% endif %}", "{% for i in [1, 2] %}{{ (FORM)|string|upper }};{% endfor %}",
]  # fmt: skip
BLOCKS = [
    "{% filter trim %}  {{ x }} {% endfilter %}|", "{% filter upper %}{% endfilter %}",
    "{% filter lower|trim %} A{{ x }} {% endfilter %}|",
    "{% filter capitalize %}{% for i in x %}{{ i }}{% endfor %}{% endfilter %}",
    "{% set b|trim %} {{ x }} {% endset %}{{ b }}|", "{% filter trim('a') %}a{{ x }}{% endfilter %}",
    "{% for i in x|selectattr('n', 'eq', n)|unique %}{{ loop.index }}{{ i }}{% endfor %}",
    "{% for i in x|map('lower')|batch(2) %}{{ loop.last }}{{ i }}{% endfor %}",
    "{% macro m(a, b) %}{{ a|sort|join(b) }}{{ a|truncate(b) }}{{ a|selectattr('n', 'eq', b)|list }}{% endmacro %}"
    "{{ m(x, n) }}{{ m(x, y) }}",
    "{% for n in [1, 2] %}{% set found = x|selectattr('n', 'eq', n)|list %}{{ found }}{% endfor %}",
    "{% for i in x|unique %}{{ loop.index }}{{ loop.last }}{{ i }}{% endfor %}",
    "{% filter list %}{{ x }}{% endfilter %}", "{% filter length %}{% endfilter %}",
    "{% set later = x|map('lower')|unique %}{% set later2 = x|select('in', y) %}{{ later|list }}{{ later2|list }}",
]  # fmt: skip


class Text(str):
    def strip(self, *_: Any) -> str:
        return "stripped"

    def lower(self) -> str:
        return "lowered"

    def __str__(self) -> str:
        return "shown"

    def __format__(self, spec: str) -> str:
        return "formatted"


class Own(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [("own", 1), ("Items", 0)]


class Thing:
    def __init__(self, n: Any, s: Any) -> None:
        self.n, self.s = n, s

    def __repr__(self) -> str:
        return f"Thing({self.n!r})"

    def __html__(self) -> str:
        return "<b>html</b>"


class Once:
    """Has items once."""

    def __init__(self, *items: Any) -> None:
        self.items = iter(items)

    def __iter__(self) -> Once:
        return self

    def __next__(self) -> Any:
        return next(self.items)

    def __repr__(self) -> str:
        return "Once"


class Noting:
    """Notes what it is asked for."""

    def __init__(self, log: list[str], name: str, *items: Any) -> None:
        self.log, self.name, self.held = log, name, items

    def note(self, what: str) -> None:
        self.log.append(f"{self.name}.{what}")

    def __iter__(self) -> Iterator[Any]:
        self.note("iter")
        for item in self.held:
            self.note("next")
            yield item

    def __len__(self) -> int:
        self.note("len")
        return len(self.held)

    def __bool__(self) -> bool:
        self.note("bool")
        return True

    def __getitem__(self, key: Any) -> Any:
        self.note(f"getitem {key}")
        return self.held[key]

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        self.note(f"getattr {name}")
        return len(self.held)

    def __str__(self) -> str:
        self.note("str")
        return self.name

    def __repr__(self) -> str:
        return f"Noting {self.name}"

    def __eq__(self, other: object) -> bool:
        self.note("eq")
        return self is other

    def __lt__(self, other: Any) -> bool:
        self.note("lt")
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        self.note("gt")
        return not self < other

    __hash__ = object.__hash__


def raising(*methods: str, error: type[Exception] = ValueError) -> Any:
    """Return an object whose `methods` raise."""

    def method(name: str) -> Callable[..., Any]:
        def fail(self: Any, *_: Any) -> Any:
            raise error(f"{name} failed")

        return fail

    return type("Raising", (), {"__repr__": lambda self: "R"} | {name: method(name) for name in methods})()


def noting(log: list[str]) -> Noting:
    return Noting(log, "outer", Noting(log, "b", 1), Noting(log, "a", 2, 3), Noting(log, "c"))


class Failing:
    """Has one item, and raises where another one is asked for."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def __repr__(self) -> str:
        return "failing"

    def __iter__(self) -> Iterator[Any]:
        yield self.item
        raise KeyError("no other")


VALUES: dict[str, Callable[[Any, list[str]], Any]] = {
    "text": lambda markup, log: " a Bc, def ghi\njkl ",
    "short": lambda markup, log: "a b",
    "empty": lambda markup, log: "",
    "not ascii": lambda markup, log: "ÄßΣ é",
    "subclass of text": lambda markup, log: Text(" a<b "),
    "markup": lambda markup, log: markup("<i> a &amp; b</i> "),
    "int": lambda markup, log: 3,
    "float": lambda markup, log: 2.55,
    "none": lambda markup, log: None,
    "true": lambda markup, log: True,
    "list": lambda markup, log: ["b", "A", "c", "a"],
    "numbers": lambda markup, log: [3, 1, 2, 1, True, 0.5],
    "mixed": lambda markup, log: ["b", 1, None, 2.0],
    "kinds": lambda markup, log: [True, 1, 1.5, "a", None, {"a": 1}, Own(), [], 2],
    "no items": lambda markup, log: [],
    "tuple": lambda markup, log: ("B", markup("a<")),
    "set": lambda markup, log: {"a"},
    "texts of all kinds": lambda markup, log: [Text("x"), markup("<b>"), "a "],
    "items once": lambda markup, log: Once("b", "a", "B"),
    "deque": lambda markup, log: deque(["b", "a"]),
    "range": lambda markup, log: range(4),
    "dict": lambda markup, log: {"b": 1, "A": 3, "a": 2},
    "dict of keys that do not compare": lambda markup, log: {1: 1, "a": "b"},
    "dict with n": lambda markup, log: {"n": {"a": 5, "s": ["x"]}, "s": "x"},
    "dict subclass": lambda markup, log: OrderedDict(B=1, a=2),
    "dict with its own items": lambda markup, log: Own(a=1),
    "dicts": lambda markup, log: [{"n": 2, "s": "b"}, {"n": 1, "s": "A"}, {"n": 2, "s": "a"}],
    "dicts of dicts": lambda markup, log: [{"n": {"a": "x"}}, {"n": {"a": "B"}}],
    "lists": lambda markup, log: [["b", 1], ["A", 2], ["a", 0]],
    "dicts without": lambda markup, log: [{"n": 1}, {"m": 2}, OrderedDict(n=1)],
    "objects": lambda markup, log: [Thing("b", 1), Thing("A", 2), Thing({"a": 1}, 3)],
    "object": lambda markup, log: Thing(1, 2),
    "raises in str": lambda markup, log: raising("__str__"),
    "raises in iter": lambda markup, log: raising("__iter__"),
    "raises in html": lambda markup, log: raising("__html__"),
    "items raise in str": lambda markup, log: ["a", raising("__str__"), "b"],
    "items raise in eq": lambda markup, log: [raising("__eq__", "__lt__")],
    "items end it": lambda markup, log: ["a", raising("__str__", "__getitem__", error=StopIteration)],
    "raises in len and bool": lambda markup, log: raising("__len__", "__bool__"),
    "raises in str, and behind that": lambda markup, log: Failing(raising("__str__")),
    "notes": lambda markup, log: noting(log),
    "list that notes": lambda markup, log: [Noting(log, "b", 1), Noting(log, "a", 2, 3)],
}


OTHERS = {"y": "a", "n": 2}
UNSET: list[dict[str, Any]] = [{}, {"x": {}}, {"x": [{}]}]
Render = Callable[[dict[str, Any]], str]


@cache
def by_jinja(source: str, undefined: str, autoescape: bool) -> Render:
    judge = jinja2.Environment(undefined=getattr(jinja2, undefined), autoescape=autoescape)
    judge.filters.update({name: FILTERS[name] for name in OF_THE_FORMAT})
    return judge.from_string(source).render


@cache
def by_program(source: str, undefined: str, autoescape: bool, kind: Any) -> Render:
    dialect = Dialect(undefined=undefined, autoescape=autoescape)  # type: ignore[arg-type]
    engine = (LimitedEngine if kind == "limited" else Engine)(
        undefined=getattr(frozenctx.template.undefined, undefined), autoescape=autoescape
    )
    text = lower(parse(source, None, dialect), name=None, file="t", dialect=dialect, kind=kind).text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Template(text, engine, no_other).render


def no_other(name: str) -> Template:
    raise LookupError(name)


def outcome(made: Callable[..., Render], markup: Any, value: Any, *how: Any) -> tuple[Outcome, list[str]]:
    """Return what a rendering gives, and what it asked the values for."""
    log: list[str] = []
    try:
        with Meter(10**9, 10**9):
            return without_addresses(made(*how)({**OTHERS, **value(markup, log)})), log
    except Exception as error:
        return stopped(outcome_of(error)), log


def stopped(outcome: tuple[str, str]) -> tuple[str, str]:
    """jinja2's templates are generators, which cannot raise this; prompts say what they would."""
    return ("RuntimeError", "generator raised StopIteration") if outcome[0] == "StopIteration" else outcome


def same(source: str, value: Any, undefined: str = "StrictUndefined", autoescape: bool = False) -> None:
    expected, asked = outcome(by_jinja, markupsafe.Markup, value, source, undefined, autoescape)
    for kind in KINDS:
        found, log = outcome(by_program, Markup, value, source, undefined, autoescape, kind)
        assert found == expected, (kind, source)
        if kind == "lean" and not autoescape:
            assert log == asked, source


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_out_does_what_jinja2_does_for_values_of_every_kind(form: str) -> None:
    for make in VALUES.values():
        for place in PLACES:
            same(place.replace("FORM", form), lambda markup, log, make=make: {"x": make(markup, log)})


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_out_does_what_jinja2_does_for_what_is_undefined(form: str) -> None:
    for undefined in UNDEFINED:
        for value in UNSET:
            same(f"{{{{ {form} }}}}", lambda markup, log, value=value: value, undefined)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_out_does_what_jinja2_does_under_autoescape(form: str) -> None:
    for make in VALUES.values():
        same(f"{{{{ {form} }}}}", lambda markup, log, make=make: {"x": make(markup, log)}, autoescape=True)


@pytest.mark.parametrize("source", BLOCKS)
def test_filters_of_blocks_and_loops_do_what_those_of_jinja2_do(source: str) -> None:
    for autoescape in (False, True):
        for make in VALUES.values():
            same(source, lambda markup, log, make=make: {"x": make(markup, log)}, autoescape=autoescape)


def test_the_parameters_of_filters_are_those_that_the_filters_have() -> None:
    for name, options in {**OPTIONS, "truncate": TRUNCATE}.items():
        if not inspect.isbuiltin(FILTERS[name]):
            skipped = 2 if hasattr(FILTERS[name], "jinja_pass_arg") else 1
            parameters = [*inspect.signature(FILTERS[name]).parameters.values()][skipped:]
            assert {each.name: each.default for each in parameters} == options


def test_what_is_written_out_loads_no_filter_and_no_test() -> None:
    source = (
        "{{ x|sort|first }}{{ x|max }}{{ x|length }}{{ x|join|truncate(9) }}{{ d|dictsort|list }}{{ x|bulleted_list }}"
        "{{ x|select('in', x)|list|last }}{{ d is mapping }}{{ n|round }}{% filter trim %} {% endfilter %}"
    )
    template = loaded({"main": source})
    assert template.render({"x": ["a"], "d": {"a": 1}, "n": 1})
    assert not dict.keys(template.engine.filters)
    assert not dict.keys(template.engine.tests)


def test_a_filter_behind_a_condition_is_looked_up_when_it_is_called() -> None:
    template = loaded({"main": "{% if x %}{{ x|title }}{% endif %}{{ x|wordcount if x else '' }}"})
    assert template.render({"x": ""}) == ""
    assert not dict.keys(template.engine.filters)
    assert template.render({"x": "a b"}) == "A B2"


def test_what_the_host_names_is_called() -> None:
    dialect = Dialect(host_filters=("sort", "first", "length"), host_tests=("in", "odd"))
    source = "{{ x|sort }}{{ x|first }}{{ x|map('length')|list }}{{ x is in(1) }}{{ x|select('odd')|sort }}"
    text = lower(parse(source, None, dialect), name=None, file="t", dialect=dialect, kind="lean").text
    filters = {"sort": lambda items: f"sort {[*items]}", "first": lambda _: "first", "length": lambda _: "length"}
    engine = Engine(filters=filters, tests={"in": lambda value, other: "in", "odd": lambda value: True})
    expected = "sort ['a']first['length']insort ['a']"
    assert Template(text, engine, no_other).render({"x": ["a"]}) == expected


def test_programs_stay_readable() -> None:
    assert "', '.join(map(str, sorted(" in program("{{ x|sort|join(', ') }}")
    assert "min([150, len(" in program("{{ [150, x|length]|min }}")
    assert "[f'- {t_" in program("{{ x|bulleted_list }}")
    assert " in [" in program("{{ x|select('in', [y, 1])|list }}")
