"""Contracts against two other readings of the same functions: `inspect`, and what servers built on pydantic serve."""

import enum
import inspect
import json
import subprocess
import sys
import types
import typing
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from frozenctx.tools import shaped
from frozenctx_compiler import api
from frozenctx_compiler.diagnostics.text import render_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import create_model

ROOT = Path(__file__).parents[2]
NAMES = ["a", "b_c", "limit", "Tag", "x1", "kind"]
# A typing_extensions.TypedDict is one that pydantic takes on every Python.
PREAMBLE = '''\
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union
from uuid import UUID
from typing_extensions import NotRequired, TypedDict

__server__ = "s"
Alias = Literal["one", "two"]

class Colour(Enum):
    RED = "red"
    BLUE = "blue"

class Inner(TypedDict):
    start: str
    end: NotRequired[int]

class Outer(TypedDict):
    inner: Inner
    inners: list[Inner]

class Tree(TypedDict):
    value: float
    trees: "list[Tree]"
'''
SCALARS = {
    "str": st.text("ab\"'日\\", max_size=4), "int": st.integers(-5, 10**12), "bool": st.booleans(),
    "float": st.floats(-1e6, 1e6, allow_nan=False), "Any": st.none(), "None": st.none(), "date": st.none(),
    "datetime": st.none(), "UUID": st.none(), "Alias": st.sampled_from(["one", "two"]), "Colour": st.none(),
    "Inner": st.none(), "Outer": st.none(), "Tree": st.none(), 'Literal["p", 3, True]': st.sampled_from(["p", 3, True]),
    'Literal["only"]': st.just("only"), "Literal[-1, 2]": st.just(-1),
}  # fmt: skip


def _with(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        inner.map("tuple[{}, ...]".format),
        st.sampled_from(["str", "int", "Alias"]).map("set[{}]".format),
        two.map(lambda pair: f"tuple[{pair[0]}, {pair[1]}]"),
        two.map(lambda pair: f"Union[{pair[0]}, {pair[1]}]"),
        inner.map("Optional[{}]".format),
        inner.map('Annotated[{}, "Said."]'.format),
    )


annotations = st.recursive(st.sampled_from(sorted(SCALARS)), _with, max_leaves=4)


