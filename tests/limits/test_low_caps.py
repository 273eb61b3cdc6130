"""Random templates under caps that are low: the same outcome, or LimitExceeded, and soon."""

import time
from random import Random

from fuzz.sides import Outcome, frozen_outcome
from fuzz.trial import Trial, at_most

SEED = 4
CASES = 250
SECONDS = 5.0


def test_a_low_cap_changes_nothing_or_raises_limit_exceeded() -> None:
    exceeded = same = 0
    for number in range(CASES):
        trial = Trial(SEED, number)
        programs: dict[tuple[str, str], str] = {}
        without = outcome(trial, programs, 10**12, 10**12)
        rng = Random(number)
        for _ in range(4):
            caps = rng.choice((0, 1, 3, 10, 30, 100, 1000)), rng.choice((0, 1, 10, 100, 1000, 10_000))
            start = time.monotonic()
            found = outcome(trial, programs, *caps)
            assert time.monotonic() - start < SECONDS
            if found.error == "LimitExceeded":
                exceeded += 1
            else:
                same += 1
                assert found == without, f"replay with: python tests/fuzz/run.py --seed {SEED} --only {number}"
    assert exceeded > CASES / 2
    assert same > CASES / 2


def outcome(trial: Trial, programs: dict[tuple[str, str], str], steps: int, output: int) -> Outcome:
    sources, variables = trial.case.sources, trial.case.variables
    with at_most(SECONDS):
        return frozen_outcome(
            sources, variables, trial.setting, trial.way, "limited", False, programs, (steps, output)
        )  # fmt: skip
