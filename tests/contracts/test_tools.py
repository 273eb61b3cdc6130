"""Contracts of tools: what functions and docstrings become, how a program gets them, and what fits them."""

import functools
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import frozenctx
import pytest
from frozenctx.errors import Damaged, ToolsError, UnknownTool
from frozenctx.tools import FORMS
from frozenctx_compiler import api, cli
from pydantic import TypeAdapter

ROOT = Path(__file__).parents[2]
FORMAT = (ROOT / "artifacts/frozenctx_artifacts/FORMAT.md").read_text("utf-8")
STUB = '''
from typing import Annotated, Literal

__server__ = "crm"

def find_account(name: Annotated[str, "As typed."], limit: int = 5, /, *, kind: Literal["a", "b"] | None = None):
    """Find accounts by name."""

def save(notes: list[str], final: bool = ...):
    """Save notes.

    Returns:
        Nothing.
    """
'''


def tree(root: Path, stub: str = STUB, settings: str = "model: openai/gpt-5\n", key: str = "agent") -> Path:
    package = root / f"{key}.ctx"
    package.mkdir(parents=True, exist_ok=True)
    (package / "prompt.j2").write_text("Work.", "utf-8")
    (package / "settings.yaml").write_text(settings, "utf-8")
    (package / "tools.pyi").write_text(stub, "utf-8")
    return root


def prompt_of(root: Path, stub: str = STUB, settings: str = "model: openai/gpt-5\n") -> frozenctx.Prompt:
    return api.load(tree(root, stub, settings))["agent"]


def contract(root: Path, stub: str) -> frozenctx.Tool:
    (tool,) = prompt_of(root, stub).tool_contracts
    return tool


def described(root: Path, docstring: str, parameters: str = "x: int, y: int = 0") -> tuple[str, dict[str, str]]:
    indented = docstring.replace("\n", "\n    ").replace("\n    \n", "\n\n")
    tool = contract(root, f'def f({parameters}):\n    """{indented}"""\n')
    properties = tool.input_schema["properties"]
    return tool.description, {name: part["description"] for name, part in properties.items() if "description" in part}


# -- what functions become --


def test_a_function_becomes_a_contract(tmp_path: Path) -> None:
    tool = prompt_of(tmp_path).tool("crm/find_account")
    assert (tool.key, tool.wire_name, tool.server, tool.name) == (
        "crm/find_account", "crm_find_account", "crm", "find_account",
    )  # fmt: skip
    assert tool.description == "Find accounts by name."
    assert json.dumps(tool.input_schema) == json.dumps(
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "As typed."},
                "limit": {"type": "integer", "default": 5},
                "kind": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
            },
            "required": ["name"],
        }
    )


def test_a_parameter_is_required_unless_it_has_a_default_optional_or_not(tmp_path: Path) -> None:
    stub = "def f(a: int | None, b: int, c: int = ..., *, d: str, e: int | None = None): ..."
    schema = contract(tmp_path, stub).input_schema
    assert schema["required"] == ["a", "b", "d"]
    assert not any("default" in part for part in schema["properties"].values())


def test_without_a_server_key_and_wire_name_are_the_name(tmp_path: Path) -> None:
    tool = contract(tmp_path, "async def now(): ...")
    assert (tool.key, tool.wire_name, tool.server, tool.description) == ("now", "now", None, "")
    assert tool.input_schema == {"type": "object", "properties": {}}


def test_a_wire_name_has_no_other_characters_and_at_most_64(tmp_path: Path) -> None:
    tool = contract(tmp_path, f'__server__ = "é 日.-x"\ndef {"f" * 70}(): ...')
    assert tool.wire_name == "____-x_" + "f" * 57
    assert len(tool.wire_name) == 64


def test_the_tools_are_the_settings_list_then_the_stubs_keys_without_repeats(tmp_path: Path) -> None:
    settings = "model: openai/gpt-5\ntools: [web/search, crm/save, web/search]\n"
    prompt = prompt_of(tmp_path, settings=settings)
    assert prompt.tools == ("web/search", "crm/save", "crm/find_account")
    assert [tool.key for tool in prompt.tool_contracts] == ["crm/save", "crm/find_account"]


