"""Closed and full outputs, values too deep to read, things that are no path: words and a code, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("odd")
    (tree / "p.ctx").write_text("---\nmodel: m\n---\n{{ x }}\n", "utf-8")
    assert frozenctx_compiler.build(tree, tree / "out").written
    return tree / "out"


MODULES = ["frozenctx", "frozenctx_compiler"]


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_output_is_an_error_of_the_system_and_not_a_bug(module: str, out: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", module, "ls", str(out)], stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"error: No space left on device\n")


@pytest.mark.parametrize("module", MODULES)
def test_a_closed_output_is_no_error(module: str, out: Path) -> None:
    command = f'exec "{sys.executable}" -m {module} ls "{out}" >&-'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("module", MODULES)
def test_json_that_is_too_deep_is_a_usage_error(module: str, out: Path) -> None:
    place = [str(out), "p"] if module == "frozenctx" else ["p", "--from", str(out)]
    command = [sys.executable, "-m", module, "render", *place, "--var", "x:=" + "[" * 50_000]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "`x`" in done.stderr
    assert "not JSON" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", ValueError),
        ("a\0b", ValueError),
        ("\ud800", ValueError),
        (b"x", TypeError),
        (None, TypeError),
        ({"profiles/default": "text"}, TypeError),
        ({1: b""}, TypeError),
    ],
)
def test_what_is_no_path_is_refused_in_our_words(path: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="no path|the path to load|a mapping to load"):
        frozenctx.load(path)


@pytest.mark.parametrize("option", ["filters", "tests", "globals", "renderers"])
def test_what_the_host_supplies_is_a_mapping(option: str, out: Path) -> None:
    with pytest.raises(TypeError, match=f"{option}= takes a mapping of names, not list"):
        frozenctx.load(out, **{option: ["money"]})  # type: ignore[arg-type]
