"""VENDORING.md, command by command, and what it says of the folder."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from shipping.dockerfile import shims
from shipping.machine import ROOT

TEXT = (ROOT / "VENDORING.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Runtime and examples, as in a checkout."""
    shutil.copytree(ROOT / "examples" / "prompts", tmp_path / "examples" / "prompts")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "runtime", tmp_path / "runtime", ignore=ignore)
    shims(tmp_path / "bin")
    return tmp_path


def shell(checkout: Path, lines: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": f"{checkout / 'bin'}:/usr/bin:/bin"}
    command = ["sh", "-ec", lines]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=120)


def test_every_command_works_in_its_order(checkout: Path) -> None:
    said = []
    for block in blocks("sh"):
        done = shell(checkout, block)
        assert done.returncode == 0, block + done.stdout + done.stderr
        said.append(done.stdout)
    _build, imported, _pack, renamed, _compiled, checked = said
    assert ", whole, pack for " in imported
    assert imported.endswith("\npack\n")
    assert renamed.startswith("26\nKEY ")
    assert re.fullmatch(r"frozenctx \d+\.\d+\.\d+\n", checked)  # and no difference


def test_the_program_loads_from_the_vendored_runtime(checkout: Path) -> None:
    shell(checkout, blocks("sh")[0])
    (program,) = blocks("python")
    command = [sys.executable, "-I", "-S", "-B", "-c", f"{program}\nprint(frozenctx.__file__, prompts.source)"]
    done = subprocess.run(command, cwd=checkout, env={}, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{checkout / 'dist/prompts/runtime/frozenctx/__init__.py'} pack\n", done.stderr


def test_the_folder_holds_what_is_said_of_it(checkout: Path) -> None:
    assert shell(checkout, blocks("sh")[0]).returncode == 0
    folder = checkout / "dist/prompts/runtime/frozenctx"
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert (folder / "py.typed").exists()
    tag = sys.implementation.cache_tag
    for module in folder.rglob("*.py"):
        for level in ("", ".opt-1", ".opt-2"):
            assert (module.parent / "__pycache__" / f"{module.stem}.{tag}{level}.pyc").exists()
    names = {path.name for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert names == {"LICENSE", "py.typed"}


def test_an_edit_has_no_effect_until_the_bytecode_is_made_anew(checkout: Path) -> None:
    build, _, _, rename, compile_anew, _ = blocks("sh")
    assert shell(checkout, build + rename).returncode == 0
    module = checkout / "app/_prompts/format.py"
    module.write_text(re.sub(r'VERSION = "[^"]*"', 'VERSION = "9.9.9"', module.read_text("utf-8")), "utf-8")
    for flag in ("", "-O", "-OO"):
        assert "9.9.9" not in shell(checkout, f"python {flag} -m app._prompts --version").stdout
    assert shell(checkout, compile_anew).returncode == 0
    for flag in ("", "-O", "-OO"):
        assert "9.9.9" in shell(checkout, f"python {flag} -m app._prompts --version").stdout
    shutil.rmtree(checkout / "app/_prompts/__pycache__")
    assert "9.9.9" in shell(checkout, "python -B -m app._prompts --version").stdout


def test_two_copies_in_one_process_are_not_each_others(checkout: Path) -> None:
    assert shell(checkout, blocks("sh")[0] + blocks("sh")[3]).returncode == 0
    code = """
import sys
sys.path[:0] = [".", "dist/prompts/runtime"]
import frozenctx
from app import _prompts
assert frozenctx is not _prompts and not issubclass(_prompts.FrozenctxError, frozenctx.FrozenctxError)
for runtime in (frozenctx, _prompts):
    prompts = runtime.load("dist/prompts", pack="require")
    try:
        prompts["nothing"]
    except runtime.FrozenctxError:
        print(prompts["chat/title"].user(turns=[{"author": "ada", "text": "x"}]), end="")
"""
    command = [sys.executable, "-I", "-S", "-B", "-c", code]
    done = subprocess.run(command, cwd=checkout, env={}, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("Ada: x\n" * 2, "")
