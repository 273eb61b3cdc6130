"""YAML trees: exact places, keys once, merge keys as PyYAML's, nothing recursive, nothing that grows without end."""

import re
from typing import Any

import pytest
import yaml
from frozenctx_compiler.diagnostics import Diagnostic, Report
from frozenctx_compiler.package import Located
from frozenctx_compiler.yamltree import compose, plain, span_of
from hypothesis import example, given
from hypothesis import strategies as st


def read(text: str, line_offset: int = 0) -> tuple[Located | None, tuple[Diagnostic, ...]]:
    report = Report()
    scope = report.scoped("p")
    node = compose(text, "f.yaml", scope, line_offset=line_offset)
    located = plain(node, "f.yaml", scope) if node is not None else None
    return located, report.diagnostics


def value_of(text: str) -> Any:
    located, found = read(text)
    assert located is not None, found
    return located.value


def only(text: str) -> Diagnostic:
    located, found = read(text)
    assert located is None
    [diagnostic] = found
    return diagnostic


DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029"), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcé日𝒳 ", min_size=1, max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(DATA, st.sampled_from([None, '"', "'"]), st.booleans(), st.booleans())
@example({"0E0": "1e5"}, None, False, True)
def test_what_pyyaml_writes_is_read_back(data: object, style: str | None, flow: bool, unicode: bool) -> None:
    text = yaml.safe_dump(data, default_style=style, default_flow_style=flow, allow_unicode=unicode, sort_keys=False)
    assert yaml.safe_load(text) == data
    located, found = read(text)
    if located is None:  # PyYAML leaves plain what YAML 1.2 takes for a number, such as `0E0`
        assert {diagnostic.code for diagnostic in found} == {"ambiguous-scalar"}
        assert re.search(r"\d[eE]", text)
    else:
        assert located.value == data


SHORT = st.text("abé日𝒳 '\u00a0#:", min_size=1, max_size=5)


@given(st.dictionaries(SHORT, SHORT, min_size=1))
def test_spans_are_lines_and_code_points_of_the_file(pairs: dict[str, str]) -> None:
    text = "# 日本 𝒳\n" + "".join(f'"{key}" :  "{value}"\n' for key, value in pairs.items())
    report = Report()
    node = compose(text, "f.yaml", report.scoped("p"), line_offset=7)
    assert isinstance(node, yaml.MappingNode)
    for line, (key, value), (key_node, value_node) in zip(
        text.split("\n")[1:-1], pairs.items(), node.value, strict=True
    ):
        for part, quoted in ((key_node, f'"{key}"'), (value_node, f'"{value}"')):
            span = span_of(part, "f.yaml")
            assert line[span.column - 1 : span.end_column - 1] == quoted
            assert text.split("\n")[span.line - 1 - 7] == line


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("text", ["# a{}b\n", 'a: "b{}c"\n', "a: |\n  b{}c\n", "a: b{}c\n"])
def test_line_ends_of_yaml_1_1_alone_are_a_fault(char: str, text: str) -> None:
    found = only("x: 1\n" + text.format(char))
    assert f"U+{ord(char):04X}" in found.headline
    assert value_of(f'a: "b\\u{ord(char):04x}c"\n') == {"a": f"b{char}c"}


def test_places_of_every_kind_of_value() -> None:
    located, _ = read("é: [1, {日本: 𝒳x}]\nb:\n  - |\n    text\n  - k: v\n", line_offset=2)
    assert located is not None

    def at(path: tuple[str | int, ...], spans: str = "spans") -> tuple[int, int, int]:
        span = getattr(located, spans)[path]
        return span.line, span.column, span.end_column

    assert at(("é",), "keys") == (3, 1, 2)
    assert at(("é",)) == (3, 4, 17)
    assert at(("é", 0)) == (3, 5, 6)
    assert at(("é", 1, "日本"), "keys") == (3, 9, 11)
    assert at(("é", 1, "日本")) == (3, 13, 15)
    assert at(("b",)) == (5, 3, 4)
    assert at(("b", 0)) == (5, 5, 6)
    assert at(("b", 1)) == (7, 5, 6)
    assert at(("b", 1, "k")) == (7, 8, 9)


