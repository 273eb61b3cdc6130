"""No pass reads the clock, chance, the environment or a directory, prints, or lets a set decide an order."""

from pathlib import Path

import pytest
from house.banned import banned

ROOT = Path(__file__).parents[2]
# The parts that face the outside, and what they are for.
ALLOWED = {
    "compiler/frozenctx_compiler/sources.py": {"open()", "os.open", "os.scandir"},  # the only opener of source files
    "compiler/frozenctx_compiler/api.py": {"open()"},  # env files, which the caller names
    "compiler/frozenctx_compiler/threads.py": {"threading"},  # a stack of its own, joined before anything goes on
    "compiler/frozenctx_compiler/evals/standing_in.py": {"threading"},  # a lock around what the process shares
    "compiler/frozenctx_compiler/host_module.py": {"sys.path", "os.getcwd"},  # of the command line, and of no pass
    "compiler/frozenctx_compiler/evals/process.py": {"threading", "sys.path", "os.getcwd"},  # restored after eval.py
    "compiler/frozenctx_compiler/contracts/json_schema.py": {"urllib"},  # urllib.parse: `$ref` is a URI
    "compiler/frozenctx_compiler/secrets.py": {"urllib"},  # urllib.parse: how URLs escape what they hold
    "compiler/frozenctx_compiler/explain.py": {".read_text"},  # our own pages, never a source
}
OUTSIDE = {"cli.py", "__main__.py", "store.py"}  # prints and sees the terminal; writes, locks, names temporary files


def passes() -> list[Path]:
    folders = [ROOT / "compiler/frozenctx_compiler", ROOT / "artifacts/frozenctx_artifacts"]
    return [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.name not in OUTSIDE]


@pytest.mark.parametrize("module", passes(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_pass_is_a_function_of_its_inputs(module: Path) -> None:
    name = module.relative_to(ROOT).as_posix()
    found = [(line, what) for line, what in banned(module.read_text("utf-8")) if what not in ALLOWED.get(name, ())]
    assert not found, "\n".join(f"{name}:{line}: {what}" for line, what in found)


@pytest.mark.parametrize(
    "code",
    [
        "import time",
        "from random import choice",
        "import os\nos.environ['A']",
        "from os import environ",
        "def f(p):\n    return list(p.iterdir())",
        "print('x')",
        "seen = {}\nseen[id(seen)] = 1",
        "def f(x):\n    return hash(x)",
        "def f(d):\n    return d.now()",
        "def f(p):\n    return open(p)",
        "for x in {1, 2}: pass",
        "def f(xs):\n    s = set(xs)\n    return [x for x in s]",
        "def f(xs: 'set[str]'):\n    return ', '.join(xs)",
        "def f(a, b):\n    return list(a.keys() - b)",
        "def f(a):\n    s: frozenset[int] = a\n    return (*s,)",
        "def f(a):\n    return {x: 1 for x in set(a)}",
    ],
)
def test_what_is_banned_is_found(code: str) -> None:
    assert list(banned(code))


@pytest.mark.parametrize(
    "code",
    [
        "def f(xs):\n    s = set(xs)\n    return sorted(s)",
        "def f(xs):\n    s = set(xs)\n    return any(x for x in s), len(s), 3 in s",
        "def f(a, b):\n    return sorted(a.keys() - b)",
        "def f(d):\n    return [x for x in d.keys()]",
        "def f(time):\n    return time.time",
    ],
)
def test_what_is_harmless_is_not(code: str) -> None:
    assert not list(banned(code))
