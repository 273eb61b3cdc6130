"""The Makefile explains itself, and says what is wrong with an interpreter before it makes anything."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

OLD = """#!/bin/sh
case "$*" in *version_info\\ \\<*) exit 1 ;; *) echo 3.9.18 ;; esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    return tmp_path


def make(directory: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    quiet = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *arguments], cwd=directory, env=quiet, capture_output=True, text=True)


def test_make_alone_lists_the_targets(checkout: Path) -> None:
    listed = make(checkout).stdout.splitlines()
    assert [line.split()[:2] for line in listed if line.startswith("  make build ")] == [["make", "build"]]
    assert {"help", "build", "test", "test-all", "lint", "conformance", "clean"} <= {line.split()[1] for line in listed}


def test_an_interpreter_that_is_too_old_is_refused_with_its_version(checkout: Path) -> None:
    old = checkout / "old-python"
    old.write_text(OLD)
    old.chmod(0o755)
    done = make(checkout, "build", f"PYTHON={old}")
    assert done.returncode
    assert f"error: PYTHON={old} is Python 3.9.18; frozenctx needs 3.11 or newer\n" in done.stderr
    assert not (checkout / ".venv").exists()


def test_an_interpreter_that_is_not_there_is_refused(checkout: Path) -> None:
    done = make(checkout, "test", "PYTHON=./no-python")
    assert done.returncode
    assert "error: PYTHON=./no-python does not run\n" in done.stderr


def test_an_activated_environment_is_made_from_the_interpreter_below_it(checkout: Path) -> None:
    venv = checkout / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    base = os.path.realpath(getattr(sys, "_base_executable"))  # noqa: B009
    # A stamp that fits is all that the script looks at before it would make the environment anew.
    script = (checkout / "tools/environment.sh").read_text("utf-8")
    assert script.index("_base_executable") < script.index("rm -rf")
    shown = script.partition('if [ -f "$directory/stamp" ]')[0] + 'echo "$python"\n'
    (checkout / "tools/shown.sh").write_text(shown, "utf-8")
    environment = {**os.environ, "PYTHON": str(venv / "bin/python")}
    done = subprocess.run(
        ["sh", "tools/shown.sh", ".venv", "compiler"], cwd=checkout, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == base
