"""What became of samples, for people (`text_lines`, `text_details`), programs (`as_json`) and servers (`as_junit`).

In: Trials, and a callable that answers the text of a source file. Out: text. The invariants: trials stand in the order
given, the same trials give the same text, and whatever is shown went through `hide`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from .diagnostics import Diagnostic
from .diagnostics.failure import render_failure
from .diagnostics.text import TextOf, counted, render_text, visible
from .trials import Trial, counts, in_words

_NO_XML = {code: "\ufffd" for code in range(32) if code not in (9, 10, 13)} | {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def text_lines(trials: Sequence[Trial]) -> str:
    """A line for each sample: outcome, key, name."""
    width = max((len(trial.key) for trial in trials), default=0)
    rows = []
    for trial in trials:
        reason = f": it needs {in_words(trial.needs)} of the host program" if trial.needs else ""
        rows.append(f"{trial.outcome:<7}  {trial.key:<{width}}  {visible(trial.sample)}{reason}\n")
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


def as_json(trials: Sequence[Trial], hide: Callable[[str], str]) -> str:
    """One JSON document with fixed keys: `samples`, and how many `passed`, `failed`, `skipped`."""
    samples = [
        {
            "key": trial.key,
            "sample": trial.sample,
            "description": hide(trial.description),
            "file": trial.place.file,
            "line": trial.place.line,
            "outcome": trial.outcome,
            "needs": list(trial.needs),
            "error": None if trial.error is None else _error(trial.error, hide),
            "findings": [_finding(found) for found in trial.findings],
        }
        for trial in trials
    ]
    return json.dumps({"samples": samples, **counts(trials)}, ensure_ascii=False, indent=2) + "\n"


def as_junit(trials: Sequence[Trial], text_of: TextOf, hide: Callable[[str], str]) -> str:
    """JUnit's XML: a suite for each package, a case for each sample. No times: nothing of a run is measured."""
    total = counts(trials)
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="frozenctx test" {_counts(total)}>']
    for key in dict.fromkeys(trial.key for trial in trials):
        mine = [trial for trial in trials if trial.key == key]
        rows.append(f"  <testsuite name={_attribute(key)} {_counts(counts(mine))}>")
        for trial in mine:
            line = f" line={quoteattr(str(trial.place.line))}" if trial.place.line else ""
            case = f"<testcase classname={_attribute(key)} name={_attribute(trial.sample)}"
            case += f" file={_attribute(trial.place.file)}{line}"
            inside = _case(trial, text_of, hide)
            rows.append(f"    {case}>{inside}</testcase>" if inside else f"    {case}/>")
        rows.append("  </testsuite>")
    return "\n".join([*rows, "</testsuites>"]) + "\n"


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


def _counts(number: Any) -> str:
    tests = sum(number.values())
    return f'tests="{tests}" failures="{number["failed"]}" skipped="{number["skipped"]}"'


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_NO_XML))


def _with_texts(trial: Trial, text_of: TextOf) -> TextOf:
    """Source files, and the rendered texts."""
    return lambda file: trial.texts[file] if file in trial.texts else text_of(file)


def _error(error: Exception, hide: Callable[[str], str]) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "message": hide(str(error)),
        "file": getattr(error, "file", None),
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
