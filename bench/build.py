"""CPU time of a full build against its parts done by the libraries alone: `python -m bench.build`.

In: a tree of `bench.packages`. Out: the ratio of the CPU time of `frozenctx_compiler.build` to that of one jinja2
parse-and-compile of the same templates plus PyYAML's C load of the same YAML, each in a process of its own, turn and
turn about; the best of each counts. Imports are outside of both times. Peak memory is that of the whole process.

The tree and the output lie in a file system in memory, if there is one: what making a file costs on a disk depends on
what its file system did in the minutes before (30 to 600 µs for each of 2,600 files, measured), not on the build.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from types import FunctionType, ModuleType
from typing import Any

from bench import packages, processes, versions

# Each is one process: it imports what it needs, does the work, and prints the CPU time of the work.
OURS, PEERS = "ours", "peers"
IN_MEMORY = "/dev/shm"
# What jinja2's compiler has to know of; it never calls them.
FILTERS = ("as_codeblock", "as_xml", "bulleted_list", "dedent", "from_json", "numbered_list", "to_json") + (
    "import_text",
    "import_yaml",
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.build", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=int, default=1000, metavar="N", help="how many packages (default 1000)")
    parser.add_argument("--rounds", type=int, default=3, help="how many turns the best is taken of (default 3)")
    parser.add_argument("--passes", action="store_true", help="also show the CPU time of each pass")
    parser.add_argument(
        "--scratch", metavar="DIR", help=f"where tree and output are written (default {IN_MEMORY}, if there is one)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--work", nargs=3, metavar=("WHOSE", "TREE", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        whose, tree, out = options.work
        work = {OURS: build, PEERS: parse_and_load}[whose]
        print(json.dumps({**work(Path(tree), Path(out), options.passes), "peak": processes.peak_mib()}))
        return 0
    memory = IN_MEMORY if os.path.isdir(IN_MEMORY) and os.access(IN_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=options.scratch or memory) as scratch:
        tree = Path(scratch) / "tree"
        tree.mkdir()
        packages.write_tree(tree, options.packages)
        result = measure(tree, Path(scratch), options.rounds, options.passes)
    result = {"versions": versions.versions("frozenctx", "jinja2", "PyYAML"), "packages": options.packages, **result}
    if options.json:
        print(json.dumps(result, indent=1))
    else:
        print(versions.line("frozenctx", "jinja2", "PyYAML"))
        print_result(result)
    return 0


def measure(tree: Path, scratch: Path, rounds: int, passes: bool) -> dict[str, Any]:
    best: dict[str, dict[str, Any]] = {}
    for number in range(rounds):
        for whose in (OURS, PEERS):
            out = scratch / f"out-{number}"
            command = [sys.executable, "-m", "bench.build", "--work", whose, str(tree), str(out)]
            done = processes.run([*command, "--passes"] if passes else command)
            times = json.loads(done.output)
            if whose not in best or times["cpu"] < best[whose]["cpu"]:
                best[whose] = times
    return {"ratio": best[OURS]["cpu"] / best[PEERS]["cpu"], "best": best}


def print_result(result: dict[str, Any]) -> None:
    ours, peers = result["best"][OURS], result["best"][PEERS]
    count = result["packages"]
    print(f"{count} packages, {peers['templates']:.0f} templates, {peers['documents']:.0f} YAML documents\n")
    print(f"frozenctx: full build             {ours['cpu']:8.2f} s CPU   {mebibytes(ours['peak'])} at the peak")
    print(f"jinja2 compile + PyYAML C load    {peers['cpu']:8.2f} s CPU   {mebibytes(peers['peak'])} at the peak")
    print(f"  jinja2 {peers['jinja2']:.2f} s, PyYAML {peers['yaml']:.2f} s")
    print(f"ratio                             {result['ratio']:8.2f} ×")
    if ours["passes"]:
        print("\nCPU of each pass, with a clock around each call")
        for name, spent in sorted(ours["passes"].items(), key=lambda item: -item[1]):
            if spent > 0.01 * ours["cpu"]:
                print(f"  {name:16}{spent:8.2f} s {spent / ours['cpu']:7.0%}")


def mebibytes(peak: float | None) -> str:
    return "? MiB" if peak is None else f"{peak:.0f} MiB"


# The work


def build(tree: Path, out: Path, passes: bool) -> dict[str, Any]:
    """Build as `frozenctx build` does."""
    from frozenctx_compiler import api

    spent = clocked_passes(api) if passes else {}
    start = process_time()
    done = api.build(tree, out)
    cpu = process_time() - start
    if not done.written:
        raise SystemExit(f"the build failed: {done.report.diagnostics[:3]}")
    return {"cpu": cpu, "passes": spent}


def clocked_passes(api: ModuleType) -> dict[str, float]:
    """Put a clock around every pass: the functions that `api` has from other modules of the compiler."""
    passes = {
        name: value
        for name, value in vars(api).items()
        if isinstance(value, FunctionType) and value.__module__ != api.__name__
    }
    spent = dict.fromkeys(passes, 0.0)

    def clocked(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            start = process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent[name] += process_time() - start

        return call

    for name, function in passes.items():
        setattr(api, name, clocked(name, function))
    return spent


def parse_and_load(tree: Path, _out: Path, _passes: bool) -> dict[str, Any]:
    """What the libraries do alone: every template of the tree compiled once, every YAML document loaded once."""
    import jinja2
    import yaml

    environment = jinja2.Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    environment.filters.update(dict.fromkeys(FILTERS, str))
    loader = settings_loader(yaml)
    templates, documents = texts(tree)
    start = process_time()
    for source in documents:
        yaml.load(source, loader)
    loaded = process_time()
    contents = [yaml.load(source, yaml.CSafeLoader)["content"] for source in documents if source.startswith("role:")]
    begun = process_time()
    for source in [*templates, *contents]:
        environment.compile(source)
    compiled = process_time()
    return {
        "cpu": (loaded - start) + (compiled - begun),
        "jinja2": compiled - begun,
        "yaml": loaded - start,
        "templates": len(templates) + len(contents),
        "documents": len(documents),
    }


def settings_loader(yaml: object) -> type:
    class Loader(yaml.CSafeLoader):  # type: ignore[misc,name-defined]
        """Takes the text of an expression for its value."""

    Loader.add_constructor("!?", Loader.construct_scalar)
    return Loader


def texts(tree: Path) -> tuple[list[str], list[str]]:
    """The Jinja templates and the YAML documents of the tree: what a build has to parse, partials and samples too."""
    templates: list[str] = []
    documents: list[str] = []
    for path in files(tree):
        text = path.read_text("utf-8")
        if path.suffix == ".ctx" and text.startswith("---\n"):
            front, _, text = text[4:].partition("\n---\n")
            documents.append(front)
        if path.suffix in (".yaml", ".yml"):
            if path.name not in ("eval.yaml", "eval.yml"):
                documents.append(text)
        elif path.suffix == ".j2" and "partials" in path.parts:
            templates.append(text)
        elif path.suffix in (".j2", ".ctx"):
            preamble, *sections = re.split(r"^<<<\s*role:\w+\s*>>>\n", text, flags=re.MULTILINE)
            templates.extend([preamble + sections[0], *sections[1:]] if sections else [preamble])
    return templates, documents


def files(tree: Path) -> Iterator[Path]:
    return (path for path in sorted(tree.rglob("*")) if path.is_file())


if __name__ == "__main__":
    sys.exit(main())
