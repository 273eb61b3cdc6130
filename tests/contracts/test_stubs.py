"""What `schema.pyi` comes to, down to the byte and the same on every Python (CTX-FORMAT §6); inputs at render (§5)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import frozenctx
import jsonschema_rs
import pytest
from frozenctx.errors import ReplyError, VariablesError
from frozenctx_compiler import CompileError, build, check, load
from frozenctx_compiler.contracts.docstrings import clean
from frozenctx_compiler.typed_stub import typed_stub
from source_trees import write

SETTINGS = "model: openai:gpt-5\n"


def package(directory: Path, stub: str, template: str = "Write.", settings: str = SETTINGS) -> Path:
    write(directory, {"a.ctx/settings.yaml": settings, "a.ctx/prompt.j2": template, "a.ctx/schema.pyi": stub})
    return directory


def prompt(directory: Path, stub: str, template: str = "Write.", settings: str = SETTINGS) -> frozenctx.Prompt:
    return load(package(directory, stub, template, settings))["a"]


def output(directory: Path, body: str, head: str = "") -> dict[str, Any]:
    """The properties of an `Output` with this body."""
    schema: dict[str, Any] = prompt(directory, f"{head}\nclass Output:\n{body}").reply_schema
    return schema["properties"]  # type: ignore[no-any-return]


def faults(directory: Path, stub: str) -> list[tuple[str, str, int, int]]:
    found = check(package(directory, stub)).report.diagnostics
    return [(each.code, each.headline, each.span.line, each.span.column) for each in found if each.span is not None]


# -- bytes -------------------------------------------------------------------------------------------------------------

ODD = '''\
class Output:
    """First.\xa0
      \xa0Indented by no-break spaces,
    \x0cand begun with a form feed.\x1c\x85\u2028
