"""Samples: `variables`, `description`, `expect`, and everything else a fault at its place."""

from pathlib import Path

import pytest
from settings.one_package import outcome

GOOD = """
description: A short one.
variables: {title: "012", items: [1, 2.5, ~, {2: a, true: b}], "": x}
expect:
  system: {contains: ["a", "b"], not_contains: ["c"], max_chars: 100}
  user: {max_chars: 0}
"""


def test_a_sample_is_read(tmp_path: Path) -> None:
    result = outcome("model: m\n", tmp_path, samples={"one": GOOD, "two": "variables: {}\n"})
    assert result.codes == []
    assert result.checked is not None
    one, two = result.checked.samples
    assert (one.name, one.description) == ("one", "A short one.")
    assert one.variables == {"title": "012", "items": [1, 2.5, None, {2: "a", True: "b"}], "": "x"}
    assert one.expect == {
        "system": {"contains": ["a", "b"], "not_contains": ["c"], "max_chars": 100},
        "user": {"max_chars": 0},
    }
    assert (two.name, two.variables, two.description, two.expect) == ("two", {}, "", {})


@pytest.mark.parametrize(
    ("text", "headline", "line"),
    [
        ("[]", "the sample `one` must be a mapping of `variables`, `description` and `expect`, found a list", 1),
        ("description: x", "the sample `one` has no `variables`", 1),
        ("variables: []", "`variables` must be a mapping of names to values, found a list", 1),
        ("variables: ~", "`variables` must be a mapping of names to values, found null", 1),
        ("variables: {1: x}", "the name `1` must be a string", 1),
        ("variables: {}\nvars: {}", "the sample `one` has no key `vars`", 2),
        ("variables: {}\ndescription: [x]", "`description` must be a string, found a list", 2),
        ("variables: {}\nexpect: x", "`expect` must be a mapping of `system` and `user`, found `x`", 2),
        ("variables: {}\nexpect: {assistant: {}}", "`expect` has no key `assistant`", 2),
        (
            "variables: {}\nexpect: {user: x}",
            "`expect.user` must be a mapping of `contains`, `not_contains` and `max_chars`, found `x`",
            2,
        ),
        ("variables: {}\nexpect: {user: {has: []}}", "`expect.user` has no key `has`", 2),
        (
            "variables: {}\nexpect: {user: {contains: x}}",
            "`expect.user.contains` must be a list of strings, found `x`",
            2,
        ),
        ("variables: {}\nexpect: {user: {contains: [1]}}", "`expect.user.contains[0]` must be a string, found `1`", 2),
        (
            "variables: {}\nexpect: {user: {not_contains: ['']}}",
            "`expect.user.not_contains[0]` must be a string that is not empty, found an empty string",
            2,
        ),
        (
            "variables: {}\nexpect: {user: {max_chars: -1}}",
            "`expect.user.max_chars` must be an integer of 0 or more, found `-1`",
            2,
        ),
        (
            "variables: {}\nexpect: {user: {max_chars: true}}",
            "`expect.user.max_chars` must be an integer of 0 or more, found true",
            2,
        ),
    ],
)
def test_a_sample_that_is_none_is_refused(text: str, headline: str, line: int, tmp_path: Path) -> None:
    result = outcome("model: m\n", tmp_path, samples={"one": text})
    assert result.checked is None
    [found] = result.found
    assert (found.code, found.headline) == ("bad-sample", headline)
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("stem.ctx/samples/one.yaml", line)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("variables: {a: yes}", "ambiguous-scalar"),
        ("variables: {a: 2024-01-01}", "ambiguous-scalar"),
        ("variables: {a: !? $env.A}", "misplaced-tag"),
        ("variables: {a: !!binary aGk=}", "unknown-tag"),
    ],
)
def test_samples_hold_plain_data_of_one_meaning(text: str, code: str, tmp_path: Path) -> None:
    assert outcome("model: m\n", tmp_path, env={"A": "x"}, samples={"one": text}).codes == [code]
