"""What is shipped: the wheel holds the tree and nothing else, and the console script stands without its extra."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOTS = [ROOT / "runtime", ROOT / "artifacts", ROOT / "compiler"]
PACKAGES = [ROOTS[0] / "frozenctx", ROOTS[1] / "frozenctx_artifacts", ROOTS[2] / "frozenctx_compiler"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_the_three_packages_and_no_other(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    tree = {
        path.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    pages = {f"frozenctx_compiler/errors/{path.name}" for path in (ROOT / "docs/errors").glob("*.md")}
    assert pages
    assert shipped == tree | pages


def test_the_wheel_needs_nothing_by_itself(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    needs = [line for line in wheel.read(name).decode().splitlines() if line.startswith("Requires-Dist:")]
    assert needs
    assert all("extra ==" in line for line in needs)


def test_the_runtime_knows_the_version_of_the_distribution(wheel: zipfile.ZipFile) -> None:
    import frozenctx

    assert wheel.filename is not None
    assert Path(wheel.filename).name.split("-")[1] == frozenctx.__version__


def test_explain_finds_its_pages_in_an_unpacked_wheel(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    page = min((ROOT / "docs/errors").glob("*.md"))
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + CALL
    command = [sys.executable, "-c", program, "explain", page.stem]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (page.read_text("utf-8"), "", 0)


CALL = """
from frozenctx_compiler.__main__ import main
sys.exit(main())
"""
WITHOUT = """
import sys
sys.path[:0] = {roots!r}
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""


def run_without(blocked: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    program = WITHOUT.format(roots=[str(root) for root in ROOTS], blocked=blocked) + CALL
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("blocked", "distribution"),
    [("click", "click"), ("jinja2", "jinja2"), ("yaml", "pyyaml"), ("msgspec", "msgspec")],
)
def test_without_its_extra_the_console_script_says_so_in_two_lines(blocked: str, distribution: str) -> None:
    done = run_without(blocked, "check", str(ROOT / "examples/prompts"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"frozenctx: the compiler needs {distribution}, which is not installed here\n"
        "  = help: pip install 'frozenctx[compiler]' (rendering needs nothing of it: python -m frozenctx)\n"
    )


def test_another_missing_module_is_not_taken_for_the_extra() -> None:
    done = run_without("difflib", "explain", "no-such-code")
    assert "frozenctx[compiler]" not in done.stderr
    assert "has a bug: ModuleNotFoundError: No module named 'difflib'" in done.stderr
    assert done.returncode == 70
