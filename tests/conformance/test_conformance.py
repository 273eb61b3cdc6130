"""jinja2's own test-suite passes when its templates are compiled programs.

Needs the suite's source distribution, which is fetched once. Where that is not possible these tests are skipped,
unless FROZENCTX_CONFORMANCE=required (`make conformance`).
"""

from __future__ import annotations

import os
import re

import pytest
from conformance import suite


@pytest.fixture(scope="module", params=["lean", "kept", "reference"])
def results(request: pytest.FixtureRequest) -> suite.Results:
    try:
        suite.fetched()
    except suite.SuiteUnavailable as error:
        if os.environ.get("FROZENCTX_CONFORMANCE") == "required":
            raise
        pytest.skip(f"jinja2's suite could not be fetched: {error}")
    found, printed = suite.run_listed(request.param)
    assert found, printed
    return found


def test_every_listed_test_passes_through_programs(results: suite.Results) -> None:
    wanted = [test for tests in suite.listed().values() for test in tests]
    outcomes = {test: results.get(test, {"outcome": "missing"})["outcome"] for test in wanted}
    assert {test: outcome for test, outcome in outcomes.items() if outcome != "passed"} == {}


def test_listed_tests_render_through_bytes_and_never_through_jinja2(results: suite.Results) -> None:
    assert sum(entry["renders"] > 0 for entry in results.values()) >= 525
    assert [test for test, entry in results.items() if entry["fallbacks"]] == []


@pytest.mark.usefixtures("results")
def test_every_test_of_the_suite_is_listed_or_excluded_for_a_reason() -> None:
    files = [beginning for beginning in suite.excluded() if beginning.endswith(".py")]
    _none, printed = suite.run("--collect-only", *(f"--ignore={file}" for file in files), "tests")
    ids = [line for line in printed.splitlines() if line.startswith("tests/test_") and "::" in line]
    listed = {test for tests in suite.listed().values() for test in tests}
    beginnings = tuple(suite.excluded())
    assert len(ids) > 600
    assert [test for test in ids if test not in listed and not test.startswith(beginnings)] == []


def test_list_is_large_enough_and_has_nothing_twice() -> None:
    sections = suite.listed()
    tests = [test for tests in sections.values() for test in tests]
    assert len(tests) == len(set(tests))
    assert len(sections["semantics"]) >= 558
    assert all(reason.strip() for reason in suite.excluded().values())
    assert not [test for test in tests if test in suite.excluded()]


def test_compatibility_gives_the_numbers_of_the_list() -> None:
    text = (suite.ROOT / "COMPATIBILITY.md").read_text(encoding="utf-8")
    rows = [int(number) for number in re.findall(r"^\| .* \| (\d+) of \1 \|", text, re.MULTILINE)]
    sizes = [len(tests) for tests in suite.listed().values()]
    assert rows == [*sizes, sum(sizes)]
    left_out = [int(number) for number in re.findall(r"^\| [^|]* \| (\d+) \| [^|]* \|$", text, re.MULTILINE)]
    assert f"The {sum(left_out)} others of its {sum(sizes) + sum(left_out)} are left out" in text