\tA tab.

    \u3000
    """
    x: int
    """\t  \xa0Only\there\x0b\\n    and  """
'''


def test_odd_blanks_in_docstrings_give_the_same_bytes_on_every_python(tmp_path: Path) -> None:
    schema = prompt(tmp_path, ODD).reply_schema
    assert ascii(schema["description"]) == ascii(
        "First.\xa0\n  \xa0Indented by no-break spaces,\n\x0cand begun with a form feed.\x1c\x85\u2028\n    A tab."
        "\n\n\u3000"
    )
    assert ascii(schema["properties"]["x"]["description"]) == ascii("\xa0Only here\x0b\nand  ")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("", ""),
        ("   \n\t\n", ""),
        (" one", "one"),
        ("one  ", "one  "),
        ("\n  one\n\n    two\n  ", "one\n\n  two"),
        ("one\n   two\n  three", "one\n two\nthree"),
        ("one\n\ttwo\n        three", "one\ntwo\nthree"),
        ("\xa0\none", "\xa0\none"),
    ],
)
def test_docstrings_are_cleaned_by_spaces_alone(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_line_ends_and_a_bom_change_nothing(tmp_path: Path) -> None:
    stub = 'class Output:\n    """One.\n\n    Two."""\n    x: int\n'
    one = prompt(tmp_path / "1", stub)
    other = prompt(tmp_path / "2", "\ufeff" + stub.replace("\n", "\r\n"))
    assert json.dumps(one.reply_schema) == json.dumps(other.reply_schema)
    assert one.version == other.version


def test_the_order_of_the_source_is_the_order_of_the_schema(tmp_path: Path) -> None:
    schema = prompt(tmp_path, "class Output:\n    zeta: int\n    alpha: str\n    mid: bool\n").reply_schema
    assert list(schema) == ["type", "properties", "required"]
    assert list(schema["properties"]) == schema["required"] == ["zeta", "alpha", "mid"]


# -- meaning -----------------------------------------------------------------------------------------------------------


def test_a_description_on_one_field_is_on_no_other_use_of_the_class(tmp_path: Path) -> None:
    head = 'from typing import Annotated\n\n\nclass Part:\n    """A part."""\n    x: int\n'
    body = '    one: Part\n    two: Annotated[Part, "Two."]\n    three: Part\n    """Three."""\n    four: list[Part]\n'
    found = output(tmp_path, body, head)
    assert [found[name]["description"] for name in ("one", "two", "three")] == ["A part.", "Two.", "Three."]
    assert found["four"]["items"] == found["one"]


def test_unions_nest_as_the_source_does(tmp_path: Path) -> None:
    body = (
        "    a: int | str | None\n    b: int | (str | None)\n    c: Union[int, str, None]\n    d: Optional[int | str]\n"
    )
    found = output(tmp_path, body, "from typing import Optional, Union")
    integer, text, null = {"type": "integer"}, {"type": "string"}, {"type": "null"}
    assert found["a"] == {"anyOf": [{"anyOf": [integer, text]}, null]}
    assert found["b"] == {"anyOf": [integer, {"anyOf": [text, null]}]}
    assert found["c"] == {"anyOf": [integer, text, null]}
    assert found["d"] == {"anyOf": [{"anyOf": [integer, text]}, null]}


def test_required_follows_the_kind_of_class(tmp_path: Path) -> None:
    stub = (
        "from typing import NotRequired, Required, TypedDict\n\n"
        "class Base(TypedDict):\n    z: int | None\n    a: int\n    n: NotRequired[int]\n\n"
        "class Open(Base, total=False):\n    m: int\n    b: Required[int]\n\n"
        "class Output:\n    z: int\n    maybe: int | None\n    given: int = 1\n    untold: int = ...\n    a: int\n"
        "    open: Open\n    free: NotRequired[int]\n    held: Required[int | None]\n"
    )
    schema = prompt(tmp_path, stub).reply_schema
    assert schema["required"] == ["z", "a", "open", "held"]
    assert schema["properties"]["open"]["required"] == ["a", "b", "z"]
    assert list(schema["properties"]["open"]["properties"]) == ["z", "a", "n", "m", "b"]


def test_defaults_are_told_but_for_none_and_those_that_the_stub_does_not_tell(tmp_path: Path) -> None:
    head = "from enum import Enum\n\nclass Kind(Enum):\n    A = 'a'\n\nMOST = -3\n"
    body = "    a: int = MOST\n    b: Kind = Kind.A\n    c: str | None = None\n    d: str = ...\n"
    body += "    e: set[int] = {2, 1}\n"
    found = output(tmp_path, body, head)
    assert {name: each["default"] for name, each in found.items() if "default" in each} == {
        "a": -3,
        "b": "a",
        "e": [2, 1],
    }


def test_names_mean_the_same_under_whatever_name_they_are_imported(tmp_path: Path) -> None:
    head = "import datetime\nimport typing as t\nimport typing_extensions as te\n"
    head += "from typing import List as L, Literal as Lit\n"
    body = "    a: L[int]\n    b: t.List[int]\n    c: te.List[int]\n    d: list[int]\n"
    body += "    e: Lit['x']\n    f: t.Literal['x']\n    g: datetime.date\n    h: 'date'\n"
    found = list(output(tmp_path, body, head).values())
    assert found[0] == found[1] == found[2] == found[3]
    assert found[4] == found[5]
    assert found[6] == found[7] == {"type": "string", "format": "date"}


def test_a_name_of_the_stub_is_its_own_and_not_that_of_typing(tmp_path: Path) -> None:
    found = output(tmp_path, "    a: Text\n    b: List\n", "class Text:\n    x: int\n\nList = bool\n")
    assert found["a"]["properties"] == {"x": {"type": "integer"}}
    assert found["b"] == {"type": "boolean"}


# -- findings ----------------------------------------------------------------------------------------------------------


def test_names_of_classes_are_shown_where_they_stand(tmp_path: Path) -> None:
    found = faults(tmp_path, "class  s(Nothing): ...\n\n\n@a.b\nclass class_:\n    def d(self): ...\n")
    assert [(line, column) for *_, line, column in found] == [(1, 10), (4, 2), (6, 9)]
    twice = faults(tmp_path / "2", "class s: ...\nclass s: ...\n")
    assert [(line, column) for *_, line, column in twice] == [(2, 7)]


def test_columns_count_characters_and_names_stand_in_the_message(tmp_path: Path) -> None:
    found = faults(tmp_path, "class Ä:\n    日本語: int; 次: bytes\n\n\nclass Output:\n    x: list['Nowhere']\n")
    assert found == [
        ("bad-type", "`Ä.次` is of type `bytes`, which is not JSON", 2, 18),
        ("unknown-type", "`Output.x` is of type `Nowhere`, which is nowhere declared", 6, 13),
    ]


def test_a_stub_that_cannot_be_parsed_is_one_finding(tmp_path: Path) -> None:
    for stub in (
        "class Output:\n    x: " + "[" * 5000,
        "x = " + "-" * 100_000 + "1",
        "x = '" + "a" * 10,
        "x = 9" + "9" * 5000,
    ):
        codes = [code for code, *_ in faults(tmp_path / str(len(stub)), stub)]
        assert codes == ["python-syntax"]


@pytest.mark.parametrize(
    "stub",
    [
        "class Output:\n    x: " + "list[" * 90 + "int" + "]" * 90 + "\n",
        "class Output:\n    x: " + " | ".join(["int"] * 3000) + "\n",
        "class Output:\n    x: int = " + "[" * 90 + "]" * 90 + "\n",
        "class Output:\n    x: " + ".".join(["a"] * 3000) + "\n",
        "A = B\nB = A\nclass Output:\n    x: A\n",
        "class A(B): ...\nclass B(A): ...\nclass Output(A): ...\n",
        "from enum import Enum\nclass Output(Enum):\n    A = Output.A\n",
        "X = Y\nY = X\nclass Output:\n    x: int = X\n",
        "class Output:\n    x: 'int' 'x'\n    y: '''\n  int\n'''\n",
        "class Output:\n" + "".join(f"    x{n}: int\n" for n in range(3000)),
        "".join(f"class A{n}:\n    a: A{n + 1}\n" for n in range(2000)) + "class Output:\n    a: A0\n",
        "".join(f"class A{n}:\n    a: A{(n + 1) % 1000}\n" for n in range(1000)) + "class Output:\n    a: A0\n",
        "".join(f"class A{n}(A{n + 1}):\n    a{n}: int\n" for n in range(2000)) + "class Output(A0): ...\n",
        "".join(f"A{n} = A{n + 1}\n" for n in range(2000)) + "class Output:\n    x: A0\n    y: int = A0\n",
        "from enum import Enum\n" + "".join(f"class A{n}(A{n + 1}): ...\n" for n in range(2000)) + "x: int\n",
    ],
)
def test_no_stub_ends_in_anything_but_findings_or_schemas(tmp_path: Path, stub: str) -> None:
    report = check(package(tmp_path, stub)).report
    assert all(each.span is not None for each in report.diagnostics)


def test_a_stub_without_classes_declares_nothing(tmp_path: Path) -> None:
    found = prompt(tmp_path, "# nothing\n")
    assert found.reply_schema is None
    assert found.input_schema is None
    assert found.messages(anything=1)


def test_an_output_and_a_reply_schema_are_one_too_many(tmp_path: Path) -> None:
    for key in ("reply_schema", "replySchema"):
        report = check(package(tmp_path, "class Output:\n    x: int\n", settings=f"{SETTINGS}{key}: {{}}\n")).report
        (found,) = report.diagnostics
        assert (found.code, found.headline) == (
            "setting-conflict",
            f"`{key}` and `class Output` both give the reply schema",
        )
        assert found.span is not None
        assert (found.span.line, found.related[0].span.file) == (2, "a.ctx/schema.pyi")
    other = prompt(tmp_path, "class Input:\n    x: int\n", settings=SETTINGS + "reply_schema: {type: array}\n")
    assert other.reply_schema == {"type": "array"}


# -- identity ----------------------------------------------------------------------------------------------------------


def test_the_reply_schema_is_in_the_identity_and_the_input_schema_is_not(tmp_path: Path) -> None:
    plain = prompt(tmp_path / "1", "class Output:\n    x: int\n")
    assert plain.identity["replySchema"] == plain.reply_schema
    other = prompt(tmp_path / "2", "class Output:\n    x: int\n\n\nclass Input:\n    y: int = 1\n")
    assert other.input_schema == {"type": "object", "properties": {"y": {"type": "integer", "default": 1}}}
    assert other.identity == plain.identity
    swapped = prompt(tmp_path / "3", "class Output:\n    x: int = 1\n")
    assert swapped.version != plain.version


def test_defaults_are_in_the_identity_when_templates_are_given_them(tmp_path: Path) -> None:
    settings = SETTINGS + "input_defaults: apply\n"
    one = prompt(tmp_path / "1", "class Input:\n    y: int = 1\n", settings=settings)
    two = prompt(tmp_path / "2", "class Input:\n    y: int = 2\n", settings=settings)
    none = prompt(tmp_path / "3", "class Input:\n    y: int\n", settings=settings)
    assert [one.identity["inputDefaultValues"], two.identity["inputDefaultValues"]] == [{"y": 1}, {"y": 2}]
    assert "inputDefaultValues" not in none.identity
    assert none.identity["inputDefaults"] == "apply"
    assert one.version != two.version


# -- inputs at render --------------------------------------------------------------------------------------------------

INPUT = """\
class Input:
    name: str
    tags: list[list[int]] = [[1]]
    note: str | None = None
    table: dict[str, list[int]] = {"a": []}
