"""What one document may hold and come to, counted over all its expressions; and what it asks of the environment."""

import threading
from pathlib import Path

import pytest
from frozenctx_compiler import limits, yaql_engine
from settings.one_package import outcome

LONG = "x" * 150_000


@pytest.mark.parametrize(
    "meta",
    [
        f"l:\n  - !for 'range(2900)': !()\n      a: '{LONG}'",
        f"l:\n  - !for 'range(2900)': !()\n      a: {{b: [[{LONG}]]}}",
        f"l:\n  - !for 'range(2900)': !()\n      {'k' * 1000}: 1",
        f"t: !- {{t: {LONG}}}\nl:\n  - !for 'range(2900)': !() $_.meta.t",
        f"t: {LONG}\nl: !? range(14).select($_.meta.t)",
        f"!apply '$_.meta.f': {LONG}\nf: !() '{{a => $, b => [$] * 14}}'",
    ],
    ids=["block", "nested", "keys", "reference", "itself", "apply"],
)
def test_all_texts_of_the_result_are_counted_together(meta: str, tmp_path: Path) -> None:
    indented = "\n".join("  " + line for line in meta.splitlines())
    assert outcome(f"model: m\nmeta:\n{indented}\n", tmp_path).codes == ["expression-too-large"]


def test_what_an_author_writes_out_is_far_below_the_limit(tmp_path: Path) -> None:
    result = outcome(f"model: m\nmeta:\n  a: !? 1 + 1\n  b: {LONG}\n  c: {LONG}\n", tmp_path)
    assert result.codes == []


def test_expressions_are_counted_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(text: str) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(yaql_engine, "parse", read)
    expressions = "".join(f"  a{n}: !? '[{n}{', 1' * 6000}]'\n" for n in range(7))
    found = outcome(f"model: m\nmeta:\n{expressions}", tmp_path).finding("expression-too-large")
    assert found.span is not None
    assert found.span.line == 8


def test_expressions_of_imported_files_are_counted_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "stem.ctx").mkdir()
    for name in "abcd":
        text = "".join(f"{name}{n}: !? '[{n}{', 1' * 4990}]'\n" for n in range(2))
        (tmp_path / "stem.ctx" / f"{name}.yaml").write_text(text)
    imports = "".join(f"  {name}: !? $import('{name}.yaml')\n" for name in "abcd")
    assert outcome(f"model: m\nmeta:\n{imports}", tmp_path).codes == ["expression-too-large"]


def test_one_text_is_paid_once_however_often_it_stands(tmp_path: Path) -> None:
    text = f"len('{'x' * 10_000}')"
    again = "".join(f"  b{n}: *a\n" for n in range(20))
    result = outcome(f'model: m\nmeta:\n  a: &a !? "{text}"\n{again}', tmp_path)
    assert result.codes == []
    assert 20 * len(text) > limits.MOST_WRITTEN


def test_many_expressions_take_time_in_proportion(tmp_path: Path) -> None:
    """Lines that the interpreter runs are counted, not seconds."""

    def lines_of(count: int) -> int:
        lines = 0

        def trace(frame: object, event: str, arg: object) -> object:
            nonlocal lines
            lines += event == "line"
            return trace

        text = "model: m\nmeta:\n  m: !? a + b\n" + "".join(f"  a{n}: !? $env.get('X', 'b')\n" for n in range(count))
        threading.settrace(trace)  # type: ignore[arg-type]  # of threads that begin: expressions are evaluated in one
        try:
            assert outcome(text, tmp_path, env={"X": "1"}).codes == []
        finally:
            threading.settrace(None)
        return lines

    assert lines_of(600) < 2.5 * lines_of(300)


BOTH = ["$env.get('X', $env.get('Y'))", "$env.get('Z', $env.get('X', $env.get('Y', 1)))", "$env.get('X', null)"]


@pytest.mark.parametrize("env", [{}, {"X": "1"}, {"Y": "2"}, {"X": "1", "Y": "2"}], ids=str)
@pytest.mark.parametrize("text", BOTH)
def test_the_names_that_are_read_are_the_same_in_both_evaluators(
    text: str, env: dict[str, str], tmp_path: Path
) -> None:
    direct = outcome(f'model: m\nmeta:\n  a: !? "{text}"\n', tmp_path, env=env)
    full = outcome(f'model: m\nmeta:\n  a: !? "coalesce({text})"\n', tmp_path, env=env)
    assert direct.codes == full.codes
    assert direct.resolved is not None
    assert full.resolved is not None
    assert direct.resolved.env == full.resolved.env
    assert direct.resolved.settings.origins == full.resolved.settings.origins


@pytest.mark.parametrize(
    "text",
    ["$env.get($env.X, 1)", "$env[$env.X]", "$env[$env.X, 1]", "$env.containsKey($env.X)", "$env.get('A_' + $env.X)"],
)
def test_no_value_is_taken_for_a_name(text: str, tmp_path: Path) -> None:
    result = outcome(f'model: m\nmeta:\n  a: !? "{text}"\n', tmp_path, env={"X": "hunter2"})
    assert result.codes == ["expression-failed"]
    assert "hunter2" not in result.words
    assert result.resolved is not None
    assert "hunter2" not in repr(result.resolved.env)


def test_names_that_stand_somewhere_in_the_document_are_names(tmp_path: Path) -> None:
    text = "model: m\nmeta:\n  n: !- [A, B]\n  !for '$_.meta.n + [C]': !()\n    !? $: !? $env.get($, none)\n"
    result = outcome(text, tmp_path, env={"A": "1"})
    assert result.codes == []
    assert result.settings.meta == {"A": "1", "B": "none", "C": "none"}


def test_an_item_after_a_dropped_one_has_no_origin_of_it(tmp_path: Path) -> None:
    text = (
        "model: m\nmeta:\n  a:\n    - !? '$env.containsKey(X) and null'\n"
        "    - b\n    - !? '[$env.X, c]'\n  d: !? switch($env.X = a => null)\n"
    )
    resolved = outcome(text, tmp_path, env={"X": "1"}).resolved
    assert resolved is not None
    assert resolved.settings.value["meta"] == {"a": ["b", ["1", "c"]]}
    paths = [("meta", "a", 1), ("meta", "a", 1, 0), ("meta", "a", 1, 1)]
    assert resolved.settings.origins == dict.fromkeys(paths, "X")
