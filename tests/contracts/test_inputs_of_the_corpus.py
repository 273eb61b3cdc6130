"""No template of the template corpus that renders is blamed, with the types that its own variables have."""

import json
from pathlib import Path
from typing import Any

import frozenctx_compiler
from template_corpus import oracle
from template_corpus.cases import MAIN, Case, load_cases

# Its template names what no rendering of it touches, for a variable is always true there.
UNREACHED = "expressions/logic-returns-operands"
CODES = ("undeclared-input", "unknown-attribute", "not-iterable")


class Stub:
    """A stub with classes for mappings, as narrow as the values allow."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self.classes: list[str] = []
        types = {name: self.type(value) for name, value in variables.items() if name.isidentifier()}
        fields = "".join(f"    {name}: {of}\n" for name, of in types.items())
        self.classes.append(f"class Input:\n{fields or '    pass'}\n")
        self.text = "from typing import Any, TypedDict\n" + "\n".join(self.classes)

    def type(self, value: Any) -> str:
        match value:
            case None:
                return "None"
            case bool() | int() | float() | str():
                return type(value).__name__
            case []:
                return "list"
            case list():
                return f"list[{' | '.join(dict.fromkeys(map(self.type, value)))}]"
            case dict() if value and all(key.isidentifier() and key[0] not in "$_" for key in value):
                name = f"C{len(self.classes)}"
                self.classes.append("")
                at = len(self.classes) - 1
                fields = "".join(f"    {key}: {self.type(item)}\n" for key, item in value.items())
                self.classes[at] = f"class {name}(TypedDict):\n{fields}\n"
                return name
        return "Any"  # objects, functions, undefined values; mappings whose keys are no names


def write(case: Case, package: Path) -> None:
    package.mkdir()
    (package / "settings.yaml").write_text("model: a:b\n")
    (package / "schema.pyi").write_text(Stub(json.loads(case.context_json)).text, "utf-8")
    (package / "prompt.j2").write_bytes(case.main.encode())
    for name, text in {MAIN: case.main, **case.extras}.items():
        (package / name).write_bytes(text.encode())


def test_no_template_that_renders_is_blamed(tmp_path: Path) -> None:
    cases = {}
    for number, case in enumerate(load_cases()):
        if case.id != UNREACHED and not oracle.outcome(case).error:
            cases[f"case-{number}"] = case
            write(case, tmp_path / f"case-{number}.ctx")
    assert len(cases) > 300
    report = frozenctx_compiler.check(tmp_path).report
    wrong = [
        (each.headline, cases[package].id, cases[package].main)
        for each in report.diagnostics
        if each.code in CODES
        for package in each.packages
    ]
    assert not wrong
    failed = {package for each in report.diagnostics if each.level == "error" for package in each.packages}
    assert len(failed) < len(cases) / 4
