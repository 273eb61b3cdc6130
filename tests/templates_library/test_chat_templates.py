"""Chat templates render as transformers renders them: text, generation blocks, exceptions, the sandbox."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx_compiler.templates import HF, compile_template
from templates_library.conversations import CONVERSATIONS
from templates_library.transformers_like import rendered

HERE = Path(__file__).resolve().parent
NOW = datetime(2026, 7, 4, 15, 30)
TEMPLATES = {path.stem: path.read_text("utf-8") for path in sorted((HERE / "chat_templates").glob("*.j2"))}
EVERY = [(template, conversation) for template in TEMPLATES for conversation in CONVERSATIONS]


def clock() -> datetime:
    return NOW


def loaded(source: str) -> frozenctx.Template:
    return frozenctx.load_template(compile_template(source, options="hf").encode(), clock=clock)


def theirs(source: str, variables: dict[str, Any]) -> Any:
    try:
        return rendered(source, variables, NOW)
    except Exception as error:  # whatever a template raises is the outcome
        return type(error).__name__, str(error)


def ours(source: str, variables: dict[str, Any]) -> Any:
    try:
        return loaded(source).render_with_generation(variables)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize(("template", "conversation"), EVERY)
def test_a_conversation_reads_as_transformers_writes_it(template: str, conversation: str) -> None:
    assert ours(TEMPLATES[template], CONVERSATIONS[conversation]) == theirs(
        TEMPLATES[template], CONVERSATIONS[conversation]
    )


def test_the_comparison_is_of_texts_and_of_refusals() -> None:
    outcomes = {each: theirs(TEMPLATES[each[0]], CONVERSATIONS[each[1]]) for each in EVERY}
    for template in TEMPLATES:
        texts = {text for (name, _), (text, spans) in outcomes.items() if name == template and isinstance(spans, list)}
        assert len(texts) >= 9, template
    refused = [error for error, spans in outcomes.values() if isinstance(spans, str)]
    assert len(refused) >= 50
    assert {"TemplateError", "TypeError", "UndefinedError"} <= set(refused)


def test_a_bare_interpreter_renders_the_same() -> None:
    jobs = {name: compile_template(source, options="hf").encode().decode() for name, source in TEMPLATES.items()}
    program = f"""if True:
        import sys
        class Refuse:
            @staticmethod
            def find_spec(name, path=None, target=None):
                if name.partition(".")[0] in ("jinja2", "markupsafe", "msgspec", "yaml"):
                    raise ImportError(name)
        sys.meta_path.insert(0, Refuse)
        sys.path.insert(0, {str(HERE.parents[1] / "runtime")!r})
        import frozenctx, json
        from datetime import datetime
        templates, conversations = json.load(sys.stdin)
        result = {{}}
        for name, text in templates.items():
            template = frozenctx.load_template(text.encode(), clock=lambda: datetime(2026, 7, 4, 15, 30))
            for which, variables in conversations.items():
                try:
                    result[name + " " + which] = template.render(variables)
                except Exception as error:
                    result[name + " " + which] = type(error).__name__
        json.dump(result, sys.stdout)
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps([jobs, CONVERSATIONS]), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {
        f"{template} {conversation}": theirs(TEMPLATES[template], CONVERSATIONS[conversation])[0]
        for template, conversation in EVERY
    }


# Generation blocks


def test_the_text_is_the_same_with_and_without_asking_for_the_blocks() -> None:
    template = loaded(TEMPLATES["training"])
    text, spans = template.render_with_generation(CONVERSATIONS["called"])
    assert text == template.render(CONVERSATIONS["called"]) == "".join(template.generate(CONVERSATIONS["called"]))
    assert [text[start:end] for start, end in spans] == [
        '<call>{"name": "get_weather", "arguments": {"place": "Zürich", "days": [1, 2], "extra": {}}}</call></s>',
        "Yes, it's raining.\n\n\nTake a coat.</s>",
    ]


def test_a_block_at_the_very_beginning_has_a_place_too() -> None:
    assert loaded("{% generation %}{{ a }}{% endgeneration %}.").render_with_generation(a="日本") == ("日本.", [(0, 2)])


