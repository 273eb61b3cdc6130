"""The examples of docs/stubs.md and of the pages about findings in stubs are what they say."""

import json
import re
from pathlib import Path

import pytest
from frozenctx_compiler import check, load
from source_trees import write

DOCS = Path(__file__).parents[2] / "docs"
CODES = ["unknown-type", "bad-type", "bad-declaration", "bad-default"]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def package(directory: Path, stub: str, settings: str = "") -> Path:
    write(
        directory,
        {"a.ctx/settings.yaml": f"model: openai:gpt-5\n{settings}", "a.ctx/prompt.j2": "x", "a.ctx/schema.pyi": stub},
    )
    return directory


def codes(directory: Path, stub: str) -> set[str]:
    """What is found, apart from what a template without variables says of an Input."""
    return {each.code for each in check(package(directory, stub)).report.diagnostics if each.level == "error"}


def test_the_schema_on_the_page_is_that_of_the_stub_on_the_page(tmp_path: Path) -> None:
    (stub,) = blocks("stubs.md", "python")
    (schema,) = blocks("stubs.md", "json")
    (setting,) = blocks("stubs.md", "yaml")
    prompt = load(package(tmp_path, stub, setting))["a"]
    assert json.dumps(prompt.reply_schema) == json.dumps(json.loads(schema))
    assert prompt.identity["inputDefaultValues"] == {"max_words": 250}


def test_every_type_of_the_table_is_one(tmp_path: Path) -> None:
    rows = re.findall(r"^\| (`.*?) \| ", (DOCS / "stubs.md").read_text("utf-8").replace("\\|", "¦"), re.MULTILINE)
    types = [code.replace("¦", "|") for row in rows for code in re.findall(r"`([^`]+)`", row)]
    # Left out: what a line of its own declares, and the bases of classes.
    wrong = {"TypedDict", "Enum", "StrEnum", "IntEnum", "Key", "Literal"}
    fields = [each for each in types if each not in wrong and not each.startswith(("Name", "NewType"))]
    assert len(fields) > 25
    head = 'from typing import *\n\nclass X:\n    a: int\n\nclass Y:\n    b: int\n\nKey = Literal["a"]\n'
    body = "".join(f"    f{number}: {type}\n" for number, type in enumerate(fields))
    assert codes(tmp_path, f"{head}\nclass Output:\n{body}") == set()


@pytest.mark.parametrize("code", CODES)
def test_the_first_example_of_a_page_shows_its_code_and_the_last_is_mended(code: str, tmp_path: Path) -> None:
    bad, *_, good = blocks(f"errors/{code}.md", "python")
    assert codes(tmp_path / "bad", bad) == {code}
    assert codes(tmp_path / "good", good) == set()
