"""Filters that find items alike, whole or by what an attribute names in them (`attribute="a.0.b"`). See the package.

`attribute_getter` reads that for other filters, too.
"""

from . import Absent, ignore_case, pass_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


def attribute_getter(
    environment: "Any", attribute: "Any", case_sensitive: bool = True, default: "Any" = None
) -> "Callable[[Any], Any]":
    """Return a function from an item to what `attribute` names in it, by the environment's rules (and guard).

    `attribute`: a dotted path, whose digits are numbers; any other subscript; or None for the item itself.
    """
    getitem = environment.getitem
    path = [] if attribute is None else [attribute]
    if isinstance(attribute, str):
        path = [int(part) if part.isdigit() else part for part in attribute.split(".")]
    # Asked once, and here: what is passed for a flag may be undefined and raise.
    keep_case = bool(case_sensitive)
    if len(path) == 1 and default is None and type(path[0]) in (int, str):
        only = path[0]

        def get_only(item: "Any") -> "Any":
            value = item[only] if type(item) is dict and only in item else getitem(item, only)
            return value.lower() if not keep_case and isinstance(value, str) else value

        return get_only

    def get(item: "Any") -> "Any":
        for part in path:
            item = getitem(item, part)
            if default is not None and isinstance(item, Absent):
                item = default
        return item if keep_case else ignore_case(item)

    return get


@pass_environment
def sync_do_unique(
    environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None
) -> "Iterator[Any]":
    get = attribute_getter(environment, attribute, case_sensitive)
    seen = set()
    for item in value:
        key = get(item)
        if key not in seen:
            seen.add(key)
            yield item


class _GroupTuple(tuple["Any", "Any"]):
    """A pair of the common value and the list of items, readable by place and by name."""

    __slots__ = ()
    grouper = property(lambda self: self[0])
    list = property(lambda self: self[1])


@pass_environment
def sync_do_groupby(
    environment: "Any", value: "Iterable[Any]", attribute: "Any", default: "Any" = None, case_sensitive: bool = False
) -> "list[_GroupTuple]":
    get = attribute_getter(environment, attribute, case_sensitive, default)
    groups: list[tuple[Any, list[Any]]] = []
    for item in sorted(value, key=get):
        key = get(item)
        if groups and (groups[-1][0] is key or groups[-1][0] == key):
            groups[-1][1].append(item)
        else:
            groups.append((key, [item]))
    if not case_sensitive:
        # The key of a group is written as in its first item.
        get = attribute_getter(environment, attribute, default=default)
        groups = [(get(items[0]), items) for _, items in groups]
    return [_GroupTuple(group) for group in groups]
