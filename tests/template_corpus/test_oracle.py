"""The corpus itself: every case means something under plain jinja2, and the same thing every time."""

import re

import pytest
from template_corpus import oracle
from template_corpus.cases import Case, load_cases

CASES = load_cases()
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_case_renders_or_raises_the_same_each_time_and_shows_no_address(case: Case) -> None:
    first = oracle.outcome(case)
    assert first == oracle.outcome(case)
    assert not ADDRESS.search(first.text)
    assert first.error not in ("ImportError", "NameError", "RecursionError")


def test_only_cases_about_errors_and_undefined_values_raise_syntax_errors_stay_in_their_area() -> None:
    for case in CASES:
        if oracle.outcome(case).error in ("TemplateSyntaxError", "TemplateAssertionError"):
            assert case.id.startswith("syntax/")
        elif case.id.startswith("syntax/"):
            assert case.id in ("syntax/super-outside-a-block",)


def test_the_corpus_is_large_and_holds_both_results_and_exceptions() -> None:
    errors = [outcome.error for outcome in map(oracle.outcome, CASES)]
    assert len(CASES) >= 250
    assert errors.count("") >= 200
    assert {
        "FilterArgumentError",
        "KeyError",
        "OwnError",
        "TemplateNotFound",
        "TemplateRuntimeError",
        "TemplatesNotFound",
        "TypeError",
        "UndefinedError",
        "ValueError",
        "ZeroDivisionError",
    } <= set(errors)
