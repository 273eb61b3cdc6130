"""A short run of the fuzzer of packs, and that it finds a runtime out that checks too little."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).with_name("fuzz_packs.py")


def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(FUZZER), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_damaged_outputs_end_in_errors_of_ours_or_in_the_truth() -> None:
    done = run("--seed", 1, "--cases", 200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("seed 1, cases 0 to 199\n")
    assert "200 cases, " in done.stdout


def test_one_case_is_run_again_by_its_number() -> None:
    shown = [run("--seed", 5, "--only", 3).stdout for _ in range(2)]
    assert shown[0] == shown[1]
    assert "1 cases, " in shown[0]


PLANTED = """
import sys
sys.path[:0] = {path!r}
import frozenctx.pack, frozenctx.elsewhere
from artifacts import fuzz_packs
fuzz_packs.outputs()
{plant}
sys.exit(fuzz_packs.worker(1, range(150), 60, sys.argv[1], False))
"""
PLANTS = {
    "slices of packs": "frozenctx.pack.Pack._bytes = lambda self, at: self.file.read(self._base + at[0], at[1])",
    "heads of packs": "frozenctx.pack.source_hash = lambda key, data: type('Any', (), {'__eq__': lambda a, b: True})()",
    "digests of objects": (
        "import frozenctx.objects as objects\n"
        "def read(source, hexdigits, suffix):\n"
        "    data = source.read(objects.object_name(hexdigits, suffix))\n"
        "    if data is None: raise KeyError(hexdigits)\n"
        "    return data\n"
        "objects.read_object = read"
    ),
}


@pytest.mark.parametrize("what", PLANTS)
def test_a_runtime_that_does_not_check_is_found_out(what: str, tmp_path: Path) -> None:
    (tmp_path / "progress").write_bytes(b"")
    code = PLANTED.format(path=[entry for entry in sys.path if entry], plant=PLANTS[what])
    command = [sys.executable, "-c", code, str(tmp_path / "progress")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, done.stdout  # findings, or the end of the interpreter
    assert "seed 1 case " in done.stdout or done.returncode < 0