def test_a_block_is_a_scope_that_sees_the_loop_around_it() -> None:
    source = (
        "{% set a = 1 %}{% for x in 'ab' %}{% generation %}{% set a = a + loop.index %}{{ x }}{{ a }}"
        "{% endgeneration %}{{ a }} {% endfor %}"
    )
    assert ours(source, {}) == theirs(source, {}) == ("a21 b31 ", [(0, 2), (4, 6)])


@pytest.mark.parametrize("given", [{}, {"kwargs": "k", "varargs": "v", "caller": "c"}])
@pytest.mark.parametrize(
    "body",
    [
        "{{ kwargs }}{{ varargs }}", "{{ caller }}{{ caller is defined }}", "{{ caller() }}", "{{ kwargs.x }}",
        "{% for x in [1, 2] %}{{ varargs }}{{ loop.index }}{% endfor %}", "{% set kwargs = 1 %}{{ kwargs }}",
        "{{ kwargs }}{% set kwargs = 1 %}{{ kwargs }}", "{% macro m() %}{{ kwargs }}{% endmacro %}{{ m(a=1) }}{{ m }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ kwargs }}{% endcall %}",
        "{% if false %}{{ kwargs }}{% endif %}", "{{ kwargs.update(a=1) }}{{ kwargs }}",
    ],
)  # fmt: skip
def test_a_block_has_what_macros_have_for_their_special_names(body: str, given: dict[str, str]) -> None:
    source = "{% for y in 'ab' %}{{ kwargs }}{% generation %}" + body + "{% endgeneration %}{{ kwargs }}{% endfor %}"
    assert ours(source, given) == theirs(source, given)


@pytest.mark.parametrize(
    "source",
    [
        "{% macro m() %}{% generation %}a{% endgeneration %}{% endmacro %}{{ m() }}",
        "{% set x %}{% generation %}a{% endgeneration %}{% endset %}{{ x }}",
        "{% filter upper %}{% generation %}a{% endgeneration %}{% endfilter %}",
        "{% block b %}{% generation %}a{% endgeneration %}{% endblock %}",
        "{% for x in 'a' recursive %}{% generation %}a{% endgeneration %}{% endfor %}",
        "{% generation %}{% generation %}a{% endgeneration %}{% endgeneration %}",
    ],
)
def test_a_block_whose_place_is_not_known_renders_and_has_no_offsets(source: str) -> None:
    template = loaded(source)
    assert template.render().lower() == "a"
    with pytest.raises(frozenctx.errors.TemplateRuntimeError, match="move it to where the template prints directly"):
        template.render_with_generation()
    assert template.render().lower() == "a"


def test_a_template_that_reaches_others_has_no_offsets() -> None:
    part = compile_template("{% generation %}a{% endgeneration %}", name="part", options="hf").encode()
    main = compile_template("x{% include 'part' %}", options="hf").encode()
    template = frozenctx.load_template(main, templates={"part": part})
    assert template.render() == "xa"
    with pytest.raises(frozenctx.errors.TemplateRuntimeError, match="templates that reach others"):
        template.render_with_generation()


# What the templates find around them


@pytest.mark.parametrize(
    "source",
    [
        "{{ x | tojson }}",
        "{{ x | tojson(ensure_ascii=true) }}",
        "{{ x | tojson(indent=2) }}",
        "{{ x | tojson(true, 1) }}",
        "{{ x | tojson(indent='  ', sort_keys=true) }}",
        "{{ x | tojson(separators=(',', ':')) }}",
        "{{ x | tojson(indent=1, separators=(',', ': '), sort_keys=1, ensure_ascii=0) }}",
        "{{ [x, nope] | tojson }}",
        "{{ nope | tojson(indent=1) }}",
        "{{ x | tojson(nope=1) }}",
        "{{ x | map('tojson') | join('+') }}",
        "{{ x | tojson is string }}{{ (x | tojson) ~ '<' }}",
        "{{ raise_exception('no <b>') }}",
        "{{ raise_exception(7) }}",
        "{{ raise_exception() }}",
        "{{ strftime_now('%A %d %B %Y %H:%M') }}",
        "{{ strftime_now is defined }}{{ raise_exception is callable }}",
        "{% set strftime_now = 1 %}{{ strftime_now }}",
        "{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% else %}{% endfor %}\n",
        "  {% if true %}\nx\n  {% endif %}\n{{ range(5) | sum }}\n\n",
        "{{ range(100001) | length }}",
        "{{ nope }}|{{ nope.a }}",
        "{{ x.nope }}|{{ x['nope'] | default('d') }}",
    ],
)
def test_what_a_template_is_given_is_what_transformers_gives(source: str) -> None:
    x = {"z": [1, 2.5, None, True, "é<b>&'\""], "a": {}, "日": "\u2028"}
    assert ours(source, {"x": x}) == theirs(source, {"x": x})


