"""Without `Input`, what the templates want to be given is listed for information (CTX-FORMAT §5, Inputs)."""

import contextlib
import io
import json
from pathlib import Path

import frozenctx_compiler
from frozenctx.commands import main


def variables_of(root: Path, files: dict[str, str]) -> list[str]:
    """What `python -m frozenctx show` lists for the package `p`."""
    for name, content in files.items():
        path = root / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    assert frozenctx_compiler.build(root / "tree", root / "out").written
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["show", str(root / "out"), "p", "--json"]) == 0
    found: list[str] = json.loads(printed.getvalue())["variables"]
    return found


def test_names_that_a_template_sets_itself_are_not_inputs(tmp_path: Path) -> None:
    text = (
        "{% set a = given %}{% for b in items %}{{ b }}{{ loop.index }}{% endfor %}"
        "{% macro m(c, d=default_d) %}{{ c }}{{ d }}{{ caller() }}{{ varargs }}{% endmacro %}"
        "{% with e = 1 %}{{ e }}{% endwith %}{% block x %}{{ in_block }}{{ self.x }}{% endblock %}{{ a }}{{ m }}"
        "{{ range(3) }}{{ other if flag }}{% raw %}{{ raw }}{% endraw %}{# {{ comment }} #}"
    )
    expected = ["default_d", "flag", "given", "in_block", "items", "other"]
    assert variables_of(tmp_path, {"p.ctx": text}) == expected


def test_a_name_is_an_input_where_one_template_asks_before_another_sets_it(tmp_path: Path) -> None:
    files = {
        "p.ctx": '<<<role:system>>>\n{{ x }}{% import "partials/m.j2" as m %}{% include "partials/i.j2" %}\n'
        "<<<role:user>>>\n{% set x = 1 %}{% set y = 2 %}{{ x }}{{ z }}",
        "partials/i.j2": "{{ y }}{{ w }}",
        "partials/m.j2": "{% macro f(q) %}{{ q }}{{ outer }}{% endmacro %}",
    }
    assert variables_of(tmp_path, files) == ["outer", "w", "x", "z"]


def test_names_of_the_host_are_not_inputs(tmp_path: Path) -> None:
    files = {"frozenctx.toml": '[host]\nglobals = ["now"]\n', "p.ctx": "{{ now() }}{{ when }}"}
    assert variables_of(tmp_path, files) == ["when"]
