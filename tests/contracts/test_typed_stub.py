"""`frozenctx stubs`: what the stub says is what mypy holds callers to, and what renders and parses."""

import subprocess
import sys
from pathlib import Path

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler import cli
from frozenctx_compiler.typed_stub import typed_stub
from source_trees import write

RUNTIME = Path(__file__).parents[2] / "runtime"

SCHEMA = '''
from datetime import date
from enum import Enum
from typing import Any, Literal, NotRequired, Optional, TypedDict

class Level(Enum):
    LOW = "low"
    HIGH = "high"

class Person(TypedDict):
    name: str
    born: NotRequired[date]

class Node:
    """A tree of tasks."""
    title: str
    children: list["Node"]

class Input:
    """What the draft is made of."""
    topic: str
    """What it is about; "quoted", and a \\\\ backslash."""
    people: list[Person]
    tree: Node
    counts: dict[str, int]
    tags: set[str] = set()
    date: Optional[date] = None
    level: Level = "low"

class Output(TypedDict):
    verdict: Literal["yes", "no"]
    score: float
    pair: tuple[int, str]
    tree: NotRequired[Node]
    notes: list[str]
    more: dict[str, Any]
'''

TREE = {
    "briefs/draft.ctx/settings.yaml": "model: openai/gpt-5\nname: brief\nmeta: {description: Drafts a brief.}\n",
    "briefs/draft.ctx/prompt.j2": (
        "<<<role:system>>>\n{{ topic }} {{ people | length }} {{ tree.title }} {{ counts }} {{ tags | default([]) }}"
        " {{ date | default('') }} {{ level | default('') }}\n<<<role:user>>>\nGo on.\n"
    ),
    "briefs/draft.ctx/schema.pyi": SCHEMA,
    "fixed.ctx/settings.yaml": "model: openai/gpt-5\nresponse_format: {type: json_object}\n",
    "fixed.ctx/prompt.j2": "Nothing to give.",
    "fixed.ctx/schema.pyi": "class Input:\n    pass\n",
    "free.ctx": "Hello {{ name }}.",
    "odd-names.ctx/settings.yaml": "model: openai/gpt-5\n",
    "odd-names.ctx/prompt.j2": "{{ str }}{{ order['class'] }}",
    "odd-names.ctx/schema.pyi": (
        "from typing import TypedDict\nOrder = TypedDict('Order', {'class': str, 'a-b': int})\n"
        "class Input:\n    str: int\n    other: str\n    order: Order\n"
        "class Output:\n    int: str\n    float: int\n"
    ),
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("typed")
    write(root / "src", TREE)
    result = frozenctx_compiler.build(root / "src", root / "out", lint_levels={"default-model": "note"})
    assert result.written, result.report.diagnostics
    return root / "out"


@pytest.fixture(scope="module")
def checked(out: Path, tmp_path_factory: pytest.TempPathFactory) -> "Checked":
    return Checked(tmp_path_factory.mktemp("use"), typed_stub(frozenctx.load(out)))


class Checked:
    """A directory with the stub, in which programs are checked with mypy --strict."""

    def __init__(self, directory: Path, stub: str) -> None:
        self.directory = directory
        write(directory, {"prompts.pyi": stub})

    def __call__(self, program: str) -> list[str]:
        """The complaints about a program, as `line: message`."""
        write(self.directory, {"use.py": "from prompts import prompts\n" + program})
        run = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", "use.py",
             "prompts.pyi"],
            cwd=self.directory, capture_output=True, text=True, env={"MYPYPATH": str(RUNTIME), "PATH": ""},
        )  # fmt: skip
        assert not run.stderr, run.stderr
        lines = [line.removeprefix("use.py:") for line in run.stdout.splitlines() if ": note: " not in line]
        return [line.replace(" error:", "") for line in lines]


RIGHT = """\
from dataclasses import dataclass
from datetime import date
from typing import assert_type
from prompts import BriefsDraftInput, BriefsDraftReply

@dataclass
class P:
    name: str
    born: date

@dataclass
class T:
    title: str
    children: list["T"]

draft = prompts["briefs/draft"]
given: BriefsDraftInput = {"topic": "x", "people": [], "tree": {"title": "a", "children": []}, "counts": {}}
draft.messages(given)
draft.messages(topic="x", people=[{"name": "A"}], tree={"title": "a", "children": []}, counts={"a": 1}, tags={"t"})
draft.messages(topic="x", people=[P("A", date(2026, 1, 1))], tree=T("a", [T("b", [])]), counts={}, level="high")
assert_type(draft.system(given), str)
assert_type(draft.user(given), str)
reply = draft.parse("{}", "strip")
assert_type(reply, BriefsDraftReply)
assert_type(reply["score"], float)
assert_type(reply["pair"], list[int | str])
assert_type(reply["notes"], list[str])
if "tree" in reply:
    assert_type(reply["tree"]["children"][0]["title"], str)
prompts.named("brief").parse("{}")["verdict"] == "yes"
prompts["fixed"].messages()
assert_type(prompts["fixed"].user(), None)
prompts["fixed"].parse("{}")["anything"]
prompts["free"].messages(name="x", other=3)
assert_type(prompts["free"].parse("x"), str)
prompts["odd-names"].messages({"str": 3, "other": "x", "order": {"class": "x", "a-b": 3}})
prompts["odd-names"].messages(str=3, other="x", order={"class": "x", "a-b": 3})
assert_type(prompts["odd-names"].parse("{}")["int"], str)
len(prompts), prompts.digest, draft.version
"""

