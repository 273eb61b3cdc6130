"""Packages of one form each, sound and wrong: what `with_julep.py` gives to both sides besides the trees.

A form is a name and its files, by path below a directory of its own; the package is `p.ctx`. They are written for
breadth: every type in every place, every setting with what may stand behind it, every way to begin and split a file.
"""

from collections.abc import Iterator, Mapping

Form = tuple[str, Mapping[str, str]]

MODEL = "model: openai:x\n"
SETTINGS, PROMPT = "p.ctx/settings.yaml", "p.ctx/prompt.j2"
SYSTEM, USER = "<<<role:system>>>", "<<<role:user>>>"


def forms() -> Iterator[Form]:
    for make in (types, classes, tools, settings, expressions, prompts, files, messages, skills, templates):
        for name, found in make():
            yield f"{make.__name__}: {name}", found


def rich(**found: str) -> dict[str, str]:
    return {SETTINGS: MODEL, PROMPT: "Hi"} | {f"p.ctx/{path.replace('__', '.')}": text for path, text in found.items()}


# -- stubs -------------------------------------------------------------------------------------------------------------

TYPES = """
str | int | float | bool | Any | None
list | dict | set | tuple | List | Dict | Set | Tuple | list[Any] | dict[str, Any] | set[Any] | tuple[Any, ...]
list[list] | list[dict] | list[Optional[int]] | dict[str, dict] | dict[str, list[int]] | dict[int, str] | dict[str]
tuple[int] | tuple[int, str] | tuple[int, ...] | tuple[()] | tuple[Any, int] | tuple[list, dict] | tuple[int, ..., str]
List[int] | Dict[str, int] | Set[str] | Tuple[int, str] | typing.List[int] | typing.Optional[str] | typing.Any
Optional[str] | Optional[None] | Optional[Optional[int]] | Optional[Any] | Optional[Literal['a']] | Optional[int, str]
Literal['a'] | Literal['a', 'b'] | Literal[1] | Literal[True] | Literal[None] | Literal['a', None] | Literal[1, 'a']
Literal[True, 1] | Literal['a', 'a'] | Literal[-1] | Literal[-1, 'a'] | Literal[1.5] | Literal[b'x'] | Literal[[1]]
Literal[Literal['a'], 'b'] | Literal[()]
Helper | list[Helper] | dict[str, Helper] | tuple[Helper, Helper] | Optional[Helper] | Plain | list[Plain]
Union[int, str] | Union[int, None] | Union[int] | Annotated[int, 'x'] | Annotated[Helper, 'x'] | 'int' | 'Helper'
Required[int] | NotRequired[int] | ReadOnly[int] | Final[int] | ClassVar[int]
frozenset[int] | Sequence[int] | Mapping[str, int] | object | bytes | datetime | date | time | UUID | Decimal
int & str | callable | list[int, str] | set[int, str] | models.Helper | int[str] | lambda: 0
"""
UNIONS = """
str | None ; None | str ; None | None ; int | str ; int | str | None ; int | None | str ; None | int | str
(int | str) | (None | bool) ; Optional[int] | str ; Any | None ; list | None ; Helper | None ; Helper | Helper
Literal['a'] | None ; None | Literal[None] ; dict[str, int | None] ; list[None | int] ; tuple[int | None, None | str]
"""
_HELPERS = '''import typing
from typing import *
class Plain(TypedDict):
    z: int
    y: NotRequired[str]
class Helper:
    """Help."""
    x: int
'''


def types() -> Iterator[Form]:
    written = [each.strip() for line in TYPES.splitlines() for each in line.split(" | ") if each.strip()]
    written += [each.strip() for line in UNIONS.splitlines() for each in line.split(";") if each.strip()]
    for each in written:
        yield f"field {each}", rich(schema__pyi=f"{_HELPERS}class Output:\n    a: {each}\n    b: int\n")
        yield f"default {each}", rich(schema__pyi=f"{_HELPERS}class Output:\n    a: {each} = None\n    b: int\n")
        yield f"TypedDict {each}", rich(schema__pyi=f"{_HELPERS}class Output(TypedDict):\n    b: int\n    a: {each}\n")
        yield f"parameter {each}", rich(tools__pyi=f"{_HELPERS}def f(a: {each}, b: int) -> None:\n    'Do it.'\n")