DOCSTRINGS = [
    ("Do it.\n\nAnd more.\n", "Do it.\n\nAnd more.", {}),
    (
        """Do it.

Args:
    x: One.
    y (int, optional): Two:
        more.

        And more.
""",
        "Do it.",
        {"x": "One.", "y": "Two:\nmore.\n\nAnd more."},
    ),
    (
        """
Do it.

Args:
    x (Callable[[int], str]): One.

Raises:
    x: never.

Returns:
    y: a.
""",
        "Do it.\n\nRaises:\n    x: never.\n\nReturns:\n    y: a.",
        {"x": "One."},
    ),
    ("Do it.\n\nKeyword Args:\n    y: Two.\n\nThen more.\n", "Do it.\n\nThen more.", {"y": "Two."}),
    (
        """Do it.

Parameters
----------
x : {'a', 'b'}
    One.

    - list
      item
y
    Two.

Returns
-------
int
    y.
""",
        "Do it.\n\nReturns\n-------\nint\n    y.",
        {"x": "One.\n\n- list\n  item", "y": "Two."},
    ),
    (
        """Do it.

Parameters
----------
x, y : int
    Both.

A sentence after it.
""",
        "Do it.\n\nA sentence after it.",
        {"x": "Both.", "y": "Both."},
    ),
    (
        """Do it.

:param int x: One
    goes on.

    And more.
:type y: int
:arg y: Two
at the margin.
:returns: y
:raises ValueError: x
""",
        "Do it.\n\n:returns: y\n:raises ValueError: x",
        {"x": "One\ngoes on.\n\nAnd more.", "y": "Two\nat the margin."},
    ),
    ("Args:\n    x: One.\n", "", {"x": "One."}),
    ("Args:\n    x: One\n        more.\n    y: Two.\n    Returns:\n        It.", "Returns:\n    It.",
     {"x": "One\nmore.", "y": "Two."}),
    ("Do it.\n\nArgs:\n    Nothing is asked for.\n", "Do it.\n\nArgs:\n    Nothing is asked for.", {}),
    ("Do it.\n\nParameters\n----------\n\nNone at all.\n", "Do it.\n\nParameters\n----------\n\nNone at all.", {}),
    ("Do it with the following\nparameters: x and y.\n", "Do it with the following\nparameters: x and y.", {}),
    ("Do\xa0it.\n\nArgs:\n    x: One\x0c.\n", "Do\xa0it.", {"x": "One\x0c."}),
    ("Do it.\n\nArgs:\n\tx: One.\n\t\tMore.\n", "Do it.", {"x": "One.\nMore."}),
    ("Do it.\n\nArgs:\n    x:\n        One.\n    y: \n", "Do it.", {"x": "One."}),
    # Words where a type may stand.
    ("Parameters\n----------\nx : The account id.\ny : How many at most\n", "",
     {"x": "The account id.", "y": "How many at most"}),
    ("Parameters\n----------\nx : The account id,\n    as it is.\ny : int, optional\n    How many.\n", "",
     {"x": "The account id,\nas it is.", "y": "How many."}),
    ("Parameters\n----------\nx : {'a', 'b'}, default: 'a b'\n    One.\ny : dict[str, list[int]] or (int, str)\n",
     "", {"x": "One."}),
    ("Do.\n\nArgs:\n    x (at most 100): How many.\n    y (list of str, optional): Two.\n", "Do.",
     {"x": "(at most 100) How many.", "y": "Two."}),
    (":type x: str\nOnly call this after find_account.\n:param x: One.\n", "Only call this after find_account.",
     {"x": "One."}),
    (":param x: One.\n:type x: dict[str,\n    int]\n:type y: The second.\n", ":type y: The second.", {"x": "One."}),
    # Examples in fences.
    ("Does.\n\n```\nArgs:\n    x: in code\n```\n\nArgs:\n    x: alpha\n",
     "Does.\n\n```\nArgs:\n    x: in code\n```", {"x": "alpha"}),
    ("Does.\n\n~~~~py\nParameters\n----------\nx\n    code\n```\n~~~~\n:param y: Two.\n",
     "Does.\n\n~~~~py\nParameters\n----------\nx\n    code\n```\n~~~~", {"y": "Two."}),
    ("Args:\n    x: One:\n    ```\n    y: no\n    ```\n    y: Two.\n", "", {"x": "One:\n```\ny: no\n```", "y": "Two."}),
    (":param x: One:\n```\n:param y: no\n\nmore\n```\n:param y: Two.\n", "",
     {"x": "One:\n```\n:param y: no\n\nmore\n```", "y": "Two."}),
    ("Does.\n\n```\nArgs:\n    x: One.\n", "Does.\n\n```", {"x": "One."}),
]  # fmt: skip