@st.composite
def parameters(draw: st.DrawFn) -> list[str]:
    """Parameters as they are written, in an order that Python takes."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True))
    kinds = sorted(draw(st.lists(st.sampled_from([0, 1, 2]), min_size=len(names), max_size=len(names))))
    written: list[str] = []
    defaulted = False
    for index, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind == 2 and (index == 0 or kinds[index - 1] != 2):
            written.append("*")
        annotation = draw(annotations)
        wants = draw(st.booleans())
        defaulted = (defaulted and kind != 2) or wants
        if not defaulted:
            written.append(f"{name}: {annotation}")
        elif annotation in SCALARS and (value := draw(SCALARS[annotation])) is not None:
            written.append(f"{name}: {annotation} = {value!r}")
        else:
            written.append(f"{name}: Optional[{annotation}] = None")
        if kind == 0 and (index + 1 == len(names) or kinds[index + 1] != 0):
            written.append("/")
    return written


@st.composite
def stubs(draw: st.DrawFn) -> str:
    bodies = ["...", '"""Do it."""']
    functions = []
    for index in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["def", "async def"]))
        signature = ", ".join(draw(parameters()))
        functions.append(f"{kind} f{index}({signature}): {draw(st.sampled_from(bodies))}")
    return PREAMBLE + "\n".join(functions) + "\n"


def package(root: Path, stub: str) -> Path:
    home = root / "p.ctx"
    home.mkdir(exist_ok=True, parents=True)
    (home / "settings.yaml").write_text("model: openai/gpt-5\n", "utf-8")
    (home / "prompt.j2").write_text("Hi.", "utf-8")
    (home / "tools.pyi").write_text(stub, "utf-8")
    return root


def executed(stub: str) -> dict[str, Any]:
    """The stub as a program: what no build ever does."""
    for forget in typing._cleanups:  # type: ignore[attr-defined]
        forget()  # or `Optional[Union[None, int]]` is what `Optional[Union[int, None]]` was before
    module = types.ModuleType("stub_as_a_program")
    sys.modules[module.__name__] = module
    exec(compile(stub, "<stub>", "exec"), module.__dict__)
    return {name: value for name, value in vars(module).items() if inspect.isfunction(value) and name[0] == "f"}


# -- an independent reading: what inspect and typing say --


def read(function: Any) -> dict[str, Any]:
    """The input schema by CTX-FORMAT §6, from a function as Python has it."""
    hints = typing.get_type_hints(function, include_extras=True)
    definitions: dict[str, Any] = {}
    properties = {}
    required = []
    for name, parameter in inspect.signature(function).parameters.items():
        schema = schema_of(hints[name], definitions)
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        elif parameter.default is not None:
            schema["default"] = parameter.default
        properties[name] = schema
    whole: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    if definitions:
        whole["$defs"] = definitions
    return whole


PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
FORMATS = {date: "date", datetime: "date-time", UUID: "uuid"}


def schema_of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint is None:
        return {"type": "null"}
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    if hint in FORMATS:
        return {"type": "string", "format": FORMATS[hint]}
    if origin is typing.Annotated:
        return {**schema_of(args[0], definitions), "description": args[1]}
    if origin is typing.Union or origin is types.UnionType:
        return {"anyOf": [schema_of(arg, definitions) for arg in args]}
    if origin is typing.Literal or isinstance(hint, enum.EnumMeta):
        members_of: Any = hint if isinstance(hint, enum.EnumMeta) else ()
        values = [member.value for member in members_of] or list(args)
        kinds = list(dict.fromkeys(PLAIN[type(value)] for value in values))
        return {"type": kinds[0], "enum": values} if len(kinds) == 1 else {"enum": values}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(args[1], definitions)}
    if origin is tuple and args[-1] is not Ellipsis:
        rows = [schema_of(arg, definitions) for arg in args]
        return {"type": "array", "prefixItems": rows, "items": False}
    if origin in (list, set, tuple):
        items = schema_of(args[0], definitions)
        return {"type": "array", "items": items, **({"uniqueItems": True} if origin is set else {})}
    assert typing.is_typeddict(hint) or hasattr(hint, "__required_keys__"), hint
    if hint.__name__ == "Tree":
        if "Tree" not in definitions:
            definitions["Tree"] = {}
            definitions["Tree"] = members(hint, definitions)
        return {"$ref": "#/$defs/Tree"}
    return members(hint, definitions)


def members(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    fields = {name: schema_of(part, definitions) for name, part in typing.get_type_hints(hint).items()}
    return {"type": "object", "properties": fields, "required": sorted(hint.__required_keys__)}


def flat(schema: Any) -> Any:
    """`typing` flattens unions and drops what is there twice; the stub's nesting is of no matter here."""
    if isinstance(schema, list):
        return [flat(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: flat(value) for key, value in schema.items()}
    for keyword in ("items", "additionalProperties"):  # of what `typing` makes `Any` of
        if schema.get(keyword) == {}:
            del schema[keyword]
    if "anyOf" in schema:
        parts: list[Any] = []
        for part in schema["anyOf"]:
            parts += part["anyOf"] if list(part) == ["anyOf"] else [part]
        kept = list({json.dumps(part): part for part in parts}.values())
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return {**kept[0], **rest} if len(kept) == 1 else {"anyOf": kept, **rest}
    return schema


@given(stubs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_contracts_are_what_inspect_says_of_the_same_functions(
    tmp_path_factory: pytest.TempPathFactory, stub: str
) -> None:
    prompt = api.load(package(tmp_path_factory.mktemp("stub"), stub))["p"]
    functions = executed(stub)
    assert [tool.name for tool in prompt.tool_contracts] == list(functions)
    for tool in prompt.tool_contracts:
        function = functions[tool.name]
        assert tool.description == (inspect.getdoc(function) or "")
        assert json.dumps(flat(tool.input_schema)) == json.dumps(flat(read(function))), stub


def served(functions: dict[str, Any]) -> dict[str, Any]:
    """What a server built on pydantic answers to `tools/list`."""
    tools = []
    for name, function in functions.items():
        hints = typing.get_type_hints(function, include_extras=True)
        fields: dict[str, Any] = {}
        for each, parameter in inspect.signature(function).parameters.items():
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[each] = (hints[each], default)
        model = create_model(f"{name}Arguments", **fields)
        schema = model.model_json_schema()
        tools.append({"name": name, "description": inspect.getdoc(function) or "", "inputSchema": schema})
    return {"servers": {"s": {"tools": tools}}}


@given(stubs())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_pydantic_serves_for_the_same_function_is_no_drift(
    tmp_path_factory: pytest.TempPathFactory, stub: str
) -> None:
    root = package(tmp_path_factory.mktemp("stub"), stub)
    (root / "served.json").write_text(json.dumps(served(executed(stub))), "utf-8")
    found = api.check(root, tools_snapshot=root / "served.json").report.diagnostics
    assert [each for each in found if each.code != "tool-text-drift"] == [], stub
    assert all(not any("differ" in note and "description" not in note for note in each.notes) for each in found)


@given(stubs())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_contracts_as_mcp_prints_them_are_served_as_declared(
    tmp_path_factory: pytest.TempPathFactory, stub: str
) -> None:
    root = package(tmp_path_factory.mktemp("stub"), stub)
    printed = shaped(api.load(root)["p"].tool_contracts, "mcp")
    (root / "served.json").write_text(json.dumps({"servers": {"s": printed}}), "utf-8")
    assert api.check(root, tools_snapshot=root / "served.json").report.diagnostics == ()


KEYWORDS = [
    "type", "properties", "required", "items", "anyOf", "allOf", "oneOf", "enum", "const", "$ref", "$defs", "default",
    "additionalProperties", "prefixItems", "minItems", "maxItems", "title", "examples", "description",
]  # fmt: skip
anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-2, 2), st.floats(-1, 1),
        st.sampled_from(["a", "string", "null", "#", "#/$defs/a", "#/properties/a", "#/$defs/~0"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from([*KEYWORDS, "a", "b"]), inner, max_size=4)
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(KEYWORDS), anything, max_size=6), min_size=8, max_size=8))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_a_server_serves_is_compared(
    tmp_path_factory: pytest.TempPathFactory, schemas: list[dict[str, Any]]
) -> None:
    stub = PREAMBLE + "".join(f"def f{i}(a: Tree, b: Outer | None = None): ...\n" for i in range(len(schemas)))
    root = package(tmp_path_factory.mktemp("stub"), stub)
    tools = [{"name": f"f{index}", "inputSchema": schema} for index, schema in enumerate(schemas)]
    (root / "served.json").write_text(json.dumps({"servers": {"s": {"tools": tools}}}), "utf-8")
    report = api.check(root, tools_snapshot=root / "served.json").report
    drifted = [each for each in report.diagnostics if each.code == "tool-schema-drift"]
    assert len(drifted) == len(schemas)
    assert render_text(report.diagnostics, lambda file: None)


