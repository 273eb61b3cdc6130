"""Splits a single-file package into its YAML front matter and its Jinja body (CTX-FORMAT §2, "Front matter").

In: the file's normalised text. Out: the two parts with the lines they begin on. Invariant: no line of the front matter
is ever part of the body.
"""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SingleFile:
    """`settings` begins on line 2 when there is front matter, `body` on `body_line`.

    `settings` is None when the first line opens no front matter; `closed` is False when it opens some that no later
    line closes, and then there is no body.
    """

    settings: str | None
    body: str
    body_line: int
    closed: bool = True


def split(text: str) -> SingleFile:
    """Take the front matter off: from a first line `---` (blanks may follow) to the next such line."""
    opening = _FENCE.match(text)
    if opening is None:
        return SingleFile(None, text, 1)
    closing = _FENCE.search(text, opening.end() + 1)
    if closing is None:
        return SingleFile(text[opening.end() + 1 :], "", 0, closed=False)
    settings = text[opening.end() + 1 : closing.start()]
    return SingleFile(settings, text[closing.end() + 1 :], settings.count("\n") + 3)
