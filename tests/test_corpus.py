"""Every case of the corpus says exactly what it is expected to say."""

import importlib.util
from pathlib import Path
from shutil import copytree

import pytest
from corpus_cases import CORPUS, MADE, MADE_CASES, Case, Tree, verify, written_cases

for module in sorted(MADE.glob("*.py")):
    spec = importlib.util.spec_from_file_location(f"corpus_made.{module.stem}", module)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize("case", written_cases(), ids=lambda case: case.name)
def test_a_tree_of_the_corpus_gives_what_is_written_down(
    case: Case, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(CORPUS / case.name / "tree", tmp_path / "tree")
    verify(case, tmp_path, bool(request.config.getoption("--update-corpus")), monkeypatch)


@pytest.mark.parametrize("name", sorted(MADE_CASES))
def test_a_made_tree_gives_what_is_written_down(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, make = MADE_CASES[name]
    (tmp_path / "tree").mkdir()
    make(Tree(tmp_path / "tree"))
    verify(case, tmp_path, bool(request.config.getoption("--update-corpus")), monkeypatch)
