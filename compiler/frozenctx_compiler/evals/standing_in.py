"""Modules that stand in for `dotctx`, `dotctx.eval_types` and `dotctx.llm_utils` while an `eval.py` is executed.

In: nothing. Out: a context in which the three can be imported. The invariants: a real one is found first, each by
itself; what stood in is gone from `sys.modules`, and from a real parent, when the context ends, however it ends; names
that stood in `sys.modules` before stand there again. One context at a time: another thread waits for its turn.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType

from . import replies, vocabulary

EVAL_TYPES: Mapping[str, object] = {
    name: getattr(vocabulary, name)
    for name in (
        "Input", "Output", "Score", "Turn", "StopFn", "stop_after_turns", "stop_when_terminal_tool",
        "stop_when_non_tool", "any_stop", "all_stop", "ExpectedToolCall", "Expected", "Sample", "MockToolConfig",
    )
}  # fmt: skip
LLM_UTILS: Mapping[str, object] = {
    name: getattr(replies, name) for name in ("strip_markdown_codeblock", "extract_llm_content", "parse_llm_json")
}
MODULES: Mapping[str, Mapping[str, object]] = {
    "dotctx": {**EVAL_TYPES, **LLM_UTILS},
    "dotctx.eval_types": EVAL_TYPES,
    "dotctx.llm_utils": LLM_UTILS,
}
_TOP = "dotctx"

_one_at_a_time = threading.RLock()  # an eval.py may load another package's


@contextmanager
def stand_ins(*finders: importlib.abc.MetaPathFinder) -> Iterator[None]:
    """Let the three modules be imported in the body, wherever no real one can be. `finders`: others, asked first."""
    with _one_at_a_time:
        before = sys.modules.copy()
        standing = _StandIns()
        added = [*finders, standing]
        for name in MODULES:
            if name in sys.modules and sys.modules[name] is None:  # a mark that the name cannot be imported
                del sys.modules[name]
        sys.meta_path[:0] = added
        try:
            standing.beside_a_module()
            yield
        finally:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in added]
            _restore(before, standing.made)


def _restore(before: Mapping[str, ModuleType], made: Mapping[str, ModuleType]) -> None:
    """Take back what stood in, and give back what stood there. Modules that were really imported stay, as after every
    import: many of them cannot be loaded a second time."""
    below = f"{_TOP}."
    for name in [name for name in sys.modules if name not in before]:
        if name in made or (_TOP in made and name.startswith(below)):
            del sys.modules[name]
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent in sys.modules and getattr(sys.modules[parent], child, None) is module:
            delattr(sys.modules[parent], child)
    for name, module in before.items():
        if sys.modules.get(name, before) is not module:
            sys.modules[name] = module


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the three modules, after everybody else was asked."""

    def __init__(self) -> None:
        self.made: dict[str, ModuleType] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in MODULES or self._is_real(name, path):
            return None
        spec = ModuleSpec(name, self, is_package=name == _TOP)
        spec.origin = "a stand-in of frozenctx"
        return spec

    def beside_a_module(self) -> None:
        """Where the real `dotctx` is a module and no package, nothing below it is ever looked for: put it there."""
        known = sys.modules.get(_TOP)
        spec = _found(_TOP, None) if known is None else None
        is_module = not hasattr(known, "__path__") if spec is None else spec.submodule_search_locations is None
        if is_module and (known is not None or spec is not None):
            for name in MODULES:
                if name != _TOP and name not in sys.modules:
                    sys.modules[name] = importlib.util.module_from_spec(ModuleSpec(name, self))
                    self.exec_module(sys.modules[name])

    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = f"Stands in for `{module.__name__}` while an eval.py is executed."
        module.__dict__.update(MODULES[module.__name__])
        module.__dict__["__all__"] = list(MODULES[module.__name__])
        self.made[module.__name__] = module

    def _is_real(self, name: str, path: Sequence[str] | None) -> bool:
        """Whether anybody else finds the module. A directory that happens to be called so, without the other two in
        it, is none."""
        spec = _found(name, path)
        if spec is None or spec.loader is not None or spec.submodule_search_locations is None:
            return spec is not None
        inside = list(spec.submodule_search_locations)
        return any(importlib.machinery.PathFinder.find_spec(below, inside) for below in MODULES if below != name)


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """What anybody but a stand-in finds; an eval.py that loads another one has two of those."""
    for finder in sys.meta_path:
        find = None if isinstance(finder, _StandIns) else getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find(name, path, None) if find is not None else None
        if spec is not None:
            return spec
    return None
