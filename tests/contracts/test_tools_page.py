"""docs/tools.md is what happens: its stub, its program, its commands, its snapshot and what is said of it."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from frozenctx_compiler import api, cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/tools.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [body for found, body in fenced if found == language]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples/prompts", tmp_path / "prompts")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_stub_becomes_what_the_page_says(tmp_path: Path) -> None:
    package = tmp_path / "p.ctx"
    package.mkdir()
    (package / "settings.yaml").write_text("model: openai/gpt-5\n", "utf-8")
    (package / "prompt.j2").write_text("Hi.", "utf-8")
    (package / "tools.pyi").write_text(blocks("python")[0], "utf-8")
    (tool,) = api.load(tmp_path)["p"].tool_contracts
    assert (tool.key, tool.wire_name) == ("crm/list_events", "crm_list_events")
    assert f"`{tool.wire_name}`" in PAGE
    assert tool.input_schema["required"] == ["account_id", "kinds"]
    assert "default" not in tool.input_schema["properties"]["period"]


def test_the_program_and_the_commands_run(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert api.build("prompts", "dist/prompts", select=["agents"]).written
    exec("\n".join(blocks("python")[1:]), names := {})  # type: ignore[var-annotated]  # an example of our own
    assert names["tool"].key == "crm/list_events"
    for line in "".join(blocks("sh")).splitlines():
        assert cli.run(shlex.split(line)[1:]) == 0, capsys.readouterr().err


def test_the_snapshot_gives_the_rows_that_are_shown(checkout: Path) -> None:
    (snapshot,) = blocks("json")
    (checkout / "served.json").write_text(snapshot, "utf-8")
    report = api.check("prompts", select=["agents/researcher"], tools_snapshot="served.json").report
    (found,) = (each for each in report.diagnostics if each.code == "tool-schema-drift")
    shown = next(block for block in blocks("") if block.startswith("error["))
    assert f"error[{found.code}]: {found.headline}\n" in shown
    (note,) = found.notes
    assert [line.strip() for line in note.split("\n")] == [
        line.strip().removeprefix("= note: ") for line in shown.splitlines()[1:]
    ]
    assert {"tool-not-served"} <= {each.code for each in report.diagnostics}


def test_the_snapshot_is_of_the_form_that_the_schema_says() -> None:
    from jsonschema_rs import validator_for

    schema = json.loads((ROOT / "docs/schemas/tools-snapshot.schema.json").read_text("utf-8"))
    assert validator_for(schema).is_valid(json.loads(blocks("json")[0]))
    assert not validator_for(schema).is_valid({"servers": {"crm": [{"name": "find"}]}})
