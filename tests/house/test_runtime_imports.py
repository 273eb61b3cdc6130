"""The runtime can be vendored as one folder under any name, and costs no more than it must to start."""

import ast
from pathlib import Path

import pytest

RUNTIME = Path(__file__).parents[2] / "runtime" / "frozenctx"
MODULES = sorted(RUNTIME.rglob("*.py"))
# Imported on first use only, by a helper or a command that needs more than builtins.
NOT_ON_THE_WAY = {"__main__.py", "commands.py", "elsewhere.py", "errors.py", "objects.py", "packing.py", "switch.py"}
SLOW = {
    "collections", "contextlib", "copy", "dataclasses", "decimal", "enum", "functools", "hashlib", "html", "importlib",
    "inspect", "itertools", "json", "operator", "os", "pathlib", "pprint", "random", "re", "string", "textwrap",
    "types", "typing", "urllib",
}  # fmt: skip


def statements(module: Path) -> list[ast.stmt]:
    """Module-level statements that run when the module is imported: not those under `if TYPE_CHECKING`."""
    return ast.parse(module.read_text("utf-8")).body


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(RUNTIME)))
def test_a_module_imports_its_siblings_relatively_and_no_future(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.partition(".")[0] == "frozenctx" for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").partition(".")[0] not in ("frozenctx", "__future__")


def test_no_module_on_the_way_to_a_rendered_prompt_imports_a_slow_one_when_it_is_imported() -> None:
    on_the_way = [RUNTIME / "__init__.py"]
    for module in on_the_way:
        for node in statements(module):
            if isinstance(node, ast.Import):
                slow = {alias.name.partition(".")[0] for alias in node.names} & SLOW
                assert not slow, f"{module.name}: {slow}"
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").partition(".")[0] not in SLOW, f"{module.name}: {node.module}"
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                folder = module.parent if node.level == 1 else module.parent.parent
                names = [node.module] if node.module else [alias.name for alias in node.names]
                for name in names:
                    path = folder.joinpath(*name.split(".")).with_suffix(".py")
                    if path.exists() and path not in on_the_way:
                        on_the_way.append(path)
    reached = {path.name for path in on_the_way}
    assert {"prompts.py", "pack.py"} <= reached
    assert not reached & NOT_ON_THE_WAY
