"""Python warns of nothing when it compiles a program: a build prints what frozenctx has to say, and that only.

Warnings are silenced nowhere, for that would change them for the whole process. Programs are written so that there are
none.
"""

import warnings

import jinja2
import pytest
from frozenctx.template.text import compile_program
from frozenctx_compiler.templates import compile_template

CONSTANTS = (
    "1", "1.5", "'a'", "true", "none", "[1]", "(1, 2)", "()", "{}", "{'a': 1}", "(1 + 2)", "-1", "('a' ~ 'b')",
    "(not 1)", "(1 if x else 2)", "(1 if x)", "[1][0:1]", "1e999", "(1 == 2)", "(1 and 2)", "('a' | upper)",
    "'a' | length", "({} | length)", "(1 is none)", "(none is none)", "x | default(1)", "(x or 1)", "''",
)  # fmt: skip
USES = (
    "{{ _[0:1] }}", "{{ _['a'] }}", "{{ _[0] }}", "{{ _[1.5] }}", "{{ _[none] }}", "{{ _[(1, 2)] }}", "{{ _[[1]] }}",
    "{{ _['a':2] }}", "{{ _() }}", "{{ _(1) }}", "{{ _.a }}", "{{ _.a() }}", "{{ _.upper() }}", "{{ _.append(1) }}",
    "{{ _ is none }}", "{{ not _ is none }}", "{{ _ is sameas 1 }}", "{{ _ is defined }}", "{{ _ is string }}",
    "{{ _ == none }}", "{{ x in _ }}", "{{ _ in x }}", "{{ _ | length }}", "{{ _ | default(1) }}", "{{ _ ~ 1 }}",
    "{% if _ %}a{% endif %}", "{% for a in _ %}{{ a[0] }}{% endfor %}", "{{ [_](1) }}", "{{ [_]['a'] }}",
    "{{ (_,)['a'] }}", "{{ {1: _}() }}", "{{ f(_[0]) }}", "{{ 'a' % _ }}",
)  # fmt: skip


@pytest.mark.parametrize("constant", CONSTANTS)
def test_python_warns_of_nothing_that_is_done_to_a_constant(constant: str) -> None:
    compiled = 0
    for use in USES:
        try:
            text = compile_template(use.replace("_", constant, 1), options="ctx").text
        except jinja2.TemplateSyntaxError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compile_program(text)
        compiled += 1
    assert compiled > 15


def test_what_is_warned_of_elsewhere_is_still_what_jinja2_says() -> None:
    from frozenctx import load_template

    source = "{{ ('a' | upper) is none }}{{ 'a' | length is none }}{{ none is none }}"
    assert load_template(compile_template(source, options="ctx").encode()).render() == jinja2.Template(source).render()
