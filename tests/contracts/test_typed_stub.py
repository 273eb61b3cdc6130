"""`frozenctx stubs`: what the stub says is what mypy holds callers to, and what renders and parses."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler import cli
from frozenctx_compiler.typed_stub import typed_stub
from source_trees import write

RUNTIME = Path(__file__).parents[2] / "runtime"

SCHEMA = '''
from datetime import date, datetime
from uuid import UUID
from enum import Enum
from typing import Any, Literal, NotRequired, Optional, TypedDict

class Level(Enum):
    LOW = "low"
    HIGH = "high"

class Person(TypedDict):
    name: str
    born: NotRequired[date]

class Event:
    uuid: UUID
    at: datetime

class House:
    property: str
    price: int

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
    event: Event | None = None
    house: House | None = None

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
        " {{ date | default('') }} {{ level | default('') }}{{ event | default('') }}{{ house | default('') }}\n"
        "<<<role:user>>>\nGo on.\n"
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
from datetime import date, datetime
from typing import TypedDict, assert_type
from uuid import UUID
from prompts import BriefsDraftInput, BriefsDraftReply

@dataclass
class P:
    name: str
    born: date

@dataclass
class T:
    title: str
    children: list["T"]

@dataclass
class E:
    uuid: UUID
    at: datetime

class Narrow(TypedDict):
    name: str
    born: date

draft = prompts["briefs/draft"]
narrow: list[Narrow] = []
event = E(UUID(int=1), datetime.now())
draft.messages(topic="x", people=narrow, tree={"title": "a", "children": []}, counts={}, event=event)
draft.messages(topic="x", people=(), tree=T("a", []), counts={}, house={"property": "x", "price": 3})
for key in prompts:
    assert_type(prompts[key].version, str)
dynamic = prompts.get("".join(["fr", "ee"]))
if dynamic is not None:
    dynamic.messages(name="x")
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
    field = stub.index("    topic: ReadOnly[str]\n", start)
    docstring = stub[field:].split("\n")[1]
    assert eval(docstring.strip()) == 'What it is about; "quoted", and a \\ backslash.'


def test_the_same_release_gives_the_same_text(out: Path, tmp_path: Path) -> None:
    again = write(tmp_path / "src", TREE)
    frozenctx_compiler.build(again, tmp_path / "out", lint_levels={"default-model": "note"})
    assert typed_stub(frozenctx.load(tmp_path / "out")) == typed_stub(frozenctx.load(out))


_CHAIN = {f"d{n}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(400)}
_FAN = {
    f"d{n}": {"anyOf": [{"type": "array", "items": {"$ref": f"#/$defs/d{n + 1}"}} for _ in range(2)]} for n in range(60)
}
_TANGLE = {
    f"d{n}": {"anyOf": [{"type": "array", "items": {"$ref": f"#/$defs/d{m}"}} for m in range(12) if m != n]}
    for n in range(12)
}
# A schema, a right use of `reply`, and what its type is revealed to be where that is worth saying.
SCHEMAS: dict[str, tuple[Any, str, str]] = {
    "anything": (True, "reply", "Any"),
    "nothing": (False, "", "Never"),
    "a list of alternatives": ({"type": ["array", "null"], "items": {"type": "string"}}, "reply", "list[str] | None"),
    "patterns": (
        {"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": False},
        'reply["x1"].upper()',
        "dict[str, str]",
    ),
    "patterns and others": (
        {
            "type": "object",
            "patternProperties": {"^x": {"type": "string"}},
            "additionalProperties": {"type": "integer"},
        },
        'reply["x1"]',
        "dict[str, str | int]",
    ),
    "more by alternatives": (
        {"type": "object", "properties": {"kind": {}}, "oneOf": [{"properties": {"x": {"type": "string"}}}]},
        'reply["x"]',
        "dict[str, Any]",
    ),
    "more by conditions": (
        {"type": "object", "properties": {"kind": {}}, "if": {}, "then": {"properties": {"x": {}}}},
        'reply["x"]',
        "dict[str, Any]",
    ),
    "others beside properties": (
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}},
        'reply["b"]',
        "dict[str, Any]",
    ),
    "required and not described": (
        {"type": "object", "properties": {"a": {}}, "required": ["a", "b"]},
        'reply["b"]',
        "",
    ),
    "properties without a type": ({"properties": {"a": {"type": "string"}}}, "reply + 1", "Any"),
    "a reference with more beside it": (
        {"$ref": "#/$defs/a", "properties": {"x": {}}, "$defs": {"a": {"type": "object", "properties": {"y": {}}}}},
        'reply["x"]',
        "Any",
    ),
    "a circle": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        "reply",
        "Any",
    ),
    "a circle of unions": (
        {
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "string"}]},
                "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]},
            },
        },
        "reply",
        "Any",
    ),
    "recursive lists": (
        {
            "$ref": "#/$defs/tree",
            "$defs": {"tree": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}},
        },
        "reply if isinstance(reply, int) else reply[0]",
        "",
    ),
    "itself": ({"type": "object", "properties": {"next": {"$ref": "#"}}}, 'reply.get("next", reply).get("next")', ""),
    "a long chain": (
        {"$ref": "#/$defs/d0", "$defs": {**_CHAIN, "d400": {"type": "string"}}},
        'reply["next"]["next"]',
        "",
    ),
    "a fan": ({"$ref": "#/$defs/d0", "$defs": {**_FAN, "d60": {"type": "string"}}}, "reply[0][0]", ""),
    "a tangle": ({"$ref": "#/$defs/d0", "$defs": _TANGLE}, "reply[0][0]", ""),
    "odd texts": (
        {
            "type": "object",
            "description": 'a """ b \\ c \x00 \u2028 \n\n " ',
            "properties": {
                "a'b": {"enum": ["'", '"', "\\", "\n", "]", "|"]},
                "é": {"type": "string"},
                "None": {},
                "x y": {},
            },
        },
        """reply["a'b"]""",
        "",
    ),
    "numbers that are listed": ({"enum": [1.5, 2]}, "reply", "float"),
    "objects that are listed": ({"enum": [{"a": 1}, 2]}, "reply", "Any"),
}


