"""Front matter opens on the first line, closes on the next fence, and never reaches a prompt."""

import pytest
from frozenctx_compiler.frontmatter import SingleFile, split
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "settings", "body", "body_line"),
    [
        ("---\na: 1\n---\nbody\n", "a: 1\n", "body\n", 4),
        ("---\na: 1\n---", "a: 1\n", "", 4),
        ("---\na: 1\n---\n", "a: 1\n", "", 4),
        ("---\n---\nbody", "", "body", 3),
        ("---\n---", "", "", 3),
        ("--- \t\na: 1\n---  \nbody", "a: 1\n", "body", 4),
        ("---\na: 1\n---\nbody\n---\nmore\n", "a: 1\n", "body\n---\nmore\n", 4),
        ("---\na: |\n  ---\n----\n---\nx", "a: |\n  ---\n----\n", "x", 6),
        ("---\n\n\n---\n\nx", "\n\n", "\nx", 5),
    ],
)
def test_front_matter_and_body_are_told_apart(text: str, settings: str, body: str, body_line: int) -> None:
    assert split(text) == SingleFile(settings, body, body_line)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body",
        "----\na: 1\n----\n",
        "\n---\na: 1\n---\n",
        " ---\na\n---\n",
        "--- a\n---\n",
        "--\n",
        "---\u00a0\n---",
    ],
)
def test_without_a_fence_on_the_first_line_the_whole_file_is_the_body(text: str) -> None:
    assert split(text) == SingleFile(None, text, 1)


@pytest.mark.parametrize(
    "text", ["---", "---\n", "---\na: 1\n", "---\na: 1\n ---\n", "---\na: 1\n---- \n", "---\nx---"]
)
def test_front_matter_that_is_never_closed_gives_no_body(text: str) -> None:
    parts = split(text)
    assert (parts.closed, parts.body) == (False, "")


def reading(text: str) -> tuple[str | None, str, bool]:
    """The same, line by line: (settings, body, closed)."""
    lines = text.split("\n")
    fences = [number for number, line in enumerate(lines) if line[:3] == "---" and not line[3:].strip(" \t")]
    if not fences or fences[0] != 0:
        return None, text, True
    if len(fences) == 1:
        return "\n".join(lines[1:]), "", False
    end = fences[1]
    return "".join(line + "\n" for line in lines[1:end]), "\n".join(lines[end + 1 :]), True


_LINES = ["---", "--- ", "----", " ---", "---x", "a: 1", "", "\t", "é", "---\t "]


@given(st.lists(st.sampled_from(_LINES)).map("\n".join))
def test_splitting_equals_a_reading_line_by_line(text: str) -> None:
    parts = split(text)
    assert (parts.settings, parts.body, parts.closed) == reading(text)
    if parts.settings is not None and parts.closed and parts.body:
        assert text.split("\n")[parts.body_line - 1 :] == parts.body.split("\n")