@pytest.mark.parametrize(("docstring", "text", "parameters"), DOCSTRINGS)
def test_docstrings_of_three_styles_are_taken_apart(
    tmp_path: Path, docstring: str, text: str, parameters: dict[str, str]
) -> None:
    assert described(tmp_path, docstring) == (text, parameters)


def test_no_word_of_a_docstring_is_lost(tmp_path: Path) -> None:
    arguments = "Args:\n    x: four\n        five\n    y (int): six"
    docstring = f"One two.\n\nthree\n\n{arguments}\n\nseven\n\nReturns:\n    eight\n"
    text, parameters = described(tmp_path, docstring)
    words = " ".join([text, *parameters.values()]).split()
    assert {"One", "two.", "three", "four", "five", "six", "seven", "eight"} - {"One", *words} == set()


def test_a_description_in_annotated_is_stronger_than_the_docstring(tmp_path: Path) -> None:
    words = described(tmp_path, "Do.\n\nArgs:\n    x: B.\n", 'x: Annotated[int, "A."]')
    assert words == ("Do.", {"x": "A."})


# -- identity and bytes --


def test_the_digest_of_a_contract_is_what_the_format_says(tmp_path: Path) -> None:
    stub = '__server__ = "crm"\ndef find(name: str, limit: int = 5):\n    """Find accounts by name."""\n'
    digests = prompt_of(tmp_path, stub).identity["toolContracts"]
    section = FORMAT[FORMAT.index("## Tool contract") :]
    text = re.search(r"Text:\n\n```\n(.*)\n```", section)
    digest = re.search(r"Digest of the contract: `(\w+)`", section)
    assert text is not None
    assert digest is not None
    assert hashlib.sha256(text[1].encode()).hexdigest() == digest[1]
    assert digests == {"crm/find": digest[1]}


@pytest.mark.parametrize(
    "change",
    [
        ("accounts", "clients"),
        ("limit: int = 5", "limit: int = 6"),
        ("As typed.", "As written."),
        ("final: bool = ...", "final: bool"),
    ],
)
def test_whatever_a_model_is_told_of_a_tool_is_in_the_version(tmp_path: Path, change: tuple[str, str]) -> None:
    before = prompt_of(tmp_path / "a").version
    assert prompt_of(tmp_path / "b").version == before
    assert prompt_of(tmp_path / "c", STUB.replace(*change)).version != before
    assert prompt_of(tmp_path / "d", STUB + "\n# a comment\ndef f(): ...\n").version != before
    assert prompt_of(tmp_path / "e", STUB + "\n# a comment\n").version == before


def test_a_stub_is_parsed_and_never_run(tmp_path: Path) -> None:
    stub = f"{STUB}\nopen({str(tmp_path / 'ran')!r}, 'w')\n"
    tree(tmp_path, stub)
    assert [found.code for found in api.check(tmp_path).report.diagnostics] == ["bad-declaration"]
    assert not (tmp_path / "ran").exists()


BARE = """
import json, sys
sys.path[:0] = [sys.argv[1]]
import frozenctx
prompts = frozenctx.load(sys.argv[2], pack=sys.argv[3])
prompt = prompts["agent"]
prompt.messages()
assert "frozenctx.tools" not in sys.modules
tool = prompt.tool("crm_find_account")
facts = [tool.key, tool.wire_name, tool.server, tool.name, tool.description, tool.input_schema]
prompt.check_tools({"find_account": lambda name, limit=5, kind=None: 0, "crm/save": lambda notes, final=True: 0})
try:
    prompt.tool("find")
except KeyError as error:
    facts.append(str(error))
print(json.dumps([prompts.source, facts, [each.key for each in prompt.tool_contracts]]))
"""


