"""Blocks that are called while a template of their chain has autoescape on know it, wherever the tag stands."""

from itertools import product
from pathlib import Path

import frozenctx
import frozenctx_compiler
import jinja2
import pytest
from frozenctx_compiler.templates import compile_template
from source_trees import write

BODIES = {
    "a block set": "{% set b %}'{{ x }}'{% endset %}{% include 'partials/told.j2' %}",
    "a filter that asks": "{{ [x, '<'] | join('&') }}{{ x | replace('<', '>') }}",
    "a filter that is mapped": "{% set b = [[x, 'y']] | map('join', '<') | first %}{% include 'partials/told.j2' %}",
    "a macro": "{% macro k() %}{{ caller() }}{% endmacro %}{% set b %}{% call k() %}'{% endcall %}{% endset %}"
    "{% include 'partials/told.j2' %}",
    "another block": "{% block inner %}{% set b %}'{% endset %}{% include 'partials/told.j2' %}{% endblock %}",
}
# Parent and child; BLOCK is the block `a` of a body.
CHAINS = {
    "in the child": ("BLOCK", "{% block a %}{% autoescape true %}{{ super() }}{% endautoescape %}{% endblock %}"),
    "by self": ("BLOCK", "{% block b %}{% autoescape on %}{{ self.a() }}{% endautoescape %}{% endblock %}"),
    "in the parent": ("{% autoescape true %}{% block a %}{% endblock %}{% endautoescape %}", "BLOCK"),
}


@pytest.mark.parametrize(("body", "where"), list(product(BODIES, CHAINS)))
def test_blocks_know_that_autoescape_is_on(body: str, where: str, tmp_path: Path) -> None:
    block = "{% block a %}" + BODIES[body] + "{% endblock %}"
    parent, child = (text.replace("BLOCK", block) for text in CHAINS[where])
    sources = {
        "main": "{% extends 'partials/base.j2' %}" + child,
        "partials/base.j2": parent + "{% block b %}{% endblock %}",
        "partials/told.j2": "{{ b is escaped }}{{ b }}",
    }
    variables = {"x": "<i>", "on": True}
    expected = jinja2.Environment(loader=jinja2.DictLoader(sources)).get_template("main").render(variables)
    bare = {name: compile_template(source, name=name).encode() for name, source in sources.items()}
    assert frozenctx.load_template(bare["main"], templates=bare).render(variables) == expected

    files = {name: source for name, source in sources.items() if name != "main"}
    write(tmp_path / "tree", {"p.ctx/settings.yaml": "model: a/b\n", "p.ctx/prompt.j2": sources["main"], **files})
    prompts = frozenctx_compiler.load(tmp_path / "tree")
    assert prompts["p"].system(variables) == expected
