"""Samples against `Input`: what is allowed has no finding, what is not stands at its place, and lints can be moved."""

import json
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import api, check
from frozenctx_compiler.api import Compilation
from frozenctx_compiler.diagnostics import Level
from frozenctx_compiler.trials import try_samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from source_trees import write

TYPES: dict[str, st.SearchStrategy[Any]] = {
    "str": st.text("abc ", max_size=5),
    "int": st.integers(-9, 9),
    "float": st.integers(-9, 9) | st.floats(-9, 9),
    "bool": st.booleans(),
    "list[int]": st.lists(st.integers(0, 9), max_size=3),
    "dict[str, bool]": st.dictionaries(st.text("ab", min_size=1, max_size=2), st.booleans(), max_size=2),
    "str | None": st.none() | st.text("abc", max_size=3),
    'Literal["a", 1, None]': st.sampled_from(["a", 1, None]),
    "Any": st.none() | st.integers(0, 9) | st.lists(st.text("ab"), max_size=2),
    "tuple[int, str]": st.tuples(st.integers(0, 9), st.text("ab", max_size=2)).map(list),
    "Inner": st.fixed_dictionaries({"x": st.integers(0, 9)}, optional={"y": st.text("ab"), "more": st.none()}),
}
HEAD = "from typing import Any, Literal\n\n\nclass Inner:\n    x: int\n    y: str = ''\n\n\n"


def tree(root: Path, stub: str, samples: str, template: str = "Hello.\n") -> Path:
    files = {"p.ctx/settings.yaml": "model: openai/gpt-5\n", "p.ctx/prompt.j2": template, "p.ctx/schema.pyi": stub}
    return write(root, {**files, "p.ctx/samples/one.yaml": samples})


def found(compilation: Compilation) -> list[tuple[str, int, int]]:
    """(headline, line, column) of the findings about samples."""
    report = compilation.report.diagnostics
    return [(f.headline, f.span.line, f.span.column) for f in report if f.code == "sample-input" and f.span is not None]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_sample_that_input_allows_has_no_finding(tmp_path: Path, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, max_size=4))
    fields = {f"v{number}": name for number, name in enumerate(chosen)}
    defaulted = {name for name in fields if data.draw(st.booleans())}
    lines = [f"    {name}: {kind}{' = ...' if name in defaulted else ''}\n" for name, kind in fields.items()]
    given = [name for name in fields if name not in defaulted or data.draw(st.booleans())]
    values = {name: data.draw(TYPES[fields[name]]) for name in given}
    tree(tmp_path, f"{HEAD}class Input:\n{''.join(lines)}", json.dumps({"variables": values}))
    assert found(check(tmp_path)) == []


@pytest.mark.parametrize(
    ("sample", "headline", "place"),
    [
        ("variables: {}", "the sample `one` lacks `title`, which `Input` requires", (1, 1)),
        ("variables: {titl: x}", "the sample `one` gives `titl`, which `Input` does not declare", (1, 13)),
        ("variables: {title: 3}", "`title` of the sample `one`: expected a string, found 3", (1, 20)),
        ("variables: {title: x, n: [1, 2, a]}", '`n[2]` of the sample `one`: expected an integer, found "a"', (1, 33)),
        ("variables: {title: x, 日本: 1}", "the sample `one` gives `日本`, which `Input` does not declare", (1, 23)),
    ],
)
def test_what_is_wrong_stands_at_its_place(
    sample: str, headline: str, place: tuple[int, int], tmp_path: Path
) -> None:
    compilation = check(tree(tmp_path, "class Input:\n    title: str\n    n: list[int] = []\n", sample))
    assert found(compilation) == [(headline, *place)]
    assert compilation.report.has_errors
    with pytest.raises(api.CompileError):
        try_samples(compilation)


def test_without_input_nothing_is_asked(tmp_path: Path) -> None:
    assert found(check(tree(tmp_path, "class Output:\n    x: int\n", "variables: {any: thing}\n"))) == []


def test_lowered_to_a_warning_the_sample_is_tried_and_fails_as_a_caller_would(tmp_path: Path) -> None:
    levels: dict[str, Level] = {"sample-input": "warning"}
    compilation = check(tree(tmp_path, "class Input:\n    title: str\n", "variables: {other: x}\n"), lint_levels=levels)
    assert [each.level for each in compilation.report.diagnostics if each.code == "sample-input"] == ["warning"] * 2
    (trial,) = try_samples(compilation)
    assert (trial.outcome, type(trial.error).__name__) == ("failed", "VariablesError")


def test_a_finding_is_said_once_for_all_profiles(tmp_path: Path) -> None:
    compilation = check(
        tree(tmp_path, "class Input:\n    title: str\n", "variables: {}\n"), profiles={"a": [], "b": []}
    )
    assert len(found(compilation)) == 1
    (finding,) = (each for each in compilation.report.diagnostics if each.code == "sample-input")
    assert finding.notes == ()
