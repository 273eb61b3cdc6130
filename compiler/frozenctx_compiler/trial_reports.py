"""What became of samples, for people (`text_lines`, `text_details`), programs (`as_json`) and servers (`as_junit`).

In: Trials, the findings about the sources, and a callable that answers the text of a source file. Out: text. The
invariants: trials stand in the order given, the same trials give the same text, and whatever is shown went through
`hide`. Where the sources have an error there are no trials, and the documents say why.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .diagnostics import Diagnostic, Span
from .diagnostics.failure import render_failure
from .diagnostics.text import TextOf, counted, render_text, visible
from .trials import Trial, counts, in_words

_NO_XML = {code: "\ufffd" for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def text_lines(trials: Sequence[Trial], hide: Callable[[str], str]) -> str:
    """A line for each sample: outcome, key, name."""
    keys = {trial.key: hide(trial.key) for trial in trials}
    width = max(map(len, keys.values()), default=0)
    rows = []
    for trial in trials:
        reason = f": it needs {in_words(trial.needs)} of the host program" if trial.needs else ""
        rows.append(f"{trial.outcome:<7}  {keys[trial.key]:<{width}}  {visible(hide(trial.sample))}{reason}\n")
    return "".join(rows)


def text_details(trials: Sequence[Trial], text_of: TextOf, hide: Callable[[str], str], colour: bool = False) -> str:
    """Everything about those that failed: findings with excerpts of sample and text, failed renderings as `render`
    shows them."""
    parts = []
    for trial in trials:
        if trial.error is not None:
            at = f" --> {trial.place.file}" + (f":{trial.place.line}" if trial.place.line else "")
            what = f"error: `{trial.key}` cannot be rendered with the sample `{trial.sample}`\n{at}\n"
            parts.append(hide(what + render_failure(trial.error, text_of)) + "\n")
        parts.append(render_text(trial.findings, _with_texts(trial, text_of), colour=colour))
    return "".join(parts)


def closing(trials: Sequence[Trial], packages: int) -> str:
    """The last line: how many samples, of how many of the `packages`, and what became of them."""
    tried = len({trial.key for trial in trials})
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in counts(trials).items() if number)
    without = packages - tried
    rest = f"; {counted(without, 'package')} without" if without and tried else ""
    return f"{counted(len(trials), 'sample')} of {counted(tried, 'package')}: {outcomes or 'nothing tried'}{rest}"


def as_json(trials: Sequence[Trial], sources: Sequence[Diagnostic], hide: Callable[[str], str]) -> str:
    """One JSON document with fixed keys: `samples`; how many `passed`, `failed`, `skipped`; the findings about the
    `sources`."""
    samples = [
        {
            "key": hide(trial.key),
            "sample": hide(trial.sample),
            "description": hide(trial.description),
            "file": hide(trial.place.file),
            "line": trial.place.line,
            "outcome": trial.outcome,
            "needs": list(trial.needs),
            "error": None if trial.error is None else _error(trial.error, hide),
            "findings": [_finding(found) for found in trial.findings],
        }
        for trial in trials
    ]
    found = [{"level": each.level, **_finding(each)} for each in sources]
    return json.dumps({"samples": samples, **counts(trials), "sources": found}, ensure_ascii=False, indent=2) + "\n"


def as_junit(
    trials: Sequence[Trial], sources: Sequence[Diagnostic], text_of: TextOf, hide: Callable[[str], str]
) -> str:
    """JUnit's XML: a suite for each package, a case for each sample; a suite `sources`, a case for each error there. No
    times: nothing of a run is measured."""
    errors = [found for found in sources if found.level == "error"]
    rows = ['<?xml version="1.0" encoding="UTF-8"?>']
    rows.append(f'<testsuites name="frozenctx test" {_counts(trials, len(errors))}>')
    if errors:
        rows.append(f'  <testsuite name="sources" {_counts((), len(errors))}>')
        rows += [_element("sources", found.code, found.span, _fault(found, text_of)) for found in errors]
        rows.append("  </testsuite>")
    for key in dict.fromkeys(trial.key for trial in trials):
        mine = [trial for trial in trials if trial.key == key]
        name = hide(key)
        rows.append(f"  <testsuite name={_attribute(name)} {_counts(mine, 0)}>")
        for trial in mine:
            place = replace(trial.place, file=hide(trial.place.file))
            rows.append(_element(name, hide(trial.sample), place, _case(trial, text_of, hide)))
        rows.append("  </testsuite>")
    return "\n".join([*rows, "</testsuites>"]) + "\n"


def _element(of: str, name: str, place: Span | None, inside: str) -> str:
    case = f"<testcase classname={_attribute(of)} name={_attribute(name)}"
    if place is not None:
        case += f" file={_attribute(place.file)}" + (f' line="{place.line}"' if place.line else "")
    return f"    {case}>{inside}</testcase>" if inside else f"    {case}/>"


def _fault(found: Diagnostic, text_of: TextOf) -> str:
    details = escape(render_text([found], text_of).translate(_NO_XML))
    return f"<error message={_attribute(found.headline)}>{details}</error>"


def _case(trial: Trial, text_of: TextOf, hide: Callable[[str], str]) -> str:
    if trial.needs:
        return f"<skipped message={_attribute(f'needs {in_words(trial.needs)} of the host program')}/>"
    if trial.outcome == "passed":
        return ""
    error = trial.error
    message = f"{type(error).__name__}: {error}" if error is not None else trial.findings[0].headline
    kind = "error" if error is not None else "failure"
    details = escape(text_details([trial], text_of, hide).translate(_NO_XML))
    return f"<{kind} message={_attribute(hide(message))}>{details}</{kind}>"


def _counts(trials: Sequence[Trial], faults: int) -> str:
    """The attributes of a suite. JUnit tells what raised from what is not as expected."""
    number = counts(trials)
    raised = sum(trial.error is not None for trial in trials)
    tests = f'tests="{len(trials) + faults}" failures="{number["failed"] - raised}" errors="{raised + faults}"'
    return f'{tests} skipped="{number["skipped"]}"'


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_NO_XML))


def _with_texts(trial: Trial, text_of: TextOf) -> TextOf:
    """Source files, and the rendered texts."""
    return lambda file: trial.texts[file] if file in trial.texts else text_of(file)


def _error(error: Exception, hide: Callable[[str], str]) -> dict[str, Any]:
    file = getattr(error, "file", None)
    return {
        "type": type(error).__name__,
        "message": hide(str(error)),
        "file": file if file is None else hide(str(file)),
        "line": getattr(error, "line", None),
        "notes": [hide(note) for note in getattr(error, "__notes__", ())],
    }


def _finding(found: Diagnostic) -> dict[str, Any]:
    span = found.span
    return {
        "code": found.code,
        "message": found.headline,
        "file": span and span.file,
        "line": span and span.line,
        "column": span and span.column,
        "rendered": [
            {"text": each.span.file, "line": each.span.line, "column": each.span.column, "label": each.label}
            for each in found.related
        ],
        "notes": list(found.notes),
    }
