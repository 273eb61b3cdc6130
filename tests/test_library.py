"""The compiler as a library: its three functions stay what they are, in whatever order they are used."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
before = set(sys.modules)
import frozenctx_compiler
assert set(sys.modules) - before == {"frozenctx_compiler"}, "importing the compiler must import nothing"
for name in sys.argv[1:]:
    assert callable(getattr(frozenctx_compiler, name)), name
from frozenctx_compiler import build, check, load
assert all(callable(function) for function in (build, check, load))
"""


@pytest.mark.parametrize("order", [["check"], ["load", "check", "build"], ["build", "load", "check"]])
def test_the_names_of_the_library_are_functions_whatever_was_imported_before(order: list[str]) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM, *order], check=True)
