"""The other interpreters that this machine has, and whether each can compile.

Looked for in this order, the first of a version wins: the paths in FROZENCTX_PYTHONS (separated as PATH is), the
environments that `make test-all` makes, and what tools/pythons.sh finds on the PATH and under pyenv.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from pipeline.bare import DEPENDENCIES

ROOT = Path(__file__).parents[2]
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
SUPPORTED = ("3.11", "3.12", "3.13")

_PROBE = f"""
import importlib.util, sys
missing = [name for name in {DEPENDENCIES!r} if importlib.util.find_spec(name) is None]
print("%d.%d" % sys.version_info[:2], *missing)
"""


@cache
def found() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Version → the interpreter, and which dependencies of the compiler it lacks."""
    result: dict[str, tuple[str, tuple[str, ...]]] = {}
    for path in _candidates():
        try:
            done = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, timeout=60)
        except OSError:
            continue
        if done.returncode == 0 and done.stdout:
            version, *missing = done.stdout.split()
            if version not in result or (result[version][1] and not missing):
                result[version] = (path, tuple(missing))
    return result


def _candidates() -> list[str]:
    named = [path for path in os.environ.get("FROZENCTX_PYTHONS", "").split(os.pathsep) if path]
    made = [str(path) for path in sorted(ROOT.glob(".venv-test-3.*/bin/python"))]
    listed = subprocess.run(["sh", str(ROOT / "tools" / "pythons.sh")], capture_output=True, text=True)
    return [*named, *made, *listed.stdout.split("\n")[:-1]]


def missing(version: str) -> str:
    """Why this version cannot compile here; empty if it can."""
    if version not in found():
        return f"no Python {version} here (FROZENCTX_PYTHONS may name one)"
    path, lacking = found()[version]
    return f"{path} has no {', '.join(lacking)}: `make test-all` makes environments that have" if lacking else ""