DEFAULTS = (
    '"x"', '""', "-1", "0", "1.5", "-0.0", "False", "[]", "[1, -2]", "[1, None]", '(1, "a")', "()", "{}", '{"a": [1]}',
    "{1, 2}", "list()", "CONSTANT", "+1", "...", "1e400", 'f"x"', '"x" "y"', 'b"x"', "{1: 2}", "Field(3)",
)  # fmt: skip
CLASSES = {
    "no fields": "class Output:\n    pass",
    "an ellipsis": "class Output: ...",
    "all optional": "class Output:\n    a: int = 1\n    b: str | None",
    "optional before required": "class Output:\n    a: Optional[int]\n    b: int\n    c: int|(str|None)\n    d: Any",
    "a default of another type": 'class Output:\n    a: int = "s"',
    "True for an integer": "class Output:\n    a: int = True",
    "a default in a TypedDict": "class Output(TypedDict):\n    a: int = 3",
    "total=False": "class Output(TypedDict, total=False):\n    b: int\n    a: Required[str]\n    c: NotRequired[int]",
    "total by name": "NO = False\nclass Output(TypedDict, total=NO):\n    a: int",
    "TypedDict of typing": "class Output(typing.TypedDict):\n    a: typing.NotRequired[int]\n    b: typing.List[int]",
    "TypedDict with a base": "class B(TypedDict):\n    'Base.'\n    z: int\n    y: NotRequired[str]\n"
    "class Output(B, total=False):\n    b: int\n    a: Required[str]\n    y: str",
    "TypedDict with two bases": "class A(TypedDict):\n    a: int\nclass B(TypedDict):\n    b: int\n"
    "class Output(B, A):\n    c: int\n    a: str",
    "TypedDict with a diamond": "class R(TypedDict):\n    r: int\nclass A(R):\n    a: int\n"
    "class B(R, total=False):\n    b: int\nclass Output(A, B):\n    c: int",
    "a field of two bases": "class A(TypedDict):\n    r: int\nclass B(TypedDict):\n    r: str\n"
    "class Output(A, B):\n    c: int",
    "TypedDicts in each other": "class B(TypedDict):\n    z: int\nclass Output(TypedDict):\n    b: B\n"
    "    a: NotRequired[list[B]]",
    "Required in Annotated": 'class Output(TypedDict):\n    a: Annotated[Required[int], "x"]',
    "a plain base of a TypedDict": "class P:\n    p: int\nclass Output(P, TypedDict):\n    a: int",
    "a functional TypedDict": 'Output = TypedDict("Output", {"a": int})',
    "BaseModel": "from pydantic import BaseModel\nclass Output(BaseModel):\n    a: int\n    b: Optional[str] = None",
    "BaseModel of nowhere": "class Output(BaseModel):\n    a: int",
    "Struct": "import msgspec\nclass Output(msgspec.Struct):\n    a: int",
    "a frozen Struct": "import msgspec\nclass Output(msgspec.Struct, frozen=True):\n    a: int",
    "a dataclass": "from dataclasses import dataclass\n@dataclass\nclass Output:\n    a: int",
    "a frozen dataclass": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Output:\n    a: int",
    "a decorator": "@register\nclass Output:\n    a: int",
    "Protocol": "class Output(Protocol):\n    a: int",
    "object": "class Output(object):\n    a: int",
    "a plain base": "class B:\n    b: int\nclass Output(B):\n    a: int",
    "a generic": "T = TypeVar('T')\nclass H(Generic[T]):\n    x: int\nclass Output:\n    a: H[int]",
    "an Enum": "from enum import Enum\nclass E(Enum):\n    A = 'a'\nclass Output:\n    a: E",
    "an Enum of str": "from enum import Enum\nclass E(str, Enum):\n    A = 'a'\nclass Output:\n    a: E",
    "an alias": "Name = int\nclass Output:\n    a: Name",
    "a NewType": "Name = NewType('Name', int)\nclass Output:\n    a: Name",
    "itself": "class Output:\n    a: list[Output]",
    "each other": "class A:\n    b: Optional[B]\nclass B:\n    a: list[A]\nclass Output:\n    a: A",
    "a class below": "class Output:\n    a: H\nclass H:\n    x: int",
    "a class in use twice": "class H:\n    'Help.'\n    x: int\nclass Output:\n    a: H\n    b: H\n    c: list[H]",
    "a default at one of two uses": "class H:\n    'Help.'\n    x: int\nclass Output:\n    a: H = {'x': 1}\n    b: H",
    "methods": "class Output:\n    a: int\n    def f(self): ...",
    "a property": "class Output:\n    a: int\n    @property\n    def f(self) -> int: ...",
    "a value without a type": "class Output:\n    a: int\n    x = 3",
    "a class in a class": "class Output:\n    class In:\n        x: int\n    a: int",
    "a field twice": "class Output:\n    a: int\n    b: int\n    a: str",
    "a class twice": "class Output:\n    a: int\nclass Output:\n    b: int",
    "an import": "from elsewhere import Output",
    "Input alone": "class Input:\n    a: int",
    "a faulty Input": "class Input:\n    a: bytes\nclass Output:\n    a: int",
    "a faulty class that nothing uses": "class Z:\n    a: Foo\nclass Output:\n    a: int",
    "an if": "if True:\n    class Output:\n        a: int",
    "a class called list": "class list:\n    x: int\nclass Output:\n    a: list",
    "odd names": "class Output:\n    _a: int\n    __b: int\n    ü: int",
    "no Python": "class Output\n    a: int",
    "a type statement": "type X = int\nclass Output:\n    a: int",
    "type parameters": "class Output[T]:\n    a: int",
    "a comment": "class Output:\n    a: int  # the a",
    "words below a field": "class Output:\n    a: int\n    'The a.'\n    b: str",
    "line ends": "class Output:\r\n    'First.'\r\n    a: int\r\n",
    "a byte order mark": "\ufeffclass Output:\n    a: int",
}
DOCSTRINGS = (
    "", "   ", "First.", "   First.   ", "First.\n\n        Indented more.\n      Less.\n\n    ", "First.\n    Second.",
    "\n\n    First.\n    ", "First.   \n    Second.   \n    ", "First.\n\tTab.\n\t\tMore.\n    ", "a\\tb\\n    c",
    "\u00a0First.\u00a0\n    \u00a0x\n    ", "First.\x0c\n    x\x0c\n    ", "日本\n    語 \\N{BULLET}",
)  # fmt: skip


