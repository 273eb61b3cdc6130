"""Render speed against jinja2 and minijinja, interleaved in one process: `python -m bench.render`.

In: the corpus of `bench.cases` and the packages of `examples/prompts`. Out: for each case how many times as fast as the
peers frozenctx renders it, the geometric mean of each category, and the geometric mean of the categories. Texts are
compared first: one that differs from jinja2's ends the run; minijinja is left out of a case that it does not render
to the same text, with the reason.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from frozenctx_compiler.templates.generate import KINDS

from bench import cases, engines, examples, timing, versions

JINJA2, MINIJINJA, OURS = "jinja2", "minijinja", "frozenctx"


@dataclass(slots=True)
class Row:
    category: str
    name: str
    work: dict[str, Callable[[], object]]
    """Engine → one rendering."""
    left_out: str = ""
    """Why minijinja is not compared."""
    seconds: dict[str, float] = field(default_factory=dict)

    def ratio(self, peer: str) -> float | None:
        """How many times as fast as `peer` frozenctx is."""
        return self.seconds[peer] / self.seconds[OURS] if peer in self.seconds else None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.render", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", choices=sorted(KINDS), help="how to lower (default: as packages are)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose `category/name` holds TEXT")
    parser.add_argument("--quick", action="store_true", help="few short rounds: shows that it works, and a rough ratio")
    parser.add_argument("--rounds", type=int, help="how many rounds the best is taken of (default 40; 3 with --quick)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    rounds = options.rounds or (3 if options.quick else 40)

    rows = [row for row in corpus_rows(options.kind) if options.only in f"{row.category}/{row.name}"]
    rows += [row for row in package_rows(options.kind) if options.only in f"{row.category}/{row.name}"]
    different = [f"{row.category}/{row.name}: {reason}" for row in rows if (reason := compare(row))]
    if different:
        print("error: not the text of jinja2:", *different, sep="\n  ", file=sys.stderr)
        return 1
    if not rows:
        print(f"error: no case holds `{options.only}`", file=sys.stderr)
        return 2
    for row in rows:
        row.seconds = timing.best_of(row.work, rounds=rounds, turn_ms=0.3 if options.quick else 3)
    summary = summarise(rows)
    if options.json:
        print(json.dumps(as_json(rows, summary, options.kind, rounds), indent=1))
    else:
        print_table(rows, summary, options.kind, rounds)
    return 0


# The rows


def corpus_rows(kind: engines.Kind | None) -> list[Row]:
    sources = cases.sources()
    renderers = {
        JINJA2: engines.jinja2_renderers(sources),
        OURS: engines.frozenctx_renderers(sources, kind),
        **minijinja_if_there(sources),
    }
    rows = []
    for case in cases.CASES:
        context = case.context()
        row = Row(case.category, case.name, {})
        for engine, template in renderers.items():
            prepare(row, engine, partial(template, case.template), context)
        rows.append(row)
    return rows


def package_rows(kind: engines.Kind | None) -> list[Row]:
    rows = []
    for example in examples.examples(kind):
        row = Row(examples.CATEGORY, example.key, {OURS: partial(example.prompt.messages, example.variables)})
        captured = example.texts, example.data
        renderers = {
            JINJA2: engines.jinja2_renderers(example.sources, *captured),
            **minijinja_if_there(example.sources, *captured),
        }
        for engine, template in renderers.items():
            prepare(row, engine, partial(examples.messages, template, example), example.variables)
        rows.append(row)
    return rows


def minijinja_if_there(sources: engines.Sources, *captured: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {MINIJINJA: engines.minijinja_renderers(sources, *captured)}
    except ImportError:
        return {}


def prepare(row: Row, engine: str, compiled: Callable[[], engines.Render], context: Mapping[str, Any]) -> None:
    """Compile the row's template with `engine`; minijinja may refuse it."""
    try:
        row.work[engine] = partial(compiled(), context)
    except Exception as error:
        if engine != MINIJINJA:
            raise
        row.left_out = first_line(error)


def compare(row: Row) -> str:
    """Render once with every engine. Return how ours differs from jinja2; leave minijinja out where it does."""
    expected = row.work[JINJA2]()
    ours = row.work[OURS]()
    if MINIJINJA in row.work:
        try:
            theirs = row.work[MINIJINJA]()
            row.left_out = "" if theirs == expected else f"another text: {difference(expected, theirs)}"
        except Exception as error:
            row.left_out = first_line(error)
        if row.left_out:
            del row.work[MINIJINJA]
    return "" if ours == expected else difference(expected, ours)


