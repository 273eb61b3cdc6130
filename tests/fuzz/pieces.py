"""Generated source as a tree, so that parts of it can be taken away.

In: text and smaller pieces. Out: `Piece`, whose `str` is the source. The sort of a piece says what may stand in its
place: see `shrink`. A tree is never changed; `replaced` makes another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Sort = Literal["expression", "series", "option", "statement", "body", "fixed"]
Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """`series`: parts are separated by commas, each may be absent. `option`, `statement`: may be absent."""

    sort: Sort
    parts: tuple[str | Piece, ...]

    def __str__(self) -> str:
        return (", " if self.sort == "series" else "").join(str(part) for part in self.parts)


NOTHING = Piece("fixed", ())


def walk(piece: Piece, path: Path = ()) -> Iterator[tuple[Path, Piece]]:
    """Yield every piece with its path, from the whole to the parts."""
    yield path, piece
    for index, part in enumerate(piece.parts):
        if isinstance(part, Piece):
            yield from walk(part, (*path, index))


def replaced(piece: Piece, path: Path, new: str | Piece) -> Piece:
    """Return `piece` with `new` at `path`, which is not empty."""
    index, *rest = path
    old = piece.parts[index]
    if rest:
        assert isinstance(old, Piece)
        new = replaced(old, tuple(rest), new)
    return Piece(piece.sort, (*piece.parts[:index], new, *piece.parts[index + 1 :]))


def without(piece: Piece, path: Path) -> Piece:
    """Return `piece` without the part at `path`; the separator of a series goes with it."""
    *parent, index = path
    if not parent:
        return Piece(piece.sort, piece.parts[:index] + piece.parts[index + 1 :])
    old = piece.parts[parent[0]]
    assert isinstance(old, Piece)
    return replaced(piece, (parent[0],), without(old, (*parent[1:], index)))