def classes() -> Iterator[Form]:
    start = "import typing\nfrom typing import *\nCONSTANT = 3\n"
    for each in DEFAULTS:
        yield f"= {each}", rich(schema__pyi=f"{start}class Output:\n    a: Any = {each}\n    b: int\n")
    for name, body in CLASSES.items():
        yield name, rich(schema__pyi=body if body[0] == "\ufeff" else f"{start}{body}\n")
    for each in DOCSTRINGS:
        yield f"docstring {each!r}", rich(schema__pyi=f'{start}class Output:\n    """{each}"""\n    a: int\n')


FUNCTIONS = {
    "nothing": "",
    "classes alone": "class P:\n    x: int",
    "no parameters": "def f() -> None: ...",
    "async": "async def f(a: int) -> None: ...",
    "no return": "def f(a: int): ...",
    "defaults": 'def f(a: int = 1, b: str = "x", c: list[int] = [1], d: bool = False) -> None: ...',
    "None as default": "def f(a: int = None, b: str | None = None, c: Optional[int] = 3) -> None: ...",
    "a default that is not told": "def f(a: int = ...) -> None: ...",
    "optional without default": "def f(a: int | None) -> None: ...",
    "keyword-only": "def f(a: int, *, b: int, c: int = 3) -> None: ...",
    "positional-only": "def f(a: int, /, b: int) -> None: ...",
    "*args": "def f(a: int, *args: int) -> None: ...",
    "**kwargs": "def f(a: int, **kwargs: int) -> None: ...",
    "no annotation": "def f(a) -> None: ...",
    "self": "def f(self, a: int) -> None: ...",
    "cls": "def f(cls: int, a: int) -> None: ...",
    "two": "def g(a: int) -> None: ...\ndef f(b: int) -> None: ...",
    "one name twice": "def f(a: int) -> None: ...\ndef f(b: int) -> None: ...",
    "a server": '__server__ = "crm"\ndef f(a: int) -> None: ...',
    "a server below": 'def f(a: int) -> None: ...\n__server__ = "crm"',
    "an annotated server": '__server__: str = "crm"\ndef f(a: int) -> None: ...',
    "two servers": '__server__ = "a"\ndef f(a: int) -> None: ...\n__server__ = "crm"',
    "no server": '__server__ = ""\ndef f(a: int) -> None: ...',
    "an odd server": '__server__ = "a b/c"\ndef f(a: int) -> None: ...',
    "a number as server": "__server__ = 3\ndef f(a: int) -> None: ...",
    "overload": "@overload\ndef f(a: int) -> None: ...",
    "private": "def _f(a: int) -> None: ...",
    "reserved": "def __load_skill__(a: int) -> None: ...",
    "in an if": "if True:\n    def f(a: int) -> None: ...",
    "in a class": "class P:\n    def f(self, a: int) -> None: ...",
    "a class at two parameters": "class P:\n    'Period.'\n    start: str\ndef f(a: P, b: P) -> None:\n"
    "    '''Do it.\n\n    Args:\n        a: first\n    '''",
    "letters": "def f(ü: int) -> None:\n    'Tü.'",
}
TOLD = {
    "one line": "Do it.",
    "one paragraph": "Do it\n    in two lines.",
    "a list in the first paragraph": "Do:\n    - this\n    - that",
    "paragraphs": "Do it.\n\n    More\n    and more.\n\n    - a\n    - b\n    ",
    "Args": "Do it.\n\n    Args:\n        a: The a.\n        b (str): The b.\n    ",
    "Args that go on": "Do it.\n\n    Args:\n        a: The a\n            goes on.\n        b: The b.\n    ",
    "Args below": "Do it.\n\n    Args:\n        a:\n            The a.\n    ",
    "Args without words": "Do it.\n\n    Args:\n        a:\n        b: The b.\n    ",
    "Args with paragraphs": "Do it.\n\n    Args:\n        a: The a.\n\n            More.\n        b: The b.\n    ",
    "Args with a colon": "Do it.\n\n    Args:\n        a: Say: this.\n            note: that\n        b: The b.\n    ",
    "Args of others": "Do it.\n\n    Args:\n        z: The z.\n    ",
    "Args at once": "Do it.\n    Args:\n        a: The a.\n    ",
    "Args alone": "Args:\n        a: The a.\n    ",
    "Returns": "Do it.\n\n    Args:\n        a: The a.\n\n    Returns:\n        Nothing.\n    ",
    "Raises at once": "Do it.\n    Raises:\n        X: y.\n    ",
    "Examples": "Do it.\n\n    Examples:\n        f(1)\n    ",
    "Sphinx": "Do it.\n\n    :param a: The a.\n    ",
    "numpy": "Do it.\n\n    Parameters\n    ----------\n    a : int\n        The a.\n    ",
}


def tools() -> Iterator[Form]:
    for name, body in FUNCTIONS.items():
        yield name, rich(tools__pyi=f"from typing import *\n{body}\n")
    for name, words in TOLD.items():
        yield name, rich(tools__pyi=f'def f(a: int, b: str = "x") -> None:\n    """{words}"""\n')


# -- settings ----------------------------------------------------------------------------------------------------------

