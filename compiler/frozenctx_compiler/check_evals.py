"""The pass check_evals: `eval.yaml` as data, `eval.py` as text that must be Python (CTX-FORMAT §8).

In: one PackageFiles and the project's sources; then the build's Env. Out: the data of `eval.yaml`, and what it asks of
the environment. The invariants: only `frozenctx check --evals` and `load_ctx_evals` come here, `eval.py` is parsed and
never imported or run, and nothing of either gets into an artifact.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator

import yaml

from .check_document import check_document
from .diagnostics import Related, Scope, Span
from .documents import EVAL
from .environment import Env
from .package import EnvUse, Located, PackageFiles, SettingsDocument
from .python_text import place_of
from .resolve import evaluated
from .scalars import NULL
from .sources import SourceFault, Sources
from .spelling import did_you_mean
from .yamltree import compose, is_empty, span_of

_YAML = ("eval.yaml", "eval.yml")
_PYTHON = "eval.py"
PARAMETERS = {"sample": ("limit",), "score": ("input", "output", "expected")}  # what eval.py has, and how it is called


def read_evals(files: PackageFiles, sources: Sources, scope: Scope) -> SettingsDocument | None:
    """The `eval.yaml` of a package, without a node when there is none or it is empty; None when it cannot be read.

    Every fault of it is reported, and every one of `eval.py` beside it.
    """
    if _PYTHON in files.entries:
        _parse(f"{files.path}/{_PYTHON}", sources, scope)
    present = [f"{files.path}/{name}" for name in _YAML if name in files.entries]
    if len(present) > 1:
        scope.add(
            "bad-eval",
            f"`{files.path}` holds both `eval.yaml` and `eval.yml`",
            Span(present[0]),
            related=[Related(Span(present[1]), "the other one")],
            help="keep one of them",
        )
    if not present:
        return SettingsDocument(f"{files.path}/{_YAML[0]}", "", None)
    try:
        return _composed(present[0], sources.text(present[0]), scope)
    except SourceFault as fault:
        fault.add_to(scope)
        return None


def check_evals(
    document: SettingsDocument, env: Env, sources: Sources, scope: Scope, require_env: bool = False
) -> tuple[Located, EnvUse]:
    """Evaluate the expressions of an `eval.yaml` and hold the result against the table EVAL.

    The data are sound when nothing is reported.
    """
    if document.node is None:
        return Located({}, document.file), EnvUse()
    located, use = evaluated(document, env, sources, scope, require_env, EVAL)
    start = span_of(document.node, document.file)
    check_document(EVAL.body, located, "bad-eval", "the evaluation", start, scope, text=document.text)
    return located, use


def _composed(path: str, text: str, scope: Scope) -> SettingsDocument | None:
    node = compose(text, path, scope, repeated=True)
    if node is None:
        return SettingsDocument(path, text, None) if is_empty(text) else None
    if node.tag == NULL:
        return SettingsDocument(path, text, None)
    if not isinstance(node, yaml.MappingNode):
        place = span_of(node, path)
        scope.add("bad-eval", "the evaluation must be a mapping of keys", place, help="write `key: value`")
        return None
    return SettingsDocument(path, text, node)


def _parse(path: str, sources: Sources, scope: Scope) -> None:
    """Report what keeps `eval.py` from being Python of the running version, or from being called."""
    try:
        text = sources.text(path)
        with warnings.catch_warnings():  # about escapes in strings and the like: they keep nothing from running
            warnings.simplefilter("ignore")
            tree = ast.parse(text, path)
        _check_functions(tree, path, text, scope)
    except SourceFault as fault:
        fault.add_to(scope)
    except SyntaxError as error:
        headline = f"`{_PYTHON}` is not Python: {error.msg}"
        scope.add("python-syntax", headline, place_of(error, path, text), help="mend it; nothing of it was run")
    except (RecursionError, MemoryError):
        scope.add("python-syntax", f"`{_PYTHON}` is nested too deeply", Span(path), help="write it in smaller parts")


def _check_functions(tree: ast.Module, path: str, text: str, scope: Scope) -> None:
    """Report functions that an evaluation calls and that are not there, or take other arguments, as far as the text
    tells: what is assigned, imported or decorated may be anything."""
    bound = dict(_bound(tree.body))
    for name, parameters in PARAMETERS.items():
        form = f"`{name}({', '.join(parameters)})`"
        if name not in bound and "*" not in bound:
            help = did_you_mean(name, [other for other in bound if other not in PARAMETERS], f"write {form}")
            scope.add("eval-signature", f"`{_PYTHON}` has no function {form}", Span(path), help=help)
        function = bound.get(name)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.decorator_list:
            problem = _refuses(function.args, len(parameters))
            if problem:
                headline = f"`{name}` is called as {form}, and {problem}"
                place = _name_of(function, path, text)
                scope.add("eval-signature", headline, place, help=f"write `{name}({', '.join(parameters)})`")


def _bound(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """The names that the top level of a module binds, in conditions and the like too, and by what; `*` for any."""
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name, statement
                continue
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    yield alias.asname or alias.name.partition(".")[0], statement
                continue
        for node in ast.iter_child_nodes(statement):
            for part in ast.walk(node) if isinstance(node, ast.expr) else ():
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id, statement
        yield from _bound(node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt))
        for part in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
            yield from _bound(part.body)


def _refuses(arguments: ast.arguments, count: int) -> str:
    """Why a function cannot be called with so many arguments in order; "" when it can."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for keyword, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is None:
            return f"needs `{keyword.arg}=` besides"
    if len(positional) - len(arguments.defaults) > count:
        return f"needs {len(positional) - len(arguments.defaults)} arguments"
    if len(positional) < count and arguments.vararg is None:
        return f"takes {len(positional) or 'no'} argument{'' if len(positional) == 1 else 's'}"
    return ""


def _name_of(function: ast.FunctionDef | ast.AsyncFunctionDef, path: str, text: str) -> Span:
    """The place of a function's name."""
    line = text.split("\n")[function.lineno - 1]
    start = len(line.encode()[: function.col_offset].decode())
    return Span.at(path, function.lineno, line.index(function.name, start + len("def ")) + 1, len(function.name))
