"""Short stubs that stand for endless data are findings, the same on every Python; so are those that nest deeply.

The bounds are counts of what is looked at and written, so these tests measure no time: what is not bounded hangs here.
"""

from pathlib import Path

import pytest
from frozenctx_compiler import check, load
from source_trees import write

ALIASES = [
    ("int", "{0} | {0}"),
    ("int", "Union[{0}, {0}]"),
    ("int", "Optional[{0}] | {0}"),
    ("int", "tuple[{0}, {0}]"),
    ("int", "dict[str, tuple[{0}, {0}]]"),
    ("int", "Annotated[{0}, 'words'] | {0}"),
    ("int", "NewType('N', {0} | {0})"),
    ("int", "'{0} | {0}'"),
    ("int", "list['{0}'] | list['{0}']"),
    ("Literal['a']", "dict[{0}, {0}]"),
]
CONSTANTS = [("1", "[{0}, {0}]"), ("1", "({0}, {0})"), ("1", "{{'a': {0}, 'b': {0}}}"), ("'text'", "[{0}, [{0}]]")]
WORDS = "w" * 20_000


def chain(first: str, step: str, length: int = 28) -> str:
    """`A0 = first`, and each of the others made of the one before it."""
    lines = [f"A0 = {first}", *(f"A{n + 1} = {step.format(f'A{n}')}" for n in range(length))]
    return "\n".join([*lines, ""])


def found(directory: Path, stub: str, file: str = "schema.pyi") -> list[tuple[str, str]]:
    write(directory, {"a.ctx/settings.yaml": "model: openai:x\n", "a.ctx/prompt.j2": "x", f"a.ctx/{file}": stub})
    return [(each.code, each.headline) for each in check(directory).report.diagnostics if each.level == "error"]


@pytest.mark.parametrize(("first", "step"), ALIASES)
def test_aliases_that_double_are_told_where_they_are_used(first: str, step: str, tmp_path: Path) -> None:
    field, parameter = "class Output:\n    x: A28\n    y: A28\n", "def f(x: A28, y: A28): ...\n"
    for file, use, where in (("schema.pyi", field, "Output.x"), ("tools.pyi", parameter, "f.x")):
        faults = found(tmp_path / file, chain(first, step) + use, file)
        # Tables of tables are no keys as well.
        assert [each for each in faults if each[0] != "bad-type"] == [
            ("schema-too-large", f"`{where}` brings `{file}` to more than 100,000 types and values")
        ]


@pytest.mark.parametrize(("first", "step"), CONSTANTS)
def test_constants_that_double_are_told_where_they_are_used(first: str, step: str, tmp_path: Path) -> None:
    field, parameter = "class Output:\n    x: Any = A28\n    y: Any = A28\n", "def f(x: Any = A28): ...\n"
    for file, use, where in (("schema.pyi", field, "Output.x"), ("tools.pyi", parameter, "f.x")):
        assert found(tmp_path / file, chain(first, step) + use, file) == [
            ("schema-too-large", f"`{where}` brings `{file}` to more than 100,000 types and values")
        ]


def test_aliases_and_constants_within_the_bound_are_followed(tmp_path: Path) -> None:
    stub = chain("int", "{0} | {0}", 12) + "B = [1, 2]\nclass Output:\n    x: A12\n    y: list[int] = B\n"
    assert found(tmp_path, stub) == []
    assert load(tmp_path)["a"].reply_schema["properties"]["y"]["default"] == [1, 2]


def test_values_are_nested_at_most_a_hundred_levels(tmp_path: Path) -> None:
    deep = f"class Output:\n    x: list = {'[' * 99}1{']' * 99}\n"
    assert found(tmp_path / "1", deep) == []
    error = ("bad-default", "`Output.x` has a value of more than 100 levels")
    assert found(tmp_path / "2", deep.replace("1", "[1]")) == [error]
    names = "".join(f"D{n + 1} = {'[' * 90}D{n}{']' * 90}\n" for n in range(7))
    assert found(tmp_path / "3", f"D0 = 1\n{names}class Output:\n    x: list = D7\n") == [error]
    assert found(tmp_path / "4", f"D0 = 1\n{names}def f(x: list = D7): ...\n", "tools.pyi") == [
        ("bad-default", "`f.x` has a value of more than 100 levels")
    ]


def classes(first: str, fields: int) -> str:
    levels = [f"class A{n + 1}:\n" + "".join(f"    f{each}: A{n}\n" for each in range(fields)) for n in range(3)]
    return f"{first}{''.join(levels)}"


