"""A machine that holds an interpreter and what is put there, and nothing else: no shell, no HOME, no /tmp, no /proc.

The interpreter is that of the tests, put there by `examples/container/assemble.py`. Commands run in it by `chroot`; for
that the tests must run as root, or user namespaces be permitted.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTAINER = ROOT / "examples" / "container"
NOBODY = 65534


def assembled(root: Path) -> Path:
    """Make a machine at `root`."""
    if isinstance(missing := _chroot(False), str):
        pytest.skip(missing)
    subprocess.run([sys.executable, str(CONTAINER / "assemble.py"), str(root)], check=True, timeout=120)
    return root


def run(
    root: Path,
    *command: str,
    environment: Mapping[str, str] | None = None,
    text: str = "",
    read_only: bool = False,
    user: int | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a command on the machine. `read_only`: not even its root can be written. Skips the test where this machine
    does not permit such a thing."""
    prefix = _chroot(read_only)
    if isinstance(prefix, str):
        pytest.skip(prefix)
    become = [f"--userspec={user}:{user}", "--groups="] if user is not None else []
    if become and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    line = [*prefix, str(shutil.which("chroot", path=_PATH)), *become, str(root), *command]
    if read_only:
        line = [*prefix, "sh", "-c", _READ_ONLY, "sh", str(root), *line[len(prefix) :]]
    return subprocess.run(line, env=dict(environment or {}), input=text, capture_output=True, text=True, timeout=120)


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin"
_READ_ONLY = 'root=$1; shift; mount --bind "$root" "$root" && mount -o remount,bind,ro "$root" && exec "$@"'


@cache
def _chroot(read_only: bool) -> Sequence[str] | str:
    """What stands before `chroot`, or why there can be none."""
    for tool in ("chroot", "ldd", *(["mount"] if read_only else [])):
        if shutil.which(tool, path=_PATH) is None:
            return f"this machine has no {tool}"
    options = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    if read_only:
        options.append("--mount")
    if not options:
        return []
    unshare = shutil.which("unshare", path=_PATH)
    if unshare is None:
        return "this machine has no unshare"
    test = [unshare, *options, "sh", "-c", "mount --bind /usr /usr" if read_only else "true"]
    done = subprocess.run(test, capture_output=True, text=True)
    if done.returncode:
        return f"no namespaces here: {done.stderr.strip()}"
    return [unshare, *options]


def files_of(root: Path) -> list[tuple[str, int, int]]:
    """Every file with its size and the time of its last change: equal if nothing was written."""
    paths = [path for path in root.rglob("*") if not path.is_symlink()]
    stats = ((path.relative_to(root).as_posix(), path.stat()) for path in sorted(paths))
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