WRONG = {
    'prompts["briefs/drafts"]': "No overload variant",
    'prompts.named("briefs/draft")': "No overload variant",
    'prompts["briefs/draft"].messages(topik="x")': "Unexpected keyword argument",
    'prompts["briefs/draft"].messages(topic="x")': "Missing named arguments",
    'prompts["briefs/draft"].messages({"topic": "x"})': "No overload variant",
    'prompts["briefs/draft"].system(topic=3, people=[], tree={"title": "", "children": []}, counts={})': "Argument",
    'prompts["briefs/draft"].user(topic="", people=[3], tree={"title": "", "children": []}, counts={})': "List item",
    'prompts["fixed"].messages(x=3)': "Unexpected keyword argument",
    'prompts["briefs/draft"].parse("")["verdit"]': 'has no key "verdit"',
    'prompts["briefs/draft"].parse("")["tree"]["children"]["x"]': "No overload variant",
    'prompts["briefs/draft"].parse("")["verdict"] == "maybe"': "Non-overlapping",
    'prompts["briefs/draft"].parse("", prose="keep")': "Argument",
    'prompts["free"].parse("").verdict': "has no attribute",
    'prompts["odd-names"].parse("")["string"]': 'has no key "string"',
}


def test_right_uses_are_accepted_with_the_types_they_have(checked: Checked) -> None:
    assert checked(RIGHT) == []


def test_wrong_keys_variables_and_reply_fields_are_caught(checked: Checked) -> None:
    complaints = dict(line.split(": ", 1) for line in checked("\n".join(WRONG) + "\n"))
    assert [*complaints] == [str(line) for line in range(2, 2 + len(WRONG))]
    for (program, words), complaint in zip(WRONG.items(), complaints.values(), strict=True):
        assert words in complaint or "No overload variant" in complaint, (program, complaint)


def test_what_type_checks_also_renders(out: Path) -> None:
    draft = frozenctx.load(out)["briefs/draft"]
    given = {"topic": "x", "people": [{"name": "A"}], "tree": {"title": "a", "children": []}, "counts": {"n": 1}}
    assert draft.messages(given)[0]["content"] == "x 1 a {'n': 1} []  "


def test_the_texts_of_the_package_are_in_the_stub(out: Path) -> None:
    stub = typed_stub(frozenctx.load(out))
    assert "briefs/draft: Drafts a brief." in stub
    assert "What the draft is made of." in stub
    assert "A tree of tasks." in stub
    start = stub.index("class BriefsDraftInput(")
    field = stub.index("    topic: str", start)
    docstring = stub[field:].split("\n")[1]
    assert eval(docstring.strip()) == 'What it is about; "quoted", and a \\ backslash.'


def test_the_same_release_gives_the_same_text(out: Path, tmp_path: Path) -> None:
    again = write(tmp_path / "src", TREE)
    frozenctx_compiler.build(again, tmp_path / "out", lint_levels={"default-model": "note"})
    assert typed_stub(frozenctx.load(tmp_path / "out")) == typed_stub(frozenctx.load(out))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_stub_of_few_prompts_is_sound(count: int, tmp_path: Path) -> None:
    write(tmp_path / "src", {f"p{each}.ctx": "Hello." for each in range(2)})
    prompts = frozenctx_compiler.load(tmp_path / "src", lint_levels={"default-model": "note"})
    kept = {key: prompts[key] for key in list(prompts)[:count]}
    program = "".join(f'prompts["{key}"].messages()\n' for key in kept)
    assert Checked(tmp_path, typed_stub(kept))(program) == []  # type: ignore[arg-type]


def test_check_says_when_the_stub_is_out_of_date(out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "prompts.pyi"

    def run(*arguments: str) -> int:
        return cli.run(["stubs", str(out), *arguments])

    assert (run("-o", str(file), "--check"), file.exists()) == (1, False)
    assert run("-o", str(file)) == 0
    capsys.readouterr()
    assert run() == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")
    assert run("-o", str(file), "--check") == 0
    old = file.read_text(encoding="utf-8").replace("    topic: str\n", "    subject: str\n")
    file.write_text(old, encoding="utf-8")
    assert run("-o", str(file), "--check") == 1
    stale = capsys.readouterr().err
    assert "-    subject: str\n+    topic: str" in stale
    assert f"`{file}` is out of date: run `frozenctx stubs {out} -o {file}`" in stale
    assert file.read_text(encoding="utf-8") == old
    assert run("--check") == 2


def test_the_clients_of_providers_take_messages(checked: Checked) -> None:
    program = """\
import anthropic
import openai
fixed, draft = prompts["free"], prompts["briefs/draft"]
messages = fixed.messages(name="x")
openai.OpenAI().chat.completions.create(model=fixed.model_name, messages=messages)
openai.OpenAI().responses.create(model=fixed.model_name, input=messages)
anthropic.Anthropic().messages.create(
    model=fixed.model_name, max_tokens=100, system=fixed.system(name="x"), messages=messages[1:]
)
openai.OpenAI().chat.completions.create(model=fixed.model_name, messages=fixed.system(name="x"))
"""
    (complaint,) = checked(program)
    assert complaint.startswith("11: ")  # a text is no list of messages


def test_the_mistakes_of_the_document_are_caught_as_it_says(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    prompts = frozenctx_compiler.load(root / "examples/prompts", env_files=[root / "examples/prompts.env"])
    page = (root / "docs/typed-access.md").read_text("utf-8")
    example = page.partition("```python\nfrom prompts import prompts\n")[2].partition("```")[0]
    complaints = Checked(tmp_path, typed_stub(prompts))("text = ''\n" + example)
    said = [line.partition("#")[2].strip() for line in example.splitlines() if "#" in line]
    assert len(complaints) == len(said) == 3
    for complaint, words in zip(complaints, said, strict=True):
        assert all(part in complaint for part in words.split("; ")), complaint