CHANGES = [
    ("a: int", "a: str", ["a integer string"]),
    ("a: int", "a: int = 1", ["a required optional", "a default - 1"]),
    ("a: int = 1", "a: int = 2", ["a default 1 2"]),
    ("a: int", "b: int", ["a integer -", "b - integer"]),
    ("a: Inner", "a: Outer", ["a.start string -", "a.end integer -", "a.inner - object of start, end",
                              "a.inners - array of object of start, end"]),
    ("a: list[Alias]", "a: list[Literal['one']]", ['a[] enum ["one", "two"] ["one"]']),
    ("a: Tree", "a: dict[str, Tree]", None),
    ("a: bool = True", "a: int = 1", None),
    ("a: Optional[int] = None", "a: Optional[str] = None", ["a integer string"]),
    ("a: set[str]", "a: list[str]", ["a uniqueItems true -"]),
    ("a: tuple[int, str]", "a: tuple[int, int]", ["a[1] string integer"]),
    ("a: dict[str, int]", "a: dict[str, float]", ["a.* integer number"]),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "rows"), CHANGES)
def test_a_changed_function_is_drift_with_one_row_for_each_difference(
    tmp_path: Path, ours: str, theirs: str, rows: list[str] | None
) -> None:
    root = package(tmp_path, f"{PREAMBLE}def f0({ours}): ...\n")
    (root / "served.json").write_text(json.dumps(served(executed(f"{PREAMBLE}def f0({theirs}): ...\n"))), "utf-8")
    report = api.check(root, tools_snapshot=root / "served.json").report
    (found,) = (each for each in report.diagnostics if each.code == "tool-schema-drift")
    assert report.has_errors
    if rows is not None:
        assert [" ".join(line.split()) for line in found.notes[0].split("\n")[2:]] == rows


