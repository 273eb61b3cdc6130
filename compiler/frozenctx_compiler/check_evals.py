"""The pass check_evals: `eval.yaml` as data, `eval.py` as text that must be Python (CTX-FORMAT §8).

In: one PackageFiles and the project's sources; then the build's Env. Out: what `eval.yaml` asks of the environment.
The invariants: only `frozenctx check --evals` comes here, `eval.py` is parsed and never imported or run, and nothing of
either gets into an artifact.
"""

import ast
import warnings

import yaml

from .check_document import check_document
from .diagnostics import Related, Scope, Span
from .documents import EVAL
from .environment import Env
from .package import EnvUse, PackageFiles, SettingsDocument
from .resolve import evaluated
from .scalars import NULL
from .sources import SourceFault, Sources
from .yamltree import compose, is_empty, span_of

_YAML = ("eval.yaml", "eval.yml")
_PYTHON = "eval.py"


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


def check_evals(document: SettingsDocument, env: Env, sources: Sources, scope: Scope, require_env: bool) -> EnvUse:
    """Evaluate the expressions of an `eval.yaml` and hold the result against the table EVAL."""
    if document.node is None:
        return EnvUse()
    located, use = evaluated(document, env, sources, scope, require_env, EVAL)
    start = span_of(document.node, document.file)
    check_document(EVAL.body, located, "bad-eval", "the evaluation", start, scope, text=document.text)
    return use


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
    """Report what keeps a file from being Python of the running version."""
    try:
        text = sources.text(path)
        with warnings.catch_warnings():  # about escapes in strings and the like: they keep nothing from running
            warnings.simplefilter("ignore")
            ast.parse(text, path)
    except SourceFault as fault:
        fault.add_to(scope)
    except SyntaxError as error:
        headline = f"`{_PYTHON}` is not Python: {error.msg}"
        scope.add("python-syntax", headline, _place(error, path, text), help="mend it; nothing of it was run")
    except (RecursionError, MemoryError):
        scope.add("python-syntax", f"`{_PYTHON}` is nested too deeply", Span(path), help="write it in smaller parts")


def _place(error: SyntaxError, path: str, text: str) -> Span:
    """Where an error is. Python may name a place behind the last line, or none."""
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max(error.offset or 1, 1), len(lines[line - 1]) + 1)
    end = error.end_offset or 0
    return Span.at(path, line, column, end - column if error.end_lineno == line else 1)
