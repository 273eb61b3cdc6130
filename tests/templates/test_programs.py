"""What a program's text is, whatever its template."""

from __future__ import annotations

import ast
import marshal
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from frozenctx.errors import FrozenctxError, ProgramError, UndefinedError
from frozenctx.template import Engine, Template, pass_context, pass_environment, pass_eval_context
from frozenctx.template.text import compile_program
from frozenctx.template.where import where
from frozenctx_compiler.templates import compile_template
from frozenctx_compiler.templates.dialect import CTX, Dialect
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
from templates.interpreters import others
from templates.lower_all import programs

ROOT = Path(__file__).parents[2]
PROGRAMS = programs()
TEXTS = {name: text for name, text in PROGRAMS.items() if text.startswith("PROGRAM")}


def no_lookup(name: str) -> Template:
    raise AssertionError(f"{name} was asked for")


def template(source: str, dialect: Dialect = CTX, *, engine: Engine | None = None, **options: Any) -> Template:
    text = lower(parse(source, "t", dialect), name="t", file="t.j2", dialect=dialect, **options).text
    return Template(text, engine or Engine(), no_lookup)


def vars_of(dialect: Dialect) -> dict[str, Any]:
    return {field.name: getattr(dialect, field.name) for field in fields(dialect)}


# Text


def test_program_is_ascii_without_imports_set_displays_and_constant_slices() -> None:
    for text in TEXTS.values():
        assert text.isascii()
        for node in ast.walk(ast.parse(text)):
            assert not isinstance(node, (ast.Import, ast.ImportFrom, ast.Set, ast.SetComp, ast.Slice))


def test_program_has_one_statement_a_line() -> None:
    for text in TEXTS.values():
        lines = [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        assert len(lines) == len(set(lines))


def test_programs_constants_can_be_marshalled_in_every_version() -> None:
    def constants(code: CodeType) -> list[Any]:
        found: list[Any] = []
        for constant in code.co_consts:
            found += constants(constant) if isinstance(constant, CodeType) else [constant]
        return found

    for text in TEXTS.values():
        code = compile_program(text)
        assert not any(isinstance(constant, slice | frozenset) for constant in constants(code))
        assert marshal.loads(marshal.dumps(code, 2)) == code


def test_same_template_gives_the_same_bytes_under_other_hash_seeds_and_python_versions() -> None:
    compared = 0
    for python in [sys.executable, *others()]:
        for seed in ("0", "1", "4242"):
            path = [str(ROOT / part) for part in ("runtime", "compiler", "artifacts", "tests")]
            if python == sys.executable:
                path = [*sys.path, *path]
            done = subprocess.run(
                [python, "-m", "templates.lower_all"],
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "0", "LC_ALL": "C"},
                capture_output=True,
                check=True,
            )
            assert ast.literal_eval(done.stdout.decode("utf-8")) == PROGRAMS
            compared += 1
    assert compared >= 3


def test_other_python_versions_are_compared() -> None:
    if not others():
        pytest.skip("no other Python version with jinja2: set FROZENCTX_PYTHONS")


def test_text_of_a_program_reads_like_this() -> None:
    source = "{% for t in tickets %}\n{{ loop.index }}. {{ t.title|trim }}\n{% endfor %}\nBye {{ name }}"
    assert lower(parse(source, "t"), name="t", file="a/t.j2").text == '''\
PROGRAM = 1
NAME = 't'
FILE = 'a/t.j2'
NEEDS = (('filters', ('trim',)), ('tests', ()), ('globals', ()))


def bind(engine, template):
    Dict = engine.Dict
    Lacking = engine.Lacking
    absent = engine.absent
    filters = engine.filters
    missing = engine.missing
    undefined = engine.lacking
    g_name, g_tickets, = template.globals_of('name', 'tickets')
    engine.require_own('filters', 'trim')

    def root(variables, own):
        l_0_tickets = variables.get('tickets', g_tickets)
        l_0_name = variables.get('name', g_name)
        out = []
        for index_1, l_1_t in enumerate((undefined(name='tickets') if l_0_tickets is missing else l_0_tickets)):
            try:
                t_2 = l_1_t['title'] if type(l_1_t) is Dict else l_1_t.title
            except Lacking:
                t_2 = absent(l_1_t, 'title')
            out.append(f"{(index_1 + 1)}. {(t_2.strip() if type(t_2) is str else filters['trim'](t_2))!s}\\n")
        l_1_loop = l_1_t = missing
        out.append(f"Bye {(undefined(name='name') if l_0_name is missing else l_0_name)!s}")
        return out

    return root, {}, ()


LINES = (
    (17, 1),
    (22, 2),
    (28, 4),
)
'''  # noqa: E501


