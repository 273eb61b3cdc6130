"""docs/limits.md: its commands run, and its figures are what is counted."""

import ast
import re
import shlex
import shutil
from pathlib import Path

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx.errors import LimitExceeded
from frozenctx_compiler import cli

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "limits.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(.*)` \| `(.*)` \| (\d+) \|$", TEXT, re.MULTILINE)
LIMITS = ["max_steps" if TEXT.index(row[0]) < TEXT.index("## Output") else "max_output" for row in ROWS]


@pytest.mark.parametrize(("limit", "row"), list(zip(LIMITS, ROWS, strict=True)))
def test_the_figures_are_right(tmp_path: Path, limit: str, row: tuple[str, str, str]) -> None:
    template, values, count = row
    text = template.replace("\\|", "|")
    (tmp_path / "p.ctx").write_text(f"---\nmodel: m\n---\n<<<role:system>>>\n{text}", "utf-8")
    variables = ast.literal_eval(values)
    for cap, fits in ((int(count), True), (int(count) - 1, False)):
        caps = {"max_steps": cap} if limit == "max_steps" else {"max_output": cap}
        prompt = frozenctx_compiler.load(tmp_path, limits=True, **caps)["p"]  # type: ignore[arg-type]
        if fits:
            prompt.system(variables)
        else:
            with pytest.raises(LimitExceeded):
                prompt.system(variables)


def test_there_are_figures_of_both_kinds() -> None:
    assert len(ROWS) == TEXT.count("\n| `")
    assert min(LIMITS.count("max_steps"), LIMITS.count("max_output")) > 4


def test_the_commands_and_the_service_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in block.splitlines():
        assert cli.run(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    (service,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    compilation = frozenctx_compiler.check("examples/prompts", select=["briefs/draft"])
    sample = compilation.packages[0].lowered.checked.samples[0]
    names = {"variables": sample.variables, "frozenctx": frozenctx}
    exec(service, names)  # an example of our own
    assert names["messages"]
    exec(service.replace("100_000", "10"), names)
    said = capsys.readouterr().out
    assert re.search(r"max_steps 10\nbriefs/draft (system|user) \S+ \d+\n$", said), said
