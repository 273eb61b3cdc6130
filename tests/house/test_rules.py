"""docs/rules.md names what exists, every corpus case, and every diagnostic: no rule is left without a witness."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import test_corpus  # noqa: F401  (registers the made cases)
from corpus_cases import MADE_CASES, written_cases
from frozenctx_compiler.diagnostics import CODES

ROOT = Path(__file__).parents[2]
CASES = {case.name for case in written_cases()} | set(MADE_CASES)


def rows() -> Iterator[tuple[str, str, str]]:
    """(rule, what it gives, what shows it) of every table row."""
    for line in (ROOT / "docs" / "rules.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("rule", "---"):
            assert len(cells) == 3, line
            yield cells[0], cells[1], cells[2]


ROWS = list(rows())


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_rule_is_shown_by_cases_and_tests_that_exist(row: tuple[str, str, str]) -> None:
    _, gives, shown = row
    assert gives
    assert quoted(shown), "a rule without a witness"
    for name in quoted(shown):
        if "::" in name:
            path, _, function = name.partition("::")
            assert function in functions(ROOT / path), name
        else:
            assert name in CASES, name


def functions(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)}


def test_every_corpus_case_shows_a_rule() -> None:
    assert not sorted(CASES - {name for _, _, shown in ROWS for name in quoted(shown)})


def test_every_diagnostic_belongs_to_a_rule() -> None:
    assert not sorted(CODES.keys() - {word for _, gives, _ in ROWS for word in quoted(gives)})


def test_a_rule_that_gives_a_diagnostic_names_a_case_that_shows_it() -> None:
    """Every code of a row is in what at least one of its cases expects."""
    expected = {case.name: case.expected for case in [*written_cases(), *(case for case, _ in MADE_CASES.values())]}
    for rule, gives, shown in ROWS:
        said = "".join(expected[name].read_text("utf-8") for name in quoted(shown) if name in expected)
        for code in quoted(gives):
            assert code not in CODES or f"[{code}]: " in said, f"{rule}: no case named there shows `{code}`"
