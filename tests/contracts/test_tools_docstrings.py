"""Docstrings of any shape: what was written about a parameter comes back, and no word is lost or made up."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from frozenctx_compiler import api
from frozenctx_compiler.contracts.docstrings import clean
from frozenctx_compiler.contracts.parameters import documented
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = ["x", "limit", "account_id", "日本"]
words = st.sampled_from(["Find", "it.", "the (old) one", "a: b", "x", "- item", "Args", "1.", "`code`", "日本語", "—"])
lines = st.lists(words, min_size=1, max_size=4).map(" ".join)
# The first line of what follows a name may hold anything; a line that goes on begins with no word that a style knows.
rests = lines.map(lambda line: "and " + line)
paragraphs = st.lists(st.lists(rests, min_size=1, max_size=3), min_size=0, max_size=2)
descriptions = st.tuples(lines, paragraphs).map(
    lambda parts: "\n\n".join([parts[0], *("\n".join(paragraph) for paragraph in parts[1])])
)
types = st.sampled_from(["", "int", "dict[str, int], optional", "{'a', 'b'}", "Callable[[int], tuple(a, b)]"])
tails = st.sampled_from(["", "Nothing follows.", "It ends\nin two lines.\n\nOr three."])


def indented(text: str, columns: int) -> str:
    return "\n".join(" " * columns + line if line else "" for line in text.split("\n"))


def google(told: Mapping[str, tuple[str, str]], header: str) -> str:
    entries = []
    for name, (type, words) in told.items():
        first, _, rest = words.partition("\n")
        typed = f" ({type})" if type else ""
        entries.append(f"    {name}{typed}: {first}" + (f"\n{indented(rest, 8)}" if rest else ""))
    return "\n".join([f"{header}:", *entries])


def numpy(told: Mapping[str, tuple[str, str]], header: str) -> str:
    entries = [f"{name}{type and ' : ' + type}\n{indented(words, 4)}" for name, (type, words) in told.items()]
    return "\n".join(["Parameters", "-" * len("Parameters"), *entries])


def sphinx(told: Mapping[str, tuple[str, str]], header: str) -> str:
    entries = []
    for name, (type, words) in told.items():
        first, _, rest = words.partition("\n")
        entries.append(f":param {name}: {first}" + (f"\n{indented(rest, 4)}" if rest else ""))
        entries += [f":type {name}: {type.replace(':', '')}"] if type else []
    return "\n".join(entries)


RETURNS = {
    google: "Returns:\n    A list: of things.\n\nRaises:\n    ValueError: never.",
    numpy: "Returns\n-------\nlist\n    Of things.\n\nRaises\n------\nValueError\n    Never.",
    sphinx: ":returns: A list.\n:raises ValueError: never.",
}


@st.composite
def docstrings(draw: st.DrawFn) -> tuple[str, str, dict[str, str]]:
    """A docstring, the text that is to stay of it, and what is to be said of its parameters."""
    style = draw(st.sampled_from(sorted(RETURNS, key=lambda style: style.__name__)))
    told = draw(st.dictionaries(st.sampled_from(NAMES), st.tuples(types, descriptions), min_size=1, max_size=4))
    header = draw(st.sampled_from(["Args", "Arguments", "Parameters", "Keyword Args"]))
    summary, tail = draw(st.sampled_from(["Do it.", "Do it\nin two lines.\n\nArgs are few."])), draw(tails)
    returns = RETURNS[style] if draw(st.booleans()) else ""
    blank = "\n" if style is sphinx and returns else "\n\n"
    parts = style(told, header) + (blank + returns if returns else "")
    whole = "\n\n".join(part for part in (summary, parts, tail) if part)
    text = "\n\n".join(part for part in (summary, returns, tail) if part)
    return whole, text, {name: words for name, (_, words) in told.items()}


@given(docstrings())
@settings(max_examples=300, deadline=None)
def test_what_is_written_in_a_style_is_read_in_it(written: tuple[str, str, dict[str, str]]) -> None:
    docstring, text, parameters = written
    found = documented(docstring)
    assert found.parameters == parameters, docstring
    assert found.text == text, docstring


@given(docstrings(), st.sampled_from([2, 4, 7]))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_it_reaches_the_contract_however_the_stub_is_indented(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[str, str, dict[str, str]], columns: int
) -> None:
    docstring, text, parameters = written
    signature = ", ".join(f"{name}: int" for name in parameters)
    root = tmp_path_factory.mktemp("stub")
    package = root / "p.ctx"
    package.mkdir()
    (package / "settings.yaml").write_text("model: openai/gpt-5\n", "utf-8")
    (package / "prompt.j2").write_text("Hi.", "utf-8")
    body = indented(f'r"""{docstring}\n"""', columns)
    (package / "tools.pyi").write_text(f"def f({signature}):\n{body}\n", "utf-8")
    tool = api.load(root)["p"].tool("f")
    assert tool.description == text
    assert {name: part.get("description") for name, part in tool.input_schema["properties"].items()} == parameters


pieces = st.sampled_from(
    ["Args:", "Parameters", "----------", "Returns:", "Returns", "-------", ":param x: one", ":param",
     ":returns: it", "    x: one", "x : int", "    x (int): one", "    two", "        three", "", "four five", "    ",
     "x", "\tx", "```", "    ```", "~~~py", "x : three four", ":type x: one two", "    x (five in all): one", "    x:"]
)  # fmt: skip


def of_words(parts: Sequence[str]) -> list[str]:
    return sorted(re.findall(r"one|two|three|four|five", " ".join(parts)))


@given(st.lists(pieces, max_size=14))
@settings(max_examples=3000, deadline=None)
def test_no_word_is_lost_whatever_the_lines_are(given_lines: list[str]) -> None:
    docstring = clean("\n".join(given_lines))
    found = documented(docstring)
    if not found.repeated:  # of a parameter that is described twice the second is reported, and not kept
        assert of_words([found.text, *found.parameters.values()]) == of_words([docstring])


def test_long_docstrings_take_no_time() -> None:
    for line in ("Args:", "    x: y", "x, " * 3, ":param x: y", "x (((((((((", "    " + "a, " * 40):
        assert documented("\n".join([line] * 3000)) is not None


def test_the_page_shows_the_three_styles() -> None:
    page = (Path(__file__).parents[2] / "docs/tools.md").read_text("utf-8")
    assert all(style in page for style in ("Google", "numpy", "Sphinx"))


@pytest.mark.parametrize(
    "words",
    ["int", "str, optional", "list of str", "{'a b', 'c'}", "dict[str, int] | None", "int or float, default: 5 at most",
     "array_like, shape (n, m)", "Callable[[int], tuple(a, b)]", "numpy.ndarray", ""],
)  # fmt: skip
def test_a_type_is_no_description(words: str) -> None:
    for docstring in (f"Parameters\n----------\nx : {words}\n    One.", f"Args:\n    x ({words}): One."):
        assert documented(docstring).parameters == {"x": "One."}


def test_what_is_only_named_is_no_description_and_yet_known() -> None:
    found = documented("Args:\n    account:\n    a: alpha\n    account: later\n    b:\n    b:")
    assert (found.parameters, found.repeated) == ({"account": "later", "a": "alpha", "b": ""}, ())
