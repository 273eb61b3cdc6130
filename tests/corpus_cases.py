"""The corpus: a tree, and every word that `frozenctx check` says about it.

A case is either a directory `tests/corpus/<case>/` with `tree/`, an optional `case.toml` and `expected.txt`, or a
function marked with `made` in `tests/corpus_made/*.py`, for trees that a checkout would damage (line ends, BOMs, bad
bytes, links, names that differ in case). Both are run in the same way and compared in whole.

case.toml:  args = ["--env", "A=b"]        more arguments of `check` and `render`
            command = ["build", "-o", "out"]   instead of `check`
            select = "sub/dir"             the path given, below tree/ (default: the tree itself)
            covers = ["code", …]           the codes this case is for; each must appear in expected.txt
            listing = true                 a good tree: also list what was compiled
            show = ["key", …]              what these prompts are made of, as far as no generated code is in it
            [render."key"] vars = {…}      and render these prompts; `sample = "name"` takes a sample's variables
"""

import contextlib
import io
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parent / "corpus"
MADE = Path(__file__).parent / "corpus_made"
PARTS = ("name", "version", "settings", "meta", "identity", "hostNames", "inputSchema", "toolContracts")


@dataclass(frozen=True)
class Case:
    name: str
    expected: Path
    args: Sequence[str] = ()
    command: Sequence[str] = ("check",)
    select: str = ""
    covers: Sequence[str] = ()
    listing: bool = False
    show: Sequence[str] = ()
    render: dict[str, dict[str, Any]] = field(default_factory=dict)


def written_cases() -> list[Case]:
    """The cases that are directories."""
    cases = []
    for tree in sorted(CORPUS.glob("*/tree")):
        toml = tree.parent / "case.toml"
        options = tomllib.loads(toml.read_text("utf-8")) if toml.exists() else {}
        cases.append(Case(tree.parent.name, tree.parent / "expected.txt", **options))
    return cases


class Tree:
    """A tree being made. Paths are relative to it; directories come into being as needed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, content: str | bytes) -> None:
        """Exactly these bytes (text as UTF-8, nothing translated)."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    def link(self, path: str, target: str) -> None:
        """A symbolic link; `target` as it is to stand in the link."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)


Maker = Callable[[Tree], None]
MADE_CASES: dict[str, tuple[Case, Maker]] = {}


def made(name: str, **options: Any) -> Callable[[Maker], Maker]:
    """Register a case whose tree is made by the decorated function; options as in case.toml."""

    def register(maker: Maker) -> Maker:
        if name in MADE_CASES and MADE_CASES[name][1].__code__.co_filename != maker.__code__.co_filename:
            raise ValueError(f"two made cases are called {name}")
        MADE_CASES[name] = (Case(name, MADE / "expected" / f"{name}.txt", **options), maker)
        return maker

    return register


def verify(case: Case, directory: Path, update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a case whose tree stands at `directory`/tree, and compare."""
    monkeypatch.chdir(directory)
    actual = output_of(case)
    for code in case.covers:
        assert f"[{code}]: " in actual, f"{case.name} is to cover `{code}`, which is not reported:\n{actual}"
    if update:
        case.expected.parent.mkdir(parents=True, exist_ok=True)
        case.expected.write_bytes(actual.encode("utf-8"))
    assert case.expected.exists(), f"{case.name} has no {case.expected.name}; make it with --update-corpus, and read it"
    assert actual == case.expected.read_bytes().decode("utf-8")


def output_of(case: Case) -> str:
    path = f"tree/{case.select}" if case.select else "tree"
    shown, code = run(*case.command, path, *case.args)
    text = f"{shown}exit {code}\n"
    if case.listing or case.show:
        out = built(path, case.args)
        text += "\n" + listing(out) if case.listing else ""
        text += "".join(f"\n$ show {key}\n{shown_parts(out, key)}" for key in case.show)
    for key, options in case.render.items():
        variables = [f"--var={name}:={json.dumps(value)}" for name, value in options.get("vars", {}).items()]
        sample = [f"--sample={options['sample']}"] if "sample" in options else []
        shown, code = run("render", "--src", path, key, *variables, *sample, *case.args)
        text += f"\n$ render {key}\n{shown}exit {code}\n"
    return text


def built(path: str, args: Sequence[str]) -> str:
    """Where the artifacts of a good tree are."""
    shown, code = run("build", path, "-o", "out", *args)
    assert code == 0, shown
    return "out"


def listing(out: str) -> str:
    """What `frozenctx ls` says of everything that was compiled."""
    shown, code = run("ls", out)
    assert code == 0, shown
    return shown


def shown_parts(out: str, key: str) -> str:
    """What `frozenctx show` says of one prompt, without the digests that a better code generator would move."""
    shown, code = run("show", out, key, "--json")
    assert code == 0, shown
    parts = json.loads(shown)
    lines = [f"{part}: {json.dumps(parts[part], ensure_ascii=False)}" for part in PARTS if parts[part]]
    return "\n".join(lines) + "\n"


def run(*arguments: str) -> tuple[str, int]:
    """A command of the compiler, in this process: what it printed on stdout and stderr, and its exit code."""
    from frozenctx_compiler.cli import run as command

    printed = _Terminal()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = command(arguments)
    return printed.getvalue(), code


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return False
