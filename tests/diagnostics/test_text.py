"""The text renderer: the exact shapes of STYLE.md, and a property that holds for any text and any span."""

import re
import time
import unicodedata
from textwrap import dedent

import pytest
from frozenctx_compiler.diagnostics import Diagnostic, Related, Span
from frozenctx_compiler.diagnostics import text as renderer
from hypothesis import given, settings
from hypothesis import strategies as st

FILES = {
    "support/triage.ctx/prompt.j2": "a\nb\nc\n    - 日本 {{ t.tittle | upper }}\n{% for x in\n  items\n\tif x %}\n",
    "support/triage.ctx/schema.pyi": "class Ticket:\n    title: str\n",
    "long.j2": "word " * 200 + "HERE " + "more " * 200,
    "many.yaml": "".join(f"key{n}: value\n" for n in range(1, 31)),
}


def draw(*, span: Span | None = None, colour: bool = False, headline: str = "what is wrong", **rest: object) -> str:
    diagnostic = Diagnostic("some-code", "error", headline, span, **rest)  # type: ignore[arg-type]
    return renderer.render(diagnostic, FILES.get, colour=colour)


def shape(text: str) -> str:
    return dedent(text).lstrip("\n")


def test_the_example_of_the_style_guide_is_drawn_as_it_stands_there() -> None:
    drawn = draw(
        headline="`Ticket` has no attribute `tittle`",
        span=Span.at("support/triage.ctx/prompt.j2", 4, 15, 6),
        label="no such attribute",
        related=(Related(Span.at("support/triage.ctx/schema.pyi", 1, 7, 6), "`Ticket` is declared here"),),
        help="did you mean `title`?",
    )
    assert drawn == shape("""
        error[some-code]: `Ticket` has no attribute `tittle`
         --> support/triage.ctx/prompt.j2:4:15
          |
        4 |     - 日本 {{ t.tittle | upper }}
          |                 ^^^^^^ no such attribute
         ::: support/triage.ctx/schema.pyi:1:7
          |
        1 | class Ticket:
          |       ------ `Ticket` is declared here
          |
          = help: did you mean `title`?
          = docs: frozenctx explain some-code
        """)


def test_a_finding_without_a_place_has_no_frame() -> None:
    assert draw(notes=("one\ntwo",)) == shape("""
        error[some-code]: what is wrong
          = note: one
                  two
          = docs: frozenctx explain some-code
        """)


def test_a_finding_about_a_whole_file_names_it_without_an_excerpt() -> None:
    assert draw(span=Span("long.j2"), label="empty") == shape("""
        error[some-code]: what is wrong
         --> long.j2 (empty)
          = docs: frozenctx explain some-code
        """)


def test_a_file_whose_text_cannot_be_had_keeps_its_line_and_column() -> None:
    assert " --> gone.j2:3:7 (here)\n" in draw(span=Span.at("gone.j2", 3, 7), label="here")


def test_spans_on_one_line_share_a_row_and_their_labels_hang_below() -> None:
    drawn = draw(
        span=Span.at("support/triage.ctx/prompt.j2", 4, 15, 6),
        label="third",
        related=(
            Related(Span.at("support/triage.ctx/prompt.j2", 4, 13), "second"),
            Related(Span.at("support/triage.ctx/prompt.j2", 4, 24, 5), "fourth"),
            Related(Span.at("support/triage.ctx/prompt.j2", 1, 1), "first"),
        ),
    )
    assert drawn == shape("""
        error[some-code]: what is wrong
         --> support/triage.ctx/prompt.j2:4:15
          |
        1 | a
          | - first
        2 | b
        3 | c
        4 |     - 日本 {{ t.tittle | upper }}
          |               - ^^^^^^   ----- fourth
          |               | |
          |               | third
          |               second
          |
          = docs: frozenctx explain some-code
        """).replace("2 | b\n3 | c\n", "...\n")


def test_a_span_of_several_lines_is_joined_by_a_rail() -> None:
    drawn = draw(
        span=Span("support/triage.ctx/prompt.j2", 5, 8, 7, 9),
        label="the loop",
        related=(Related(Span.at("support/triage.ctx/prompt.j2", 6, 3, 5), "the items"),),
    )
    assert drawn == shape("""
        error[some-code]: what is wrong
         --> support/triage.ctx/prompt.j2:5:8
          |
        5 |   {% for x in
          |  ________^
        6 | |   items
          | |   ----- the items
        7 | |     if x %}
          | |___________^ the loop
          |
          = docs: frozenctx explain some-code
        """)


def test_a_long_span_leaves_its_middle_out_and_ends_where_text_ends() -> None:
    assert draw(span=Span("many.yaml", 9, 1, 31, 1)) == shape("""
        error[some-code]: what is wrong
          --> many.yaml:9:1
           |
         9 |   key9: value
           |  _^
        10 | | key10: value
        ...  |
        30 | | key30: value
           | |____________^
           |
           = docs: frozenctx explain some-code
        """)


def test_a_long_line_is_cut_around_what_is_marked() -> None:
    drawn = draw(span=Span.at("long.j2", 1, 1001, 4), label="here")
    excerpt, carets = drawn.split("\n")[3:5]
    assert len(excerpt) <= renderer.WIDEST + 10
    assert excerpt[4] == excerpt[-1] == "…"
    assert excerpt[carets.index("^") : carets.rindex("^") + 1] == "HERE"


