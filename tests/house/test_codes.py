"""Registry, pages and corpus hold together: every code is explained and shown, and nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import test_corpus  # noqa: F401  (registers the made cases)
from corpus_cases import MADE_CASES, written_cases
from frozenctx_compiler.diagnostics import CODES

PAGES = Path(__file__).parents[2] / "docs" / "errors"


def covered() -> Iterator[str]:
    for case in [*written_cases(), *(case for case, _ in MADE_CASES.values())]:
        yield from case.covers


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert sorted(CODES) == sorted(page.stem for page in PAGES.glob("*"))


def test_every_code_has_a_corpus_case() -> None:
    assert not sorted(CODES.keys() - set(covered()))


def test_every_case_covers_codes_that_exist() -> None:
    assert not sorted(set(covered()) - CODES.keys())


@pytest.mark.parametrize("code", sorted(page.stem for page in PAGES.glob("*.md")))
def test_a_page_explains_its_code(code: str) -> None:
    text = (PAGES / f"{code}.md").read_text("utf-8")
    lines = text.split("\n")
    assert lines[0] == f"# {code}"
    assert 8 <= len(lines) <= 40
    assert "```" in text, "a page shows the smallest example"


def test_codes_are_kebab_case_words_with_a_one_line_meaning() -> None:
    for code in CODES.values():
        assert all(word.isalnum() and word == word.lower() for word in code.name.split("-")), code
        assert code.meaning == code.meaning.strip().rstrip("."), code
        assert "\n" not in code.meaning, code
