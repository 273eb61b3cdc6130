"""`check --evals`: eval.yaml is checked as data, eval.py is parsed, and nothing of a package is run."""

from pathlib import Path

import pytest
from frozenctx_compiler import build, check
from frozenctx_compiler.api import Compilation
from frozenctx_compiler.cli import run

FUNCTIONS = "def sample(limit): ...\ndef score(input, output, expected): ...\n"


def tree(root: Path, **files: str) -> Path:
    """A package that is sound but for what `files` (`eval_py`, `eval_yaml`) say."""
    package = root / "p.ctx"
    package.mkdir()
    (root / "frozenctx.toml").write_text('[defaults]\nmodel = "openai/gpt-5"\n')
    (package / "settings.yaml").write_text("")
    (package / "prompt.j2").write_text("Hello.")
    for name, content in files.items():
        (package / name.replace("_", ".")).write_text(content, "utf-8")
    return root


def found(compilation: Compilation) -> list[tuple[str, tuple[str, int, int] | None]]:
    places = [(each, each.span) for each in compilation.report.diagnostics]
    return [(each.code, (at.file, at.line, at.column) if at is not None else None) for each, at in places]


def test_no_code_is_run_and_none_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sprung = tmp_path / "sprung"
    trap = f"open({str(sprung)!r}, 'w').close()\n{FUNCTIONS}"
    root = tree(tmp_path, eval_py=trap, eval_yaml="scoring: {a: 1}\n", conftest_py=trap, dotctx_py=trap)
    monkeypatch.chdir(root / "p.ctx")
    assert not check(root, evals=True).report.has_errors
    assert run(["check", "--evals", str(root)]) == 0
    assert not sprung.exists()
    (root / "p.ctx/eval.yaml").write_text(f"scoring: !!python/object/apply:os.system ['touch {sprung}']\n")
    assert "unknown-tag" in [code for code, _ in found(check(root, evals=True))]
    assert not sprung.exists()


def test_without_the_option_nothing_is_read(tmp_path: Path) -> None:
    root = tree(tmp_path, eval_py="def", eval_yaml="- [")
    compilation = check(root)
    assert found(compilation) == []
    assert compilation.evals == ()
    assert build(root, tmp_path / "out").written


def test_what_an_evaluation_reads_is_not_unused(tmp_path: Path) -> None:
    root = tree(tmp_path, eval_yaml='threshold: !? $env.get("PASSES", 0.5)\nconcurrency: !? $env.get("AT_ONCE", 5)\n')
    compilation = check(root, env={"PASSES": "0.75"}, evals=True)
    assert found(compilation) == []
    assert [(use.found, dict(use.defaulted)) for use in compilation.evals] == [(("PASSES",), {"AT_ONCE": "5"})]
    assert [code for code, _ in found(check(root, env={"PASSES": "0.75"}))] == ["unused-env"]
    assert [code for code, _ in found(check(root, env={"OTHER": ""}, evals=True))] == ["unused-env"]
    needed = found(check(root, env={"PASSES": "0.75"}, evals=True, require_env=True))
    assert needed == [("env-default", ("p.ctx/eval.yaml", 2, 26))]


def test_nothing_is_called_unused_while_an_evaluation_cannot_be_read(tmp_path: Path) -> None:
    root = tree(tmp_path, eval_yaml="threshold: [\n")
    assert [code for code, _ in found(check(root, env={"PASSES": "1"}, evals=True))] == ["yaml-syntax"]


def test_an_evaluation_is_checked_for_each_profile(tmp_path: Path) -> None:
    root = tree(tmp_path, eval_yaml='threshold: !? $env.get("PASSES")\n', eval_py="x = (\n")
    for name, value in (("good", "0.5"), ("bad", "much")):
        (tmp_path / f"{name}.env").write_text(f"PASSES={value}\n")
    profiles = {name: [tmp_path / f"{name}.env"] for name in ("good", "bad")}
    report = check(root, profiles=profiles, evals=True).report.diagnostics
    assert [each.code for each in report] == ["python-syntax", "bad-eval"]
    assert any("bad" in note for note in report[1].notes)
    assert "much" not in str(report)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x = 1\ny = 2 +\n", (2, 8)),
        ("x = '''\n", (1, 5)),
        ("x = 1\n    y = 2\n", None),
        ("# äöü\nä = 'äö' 'ä' $\n", (2, 14)),
        ("(" * 300 + ")" * 300, None),
        ("-" * 100_000 + "1", None),
    ],
    ids=["line end", "open string", "indent", "characters and not bytes", "parentheses", "depth"],
)
def test_what_is_not_python_is_shown_where_it_is(text: str, place: tuple[int, int] | None, tmp_path: Path) -> None:
    [(code, at)] = found(check(tree(tmp_path, eval_py=text), evals=True))
    assert code == "python-syntax"
    assert at is not None
    assert at[0] == "p.ctx/eval.py"
    assert place is None or at[1:] == place


def test_what_python_only_warns_of_is_no_fault(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    assert found(check(tree(tmp_path, eval_py=f"x = '\\d'\nassert (x, 'y')\n{FUNCTIONS}"), evals=True)) == []
    assert list(recwarn) == []


def test_no_value_of_the_environment_is_shown(tmp_path: Path) -> None:
    text = (
        "models: [!? $env.A]\nscoring: !? $env.A\nthreshold: !? $env.A + $env.B\n"
        "profiles:\n  !? $env.A :\n    tresh: 1\n    concurrency: 0\n    !? $env.B : 1\n"
    )
    report = check(tree(tmp_path, eval_yaml=text), env={"A": "hunter2/", "B": "hunter3"}, evals=True).report
    assert [each.code for each in report.diagnostics] == ["bad-eval"] * 6
    assert "hunter" not in str(report.diagnostics)
