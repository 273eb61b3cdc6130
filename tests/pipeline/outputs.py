"""Building by the command line in a process of its own, and what a build leaves behind."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import frozenctx
import frozenctx_artifacts
import frozenctx_compiler

ROOTS = [
    str(Path(str(package.__file__)).resolve().parents[1])
    for package in (frozenctx, frozenctx_artifacts, frozenctx_compiler)
]
"""Where this checkout's packages are, for other interpreters to import."""


def objects(out: Path) -> dict[str, bytes]:
    """Everything that names or holds a release: objects and profiles, by name."""
    return {name: data for name, data in files(out).items() if name.startswith(("objects/", "profiles/"))}


def records(out: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(out).items() if name.startswith("records/")}


def packs(out: Path) -> dict[str, bytes]:
    """What is derived from the objects for each interpreter."""
    return {name: data for name, data in files(out).items() if name.startswith("packs/")}


def files(out: Path) -> dict[str, bytes]:
    """Every file below a directory, by name."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def command(
    *arguments: str | Path,
    interpreter: Sequence[str] = (sys.executable,),
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> "subprocess.CompletedProcess[str]":
    """`python -m frozenctx_compiler …` of this checkout. The process has the given environment and no other."""
    line = [*interpreter, "-m", "frozenctx_compiler", *map(str, arguments)]
    surroundings = {"PYTHONPATH": os.pathsep.join(ROOTS), "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})}
    return subprocess.run(
        line, env=surroundings, cwd=cwd, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=120
    )


def built(src: Path, out: Path, *options: str, **surroundings: object) -> Path:
    """Build by the command line; `surroundings` as for `command`. Returns `out`."""
    done = command("build", src, "-o", out, *options, **surroundings)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stderr
    return out
