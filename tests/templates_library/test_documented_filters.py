"""docs/filters.md tells the truth: every filter has a row with its signature and an example, and examples are run."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozenctx.template import Engine, Template
from frozenctx.template.applying import pass_arg
from frozenctx.template.language import FILTERS
from frozenctx_compiler.templates import CTX, compile_template
from frozenctx_compiler.templates.dialect import environment
from jinja2 import Environment, StrictUndefined, nodes
from jinja2.filters import FILTERS as JINJA_FILTERS
from templates_library.test_imports import HEAVY, PRELUDE, ROOT

PAGE = (Path(__file__).parents[2] / "docs" / "filters.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (?:`(.*?)` )?\| (.+?) \| (?:`(\w+)` )?\|$", PAGE, re.MULTILINE)
EXAMPLES = [
    (example.strip(), result.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\"))
    for block in re.findall(r"```jinja\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for example, result in [line.split("→ ") for line in block.splitlines()]
]


def used_filters(example: str) -> set[str]:
    return {node.name for node in environment(CTX).parse(example).find_all(nodes.Filter)}


def program(example: str) -> str:
    return compile_template(example, name="example", options=CTX).text


def no_lookup(name: str) -> Template:
    raise AssertionError(name)


def test_every_filter_has_one_row() -> None:
    assert sorted(row[0] for row in ROWS) == sorted(FILTERS)


@pytest.mark.parametrize(("name", "arguments"), [row[:2] for row in ROWS])
def test_row_states_the_signature(name: str, arguments: str) -> None:
    function: Callable[..., Any] = FILTERS[name]
    parameters = list(inspect.signature(function).parameters.values())[1 if pass_arg(function) is None else 2 :]
    assert ", ".join(str(parameter.replace(annotation=parameter.empty)) for parameter in parameters) == arguments


def test_every_filter_has_an_example() -> None:
    assert set().union(*(used_filters(example) for example, _ in EXAMPLES)) == set(FILTERS)


@pytest.mark.parametrize(("example", "result"), EXAMPLES)
def test_example_gives_the_result_beside_it(example: str, result: str) -> None:
    assert Template(program(example), Engine(), no_lookup).render() == result
    if used_filters(example) <= set(JINJA_FILTERS):
        assert Environment(undefined=StrictUndefined).from_string(example).render() == result


def loaded_by(texts: list[str]) -> set[str]:
    """Return which of the watched modules are loaded after rendering programs in an interpreter without site."""
    code = f"""
from frozenctx.template import Engine
from frozenctx.template import Template
for text in {texts!r}:
    Template(text, Engine(), None).render()
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    command = [sys.executable, "-I", "-S", "-c", PRELUDE.format(root=ROOT) + code]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_only_filters_with_a_module_in_the_last_column_load_one() -> None:
    plain = {name for name, _, _, module in ROWS if not module}
    quiet = [
        program(example)
        for example, _ in EXAMPLES
        if used_filters(example) <= plain and not re.search(r"indent=2|ceil|floor|random", example)
    ]
    assert len(quiet) > 50
    assert loaded_by(quiet) == set()


@pytest.mark.parametrize(("name", "module"), [(row[0], row[3]) for row in ROWS if row[3]])
def test_filter_loads_the_module_of_the_last_column(name: str, module: str) -> None:
    texts = [program(example) for example, _ in EXAMPLES if re.search(rf"\| {name}\b", example)]
    assert module in loaded_by(texts)
