"""The globals of the language: `namespace`, `cycler`, `joiner`, `lipsum`. See `engine`, which has their names.

In: what a template calls them with. Out: objects that behave, and fail, as jinja2's of the same names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_attribute = object.__getattribute__


class Namespace:
    """`namespace(a=1)`: attributes that `{% set ns.a = 2 %}` may change from any scope.

    Programs assign by item (`ns['a'] = 2`). Reading an attribute finds what was stored and nothing of the class, so
    that every name is free.
    """

    def __init__(*args: "Any", **kwargs: "Any") -> None:  # noqa: B902 (no parameter's name is taken from kwargs)
        self, *pairs = args
        self.__attrs = dict(*pairs, **kwargs)

    def __getattribute__(self, name: str) -> "Any":
        if name in ("_Namespace__attrs", "__class__"):
            return _attribute(self, name)
        try:
            return self.__attrs[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setitem__(self, name: str, value: "Any") -> None:
        self.__attrs[name] = value

    def __repr__(self) -> str:
        return f"<Namespace {self.__attrs!r}>"


def attributes_of(obj: "Any") -> "dict[str, Any] | None":
    """Return the data of a namespace as it holds it, None for anything else."""
    return _attribute(obj, "_Namespace__attrs") if type(obj) is Namespace else None


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
