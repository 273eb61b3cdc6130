"""What is special about lean programs: which functions go without a context, and that it shows in no text or error."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
from frozenctx.errors import ProgramError
from frozenctx.template import Engine, Template, pass_context
from frozenctx.template.where import where
from frozenctx_compiler.templates.dialect import CTX, Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse

from .oracle import Outcome, by_jinja, by_program, outcome_of


def program(source: str) -> str:
    return lower(parse(source, "t.j2"), name="t.j2", file="t.j2", dialect=CTX, kind="lean").text


def loaded(sources: dict[str, str], **options: Any) -> Template:
    engine = Engine(**{"guard": False, **options})
    made: dict[str, Template] = {}

    def lookup(name: str) -> Template:
        if name not in made:
            made[name] = Template(program(sources[name]), engine, lookup)
        return made[name]

    return lookup("main")


def render(source: str, variables: dict[str, Any] | None = None, **parts: str) -> str:
    return loaded({"main": source, **parts}).render(variables or {})


def outcome(source: str, variables: dict[str, Any], **parts: str) -> Outcome:
    try:
        return render(source, variables, **parts)
    except Exception as error:
        return outcome_of(error)


# Which functions


def test_a_function_that_needs_no_context_has_none() -> None:
    text = program("{% set a = b %}{% for x in a %}{{ loop.index }}{{ x|upper }}{% endfor %}{% include 'p' %}")
    assert "def root(variables, own):" in text
    assert "context" not in text


def test_a_macro_that_needs_only_its_arguments_is_made_once() -> None:
    text = program("{% macro a(x) %}{{ x }}{% endmacro %}{% macro b(x) %}{{ a(x) }}{{ y }}{% endmacro %}{{ b(1) }}")
    head, root = text.split("def root(")
    assert "def macro_a(" in head
    assert "def macro_b(" in root
    assert "macro_a(l_1_x)" in root


@pytest.mark.parametrize(
    ("use", "counts"),
    [
        ("{{ loop.index }}", True),
        ("{{ loop.first }}{{ loop.last }}{{ loop.cycle('a', 'b') }}", True),
        ("{{ loop.previtem }}{{ loop.nextitem }}{{ loop.length }}{{ loop.changed(x) }}", True),
        ("{{ loop.nextitem }}{{ f() }}", False),
        ("{{ loop }}", False),
        ("{{ f(loop) }}", False),
        ("{{ loop.last }}{{ x.append(1) }}", False),
        ("{% include 'p' %}{{ loop.index }}", False),
        ("{% for y in x %}{{ loop.previtem }}{% endfor %}{{ loop.index }}", True),
    ],
)
def test_a_loop_counts_where_only_the_position_is_asked_for(use: str, counts: bool) -> None:
    text = program("{% for x in items %}" + use + "{% endfor %}")
    assert ("in enumerate(" in text) is counts


def test_where_a_file_changes_autoescape_its_functions_are_of_the_kept_kind() -> None:
    assert "def root(context):" in program("{% autoescape true %}{{ x }}{% endautoescape %}")


# What functions of the host see


def test_a_function_that_wants_the_context_sees_variables_and_what_was_set() -> None:
    @pass_context
    def seen(context: Any) -> str:
        return ",".join(f"{name}={context.resolve(name)}" for name in ("a", "b", "c"))

    loop = "{% for i in [3] %}{% set c = i %}{{ seen() }}{% endfor %}"
    source = "{% set b = 2 %}" + loop + "{% macro m() %}{{ seen() }}{% endmacro %};{{ m() }}"
    assert loaded({"main": source}, undefined=quiet).render({"a": 1, "seen": seen}) == "a=1,b=2,c=3;a=1,b=2,c="


def quiet(*args: Any, **kwargs: Any) -> str:
    return ""


def test_a_function_that_raises_stop_iteration_is_called_once() -> None:
    calls = []

    def stop() -> None:
        calls.append(1)
        raise StopIteration

    assert render("{{ stop() is defined }}", {"stop": stop}) == "False"
    assert calls == [1]


def test_variables_are_not_changed() -> None:
    variables = {"a": [1]}
    render("{% set b = a %}{% include 'p' %}", variables, p="{% set a = 2 %}{{ a }}{{ b }}")
    assert variables == {"a": [1]}


# Reading


class Loud:
    @property
    def name(self) -> str:
        raise ValueError("no name")


def test_an_error_inside_an_attribute_is_said_to_be_where_the_template_reads_it() -> None:
    with pytest.raises(ValueError, match="no name") as caught:
        render("\n{{ 1 }}\n{{ o.name }}", {"o": Loud()})
    assert where(caught.value) == ("t.j2", 3)


def test_objects_that_have_an_attribute_and_such_that_have_not_take_turns() -> None:
    class Thing:
        x = "attribute"

    mixed = [OrderedDict(x="item"), Thing(), OrderedDict(x="item"), {"x": "key"}, Thing()]
    source = "{% for o in things %}{{ o.x }} {% endfor %}"
    assert render(source, {"things": mixed}) == by_jinja({"main": source}, {"things": mixed})


def test_a_list_that_grows_while_it_is_looped_over_ends_where_jinja2_says() -> None:
    source = "{% for x in items %}{{ loop.last }}{% if x < 3 %}{% do items.append(x + 1) %}{% endif %}{% endfor %}"
    assert render(source, {"items": [1]}) == by_jinja({"main": source}, {"items": [1]})


def test_the_last_item_of_an_iterator_is_looked_for_when_it_is_asked_for() -> None:
    source = "{% for x in items %}{{ x }}{% if ask %}{{ loop.last }}{% endif %}{% endfor %}"
    for ask in (True, False):
        variables = {"items": iter([1, 2, 3]), "ask": ask}
        assert render(source, variables) == by_jinja({"main": source}, {"items": iter([1, 2, 3]), "ask": ask})


def test_what_is_imported_beside_a_macro_that_includes_is_imported() -> None:
    source = "{% import 'p' as p %}{% macro m() %}{% include ['p', 1] %}{% endmacro %}{{ p.x }}{{ m() }}"
    assert render(source, p="{% set x = 1 %}a") == "1a"


# What is written out


@pytest.mark.parametrize(("kind", "source"), [("filters", "{{ x|default('a') }}"), ("tests", "{{ x is defined }}")])
def test_a_filter_or_test_that_is_written_out_cannot_be_replaced_by_the_host(kind: str, source: str) -> None:
    name = "default" if kind == "filters" else "defined"
    with pytest.raises(ProgramError, match=f"the host supplies the {kind[:-1]} `{name}`"):
        loaded({"main": source}, **{kind: {name: str}}).render({"x": 1})


def test_items_of_a_chain_are_handed_to_what_takes_them_all_without_a_filter_between() -> None:
    assert "f_map" not in program("{{ x|map('upper')|sort }}{{ x|map(attribute='a')|groupby('b', default=1)|list }}")
    for source in ("{{ x|map('upper')|sort(reverse=y) }}", "{{ x|map('upper')|unique }}", "{{ x|map('upper') }}"):
        assert "f_map(" in program(source)


def test_what_takes_items_later_sees_them_as_they_are_then() -> None:
    source = "{% set later = x|map('upper')|unique %}{{ x.append('a') }}{{ later|join }}"
    assert render(source, {"x": []}) == by_jinja({"main": source}, {"x": []}) == "NoneA"


@pytest.mark.parametrize("autoescape", [True, False])
def test_the_text_of_a_filter_block_is_filtered(autoescape: bool) -> None:
    source = "{% filter upper %} {{ x }}{% endfilter %}{% filter trim|capitalize %} a {{ x }} {% filter trim('<b ') %}"
    source += " <b> {{ x }} {% endfilter %} {% endfilter %}{% macro m() %}{% filter lower %}A{{ x }}{% endfilter %}"
    main = {"main": source + "{% endmacro %}{{ m() }}"}
    dialect = Dialect(autoescape=autoescape)
    for x in ("<B", 7):
        assert by_program(main, {"x": x}, dialect) == by_jinja(main, {"x": x}, dialect)


def test_filters_of_macros_and_of_rare_values_are_looked_up_when_they_are_called() -> None:
    called = "{% macro m(x) %}{{ x|truncate(9) }}{% endmacro %}"
    assert "engine.filters['truncate']" not in program(called + "{{ m('a') }}{{ y|trim }}")
    assert "engine.filters['wordcount']" in program(called + "{{ y|wordcount }}")
    assert render(called + "{{ m('a b c d e f g h i j k l') }}{{ y|trim }}", {"y": 7}) == "a b c...7"
    template = loaded({"main": called + "{{ y|trim|upper }}{{ y|join }}"})
    assert template.render({"y": " a "}) == "A a "
    assert not dict.keys(template.engine.filters)


def test_arguments_are_evaluated_in_the_order_in_which_they_are_written() -> None:
    order: list[str] = []

    def note(name: str) -> str:
        order.append(name)
        return name

    source = "{% macro m(a, b, c) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(c=note('c'), a=note('a'), b='b') }}"
    assert render(source, {"note": note}) == "abc"
    assert order == ["c", "a"]


def test_operands_of_a_concatenation_are_evaluated_before_any_is_converted() -> None:
    order: list[str] = []

    class Noted:
        def __init__(self, name: str) -> None:
            self.name = name

        def __str__(self) -> str:
            order.append(f"text of {self.name}")
            return self.name

    def made(name: str) -> Noted:
        order.append(name)
        return Noted(name)

    assert render("{{ made('a') ~ made('b') }}", {"made": made}) == "ab"
    assert order == ["a", "b", "text of a", "text of b"]


# Reading before printing


class Traced:
    """Says in `trace` what is asked of it, and when it is made text."""

    def __init__(self, name: str, trace: list[str]) -> None:
        self.name = name
        self.trace = trace

    def __getattr__(self, name: str) -> Traced:
        if name == "jinja_pass_arg":  # whether it wants the context: the one asks now, the other then
            raise AttributeError(name)
        self.trace.append(f"{self.name}.{name}")
        if name == "nothing":
            raise AttributeError(name)
        if name == "broken":
            raise KeyError("of the property")
        return Traced(f"{self.name}.{name}", self.trace)

    def __getitem__(self, key: object) -> Traced:
        self.trace.append(f"{self.name}[{key!r}]")
        if key in ("nothing", 7):
            raise LookupError(key)
        return Traced(f"{self.name}[{key!r}]", self.trace)

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        self.trace.append(f"str({self.name})")
        return f"<{self.name}>"

    def __call__(self, *args: object, **kwargs: object) -> Traced:
        self.trace.append(f"{self.name}()")
        return self

    def __len__(self) -> int:
        self.trace.append(f"len({self.name})")
        return 2

    def __iter__(self) -> Any:
        self.trace.append(f"iter({self.name})")
        return iter([Traced(f"{self.name}.0", self.trace), Traced(f"{self.name}.1", self.trace)])


@pytest.mark.parametrize(
    "source",
    [
        "{{ o.a }}{{ o.b.c }} {{ o }}\n{{ o.d }}",
        "{{ o.a ~ o.b }}{{ o.a }}",
        "{% if o.a.b and o.c %}{{ o.d }}{% endif %}{{ o['e'].f }}{{ o[7] is defined }}",
        "{{ o.nothing is defined }}{{ o['nothing'] is defined }}{{ o.a.nothing | default(o.b) }}",
        "{{ o.a if o.b else o.c }}{% set x = o.d.e %}{{ x }}{{ x.f }}",
        "{% for x in o.rows %}{{ x.a }}{{ loop.index }}{{ x.b }}{% endfor %}",
        "{% set ns = namespace(a=o.x) %}{% set ns.b = o.y.z %}{{ ns.a }}{{ ns.b }}",
        "{{ o.items_ | map(attribute='a') | join(',') }}{{ o | selectattr('a.b') | list | length }}",
        "{{ o | reject('none') | map(attribute='x') | join }}{% for x in o | select %}{{ x }}{% endfor %}",
        "{{ o.rows | map(attribute='n') | first }}{{ o.a | selectattr('b') | groupby(o.c) }}",
        "{{ o | select | groupby('a', o.b) }}{{ o | map(attribute='a') | sort | join }}{{ o | join(o.a) }}",
        "{{ o | map('string') | max }}{{ o | rejectattr('a', 'none') | min(attribute='b') }}{{ o.b }}",
        "{{ o.a | string | upper }}{{ '%s %s' | format(o.a, o.b) }}",
        "{{ o.a }}{{ o.broken }}{{ o.b }}",
        "{{ o.get(o.a) }}{{ o.a.get(o.b.c, o.d) }}{{ o.get('a') }}{{ o.startswith(o.a) }}{{ o.a.strip() }}",
        "{{ o.append(o.a) }}{{ o.a.append(o.b.c) }}{{ o.append(1) }}{{ o.append(o.f(o.a)) }}{{ o.append(o) }}",
        "{% for x in [1] %}{{ o.cycle(o.a) }}{{ loop.cycle(o.a, o.b) }}{{ loop.changed(o.a) }}{% endfor %}",
        "{{ o.m(o.a, o.b) }}{{ o.a.m(o.b, x=o.c) }}{{ o['m'](o.a) }}{{ o.a[o.b] }}{{ o.a[o.b.c].d }}",
    ],
)
def test_what_objects_are_asked_and_when_is_as_in_jinja2(source: str) -> None:
    ours: list[str] = []
    theirs: list[str] = []
    assert outcome(source, {"o": Traced("o", ours)}) == by_jinja({"main": source}, {"o": Traced("o", theirs)})
    assert ours == theirs
    assert len(ours) > 2


@pytest.mark.parametrize("autoescape", [True, False])
@pytest.mark.parametrize(
    "source",
    [
        "{{ x|escape if 1 }}", "{{ x|e if x else 2 }}", "{{ 2 if not x else x|e }}", "{{ (x|e if x) if x }}",
        "{{ x|e|upper if x }}", "{{ x|e ~ x }}", "{{ [x|e] if x }}", "{{ x|e }}{{ x|e|e }}", "{{ (x if x)|e if x }}",
    ],
)  # fmt: skip
def test_what_is_escaped_is_not_escaped_once_more(source: str, autoescape: bool) -> None:
    dialect = Dialect(autoescape=autoescape)
    for value in ("<'&", {"p": ["'"]}, 7):
        assert by_program({"main": source}, {"x": value}, dialect) == by_jinja({"main": source}, {"x": value}, dialect)


@pytest.mark.parametrize("variables", [{}, {"lost": "text"}, {"lost": 7}, {"lost": [1]}])
@pytest.mark.parametrize(
    "source",
    [
        "{{ lost.get(o.a) }}", "{{ lost.append(o.a) }}", "{{ lost.m(o.a) }}", "{{ lost[o.a] }}", "{{ lost(o.a) }}",
        "{{ lost.strip(lost_too.a) }}", "{{ lost.append(lost_too.a) }}", "{{ lost ~ o.a }}", "{{ lost + o.a }}",
        "{{ lost | replace(o.a, o.b) }}", "{{ lost is sameas(o.a) }}", "{{ [lost.a, o.a] }}", "{{ lost < o.a }}",
        "{{ lost.a.b ~ o.a }}", "{{ lost.a(o.a).b }}", "{{ lost.append(o.f(o.a).b) }}", "{{ lost[0](o.a) }}",
        "{% for x in lost.values(o.a) %}{% endfor %}", "{% if lost.startswith(o.a.b) %}{% endif %}",
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_before_anything_that_stands_after_it_is_asked(
    source: str, variables: dict[str, Any]
) -> None:
    ours: list[str] = []
    theirs: list[str] = []
    result = by_jinja({"main": source}, {**variables, "o": Traced("o", theirs)})
    assert outcome(source, {**variables, "o": Traced("o", ours)}) == result
    assert ours == theirs


def test_a_mistake_is_on_the_line_where_the_template_prints_what_makes_it() -> None:
    class Quiet:
        def __str__(self) -> str:
            raise ValueError("no text")

    for line in (1, 2, 3):
        values = {f"v{number}": Quiet() if number == line else number for number in (1, 2, 3)}
        with pytest.raises(ValueError, match="no text") as caught:
            render("{{ v1 }} a\n{{ v2 }}\n{{ v3 }}", values)
        assert where(caught.value) == ("t.j2", line)


@pytest.mark.parametrize(
    "call",
    [
        "{{ m(1) }}{{ m(1, 2) }}{{ lib.m(3) }}",
        "{{ m(1, 2, 3) }}",
        "{{ lib.absent(1) }}",
        "{{ f(2) }}{{ lib.f(3) }}",
        "{% for x in [1, 2] %}{% set y = x %}{{ m(y) }}{% endfor %}",
        "{% call lib.wrap(1) %}text{% endcall %}{% call(a) lib.each([1, 2]) %}{{ a }}{% endcall %}",
        "{% macro m2(m) %}{{ m(7) }}{% endmacro %}{{ m2(m) }}{{ m2(lib.m) }}",
    ],
)
def test_calls_of_what_is_imported(call: str) -> None:
    lib = (
        "{% macro m(a, b='none') %}{{ a }}/{{ b }};{% endmacro %}{% set f = range %}"
        "{% macro wrap(a) %}{{ a }}[{{ caller() }}]{% endmacro %}"
        "{% macro each(xs) %}{% for x in xs %}{{ caller(x) }}{% endfor %}{% endmacro %}"
    )
    main = '{% import "lib" as lib %}{% from "lib" import m, f %}' + call
    assert outcome(main, {}, lib=lib) == by_jinja({"main": main, "lib": lib}, {})


@pytest.mark.parametrize("of", [list, tuple, iter, OrderedDict.fromkeys, lambda xs: (x for x in xs)])
def test_neighbours_and_length_of_what_is_looped_over(of: Any) -> None:
    source = (
        "{% for x in xs %}{{ x }}{{ loop.previtem is defined and loop.previtem }}{{ loop.nextitem is defined }}"
        "{{ loop.nextitem if not loop.last }}{{ loop.changed(x // 2) }}{% if x > 1 %}{{ loop.length }}"
        "{{ loop.revindex }}{{ loop.revindex0 }}{% endif %};{% endfor %}"
    )
    assert render(source, {"xs": of([1, 2, 3, 4])}) == by_jinja({"main": source}, {"xs": of([1, 2, 3, 4])})


@pytest.mark.parametrize(
    "reader",
    [
        "{% macro m() %}{{ x }}{% endmacro %}",
        "{% macro m() %}{% for y in [1, 2] %}{{ x }}{% endfor %}{% endmacro %}",
        "{% macro m() %}{% macro n() %}{{ x }}{% endmacro %}{{ n() }}{% endmacro %}",
        "{% macro m() %}{{ x }}{% endmacro %}{% for y in [1] %}{{ x }}{% endfor %}",
        "{% macro m() %}{{ x }}{% endmacro %}{% set z = x %}",
        "{% macro m() %}{{ x is defined }}{{ x.a }}{{ x|default('none') }}{% endmacro %}",
    ],
)
@pytest.mark.parametrize("variables", [{}, {"x": "given"}, {"x": {"a": "given"}}])
def test_a_macro_reads_what_the_extended_template_has_set_when_it_is_called(
    reader: str, variables: dict[str, Any]
) -> None:
    parts = {
        "main": f"{{% extends 'p' %}}{reader}{{% block b %}}({{{{ m() }}}}){{% endblock %}}",
        "p": "{{ self.b() }}{% set x = 'set' %}{{ self.b() }}{% set x = {'a': 'then'} %}{% block b %}{% endblock %}",
    }
    assert outcome(parts["main"], variables, p=parts["p"]) == by_jinja(parts, variables)


@pytest.mark.parametrize(
    "keeper",
    [
        "{% macro m() %}{{ x }}{% endmacro %}{% do kept.append(m) %}",
        "{% macro m() %}{{ x }}{% for y in [1] %}{{ x }}{% endfor %}{% endmacro %}{{ x }}{% do kept.append(m) %}",
        "{% macro m() %}{% do kept.append(caller) %}{% endmacro %}{% call m() %}{{ x }}{% endcall %}",
        "{% for y in [1] recursive %}{% if y == 1 %}{% do kept.append(loop) %}{% else %}{{ x }}{% endif %}{% endfor %}",
    ],
)
@pytest.mark.parametrize("place", ["{% block b %}KEEPER{% endblock %}", "KEEPER{% block b %}{% endblock %}"])
def test_what_a_block_or_root_keeps_for_later_reads_variables_when_it_is_called(keeper: str, place: str) -> None:
    call = "{{ kept[0]([2]) if takes else kept[0]() }}"
    parts = {
        "main": "{% extends 'p' %}" + place.replace("KEEPER", keeper) + "{% block c %}" + call + "{% endblock %}",
        "p": "{% block b %}{% endblock %}{% set x = 'set' %}{% block c %}{% endblock %}",
    }

    def variables() -> dict[str, Any]:
        return {"x": "given", "kept": [], "takes": "recursive" in keeper}

    assert outcome(parts["main"], variables(), p=parts["p"]) == by_jinja(parts, variables())
