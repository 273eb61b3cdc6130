"""The filters of the language: `FILTERS`, a mapping from name to callable, whose modules are loaded when asked for.

In: the value left of `|`, then the arguments; a filter marked `pass_*` takes context, eval context or environment
before them. Out: the filtered value. Invariant: for all 54 names of jinja2 3.1.6, result and exception (class and
message) equal jinja2's; the seven more are those of CTX-FORMAT section 5.

Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading a
module of filters imports nothing of the standard library; what needs re, json, random, pprint or textwrap imports it at
its first use.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
    from typing import Any

    Filters = dict[str, Callable[..., Any]]
else:
    Filters = dict

# Name → module (`filters_<module>`) and function.
WHERE = {
    "as_codeblock": "text.do_as_codeblock", "as_xml": "text.do_as_xml", "attr": "lists.do_attr",
    "batch": "lists.do_batch", "bulleted_list": "text.do_bulleted_list", "capitalize": "text.do_capitalize",
    "center": "text.do_center", "d": "text.do_default", "dedent": "text.do_dedent", "default": "text.do_default",
    "dictsort": "lists.do_dictsort", "e": "markup.escape", "escape": "markup.escape",
    "filesizeformat": "text.do_filesizeformat", "first": "lists.sync_do_first", "float": "text.do_float",
    "forceescape": "markup.do_forceescape", "format": "text.do_format", "from_json": "json.do_from_json",
    "groupby": "lists.sync_do_groupby", "indent": "text.do_indent", "int": "text.do_int", "items": "lists.do_items",
    "join": "lists.sync_do_join", "last": "lists.do_last", "list": "lists.sync_do_list", "lower": "text.do_lower",
    "map": "lists.sync_do_map", "max": "lists.do_max", "min": "lists.do_min",
    "numbered_list": "text.do_numbered_list", "pprint": "text.do_pprint", "random": "lists.do_random",
    "reject": "lists.sync_do_reject", "rejectattr": "lists.sync_do_rejectattr", "replace": "text.do_replace",
    "reverse": "lists.do_reverse", "round": "text.do_round", "safe": "markup.do_mark_safe",
    "select": "lists.sync_do_select", "selectattr": "lists.sync_do_selectattr", "slice": "lists.sync_do_slice",
    "sort": "lists.do_sort", "string": "text.soft_str", "striptags": "markup.do_striptags",
    "sum": "lists.sync_do_sum", "title": "text.do_title", "to_json": "json.do_to_json", "tojson": "json.do_tojson",
    "trim": "text.do_trim", "truncate": "text.do_truncate", "unique": "lists.sync_do_unique",
    "upper": "text.do_upper", "urlencode": "markup.do_urlencode", "urlize": "markup.do_urlize",
    "wordcount": "text.do_wordcount", "wordwrap": "text.do_wordwrap", "xmlattr": "markup.do_xmlattr",
}  # fmt: skip


class Names(Filters):
    """Filters by name, a dict that finds some of its values when they are asked for: `others` has them, or says where
    they are as `WHERE` does. What is `given` goes first."""

    __slots__ = ("_others",)

    def __init__(self, given: "Mapping[str, Callable[..., Any]]", others: "Mapping[str, Any]") -> None:
        super().__init__(given)
        self._others = others

    def __missing__(self, name: str) -> "Callable[..., Any]":
        found = self._others[name]
        if type(found) is str:
            module, _, function = found.partition(".")
            found = getattr(__import__(f"filters_{module}", globals(), None, (function,), 1), function)
        self[name] = found
        return found  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._others

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 (this is the method that it advises)

    def _all(self) -> "Names":
        for name in self._others:
            self[name]
        return self

    def __iter__(self) -> "Iterator[str]":
        return super(Names, self._all()).__iter__()

    def __len__(self) -> int:
        return super(Names, self._all()).__len__()

    def __eq__(self, other: object) -> bool:
        return super(Names, self._all()).__eq__(other)

    def __repr__(self) -> str:
        return super(Names, self._all()).__repr__()

    def keys(self) -> "KeysView[str]":  # type: ignore[override]
        return super(Names, self._all()).keys()

    def values(self) -> "ValuesView[Callable[..., Any]]":  # type: ignore[override]
        return super(Names, self._all()).values()

    def items(self) -> "ItemsView[str, Callable[..., Any]]":  # type: ignore[override]
        return super(Names, self._all()).items()


FILTERS = Names({"abs": abs, "count": len, "length": len}, WHERE)
