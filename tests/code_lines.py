"""How large modules of the runtime are."""

import ast
from pathlib import Path

RUNTIME = Path(__file__).parents[1] / "runtime"


def code_lines(module: str) -> int:
    """Lines of a module that hold code: neither blank nor comment, docstring, or meant for type checkers alone."""
    path = RUNTIME / (module.replace(".", "/") + ".py")
    if not path.exists():
        path = RUNTIME / module.replace(".", "/") / "__init__.py"
    tree = ast.parse(path.read_text("utf-8"))
    lines: set[int] = set()
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.update(range(node.lineno, (node.end_lineno or 0) + 1))
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            skipped.update(range(node.lineno, (node.body[-1].end_lineno or 0) + 1))
    text = path.read_text("utf-8").splitlines()
    for number, line in enumerate(text, 1):
        if line.strip() and not line.strip().startswith("#") and number not in skipped:
            lines.add(number)
    return len(lines)
