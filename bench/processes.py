"""Running programs to measure them: a clean environment, and what the kernel says about each.

In: a command. Out: wall time and CPU time of that one process, with what it printed. Variables that steer Python are
taken out of the environment, so that the shell one starts the benchmark from changes nothing. Peak memory is what the
process itself reads at its end, on Linux: the kernel's figure for a child counts the memory of its parent as well.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

PRINT_PEAK = """
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
"""Python code that prints the KiB that its process had at its peak. Fails where there is no Linux."""


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    """Seconds from the start of the process to its end."""
    cpu: float
    """Seconds in the process, user and system."""
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
    return Run(wall, usage.ru_utime + usage.ru_stime, output.decode())


def peak_mib() -> float | None:
    """MiB that this process had at its peak; None where that cannot be known."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) / 1024
    except (OSError, StopIteration):
        return None
