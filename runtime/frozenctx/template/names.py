"""The names of the language: filters, tests and globals, whose modules are loaded when they are asked for.

Filters and tests take the value they are applied to, then the arguments; one marked `pass_*` takes context, eval
context or environment before them. Invariant: for all names of jinja2 3.1.6 (54 filters, 39 tests, 6 globals), result
and exception (class and message) equal jinja2's; seven more filters are those of CTX-FORMAT section 5.

Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading one of
the modules imports nothing of the standard library but what is built in; what needs re, json, random, pprint or
textwrap imports it at its first use.
"""

from .engine import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    FILTERS: dict[str, Callable[..., Any]]
    TESTS: dict[str, Callable[..., Any]]
    GLOBALS: dict[str, Any]


def _all_in(prefix: str, names: str) -> "dict[str, str]":
    return {name: prefix + name for name in names.split()}


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


# The values, or in which module and under which name they are.
WHERE: "dict[str, dict[str, Any]]" = {
    "filters": {"abs": abs, "count": len, "length": len}
    | _all_in("filters_json.do_", "from_json to_json tojson")
    | _all_in("filters_markup.do_", "forceescape striptags urlencode urlize xmlattr")
    | _all_in("filters.do_", "as_codeblock as_xml bulleted_list capitalize default dictsort format indent int last")
    | _all_in("filters.do_", "lower max min numbered_list replace round sort trim truncate upper")
    | _all_in("filters.sync_do_", "first join list map reject rejectattr select selectattr unique")
    | _all_in("filters_rare.do_", "attr batch center dedent filesizeformat float items pprint random reverse title")
    | _all_in("filters_rare.do_", "wordcount wordwrap")
    | _all_in("filters_rare.sync_do_", "groupby slice sum")
    | {"d": "filters.do_default", "string": "filters.soft_str", "safe": "filters_markup.do_mark_safe"}
    | {"e": "markup.escape", "escape": "markup.escape"},
    "tests": {"callable": callable}
    | _all_in("tests.test_", "boolean defined divisibleby escaped even false filter float in integer iterable lower")
    | _all_in("tests.test_", "mapping none number odd sameas sequence string test true undefined upper")
    | _all_in("_operator.", "eq ge gt le lt ne")
    | {"==": "_operator.eq", "equalto": "_operator.eq", "!=": "_operator.ne", "<=": "_operator.le"}
    | {">=": "_operator.ge", "<": "_operator.lt", "lessthan": "_operator.lt", ">": "_operator.gt"}
    | {"greaterthan": "_operator.gt"},
    "globals": {"cycler": Cycler, "dict": dict, "joiner": Joiner, "lipsum": generate_lorem_ipsum}
    | {"namespace": Namespace, "range": range},
}


class Names:
    """The names of one kind: those that are `given`, and else those of the language, found when they are asked for."""

    __slots__ = ("_found", "_where")

    def __init__(self, kind: str, given: "Mapping[str, Any] | None" = None) -> None:
        self._found = dict(given or ())
        self._where = WHERE[kind]

    def __getitem__(self, name: str) -> "Any":
        found = self._found.get(name, self)
        if found is self:
            found = self._where[name]
            if type(found) is str:
                module, _, attribute = found.partition(".")
                level = 0 if module == "_operator" else 1
                found = getattr(__import__(module, globals(), None, (attribute,), level), attribute)
            self._found[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._found or name in self._where

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 (this is the method that it advises)

    def all(self) -> "dict[str, Any]":
        """Return all of them, with what they need loaded."""
        return {name: self[name] for name in self._where} | self._found


if not TYPE_CHECKING:

    def __getattr__(name):
        """`FILTERS`, `TESTS` and `GLOBALS`: those of the language, loaded."""
        if name in ("FILTERS", "TESTS", "GLOBALS"):
            return Names(name.lower()).all()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
