"""The pass check_environment: what was given and read by nothing is probably misspelled.

In: the build's Env, and what each document asked of it. Out: findings. No value is looked at.
"""

from collections.abc import Sequence

from .diagnostics import Report
from .environment import Env
from .package import EnvUse
from .spelling import near

_ALONE = ("--env", "--env-from-process", "env=")  # origins of names that somebody named for this very build


def check_environment(env: Env, uses: Sequence[EnvUse], report: Report) -> None:
    """Report each name that nothing read. A file may serve more than this tree: of its names those are reported that
    nearly are a name which fell back to its default, or was missing. Where expressions are faulty, nobody knows what
    they would have read, and nothing is reported."""
    if not all(use.complete for use in uses):
        return
    read: set[str] = set()
    fell_back: set[str] = set()
    for use in uses:
        read.update(use.found)
        fell_back.update(use.defaulted, use.missing)
    for name in sorted(env.keys() - read - fell_back):
        origin = env.origin(name)
        meant = near(name, sorted(fell_back), 0.8)
        if meant is None and origin not in _ALONE:
            continue
        meant = meant or near(name, sorted(fell_back | read))
        report.add(
            "unused-env",
            f"nothing reads the environment variable `{name}`",
            notes=(f"it is given by {'`env=`' if origin == 'env=' else f'`{origin}`'}",),
            help=f"did you mean `{meant}`?" if meant else "remove it; `frozenctx env` lists the names that are read",
        )
