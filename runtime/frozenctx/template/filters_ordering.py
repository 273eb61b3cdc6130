"""Filters that arrange items by size, whole or by an attribute of them. See the package."""

from . import ignore_case, missing, pass_environment
from .filters_grouping import attribute_getter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


@pass_environment
def do_sort(
    environment: "Any", value: "Iterable[Any]", reverse: bool = False,
    case_sensitive: bool = False, attribute: "Any" = None,
) -> "list[Any]":
    paths = attribute.split(",") if isinstance(attribute, str) else [attribute]
    first, *further = [attribute_getter(environment, path, case_sensitive) for path in paths]
    # Lists, because lists of what is the same are equal; that of one path is made by the shortest way.
    key = (lambda item: [first(item), *[get(item) for get in further]]) if further else lambda item: [first(item)]
    return sorted(value, key=key, reverse=reverse)


def do_dictsort(
    value: "Any", case_sensitive: bool = False, by: str = "key", reverse: bool = False
) -> "list[tuple[Any, Any]]":
    if by not in ("key", "value"):
        from ..errors import FilterArgumentError

        raise FilterArgumentError('You can only sort by either "key" or "value"')
    position = ("key", "value").index(by)

    def sort_key(item: "tuple[Any, Any]") -> "Any":
        return item[position] if case_sensitive else ignore_case(item[position])

    return sorted(value.items(), key=sort_key, reverse=reverse)


def least_or_most(
    choose: "Callable[..., Any]", environment: "Any", value: "Iterable[Any]", case_sensitive: bool, attribute: "Any"
) -> "Any":
    items = iter(value)
    first = next(items, missing)
    if first is missing:
        return environment.undefined("No aggregated item, sequence was empty.")
    get = attribute_getter(environment, attribute, case_sensitive)
    return choose((item for part in ((first,), items) for item in part), key=get)


@pass_environment
def do_min(environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None) -> "Any":
    return least_or_most(min, environment, value, case_sensitive, attribute)


@pass_environment
def do_max(environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None) -> "Any":
    return least_or_most(max, environment, value, case_sensitive, attribute)
