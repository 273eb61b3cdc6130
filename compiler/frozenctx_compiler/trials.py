"""Trying samples: each is rendered, and the texts are held against what it expects (CTX-FORMAT §2).

In: a compilation without errors. Out: one Trial for each sample, by key and name. The invariants: nothing is written,
and no code of a package runs; what is not as expected is a finding at its place in the sample's file, with a second
place in the rendered text; a sample that needs something of the host program that was not given is skipped, and says
so.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .check_document import short
from .diagnostics import Diagnostic, Related, Report, Scope, Span
from .package import LinkedPackage, Sample
from .sources import line_of, line_starts

if TYPE_CHECKING:
    import frozenctx

    from .api import Compilation

Outcome = Literal["passed", "failed", "skipped"]
_KINDS = {"filter": "filters", "test": "tests", "global": "globals", "renderer": "renderers"}  # and the options of load
_LARGEST = 50_000, 200  # characters of a text in which something near is looked for, and of what is looked for


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one sample. `place`: where it begins. `findings`: what it expects and was not so.

    `error`: what its rendering raised. `needs`: what the host program would have to supply (`filter:money`), for one
    that was skipped. `texts`: the rendered texts, by the name of the file that findings give to them.
    """

    key: str
    sample: str
    description: str
    place: Span
    outcome: Outcome
    findings: tuple[Diagnostic, ...] = ()
    error: Exception | None = None
    needs: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def try_samples(compilation: "Compilation", *, names: Collection[str] = (), **host: Any) -> tuple[Trial, ...]:
    """Try the samples of all packages that were compiled, or those so named. `host`: what the host program supplies, as
    for `frozenctx.load` (`filters=`, `renderers=`, …). Raises CompileError if there are errors."""
    from .api import prompts

    needs = {package.lowered.checked.read.files.key: _needs(package) for package in compilation.packages}
    lacking = {name for each in needs.values() for name in each if not _is_given(name, host)}
    loaded = prompts(compilation, **_completed(host, sorted(lacking)))
    trials = []
    for package in compilation.packages:
        checked = package.lowered.checked
        key = checked.read.files.key
        absent = tuple(name for name in needs[key] if name in lacking)
        for sample in sorted(checked.samples, key=lambda sample: sample.name):
            if not names or sample.name in names:
                trials.append(_tried(key, sample, loaded, absent, compilation.hide))
    return tuple(trials)


def _needs(package: LinkedPackage) -> tuple[str, ...]:
    """What a package needs of the host program: `filter:money`, `renderer:…`, sorted."""
    settings = package.lowered.checked.settings
    renderers = [] if package.lowered.roles else [settings.system_render, settings.user_render]
    return tuple(sorted([*package.host_names, *(f"renderer:{name}" for name in renderers if name)]))


def _is_given(name: str, host: Mapping[str, Any]) -> bool:
    kind, _, name = name.partition(":")
    return name in (host.get(_KINDS[kind]) or {})


def _completed(host: Mapping[str, Any], lacking: Sequence[str]) -> dict[str, Any]:
    """The options of `load`, with something in the place of what is lacking, which is never called."""
    completed = dict(host)
    for each in lacking:
        kind, _, name = each.partition(":")
        completed[_KINDS[kind]] = {**(completed.get(_KINDS[kind]) or {}), name: _lacking}
    return completed


def _lacking(*arguments: object) -> str:
    raise AssertionError("a sample that needs what is lacking is skipped")


def _tried(
    key: str, sample: Sample, loaded: "frozenctx.Prompts", absent: tuple[str, ...], hide: Callable[[str], str]
) -> Trial:
    place = sample.located.spans.get((), Span(sample.located.file))
    if absent:
        return Trial(key, sample.name, sample.description, place, "skipped", needs=absent)
    try:
        messages = loaded[key].messages(dict(sample.variables))
    except Exception as error:  # of a template, or of what the host supplies
        return Trial(key, sample.name, sample.description, place, "failed", error=error)
    texts = {message["role"]: message["content"] for message in messages}
    report = Report()
    report.conceal(hide)
    for role, expected in sample.expect.items():
        check = _Expected(key, sample, role, texts.get(role), report.scoped(key))
        check.all(expected)
    shown = {_file(key, sample.name, role): hide(text) for role, text in texts.items()}
    findings = report.diagnostics
    outcome: Outcome = "failed" if findings else "passed"
    return Trial(key, sample.name, sample.description, place, outcome, findings, texts=shown)


def _file(key: str, sample: str, role: str) -> str:
    """What findings call a rendered text."""
    return f"<{role} text of {key} with {sample}>"


