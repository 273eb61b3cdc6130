"""Cold start of a whole process, over a bare interpreter: `python -m bench.cold`.

In: trees of `bench.packages`, built; what `bench.baking` makes of them for the peers. Out: for one prompt out of each
number of packages, and for all of them, what a process costs that imports, loads and renders, less what
`python -I -S -c pass` costs: wall time, CPU time, peak memory. A figure is the median over prompts drawn by seed, of
the best of several turns each; everybody has a turn in every round. The texts of all are compared first.

"All touched" gets every prompt (ours: `prompts[key].model`; the peers: settings read, templates ready) and renders one.
"All rendered" renders every prompt once.
"""

import argparse
import compileall
import json
import random
import shutil
import site
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import frozenctx
from frozenctx_compiler import api

from bench import baking, packages, processes, versions

BARE = "bare"
OURS = "frozenctx"
SOURCES, PRECOMPILED, RUST = "jinja2 + PyYAML", "jinja2 precompiled", "minijinja"
LOADERS = {SOURCES: "from_sources", PRECOMPILED: "precompiled", RUST: "rust"}
# Peers that take seconds for all of a large tree are asked about all of them up to this size only.
MOST_FOR_PEERS = 1000


@dataclass(frozen=True, slots=True)
class Drawn:
    key: str
    variables: Mapping[str, Any]
    expected: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Place:
    """Everything that the measured processes read."""

    runtime: Path
    out: Path
    peers: Path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.cold", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", default="33,1000", metavar="N,…", help="numbers of packages (default 33,1000)")
    parser.add_argument("--prompts", type=int, default=20, help="how many prompts are drawn (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5, help="how many turns the best is taken of (default 5)")
    parser.add_argument("--no-peers", action="store_true", help="only frozenctx and the bare interpreter")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    results = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            results.append(measure(size, Path(scratch), options))
    names = ("frozenctx", "jinja2", "PyYAML", "minijinja")
    if options.json:
        print(json.dumps({"versions": versions.versions(*names), "sizes": results}, indent=1))
    else:
        print(versions.line(*names))
        for result in results:
            print_result(result)
    return 0


def measure(size: int, scratch: Path, options: argparse.Namespace) -> dict[str, Any]:
    peers = [] if options.no_peers else [SOURCES, PRECOMPILED, *([RUST] if has_minijinja() else [])]
    place, variables = prepare(size, scratch, bool(peers))
    drawn = draw(place, variables, options.prompts, options.seed)
    one = measure_one(place, drawn, peers, options.rounds)
    everything = peers if size <= MOST_FOR_PEERS else []
    return {
        "packages": size,
        "source": frozenctx.load(place.out).source,
        "one": one,
        "all touched": measure_all(place, drawn[0], variables, everything, options.rounds, rendered=False),
        "all rendered": measure_all(place, drawn[0], variables, everything, options.rounds, rendered=True),
    }


def has_minijinja() -> bool:
    return versions.versions("minijinja")["minijinja"] != "not installed"


def prepare(size: int, scratch: Path, peers: bool) -> tuple[Place, dict[str, Mapping[str, Any]]]:
    """Build a tree of `size` packages, for us and for the peers. Return where, and key → variables of a sample."""
    tree = scratch / "tree"
    tree.mkdir()
    packages.write_tree(tree, size)
    place = Place(scratch / "runtime", scratch / "out", scratch / "peers")
    built = api.build(tree, place.out)
    if not built.written:
        raise SystemExit(f"the build failed: {built.report.diagnostics[:3]}")
    compilation = built.compilation
    if peers:
        baking.bake(compilation, tree, place.peers)
        shutil.copytree(Path(__file__).parent / "loaders", place.peers / "loaders", ignore=ignore_caches)
        compileall.compile_dir(place.peers / "loaders", quiet=1)
    copy_runtime(place.runtime)
    samples = {
        package.lowered.checked.read.files.key: package.lowered.checked.samples for package in compilation.packages
    }
    return place, {key: dict(found[0].variables) if found else {} for key, found in samples.items()}


def copy_runtime(target: Path) -> None:
    """A copy as it lies in an image: read-only, with .pyc files that are not checked, for each optimisation level."""
    shutil.copytree(Path(frozenctx.__file__).parent, target / "frozenctx", ignore=ignore_caches)
    unchecked = compileall.py_compile.PycInvalidationMode.UNCHECKED_HASH  # type: ignore[attr-defined]
    for level in (0, 1, 2):
        compileall.compile_dir(target, quiet=1, optimize=level, invalidation_mode=unchecked)
    for path in target.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)


