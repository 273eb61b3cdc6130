"""What is said about expressions: no value of the environment, the place inside the expression, and what was read."""

import json
from pathlib import Path

import pytest
from frozenctx_compiler import build, check
from frozenctx_compiler.diagnostics.text import render_text
from settings.one_package import outcome

SECRET = "hunter2-of-the-environment"


@pytest.mark.parametrize(
    "settings",
    [
        "max_tokens: !? $env.S + 'x'",
        "temperature: !? $env.S.toUpper()",
        "agent: !? $env.get('S', 1) + ''",
        "context: !? $_.hidden\nhidden: !- $env.S + ''",
        "tools: !? '[[$env.S + \"\"]]'",
        "sub: !? '{shape => $env.S, $env.S => 1}'",
        "name: !? \"'a@' + $env.S\"",
        "reasoning_effort: !? ($_.f)(1)\nf: !() $env.S + ''",
        "? !? $env.S + 'k'\n: 1",
        '? !? "$env.S.toUpper()"\n: 1',
        "meta:\n  !for '[1]': !()\n    !? $env.S: !? int($env.S)",
        "meta: {a: !? int($env.S)}",
        "meta: {a: !? $env.S.nothing}",
        "meta: {a: !? '$env.S[1]'}",
        "meta: {a: !? '$env.S.get(a)'}",
        "meta: {a: !? '{}.get(a) + $env.S'}",
        "meta: {a: !? '$_[$env.S]'}",
        "meta: {a: !? '$_.meta.assert(false, $env.S)'}",
        "meta: {a: !? '$import($env.S)'}",
        "meta: {a: !? 'call($env.S, [], {})'}",
        "meta: {a: !? 'dict($env.S)'}",
        "meta: {a: !? '$env.S.format(1) + 1'}",
        "meta: {a: !? 'datetime($env.S)'}",
        "meta: {a: !? '[$env.S].single().first()'}",
        "meta: {a: !? '$env.S * 100000'}",
        "skills: !? '$env.values().toList() + [5]'",
    ],
)
def test_no_message_holds_a_value_that_an_expression_made_of_the_environment(settings: str, tmp_path: Path) -> None:
    result = outcome(f"model: m\n{settings}\n", tmp_path, env={"S": SECRET})
    assert result.checked is None
    words = result.words + render_text(result.found, lambda file: settings)
    assert "hunter2" not in words.lower()


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("max_tokens: !? 1 + $env.get('N', 2", ""),
        ("max_tokens: !? 1 + nosuch(2)", "nosuch"),
        ('max_tokens: !? "1 + nosuch(2)"', "nosuch"),
        ("max_tokens: !? '1 + nosuch(2)'", "nosuch"),
        ("max_tokens: !? 1 + now()", "now"),
        ("max_tokens: !? .nosuch.len() + zzz()", "zzz"),
        ("max_tokens: !? $_.nosuch + 1", "nosuch"),
        ("max_tokens: !? 1 / 0", "/"),
        ("max_tokens: !? coalesce($env.get('UNSET'), 1)", "UNSET"),
        ("tools: [a, !? 'len(5)']", "len"),
        ("max_tokens: !? 5 )", ")"),
    ],
)
def test_the_caret_stands_inside_the_expression(line: str, part: str, tmp_path: Path) -> None:
    text = f"model: m\n{line}\n"
    found = next(f for f in outcome(text, tmp_path, env={}).found if f.level == "error")
    span = found.span
    assert span is not None
    assert span.line == 2
    assert line[span.column - 1 : span.end_column - 1] == part


@pytest.mark.parametrize("text", ["a: !- 1 / 0", "meta: {a: [1, !- 1 / 0]}", "meta: {a: !- $_.nosuch}"])
def test_a_hidden_value_that_nothing_uses_has_to_be_one(text: str, tmp_path: Path) -> None:
    assert outcome(f"model: m\n{text}\n", tmp_path).codes == ["expression-failed"]


def test_the_caret_stands_inside_a_block(tmp_path: Path) -> None:
    text = "model: m\nmax_tokens: !? |\n  switch(\n    1 = 2 => nosuch(1))\n"
    [found] = outcome(text, tmp_path).found
    assert found.span is not None
    assert (found.span.line, found.span.column, found.span.end_column) == (4, 14, 20)


