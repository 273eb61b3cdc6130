"""Imports point one way: compiler → artifacts → runtime → standard library."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Folder → what it may import beside itself and the standard library.
PACKAGES = {
    "runtime/frozenctx": {"_sha256", "_sha2"},  # the standard library's, one in 3.11 and one later
    "artifacts/frozenctx_artifacts": {"frozenctx", "msgspec"},
    "compiler/frozenctx_compiler": {
        "frozenctx", "frozenctx_artifacts", "click", "jinja2", "markupsafe", "msgspec", "yaml", "yaql", "yglu",
    },
}  # fmt: skip
ONLY_IN = {"click": "cli.py"}  # who may import what is not for everyone


def imported(module: Path) -> Iterator[str]:
    """The top-level names of all absolute imports, those for type checking and those inside functions included."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("folder", PACKAGES)
def test_a_package_imports_only_what_is_below_it(folder: str) -> None:
    allowed = PACKAGES[folder] | set(sys.stdlib_module_names)
    modules = sorted((ROOT / folder).rglob("*.py"))
    assert modules
    wrong = {
        (str(module.relative_to(ROOT)), name)
        for module in modules
        for name in imported(module)
        if name not in allowed or ONLY_IN.get(name, module.name) != module.name
    }
    assert not wrong


@pytest.mark.parametrize(
    "package", ["frozenctx_compiler", "frozenctx_compiler.__main__", "frozenctx_artifacts", "frozenctx"]
)
def test_importing_a_package_brings_in_nothing_of_another_distribution(package: str) -> None:
    program = f"""if True:
        import sys
        sys.path[:0] = {[str(ROOT / folder) for folder in ("runtime", "artifacts", "compiler")]!r}
        import {package}
        foreign = {{name.partition(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names)
        print(*sorted(name for name in foreign if not name.startswith(("frozenctx", "__"))))
    """
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