# Names from outside


def test_needs_lists_filters_tests_and_globals_sorted() -> None:
    source = "{{ x|upper|lower }}{% if x is odd %}{{ range(3)|join }}{{ namespace() }}{% endif %}{{ shop|money }}"
    dialect = Dialect(host_filters=("money",), host_globals=("shop",))
    lowered = lower(parse(source, "t", dialect), name="t", file="t", dialect=dialect)
    assert lowered.needs == (
        ("filters", ("join", "lower", "money", "upper")),
        ("tests", ("odd",)),
        ("globals", ("namespace", "range", "shop")),
    )


def test_binding_fails_when_the_host_lacks_what_the_program_needs() -> None:
    dialect = Dialect(host_filters=("money", "word"), host_tests=("big",))
    program = template("{{ x|money|word }}{{ x is big }}", dialect)
    needed = r"`t\.j2` needs the filter `money` and the filter `word` and the test `big`"
    with pytest.raises(ProgramError, match=needed):
        program.render({"x": 1})


def test_functions_of_the_host_get_the_first_argument_that_they_are_marked_to_want() -> None:
    dialect = Dialect(host_filters=("a", "b", "c", "d"), host_tests=("t",))
    engine = Engine(
        filters={
            "a": lambda value, more=0: (value, more),
            "b": pass_context(lambda context, value: (context["x"], value)),
            "c": pass_eval_context(lambda eval_ctx, value: (eval_ctx.autoescape, value)),
            "d": pass_environment(lambda environment, value: (environment.guard, value)),
        },
        tests={"t": pass_context(lambda context, value: context["x"] == value)},
    )
    source = "{{ 1|a }}{{ 1|a(2) }}{{ 1|a(more=3) }}{{ 1|b }}{{ 1|c }}{{ 1|d }}{{ 7 is t }}"
    assert template(source, dialect, engine=engine).render({"x": 7}) == (
        "(1, 0)(1, 2)(1, 3)(7, 1)(False, 1)(True, 1)True"
    )


def test_a_filter_of_the_host_takes_the_place_of_a_built_in_one() -> None:
    dialect = Dialect(host_filters=("upper",))
    engine = Engine(filters={"upper": lambda value: f"<{value}>"})
    assert template("{{ 'a'|upper }}{{ x|upper }}", dialect, engine=engine).render({"x": "b"}) == "<a><b>"


def test_unknown_names_are_errors_at_build_in_packages_and_at_render_in_jinja2s_dialect() -> None:
    import jinja2

    source = "{% if x %}{{ x|nonsense }}{% endif %}"
    with pytest.raises(jinja2.TemplateAssertionError, match="No filter named 'nonsense'"):
        template(source)
    lenient = template(source, Dialect())
    assert lenient.render({"x": 0}) == ""
    with pytest.raises(FrozenctxError, match="No filter named 'nonsense' found"):
        lenient.render({"x": 1})


def test_globals_of_the_host_are_found_after_the_callers_variables() -> None:
    engine = Engine(globals={"shop": "s", "name": "global"})
    program = template("{{ shop }}{{ name }}", engine=engine)
    assert program.render({"name": "given"}) == "sgiven"


# Where it fails


@pytest.mark.parametrize("kind", ["lean", "kept", "reference"])
@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("{{ u }}", 1),
        ("a\nb\n{{ x }}\n{{ u }}\nc", 4),
        ("a {{ x }}\nb {{ x }} {{ x }}\nc {{ u }} d {{ x }}\ne {{ x }}\n", 3),
        ("{{ x }}{{ x }}{{ u }}\n{{ x }}", 1),
        ("{% for i in [1] %}\n\n{{ i }}\n{{ i.u.v }}\n{% endfor %}", 4),
        ("{% macro m(a) %}\n{{ a }}\n{{ u }}\n{% endmacro %}\n\n{{ m(1) }}", 3),
        ("{% block a %}\n{% if x %}\n{{ u }}{% endif %}{% endblock %}", 3),
        ("\n{% set a = u.v %}", 2),
        ("\n\n{% if u %}{% endif %}", 3),
        ("{% for i in\n u %}{% endfor %}", 1),
        ("{% for i in [1] if\n u %}\n{% endfor %}", 2),
        ("text\n{{ x ~\n u }}", 2),
        ("\n{% filter upper %}\n{{ u }}\n{% endfilter %}", 3),
    ],
)
def test_where_names_the_line_of_the_template(source: str, line: int, kind: str) -> None:
    with pytest.raises(UndefinedError) as caught:
        template(source, kind=kind).render({"x": 1})
    assert where(caught.value) == ("t.j2", line)