@pytest.mark.parametrize(("pack", "source"), [("require", "pack"), ("never", "objects")])
def test_a_bare_interpreter_serves_the_same_from_pack_and_objects(tmp_path: Path, pack: str, source: str) -> None:
    assert api.build(tree(tmp_path / "src"), tmp_path / "out").written
    command = [sys.executable, "-I", "-S", "-c", BARE, str(ROOT / "runtime"), str(tmp_path / "out"), pack]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    served, facts, keys = json.loads(done.stdout)
    tool = prompt_of(tmp_path / "other").tool("crm/find_account")
    assert served == source
    assert facts[:6] == [tool.key, tool.wire_name, tool.server, tool.name, tool.description, tool.input_schema]
    assert facts[6] == "`agent` has no tool `find`; did you mean `crm/find_account` or `crm_find_account`?" or facts[6]
    assert keys == ["crm/find_account", "crm/save"]


def test_an_object_whose_contracts_are_of_another_shape_is_damaged(tmp_path: Path) -> None:
    from frozenctx.format import object_name, profile_line
    from frozenctx.objects import sha256_hex
    from frozenctx_compiler.emit import emit, emitted_files

    files = emitted_files(emit(api.check(tree(tmp_path)).packages))
    (name,) = (name for name, data in files.items() if b'"toolContracts":[' in data)
    (release,) = (name for name, data in files.items() if data.startswith(b'{"format"'))
    changed = files[name].replace(b'"wireName":"crm_save",', b"")
    old, new = (name.replace("objects/", "").replace("/", "").removesuffix(".json"), sha256_hex(changed))
    lead = files[release].replace(old.encode(), new.encode())
    files |= {object_name(new, ".json"): changed, object_name(sha256_hex(lead), ".json"): lead}
    files["profiles/default"] = profile_line(sha256_hex(lead)).encode()
    with pytest.raises(Damaged, match="not as FORMAT.md says"):
        frozenctx.load(files)["agent"]


# -- in a program --


def test_what_is_handed_out_is_a_copy(tmp_path: Path) -> None:
    prompt = prompt_of(tmp_path)
    prompt.tool("crm/save").input_schema["properties"].clear()
    assert list(prompt.tool("crm/save").input_schema["properties"]) == ["notes", "final"]
    assert prompt.tool("crm/save") == prompt.tool("crm_save")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("crm/find_acount", "did you mean `crm/find_account`"),
        ("save", "no tool with the key or wire name `save`; it is the name of `crm/save`"),
        ("web/search", "`agent` may call `web/search`, but has no contract of it"),
        ("web_search", "`agent` may call `web/search`, but has no contract of it"),
        ("zzz", "has no tool `zzz`; it has `web/search`, `crm/find_account`, `crm/save`"),
    ],
)
def test_a_tool_that_is_not_there_is_named_with_those_that_are(tmp_path: Path, asked: str, words: str) -> None:
    prompt = prompt_of(tmp_path, settings="model: openai/gpt-5\ntools: [web/search]\n")
    with pytest.raises(UnknownTool) as raised:
        prompt.tool(asked)
    assert words in str(raised.value)
    assert isinstance(raised.value, KeyError)


class Service:
    def save(self, notes: list[str], final: bool = False) -> None: ...

    @classmethod
    def save_all(cls, notes: list[str], final: bool = False) -> None: ...

    def __call__(self, notes: list[str], final: bool = False) -> None: ...


def _save(store: object, notes: list[str], final: bool = False) -> None: ...


def _find(name: str, limit: int = 5, kind: Literal["a", "b", "c"] | None = None) -> None: ...