def test_an_aliased_value_stands_where_it_is_written() -> None:
    located, _ = read("a: &x 1\nb: *x\n")
    assert located is not None
    assert located.spans[("b",)].line == 1
    assert located.keys[("b",)].line == 2


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "--- # x\n...\n"])
def test_an_empty_document_is_none_without_a_fault(text: str) -> None:
    report = Report()
    node = compose(text, "f.yaml", report.scoped("p"))
    assert node is None or isinstance(node, yaml.ScalarNode)
    assert not report.diagnostics


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: b: c\n", (1, 5), "inside an unquoted value"),
        ("a: 1\n---\nb: 2\n", (2, 1), "more than one YAML document"),
        ("a: 'x\n", (1, 4), "never closed"),
        ("\ta: 1\n", (1, 1), "a tab"),
        ("a: @x\n", (1, 4), "cannot begin with `@`"),
        ("a: `x`\n", (1, 4), "begin with a backquote"),
        ("a: *q\n", (1, 4), "not defined"),
        ("a: &x 1\nb: &x 2\n", (2, 4), "defined twice"),
        ("a: é日\x07\n", (1, 6), "U+0007"),
        ("- a\nb\n", (2, 1), "neither"),
        ('a: "\\q"\n', (1, 5), "is no escape"),
        ("a: [1, 2\n", (1, 4), "never closed"),
        ("a: %x\n", (1, 4), "`%`"),
        ("日本: 𝒳\n  x: 1\n", (2, 3), "indented further"),
    ],
)
def test_a_syntax_error_has_its_place_and_plain_words(text: str, place: tuple[int, int], words: str) -> None:
    found = only(text)
    assert found.code == "yaml-syntax"
    assert found.span is not None
    assert (found.span.line, found.span.column) == place
    assert words in found.headline


@given(st.text(st.sampled_from(list("ab: -[]{},&*!?|>'\"#%@`\n\t\\0~<=é")), max_size=24))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    located, found = read(text)
    for diagnostic in found:
        assert diagnostic.span is not None
        assert 1 <= diagnostic.span.line <= text.count("\n") + 1
        assert diagnostic.help, diagnostic
    if located is None and not found:
        assert yaml.safe_load(text) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("a: 1\nb: 2\na: 3\n", "a"),
        ("x: {k: 1, 'k': 2}\n", "k"),
        ('- - {a: 1, "a": 1}\n', "a"),
        ("1: a\n1.0: b\n", "1.0"),
        ("~: a\nnull: b\n", "null"),
        ("? !foo a\n: 1\n? !foo a\n: 1\n", "a"),
        ("d:\n  <<: {a: 1}\n  <<: {b: 1}\n", "<<"),
    ],
)
def test_a_key_twice_at_any_depth_is_a_fault_that_shows_both(text: str, key: str) -> None:
    _, found = read(text)
    assert [f.code for f in found] == ["duplicate-key"]
    assert f"`{key}`" in found[0].headline
    [first] = found[0].related
    assert found[0].span is not None
    assert first.span < found[0].span


def test_all_duplicate_keys_are_said_at_once() -> None:
    assert [f.code for f in read("a: 1\na: 2\nb: {c: 1, c: 2}\n")[1]] == ["duplicate-key"] * 2


@pytest.mark.parametrize("text", ["? [a]\n: 1\n", "{a: b}: 1\n", "? {a: 1}\n: 2\n", "x: &a [1]\ny: {*a : 1}\n"])
def test_a_list_or_mapping_as_a_key_is_a_fault(text: str) -> None:
    assert only(text).code == "complex-key"


MERGED = """
root: &root {a: 1, b: 1, c: 1}
one: &one {<<: *root, b: 2, d: 2}
two: &two {c: 3, e: 3, <<: [{f: 4, a: 4}]}
"""


