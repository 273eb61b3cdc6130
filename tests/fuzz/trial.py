"""One trial: a case, rendered by jinja2 and by every kind of program.

In: a seed and a number, which name the case, its setting and the way it is rendered. Out: `Verdict`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import NamedTuple

from fuzz.settings import SETTINGS, Setting
from fuzz.sides import SHOWN_ADDRESS, NotCompiled, Outcome, Way, frozen_outcome, jinja_outcome, kinds
from fuzz.templates import Case, case

WAYS: tuple[Way, ...] = ("render", "render", "render", "render", "render", "render", "generate", "module")
LONGEST = 20.0


class Side(NamedTuple):
    """A kind of program, with the guard or without."""

    kind: str
    guard: bool


@dataclass(frozen=True, slots=True)
class Trial:
    seed: int
    number: int

    @property
    def setting_name(self) -> str:
        return list(SETTINGS)[self.number % len(SETTINGS)]

    @property
    def setting(self) -> Setting:
        return SETTINGS[self.setting_name]

    @property
    def way(self) -> Way:
        turn = self.number // len(SETTINGS)
        if self.setting.dialect.chat and turn % 2:
            return "generate"  # tells where generation blocks are
        return WAYS[turn % len(WAYS)]

    @property
    def case(self) -> Case:
        return case(f"{self.seed}:{self.number}", self.setting)

    def sides(self, wanted: list[str] | None = None) -> list[Side]:
        """Return what is compared with jinja2: each kind without guard, one of them with it as well."""
        names = wanted or kinds()
        if self.setting.dialect.chat:
            # The sandbox is in the place of the guard, and nothing counts. The reference kind does not know where
            # in a text it is.
            left_out = ("limited", "reference") if self.way == "generate" else ("limited",)
            return [Side(name, False) for name in names if name not in left_out] or [Side("lean", False)]
        return [*(Side(name, False) for name in names), Side(names[self.number % len(names)], True)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`theirs`: jinja2's outcome. `ours`: the outcomes that differ from it. `remark`: what is special about the case.

    `elsewhere`: the outcomes whose exception is the same and is said to come from another line. `chain`: what the lean
    programs of templates that extend and have blocks are, if there are such.
    """

    theirs: Outcome
    ours: dict[Side, Outcome]
    remark: str = ""
    elsewhere: dict[Side, Outcome] = field(default_factory=dict)
    chain: str = ""


def judged(trial: Trial, what: Case, sides: list[Side]) -> Verdict:
    """Render `what` as `trial` says. Raises `TimeoutError` after LONGEST seconds."""
    sources, how = what.sources, trial.setting
    with at_most(LONGEST):
        remark = ""
        try:
            theirs = jinja_outcome(sources, what.variables, how, trial.way)
        except NotCompiled:
            remark = "jinja2 breaks while it folds constants, so compared with it unfolded"
            try:
                theirs = jinja_outcome(sources, what.variables, how, trial.way, fold=False)
            except NotCompiled:  # `autoescape` with a constant that is undefined
                return Verdict(Outcome("NotCompiled", ""), {}, "jinja2 cannot compile it, so not compared")
        programs: dict[tuple[str, str], str] = {}
        ours = {
            side: frozen_outcome(sources, what.variables, how, trial.way, side.kind, side.guard, programs)
            for side in sides
            if not (side.guard and what.internals)
        }
    different = {side: outcome for side, outcome in ours.items() if outcome != theirs}
    if different and SHOWN_ADDRESS.search(theirs.text):
        return Verdict(theirs, {}, "shows an address, so not compared")
    if different and any(outcome != theirs for outcome in jinja_outcomes(trial, what)):
        return Verdict(theirs, {}, "depends on an address, so not compared")
    if different:
        with at_most(LONGEST):
            unfolded = jinja_outcome(sources, what.variables, how, trial.way, fold=False)
        if all(outcome == unfolded for outcome in different.values()):
            return Verdict(theirs, {}, "jinja2 folds constants to what it does not evaluate them to")
    elsewhere = {
        side: outcome for side, outcome in ours.items() if outcome == theirs and outcome.place != theirs.place
    }
    return Verdict(theirs, different, remark, elsewhere if theirs.place is not None else {}, chain_of(programs))


def chain_of(programs: dict[tuple[str, str], str]) -> str:
    """Return what takes a context of the lean programs that have blocks, where one of them extends another."""
    texts = [text for (kind, _), text in programs.items() if kind == "lean"]
    if not any("parent_template = " in text for text in texts):
        return ""
    free = sum("alone = engine.Blocks(" in text for text in texts)
    in_context = sum("def block_" in text and "def root(context)" in text for text in texts)
    return "chain without a context" if not in_context else "chain with a context" if not free else "mixed chain"


def jinja_outcomes(trial: Trial, what: Case) -> Iterator[Outcome]:
    """Yield what jinja2 gives when things stand elsewhere in memory: how many `a` are in the text of a method?"""
    taken: list[list[str]] = []
    for turn in range(8):
        taken.append(["x" * (length % 200) + str(turn) for length in range(3000 + 100 * turn)])
        with at_most(LONGEST):
            try:
                yield jinja_outcome(what.sources, what.variables, trial.setting, trial.way)
            except NotCompiled:
                return


class _Late(BaseException):
    """Not an Exception: templates and what renders them must not catch it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    def late(signum: int, frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _Late:
        raise TimeoutError(f"not done after {seconds} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
