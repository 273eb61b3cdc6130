"""Places in TOML: every key and value of what tomllib reads, exactly."""

import tomllib
from typing import Any

import pytest
from frozenctx_compiler.tomlplaces import Path, TomlPlaces, toml_places
from hypothesis import given
from hypothesis import strategies as st

TEXT = """\
# a comment with = and [brackets]
top = 1  # after
"a b".c = 'x = "y"'

[trees]
"services/chat.v2" = "chat"   # with a dot
'q"' = \"\"\"
several
lines = 1\"\"\"

[ env ]
values = {A = "x", "B.C" = [1, 2.5, {d = true}]}
files = [
  "a",  # one
  'b',
]
when = 1979-05-27 07:32:00

[x.y]
[[x.z]]
a = 1
[[x.z]]
a = 2
[x.z.w]
k = 0
"""


def paths(data: Any, path: Path = ()) -> list[Path]:
    found: list[Path] = [path] if path else []
    if isinstance(data, dict):
        for name, below in data.items():
            found += paths(below, (*path, name))
    elif isinstance(data, list):
        for index, below in enumerate(data):
            found += paths(below, (*path, index))
    return found


def written(places: TomlPlaces, path: Path) -> str:
    start, end = places.values[path]
    return places.text[start:end]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("top",), "1"),
        (("a b", "c"), "'x = \"y\"'"),
        (("trees", "services/chat.v2"), '"chat"'),
        (("trees", 'q"'), '"""\nseveral\nlines = 1"""'),
        (("env", "values", "A"), '"x"'),
        (("env", "values", "B.C", 2, "d"), "true"),
        (("env", "files", 1), "'b'"),
        (("env", "when"), "1979-05-27 07:32:00"),
        (("x", "z", 0, "a"), "1"),
        (("x", "z", 1, "a"), "2"),
        (("x", "z", 1, "w", "k"), "0"),
    ],
)
def test_a_value_is_found_as_it_is_written(path: Path, value: str) -> None:
    assert written(toml_places(TEXT), path) == value


def test_every_path_of_the_data_has_a_place() -> None:
    places = toml_places(TEXT)
    for path in paths(tomllib.loads(TEXT)):
        if isinstance(path[-1], str):
            assert path in places.keys
        span = places.value(path, "f.toml")
        assert span.line >= 1


def test_a_place_ends_with_its_line() -> None:
    span = toml_places(TEXT).value(("trees", 'q"'), "f.toml")
    assert (span.line, span.column, span.end_column) == (7, 8, 11)


NAMES = st.text(st.sampled_from(list("ab.-= #'é[]{}")), max_size=4)
DATA = st.recursive(
    st.integers() | st.booleans() | st.text(st.sampled_from(list("ab=#\"'\\[]{},é")), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)} = {flow(below)}" for name, below in value.items()) + "}"
    if isinstance(value, list):
        return "[ # ]\n" + ",\n ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower()


def quoted(text: str) -> str:
    if "'" not in text and len(text) % 2:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(st.dictionaries(NAMES, DATA, max_size=3), st.dictionaries(NAMES, DATA, max_size=3))
def test_any_data_is_found_again(top: dict[str, Any], table: dict[str, Any]) -> None:
    lines = [f"{quoted(name)} = {flow(value)}" for name, value in top.items() if name != "t"]
    lines += ["[t] # ="] + [f"  {quoted(name)} ={flow(value)}#" for name, value in table.items()]
    text = "\n".join(lines)
    data = tomllib.loads(text)
    places = toml_places(text)
    for path in paths(data):
        if path == ("t",):
            continue
        value = data
        for part in path:
            value = value[part]  # type: ignore[index]
        assert tomllib.loads(f"v = {written(places, path)}")["v"] == value