@pytest.mark.parametrize(
    "last",
    [
        "{<<: *root}",
        "{<<: *root, z: 0}",
        "{z: 0, <<: *root}",
        "{b: 9, <<: *root}",
        "{<<: [*root, {b: 5, g: 5}]}",
        "{<<: [{b: 5}, *root], a: 0}",
        "{'<<': 1}",
        "{<<: []}",
        "{<<: {}}",
        "{<<: *two, a: 7}",
        "{x: {<<: *two}}",
    ],
)
def test_merge_keys_are_pyyamls_in_value_and_order(last: str) -> None:
    text = f"{MERGED}last: {last}\n"
    ours, theirs = value_of(text), yaml.safe_load(text)
    assert ours == theirs
    assert list(ours["last"]) == list(theirs["last"])


def test_a_merged_mapping_brings_what_it_overrides_itself() -> None:
    assert value_of(f"{MERGED}last: {{<<: *one}}\n")["last"] == {"a": 1, "b": 2, "c": 1, "d": 2}


@pytest.mark.parametrize(
    "text", ["a: {<<: 1}\n", "a: {<<: [1]}\n", "a: {<<: [[{b: 1}]]}\n", "a: {<<: !? x}\n", "a: {<<: ~}\n"]
)
def test_merging_what_is_no_mapping_is_a_fault(text: str) -> None:
    assert only(text).code == "bad-merge"


def test_an_overridden_value_is_not_looked_at() -> None:
    assert value_of("x: &x {a: '1'}\ny: {<<: *x, a: 2}\n")["y"] == {"a": 2}


@pytest.mark.parametrize(
    "text", ["a: &a [*a]\n", "&a {b: *a}\n", "a: &a {b: {c: [*a]}}\n", "a: &a {<<: *a}\n", "&a {*a : 1}\n"]
)
def test_a_value_that_contains_itself_is_a_fault(text: str) -> None:
    assert only(text).code == "recursive-alias"


def bomb(levels: int, wide: int, leaf: str) -> str:
    lines = [f"a0: &a0 {leaf}"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * wide)}]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        bomb(30, 9, "x"),
        bomb(12, 10, "[]"),
        bomb(6, 9, "x" * 2000),
        "[" * 500 + "]" * 500,
        "- " * 5000 + "x",
        "[" * 9999,
        "\n".join(" " * i + "a:" for i in range(300)),
        "{a: " * 150 + "1" + "}" * 150,
        bomb(2, 1, "[" * 60 + "]" * 60).replace("[*a0]", "[" * 60 + "*a0" + "]" * 60),
    ],
    ids=range(9),
)
def test_what_would_grow_or_nest_without_end_is_a_fault(text: str) -> None:
    assert only(text).code == "yaml-too-large"


def test_ordinary_aliases_are_not_counted_against_anybody() -> None:
    assert value_of(bomb(4, 9, "x"))["a3"] == [[["x"] * 9] * 9] * 9
    assert len(value_of("\n".join(f"- {i}" for i in range(20000)))) == 20000


def test_a_merge_bomb_ends() -> None:
    lines = ["a0: &a0 {k0: 1}"] + [
        f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], k{i}: 1}}" for i in range(1, 30)
    ]
    assert only("\n".join(lines)).code == "yaml-too-large"


@pytest.mark.parametrize("text", ['a: "\\ud800"\n', '"\\ud800": 1\n', '[{"\\ud83d\\ude00": 1, b: 2}]\n'])
def test_half_a_surrogate_pair_is_a_fault(text: str) -> None:
    assert "surrogate" in only(text).headline


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        ('a: "b\\U00110000"\n', (6, 16), "no character U+00110000"),
        ('a: "\\Uffffffff\\"\n', (5, 15), "no character U+FFFFFFFF"),
        (f"%YAML {'1' * 5000}.1\n---\na: 1\n", (7, 8), "too long"),
    ],
)
def test_numbers_of_the_syntax_that_are_too_large_are_faults(text: str, columns: tuple[int, int], words: str) -> None:
    found = only(text)
    assert words in found.headline
    assert found.span is not None
    assert (found.span.column, found.span.end_column) == columns
