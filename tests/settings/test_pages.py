"""The first example of each page about YAML, expressions, settings and environments shows the code of its page, and
the last YAML example of a page that mends it is fine."""

import re
from pathlib import Path

import pytest
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import parse_assignment, parse_env_file
from frozenctx_compiler.jsontree import parse_json
from frozenctx_compiler.package import Layout
from settings.one_package import outcome

PAGES = Path(__file__).parents[2] / "docs" / "errors"

SETTINGS: dict[str, Layout] = {
    "yaml-syntax": "minimal",
    "yaml-too-large": "rich",
    "duplicate-key": "rich",
    "recursive-alias": "rich",
    "complex-key": "rich",
    "bad-merge": "rich",
    "ambiguous-scalar": "rich",
    "yaml-1-1": "rich",
    "unknown-tag": "rich",
    "misplaced-tag": "rich",
    "expression-syntax": "rich",
    "unknown-function": "rich",
    "refused-function": "rich",
    "expression-failed": "rich",
    "expression-cycle": "rich",
    "expression-too-large": "rich",
    "env-unset": "rich",
    "bad-value": "rich",
    "bad-name": "rich",
    "bad-model": "rich",
    "unknown-key": "minimal",
    "unknown-setting": "rich",
    "both-spellings": "rich",
    "default-model": "minimal",
    "setting-conflict": "minimal",
    "setting-in-layout": "single",
    "setting-not-yet": "rich",
}
UNMENDED = {"yaml-too-large", "duplicate-key", "recursive-alias", "complex-key", "both-spellings", "setting-conflict",
            "setting-in-layout", "setting-not-yet"}  # fmt: skip


def blocks(code: str, language: str = "yaml") -> list[str]:
    text = (PAGES / f"{code}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def settings_of(block: str) -> str:
    """The front matter of a block that shows a single file, else the block."""
    return block.split("---\n")[1] if block.startswith("---\n") else block


@pytest.mark.parametrize(("code", "layout"), SETTINGS.items())
def test_the_first_example_of_a_page_shows_its_code(code: str, layout: Layout, tmp_path: Path) -> None:
    result = outcome(settings_of(blocks(code)[0]), tmp_path, layout=layout, default_model=None)
    assert code in result.codes
    assert set(result.codes) <= {code, "default-model"}


@pytest.mark.parametrize("code", sorted(SETTINGS.keys() - UNMENDED))
def test_the_last_example_of_a_page_is_mended(code: str, tmp_path: Path) -> None:
    text = blocks(code)[-1].replace("<<: *common\n", "x-common: &common {}\n<<: *common\n")
    result = outcome(text, tmp_path, layout=SETTINGS[code], env={"WARMTH": "1"})
    assert result.codes == []


def test_the_examples_about_samples_are_right(tmp_path: Path) -> None:
    bad, good = blocks("bad-sample")
    assert set(outcome("", tmp_path, samples={"s": bad}).codes) == {"bad-sample"}
    assert outcome("", tmp_path, samples={"s": good}).codes == []


def test_the_examples_about_environments_are_right() -> None:
    bad, good = blocks("env-file", "sh")
    report = Report()
    assert parse_env_file(bad, ".env", report) is None
    assert [found.code for found in report.diagnostics] == ["env-file"] * 3
    assert parse_env_file(good, ".env", Report()) == {
        "MODEL": "openai/gpt-5",
        "GREETING": 'as it is: $HOME \\n "x"',
        "LINES": 'two\nlines, "quoted"',
    }
    assert parse_assignment(blocks("env-assignment", "sh")[0].split()[-1], Report()) is None


def test_the_example_about_json_is_right() -> None:
    report = Report()
    parse_json(blocks("json-syntax", "json")[0], "s.json", report.scoped("p"))
    assert [found.code for found in report.diagnostics] == ["json-syntax"] * 2
