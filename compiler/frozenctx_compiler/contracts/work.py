"""How much one stub may come to when its names are followed. The count is the same on every Python.

In: a step for each type and value that is looked at, again for each use of an alias or a constant. Out: `TooMuch` at
the step that is one too many. A short stub can stand for endless data: aliases that name each other twice, and those
again.
"""

MOST_FOLLOWED = 100_000
MOST_GUESSES = 50
MOST_LEVELS = 100  # of types within each other, and of values, aliases and constants followed


class TooMuch(Exception):
    """A stub comes to more than MOST_FOLLOWED types and values. The message says so."""


class Work:
    """What has been done for one stub. `level`: of the value that is being read. `guesses`: names that were looked for
    among all others. `is_told`: it was found too much."""

    __slots__ = ("guesses", "is_told", "level", "steps")

    def __init__(self) -> None:
        self.steps = self.level = self.guesses = 0
        self.is_told = False

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MOST_FOLLOWED:
            raise TooMuch(f"more than {MOST_FOLLOWED:,} types and values")