class Thing:
    name = "n"
    _secret = "s"

    def __repr__(self) -> str:
        return "Thing"

    def pop(self) -> str:
        return "popped"

    def refused(self, *args: int) -> str:
        return "no template may call this"

    refused.alters_data = True  # type: ignore[attr-defined]

    @classmethod
    def made(cls) -> str:
        return "made"


SANDBOX = [
    "{{ l.append(3) }}{{ l }}",
    "{% set _ = l.append(3) %}{{ l }}",
    "{% for i in l %}{% set _ = l.append('x') %}{% endfor %}",
    "{{ l['append'](3) }}",
    "{{ l.append }}",
    "{{ (l.append is defined) }}",
    "{{ l | attr('append') }}",
    "{{ (l | attr('append'))(1) }}",
    "{{ l.extend(l) }}",
    "{{ l.sort() }}",
    "{{ l.index(2) }}{{ l.count(2) }}{{ l.copy() }}",
    "{{ d.update(a=2) }}",
    "{{ d.pop('a') }}",
    "{{ d.setdefault('a', 2) }}",
    "{{ d.get('a') }}{{ d.items() | list }}{{ d.copy() }}",
    "{{ d.clear }}|{{ d.clear() }}",
    "{{ d.pop }}",
    "{{ p.pop }}|{{ p['pop'] }}",
    "{{ s.add(3) }}",
    "{{ s.union([3]) | sort }}",
    "{{ t.pop() }}{{ t.made() }}{{ t.name }}",
    "{{ t._secret }}",
    "{{ t._secret.x }}",
    "{{ t['_secret'] }}",
    "{{ t['_secret'] is defined }}",
    "{{ p._x }}{{ p['_x'] }}",
    "{{ '' .__class__ }}",
    "{{ ''.__class__.__mro__ }}",
    "{{ ''['__class__']['x'] }}",
    "{{ k.mro }}",
    "{{ k.mro() }}",
    "{{ ns.pop }}{{ ns._x }}",
    "{{ [t] | map(attribute='_secret') | list }}",
    "{{ [t] | map(attribute='_secret.x') | list }}",
    "{{ '{0.name}'.format(t) }}",
    "{{ '{0._secret.x}'.format(t) }}",
    "{{ '{0._secret}|{0.name}|{1[0]}|{1.append}|{1}'.format(t, l, 3) }}",
    "{{ '{}{}{:>4}'.format(1, 2, 'x') }}",
    "{{ '{}{}'.format(1) }}",
    "{{ '{.name}'.format(t) }}",
    "{{ ('<{0.name}>{1}' | safe).format(t, '<') }}",
    "{{ ('<{0._secret}>{x}' | safe).format(t, x=7) }}",
    "{{ '{0.nope}{1[nope]}'.format(t, d) }}",
    "{{ '{x.a}'.format_map({'x': d}) }}{{ '{x}'.format_map(x=1) }}",
    "{{ '{x}'.format_map(1, 2) }}",
    "{{ ('{0.__class__.x}' | attr('format'))(1) }}",
    "{{ '%s' | format(l) }}{{ l['pop'] }}{{ l | map('string') | join }}",
    "{{ '{x}'.format_map({'x': 1}) }}",
    "{{ f.__globals__ }}|{{ f.__code__.co_code }}",
    "{{ g.gi_frame.f_locals }}",
    "{{ namespace(a=1).a }}",
    "{{ t.refused(1) }}",
    "{{ t.refused(nope.x) }}",
    "{{ l.append(nope.x) }}",
    "{% for x in l %}{% set y = t.refused(x) %}{% endfor %}",
    "{% block b %}{% for x in l %}{% set y = t.made() %}{{ y }}{{ t.refused() }}{% endfor %}{% endblock %}",
    "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(1) }}{{ m(x=2) }}{{ m(1, 2) }}",
    "{{ t.refused is callable }}{{ 'a'.upper() }}{{ k().name }}{{ dict(a=1).a }}",
]


