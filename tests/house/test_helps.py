"""Findings about what authors write beside templates end with one thing to do, and stand at a place."""

import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
CODES = {
    "ambiguous-scalar", "bad-merge", "bad-message", "bad-model", "bad-name", "bad-option", "bad-sample", "bad-skill",
    "bad-value", "both-spellings", "complex-key", "default-model",
    "duplicate-key", "empty-system", "env-unset", "forgotten-tag",
    "json-syntax", "recursive-alias", "role-order", "setting-conflict", "setting-in-layout", "setting-not-yet",
    "text-before-role", "toml-syntax", "unknown-key", "unknown-option", "unknown-role", "unknown-setting",
    "unknown-tag", "unknown-skill", "yaml-1-1", "yaml-syntax", "yaml-too-large",
}  # fmt: skip


def findings() -> Iterator[tuple[Path, str, str]]:
    """File, code and whole text of every finding that the corpus expects."""
    for file in sorted([*TESTS.glob("corpus/*/expected.txt"), *TESTS.glob("corpus_made/expected/*.txt")]):
        for block in file.read_text("utf-8").split("\n\n"):
            found = re.match(r"(?:error|warning|note)\[([\w-]+)\]: ", block)
            if found:
                yield file, found[1], block


def test_each_has_exactly_one_help() -> None:
    ours = [(file.parent.name, text) for file, code, text in findings() if code in CODES]
    wrong = [found for found in ours if found[1].count("= help:") != 1]
    assert not wrong


def test_all_of_them_are_shown() -> None:
    assert not CODES - {code for _, code, _ in findings()}
