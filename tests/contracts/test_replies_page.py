"""docs/replies.md is what happens: its package, its program, its feedback, its keywords, its error."""

import re
import traceback
from pathlib import Path
from typing import Any

import frozenctx_compiler
import pytest
from frozenctx.errors import ReplyError, ValuesError
from frozenctx.keywords import KEYWORDS
from source_trees import write

PAGE = (Path(__file__).parents[2] / "docs/replies.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [body for name, body in BLOCKS if name == language]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings = "model: openai/gpt-5\noutput_retries: 2\n"
    template = "{{ ticket }}{% for tag in tags | default([]) %}{{ tag }}{% endfor %}"
    files = {"settings.yaml": settings, "prompt.j2": template, "schema.pyi": blocks("python")[0]}
    write(tmp_path, {f"prompts/support/triage.ctx/{name}": text for name, text in files.items()})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_loop_sends_the_feedback_back_and_raises_in_the_end(sources: Path) -> None:
    names: dict[str, Any] = {}
    exec(blocks("python")[1], names)
    prompt = frozenctx_compiler.load("prompts")["support/triage"]
    (wrong,) = blocks("json")
    right = '```json\n{"team": "billing", "urgency": null, "summary": "Charged twice."}\n```'
    replies, asked = [wrong, right], []

    def ask(messages: list[Any]) -> str:
        asked.append([*messages])
        return replies.pop(0)

    assert names["answer"](prompt, {"ticket": "x"}, ask)["team"] == "billing"
    assert asked[1][-1]["content"] == blocks("text")[0].rstrip("\n")
    replies[:] = [wrong] * 4
    with pytest.raises(ReplyError):
        names["answer"](prompt, {"ticket": "x"}, ask)
    assert len(replies) == 1


def test_the_keywords_of_the_table_are_those_that_are_known() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    named = {word for line in rows for word in re.findall(r"`([$\w]+)`", line) if word in KEYWORDS}
    assert named == set(KEYWORDS)


def test_a_value_of_another_type_is_said_as_the_page_has_it(sources: Path) -> None:
    with pytest.raises(ValuesError) as caught:
        exec(blocks("python")[2], {"frozenctx_compiler": frozenctx_compiler})
    assert "".join(traceback.format_exception_only(caught.value)) == blocks("text")[1]
