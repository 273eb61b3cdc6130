"""The globals of the language that most templates do without: `cycler`, `joiner`, `lipsum`. See the package.

In: what a template calls them with. Out: objects that behave, and fail, as jinja2's of the same names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Cycler:
    """`cycler(a, b)`: `next()` gives the values in turn, `current` the one that is next, `reset()` starts again."""

    def __init__(self, *items: "Any") -> None:
        if not items:
            raise RuntimeError("at least one item has to be provided")
        self.items = items
        self.pos = 0

    def reset(self) -> None:
        self.pos = 0

    @property
    def current(self) -> "Any":
        return self.items[self.pos]

    def next(self) -> "Any":
        value = self.current
        self.pos = (self.pos + 1) % len(self.items)
        return value

    __next__ = next


class Joiner:
    """`joiner(sep)`: the first call gives the empty text, every later one `sep`."""

    def __init__(self, sep: "Any" = ", ") -> None:
        self.sep = sep
        self.used = False

    def __call__(self) -> "Any":
        if self.used:
            return self.sep
        self.used = True
        return ""


def generate_lorem_ipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:
    """Return `n` random paragraphs of `min` to `max` words: Markup with `<p>`, or plain text. Uses random's state."""
    from .lipsum import paragraph

    paragraphs = [paragraph(min, max) for _ in range(n)]
    if not html:
        return "\n\n".join(paragraphs)
    from .markup import Markup

    return Markup("\n".join([f"<p>{text}</p>" for text in paragraphs]))