@pytest.mark.parametrize(
    "stub",
    [
        classes(f'class A0:\n    """{WORDS}"""\n    x: int\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0:\n    x: int\n    """{WORDS}"""\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0:\n    x: Annotated[int, "{WORDS}"]\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0:\n    x: str = "{WORDS}"\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0:\n    x: Literal["{WORDS}"]\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0(StrEnum):\n    X = "{WORDS}"\n', 20) + "class Output(A3): ...\n",
        classes(f'class A0(StrEnum):\n    """{WORDS}"""\n    X = "x"\n', 20) + "class Output(A3): ...\n",
        classes(f"class A0:\n    {WORDS}: int\n", 20) + "class Output(A3): ...\n",
        classes(f'A0 = TypedDict("A0", {{"{WORDS}": int}})\n', 20) + "class Output(A3): ...\n",
        f'S = "{WORDS}"\nL = [{"S, " * 200}]\nclass Output:\n    x: list = L\n',
        f'S = "{WORDS}"\nL = {{{", ".join(f"{n}{n}: S" for n in map(repr, map(str, range(200))))}}}\n'
        "class Output:\n    x: dict = L\n",
    ],
)
def test_copies_of_long_words_are_told(stub: str, tmp_path: Path) -> None:
    assert found(tmp_path / "1", stub) == [
        ("schema-too-large", "the schema of `Output` has more than 2,000,000 characters")
    ]
    tools = stub.replace("Output", "Reply") + "def f(a: Reply): ...\ndef g(a: Reply): ...\n"
    assert found(tmp_path / "2", tools, "tools.pyi") == [
        ("bad-tool", "`f` has too large a schema: with those before it, more than 2,000,000 characters")
    ]


def test_copies_of_many_values_are_told(tmp_path: Path) -> None:
    members = "".join(f"    M{n} = {n}\n" for n in range(1000))
    fields = "".join(f"    f{n}: E\n" for n in range(500))
    stub = f"class E(IntEnum):\n{members}class Output:\n{fields}"
    assert found(tmp_path, stub) == [("schema-too-large", "the schema of `Output` has more than 50,000 parts")]


def test_all_tools_together_are_bounded(tmp_path: Path) -> None:
    stub = f'class A:\n    """{WORDS}"""\n    x: int\n' + "".join(f"def f{n}(a: A): ...\n" for n in range(150))
    (fault,) = found(tmp_path, stub, "tools.pyi")
    assert fault == ("bad-tool", "`f99` has too large a schema: with those before it, more than 2,000,000 characters")


def test_bases_that_double_are_gone_through_once(tmp_path: Path) -> None:
    plain = "class A0:\n    x: int\n" + "".join(f"class A{n + 1}(A{n}, A{n}): ...\n" for n in range(40))
    assert found(tmp_path / "1", f"{plain}class Output(A40): ...\n") == []
    enums = plain.replace("A0:", "A0(StrEnum):").replace("x: int", "X = 'x'")
    assert found(tmp_path / "2", f"{enums}class Output:\n    x: A0\n")  # Python cannot extend an Enum with members
    fields = "".join(f"    f{n}: int\n" for n in range(2000))
    wide = f"class A:\n{fields}" + "".join(f"class B{n}(A): ...\n" for n in range(100))
    assert [code for code, _ in found(tmp_path / "3", wide)] == ["schema-too-large"]


def test_circles_of_classes_are_worked_out_once_for_all_tools(tmp_path: Path) -> None:
    """With 400 of each, this took a second and more for each hundred of them."""
    chained = "class C0:\n    x: int\n" + "".join(f"class C{n + 1}:\n    c: C{n}\n" for n in range(2000))
    tools = "".join(f"def f{n}(c: C{n % 20}): ...\n" for n in range(400))
    assert found(tmp_path, chained + tools, "tools.pyi") == []


@pytest.mark.parametrize(
    ("edges", "circles"),
    [
        ("a:b b:a", "ab"),
        ("a:a b:a", "a"),
        ("a:b b:c c:ad d:e e:d f:a", "abcde"),
        ("a:bc b:d c:d d:", ""),
        ("a:bc b:d c:d d:b", "bd"),
        ("a:b b:cd c:b d:e e: f:f", "bcf"),
    ],
)
def test_classes_in_circles_are_those_that_lead_to_themselves(edges: str, circles: str, tmp_path: Path) -> None:
    lines = []
    for edge in edges.split():
        name, _, used = edge.partition(":")
        lines += [f"class {name}:", *(f"    {each}: list[{each}]" for each in used), "    text: str"]
    fields = "".join(f"    {edge[0]}: {edge[0]}\n" for edge in edges.split())
    stub = "\n".join(lines) + f"\nclass Output:\n{fields}"
    assert found(tmp_path, stub) == []
    schema = load(tmp_path)["a"].reply_schema
    assert sorted(schema.get("$defs", {})) == sorted(circles)


@pytest.mark.parametrize(
    "text",
    [
        '\\"""' * 50_000,
        '"\\N{BULLET}' + '\\"' * 100_000,
        '"\\N{BULLET}' + '\\"' * 100_000 + "\\",
        "type\n" + "class " * 50_000,
        "type\n" + "\\\n" * 100_000,
        "type\n" + "'" * 200_001,
        "type;" + "; " * 100_000,
    ],
    ids=lambda text: ascii(text[:9]),
)
def test_strings_without_an_end_are_gone_through_once(text: str, tmp_path: Path) -> None:
    """With an expression that looks for each end again, these take hours."""
    assert [code for code, _ in found(tmp_path, text)] == ["python-syntax"]


def test_many_unknown_names_are_told_without_a_guess_for_each(tmp_path: Path) -> None:
    stub = "".join(f"class Klass{n}:\n    x: Klas{n}\n" for n in range(1500))
    write(tmp_path, {"a.ctx/settings.yaml": "model: openai:x\n", "a.ctx/prompt.j2": "x", "a.ctx/schema.pyi": stub})
    helps = [each.help or "" for each in check(tmp_path).report.diagnostics]
    assert len(helps) == 1500
    assert sum(help.startswith("did you mean") for help in helps) == 50
