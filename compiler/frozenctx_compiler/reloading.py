"""A mapping of prompts that follows its sources: for the edit loop, never for production."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from frozenctx import Prompt, Prompts

from .sources import SourceFault

if TYPE_CHECKING:
    from .api import Compilation


class ReloadingPrompts(Mapping[str, Prompt]):
    """`frozenctx.load`'s mapping, compiled anew when anything that the last compilation looked at has changed.

    An error in the sources raises CompileError at the next look-up; once it is mended, the look-up works again.
    """

    def __init__(self, compiled: "Callable[[], Compilation]", prompts: "Callable[[Compilation], Prompts]") -> None:
        self._compiled = compiled
        self._make = prompts
        self._compilation = compiled()
        self._prompts: Prompts | None = None
        self._prompts = prompts(self._compilation)

    def _current(self) -> Prompts:
        # What stopped a compilation early may lie where no source was asked for, such as a root that is not there.
        if self._compilation.report.has_errors or _changed(self._compilation):
            self._compilation = self._compiled()
            self._prompts = None
        if self._prompts is None:
            self._prompts = self._make(self._compilation)
        return self._prompts

    def __getitem__(self, key: str) -> Prompt:
        return self._current()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())

    def named(self, name: str) -> Prompt:
        """The prompt of this name, as `Prompts.named`."""
        return self._current().named(name)


def _changed(compilation: "Compilation") -> bool:
    """Whether anything that was looked at would be seen differently now."""
    seen = compilation.sources.observed()
    now = compilation.sources.anew()
    try:
        for path, kind in seen.probes:
            if now.kind(path) != kind:
                return True
        for path, _digest in seen.listings:
            now.listing(path)
        for file in seen.files:
            if file.form == "raw":
                now.raw(file.path)
            else:
                now.text(file.path)
    except SourceFault:
        return True
    return now.observed() != seen
