"""Compare random templates with jinja2, from the command line.

    python tests/fuzz/run.py --seed 1 --cases 20000
    python tests/fuzz/run.py --seed 1 --only 1234        # show one case, and make it smaller if it differs

Prints for each difference the smallest template and variables that show it, and at the end how many cases rendered
without an exception. Exit status 1: there were differences. The same seed gives the same cases everywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path[1:1] = [str(Path(__file__).resolve().parents[2] / part) for part in ("runtime", "artifacts", "compiler")]

from fuzz.settings import SETTINGS  # noqa: E402
from fuzz.shrink import shrunk  # noqa: E402
from fuzz.sides import Outcome, kinds  # noqa: E402
from fuzz.templates import Case  # noqa: E402
from fuzz.trial import Side, Trial, Verdict, judged  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="compare random templates with jinja2")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time; it is printed")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="number of one case, which is shown whole")
    parser.add_argument("--setting", choices=list(SETTINGS), help="default: all, one after the other")
    parser.add_argument("--kind", action="append", choices=kinds(), help="default: all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--stop-after", type=int, default=5, metavar="N", help="stop after N differences")
    parser.add_argument("--alike", type=int, default=3, help="show at most so many differences of the same form")
    parser.add_argument("--no-shrink", action="store_true")
    options = parser.parse_args(arguments)
    numbers = range(options.first, options.first + options.cases) if options.only is None else [options.only]
    start = time.monotonic()
    tally: Counter[str] = Counter()
    seen: Counter[tuple[object, ...]] = Counter()
    for number in numbers:
        if time.monotonic() - start > options.seconds or seen.total() >= options.stop_after:
            break
        trial = Trial(options.seed, number)
        if options.setting not in (None, trial.setting_name):
            continue
        sides = trial.sides(options.kind)
        case = trial.case
        if options.only is not None:
            show(trial, case)
        tally["cases"] += 1
        try:
            verdict = judged(trial, case, sides)
        except TimeoutError as error:
            print(f"seed {options.seed} case {number}: {error}", flush=True)
            tally["too slow"] += 1
            continue
        tally["rendered" if not verdict.theirs.error else "raised"] += 1
        tally["not valid"] += verdict.theirs.error in ("TemplateSyntaxError", "TemplateAssertionError")
        tally[verdict.remark] += bool(verdict.remark)
        tally[verdict.chain] += bool(verdict.chain)
        if verdict.elsewhere:
            # No difference in the sense of this comparison, but worth a look.
            tally["raised on another line"] += 1
            if tally["raised on another line"] <= options.alike:
                places = ", ".join(f"{outcome.place} ({side.kind})" for side, outcome in verdict.elsewhere.items())
                print(f"seed {options.seed} case {number}: jinja2 raises at {verdict.theirs.place}, ours at {places}")
            if options.only is not None and not verdict.ours:
                show(trial, smallest(trial, case, verdict)[0])
        if options.only is not None:
            print(f"jinja2: {verdict.theirs}")
        if verdict.ours:
            tally["different"] += 1
            kind = signature(verdict)
            if seen[kind] == options.alike:
                continue
            seen[kind] += 1
            if not options.no_shrink:
                case, verdict = smallest(trial, case, verdict)
            print(f"seed {options.seed} case {number}: different", flush=True)
            show(trial, case)
            print(f"jinja2: {verdict.theirs}")
            for side, outcome in verdict.ours.items():
                print(f"{side}: {outcome}")
    print(f"seed {options.seed}, kinds {', '.join(options.kind or kinds())}, {time.monotonic() - start:.0f} s: "
          + "; ".join(f"{count} {name}" for name, count in tally.items() if count))  # fmt: skip
    print(f"{tally['rendered'] / max(tally['cases'], 1):.1%} render without an exception; {tally['different']} differ")
    return 1 if tally["different"] or tally["too slow"] else 0


def smallest(trial: Trial, case: Case, verdict: Verdict) -> tuple[Case, Verdict]:
    """Return a smaller case that shows a difference (or a line) of the same form, on the same sides; its verdict."""
    sides = list(verdict.ours or verdict.elsewhere)
    wanted = signature(verdict)

    def shows(smaller: Case) -> bool:
        try:
            return signature(judged(trial, smaller, sides)) == wanted
        except Exception:  # too slow, or a tagged value that lost what it needs: shows nothing
            return False

    case = shrunk(case, shows)
    return case, judged(trial, case, sides)


def signature(verdict: Verdict) -> tuple[object, ...]:
    def form(outcome: Outcome) -> str:
        return outcome.error or "text"

    shown = verdict.ours or verdict.elsewhere
    return form(verdict.theirs), bool(verdict.ours), *((side, form(outcome)) for side, outcome in shown.items())


def show(trial: Trial, case: Case) -> None:
    print(f"setting {trial.setting_name}, {trial.way}")
    for name, source in case.sources.items():
        print(f"--- {name}\n{source}")
    print(f"--- variables\n{json.dumps(case.variables, ensure_ascii=False)}\n---")


__all__ = ["Side", "main"]

if __name__ == "__main__":
    sys.exit(main())