def test_columns_are_aligned_whatever_the_cells_hold(tmp_path: Path) -> None:
    root = package(tmp_path, f"{PREAMBLE}def f0(日本: int, a: str): ...\n")
    (root / "served.json").write_text(json.dumps(served(executed(f"{PREAMBLE}def f0(日本: str): ...\n"))), "utf-8")
    (found,) = (
        each for each in api.check(root, tools_snapshot=root / "served.json").report.diagnostics
        if each.code == "tool-schema-drift"
    )  # fmt: skip
    assert found.notes[0].split("\n")[1:] == [
        "  argument  tools.pyi  served",
        "  日本      integer    string",
        "  a         string     -",
    ]


def test_definitions_that_use_each_other_twice_are_compared_once_each(tmp_path: Path) -> None:
    root = package(tmp_path, f"{PREAMBLE}def f0(a: int): ...\n")
    following = [{"$ref": f"#/$defs/d{index + 1}"} for index in range(40)]
    doubling = {f"d{index}": {"properties": {"x": each, "y": each}} for index, each in enumerate(following)}
    definitions = {**doubling, "d40": {"type": "string"}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    document = {"servers": {"s": {"tools": [{"name": "f0", "inputSchema": schema}]}}}
    (root / "served.json").write_text(json.dumps(document), "utf-8")
    (found,) = api.check(root, tools_snapshot=root / "served.json").report.diagnostics
    assert [" ".join(line.split()) for line in found.notes[0].split("\n")[2:]] == [
        "a required optional",
        'a integer {"properties": {"x": {"properties": {"x": {…',
    ]


# -- the script that makes snapshots --


def snapshot(tmp_path: Path, *servers: str) -> subprocess.CompletedProcess[str]:
    script = ROOT / "examples/mcp/tools_snapshot.py"
    return subprocess.run(
        [sys.executable, "-I", str(script), *servers], capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=60
    )


SERVED = '''\
__server__ = "crm"
def find_account(name: str):
    """Find accounts by name."""
def list_events(account_id: str, limit: int = 20):
    """List what happened in an account, newest first."""
'''


def test_the_script_asks_a_server_over_stdio_for_all_pages(tmp_path: Path) -> None:
    stub = f"crm={sys.executable} {ROOT / 'tests/contracts/mcp_stub.py'}"
    done = snapshot(tmp_path, stub)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == snapshot(tmp_path, stub).stdout
    tools = json.loads(done.stdout)["servers"]["crm"]["tools"]
    assert [tool["name"] for tool in tools] == ["find_account", "list_events"]
    (tmp_path / "served.json").write_text(done.stdout, "utf-8")
    root = package(tmp_path / "src", SERVED)
    (found,) = api.check(root, tools_snapshot=tmp_path / "served.json").report.diagnostics
    assert found.code == "tool-text-drift"
    assert found.notes == ("`title` is served for `account_id`", "`$schema` is served")
    package(tmp_path / "src", SERVED.replace("limit: int = 20", "limit: int"))
    codes = [each.code for each in api.check(root, tools_snapshot=tmp_path / "served.json").report.diagnostics]
    assert codes == ["tool-schema-drift", "tool-text-drift"]


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("crm=no-such-command", "crm: `no-such-command` cannot be started"),
        ("crm=true", "crm: the server ended"),
        ("crm=yes []", "crm: expected a JSON object on a line, found"),
        ("crm=cat", "crm: initialize failed"),
        ("crm", "usage:"),
    ],
)
def test_the_script_says_what_is_wrong_with_a_server(tmp_path: Path, server: str, words: str) -> None:
    done = snapshot(tmp_path, server)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert words in done.stderr


