"""What docs/inputs.md shows is what a check says."""

import re
from pathlib import Path

import frozenctx_compiler
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
CONDITIONS = [row.replace("\\|", "|") for row in re.findall(r"^\| `(.*?focus.*?)` \|", PAGE, re.MULTILINE)]


def said(directory: Path, schema: str, template: str) -> str:
    package = directory / "p.ctx"
    package.mkdir()
    (package / "settings.yaml").write_text("model: a:b\n")
    (package / "schema.pyi").write_text(schema)
    (package / "prompt.j2").write_text(template)
    lines = []
    for each in frozenctx_compiler.check(directory).report.diagnostics:
        assert each.span is not None
        file = each.span.file.removeprefix("p.ctx/")
        lines.append(f"{file}:{each.span.line}:{each.span.column}: {each.level}[{each.code}] {each.headline}\n")
    return "".join(lines)


def test_the_example_gives_these_findings(tmp_path: Path) -> None:
    assert said(tmp_path, BLOCKS["python"], BLOCKS["jinja"]) == BLOCKS[""]


def test_there_are_conditions() -> None:
    assert len(CONDITIONS) == 9


@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_condition_of_the_table_is_a_guard(condition: str, tmp_path: Path) -> None:
    schema = "class Input:\n    focus: str | None = None\n"
    uses = f"{{% if {condition} %}}{{{{ focus.upper() }}}}{{% endif %}}{{{{ focus.upper() if {condition} }}}}"
    others = f"{{% for x in [1] if {condition} %}}{{{{ focus.upper() }}}}{{% endfor %}}"
    assert said(tmp_path, schema, uses + others) == ""
