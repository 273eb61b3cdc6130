"""One verdict, one tree and one set of places for a text, whether PyYAML was built with libyaml or not."""

from pathlib import Path

import pytest
import yaml
from frozenctx_compiler import yamlnodes
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.yamltree import compose
from hypothesis import example, given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).parents[1] / "corpus"

pytestmark = pytest.mark.skipif(not yaml.__with_libyaml__, reason="this PyYAML has no libyaml to compare with")


def outcome(text: str) -> object:
    """What comes of a text: every node with all of its marks, or the diagnostics."""
    report = Report()
    node = compose(text, "f.yaml", report.scoped("p"))
    seen: dict[yaml.Node, int] = {}

    def shown(part: yaml.Node) -> object:
        if part in seen:
            return seen[part]
        seen[part] = len(seen)
        start = (part.start_mark.index, part.start_mark.line, part.start_mark.column)
        end = (part.end_mark.index, part.end_mark.line, part.end_mark.column)
        if isinstance(part, yaml.ScalarNode):
            return part.tag, part.value, part.style or "", start, end
        assert isinstance(part, yaml.CollectionNode)
        below = [shown(child) for child in yamlnodes.children(part)]
        return part.tag, bool(part.flow_style), start, end if part.flow_style else None, below

    return report.diagnostics, node and shown(node)


def of_python_alone(text: str) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yamlnodes, "_Libyaml", None)
        return outcome(text)


DIFFERENT = {  # to libyaml the first are YAML; what the last are to both has other marks or tags
    "a tab after a colon": "a:\tb\n",
    "a tab after a value": "a: b\t\n",
    "a tab before a comment": "a: |\t# c\n  b\n",
    "a comment without a blank": "a: |# c\n  b\n",
    "a question mark in brackets": "a: [b?, c]\n",
    "a question mark behind a quoted one": "a: ['b?', c?]\n",
    "a question mark before a quoted one, in a comment": "a: [c, # ?\n 'b?']\nd: [?'a?']\n",
    "a question mark behind a quoted key in brackets": "a: [\"?\": b? c]\n",
    "a question mark of a quoted one with a tag": "a: [!? 'b?', !!str 'c?', &d 'e?', *d]\n",
    "a question mark after a tag in brackets": "a: [b, !? c?d]\n",
    "a byte order mark on a line of its own": "a:\n\ufeff\n",
    "a byte order mark before a key": "\n\ufeff\nk: 1\n",
    "a tag with a strange handle": "a: !?!b c\n",
    "a tag without a name": "a: ! 012\n",
    "a tag with an escape": "a: !%61%62 c\n",
    "a key without a value": "? a\n? b\n",
    "a question mark alone": "?",
    "nothing in braces": "{a: }\n",
    "nothing in brackets, and a comment": "[a: # b\n ,c]\n",
    "a document of nothing": "--- # c\n",
    "half of a surrogate pair": 'a: "\\ud800"\n',
    "a version of YAML to come": "%YAML 1.3\n---\na: 1\n",
    "an escape of no character": 'a: "\\U00110000"\n',
    "two faults of which each names another": "a: [b?, c]\nd: @e\n",
    "more levels than there may be": "a: 1\na: 2\nb: " + "[" * 99 + "x" + "]" * 99 + "\n",
}


@pytest.mark.parametrize("text", DIFFERENT.values(), ids=DIFFERENT)
def test_what_the_scanners_read_differently_has_one_outcome(text: str) -> None:
    assert outcome(text) == of_python_alone(text)


@pytest.mark.parametrize(
    "text",
    ["a: why? [b]\nc: !? d\n", "a: !!str 1\nb: !- {c: !() 2}\n", "a: |\n  b!\n", "a: |\n  != b\n"]
    + ["a: ['b?', {c: \"d?\"}]\n"],
)
def test_ordinary_texts_are_left_to_libyaml(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlnodes, "_Python", None)
    assert yamlnodes.document(text) is not None


def test_every_file_of_the_corpus_has_one_outcome() -> None:
    files = [path for path in sorted(CORPUS.rglob("*.y*ml")) if path.is_file()]
    assert len(files) > 300
    for path in files:
        text = path.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
        assert outcome(text) == of_python_alone(text), path


PIECES = st.sampled_from(
    ["a", "b", "é", "\U0001f600", "\ufeff", "0", "~", "=", "<<", "k: ", "a:", ":", ": ", "\n", "\n  ", "\n- "]
    + ["\n  k: ", " ", "  ", "\t", "-", "- ", "?", "? ", "[", "]", "{", "}", "{a: ", ",", ", ", "#", " #", "|", "|\n"]
    + [">-\n", "&x", "&x ", "*x", "*x ", "!", "! ", "!t ", "!!str ", "!!int 1", "!e!x", "!<", "!? ", "!- ", "%", "%20"]
    + ["@", "`", "|2\n", "'", '"', "'y'", '"x"', "\\", "\\n", "\\x41", "\\ud800", "\\U99999999", "\x07", "\x7f", "---"]
    + ["...", "\n---\n", "%YAML 1.1\n---\n", "%TAG ! tag:x,2000:\n---\n", "K" * 1030, "[a:b]", '"a":b', "[a, b: c]"]
    + ["'a\n  b'", '"a\\\n b"', "!= ", "!=\n", "'?'", '"a? b"', "[?"]
)


@given(st.lists(PIECES, min_size=1, max_size=12).map("".join))
@example("a: !!null\n?\n")
@settings(max_examples=1500, deadline=None)
def test_random_texts_have_one_outcome(text: str) -> None:
    assert outcome(text) == of_python_alone(text)


LINES = ["name: x", "tools: [a, b]", "  - c", "meta:", "  owner: é", "system: |", "  Why?", "", "model: !? $env.A"]


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=8), st.integers(0, 90), PIECES, st.integers(0, 3))
@settings(max_examples=1000, deadline=None)
def test_settings_with_something_in_them_have_one_outcome(lines: list[str], at: int, piece: str, without: int) -> None:
    text = "\n".join(lines) + "\n"
    text = text[:at] + piece + text[at + without :]
    assert outcome(text) == of_python_alone(text)