VALUES = {
    "name": ["foo", "12", "''", "null", "' x '", "a@b", '"a\\nb"', "1.10"],
    "model": [
        "null", "''", "4", "gpt-5", "openai/gpt-5@low", "openai/gpt-5@LOW", "'openai/gpt-5 @ low '", "a@low@high",
        "'@low'", "openai/gpt-5@auto", "vertex_ai/claude@2024", "google:gemini", "Google/gemini", "a/b:c", "a:b/c",
        "a/", "/a", "'a://b'", "'openai / gpt'", "true",
    ],
    "reasoning_effort": ["low", "' HIGH '", "big", "none", "null", "''", "3"],
    "temperature": [
        "0", "0.5", "' 0.5 '", "-1", "nan", ".nan", ".inf", "true", "1e3", "1e-1", "'1_0'", "null", "[1]", "''",
        "'1e3'",
    ],
    "max_tokens": [
        "0", "12", "' 12 '", "-1", "1.0", "'1.0'", "1_000", "'1_000'", "'+1'", "true", "'\u0663'", "''", "010", "0x10",
        "1:30", "null", "99999999999999999999",
    ],
    "max_rounds": ["0", "3", "'3'", "-1", "null"],
    "output_retries": ["0", "2", "'2'", "-1", "null", "true"],
    "require_tool_call": ["true", "false", "'true'", "'yes'", "yes", "1", "null"],
    "response_format": [
        "{type: json_object}", "json_object", "{type: json_object, x: 1}", "{type: json_schema}", "null", "{}",
    ],
    "prompt_cache": ["5m", "1h", "10m", "true", "[5m]", "null"],
    "agent": ["true", "false", "'true'", "'false'", "yes", "1", "null"],
    "sub": [
        "{shape: Pipeline}", "{shape: Agent, summary_policy: result_only}",
        "{shape: Agent, summaryPolicy: result_only}", "{shape: agent}", "{shape: Agent, x: 1}", "{}", "null", "Agent",
        "{summary_policy: result_only}",
    ],
    "context": ["none", "local", "summary", "whole_session", "all", "null", "''"],
    "tools": [
        "[a, b/c]", "[a, a]", "abc", "[1]", "null", "[]", "{a: 1}", "[null]", "['']", "[' a ']", "['a b']",
        "['a.b/c:d']", "[[a]]",
    ],
    "skills": ["[]", "null", "x"],
    "reply_schema": ["{type: object}", "null", "{}", "true", "[1]", "'{}'"],
    "system": ["Hi", "''", "null", "3", "|\n  a\n  b\n\n"],
    "system_render": ["r.x", "''", "null"],
}  # fmt: skip
TEXTS = {
    "nothing": "",
    "a comment": "# x\n",
    "a list": "- a\n",
    "a scalar": "a\n",
    "an unknown key": MODEL + "temprature: 1\n",
    "x-…": MODEL + "x-a: 1\n",
    "meta": MODEL + "meta: {a: 1}\n",
    "input_defaults": MODEL + "input_defaults: apply\n",
    "both spellings": MODEL + "maxTokens: 5\nmax_tokens: 6\n",
    "both spellings, one of them null": MODEL + "maxTokens: 5\nmax_tokens: null\n",
    "effort twice": "model: a/b@low\nreasoning_effort: high\n",
    "document markers": "---\n" + MODEL + "...\n",
    "two documents": MODEL + "---\n" + MODEL,
    "a key twice": MODEL + MODEL,
    "a key twice, deep": MODEL + "sub: {shape: Agent, shape: Agent}\n",
    "an anchor": MODEL + "tools: &t [a]\n",
    "a merge key": "sub: &s {shape: Agent}\n<<: {max_tokens: 3}\n" + MODEL,
    "NUL": MODEL + 'system_file: "a\\0"\n',
    "a tab": "model:\topenai:x\n",
    "line ends": "model: openai:x\r\nmax_tokens: 3\r\n",
    "a byte order mark": "\ufeff" + MODEL,
    "a number as key": "1: 2\n" + MODEL,
    "yes as key": "yes: 2\n" + MODEL,
    "a missing system_file": MODEL + "system_file: nowhere.txt\n",
    "a missing schema_file": MODEL + "schema_file: nowhere.json\n",
}


def settings() -> Iterator[Form]:
    minimal_only = ("system", "system_render")
    for key, values in VALUES.items():
        start = "" if key == "model" else MODEL
        camel = "".join(word.title() if place else word for place, word in enumerate(key.split("_")))
        for value in values:
            text = f"{start}{key}: {value}\n"
            if key not in minimal_only:
                yield f"rich {key}: {value}", {SETTINGS: text, PROMPT: "Hi"}
            yield f"minimal {key}: {value}", {SETTINGS: text + ("" if key == "system" else "system: Hi\n")}
        if camel != key and key not in minimal_only:
            text = f"{start}{camel}: {values[0]}\n"
            yield f"rich {camel}", {SETTINGS: text, PROMPT: "Hi"}
            yield f"minimal {camel}", {SETTINGS: f"{text}system: Hi\n"}
    for name, text in TEXTS.items():
        yield f"rich with {name}", {SETTINGS: text, PROMPT: "Hi"}
        yield f"minimal with {name}", {SETTINGS: text}
    yield "a package without a prompt", {SETTINGS: MODEL, "p.ctx/schema.pyi": "class Output:\n    a: int\n"}
    yield "two settings", {SETTINGS: MODEL, "p.ctx/settings.yml": "model: openai:y\n", PROMPT: "Hi"}
    yield "no settings", {PROMPT: "Hi"}
    yield "system beside a template", {SETTINGS: MODEL + "system: Hi\n", PROMPT: "Hi"}
    yield "system_file", {SETTINGS: MODEL + "system_file: a.md\n", "p.ctx/a.md": "A {{ b }}\n"}
    yield "system and system_file", {SETTINGS: MODEL + "system: B\nsystem_file: a.md\n", "p.ctx/a.md": "A"}
    yield "schema_file", {SETTINGS: MODEL + "system: B\nschema_file: a.json\n", "p.ctx/a.json": '{"b": 1, "a": 2}'}
    yield "tools listed and declared", {
        SETTINGS: MODEL + "tools: [x, f, x]\n", PROMPT: "Hi", "p.ctx/tools.pyi": "def f() -> None: ...\n",
    }  # fmt: skip


