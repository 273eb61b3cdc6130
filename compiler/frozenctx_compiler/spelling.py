"""What an author probably meant by a name that there is not.

In: the name, and those that there are. Out: the one that is most like it, or the help that asks for it. Of names that
are as much alike the first counts, so that the answer depends on nothing but the order they are given in.
"""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T", str, str | None)


def near(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name most like this one. `cutoff`: how much alike they have to be, from 0 to 1; 1 is equal."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1, cutoff)), None)


def did_you_mean(name: str, known: Iterable[str], otherwise: T, cutoff: float = 0.6) -> str | T:
    """The help that asks for the known name most like this one; `otherwise` when none is."""
    found = near(name, known, cutoff)
    return otherwise if found is None else f"did you mean `{found}`?"
