"""Modules that stand in for `dotctx`, `dotctx.eval_types` and `dotctx.llm_utils` while code of a package runs.

In: the code of packages. Out: a context in which the three can be imported, and the files of these packages. The
invariants: a real one is found first, each by itself; what stood in is gone from `sys.modules`, and from a real parent,
when the last context ends, however it ends; the three names stand for what they stood for. Contexts may overlap, in
threads and in coroutines: the first one puts in, the last one takes out.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from . import replies, vocabulary
from .package_code import PackageCode

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
NAMES = "ctx_evals_"  # how the names begin under which code of packages is executed
_TOP = "dotctx"

_changing = threading.RLock()  # held while modules and finders are put in and taken out, and no longer


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


@dataclass(slots=True)
class _Contexts:
    """The contexts that are open: of each code how many, and what stands in for all of them."""

    open: int = 0
    codes: Counter[PackageCode] = field(default_factory=Counter)
    standing: _StandIns = field(default_factory=_StandIns)
    before: dict[str, ModuleType] = field(default_factory=dict)

    def enter(self, codes: Sequence[PackageCode]) -> None:
        self.open += 1
        if self.open == 1:
            self.standing = _StandIns()
            self.before = {name: module for name, module in sys.modules.copy().items() if _is_below(name)}
            for name in MODULES:
                if name in sys.modules and sys.modules[name] is None:  # a mark that the name cannot be imported
                    del sys.modules[name]
            sys.meta_path.insert(0, self.standing)
            self.standing.beside_a_module()
        for code in codes:
            self.codes[code] += 1
            if self.codes[code] == 1:
                sys.meta_path.insert(0, code)
                sys.modules.update(code.modules)

    def leave(self, codes: Sequence[PackageCode]) -> None:
        for code in codes:
            self.codes[code] -= 1
            if not self.codes[code]:
                del self.codes[code]
                _remove(code)
                code.modules = {name: module for name, module in sys.modules.copy().items() if code.owns(name)}
                for name in code.modules:
                    del sys.modules[name]
        self.open -= 1
        if not self.open:
            _remove(self.standing)
            self.restore()

    def finders(self) -> list[importlib.abc.MetaPathFinder]:
        return [*self.codes, self.standing] if self.open else []

    def restore(self) -> None:
        """Take back what stood in, and give back what stood there."""
        made = self.standing.made
        for name in [name for name in list(sys.modules) if _is_below(name) and name not in self.before]:
            if name in made or _TOP in made:
                del sys.modules[name]
        for name, module in made.items():
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and getattr(sys.modules[parent], child, None) is module:
                delattr(sys.modules[parent], child)
        sys.modules.update(self.before)


_contexts = _Contexts()


@contextmanager
def importable(*codes: PackageCode) -> Iterator[None]:
    """Let the three modules be imported in the body, wherever no real one can be, and the files of these packages."""
    with _changing:
        _contexts.enter(codes)
    try:
        yield
    finally:
        with _changing:
            _contexts.leave(codes)


def not_standing_in(finders: Sequence[Any]) -> list[Any]:
    """The finders that no context put in."""
    return [finder for finder in finders if not isinstance(finder, PackageCode | _StandIns)]


def set_finders(others: Sequence[Any]) -> None:
    """Let these be the finders, after those that the open contexts put in."""
    with _changing:
        sys.meta_path[:] = [*_contexts.finders(), *others]


def is_of_packages(name: str) -> bool:
    """Whether a module of this name is put in and taken out by contexts."""
    return _is_below(name) or name.startswith(NAMES)


def _is_below(name: str) -> bool:
    return name == _TOP or name.startswith(f"{_TOP}.")


def _remove(finder: importlib.abc.MetaPathFinder) -> None:
    if finder in sys.meta_path:  # an eval.py may have taken it out
        sys.meta_path.remove(finder)


def _found(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """What anybody but a stand-in finds; an eval.py that loads another one has two of those."""
    for finder in sys.meta_path:
        find = None if isinstance(finder, _StandIns) else getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find(name, path, None) if find is not None else None
        if spec is not None:
            return spec
    return None
