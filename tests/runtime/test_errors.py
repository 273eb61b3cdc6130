"""Exceptions can be copied and pickled, for pools of processes and logs, and say afterwards what they said before."""

import copy
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path

import frozenctx_compiler
import pytest
from frozenctx import errors
from frozenctx.errors import FrozenctxError
from frozenctx_compiler.api import CompileError
from handmade import files, package
from source_trees import write

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, FrozenctxError)]
ARGUMENTS = {
    errors.TemplateNotFound: ("partials/gone.j2",),
    errors.TemplatesNotFound: (["a.j2", "b.j2"],),
    errors.TemplateSyntaxError: ("expected token 'x'", 3, "name", "file.j2"),
    errors.TemplateAssertionError: ("block 'x' defined twice", 3),
    errors.LimitExceeded: ("max_steps", 10, "steps"),
    errors.VariablesError: ("`p` needs `a`", ("a",), ("b",)),
}
WAYS: dict[str, Callable[[Exception], Exception]] = {
    **{f"pickle-{n}": lambda e, n=n: pickle.loads(pickle.dumps(e, n)) for n in range(pickle.HIGHEST_PROTOCOL + 1)},  # type: ignore[misc]
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_exception_travels_whole(kind: type[FrozenctxError], way: str) -> None:
    error = kind(*ARGUMENTS.get(kind, ("the message",)))
    error.key, error.version, error.role, error.file, error.line = "a/b", "a/b@v1", "user", "a/b.ctx/prompt.j2", 7
    error.add_note("in a/b@v1")
    there = WAYS[way](error)
    assert type(there) is kind
    assert (str(there), repr(there), there.args) == (str(error), repr(error), error.args)
    assert there.__dict__ == error.__dict__
    assert there.__dict__ is not error.__dict__


def test_without_arguments_too() -> None:
    for error in (errors.TemplatesNotFound(message="none"), errors.TemplateError(), errors.TemplatesNotFound()):
        there = pickle.loads(pickle.dumps(error))
        assert (type(there), str(there), there.__dict__) == (type(error), str(error), error.__dict__)


def test_what_rendering_raises_travels_with_its_note() -> None:
    import frozenctx

    prompt = frozenctx.load(files(package("p", "\n{{ nam }}")))["p"]
    with pytest.raises(errors.UndefinedError) as caught:
        prompt.messages(name="x")
    there = pickle.loads(pickle.dumps(caught.value))
    assert there.__notes__ == [f"in {prompt.version}, role system, p.ctx/prompt.j2 line 2; did you mean `name`?"]
    assert (there.key, there.version, there.role) == ("p", prompt.version, "system")
    assert (there.file, there.line) == ("p.ctx/prompt.j2", 2)


def test_the_compilers_report_travels_too(tmp_path: Path) -> None:
    write(tmp_path, {"p.ctx": "{{"})
    with pytest.raises(CompileError) as caught:
        frozenctx_compiler.load(tmp_path)
    there = pickle.loads(pickle.dumps(caught.value))
    assert (type(there), str(there)) == (CompileError, str(caught.value))
    assert there.diagnostics == caught.value.diagnostics != ()
