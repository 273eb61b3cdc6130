"""The names of the language: `FILTERS`, `TESTS` and `GLOBALS`, mappings whose modules are loaded when asked for.

Filters and tests take the value they are applied to, then the arguments; one marked `pass_*` takes context, eval
context or environment before them. Invariant: for all names of jinja2 3.1.6 (54 filters, 39 tests, 6 globals), result
and exception (class and message) equal jinja2's; seven more filters are those of CTX-FORMAT section 5.

Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading one of
the modules imports nothing of the standard library but what is built in; what needs re, json, random, pprint or
textwrap imports it at its first use.
"""

from .access import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Values = dict[str, Any]
else:
    Values = dict


def _complete(method: "Callable[..., Any]") -> "Callable[..., Any]":
    """Return the method of dicts for a dict that first finds all its values."""

    def complete(self: "Names", *args: "Any") -> "Any":
        for name in self._others:
            self[name]
        return method(self, *args)

    return complete


class Names(Values):
    """Values by name, a dict that finds some of them when they are asked for: `others` has them, or says in which
    module and under which name they are. What is `given` goes first."""

    __slots__ = ("_others",)

    def __init__(self, given: "Mapping[str, Any]", others: "Mapping[str, Any]") -> None:
        super().__init__(given)
        self._others = others

    def __missing__(self, name: str) -> "Any":
        found = self._others[name]
        if type(found) is str:
            module, _, attribute = found.partition(".")
            level = 0 if module == "_operator" else 1
            found = getattr(__import__(module, globals(), None, (attribute,), level), attribute)
        self[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._others

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 (this is the method that it advises)

    if not TYPE_CHECKING:
        __iter__, __reversed__ = _complete(dict.__iter__), _complete(dict.__reversed__)
        __len__ = _complete(dict.__len__)
        __eq__, __ne__, __repr__ = _complete(dict.__eq__), _complete(dict.__ne__), _complete(dict.__repr__)
        __or__, __ror__, copy = _complete(dict.__or__), _complete(dict.__ror__), _complete(dict.copy)
        keys, values, items = _complete(dict.keys), _complete(dict.values), _complete(dict.items)


def _all_in(prefix: str, names: str) -> "dict[str, str]":
    return {name: prefix + name for name in names.split()}


FILTERS: "dict[str, Callable[..., Any]]" = Names(
    {"abs": abs, "count": len, "length": len},
    _all_in("filters_json.do_", "from_json to_json tojson")
    | _all_in("filters_markup.do_", "forceescape striptags urlencode urlize xmlattr")
    | _all_in("filters.do_", "default format indent int last lower replace round sort trim truncate upper")
    | _all_in("filters.sync_do_", "first join list map reject rejectattr select selectattr")
    | _all_in("filters_rare.do_", "as_codeblock as_xml attr batch bulleted_list capitalize center dedent dictsort")
    | _all_in("filters_rare.do_", "filesizeformat float items max min numbered_list pprint random reverse title")
    | _all_in("filters_rare.do_", "wordcount wordwrap")
    | _all_in("filters_rare.sync_do_", "groupby slice sum unique")
    | {"d": "filters.do_default", "string": "filters.soft_str", "safe": "filters_markup.do_mark_safe"}
    | {"e": "markup.escape", "escape": "markup.escape"},
)

TESTS: "dict[str, Callable[..., Any]]" = Names(
    {"callable": callable},
    _all_in("tests.test_", "boolean defined divisibleby escaped even false filter float in integer iterable lower")
    | _all_in("tests.test_", "mapping none number odd sameas sequence string test true undefined upper")
    | _all_in("_operator.", "eq ge gt le lt ne")
    | {"==": "_operator.eq", "equalto": "_operator.eq", "!=": "_operator.ne", "<=": "_operator.le"}
    | {">=": "_operator.ge", "<": "_operator.lt", "lessthan": "_operator.lt", ">": "_operator.gt"}
    | {"greaterthan": "_operator.gt"},
)

GLOBALS: "dict[str, Any]" = Names(
    {"dict": dict, "namespace": Namespace, "range": range},
    {"cycler": "globals.Cycler", "joiner": "globals.Joiner", "lipsum": "globals.generate_lorem_ipsum"},
)
