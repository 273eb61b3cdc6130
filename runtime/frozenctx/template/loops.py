"""The `loop` object.

In: an iterable and the program's function for recursion. Out: pairs of item and loop. It looks one item ahead only
when `last` or `nextitem` is asked for, and takes all items only for the length of what has none, as jinja2's does.
"""

from . import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


class LoopContext:
    """`loop` in a template: the position, the length, the neighbours."""

    __slots__ = (
        "_iterable", "_iterator", "_undefined", "_recurse", "_length", "_after", "_current", "_before", "_last_changed",
        "index0", "depth0",
    )  # fmt: skip

    def __init__(
        self,
        iterable: "Iterable[Any]",
        undefined: "Callable[..., Any]",
        recurse: "Callable[..., str] | None" = None,
        depth0: int = 0,
    ) -> None:
        self._iterable = iterable
        self._iterator = iter(iterable)
        self._undefined = undefined
        self._recurse = recurse
        self._length: int | None = None
        self._after = self._current = self._before = self._last_changed = missing
        self.index0 = -1
        self.depth0 = depth0

    @property
    def length(self) -> int:
        if self._length is None:
            try:
                self._length = len(self._iterable)  # type: ignore[arg-type]
            except TypeError:
                rest = list(self._iterator)
                self._iterator = iter(rest)
                self._length = len(rest) + self.index + (self._after is not missing)
        return self._length

    def __len__(self) -> int:
        return self.length

    depth = property(lambda loop: loop.depth0 + 1)
    index = property(lambda loop: loop.index0 + 1)
    revindex0 = property(lambda loop: loop.length - loop.index)
    revindex = property(lambda loop: loop.length - loop.index0)
    first = property(lambda loop: loop.index0 == 0)
    last = property(lambda loop: loop._peek() is missing)

    @property
    def previtem(self) -> "Any":
        if self.index0 == 0:
            return self._undefined("there is no previous item")
        return self._before

    @property
    def nextitem(self) -> "Any":
        item = self._peek()
        if item is missing:
            return self._undefined("there is no next item")
        return item

    def _peek(self) -> "Any":
        if self._after is missing:
            self._after = next(self._iterator, missing)
        return self._after

    def cycle(self, *args: "Any") -> "Any":
        """Return the argument whose turn it is."""
        if not args:
            raise TypeError("no items for cycling given")
        return args[self.index0 % len(args)]

    def changed(self, *value: "Any") -> bool:
        """Return whether the arguments differ from those of the call before."""
        if self._last_changed == value:
            return False
        self._last_changed = value
        return True

    def __iter__(self) -> "Iterator[tuple[Any, LoopContext]]":
        return self._walk()

    def __next__(self) -> "tuple[Any, LoopContext]":
        return next(self._walk())

    def _walk(self) -> "Iterator[tuple[Any, LoopContext]]":
        while True:
            item = self._after
            if item is missing:
                item = next(self._iterator, missing)
                if item is missing:
                    return
            else:
                self._after = missing
            self.index0 += 1
            self._before = self._current
            self._current = item
            yield item, self

    def __call__(self, iterable: "Iterable[Any]") -> str:
        """Render the body of a recursive loop over `iterable`, one level deeper."""
        if self._recurse is None:
            raise TypeError("The loop must have the 'recursive' marker to be called recursively.")
        return self._recurse(iterable, self._recurse, depth=self.depth)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.index}/{self.length}>"