EXPRESSIONS = (
    "$env.get('GIVEN', 'openai:y')", '$env.get("GIVEN", "openai:y")', "$env.get('GIVEN')", "$env.get('N', 'openai:y')",
    "$env.get('N', $env.get('M', 'openai:z'))", "$env.get('N', $env.get('GIVEN'))", "$env . get ( 'N' , 'openai:y' )",
    "'openai:x'", '"$env.get(\'N\', \'openai:y\')"', "|\n  $env.get('N', 'openai:y')", "'a' + 'b'", "$env.get(N)",
    "$env.GIVEN", "$env.get('N', 'a:b', 3)", "$env.get('N')", "", "$env.get('N', 'it\\'s')",
    "$env.get('N', \"a\\\\b\")",
)  # fmt: skip
NUMBERS = (
    "5", "-1", "1.5", ".5", "1.", "-.5", "1e3", "1e-1", "1E+2", "007", "true", "True", "None", "null", "''", "' 7 '",
    "'7'", "'x'", "false",
)  # fmt: skip


def expressions() -> Iterator[Form]:
    for each in EXPRESSIONS:
        yield f"model: {each}", {SETTINGS: f"model: !? {each}\n", PROMPT: "Hi"}
    for each in NUMBERS:
        for key in ("max_tokens", "temperature", "agent"):
            text = f"{MODEL}{key}: !? $env.get('N', {each})\n"
            yield f"{key}: {each}", {SETTINGS: text, PROMPT: "Hi"}
        yield f"max_tokens: !? {each}", {SETTINGS: f"{MODEL}max_tokens: !? {each}\n", PROMPT: "Hi"}
    others = {
        "in a list": "tools: [!? $env.get('N', 'a'), b]",
        "null in a list": "tools: [!? $env.get('N', null), b]",
        "on a list": "tools: !? [a]",
        "on a mapping": "sub: !? {shape: Agent}",
        "!if": "tools: !if true",
        "on a key": "!? 'tools': [a]",
        "deep": "sub: {shape: !? $env.get('N', 'Agent')}",
    }
    for name, text in others.items():
        yield name, {SETTINGS: f"{MODEL}{text}\n", PROMPT: "Hi"}
    yield "in text", {SETTINGS: f"{MODEL}system: 'Really!?'\n"}


# -- prompts -----------------------------------------------------------------------------------------------------------

PROMPTS = {
    "two roles": f"{SYSTEM}\nA\n{USER}\nB\n",
    "blanks in markers": "<<<  role:system  >>>A<<< role:user >>>B",
    "capitals": "<<<role:SYSTEM>>>A<<<role:User>>>B",
    "a line end in a marker": "<<<\nrole:system\n>>>A",
    "ROLE": "<<<ROLE:system>>>A",
    "role :": "<<<role :system>>>A",
    "user alone": f"{USER}B",
    "system twice": f"{SYSTEM}A{SYSTEM}B",
    "a third role": f"{SYSTEM}A{USER}B<<<role:assistant>>>C",
    "another role": f"{SYSTEM}A<<<role:assistant>>>C",
    "letters in a role": "<<<role:systém>>>A",
    "no role": "<<<role:>>>A",
    "a hyphen in a role": "<<<role:sys-tem>>>A",
    "text before": f"Hello\n{SYSTEM}A",
    "a comment before": f"{{# a #}}\n{SYSTEM}A",
    "two comments before, one line": f"{{# a #}} {{# b #}}\n{SYSTEM}A",
    "two comments before, a line between": f"{{# a #}}\n\n{{# b #}}\n\n{SYSTEM}A",
    "indented comments before": f"  {{# a #}}  \n   {{# b #}}\n{SYSTEM}A",
    "a comment of lines before": f"{{# a\n# b\n c #}}\n{SYSTEM}A",
    "a comment of blank lines before": f"{{# a\n\n b #}}\n{SYSTEM}A",
    "a comment that trims before": f"{{#- a -#}}\n{SYSTEM}A",
    "a comment on the line of the marker": f"{{# a #}}{SYSTEM}A",
    "a # line before": f"# a\n#b\n{SYSTEM}A",
    "# lines between comments": f"{{# a #}}\n# b\n{{# c #}}\n{SYSTEM}A",
    "a comment in a # line": f"# x {{# a #}}\n{SYSTEM}A",
    "# behind a comment": f"{{# a #}} # x\n{SYSTEM}A",
    "a part of a comment in a # line": f"# x {{# a\nb #}}\n{SYSTEM}A",
    "a form feed before": f"\x0c{{# a #}}\x0c\n{SYSTEM}A",
    "a line separator in a comment before": f"{{# a\u2028b #}}\n{SYSTEM}A",
    "blanks before": f"\n \n{SYSTEM}A",
    "a byte order mark before": f"\ufeff{SYSTEM}A",
    "a raw block before": f"{{% raw %}}{{% endraw %}}{SYSTEM}A",
    "a tag before": f"{{% set x=1 %}}\n{SYSTEM}A",
    "a marker in a comment": f"{SYSTEM}A{{# {USER} #}}",
    "a marker in a raw block": f"{SYSTEM}A{{% raw %}}{USER}{{% endraw %}}",
    "a marker in a string": f"{SYSTEM}A{{{{ '{USER}' }}}}",
    "a marker in a block": f"{SYSTEM}A{{% if true %}}{USER}B{{% endif %}}",
    "a marker in a comment alone": f"A{{# {SYSTEM} #}}",
    "no system text": f"{SYSTEM}{USER}B",
    "no user text": f"{SYSTEM}A{USER}",
    "no text": SYSTEM,
    "nothing": "",
    "blanks": "  \n",
    "no marker": "\n A \n",
    "blanks around sections": f"{SYSTEM} \u00a0\x1cA\x1c\u2003 {USER}\u3000B\u3000",
    "a heredoc": "<<<\nfoo\n>>>",
    "line ends": f"{SYSTEM}\r\nA\r\nB\r\n{USER}\r\nC\rD\r\n",
    "NUL": f"{SYSTEM}A\0B",
    "an open tag": f"{SYSTEM}{{% if %}}",
    "an open expression": f"{SYSTEM}{{% if true %}}A{{% endif %}}{USER}{{{{ x",
    "do": f"{SYSTEM}{{% do x %}}",
    "break": f"{SYSTEM}{{% for i in [1,2] %}}{{% break %}}{{% endfor %}}",
    "an unknown filter": f"{SYSTEM}{{{{ 1|nope }}}}",
    "an unknown filter behind a condition": f"{SYSTEM}{{% if false %}}{{{{ 1|nope }}}}{{% endif %}}",
    "an unknown test": f"{SYSTEM}{{{{ 1 is nope }}}}",
    "a line that begins with #": f"{SYSTEM}# for x in y",
}