@pytest.mark.parametrize(
    "save",
    [
        Service().save, Service.save_all, Service(), functools.partial(_save, None),
        functools.partial(_save, store=None), lambda **arguments: None, lambda notes, **rest: None,
        lambda notes, final=True, extra=1: None,
    ],
    ids=["method", "classmethod", "callable", "partial", "partial by name", "kwargs", "some kwargs", "lambda"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["save", "crm/save", "crm_save"])
def test_all_kinds_of_callables_fit_under_all_three_names(tmp_path: Path, save: Callable[..., Any], name: str) -> None:
    prompt_of(tmp_path).check_tools({name: save, "find_account": _find})


def _positional(notes: list[str], final: bool = False, /) -> None: ...
def _wrong(notes: "list[str]", final: "str" = "") -> None: ...  # noqa: E302
def _unreadable(notes: "list[Nowhere]", final: "int" = 0) -> None: ...  # type: ignore[name-defined]  # noqa: E302, F821
def _sum(notes: "'Nowhere' | None", final: "int" = 0) -> None: ...  # type: ignore[name-defined]  # noqa: E302, F821
def _call(notes: "list[str]", final: "str" = "", more: "int(None)" = 1) -> None: ...  # type: ignore  # noqa: E302
def _syntax(notes: "list[", final: "str" = "") -> None: ...  # type: ignore  # noqa: E302, F722
def _needs(store: object, notes: list[str], final: bool = False) -> None: ...  # noqa: E302
def _near(note: list[str], final: bool) -> None: ...  # noqa: E302
def _items(notes: list[int], final: Optional[bool] = None) -> None: ...  # noqa: E302, UP045


@pytest.mark.parametrize(
    ("save", "findings"),
    [
        (_positional, ["`notes` is positional-only in the function, and a call names its arguments",
                       "`final` is positional-only in the function, and a call names its arguments"]),
        (_wrong, ["`final` is boolean, and `str` in the function"]),
        (_unreadable, ["`final` is boolean, and `int` in the function"]),
        (_sum, ["`final` is boolean, and `int` in the function"]),
        (_call, ["`final` is boolean, and `str` in the function"]),
        (_syntax, ["`final` is boolean, and `str` in the function"]),
        (dict, ["the parameters of the function cannot be read: no signature found for builtin type <class 'dict'>"]),
        (_needs, ["the function needs `store`, which the contract does not have"]),
        (_near, ["the function has no parameter `notes`; did you mean `note`?",
                 "`final` may be left out, and the function has no default for it",
                 "the function needs `note`, which the contract does not have"]),
        (_items, ["`notes` is array of string, and `list[int]` in the function"]),
        (5, ["expected a function, found int"]),
        (lambda: None, ["the function has no parameter `notes`", "the function has no parameter `final`"]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_all_at_once(tmp_path: Path, save: Any, findings: list[str]) -> None:
    with pytest.raises(ToolsError) as raised:
        prompt_of(tmp_path).check_tools({"crm/save": save, "find_account": _find})
    assert list(raised.value.findings) == [f"`crm/save`: {finding}" for finding in findings]
    assert all(finding in str(raised.value) for finding in findings)


def test_missing_unknown_and_repeated_functions_are_findings(tmp_path: Path) -> None:
    prompt = prompt_of(tmp_path, settings="model: openai/gpt-5\ntools: [web/search]\n")
    with pytest.raises(ToolsError) as raised:
        prompt.check_tools({"save": _save, "crm/save": _save, "web/search": len, "web_search": len, "fnd": len})
    assert [finding.split(";")[0] for finding in raised.value.findings] == [
        "`crm/save` is given twice, as `save` and as `crm/save`",
        "`agent` has no tool `fnd`",
        "`crm/find_account` has no function",
        "`crm/save`: the function needs `store`, which the contract does not have",
    ]


def test_the_tool_that_loads_skills_is_no_contract_and_may_have_a_function(tmp_path: Path) -> None:
    skill = tmp_path / "agent.ctx/skills/tone/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tone\ndescription: Sound right.\n---\nBe kind.\n", "utf-8")
    prompt = prompt_of(tmp_path, settings="model: openai/gpt-5\nskills: [tone]\n")
    with pytest.raises(UnknownTool, match=re.escape("ask `skills.tool(…)` for it")):
        prompt.tool("__load_skill__")
    prompt.check_tools({"save": Service().save, "find_account": _find, "__load_skill__": prompt.skills.answer})
    with pytest.raises(ToolsError, match="has no tool `__load_skill__`"):
        prompt_of(tmp_path / "b").check_tools(
            {"save": Service().save, "find_account": _find, "__load_skill__": len}
        )


def test_defaults_and_types_are_compared_where_both_are_plain(tmp_path: Path) -> None:
    def find_account(name: Annotated[str, "x"], limit: float = 6, kind: Literal["a"] | None = None) -> None: ...
    def any_account(name: Any, limit: object = 5, kind: "dict[str, int] | str | None" = None) -> None: ...  # noqa: E306

    prompt = prompt_of(tmp_path)
    with pytest.raises(ToolsError) as raised:
        prompt.check_tools({"save": Service().save, "find_account": find_account})
    assert raised.value.findings == (
        "`crm/find_account`: `limit` is 5 by default, and 6 in the function",
        "`crm/find_account`: `kind` is \"a\" or \"b\" or null, and `Optional[Literal['a']]` in the function",
    )
    prompt.check_tools({"save": Service().save, "find_account": any_account})


def test_a_list_that_may_be_left_out_needs_no_mutable_default(tmp_path: Path) -> None:
    def find_none(kinds: list[str] | None = None, tags: Any = ()) -> None: ...

    def find_empty(kinds: list[str] | None = None, tags: list[str] | None = None) -> None: ...

    stub = "def find(kinds: list[str] = ..., tags: list[str] = []) -> str: ...\n"
    prompt = prompt_of(tmp_path, stub, settings="model: openai/gpt-5\n")
    prompt.check_tools({"find": find_none})
    with pytest.raises(ToolsError, match=re.escape("`tags` is [] by default, and None in the function")):
        prompt.check_tools({"find": find_empty})


# -- on the command line --


@pytest.fixture
def out(tmp_path: Path) -> str:
    tree(tmp_path / "src")
    tree(tmp_path / "src", "def now(): ...\n", key="clock")
    tree(tmp_path / "src", "", "model: openai/gpt-5\ntools: [web/search]\n", key="none")
    assert api.build(tmp_path / "src", tmp_path / "out").written
    return str(tmp_path / "out")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert cli.run(["tools", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_machine_forms_go_to_stdout_and_what_is_missing_to_stderr(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["tools", out, "--format", "mcp"]) == 0
    said = capsys.readouterr()
    assert list(json.loads(said.out)) == ["agent", "clock", "none"]
    assert said.err == "note: `none` has no contract of `web/search`\n"
    assert cli.run(["tools", out]) == 0
    text = capsys.readouterr().out
    assert "  crm/find_account  (wire name crm_find_account)\n    Find accounts by name.\n" in text
    assert "    - limit: integer, default 5\n" in text
    assert "    - kind: \"a\" or \"b\" or null, optional\n" in text


def test_the_forms_are_those_of_the_providers(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    schema = frozenctx.load(out)["agent"].tool("crm/save").input_schema
    words = "Save notes.\n\nReturns:\n    Nothing."
    wire = {"name": "crm_save", "description": words}
    last = {form: printed(capsys, out, "agent", "--format", form) for form in FORMS}
    assert last["mcp"]["tools"][-1] == {"name": "save", "description": words, "inputSchema": schema}
    assert last["openai"][-1] == {"type": "function", "function": {**wire, "parameters": schema}}
    assert last["openai-responses"][-1] == {"type": "function", **wire, "parameters": schema, "strict": False}
    assert last["anthropic"][-1] == {**wire, "input_schema": schema}
    assert last["gemini"][0]["functionDeclarations"][-1] == {**wire, "parametersJsonSchema": schema}
    assert printed(capsys, out, "clock", "--format", "anthropic") == [
        {"name": "now", "input_schema": {"type": "object", "properties": {}}}
    ]
    assert printed(capsys, out, "none", "--format", "gemini") == []


def test_the_sdks_take_the_forms(out: str, capsys: pytest.CaptureFixture[str]) -> None:
    from anthropic.types import ToolParam
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.responses import FunctionToolParam

    types: dict[str, Any] = {
        "openai": ChatCompletionFunctionToolParam,
        "openai-responses": FunctionToolParam,
        "anthropic": ToolParam,
    }
    for form, declared in types.items():
        for tool in printed(capsys, out, "agent", "--format", form):
            assert TypeAdapter(declared).validate_python(tool, strict=True) == tool


def test_the_compilers_command_knows_the_forms_of_the_runtime(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["tools", "--help"]) == 0
    said = capsys.readouterr().out
    assert "|".join(["text", *FORMS]) in "".join(said.split()).replace("-\n", "-")