@pytest.mark.parametrize("source", SANDBOX)
def test_the_sandbox_lets_through_and_refuses_what_jinja2s_does(source: str) -> None:
    def variables() -> dict[str, Any]:
        return {
            "l": [1, 2], "d": {"a": 1}, "p": {"pop": "own", "_x": "x"}, "s": {1, 2}, "t": Thing(), "k": Thing,
            "f": variables, "g": (i for i in "ab"),
        }  # fmt: skip

    source = "{% set ns = namespace(pop=1, _x=2) %}" + source
    assert ours(source, variables()) == theirs(source, variables())


WAYS_TO_READ = [
    "{{ [t] | map(attribute='NAME') | list }}", "{{ [l, d] | map(attribute='NAME') | first is defined }}",
    "{{ [t] | map(attribute='NAME') | map('string') | join }}", "{{ [t] | selectattr('NAME') | list | length }}",
    "{{ [t, t] | sort(attribute='NAME') | length }}", "{{ [t] | groupby('NAME') | length }}",
    "{{ [t] | join(',', attribute='NAME') }}", "{{ [t] | unique(attribute='NAME') | list | length }}",
    "{{ [t, t] | max(attribute='NAME') }}", "{{ (l | attr('NAME')).x }}", "{{ (d | attr('NAME')).x }}",
    "{{ t | attr('NAME') }}", "{{ d['NAME'].x }}", "{{ d.NAME is defined }}", "{{ f.NAME.x }}", "{{ g['NAME'].x }}",
    "{{ k.NAME.x }}", "{{ ''['NAME'].x }}", "{% for x in l %}{{ loop.NAME.x }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m.NAME.x }}", "{{ self['NAME'].x }}", "{{ cycler(1).NAME.x }}",
    "{{ ns.NAME.x }}", "{{ range['NAME'].x }}", "{{ nope.NAME }}", "{{ strftime_now['NAME'].x }}",
    "{% set n = 'NAME' %}{{ l[n].x }}", "{{ dict(a=1).NAME.x }}", "{{ t.NAME.x }}",
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS_TO_READ)
def test_a_name_that_jinja2s_sandbox_keeps_away_is_reached_in_no_way(way: str) -> None:
    for name in ("__class__", "_secret", "append", "pop", "mro", "gi_frame", "__globals__", "format", "update", "name"):
        variables = {"l": [1, 2], "d": {"a": 1}, "t": Thing(), "k": Thing, "f": clock, "g": (i for i in "ab")}
        source = "{% set ns = namespace(pop=1, _x=2) %}" + way.replace("NAME", name)
        assert ours(source, variables) == theirs(source, variables), source


def test_the_time_is_asked_of_the_hosts_clock_only() -> None:
    source = "{% if date %}{{ date }}{% else %}{{ strftime_now('%Y') }}{% endif %}"
    data = compile_template(source, options="hf").encode()
    template = frozenctx.load_template(data)
    assert template.render(date="today") == "today"
    with pytest.raises(frozenctx.errors.TemplateRuntimeError, match="clock=datetime.now"):
        template.render()
    assert frozenctx.load_template(data, clock=clock).render() == "2026"
    with pytest.raises(TypeError, match="a clock is a function without arguments that returns the time, not datetime"):
        frozenctx.load_template(data, clock=NOW)  # type: ignore[arg-type]


def test_the_profile_is_a_dialect_that_can_be_changed() -> None:
    from dataclasses import replace

    strict = compile_template("{{ nope }}", options=replace(HF, undefined="StrictUndefined")).encode()
    with pytest.raises(frozenctx.errors.UndefinedError, match="'nope' is undefined"):
        frozenctx.load_template(strict).render()