def prompts() -> Iterator[Form]:
    for name, text in PROMPTS.items():
        yield name, {SETTINGS: MODEL, PROMPT: text}


FILES = {
    "front matter": f"---\n{MODEL}---\nBody\n",
    "no text": f"---\n{MODEL}---\n",
    "no last line end": f"---\n{MODEL}---",
    "blanks behind the fences": f"--- \n{MODEL}---\t\nBody\n",
    "empty front matter": "---\n---\nBody\n",
    "a blank line as front matter": "---\n\n---\nBody\n",
    "four hyphens": f"----\n{MODEL}---\nBody",
    "five hyphens": "-----\nx\n-----\n",
    "never closed": f"---\n{MODEL}Body",
    "closed by dots": f"---\n{MODEL}...\nBody",
    "closed by an indented line": f"---\n{MODEL} ---\nBody\n---\nX",
    "fences in the text": f"---\n{MODEL}---\nA\n---\nB\n",
    "a fence in a value": "---\nmodel: |\n  a\n  ---\n---\nBody",
    "a blank line first": f"\n---\n{MODEL}---\nBody",
    "line ends": "---\r\nmodel: openai:x\r\n---\r\nBody\r\n",
    "a byte order mark": f"\ufeff---\n{MODEL}---\nBody",
    "a comment as front matter": "---\n# only\n---\nBody",
    "a list as front matter": "---\n- a\n---\nBody",
    "tools": f"---\n{MODEL}tools: [a, a]\n---\nBody",
    "skills": f"---\n{MODEL}skills: []\n---\nBody",
    "system": f"---\n{MODEL}system: x\n---\nBody",
    "reply_schema": f"---\n{MODEL}reply_schema: {{type: object}}\n---\nBody",
    "blank lines before the text": f"---\n{MODEL}---\n\n\nBody",
    "roles": f"---\n{MODEL}---\n{SYSTEM}\nA\n{USER}\nB",
    "roles without front matter": f"{SYSTEM}\nA\n{USER}\nB",
    "an expression": "---\nmodel: !? $env.get('N','a:b')\n---\nBody",
    "nothing": "",
    "text": "Hi\n",
    "hyphens and text": "--- a\n",
}


def files() -> Iterator[Form]:
    for name, text in FILES.items():
        yield name, {"p.ctx": text}


_HI, _YO = "role: system\ncontent: Hi\n", "role: user\ncontent: Yo\n"
MESSAGES = {
    "one": {"a.yaml": _HI},
    "two": {"a.yaml": _HI, "b.yml": _YO},
    "another order": {"a.yml": _YO, "b.yaml": _HI},
    "the order of names": {"B.yaml": _HI, "a.yaml": _YO},
    "numbers": {"10.yaml": _YO, "2.yaml": _HI},
    "a role in capitals": {"a.yaml": "role: System\ncontent: Hi\n"},
    "blanks at the ends": {"a.yaml": "role: system\ncontent: |\n  Hi\n   there\n\n"},
    "a marker": {"a.yaml": f"role: system\ncontent: '{USER}'\n"},
    "another key": {"a.yaml": f"{_HI}x: 1\n"},
    "a key twice": {"a.yaml": f"{_HI}content: Ho\n"},
    "no content": {"a.yaml": "role: system\n"},
    "a number": {"a.yaml": "role: system\ncontent: 3\n"},
    "null": {"a.yaml": "role: system\ncontent:\n"},
    "nothing as content": {"a.yaml": "role: system\ncontent: ''\n"},
    "a list": {"a.yaml": "- 1\n"},
    "three": {"a.yaml": _HI, "b.yaml": _YO, "c.yaml": _YO},
    "another role": {"a.yaml": _HI, "b.yaml": "role: assistant\ncontent: x\n"},
    "user alone": {"a.yaml": _YO},
    "another file": {"a.yaml": _HI, "b.txt": "x"},
    "no message": {"b.txt": "x"},
    "an empty file": {"a.yaml": _HI, "b.yaml": ""},
    "an expression": {"a.yaml": "role: system\ncontent: !? $env.get('N', 'b')\n"},
    "a date": {"a.yaml": "role: system\ncontent: 2020-01-01\n"},
    "yes": {"a.yaml": "role: system\ncontent: yes\n"},
    "a directory": {"a.yaml": _HI, "sub/b.yaml": _YO},
    "a hidden file": {"a.yaml": _HI, ".b.yaml": _YO},
}


