"""Best-of timing of several functions that do the same work, interleaved in one process.

In: functions without arguments, by name. Out: seconds of CPU time for one call of each, the best of all rounds. In
every round each function gets a turn, in an order that rotates, so that what disturbs the machine for a while disturbs
all of them; CPU time and the minimum leave out what other processes take. The garbage collector runs between
functions, never inside a turn.
"""

import gc
from collections.abc import Callable, Mapping
from itertools import repeat
from math import exp, log
from time import process_time_ns

Work = Callable[[], object]


def best_of(functions: Mapping[str, Work], *, rounds: int, turn_ms: float) -> dict[str, float]:
    """Return seconds for one call of each function. A turn is as many calls as take about `turn_ms`."""
    gc.collect()
    calls = {name: _calls(work, int(turn_ms * 1e6)) for name, work in functions.items()}
    names = list(functions)
    best = dict.fromkeys(names, float("inf"))
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            start = number % len(names)
            for name in names[start:] + names[:start]:
                spent = _turn(functions[name], calls[name])
                best[name] = min(best[name], spent / calls[name] / 1e9)
    finally:
        if was_enabled:
            gc.enable()
    return best


def geometric_mean(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def _turn(work: Work, calls: int) -> int:
    before = process_time_ns()
    for _ in repeat(None, calls):
        work()
    return process_time_ns() - before


def _calls(work: Work, turn_ns: int) -> int:
    calls = 1
    while (spent := _turn(work, calls)) < turn_ns // 2:
        calls = max(calls * 2, min(calls * 10, calls * turn_ns // max(spent, 1)))
    return max(1, calls * turn_ns // max(spent, 1))