def test_control_and_direction_characters_are_written_out_everywhere() -> None:
    hostile = "\x1b[31m\u202e\x07"
    diagnostic = Diagnostic(
        "some-code", "error", hostile, Span.at(hostile, 1, 1, 9), hostile, notes=(hostile,), help=hostile
    )
    drawn = renderer.render(diagnostic, lambda file: hostile)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", drawn)
    assert "␛[31m<U+202E>␇" in drawn


def test_a_mistake_in_a_shared_file_says_how_many_packages_it_hits() -> None:
    assert "= note: in 2 packages: a, b\n" in draw(packages=("a", "b"))
    assert "= note: in 6 packages: a, b, c, d and 2 more\n" in draw(packages=tuple("abcdef"))
    assert "packages" not in draw(packages=("a",))


def test_colour_adds_nothing_but_escape_sequences() -> None:
    options = {
        "span": Span("support/triage.ctx/prompt.j2", 5, 8, 7, 6),
        "label": "the loop",
        "related": (Related(Span.at("support/triage.ctx/schema.pyi", 1, 7, 6), "declared"),),
        "help": "do this",
    }
    coloured = draw(colour=True, **options)  # type: ignore[arg-type]
    assert "\x1b[1;31m" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in bare.split("\n")] == draw(**options).split("\n")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("levels", "packages", "expected"),
    [
        ([], 15, "no errors, no warnings in 15 packages; done"),
        ([("error", "a")], 1, "1 error, no warnings in 1 package; done"),
        ([("error", "a"), ("error", "b"), ("warning", "a"), ("note", "c")], 9,
         "2 errors, 1 warning in 2 of 9 packages; done"),
        ([("error", None)], 0, "1 error, no warnings; done"),
    ],
)
def test_the_last_line_counts(levels: list[tuple[str, str | None]], packages: int, expected: str) -> None:
    found = [
        Diagnostic("some-code", level, "x", packages=(package,) if package else ())  # type: ignore[arg-type]
        for level, package in levels
    ]
    assert renderer.closing(found, packages, "done") == expected


def test_many_findings_on_one_line_look_at_it_once_and_are_drawn_as_each_is_alone() -> None:
    asked: list[str] = []
    line = "日本\t" + "{{ x | uper }} e\u0301 " * 8_000
    found = [Diagnostic("some-code", "error", "x", Span.at("a", 2, column, 4)) for column in range(1, 80_000, 40)]

    def text_of(file: str) -> str:
        asked.append(file)
        return f"first\n{line}\nlast"

    began = time.perf_counter()
    drawn = renderer.render_text(found, text_of)
    assert time.perf_counter() - began < 30  # it took minutes when each finding looked at the whole line
    assert asked == ["a"]
    for index in (0, 7, len(found) - 1):
        assert renderer.render(found[index], text_of) in drawn


# -- properties -----------------------------------------------------------------------------------------------------

LETTERS = st.sampled_from("ab {%}\t\t日本語한e\u0301ö\u200d👩🏽\u200b\ufeff\x00\x1b\u202e\x0c\xa0ｗ\u0e33\u1100\u1161")
NUMBERS = st.integers(-1, 30)
SPANS = st.builds(Span, st.sampled_from(["a", "b", "gone"]), NUMBERS, NUMBERS, NUMBERS, NUMBERS)
PLACES = st.lists(st.builds(Related, SPANS, st.sampled_from(["", "label", "標\t\x1b"])), max_size=4)
TEXTS = st.lists(st.text(LETTERS, max_size=40), max_size=12).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, st.none() | SPANS, PLACES, st.booleans())
def test_anything_can_be_drawn(
    first: str, second: str, span: Span | None, related: list[Related], colour: bool
) -> None:
    diagnostic = Diagnostic("some-code", "error", "x", span, "label", tuple(related))
    drawn = renderer.render(diagnostic, {"a": first, "b": second}.get, colour=colour)
    assert drawn.endswith("= docs: frozenctx explain some-code\n") or colour


def columns_of(drawn: str) -> list[int]:
    """For each terminal column of a drawn line, the index of the character shown there."""
    columns: list[int] = []
    for index, char in enumerate(drawn):
        if unicodedata.category(char) in ("Mn", "Cf") or "\u1160" <= char <= "\u11ff":
            continue
        columns += [index] * (2 if unicodedata.east_asian_width(char) in ("W", "F") else 1)
    return columns


@settings(max_examples=300, deadline=None)
@given(st.text("ab日한e\t\u0301ｗ👩\u1161", max_size=30), st.text("xyz", min_size=1, max_size=5), TEXTS)
def test_carets_stand_under_the_characters_they_mean(before: str, marked: str, after: str) -> None:
    line = before + marked + after.replace("\n", " ")
    diagnostic = Diagnostic("some-code", "error", "x", Span.at("a", 1, len(before) + 1, len(marked)))
    _, _, _, excerpt, carets, *_ = renderer.render(diagnostic, {"a": line}.get).split("\n")
    columns = columns_of(excerpt)
    first, last = carets.index("^"), carets.rindex("^")
    under = [excerpt[columns[column]] for column in range(first, last + 1)]
    assert "".join(under) == marked