def test_the_end_of_a_block_is_the_end_of_its_last_line(tmp_path: Path) -> None:
    [found] = outcome("model: m\nmax_tokens: !? |\n  1 +\n   2 +\nname: n\n", tmp_path).found
    assert found.span is not None
    assert (found.span.line, found.span.column) == (4, 7)


def test_everything_wrong_in_a_document_is_said_at_once(tmp_path: Path) -> None:
    text = (
        "model: !? nosuch()\nname: !? 1 +\nmax_tokens: 012\ntemperature: !? $env.get('T')\ncontext: !? $_.model\n"
        "tools: !? now()\nmeta: {a: !? $_.meta.b, b: !? $_.meta.a}\n"
    )
    result = outcome(text, tmp_path)
    assert sorted(result.codes) == [
        "ambiguous-scalar",
        "env-unset",
        "expression-cycle",
        "expression-syntax",
        "refused-function",
        "unknown-function",
    ]


def test_what_was_asked_of_the_environment_is_known(tmp_path: Path) -> None:
    text = (
        "model: !? $env.get('M', 'a' + 'b') + $env.A\nname: !? $env.get('NAME', $env.get('B', name))\n"
        "meta: {a: !? '$env.containsKey(C)', b: !? '$env[D, 5]', c: !? '$env.get(\"E\", null)'}\n"
    )
    result = outcome(text, tmp_path, env={"A": "1", "B": "2", "UNUSED": "3"})
    assert result.codes == []
    assert result.resolved is not None
    use = result.resolved.env
    assert use.found == ("A", "B")
    assert use.missing == ()
    assert use.defaulted == {"C": "", "D": "5", "E": "null", "M": "'a' + 'b'", "NAME": "$env.get('B', name)"}


@pytest.mark.parametrize(
    "line", ["a: !? nosuch($env.X)", "a: !? range(30000).sum()\n  b: !? $env.X + ''", "!if $env.X +: 1"]
)
def test_nothing_is_called_unused_while_an_expression_is_faulty(line: str, tmp_path: Path) -> None:
    package = tmp_path / "p.ctx"
    package.mkdir()
    (package / "prompt.j2").write_text("x\n")
    (package / "settings.yaml").write_text(f"model: m\nmeta:\n  {line}\n")
    codes = [found.code for found in check(str(tmp_path), env={"X": "1", "OTHER": "2"}).report.diagnostics]
    assert codes
    assert "unused-env" not in codes


def test_what_an_imported_file_says_is_quoted_from_it(tmp_path: Path) -> None:
    (tmp_path / "stem.ctx").mkdir()
    (tmp_path / "stem.ctx" / "d.yaml").write_text("b: 1\n\n\n\n\n\n  # far below the end\n0x10: x\n", "utf-8")
    found = outcome("model: m\nmeta: !? $import('d.yaml')\n", tmp_path).finding("bad-value")
    assert found.headline == "the key `0x10` must be a string"
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("stem.ctx/d.yaml", 8)


def test_a_key_that_an_expression_made_is_made_text_there(tmp_path: Path) -> None:
    found = outcome("model: m\nmeta:\n  !? 1 + 1: a\n  b: !? '{3 => 1}'\n", tmp_path).found
    assert [f.headline for f in found] == ["the key `2` must be a string", "the key `3` must be a string"]
    assert {f.help for f in found} == {"make text of it in the expression, `str(…)`"}


def test_a_number_of_the_environment_is_not_shown_as_a_key(tmp_path: Path) -> None:
    result = outcome("model: m\nmeta: !? '{int($env.S) => 1}'\n", tmp_path, env={"S": "271828"})
    assert result.codes == ["bad-value"]
    assert "271828" not in result.words


def test_imported_files_are_in_the_record(tmp_path: Path) -> None:
    package = tmp_path / "tree" / "p.ctx"
    package.mkdir(parents=True)
    (package / "settings.yaml").write_text("model: !? $import('../shared.yaml').model\n")
    (package / "prompt.j2").write_text("Hello.\n")
    (tmp_path / "tree" / "shared.yaml").write_text("model: openai/gpt-5\n")
    result = build(tmp_path / "tree", tmp_path / "out")
    assert result.written
    [record] = (tmp_path / "out" / "records").iterdir()
    paths = [seen["path"] for seen in json.loads(record.read_text())["files"]]
    assert "shared.yaml" in paths
