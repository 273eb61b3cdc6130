"""The state of the process that an `eval.py` may disturb, kept while one is executed.

In: the package's directory. Out: a context. The invariants: when it ends, however it ends, modules are looked for as
before (`sys.path`, `sys.meta_path`, `sys.path_hooks`: the same lists with the same contents), the working directory is
the same, every name of `sys.modules` stands for what it stood for, and no module whose file lies in the package is
left, so that two packages with a `cases.py` never share it. Other modules that were really imported stay, as after
every import: many of them cannot be loaded a second time. What stands in for other code of packages meanwhile is not
touched. One `eval.py` at a time, for all of this is the whole process's: another thread waits for its turn, and gives
up after PATIENCE seconds, for it may be waited for itself.
"""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from .standing_in import is_of_packages, not_standing_in, set_finders

PATIENCE = 60.0  # seconds; an eval.py may load what it works with

_turn = threading.RLock()  # an eval.py may load another package's


@contextmanager
def turn() -> Iterator[None]:
    """The body runs when no other thread is in one. Raises TimeoutError when another does not come to an end."""
    if not _turn.acquire(timeout=PATIENCE):
        raise TimeoutError(f"another thread has executed an eval.py for more than {PATIENCE:g} seconds")
    try:
        yield
    finally:
        _turn.release()


@contextmanager
def kept(directory: str) -> Iterator[None]:
    """Keep the state over the body, which executes files of `directory` in a turn."""
    path, finders, hooks = sys.path, sys.meta_path, sys.path_hooks
    contents = list(path), not_standing_in(finders), list(hooks)
    modules = {name: module for name, module in sys.modules.copy().items() if not is_of_packages(name)}
    place, writes = _place(), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # of files that are found by `sys.path`
    try:
        yield
    finally:
        sys.dont_write_bytecode = writes
        sys.path, sys.meta_path, sys.path_hooks = path, finders, hooks
        path[:], hooks[:] = contents[0], contents[2]
        set_finders(contents[1])
        if place is not None and _place() != place:
            os.chdir(place)
        _restore(modules, os.path.join(os.path.realpath(directory), ""))


def _place() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _restore(before: Mapping[str, ModuleType], inside: str) -> None:
    for name, module in sys.modules.copy().items():
        if name not in before and not is_of_packages(name) and _lies(module, inside):
            del sys.modules[name]
    for name, module in before.items():
        if sys.modules.get(name, before) is not module:
            sys.modules[name] = module


def _lies(module: object, inside: str) -> bool:
    """Whether the file of a module, or a directory of a package without one, is there. Nothing of it is called."""
    known = vars(module) if isinstance(module, ModuleType) else {}
    file = known.get("__file__")
    places = [file] if file else getattr(known.get("__spec__"), "submodule_search_locations", None) or ()
    return any(os.path.join(os.path.realpath(place), "").startswith(inside) for place in places)