def messages() -> Iterator[Form]:
    for name, found in MESSAGES.items():
        yield name, {SETTINGS: MODEL} | {f"p.ctx/messages/{path}": text for path, text in found.items()}
    yield "and a prompt", {SETTINGS: MODEL, PROMPT: "x", "p.ctx/messages/a.yaml": _HI}


# -- skills ------------------------------------------------------------------------------------------------------------

_SKILL = "---\nname: s\ndescription: D\n---\nBody\n"
SKILLS = {
    "plain": _SKILL,
    "no last line end": _SKILL[:-1],
    "blank lines around the body": "---\nname: s\ndescription: D\n---\n\n\n  Body\n  more  \n\n\n",
    "other blanks around the body": "---\nname: s\n---\n\u00a0\x0cBody\u2003\n",
    "blanks behind the fences": "---  \nname: s\n---\t\nBody\n",
    "no description": "---\nname: s\n---\nBody\n",
    "null as description": "---\nname: s\ndescription:\n---\nBody\n",
    "a number as description": "---\nname: s\ndescription: 3\n---\nBody\n",
    "true as description": "---\nname: s\ndescription: true\n---\nBody\n",
    "a date as description": "---\nname: s\ndescription: 2020-01-01\n---\nBody\n",
    "a list as description": "---\nname: s\ndescription: [a]\n---\nBody\n",
    "a colon in the description": "---\nname: s\ndescription: a: b\n---\nBody\n",
    "lines in the description": "---\nname: s\ndescription: |\n  a\n   b\u00a0c\n  ---\n---\nBody\n",
    "blanks around the name": "---\nname: ' s '\n---\nBody\n",
    "a number as name": "---\nname: 3\n---\nBody\n",
    "another name": "---\nname: t\n---\nBody\n",
    "a name twice": "---\nname: s\nname: s\n---\nBody\n",
    "other keys": "---\nname: s\nlicense: MIT\nallowed-tools: [a]\n---\nBody\n",
    "line ends": _SKILL.replace("\n", "\r\n"),
    "carriage returns": _SKILL.replace("\n", "\r"),
    "a byte order mark": f"\ufeff{_SKILL}",
    "no body": "---\nname: s\n---\n \n",
    "closed at the end": "---\nname: s\n---",
    "no front matter": "Body\n",
    "empty front matter": "---\n---\nBody\n",
    "a list as front matter": "---\n- s\n---\nBody\n",
    "fences in the body": "---\nname: s\n---\nA\n---\nB\n",
    "odd line ends in the body": "---\nname: s\n---\nA\u2028B\x1f\n",
    "an expression": "---\nname: s\ndescription: !? $env.get('N','b')\n---\nBody\n",
    "a tab": "---\nname:\ts\n---\nBody\n",
}
LISTED = ("[s]", "[]", "", "s", "[s, s]", "[t]", "[' s ']", "[{name: s}]", "[1]", "[null]", "['']", "{s: 1}")


def skills() -> Iterator[Form]:
    start = {SETTINGS: f"{MODEL}skills: [s]\n", PROMPT: "Hi"}
    at = "p.ctx/skills/s/SKILL.md"
    for name, text in SKILLS.items():
        yield name, {**start, at: text}
    for listed in LISTED:
        yield f"skills: {listed}", {SETTINGS: f"{MODEL}skills: {listed}\n", PROMPT: "Hi", at: _SKILL}
    yield "not listed", {SETTINGS: MODEL, PROMPT: "Hi", at: _SKILL}
    yield "minimal", {SETTINGS: f"{MODEL}skills: [s]\nsystem: Hi\n", at: _SKILL}
    yield "no directory", {SETTINGS: f"{MODEL}skills: [s]\nsystem: Hi\n"}
    yield "no directory and none listed", {SETTINGS: f"{MODEL}skills: []\nsystem: Hi\n"}
    yield "a file in skills", {**start, at: _SKILL, "p.ctx/skills/README.md": "x"}
    yield "litter", {**start, at: _SKILL, "p.ctx/skills/.DS_Store": "x"}
    yield "other files", {**start, at: _SKILL, "p.ctx/skills/s/ref.md": "x"}
    yield "a faulty one that is not listed", {**start, at: _SKILL, "p.ctx/skills/t/SKILL.md": "x"}
    yield "a sound one that is not listed", {**start, at: _SKILL, "p.ctx/skills/t/SKILL.md": "---\nname: t\n---\nB\n"}
    yield "one without SKILL.md", {**start, at: _SKILL, "p.ctx/skills/t/x/y": "x"}


# -- what templates take in --------------------------------------------------------------------------------------------