def test_where_names_the_innermost_template() -> None:
    texts = {
        "main": "\n{% include 'part' %}",
        "part": "\n\n{% import 'lib' as lib %}{{ lib.m() }}",
        "lib": "{% macro m() %}\n\n\n\n{{ u }}{% endmacro %}",
    }
    engine = Engine()

    def lookup(name: str) -> Template:
        return Template(lower(parse(texts[name], name), name=name, file=f"p/{name}.j2").text, engine, lookup)

    with pytest.raises(UndefinedError) as caught:
        lookup("main").render({})
    assert where(caught.value) == ("p/lib.j2", 5)


def test_where_maps_lines_of_a_part_of_a_file() -> None:
    source = "one {{ x }}\n{{ u }}"
    program = template(source, lines=(7, 12))
    with pytest.raises(UndefinedError) as caught:
        program.render({"x": 1})
    assert where(caught.value) == ("t.j2", 12)


def test_where_knows_nothing_of_other_exceptions() -> None:
    with pytest.raises(ValueError, match="invalid literal") as caught:
        int("x")
    assert where(caught.value) is None


def test_positions_within_messages_are_those_of_the_template_itself() -> None:
    program = template("\n{{ ('x' if false) + 1 }}", lines=(20, 21))
    with pytest.raises(UndefinedError, match="the inline if-expression on line 2 in 't' evaluated to false"):
        program.render({})


# Using a program


def test_render_changes_neither_variables_nor_globals() -> None:
    variables = {"a": 1}
    engine = Engine()
    before = dict(engine.globals)
    assert template("{% set a = 2 %}{% set b = 3 %}{{ a }}{{ b }}", engine=engine).render(variables) == "23"
    assert variables == {"a": 1}
    assert engine.globals == before


def test_generate_module_and_make_module_do_what_jinja2s_do() -> None:
    program = template("{% macro m(a) %}<{{ a }}>{% endmacro %}{% set v = 4 %}{% set _w = 5 %}text{{ x|default('') }}")
    assert "".join(program.generate({"x": 1})) == "text1"
    assert program.module.m(1) == "<1>"  # type: ignore[attr-defined]
    assert program.module is program.module
    assert str(program.make_module({"x": 2})) == "text2"
    assert not hasattr(program.module, "_w")
    assert program.module.v == 4  # type: ignore[attr-defined]
    assert (program.name, program.file, program.needs) == (
        "t", "t.j2", (("filters", ("default",)), ("tests", ()), ("globals", ())),
    )  # fmt: skip


def test_code_object_is_as_good_as_text() -> None:
    text = lower(parse("{{ x }}"), name=None, file="é'\n.j2").text
    code = compile_program(text)
    assert code.co_filename == "frozenctx:é'\n.j2"
    assert Template(marshal.loads(marshal.dumps(code, 2)), Engine(), no_lookup).render({"x": 1}) == "1"


@pytest.mark.parametrize("text", ["", "x = 1", "PROGRAM = 99\nNAME = None\nFILE = 'x'\nNEEDS = ()\n"])
def test_text_that_is_no_program_of_this_shape_is_refused(text: str) -> None:
    with pytest.raises(ProgramError):
        Template(text, Engine(), no_lookup)


def test_finalize_of_the_engine_sees_every_printed_value() -> None:
    dialect = Dialect(finalize=True)
    engine = Engine(finalize=lambda value: "" if value is None else value)
    assert template("a{{ none }}{{ x }}{{ 1 }}", dialect, engine=engine).render({"x": None}) == "a1"


def test_compile_template_takes_jinja2s_defaults_and_gives_text() -> None:
    lowered = compile_template("{{ a }}\n", name="greeting", options=None)
    assert Template(lowered.text, Engine(), no_lookup).render({"a": 1}) == "1"
    assert compile_template("{{ a }}\n", options=CTX).text == compile_template("{{ a }}\n", options=vars_of(CTX)).text
    assert "\\n" in compile_template("{{ a }}\n", name="x", options={"keep_trailing_newline": True}).text


def test_importing_the_package_of_templates_loads_no_jinja2() -> None:
    code = "import sys, frozenctx_compiler.templates; assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": os.pathsep.join(sys.path)}, check=True)


def test_jinja2_is_the_version_whose_private_parts_are_used() -> None:
    from importlib.metadata import version

    from frozenctx_compiler.templates.dialect import JINJA_VERSION

    assert version("jinja2") == JINJA_VERSION