"""
TEMPLATE = """\
<<<role:system>>>
{% do tags[0].append(2) %}{% do table.a.append(3) %}{{ name }} {{ tags }} {{ note }} {{ table }}
<<<role:user>>>
{{ name }} {{ tags }}
"""


def ways(directory: Path, **options: Any) -> dict[str, frozenctx.Prompt]:
    """The prompt from memory, from objects and from a pack."""
    built = directory / "out"
    assert build(directory, built).written
    return {
        "memory": load(directory, **options)["a"],
        "objects": frozenctx.load(built, pack="never", **options)["a"],
        "pack": frozenctx.load(built, pack="require", **options)["a"],
    }


def test_each_rendering_is_given_fresh_defaults_for_what_is_left_out(tmp_path: Path) -> None:
    package(tmp_path, INPUT, TEMPLATE, SETTINGS + "input_defaults: apply\n")
    for way, found in ways(tmp_path).items():
        for _ in range(2):
            given: Mapping[str, Any] = {"name": "Ada"}
            system, user = found.messages(given)
            assert system["content"] == "Ada [[1, 2]] None {'a': [3]}", way
            assert user["content"] == "Ada [[1, 2]]", "both roles of one rendering are given the same"
            assert given == {"name": "Ada"}
            assert found.system(name="Ada", note="!") == "Ada [[1, 2]] ! {'a': [3]}"
            assert found.user(name="Ada", tags=[[9]]) == "Ada [[9]]"
        assert found.input_schema["properties"]["tags"]["default"] == [[1]]


def test_without_the_setting_a_default_only_documents(tmp_path: Path) -> None:
    package(tmp_path, "class Input:\n    tone: str = 'warm'\n", "{{ tone | default('?') }}")
    for found in ways(tmp_path).values():
        assert found.system() == "?"


def test_missing_and_undeclared_variables_are_told_before_anything_is_rendered(tmp_path: Path) -> None:
    package(tmp_path, "class Input:\n    title: str\n    note: str | None\n", "{{ title }}{{ 1 / 0 }}")
    for found in ways(tmp_path).values():
        with pytest.raises(VariablesError) as caught:
            found.messages(titel="x")
        assert str(caught.value) == "`a` needs `title` and does not declare `titel`; did you mean `title`?"
        assert (caught.value.missing, caught.value.undeclared) == (("title",), ("titel",))
        with pytest.raises(ZeroDivisionError):
            found.messages(title="x")


def test_a_variable_that_only_looks_like_a_declared_one_is_told_apart(tmp_path: Path) -> None:
    package(tmp_path, "class Input:\n    größe: str\n", "{{ größe }}")
    for found in ways(tmp_path).values():
        with pytest.raises(VariablesError) as caught:
            found.messages({"gro\u0308ße": "x"})
        assert str(caught.value) == (
            "`a` needs `größe` and does not declare `gro\u0308ße`; `größe` only looks the same: it is 'gr\\xf6\\xdfe', "
            "and this 'gro\\u0308\\xdfe'"
        )


def test_undeclared_variables_may_be_let_pass(tmp_path: Path) -> None:
    package(tmp_path, "class Input:\n    title: str\n", "{{ title }}")
    for found in ways(tmp_path, extra="ignore").values():
        assert found.system(title="x", other=1) == "x"
        with pytest.raises(VariablesError):
            found.system(other=1)


def test_a_broken_stub_keeps_a_package_from_being_loaded(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="bad-type"):
        prompt(tmp_path, "class Output:\n    x: bytes\n")


def test_collections_are_those_of_julep(tmp_path: Path) -> None:
    """Worked out with Julep 3.0.0rc6 itself: identities rest on these bytes."""
    body = "    a: list\n    b: set\n    c: dict\n    d: dict[str, Any]\n    e: list[Any]\n"
    body += "    f: tuple[int, str]\n    g: tuple\n"
    assert json.dumps(output(tmp_path, body, "from typing import Any\n")) == (
        '{"a": {"type": "array", "items": {}}, "b": {"type": "array", "items": {}, "uniqueItems": true},'
        ' "c": {"type": "object"}, "d": {"type": "object", "additionalProperties": {}},'
        ' "e": {"type": "array", "items": {}},'
        ' "f": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false},'
        ' "g": {"type": "array", "items": {}}}'
    )


def test_a_fixed_tuple_takes_no_further_items(tmp_path: Path) -> None:
    found = prompt(tmp_path, "class Output:\n    f: tuple[int, str]\n")
    assert found.parse('{"f": [1, "a"]}') == {"f": [1, "a"]}
    for wrong in ('{"f": [1, "a", 2]}', '{"f": ["a", 1]}'):
        with pytest.raises(ReplyError):
            found.parse(wrong)


# -- kinds of mistakes, and what is sound beside them -----------------------------------------------------------------


def test_an_enum_has_the_members_that_python_makes(tmp_path: Path) -> None:
    head = (
        "from enum import *\n"
        "class Truth(IntEnum):\n    YES = True\n    MORE = auto()\n"
        "class Weight(float, Enum):\n    LIGHT = 1\n    HEAVY = 2.5\n"
        "class Same(Enum):\n    ONE = 1\n    ALIAS = 1.0\n    _private = 'kept'\n"
        "class Down(IntEnum):\n    A = 0\n    B = -5\n    C = 3\n"
    )
    found = output(tmp_path, "    t: Truth\n    w: Weight\n    s: Same\n    d: Down\n    x: Truth = Truth.MORE\n", head)
    assert json.dumps([found[name] for name in "twsdx"]) == json.dumps(
        [
            {"type": "integer", "enum": [1, 2]},
            {"type": "number", "enum": [1.0, 2.5]},
            {"enum": [1, "kept"]},
            {"type": "integer", "enum": [0, -5, 3]},
            {"type": "integer", "enum": [1, 2], "default": 2},
        ]
    )


def test_auto_behind_members_that_do_not_rise_is_not_guessed(tmp_path: Path) -> None:
    stub = "class E(IntEnum):\n    A = 0\n    B = -5\n    C = auto()\nclass Output:\n    e: E\n"
    assert [(code, line) for code, _, line, _ in faults(tmp_path, stub)] == [("bad-declaration", 4)]


def test_a_recursive_class_of_any_name_gives_a_schema_that_is_one(tmp_path: Path) -> None:
    stub = 'class Größe日:\n    kinder: list["Größe日"]\nclass Output:\n    g: Größe日\n'
    found = prompt(tmp_path, stub)
    assert found.reply_schema["properties"]["g"] == {"$ref": "#/$defs/Gr%C3%B6%C3%9Fe%E6%97%A5"}
    assert list(found.reply_schema["$defs"]) == ["Größe日"]
    jsonschema_rs.meta.validate(found.reply_schema)
    value: dict[str, Any] = {"g": {"kinder": [{"kinder": []}]}}
    assert jsonschema_rs.is_valid(found.reply_schema, value)
    assert found.parse(json.dumps(value)) == value
    with pytest.raises(ReplyError):
        found.parse('{"g": {"kinder": [{}]}}')
    assert "class AReplyGrE(TypedDict):\n    kinder: list[AReplyGrE]\n" in typed_stub(load(tmp_path))


def test_what_an_overriding_base_says_counts_in_any_order_of_bases(tmp_path: Path) -> None:
    head = "class A:\n    x: int\nclass B(A):\n    x: str\nclass C(A):\n    y: int\nclass E(B):\n    z: int\n"
    for bases in ("B, C", "C, B", "C, E", "E, C", "C, A"):
        stub = f"{head}class Output({bases}): ...\n"
        kind = "integer" if bases == "C, A" else "string"
        assert prompt(tmp_path / bases, stub).reply_schema["properties"]["x"] == {"type": kind}
    twice = f"{head}class D(A):\n    x: bool\nclass Output(B, D): ...\n"
    assert [headline for _, headline, _, _ in faults(tmp_path, twice)] == ["`Output` has `x` from two bases"]


def test_literals_name_aliases_of_literals(tmp_path: Path) -> None:
    head = 'A = Literal["a", "b"]\nB = A\nWORD = "d"\n'
    found = output(tmp_path, '    x: Literal[A, "c"]\n    y: Literal[B]\n    z: Literal["e", WORD]\n', head)
    assert [found[name]["enum"] for name in "xyz"] == [["a", "b", "c"], ["a", "b"], ["e", "d"]]


@pytest.mark.parametrize(
    "line",
    [
        "from shared import Output",
        "from shared import Reply as Output",
        "import shared as Output",
        "import Output",
        "import Output.things",
        "from .. import Output",
        "if TYPE_CHECKING:\n    from shared import Output",
        "try:\n    from shared import Output\nexcept ImportError:\n    pass",
        "from shared import *",
    ],
)
def test_an_output_of_another_file_is_an_error(line: str, tmp_path: Path) -> None:
    stub = f"{line}\nclass Input:\n    x: int\n"
    (fault,) = [each for each in faults(tmp_path / "1", stub) if each[0] != "unused-input"]
    assert fault[0] == "bad-declaration"
    assert "`Output`" in fault[1]
    assert faults(tmp_path / "2", "from typing import *\nfrom enum import *\nclass Output:\n    x: int\n") == []
    declared = "from shared import *\nclass Input: ...\nclass Output:\n    x: int\n"
    assert faults(tmp_path / "3", declared) == []


@pytest.mark.filterwarnings("error")
def test_warnings_about_escapes_change_nothing(tmp_path: Path) -> None:
    found = output(tmp_path, "    x: \"Literal['\\\\d']\"\n    y: 'list[int]' = []\n    '''\\d'''\n")
    assert found["x"]["enum"] == ["\\d"]
    assert found["y"]["description"] == "\\d"


def test_names_of_python_that_are_no_keywords_are_names(tmp_path: Path) -> None:
    """The look-out for later grammars reads words, not letters."""
    stub = (
        "type = int\nclass typed:\n    type: int\n    match: str = 'type X = int; class A[T]: f\"\"'\n"
        "# type X = int\nclass Output:\n    '''\ntype X = int\nclass A[T]: \\\\N{FOO} \\N{BULLET}\n'''\n"
        "    of: typed\n    bare: list[type]\n    rf: int\n    raw: str = r'\\N{FOO}\\x'\n"
    )
    assert faults(tmp_path, stub) == []


def test_names_of_characters_count_that_every_python_has(tmp_path: Path) -> None:
    """Unicode 3.2 has the first, no later table loses it, and of those after it some Pythons lack some."""
    quoted = "class Output:\n    x: \"Literal['\\\\N{%s}']\"\n"
    plain = "class Output:\n    x: str = '\\N{%s}'\n"
    head = "from typing import Literal\n"
    for number, (name, codes) in enumerate(
        [
            ("EM DASH", []),
            ("CJK UNIFIED IDEOGRAPH-4E00", []),
            ("cjk unified ideograph-4e00", ["python-syntax"]),
            ("ROCKET", ["python-syntax"]),
            ("SHAKING FACE", ["python-syntax"]),
            ("LINE FEED", ["python-syntax"]),
            ("no such", ["python-syntax"]),
        ]
    ):
        assert [each[0] for each in faults(tmp_path / f"{number}p", plain % name)] == codes
        wanted = ["bad-type"] if codes else []
        assert [each[0] for each in faults(tmp_path / f"{number}q", head + quoted % name)] == wanted, name


@pytest.mark.parametrize(
    "body",
    [
        "return'x'if'y'else\"z\"",
        "x = 'a'if'b'in'c'or'd'else'e'",
        "type in x; type is not y; type or z; type (x); type; type: int",
        "x = rb'\\N{FOO}' Rb'b' bR'c'; y = U'd' 'e'; z = b'\\N{FOO}\\u1'",
        "if'''type X = 3\nf\"'''in x: pass",
    ],
)
def test_bodies_of_tools_that_python_3_11_takes_are_taken(body: str, tmp_path: Path) -> None:
    files = {"settings.yaml": SETTINGS, "prompt.j2": "x", "tools.pyi": f"def f(x: int):\n    {body}\n"}
    write(tmp_path, {f"a.ctx/{name}": text for name, text in files.items()})
    assert [each.headline for each in check(tmp_path).report.diagnostics] == []


TYPES = [
    "int", "float", "bool", "str", "None", "Any", "list", "list[int]", "set[int]", "set[Any]", "tuple[()]", "dict",
    "dict[str, int]", "dict[Literal['a'], int]", "dict[Kind, Any]", "Literal['a', 1]", "Literal[True]", "Kind", "Part",
    "Open", "Optional[Part]", "list[Part]", "dict[str, Part]", "Annotated[int, 'x']", "Union[int, list[str]]",
    "list[Literal[1]]", "list[dict[str, int]]", "set[tuple[int, ...]]", "tuple[int, str]",
]  # fmt: skip
VALUES = [
    "1", "1.5", "True", "'a'", "'b'", "[]", "[1]", "[1, 1]", "{1, True}", "[1, 'a']", "['a', 1]", "(1, 'a')", "['a']",
    "{1, 1.5}", "[[1], [1]]", "[[1], []]", "[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}]", "{}", "{'a': 1}", "{'b': 1}",
    "[True]", "{'a': 'x'}", "{'id': 1}", "{'id': 1, 'next': {}}", "{'id': 1, 'next': {'id': 2, 'next': None}}",
    "[{'id': 1}]", "[{'id': 1}, {}]", "{'x': {'id': 1}}", "{'x': {'id': 'a'}}", "{'id': 1, 'more': 2}", "{'tag': 1}",
]  # fmt: skip


def test_a_default_is_taken_exactly_when_the_schema_of_its_type_takes_it(tmp_path: Path) -> None:
    head = (
        "from enum import *\nfrom typing import *\nclass Kind(StrEnum):\n    A = 'a'\n"
        "class Part:\n    id: int\n    next: 'Part | None' = None\nclass Open(TypedDict, total=False):\n    tag: str\n"
    )
    fields = {f"f{a}_{b}": (type, value) for a, type in enumerate(TYPES) for b, value in enumerate(VALUES)}
    bare = "".join(f"    {name}: {type}\n" for name, (type, _) in fields.items())
    told = "".join(f"    {name}: {type} = {value}\n" for name, (type, value) in fields.items())
    plain = "".join(f"    v{number}: Any = {value}\n" for number, value in enumerate(VALUES))
    schema = prompt(tmp_path / "1", f"{head}class Output:\n{bare}").reply_schema
    values = [each["default"] for each in output(tmp_path / "2", plain, head).values()]
    found = faults(tmp_path / "3", f"{head}class Output:\n{told}")
    refused = {headline.partition("`")[2].partition("`")[0] for _, headline, _, _ in found}
    for name, (type, value) in fields.items():
        one = {**schema["properties"][name], "$defs": schema["$defs"]}
        given = values[VALUES.index(value)]
        taken = jsonschema_rs.is_valid(one, given)
        if type == "tuple[int, str]":  # JSON Schema takes shorter ones as well, a type checker does not
            taken = taken and len(given) == 2
        assert (f"Output.{name}" not in refused) == taken, (type, value)
    assert 100 < len(refused) < len(fields) - 100


def test_numbers_of_a_default_are_compared_as_json_does(tmp_path: Path) -> None:
    """Where an integer is asked for, 1.0 is none, as for type checkers; JSON Schema would take it."""
    stub = (
        "class Output:\n    a: int = 1.0\n    b: set[float] = {1, 1.0}\n    c: set[Any] = {1, True}\n    d: float = 1\n"
    )
    assert [(code, line) for code, _, line, _ in faults(tmp_path, stub)] == [("bad-default", 2), ("bad-default", 3)]
