"""A short run with fixed seeds; `make fuzz` is the long one."""

from collections import Counter

import pytest
from frozenctx.template import filters_words
from fuzz.constructs import ALL, constructs
from fuzz.pieces import Piece
from fuzz.run import smallest
from fuzz.settings import SETTINGS
from fuzz.sides import jinja_environment, kinds
from fuzz.templates import Case
from fuzz.trial import Trial, judged

SEED = 2
CASES = 240
SAMPLE = 800


def test_random_templates_render_as_jinja2_renders_them_and_most_without_an_exception() -> None:
    rendered = 0
    for number in range(CASES):
        trial = Trial(SEED, number)
        # One kind after the other: all of them for each case are for the long run.
        names = kinds()
        verdict = judged(trial, trial.case, trial.sides([names[number // 3 % len(names)]]))
        assert not verdict.ours, f"replay with: python tests/fuzz/run.py --seed {SEED} --only {number}"
        assert verdict.theirs.error not in ("TemplateSyntaxError", "TemplateAssertionError")
        rendered += not verdict.theirs.error
    assert rendered >= 0.7 * CASES


def test_the_generator_produces_every_construct_of_the_language() -> None:
    count: Counter[str] = Counter()
    for number in range(SAMPLE):
        trial = Trial(SEED, number)
        environment = jinja_environment({}, trial.setting)
        for source in trial.case.sources.values():
            count.update(constructs(source, environment))
    assert sorted(name for name in ALL if not count[name]) == []


def test_a_seed_names_the_same_case_each_time_and_all_settings_are_used() -> None:
    for number in range(40):
        assert Trial(SEED, number).case == Trial(SEED, number).case
    assert {Trial(SEED, number).setting_name for number in range(40)} == set(SETTINGS)


def test_what_depends_on_where_something_is_in_memory_is_no_difference() -> None:
    digits = "".join(f"{{{{ method.count('{digit}') }}}}" for digit in "0123456789abcdef")
    source = f"{{% set text = 'a' ~ y %}}{{% set method = text.title ~ '' %}}{digits}"
    remarks = set()
    for number in range(0, 50, len(SETTINGS)):
        trial = Trial(SEED, number)
        verdict = judged(trial, Case({"main.j2": Piece("fixed", (source,))}, {"y": 1}, False), trial.sides())
        assert not verdict.ours
        remarks.add(verdict.remark)
    assert "depends on an address, so not compared" in remarks


def test_a_difference_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters_words, "do_wordcount", lambda text: 7)
    for number in range(200):
        trial = Trial(SEED, number)
        if "wordcount" in "".join(trial.case.sources.values()):
            verdict = judged(trial, trial.case, trial.sides())
            if verdict.ours:
                break
    small, verdict = smallest(trial, trial.case, verdict)
    assert verdict.ours
    assert sum(map(len, small.sources.values())) < 60
    assert small.variables == {}
