"""The compiler as a library: its three functions stay what they are, in whatever order they are used."""

import gc
import subprocess
import sys
from pathlib import Path

import frozenctx_compiler
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


@pytest.mark.parametrize("collects", [True, False])
def test_the_garbage_collector_is_left_as_it_was(collects: bool, tmp_path: Path) -> None:
    before = gc.isenabled()
    (tmp_path / "p.ctx").write_text("---\nmodel: openai/gpt-5\n---\nHello.")
    try:
        (gc.enable if collects else gc.disable)()
        frozenctx_compiler.check(tmp_path)
        frozenctx_compiler.build(tmp_path, tmp_path / "out")
        with pytest.raises(TypeError):
            frozenctx_compiler.check(5)  # type: ignore[arg-type]
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
