"""Writes the results into docs/benchmarks.md: `python -m bench.document`.

In: what `bench.render`, `bench.build`, `bench.settings` and `bench.cold` print as JSON, each run by this interpreter.
Out: the part of the document between its two marks, as tables of ratios. What stands around it is written by people.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results: written by python -m bench.document -->", "<!-- end of results -->"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.document", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", default="33,1000,10000", help="numbers of packages for cold starts")
    parser.add_argument("--packages", default="1000", help="how many packages are built")
    options = parser.parse_args()
    render = results("render")
    build = results("build", "--packages", options.packages, "--passes")
    settings = results("settings")
    cold = results("cold", "--sizes", options.sizes)
    before, _, rest = DOCUMENT.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    parts = [rendering(render), building(build), reading(settings), cold_starts(cold)]
    tables = "\n\n".join([versions(render, build, cold), *parts])
    DOCUMENT.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}", "utf-8")
    return 0


def results(name: str, *arguments: str) -> Any:
    command = [sys.executable, "-m", f"bench.{name}", *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def versions(*runs: Any) -> str:
    found = {name: number for run in runs for name, number in run["versions"].items()}
    return ", ".join(f"{name} {number}" for name, number in found.items()) + "."


def rendering(run: Any) -> str:
    peers = ("jinja2", "minijinja")
    rows = [
        [category, *(times(means.get(peer)) for peer in peers), slowest_of(category, run["cases"])]
        for category, means in run["categories"].items()
    ]
    pairs = sum("minijinja" in case["ratios"] for case in run["cases"])
    overall = ["**all**", *(f"**{times(run['overall'].get(peer))}**" for peer in peers), ""]
    left_out = [(case["case"], case["minijinja left out"]) for case in run["cases"] if "minijinja left out" in case]
    return "\n".join(
        [
            "### Rendering",
            "",
            "How many times as fast as the peer frozenctx renders: geometric means of the cases. The last line has the",
            f"geometric mean of the categories for jinja2, and of the {pairs} pairs for minijinja.",
            "",
            *table(["category", "× jinja2", "× minijinja", "slowest case against jinja2"], [*rows, overall]),
            "",
            f"minijinja is not compared in {len(left_out)} of {len(run['cases'])} cases:",
            "",
            *(f"- `{case}`: {reason}" for case, reason in left_out),
        ]
    )


def slowest_of(category: str, cases: list[Any]) -> str:
    inside = [case for case in cases if case["case"].startswith(f"{category}/")]
    slowest = min(inside, key=lambda case: case["ratios"]["jinja2"])
    return f"{slowest['case'].removeprefix(category + '/')} {times(slowest['ratios']['jinja2'])}"


def building(run: Any) -> str:
    ours, peers = run["best"]["ours"], run["best"]["peers"]
    passes = sorted(ours["passes"].items(), key=lambda item: -item[1])
    shares = ", ".join(f"{name} {spent / ours['cpu']:.0%}" for name, spent in passes if spent > 0.02 * ours["cpu"])
    return "\n".join(
        [
            "### Building",
            "",
            f"{run['packages']} packages with {peers['templates']} templates and {peers['documents']} YAML documents:"
            f" **{run['ratio']:.2f} ×** the CPU time",
            f"of jinja2's compile and PyYAML's load; {mebibytes(ours['peak'])} at the peak against"
            f" {mebibytes(peers['peak'])}.",
            f"The passes: {shares}.",
        ]
    )


def reading(run: Any) -> str:
    return "\n".join(
        [
            "### Settings with expressions",
            "",
            f"{run['files']} files with {run['expressions']} expressions: **{run['ratio']:.2f} ×** the CPU time of"
            " PyYAML's C loader on the same files.",
        ]
    )


def cold_starts(run: Any) -> str:
    lines = [
        "### Cold starts",
        "",
        "What comes on top of a bare interpreter: CPU time as a multiple of the bare interpreter's own, and memory.",
    ]
    for size in run["sizes"]:
        rows = [
            [
                who if title == "one" else f"{who}, {title}",
                times(found["CPU ms"] / size[title]["bare"]["CPU ms"]),
                mebibytes(found["MiB"]),
            ]
            for title in ("one", "all touched", "all rendered")
            for who, found in size[title].items()
            if who != "bare"
        ]
        lines += ["", f"{size['packages']} packages, served from: {size['source']}.", ""]
        lines += table(["", "time", "memory"], rows)
    return "\n".join(lines)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.2f} ×"


def mebibytes(peak: float | None) -> str:
    return "–" if peak is None else f"{peak:.1f} MiB"


if __name__ == "__main__":
    sys.exit(main())