PARTIALS = {
    "partials/a.j2": "A\n",
    "partials/t.txt": "T\n",
    "partials/y.yaml": "k: 1\n",
    "partials/n.j2": "{% include 'partials/a.j2' %}{{ 'partials/t.txt' | import_text }}",
    "partials/loop.j2": "{% if x is defined %}{% include 'partials/loop.j2' %}{% endif %}",
    "partials/layout.j2": "L{% block b %}{% endblock %}",
    "partials/m.j2": "{% macro q() %}x{% endmacro %}",
    "partials/marker.j2": USER,
    "partials/it's.txt": "It\n",
    "partials/ends.j2": "A\r\nB\r\n",
    "partials/bom.j2": "\ufeffA\n",
}
TEMPLATES = {
    "include": "{% include 'partials/a.j2' %}",
    "twice": "{% include 'partials/a.j2' %}{% include 'partials/a.j2' %}",
    "another way to a file": "{% include './partials/a.j2' %}{% include 'partials/../partials/a.j2' %}",
    "what includes": "{% include 'partials/n.j2' %}",
    "itself, guarded": "{% include 'partials/loop.j2' %}",
    "extends": "{% extends 'partials/layout.j2' %}{% block b %}x{% endblock %}",
    "import": "{% import 'partials/m.j2' as m %}{% from 'partials/m.j2' import q %}{{ m.q() }}{{ q() }}",
    "a marker": f"{SYSTEM}A{{% include 'partials/marker.j2' %}}{USER}{{% include 'partials/marker.j2' %}}",
    "line ends": "{% include 'partials/ends.j2' %}",
    "a byte order mark": "{% include 'partials/bom.j2' %}",
    "absent": "{% include 'partials/absent.j2' %}",
    "absent, ignored": "{% include 'partials/absent.j2' ignore missing %}",
    "a list": "{% include ['partials/a.j2', 'partials/t.txt'] %}",
    "a list with an absent one": "{% include ['partials/absent.j2', 'partials/a.j2'] %}",
    "a choice": "{% include ('partials/a.j2' if x is defined else 'partials/t.txt') %}",
    "computed": "{% include x %}",
    "computed of literals": "{% include 'partials/' ~ 'a.j2' %}",
    "a directory": "{% include 'partials' %}",
    "nothing": "{% include '' %}",
    "above": "{% include '../outside.j2' %}",
    "import_text": "{{ 'partials/t.txt' | import_text }}",
    "import_text, called": "{{ 'partials/t.txt' | import_text() }}",
    "import_text, tight": "{{'partials/t.txt'|import_text}}",
    "import_text, on two lines": "{{ 'partials/t.txt'\n | import_text }}",
    "import_text in parentheses": "{{ ('partials/t.txt') | import_text }}",
    "import_text of what holds a quote": '{{ "partials/it\'s.txt" | import_text }}',
    "import_text with an escape": "{{ 'partials/\\u0074.txt' | import_text }}",
    "import_text behind ~": "{{ 'a' ~ 'partials/t.txt' | import_text }}",
    "import_text, chained": "{{ 'partials/t.txt' | import_text | upper }}",
    "import_text of a variable": "{{ x | import_text }}",
    "import_text of what is computed": "{{ 'partials/t.txt' | lower | import_text }}",
    "import_text as a block": "{% filter import_text %}partials/t.txt{% endfilter %}",
    "import_text through map": "{{ ['partials/t.txt'] | map('import_text') | join }}",
    "import_text of nothing": "{{ 'partials/absent.txt' | import_text }}",
    "import_text in a comment": "{# {{ 'partials/t.txt' | import_text }} #}x",
    "import_text in a raw block": "{% raw %}{{ 'partials/t.txt' | import_text }}{% endraw %}",
    "import_text in text": "Use 'partials/t.txt' | import_text here",
    "import_yaml": "{% set v = 'partials/y.yaml' | import_yaml %}{{ v.k }}",
    "one file, two filters": "{{ 'partials/y.yaml' | import_yaml }}{{ 'partials/y.yaml' | import_text }}",
    "one file, two uses": "{{ 'partials/a.j2' | import_text }}{% include 'partials/a.j2' %}",
    "the order of uses": "{{ 'partials/t.txt' | import_text }}{% include 'partials/a.j2' %}"
    "{{ 'partials/y.yaml' | import_yaml }}",
    "the order of imports": "{{ f('partials/y.yaml' | import_yaml, 'partials/t.txt' | import_text) if x is defined"
    " else 'partials/a.j2' | import_text }}",
    "imports of two roles": f"{SYSTEM}{{{{ 'partials/t.txt' | import_text }}}}{USER}{{% include 'partials/n.j2' %}}",
}


def templates() -> Iterator[Form]:
    for name, text in TEMPLATES.items():
        yield name, {SETTINGS: MODEL, PROMPT: text, **PARTIALS}
    own = {"p.ctx/partials/a.j2": "OWN"}
    yield "partials of its own", {SETTINGS: MODEL, PROMPT: TEMPLATES["include"], "p.ctx/partials/a.j2": "OWN"}
    yield "partials of its own before others", {SETTINGS: MODEL, PROMPT: TEMPLATES["include"], **PARTIALS, **own}
    yield "no partials", {SETTINGS: MODEL, PROMPT: "{% include 'x.j2' %}", "p.ctx/x.j2": "X"}
    message = f"role: system\ncontent: {TEMPLATES['include']!r}\n"
    yield "messages", {SETTINGS: MODEL, "p.ctx/messages/a.yaml": message, **PARTIALS}
    yield "a single file", {"p.ctx": TEMPLATES["what includes"], **PARTIALS}
