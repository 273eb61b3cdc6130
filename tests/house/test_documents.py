"""The commands and examples of README and CONTRIBUTING are run, in their order, on a copy of the example tree."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from frozenctx_compiler import api, cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def blocks(text: str, *languages: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [body for language, body in fenced if language in languages]


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line, comments=True) for block in blocks(text, "sh", "") for line in block.splitlines() if line]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_make_command_names_a_target() -> None:
    named = {command[1] for text in (README, CONTRIBUTING) for command in commands(text) if command[0] == "make"}
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {"build", "test"} <= named <= targets


def test_the_commands_and_the_service_of_the_readme_work(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = [command for command in commands(README) if command[0] == "frozenctx"]
    assert {command[1] for command in ours} >= {"build", "render"}
    for command in ours:
        assert cli.run(command[1:]) == 0, capsys.readouterr().err
    (service,) = (block for block in blocks(README, "python") if "frozenctx.load(" in block)
    (package,) = api.check("examples/prompts", select=["briefs/draft"]).packages
    names = {"variables": package.lowered.checked.samples[0].variables}
    exec(service, names)  # an example of our own
    assert [message["role"] for message in names["messages"]] == ["system", "user"]  # type: ignore[index]


def test_the_unit_test_of_the_readme_passes(checkout: Path) -> None:
    (example,) = (block for block in blocks(README, "python") if "import pytest" in block)
    (checkout / "test_example.py").write_text(example, "utf-8")
    paths = " ".join(str(ROOT / folder) for folder in ("runtime", "artifacts", "compiler"))
    (checkout / "pytest.ini").write_text(f"[pytest]\npythonpath = {paths}\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_file_that_a_document_links_to_exists() -> None:
    named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "COMPATIBILITY.md", "VENDORING.md"]
    for document in [*(ROOT / name for name in named), *(ROOT / "examples").glob("*/README.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
