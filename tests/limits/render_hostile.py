"""Render every construct with hostile values under caps, in a process that may not grow: JSON of the outcomes.

Run by test_constructs.py. Argument: the directory of a release that holds the constructs as prompts `c0`, `c1`, ….
"""

import json
import resource
import signal
import sys
import time
from pathlib import Path
from types import FrameType

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "runtime"), str(Path(__file__).resolve().parents[1])]

import frozenctx  # noqa: E402
from frozenctx.errors import LimitExceeded  # noqa: E402
from limits.constructs import ALL, hostile  # noqa: E402

SECONDS = 10.0


class Late(BaseException):
    """Not an Exception: nothing on the way may catch it."""


def late(signum: int, frame: FrameType | None) -> None:
    raise Late


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    signal.signal(signal.SIGALRM, late)
    prompts = frozenctx.load(sys.argv[1], max_steps=20_000, max_output=200_000)
    outcomes = []
    for number in range(len(ALL)):
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            outcome = f"{len(prompts[f'c{number}'].system(hostile()))} characters"
        except LimitExceeded as error:
            outcome = error.limit
        except (Exception, Late) as error:
            outcome = f"{type(error).__name__}: {str(error)[:100]}"
        signal.setitimer(signal.ITIMER_REAL, 0)
        outcomes.append((outcome, time.monotonic() - start))
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main()
