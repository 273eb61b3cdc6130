"""What a pass may not do, found in its syntax tree.

A pass is a function of its inputs: it reads no clock, no randomness, no environment; opens and lists no files; keeps
no state keyed by `id()` or `hash()`; and lets no set decide an order, since that order differs between runs.
"""

import ast
from collections.abc import Iterator

MODULES = {
    "getpass", "glob", "locale", "multiprocessing", "platform", "random", "secrets", "shutil", "socket", "subprocess",
    "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip
CALLS = {"print", "input", "id", "hash", "open", "exec", "eval", "breakpoint"}
ATTRIBUTES = {
    "os.environ", "os.environb", "os.getenv", "os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.open",
    "os.urandom", "os.getcwd", "os.getpid", "sys.argv", "sys.stdout", "sys.stderr", "sys.stdin", "sys.path", "io.open",
}  # fmt: skip
METHODS = {
    "iterdir", "glob", "rglob", "read_text", "read_bytes", "write_text", "write_bytes", "cwd", "home",
    "now", "utcnow", "today",
}  # fmt: skip
SETS = {"set", "frozenset"}
CONSUMERS = {
    "list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed", "dict", "join", "fromkeys",
}  # fmt: skip
ANY_ORDER = {"sorted", "len", "any", "all", "min", "max", "sum", "set", "frozenset", "bool"}  # may consume a set


def banned(source: str) -> Iterator[tuple[int, str]]:
    """(line, what) of everything banned."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in MODULES:
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = (node.module or "").partition(".")[0]
            if module in MODULES:
                yield node.lineno, module
            for alias in node.names:
                if f"{module}.{alias.name}" in ATTRIBUTES:
                    yield node.lineno, f"{module}.{alias.name}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.lineno, f"{node.func.id}()"
        elif isinstance(node, ast.Attribute):
            name = f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""
            if name in ATTRIBUTES:
                yield node.lineno, name
            elif node.attr in METHODS:
                yield node.lineno, f".{node.attr}"
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Module | ast.ClassDef):
            yield from _set_orders(scope)


def _set_orders(scope: ast.FunctionDef | ast.Module | ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Loops, comprehensions, `*`, `join`, `list` and the like over what is a set as far as one scope tells."""
    own = list(_own_nodes(scope))
    names = {name for node in own for name in _set_names(node)}
    if isinstance(scope, ast.FunctionDef):
        arguments = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
        names |= {argument.arg for argument in arguments if argument.annotation and _set_type(argument.annotation)}

    def is_set(node: ast.expr) -> bool:
        if isinstance(node, ast.Set | ast.SetComp):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in SETS
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
            return is_set(node.left) or is_set(node.right) or _keys(node.left) or _keys(node.right)
        return isinstance(node, ast.Name) and node.id in names

    fine: set[ast.expr] = set()
    for node in own:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ANY_ORDER:
            fine.update(node.args)
    for node in own:
        over: list[ast.expr] = []
        if isinstance(node, ast.For):
            over = [node.iter]
        elif isinstance(node, ast.ListComp | ast.DictComp | ast.GeneratorExp):
            over = [] if node in fine else [each.iter for each in node.generators]
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in CONSUMERS:
                over = [*node.args]
        elif isinstance(node, ast.List | ast.Tuple):
            over = [each.value for each in node.elts if isinstance(each, ast.Starred)]
        elif isinstance(node, ast.YieldFrom):
            over = [node.value]
        for each in over:
            if is_set(each):
                yield each.lineno, "the order of a set"


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _own_nodes(child)


def _set_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _set_type(node.annotation):
        yield node.target.id
    if isinstance(node, ast.Assign):
        value = node.value
        called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in SETS
        if called or isinstance(value, ast.Set | ast.SetComp):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _set_type(annotation: ast.expr) -> bool:
    text = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return str(text).startswith(("set", "frozenset", "Set", "AbstractSet", "FrozenSet"))


def _keys(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("keys", "items")