LISTING = """\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        print(json.dumps({"id": message["id"], "result": {}}), flush=True)
    elif "id" in message:
        LIST
"""
PAGE = 'print(\'{"id": %d, "result": {"tools": [TOOL]}}\' % message["id"], flush=True)'
GOOD = '"name": "f", "inputSchema": {"type": "object"'


@pytest.mark.parametrize(
    ("listing", "words"),
    [
        (PAGE.replace("TOOL", '{"name": 5, "inputSchema": {}}'), "tools/list gave a tool without a name"),
        (PAGE.replace("TOOL", '{"name": "f"}'), "the tool 'f' has no inputSchema"),
        (PAGE.replace("TOOL", f'{{{GOOD}}}, "description": 5}}'), "the tool 'f' has a description that is no text"),
        (PAGE.replace("TOOL", f'{{{GOOD}, "title": "\\\\ud800"}}}}'), "the tool 'f' holds half a character, '\\ud800'"),
        (PAGE.replace("TOOL", f'{{{GOOD}, "maximum": NaN}}}}'), "NaN is no JSON"),
        ('print("[" * 100000 + "]" * 100000, flush=True)', "recursion"),
        ('sys.stdout.write("x" * 17_000_000); sys.stdout.flush()', "a line of more than 16,000,000 bytes"),
        ("sys.exit()", "the server ended before it answered tools/list"),
    ],
    ids=lambda value: value[:20] if " " in value else None,
)
def test_the_script_says_what_is_wrong_with_tools(tmp_path: Path, listing: str, words: str) -> None:
    (tmp_path / "server.py").write_text(LISTING.replace("LIST", listing), "utf-8")
    done = snapshot(tmp_path, f"crm={sys.executable} server.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: crm: ")
    assert words in done.stderr


def test_a_tool_nested_deeper_than_can_be_written_is_an_error(tmp_path: Path) -> None:
    tool = f'{{{GOOD}, "x": ' + "[" * 950 + "]" * 950 + "}}"
    (tmp_path / "server.py").write_text(LISTING.replace("LIST", PAGE.replace("TOOL", tool)), "utf-8")
    done = snapshot(tmp_path, f"crm={sys.executable} server.py")
    assert "Traceback" not in done.stderr
    assert (done.returncode == 0) == (done.stderr == "")


APART = f"import subprocess; subprocess.run([{sys.executable!r}, {'server.py'!r}], start_new_session=True)"
ENDLESS = PAGE.replace("[TOOL]", '[], "nextCursor": %r').replace('message["id"]', '(message["id"], time.time())')


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("command", "hangs"),
    [
        (f"{sys.executable} server.py", "time.sleep(10)"),
        (f"{sys.executable} server.py", ENDLESS),
        (f"sh -c '{sys.executable} server.py; true'", "time.sleep(10)"),
        (f'{sys.executable} -c "{APART}"', "time.sleep(10)"),
    ],
    ids=["sleeping", "without a last page", "in a shell", "in a session of its own"],
)
def test_the_script_ends_in_time_whatever_stands_around_the_server(tmp_path: Path, command: str, hangs: str) -> None:
    script = (ROOT / "examples/mcp/tools_snapshot.py").read_text("utf-8").replace("SECONDS = 30", "SECONDS = 3")
    (tmp_path / "quick.py").write_text(script, "utf-8")
    (tmp_path / "server.py").write_text(LISTING.replace("LIST", hangs), "utf-8")
    run = [sys.executable, "-I", "quick.py", f"crm={command}"]
    with (tmp_path / "said").open("w+") as said:  # a file, as what is left of the server may hold a pipe open
        done = subprocess.run(run, stdout=said, stderr=said, cwd=tmp_path, timeout=9)
        said.seek(0)
        assert said.read() == "error: crm: the server took longer than 3 s, the last of it for tools/list\n"
    assert done.returncode == 1