class _Expected:
    """What a sample expects of one role, held against the text. CODE is that of all findings."""

    CODE = "sample-expectation"

    def __init__(self, key: str, sample: Sample, role: str, text: str | None, scope: Scope) -> None:
        self.sample, self.role, self.scope = sample, role, scope
        self.text = text or ""
        self.absent = text is None
        self.what = f"the {role} text"
        self.file = _file(key, sample.name, role)
        self.key = key
        self.starts = line_starts(self.text)

    def all(self, expected: Mapping[str, Any]) -> None:
        if self.absent:
            headline = f"something is expected of {self.what}, and `{self.key}` has none"
            self.scope.add(self.CODE, headline, self.key_place(), help=f"remove `{self.role}` from `expect`")
            return
        for index, wanted in enumerate(expected.get("contains") or ()):
            if wanted not in self.text:
                self.missing(("contains", index), wanted)
        for index, unwanted in enumerate(expected.get("not_contains") or ()):
            if unwanted in self.text:
                self.present(("not_contains", index), unwanted)
        most = expected.get("max_chars")
        if most is not None and len(self.text) > most:
            self.too_long(("max_chars",), most)

    def missing(self, path: tuple[str | int, ...], wanted: str) -> None:
        related, notes = [], []
        near = nearest(wanted, self.text)
        if near is not None:
            related.append(Related(self.within(near.start, near.end), near.label))
        else:
            begin = f"it begins `{short(self.text)}`" if self.text else "it is empty"
            notes.append(f"nothing in {self.what} is like it; {begin}")
        headline = f"{self.what} does not contain `{short(wanted)}`"
        self.scope.add(self.CODE, headline, self.place(path), label="expected", related=related, notes=notes)

    def present(self, path: tuple[str | int, ...], unwanted: str) -> None:
        at = self.text.index(unwanted)
        times = self.text.count(unwanted)
        label = "stands here" if times == 1 else f"stands here, the first of {times} times"
        related = [Related(self.within(at, at + len(unwanted)), label)]
        headline = f"{self.what} contains `{short(unwanted)}`"
        self.scope.add(self.CODE, headline, self.place(path), label="not expected", related=related)

    def too_long(self, path: tuple[str | int, ...], most: int) -> None:
        related = [Related(self.within(most, most + 1), "the first character beyond")]
        headline = f"{self.what} has {len(self.text)} characters, {len(self.text) - most} too many"
        self.scope.add(self.CODE, headline, self.place(path), label=f"at most {most}", related=related)

    def place(self, path: tuple[str | int, ...]) -> Span:
        """Where an expectation stands in the sample's file."""
        return self.sample.located.spans.get(("expect", self.role, *path), self.key_place())

    def key_place(self) -> Span:
        return self.sample.located.keys.get(("expect", self.role), Span(self.sample.located.file))

    def within(self, start: int, end: int) -> Span:
        """A stretch of the rendered text."""
        (line, column), (end_line, end_column) = (self.position(offset) for offset in (start, end))
        return Span(self.file, line, column, end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        index = line_of(self.starts, offset)
        return index + 1, offset - self.starts[index] + 1


@dataclass(frozen=True, slots=True)
class Near:
    """The stretch of a text that is most like another, and how it differs."""

    start: int
    end: int
    label: str


def nearest(wanted: str, text: str) -> Near | None:
    """What of a text is most like something that is not in it; None when nothing is."""
    text, wanted = text[: _LARGEST[0]], wanted[: _LARGEST[1]]
    for how, label in ((_with_other_blanks, "differs in blanks and line ends"), (_in_other_case, "differs in case")):
        found = how(wanted).search(text) if wanted.strip() else None
        if found is not None:
            return Near(found.start(), found.end(), label)
    start, size = _longest_common(wanted, text)
    if len(text[start : start + size].strip()) < max(3, len(wanted.strip()) // 4):
        return None
    return Near(start, start + size, "the nearest: this much is equal")


def _longest_common(wanted: str, text: str) -> tuple[int, int]:
    """Where in the text the longest part of what is wanted stands first, and its length. A part of every shorter length
    stands there too, so the length is found by halving, in about the same time for every text."""
    start, low, high = 0, 0, len(wanted)
    while low < high:
        size = (low + high + 1) // 2
        parts = dict.fromkeys(wanted[at : at + size] for at in range(len(wanted) - size + 1))
        found = [at for at in map(text.find, parts) if at >= 0]
        if found:
            start, low = min(found), size
        else:
            high = size - 1
    return start, low


def _with_other_blanks(wanted: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, wanted.split())))


def _in_other_case(wanted: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, wanted.split())), re.IGNORECASE)


def counts(trials: Sequence[Trial]) -> Mapping[Outcome, int]:
    """How many of each outcome."""
    outcomes: tuple[Outcome, ...] = ("passed", "failed", "skipped")
    return {outcome: sum(trial.outcome == outcome for trial in trials) for outcome in outcomes}


def in_words(needs: Sequence[str]) -> str:
    """`the filter `money` and the global `now``."""
    words = [f"the {kind} `{name}`" for kind, _, name in (need.partition(":") for need in needs)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
