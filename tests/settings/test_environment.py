"""`.env` files and `--env`: exactly one form, everything else a fault with file and line, and never a value shown."""

import pytest
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import parse_assignment, parse_env_file
from hypothesis import given
from hypothesis import strategies as st


def read(content: str | bytes) -> tuple[dict[str, str] | None, Report]:
    report = Report()
    return parse_env_file(content, "prod.env", report), report


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=", ""),
        ("A=b", "b"),
        ("export A=b", "b"),
        ("export\t A=b", "b"),
        ("A=b # comment", "b"),
        ("A=b\t# comment", "b"),
        ("A=b#no comment", "b#no comment"),
        ("A=#b", "#b"),
        ("A= # comment", ""),
        ("A=b  ", "b"),
        ("A=b c", "b c"),
        ("A=postgres://u:p@h/d?x=1#f", "postgres://u:p@h/d?x=1#f"),
        ("A=$HOME ${B} `x`", "$HOME ${B} `x`"),
        ("A=C:\\new", "C:\\new"),
        ("A=it's", "it's"),
        ('A={"a": 1}', '{"a": 1}'),
        ("A==", "="),
        ("A='b # c'", "b # c"),
        ("A='b\\n\"c'", 'b\\n"c'),
        ("A=''", ""),
        ("A='b' # comment", "b"),
        ("A='b'  ", "b"),
        ('A="b # c"', "b # c"),
        ('A="b\\n\\r\\t\\"\\\\c"', 'b\n\r\t"\\c'),
        ('A="$HOME"', "$HOME"),
        ('A="日本 𝒳"', "日本 𝒳"),
        ("A=b\r", "b"),
    ],
)
def test_a_line_gives_its_value(line: str, value: str) -> None:
    content = f"# first\n\n  # second\n{line}\n"
    for form in (content, content.encode()):
        values, report = read(form)
        assert not report.diagnostics
        assert values == {"A": value}


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("hunter2", 1),
        ("A: hunter2", 1),
        ("A = hunter2", 1),
        ("A= hunter2", 3),
        (" A=hunter2", 1),
        ("exportA hunter2", 1),
        ("export hunter2", 1),
        ("A-B=hunter2", 1),
        ("1A=hunter2", 1),
        ("é=hunter2", 1),
        ("=hunter2", 1),
        ('A="hunter2', 3),
        ("A='hunter2", 3),
        ('A="hunter2\\"', 3),
        ('A="hunter2"x', 12),
        ("A='hunter2'#x", 12),
        ("A='a' 'hunter2'", 6),
        ('A="hunter2\\q"', 11),
        ('A="hunter2\\$x"', 11),
        ("A=hunter2\0", 10),
        ("#hunter2\0", 9),
        ("A=hunter2\rB=c", 10),
        ("A=hunter2\nA=hunter2", 1),
        ("set A=hunter2", 1),
    ],
)
def test_anything_else_is_a_fault_at_its_line_that_shows_no_value(line: str, column: int) -> None:
    values, report = read(f"X=1\n{line}\n")
    assert values is None
    [found] = report.diagnostics
    assert found.code == "env-file"
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("prod.env", 3 if "\nA" in line else 2)
    assert found.span.column == column
    assert "hunter2" not in f"{found.headline} {found.help} {found.notes} {found.label}"


def test_a_byte_order_mark_is_a_fault() -> None:
    values, report = read("\ufeffA=b\n".encode())
    assert values is None
    assert [found.span and found.span.line for found in report.diagnostics] == [1]


def test_bytes_that_are_not_utf_8_are_a_fault_at_their_place() -> None:
    values, report = read("é=1\nA=日".encode() + b"\xffhunter2")
    assert values is None
    [found] = report.diagnostics
    assert found.span is not None
    assert (found.span.line, found.span.column) == (2, 4)


def test_all_faults_of_a_file_are_said_at_once() -> None:
    assert [f.span and f.span.line for f in read("a b\nA='x\nB=1\nB=2\n")[1].diagnostics] == [1, 2, 4]


NAME = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,6}\Z")


@given(st.dictionaries(NAME, st.text(st.characters(codec="utf-8", exclude_characters="\0")), max_size=5))
def test_any_value_can_be_written_in_double_quotes(values: dict[str, str]) -> None:
    def quoted(value: str) -> str:
        for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            value = value.replace(char, escape)
        return f'"{value}"'

    content = "".join(f"{name}={quoted(value)} # x\n" for name, value in values.items())
    assert read(content.encode())[0] == values


@given(st.text(st.sampled_from(list("Ab=\"'\\#$ \n\t{}n"))))
def test_any_text_is_read_whole_or_refused_with_a_line_of_it(text: str) -> None:
    values, report = read(text)
    assert (values is None) == report.has_errors
    for found in report.diagnostics:
        assert found.span is not None
        assert 1 <= found.span.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "pair"), [("A=b", ("A", "b")), ("A=", ("A", "")), ("A=b=c d", ("A", "b=c d")), ("_a1='x'", ("_a1", "'x'"))]
)
def test_an_assignment_takes_the_rest_as_it_stands(text: str, pair: tuple[str, str]) -> None:
    report = Report()
    assert parse_assignment(text, report) == pair
    assert not report.diagnostics


@pytest.mark.parametrize(
    "text", ["hunter2", "=hunter2", "A B=hunter2", "1A=hunter2", " A=hunter2", "A=hunter2\0", "A=\udcff", ""]
)
def test_anything_else_for_env_is_a_fault_that_shows_no_value(text: str) -> None:
    report = Report()
    assert parse_assignment(text, report) is None
    [found] = report.diagnostics
    assert found.code == "env-assignment"
    assert "hunter2" not in f"{found.headline} {found.help}"
