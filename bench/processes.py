"""Running programs to measure them: a clean environment, and what the kernel says about each.

In: a command. Out: wall time, CPU time and peak memory of that one process, with what it printed. Variables that steer
Python are taken out of the environment, so that the shell one starts the benchmark from changes nothing.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    """Seconds from the start of the process to its end."""
    cpu: float
    """Seconds in the process, user and system."""
    memory: float
    """MiB at the peak."""
    output: str


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(command: Sequence[str]) -> Run:
    """Run `command` to its end. Raises CalledProcessError when it fails."""
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment())
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    memory = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Run(wall, usage.ru_utime + usage.ru_stime, memory, output.decode())