def test_any_reply_schema_gives_a_sound_stub_that_allows_what_it_allows(tmp_path: Path) -> None:
    for number, (schema, _, _) in enumerate(SCHEMAS.values()):
        settings = f"model: openai/gpt-5\nsystem: x\nreply_schema: {json.dumps(schema)}\n"
        write(tmp_path / "src", {f"p{number}.ctx/settings.yaml": settings})
    write(
        tmp_path / "src", {f"{name}.ctx": "---\nmodel: openai/gpt-5\n---\nHello." for name in ("none", "true", "class")}
    )
    levels: Any = {"bad-reply-schema": "note"}  # which refuses circles, by default
    prompts = frozenctx_compiler.load(tmp_path / "src", lint_levels=levels)
    program = "from typing import *\nfrom prompts import *\n"
    for number, (_, use, type) in enumerate(SCHEMAS.values()):
        if use:
            program += f'def use{number}() -> None:\n    reply = prompts["p{number}"].parse("")\n    {use}\n'
            program += f"    assert_type(reply, {type})\n" if type else ""
    assert Checked(tmp_path, typed_stub(prompts))(program) == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_stub_of_few_prompts_is_sound(count: int, tmp_path: Path) -> None:
    write(tmp_path / "src", {f"p{each}.ctx": "Hello." for each in range(2)})
    prompts = frozenctx_compiler.load(tmp_path / "src", lint_levels={"default-model": "note"})
    kept = {key: prompts[key] for key in list(prompts)[:count]}
    program = "".join(f'prompts["{key}"].messages()\n' for key in kept)
    assert Checked(tmp_path, typed_stub(kept))(program) == []


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
    old = file.read_text(encoding="utf-8").replace("    topic: ReadOnly[str]\n", "    subject: str\n")
    file.write_text(old, encoding="utf-8")
    assert run("-o", str(file), "--check") == 1
    stale = capsys.readouterr().err
    assert "-    subject: str\n+    topic: ReadOnly[str]" in stale
    assert f"`{file}` is out of date: run `frozenctx stubs {out} -o {file}`" in stale
    assert file.read_text(encoding="utf-8") == old
    file.write_bytes(typed_stub(frozenctx.load(out)).replace("\n", "\r\n").encode())
    assert run("-o", str(file), "--check") == 0  # as a checkout on Windows has it
    file.write_bytes(b"\xff")
    assert run("-o", str(file), "--check") == 1
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
