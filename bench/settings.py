"""CPU time of reading settings that hold expressions, against PyYAML's C loader: `python -m bench.settings`.

In: settings files with `!?` expressions, those of `bench.packages` or of a tree. Out: the ratio of the CPU time of
text → checked nodes → data with every expression evaluated and every place known, to that of PyYAML's `CSafeLoader`
making data of the same texts (expressions as strings), interleaved in one process; the best of each counts.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from frozenctx_compiler import frontmatter
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import EMPTY
from frozenctx_compiler.package import SettingsDocument
from frozenctx_compiler.resolve import evaluated
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.yamltree import compose

from bench import packages, timing, versions


class Loader(yaml.CSafeLoader):
    """PyYAML's C loader, which takes an expression for a string."""


class Expression(str):
    """The text of an expression."""


Loader.add_constructor("!?", lambda loader, node: Expression(node.value))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.settings", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=1000, metavar="N", help="how many files (default 1000)")
    parser.add_argument("--rounds", type=int, default=9, help="how many turns the best is taken of (default 9)")
    parser.add_argument("--tree", type=Path, help="a tree of packages to take the settings of, again and again")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    texts = tagged(options.tree, options.files)
    different = [text for text in texts if not agree(text)]
    if different:
        print(f"error: not the data of PyYAML:\n{different[0]}", file=sys.stderr)
        return 1
    result = measure(texts, options.rounds)
    result = {"versions": versions.versions("frozenctx", "PyYAML"), **result}
    if options.json:
        print(json.dumps(result, indent=1))
        return 0
    print(versions.line("frozenctx", "PyYAML"))
    print(f"{result['files']} settings files, {result['expressions']} expressions, {result['characters']} characters\n")
    for name, seconds in result["seconds"].items():
        print(f"{name:36}{seconds * 1000:8.1f} ms CPU {seconds / result['seconds'][PEER]:8.2f} ×")
    return 0


OURS, COMPOSED, PEER = "frozenctx: evaluated, with places", "frozenctx: composed alone", "PyYAML's C loader"


def tagged(tree: Path | None, count: int) -> list[str]:
    """The texts of `count` settings, each with an expression in it; those of a small tree are taken again."""
    if tree is not None:
        texts = settings_in(tree)
        return [texts[number % len(texts)] for number in range(count)]
    with tempfile.TemporaryDirectory() as scratch:
        packages.write_tree(Path(scratch), 2 * count)
        return settings_in(Path(scratch))[:count]


def settings_in(tree: Path) -> list[str]:
    texts = []
    for path in sorted(tree.rglob("*")):
        if path.name in ("settings.yaml", "settings.yml"):
            texts.append(path.read_text("utf-8"))
        elif path.suffix == ".ctx" and path.is_file():
            texts.append(frontmatter.split(path.read_text("utf-8")).settings or "")
    return [text for text in texts if "!?" in text]


def agree(text: str) -> bool:
    """Whether both give the same data; `x-…` is nobody's."""
    ours, theirs = data_of(text), yaml.load(text, Loader)
    return same(*({name: part for name, part in data.items() if name[:2] != "x-"} for data in (ours, theirs)))


def same(ours: Any, theirs: Any) -> bool:
    """Equal but for what expressions give, and for what they drop."""
    if isinstance(theirs, Expression):
        return True
    if isinstance(theirs, dict):
        kept = {name: part for name, part in theirs.items() if name in ours or not isinstance(part, Expression)}
        return bool(ours.keys() == kept.keys()) and all(same(ours[name], part) for name, part in kept.items())
    if isinstance(theirs, list):
        kept_items = [part for part in theirs if not isinstance(part, Expression)]
        return len(ours) >= len(kept_items) and (len(ours) != len(theirs) or all(map(same, ours, theirs)))
    return type(ours) is type(theirs) and ours == theirs


def data_of(text: str) -> Any:
    scope = Report().scoped("package")
    document = SettingsDocument("settings.yaml", text, compose(text, "settings.yaml", scope))  # type: ignore[arg-type]
    return evaluated(document, EMPTY, Sources("."), scope)[0].value


def measure(texts: list[str], rounds: int) -> dict[str, Any]:
    sources = Sources(".")

    def ours() -> None:
        for text in texts:
            scope = Report().scoped("package")
            node = compose(text, "settings.yaml", scope)
            evaluated(SettingsDocument("settings.yaml", text, node), EMPTY, sources, scope)  # type: ignore[arg-type]

    def composed() -> None:
        for text in texts:
            compose(text, "settings.yaml", Report().scoped("package"))

    def peer() -> None:
        for text in texts:
            yaml.load(text, Loader)  # noqa: S506 (a safe loader)

    works = {OURS: ours, COMPOSED: composed, PEER: peer}
    seconds = timing.best_of(works, rounds=rounds, turn_ms=1)
    return {
        "files": len(texts),
        "expressions": sum(text.count("!?") for text in texts),
        "characters": sum(map(len, texts)),
        "ratio": seconds[OURS] / seconds[PEER],
        "seconds": seconds,
    }


if __name__ == "__main__":
    raise SystemExit(main())
