"""Loops that are asked for their last or next item only.

In: what a loop iterates over. Out: the same and something that the count of the last item is equal to; it looks one
item ahead only when it is asked, and takes all items only for the length of what has none, as jinja2's `loop` does.
"""

from . import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# Their length says which item is the last, whoever asks when; some have the next one by its number.
_BY_NUMBER = frozenset([list, tuple, range, str])
_SIZED = _BY_NUMBER | frozenset([dict, type({}.items()), type({}.keys()), type({}.values())])


def lookahead(iterable: "Iterable[Any]", by_number: bool = False) -> "tuple[Iterable[Any], Any]":
    """Return what a loop iterates over, and what the count of its last item is equal to. `by_number`: the first has
    the next item by its number, if there is one (which is asked before)."""
    if type(iterable) in (_BY_NUMBER if by_number else _SIZED):
        return iterable, len(iterable) - 1  # type: ignore[arg-type]
    ahead = Ahead(iterable)
    return ahead, ahead


class Ahead:
    """An iterator that stands for the count of its last item: it looks ahead when it is compared, and takes all items
    when it is computed with. By any number it has the next item."""

    __slots__ = ("_iterable", "_iterator", "_after", "_count", "_last")

    def __init__(self, iterable: "Iterable[Any]") -> None:
        self._iterable = iterable
        self._iterator = iter(iterable)
        self._last: int | None = None
        self._after: Any = missing
        self._count = 0

    def __iter__(self) -> "Iterator[Any]":
        return self

    def __next__(self) -> "Any":
        item, self._after = self._after, missing
        if item is missing:
            item = next(self._iterator)
        self._count += 1
        return item

    def __eq__(self, _count: object) -> bool:
        if self._after is missing:
            self._after = next(self._iterator, missing)
        return self._after is missing

    def __getitem__(self, _count: int) -> "Any":
        return self._after

    def __add__(self, number: int) -> int:
        if self._last is None:
            try:
                self._last = len(self._iterable) - 1  # type: ignore[arg-type]
            except TypeError:
                rest = list(self._iterator)
                self._iterator = iter(rest)
                self._last = self._count + (self._after is not missing) + len(rest) - 1
        return self._last + number

    def __sub__(self, number: int) -> int:
        return self + -number
