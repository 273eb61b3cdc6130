"""`compile_template` and `load_template`: every option, what the bytes carry, and what is refused in which words."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import frozenctx
import jinja2
import pytest
from frozenctx import errors
from frozenctx_compiler.templates import CTX, HF, Dialect, compile_template

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("filters", "globals", "tests")


def load(source: str, options: Any = None, **host: Any) -> frozenctx.Template:
    return frozenctx.load_template(compile_template(source, name="t.j2", options=options).encode(), **host)


def outcome(render: Any, variables: dict[str, Any]) -> Any:
    try:
        return render(variables)
    except Exception as error:
        return type(error).__name__, str(error)


# Options

SOURCE = (
    "  {% if a %}\n  a <b>{{ a }}\n  {% endif %}\n{{ nope }}|{{ d.nope }}|{% for x in l %}{{ x }}{% if x == 2 %}"
    "{% break %}{% endif %}{% endfor %}{% do l %}\n{# comment #}\n"
)
VALUES = {"a": "<i>&", "l": [1, 2, 3], "d": {}}
EXTENSIONS = {"extensions": ("loopcontrols", "do")}
OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    **{name: {"undefined": name} for name in ("ChainableUndefined", "DebugUndefined", "StrictUndefined")},
    **{name: {name: True} for name in ("trim_blocks", "lstrip_blocks", "keep_trailing_newline", "autoescape")},
    "crlf": {"newline_sequence": "\r\n", "keep_trailing_newline": True},
    "cr": {"newline_sequence": "\r"},
    "lines": {"line_statement_prefix": "%%", "line_comment_prefix": "##"},
    "signs": {
        "block_start_string": "{%", "block_end_string": "%}", "variable_start_string": "{{",
        "variable_end_string": "}}", "comment_start_string": "{#", "comment_end_string": "#}", "trim_blocks": True,
    },
}  # fmt: skip


@pytest.mark.parametrize("which", OPTIONS)
def test_an_option_means_what_it_means_to_jinja2(which: str) -> None:
    options = OPTIONS[which] | EXTENSIONS
    source = SOURCE + "%% if a\nline {{ a }} ## note\n%% endif\n"
    judge = jinja2.Environment(**{
        **options, "extensions": ["jinja2.ext.loopcontrols", "jinja2.ext.do"],
        "undefined": getattr(jinja2, options.get("undefined", "Undefined")),
    })  # fmt: skip
    assert outcome(load(source, options).render, VALUES) == outcome(judge.from_string(source).render, VALUES)


def test_other_signs_begin_and_end_blocks_variables_and_comments() -> None:
    signs = {
        "block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "${",
        "variable_end_string": "}", "comment_start_string": "<#", "comment_end_string": "#>",
    }  # fmt: skip
    source = "<% if a %>${ a }<# {{ no }} #>{{ a }}<% endif %>"
    assert load(source, signs).render(a=1) == jinja2.Environment(**signs).from_string(source).render(a=1) == "1{{ a }}"  # type: ignore[arg-type]


def test_an_extension_that_is_not_asked_for_is_not_there() -> None:
    for source in ("{% for x in 'ab' %}{% break %}{% endfor %}", "{% do x %}", "{% generation %}{% endgeneration %}"):
        with pytest.raises(jinja2.TemplateSyntaxError, match="Encountered unknown tag"):
            compile_template(source)


def test_options_can_be_a_profile_a_dialect_or_fields_by_name() -> None:
    source = "{{ a }}\n{% if a %}\n{% endif %}"
    texts = {name: compile_template(source, options=name).encode() for name in ("ctx", "hf")}
    assert texts["ctx"] == compile_template(source, options=CTX).encode()
    assert texts["ctx"] == compile_template(source, options=options_of(CTX)).encode()
    assert texts["hf"] == compile_template(source, options=HF).encode()
    assert texts["hf"] == compile_template(source, options={**options_of(HF), "extensions": ["loopcontrols"]}).encode()
    assert compile_template(source).encode() == compile_template(source, options=Dialect()).encode()


def options_of(dialect: Dialect) -> dict[str, Any]:
    return {field.name: getattr(dialect, field.name) for field in fields(Dialect)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trimblocks": True}, "no option is called `trimblocks`; did you mean `trim_blocks`?"),
        ({"undefined": "Strict"}, "the option `undefined` is one of"),
        ({"undefined": "StrictUndefind"}, "not 'StrictUndefind'; did you mean `StrictUndefined`?"),
        ({"undefined": jinja2.StrictUndefined}, "the option `undefined` is one of"),
        ({"extensions": ["jinja2.ext.loopcontrol"]}, "did you mean `loopcontrols`?"),
        ({"extensions": ["i18n"]}, "the option `extensions` is one of 'loopcontrols', 'do', not 'i18n'"),
        ({"extensions": "do"}, "the option `extensions` is a list of names, not 'do'"),
        ({"newline_sequence": "\n\r"}, "the option `newline_sequence` is one of"),
        ({"autoescape": "html"}, "the option `autoescape` cannot be 'html'"),
        ({"line_statement_prefix": 7}, "the option `line_statement_prefix` cannot be 7"),
        ({"block_start_string": "{{"}, "blocks, variables and comments must begin differently"),
        ({"comment_start_string": ""}, "blocks, variables and comments must begin differently"),
        ("hff", "no profile of options is called `hff`; did you mean `hf`?"),
        ("jinja", "no profile of options is called `jinja`; there are `ctx`, `hf`"),
        (replace(HF, undefined="x"), "the option `undefined` is one of"),  # type: ignore[arg-type]
    ],
)
def test_an_option_that_there_is_not_is_refused_with_the_nearest(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        compile_template("x", options=options)


@pytest.mark.parametrize("options", [5, ["undefined"], b"hf", True])
def test_options_that_are_none_are_refused_with_what_they_are(options: Any) -> None:
    with pytest.raises(TypeError, match="options are a profile's name, .* not " + type(options).__name__):
        compile_template("x", options=options)


# What a compiled template says, and its bytes


def test_a_compiled_template_says_what_it_needs_and_asks_for() -> None:
    compiled = compile_template("{{ a | upper }}{{ b is odd }}{{ range(c) }}{% set d = 1 %}{{ d }}", name="n")
    assert compiled.needs == (("filters", ("upper",)), ("tests", ("odd",)), ("globals", ("range",)))
    assert compiled.variables == ("a", "b", "c")
    assert compiled.text.startswith("PROGRAM = ")
    template = frozenctx.load_template(compiled.encode())
    assert (template.name, template.variables) == ("n", ("a", "b", "c"))
    assert repr(template) == "<frozenctx.Template 'n'>"


def test_equal_templates_have_equal_bytes_whatever_the_hash_seed() -> None:
    program = (
        "import sys; from frozenctx_compiler.templates import compile_template;"
        "sys.stdout.buffer.write(compile_template('{{ é | upper | tojson }}{{ b is odd }}{{ {1: a}[c] }}', name='ñ',"
        " options={'host_filters': ['z', 'a', 'm'], 'extensions': ['do']}).encode())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True,
            env={"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("compiler", "artifacts", "runtime")),
                 "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
    assert found.pop().isascii()


def test_a_bare_interpreter_loads_and_renders_without_what_it_does_not_need() -> None:
    source = "{% for x in l %}{{ x | upper }}{{ loop.index }} {% endfor %}{{ d.a }}"
    data = compile_template(source, options="ctx").encode()
    program = f"""if True:
        import sys
        sys.path.insert(0, {str(ROOT / "runtime")!r})
        import frozenctx
        template = frozenctx.load_template(sys.stdin.buffer.read())
        print(template.render(l=["a", "b"], d={{"a": 1}}))
        print(*sorted({{"re", "json", "typing", "hashlib", "enum", "collections", "jinja2"}} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], input=data, capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == ["A1 B2 1", ""]


def test_every_byte_that_is_damaged_is_noticed_before_anything_runs() -> None:
    data = compile_template("{{ a }}", name="x").encode()
    for place in range(len(data)):
        with pytest.raises((errors.Damaged, errors.ProgramError, errors.UnsupportedFormat)):
            frozenctx.load_template(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    for place in range(len(data)):
        with pytest.raises((errors.Damaged, errors.ProgramError)):
            frozenctx.load_template(data[:place])
    with pytest.raises(errors.Damaged, match="its bytes have another digest"):
        frozenctx.load_template(data + b"\n")


def test_what_is_no_template_or_of_another_format_is_refused_in_words() -> None:
    data = compile_template("{{ a }}").encode()
    with pytest.raises(errors.UnsupportedFormat, match="has format 2, this frozenctx reads format 1: compile it again"):
        frozenctx.load_template(data.replace(b"frozenctx-template 1 ", b"frozenctx-template 2 "))
    with pytest.raises(errors.ProgramError, match=r"is not what `compile_template\(…\).encode\(\)` gives"):
        frozenctx.load_template(b"{{ a }}")
    with pytest.raises(errors.ProgramError, match="the template `part` is not what"):
        frozenctx.load_template(data, templates={"part": b""})
    with pytest.raises(TypeError, match="expected the bytes of a template, found str"):
        frozenctx.load_template("{{ a }}")  # type: ignore[arg-type]


# Several templates


def test_templates_that_are_loaded_together_include_import_and_extend_each_other() -> None:
    sources = {
        "main": "{% extends 'frame' %}{% from 'macros' import m %}"
                "{% block b %}{{ m(a) }}{% include 'part' %}{% endblock %}",
        "frame": "<{% block b %}{% endblock %}>",
        "macros": "{% macro m(x) %}[{{ x }}]{% endmacro %}",
        "part": "{{ a }}{% if a %}{% set a = a - 1 %}{% include 'part' %}{% endif %}",
    }  # fmt: skip
    data = {name: compile_template(source, name=name).encode() for name, source in sources.items()}
    judge = jinja2.Environment(loader=jinja2.DictLoader(sources)).get_template("main")
    template = frozenctx.load_template(data.pop("main"), templates=data)
    assert template.render(a=2) == judge.render(a=2) == "<[2]210>"
    assert "".join(template.generate(a=2)) == "<[2]210>"


def test_a_template_finds_itself_and_nothing_that_was_not_given() -> None:
    tree = "{{ n }}{% if n %}{% set n = n - 1 %}{% include 't.j2' %}{% endif %}"
    assert load(tree).render(n=2) == "210"
    with pytest.raises(errors.TemplateNotFound, match="other"):
        load("{% include 'other' %}").render()
    assert load("{% include 'other' ignore missing %}.").render() == "."


def test_templates_of_different_options_are_not_loaded_together() -> None:
    strict = compile_template("{{ nope }}", options={"undefined": "StrictUndefined"}).encode()
    with pytest.raises(errors.ProgramError, match="`part` was compiled with other options"):
        frozenctx.load_template(compile_template("{% include 'part' %}").encode(), templates={"part": strict})


# What the host supplies


def test_functions_of_the_host_are_found_by_the_names_that_the_options_give_them() -> None:
    options = {"host_filters": ["money"], "host_tests": ["dear"], "host_globals": ["shop"]}
    host: dict[str, Any] = {
        "filters": {"money": lambda value: f"{value:.2f} €"}, "tests": {"dear": lambda value: value > 9},
        "globals": {"shop": lambda: "ours"},
    }  # fmt: skip
    source = "{{ a | money }} {{ a is dear }} {{ shop() }}"
    assert load(source, options, **host).render(a=10) == "10.00 € True ours"
    for kind in NAMES:
        with pytest.raises(errors.HostNamesMissing, match=f"the template needs the {kind[:-1]} `"):
            load(source, options, **{**host, kind: {}})


def test_a_function_that_the_template_was_not_compiled_for_is_refused() -> None:
    with pytest.raises(ValueError, match="without filters of the host named `upper`: name them in the option host_fil"):
        load("{{ a | upper }}", filters={"upper": str.lower})
    with pytest.raises(ValueError, match="without globals of the host named `range`"):
        load("{{ range(2) }}", globals={"range": str})
    assert load("{{ range(2) }}", {"host_globals": ["range"]}, globals={"range": str}).render() == "2"
    assert load("{{ a | upper }}", {"host_filters": ["upper"]}, filters={"upper": str.lower}).render(a="A") == "a"
    with pytest.raises(jinja2.TemplateAssertionError, match="No filter named 'money'"):
        compile_template("{{ a | money }}")


def test_globals_are_variables_that_every_rendering_has() -> None:
    template = load("{{ site }}{{ a }}", globals={"site": "x"})
    assert (template.render(a=1), template.render(site="y")) == ("x1", "y")


def test_finalize_is_given_when_loading_if_the_options_say_so() -> None:
    def dash(value: Any) -> Any:
        return "-" if value is None else value

    assert load("{{ none }}{{ a }}", {"finalize": True}, finalize=dash).render(a=1) == "-1"
    with pytest.raises(ValueError, match="was compiled for a `finalize` function: pass it"):
        load("{{ none }}", {"finalize": True})
    with pytest.raises(ValueError, match="compile it with the option finalize=True"):
        load("{{ none }}", finalize=dash)


def test_a_loaded_template_refuses_to_be_copied_or_pickled_and_says_what_to_pass_on() -> None:
    template = load("Hi {{ a }}")
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled; pass its bytes on, and load them"):
            make(template)
    assert template.render(a=1) == "Hi 1"


# Rendering


def test_an_error_says_file_and_line_and_keeps_jinja2s_words() -> None:
    template = load("a\n{{ b.c.d }}", "ctx")
    for render in (template.render, lambda variables: list(template.generate(variables))):
        with pytest.raises(errors.UndefinedError, match="'dict object' has no attribute 'c'") as caught:
            render({"b": {}})
        assert (caught.value.file, caught.value.line) == ("t.j2", 2)
        assert caught.value.__notes__ == ["in t.j2 line 2"]
    part = compile_template("{{ nme }}", name="part", options="ctx").encode()
    template = load("{% include 'part' %}", "ctx", templates={"part": part})
    with pytest.raises(errors.UndefinedError, match="'nme' is undefined") as caught:
        template.render(name=1)
    assert caught.value.__notes__ == ["in part line 1, called from t.j2 line 1; did you mean `name`?"]


def test_variables_come_as_a_mapping_as_keywords_or_both() -> None:
    template = load("{{ a }}{{ variables }}{{ self_ }}")
    variables = {"a": 1}
    assert template.render(variables, variables=2, self_=3) == "123"
    assert template.render(variables, a=4) == "4"
    assert variables == {"a": 1}


def test_no_value_leads_to_internals() -> None:
    assert load("{{ a.__class__ }}{{ a['__class__'] }}{{ a._x }}").render(a="") == ""
    with pytest.raises(errors.UndefinedError):
        load("{{ a.__class__.__mro__ }}").render(a="")


# What parses and means nothing


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("a\n{% break %}", 2),
        ("{% for x in a %}{% else %}\n{% break %}{% endfor %}", 2),
        ("{% for x in a %}\n{% macro m() %}{% continue %}{% endmacro %}{% endfor %}", 2),
        ("{% for x in a %}\n{% call m() %}{% break %}{% endcall %}{% endfor %}", 2),
        ("{% for x in a %}\n{% block b %}{% break %}{% endblock %}{% endfor %}", 2),
        ("\n{% macro f(a, a) %}{% endmacro %}{{ f(1) }}", 2),
        ("\n{% call(a, a) f() %}{% endcall %}", 2),
        ("\n{{ fn(x=1, x=2) }}", 2),
    ],
)
def test_what_is_no_program_is_a_mistake_of_the_template(source: str, line: int) -> None:
    with pytest.raises(jinja2.TemplateSyntaxError) as caught:
        compile_template(source, name="t.j2", options="ctx")
    assert (caught.value.lineno, caught.value.name) == (line, "t.j2")
    assert "l_" not in str(caught.value.message)


