"""The other Python versions of this machine, for tests that compare across versions.

`FROZENCTX_PYTHONS` (paths, separated as in PATH) names interpreters that can import the compiler's dependencies;
without it, `python3.11` … `python3.14` are looked for on PATH. Interpreters that cannot import jinja2 are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache


@cache
def others() -> list[str]:
    named = os.environ.get("FROZENCTX_PYTHONS")
    if named:
        candidates = [path for path in named.split(os.pathsep) if path]
    else:
        found = [shutil.which(f"python3.{minor}") for minor in (11, 12, 13, 14)]
        candidates = [path for path in found if path is not None]
    return [path for path in candidates if version_of(path) not in (None, sys.version)]


def version_of(python: str) -> str | None:
    """Return the version of an interpreter that has jinja2, or None."""
    done = subprocess.run(
        [python, "-c", "import jinja2, sys; print(sys.version, end='')"], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None