ignore_caches = shutil.ignore_patterns("__pycache__")


def draw(place: Place, variables: Mapping[str, Mapping[str, Any]], count: int, seed: int) -> list[Drawn]:
    """Draw prompts by seed, one in five of them with `to_json`, which has to import something at render."""
    prompts = frozenctx.load(place.out)
    by_stem = {key: key.rpartition("-")[0] for key in variables}
    json_stems = {path.relative_to(packages.EXAMPLES).as_posix().partition(".ctx")[0] for path in files_with("to_json")}
    with_json = sorted(key for key, stem in by_stem.items() if stem in json_stems)
    others = sorted(variables.keys() - set(with_json))
    chance = random.Random(seed)
    special = min(len(with_json), max(1, count // 5))
    keys = chance.sample(with_json, special) + chance.sample(others, min(count - special, len(others)))
    return [Drawn(key, variables[key], prompts[key].messages(variables[key])) for key in keys]


def files_with(word: str) -> list[Path]:
    return [path for path in packages.EXAMPLES.rglob("*.*") if path.is_file() and word in path.read_text("utf-8")]


# The programs


def program(who: str, place: Place, key: str, variables: Mapping[str, Any]) -> str:
    """Python code that imports, loads and renders one prompt into `messages`."""
    if who == BARE:
        return "pass"
    if who.startswith(OURS):
        return (
            f"import sys\nsys.path[:0] = [{str(place.runtime)!r}]\nimport frozenctx\n"
            f"prompts = frozenctx.load({str(place.out)!r})\n"
            f"messages = prompts[{key!r}].messages({variables!r})"
        )
    return (
        f"import sys\nsys.path[:0] = {[str(place.peers), *site.getsitepackages()]!r}\n"
        f"from loaders.{LOADERS[who]} import Prompts\n"
        f"prompts = Prompts({str(place.peers)!r})\n"
        f"messages = prompts.messages({key!r}, {variables!r})"
    )


def touching(who: str, variables: Mapping[str, Mapping[str, Any]], rendered: bool) -> str:
    """Code that goes on with all the other prompts, after `program`."""
    if rendered:
        call = "prompts[key].messages(variables)" if who == OURS else "prompts.messages(key, variables)"
        return f"\nfor key, variables in everything.items():\n    {call}"
    return "\nfor key in {keys!r}:\n    {call}".format(
        keys=sorted(variables), call="prompts[key].model" if who == OURS else "prompts.load(key)"
    )


def command(who: str, code: str) -> list[str]:
    flags = {f"{OURS} -B -OO": ["-B", "-OO"]}.get(who, [])
    return [sys.executable, "-I", "-S", *flags, "-c", code]


# The measurements


@dataclass(slots=True)
class Figures:
    """Best of all rounds, less the bare interpreter's best (its own: as measured)."""

    wall_ms: float
    cpu_ms: float
    peak_mib: float | None
    prompts: int = 1

    def as_dict(self) -> dict[str, Any]:
        return {"wall ms": self.wall_ms, "CPU ms": self.cpu_ms, "MiB": self.peak_mib, "prompts": self.prompts}


def measure_one(place: Place, drawn: list[Drawn], peers: list[str], rounds: int) -> dict[str, Any]:
    contenders = [OURS, f"{OURS} -B -OO", *peers]
    able = {who: [prompt for prompt in drawn if says_the_same(who, place, prompt)] for who in contenders}
    figures: dict[str, list[Figures]] = {who: [] for who in [BARE, *contenders]}
    for prompt in drawn:
        codes = {who: program(who, place, prompt.key, prompt.variables) for who in contenders if prompt in able[who]}
        for who, found in against_bare(codes, rounds).items():
            figures[who].append(found)
    return {who: middle(found).as_dict() for who, found in figures.items() if found}


def measure_all(
    place: Place,
    first: Drawn,
    variables: Mapping[str, Mapping[str, Any]],
    peers: list[str],
    rounds: int,
    *,
    rendered: bool,
) -> dict[str, Any]:
    """Every prompt of the tree in one process. minijinja renders only some of them, so it is not asked to."""
    given = f"everything = {dict(variables)!r}\n" if rendered else ""
    codes = {
        who: given + program(who, place, first.key, first.variables) + touching(who, variables, rendered)
        for who in [OURS, *peers]
        if not (rendered and who == RUST)
    }
    codes[BARE] = given or "pass"  # to have the variables is no part of rendering them
    with tempfile.TemporaryDirectory() as scratch:
        return {who: found.as_dict() for who, found in against_bare(codes, min(rounds, 3), Path(scratch)).items()}


def says_the_same(who: str, place: Place, prompt: Drawn) -> bool:
    """Whether `who` renders what we render; also warms every cache. Only minijinja may differ or fail."""
    code = program(who, place, prompt.key, prompt.variables) + "\nprint(ascii(messages))"
    if who == RUST:
        code = code.replace("\nmessages = ", "\ntry:\n    messages = ").replace(
            "\nprint(ascii(messages))", "\nexcept Exception:\n    messages = None\nprint(ascii(messages))"
        )
    same = processes.run(command(who, code)).output.strip() == ascii(prompt.expected)
    if not same and who != RUST:
        raise SystemExit(f"error: {who} renders another text for {prompt.key}")
    return same


def against_bare(codes: dict[str, str], rounds: int, scratch: Path | None = None) -> dict[str, Figures]:
    """Run each program once in every round. Return what each costs over the bare interpreter, and what that costs.

    `scratch`: programs too long for a command line go into files there.
    """
    codes = {BARE: "pass"} | codes
    commands = {who: command(who, code) for who, code in codes.items()}
    with_peak = {who: command(who, code + "\n" + processes.PRINT_PEAK) for who, code in codes.items()}
    if scratch is not None:
        commands = {who: in_file(words, scratch / f"{at}.py") for at, (who, words) in enumerate(commands.items())}
        with_peak = {who: in_file(words, scratch / f"{at}m.py") for at, (who, words) in enumerate(with_peak.items())}
    peaks = {who: peak(words) for who, words in with_peak.items()}
    wall = dict.fromkeys(codes, float("inf"))
    cpu = dict.fromkeys(codes, float("inf"))
    for _ in range(rounds):
        for who, words in commands.items():
            done = processes.run(words)
            wall[who] = min(wall[who], done.wall)
            cpu[who] = min(cpu[who], done.cpu)
    bare = Figures(wall[BARE] * 1e3, cpu[BARE] * 1e3, peaks[BARE])
    return {
        who: bare
        if who == BARE
        else Figures(
            wall[who] * 1e3 - bare.wall_ms,
            cpu[who] * 1e3 - bare.cpu_ms,
            None if bare.peak_mib is None else (peaks[who] or 0) - bare.peak_mib,
        )
        for who in codes
    }


def in_file(words: list[str], path: Path) -> list[str]:
    path.write_text(words[-1], "utf-8")
    return [*words[:-2], str(path)]


def peak(words: list[str]) -> float | None:
    return int(processes.run(words).output) / 1024 if sys.platform == "linux" else None


def middle(found: list[Figures]) -> Figures:
    def of(figure: Callable[[Figures], float | None]) -> float | None:
        values = [value for one in found if (value := figure(one)) is not None]
        return median(values) if values else None

    wall, cpu = of(lambda one: one.wall_ms), of(lambda one: one.cpu_ms)
    return Figures(wall or 0, cpu or 0, of(lambda one: one.peak_mib), len(found))


# The tables


def print_result(result: dict[str, Any]) -> None:
    print(f"\n{result['packages']} packages, served from {result['source']}; over a bare interpreter")
    print(f"{'':34}{'wall ms':>10}{'CPU ms':>10}{'MiB':>8}{'CPU ×':>13}{'prompts':>9}")
    for title in ("one", "all touched", "all rendered"):
        print(title)
        ours = result[title][OURS]["CPU ms"]
        for who, figures in result[title].items():
            mib = "–" if figures["MiB"] is None else f"{figures['MiB']:.1f}"
            ratio = f"{figures['CPU ms'] / ours:.2f} ×"
            label = "(bare itself)" if who == BARE else who
            print(
                f"  {label:32}{figures['wall ms']:>10.1f}{figures['CPU ms']:>10.1f}{mib:>8}{ratio:>13}"
                f"{figures['prompts'] if title == 'one' else result['packages']:>9}"
            )


if __name__ == "__main__":
    sys.exit(main())