def difference(expected: object, found: object) -> str:
    left, right = str(expected), str(found)
    at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return f"{right[at : at + 30]!r} in the place of {left[at : at + 30]!r}"


def first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


# The results


@dataclass(frozen=True, slots=True)
class Summary:
    categories: dict[str, dict[str, float]]
    """Category → peer → geometric mean of its cases. A category without a common case has no mean for minijinja."""
    overall: dict[str, float]
    """jinja2 → geometric mean of the category means; minijinja → geometric mean of all pairs that are compared."""
    slowest: tuple[str, float]


def summarise(rows: list[Row]) -> Summary:
    categories: dict[str, dict[str, float]] = {}
    for category in dict.fromkeys(row.category for row in rows):
        means = {}
        for peer in (JINJA2, MINIJINJA):
            ratios = ratios_of([row for row in rows if row.category == category], peer)
            if ratios:
                means[peer] = timing.geometric_mean(ratios)
        categories[category] = means
    overall = {JINJA2: timing.geometric_mean([means[JINJA2] for means in categories.values()])}
    pairs = ratios_of(rows, MINIJINJA)
    if pairs:
        overall[MINIJINJA] = timing.geometric_mean(pairs)
    slowest = min(rows, key=lambda row: row.ratio(JINJA2) or 0)
    return Summary(categories, overall, (f"{slowest.category}/{slowest.name}", slowest.ratio(JINJA2) or 0))


def ratios_of(rows: list[Row], peer: str) -> list[float]:
    return [ratio for row in rows if (ratio := row.ratio(peer)) is not None]


def as_json(rows: list[Row], summary: Summary, kind: str | None, rounds: int) -> dict[str, Any]:
    return {
        "versions": versions.versions("frozenctx", JINJA2, MINIJINJA),
        "kind": kind or "default",
        "rounds": rounds,
        "overall": summary.overall,
        "slowest": summary.slowest,
        "categories": summary.categories,
        "cases": [
            {
                "case": f"{row.category}/{row.name}",
                "seconds": row.seconds,
                "ratios": {peer: row.ratio(peer) for peer in (JINJA2, MINIJINJA) if peer in row.seconds},
                **({"minijinja left out": row.left_out} if row.left_out else {}),
            }
            for row in rows
        ],
    }


def print_table(rows: list[Row], summary: Summary, kind: str | None, rounds: int) -> None:
    print(versions.line("frozenctx", JINJA2, MINIJINJA))
    print(f"lowered as {kind or 'packages are'}; CPU time of one rendering, best of {rounds} interleaved rounds")
    print("µs per rendering; × is how many times as fast as the peer frozenctx is\n")
    print(f"{'':32}{'jinja2':>10}{'minijinja':>11}{'frozenctx':>11}{'× jinja2':>10}{'× minijinja':>13}")
    for category, means in summary.categories.items():
        print(f"{category:32}{'':32}{times(means.get(JINJA2)):>10}{times(means.get(MINIJINJA)):>13}")
        for row in rows:
            if row.category == category:
                print(
                    f"  {row.name:30}{micro(row, JINJA2):>10}{micro(row, MINIJINJA):>11}{micro(row, OURS):>11}"
                    f"{times(row.ratio(JINJA2)):>10}{times(row.ratio(MINIJINJA)):>13}"
                )
    overall = {peer: times(ratio) for peer, ratio in summary.overall.items()}
    print(f"\n{len(summary.categories)} categories, geometric mean of their means: {overall[JINJA2]} jinja2")
    if MINIJINJA in overall:
        pairs = len(ratios_of(rows, MINIJINJA))
        print(f"{pairs} pairs that minijinja renders the same, geometric mean: {overall[MINIJINJA]} minijinja")
    print(f"slowest against jinja2: {summary.slowest[0]}, {times(summary.slowest[1])}")
    left_out = [row for row in rows if row.left_out]
    if left_out:
        print("\nminijinja is not compared in")
        for row in left_out:
            print(f"  {row.category}/{row.name}: {row.left_out}")


def micro(row: Row, engine: str) -> str:
    return f"{row.seconds[engine] * 1e6:.1f}" if engine in row.seconds else "–"


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f} ×"


if __name__ == "__main__":
    sys.exit(main())