def test_arguments_of_other_types_are_refused_by_name() -> None:
    wrong: Any
    for wrong in (b"a", None, 3):
        with pytest.raises(TypeError, match=f"^the source of a template is a text, not {type(wrong).__name__}$"):
            compile_template(wrong)
    wrong = 3
    with pytest.raises(TypeError, match=r"^the name of a template is a text or None, not int$"):
        compile_template("", name=wrong)
    for argument in (*NAMES, "templates"):
        wrong = {argument: 5}
        with pytest.raises(TypeError, match=f"^{argument}= takes a mapping of names, not int$"):
            load("", **wrong)
    wrong = True
    with pytest.raises(TypeError, match=r"^finalize= takes a function of one argument, not bool$"):
        load("", {"finalize": True}, finalize=wrong)
    for kind in ("filters", "tests"):
        with pytest.raises(TypeError, match=rf"^the {kind[:-1]} `money` is not callable: 5$"):
            load("", {f"host_{kind}": ["money"]}, **{kind: {"money": 5}})
    template = load("{{ strftime_now('%Y') }}", "hf", clock=lambda: 3)
    with pytest.raises(TypeError, match="^the clock returned int, which has no `strftime`: return a datetime"):
        template.render()


@pytest.mark.parametrize(
    "source",
    [
        "{{ f(**1) }}",
        "{{ f(a=1, **{'a': 2}) }}",
        "{% macro m(a) %}{% endmacro %}{{ m(**1) }}",
        "{% for x in [1] %}{{ f(**x) }}{% endfor %}",
        "{% block b %}{{ f(**1) }}{% endblock %}",
    ],
)
def test_a_wrong_spread_names_the_function_that_jinja2_names(source: str) -> None:
    expected = outcome(jinja2.Environment().from_string(source).render, {"f": len})
    assert outcome(load(source).render, {"f": len}) == expected
    assert "jinja2.runtime.Context.call()" in str(expected)
