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


# The values, or in which module and under which name they are.
WHERE: "dict[str, dict[str, Any]]" = {
    "filters": {"abs": abs, "count": len, "length": len}
    | _all_in("filters_json.do_", "from_json to_json tojson")
    | _all_in("filters_markup.do_", "forceescape striptags urlencode urlize xmlattr")
    | _all_in("filters.do_", "default format indent int last lower replace round sort trim truncate upper")
    | _all_in("filters.sync_do_", "first join list map reject rejectattr select selectattr")
    | _all_in("filters_rare.do_", "as_codeblock as_xml attr batch bulleted_list capitalize center dedent dictsort")
    | _all_in("filters_rare.do_", "filesizeformat float items max min numbered_list pprint random reverse title")
    | _all_in("filters_rare.do_", "wordcount wordwrap")
    | _all_in("filters_rare.sync_do_", "groupby slice sum unique")
    | {"d": "filters.do_default", "string": "filters.soft_str", "safe": "filters_markup.do_mark_safe"}
    | {"e": "markup.escape", "escape": "markup.escape"},
    "tests": {"callable": callable}
    | _all_in("tests.test_", "boolean defined divisibleby escaped even false filter float in integer iterable lower")
    | _all_in("tests.test_", "mapping none number odd sameas sequence string test true undefined upper")
    | _all_in("_operator.", "eq ge gt le lt ne")
    | {"==": "_operator.eq", "equalto": "_operator.eq", "!=": "_operator.ne", "<=": "_operator.le"}
    | {">=": "_operator.ge", "<": "_operator.lt", "lessthan": "_operator.lt", ">": "_operator.gt"}
    | {"greaterthan": "_operator.gt"},
    "globals": {"dict": dict, "namespace": Namespace, "range": range}
    | {"cycler": "globals.Cycler", "joiner": "globals.Joiner", "lipsum": "globals.generate_lorem_ipsum"},
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
