"""Filters of sequences and mappings, and what they share: paths of attributes (`attribute="a.0.b"`). See `filters`."""

from .access import Namespace
from .markers import pass_context, pass_environment, pass_eval_context
from .undefined import Undefined, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


def ignore_case(value: "Any") -> "Any":
    return value.lower() if isinstance(value, str) else value


def attribute_path(attribute: "Any") -> "list[Any]":
    """Return the subscripts of a dotted path; digits become numbers, None is the empty path."""
    if attribute is None:
        return []
    if isinstance(attribute, str):
        return [int(part) if part.isdigit() else part for part in attribute.split(".")]
    return [attribute]


_paths: "dict[str, list[Any]]" = {}


def attribute_getter(
    environment: "Any", attribute: "Any", case_sensitive: bool = True, default: "Any" = None
) -> "Callable[[Any], Any]":
    """Return a function from an item to what `attribute` names in it, by the environment's rules (and guard)."""
    getitem = environment.getitem
    path = _paths.get(attribute) if type(attribute) is str else None
    if path is None:
        path = attribute_path(attribute)
        if type(attribute) is str and len(_paths) < 500:  # templates name few, but may compute any number
            _paths[attribute] = path
    # Asked once, and here: what is passed for a flag may be undefined and raise.
    keep_case = bool(case_sensitive)
    if not path and default is None:
        return (lambda item: item) if keep_case else ignore_case
    if len(path) == 1 and default is None and type(path[0]) in (int, str):
        only = path[0]

        def get_only(item: "Any") -> "Any":
            value = item[only] if type(item) is dict and only in item else getitem(item, only)
            return value.lower() if not keep_case and isinstance(value, str) else value

        return get_only

    def get(item: "Any") -> "Any":
        for part in path:
            item = getitem(item, part)
            if default is not None and isinstance(item, Undefined):
                item = default
        return item if keep_case else ignore_case(item)

    return get


def attributes_getter(environment: "Any", attribute: "Any", case_sensitive: bool) -> "Callable[[Any], list[Any]]":
    """Like `attribute_getter` for several paths joined by commas; the function returns a list."""
    paths = attribute.split(",") if isinstance(attribute, str) else [attribute]
    getters = [attribute_getter(environment, path, case_sensitive) for path in paths]
    if len(getters) == 1:
        only = getters[0]
        return lambda item: [only(item)]  # a list, because lists of what is the same are equal
    return lambda item: [get(item) for get in getters]


def is_declared(obj: "Any", name: "Any") -> bool:
    """Whether `obj` or its classes hold `name`, found out without running a property or `__getattr__`."""
    owners = type(obj).__mro__
    if issubclass(type(obj), type):
        owners += obj.__mro__
    if any(name in owner.__dict__ for owner in owners):
        return True
    try:
        return name in object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return False


@pass_environment
def do_attr(environment: "Any", obj: "Any", name: "Any") -> "Any":
    if environment.guard and isinstance(name, str) and str.startswith(name, "_") and type(obj) is not Namespace:
        return environment.undefined(obj=obj, name=name)
    # environment.getattr falls back to obj[name], which this filter never does: ask first whether it would have to.
    if not is_declared(obj, name) and not hasattr(obj, name):
        return environment.undefined(obj=obj, name=name)
    return environment.getattr(obj, name)


def do_items(value: "Any") -> "Iterator[tuple[Any, Any]]":
    if isinstance(value, Undefined):
        return
    from .tests import test_mapping

    if not test_mapping(value):
        raise TypeError("Can only get item pairs from a mapping.")
    yield from value.items()


def do_dictsort(
    value: "Any", case_sensitive: bool = False, by: str = "key", reverse: bool = False
) -> "list[tuple[Any, Any]]":
    if by == "key":
        position = 0
    elif by == "value":
        position = 1
    else:
        from ..errors import FilterArgumentError

        raise FilterArgumentError('You can only sort by either "key" or "value"')

    def sort_key(item: "tuple[Any, Any]") -> "Any":
        return item[position] if case_sensitive else ignore_case(item[position])

    return sorted(value.items(), key=sort_key, reverse=reverse)


@pass_environment
def sync_do_sum(environment: "Any", iterable: "Iterable[Any]", attribute: "Any" = None, start: "Any" = 0) -> "Any":
    if attribute is not None:
        iterable = map(attribute_getter(environment, attribute), iterable)
    return sum(iterable, start)


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


@pass_eval_context
def sync_do_join(eval_ctx: "Any", value: "Iterable[Any]", d: "Any" = "", attribute: "Any" = None) -> str:
    if attribute is not None:
        value = map(attribute_getter(eval_ctx.environment, attribute), value)
    if not eval_ctx.autoescape:
        return str(d).join(map(str, value))
    from .markup import escape, soft_str

    if hasattr(d, "__html__"):
        return soft_str(d).join(map(soft_str, value))
    # One safe item makes the whole text markup.
    items = [item if hasattr(item, "__html__") else str(item) for item in value]
    delimiter = escape(d) if any(hasattr(item, "__html__") for item in items) else str(d)
    return delimiter.join(items)


def sync_do_list(value: "Iterable[Any]") -> "list[Any]":
    return list(value)


@pass_environment
def sync_do_first(environment: "Any", seq: "Iterable[Any]") -> "Any":
    try:
        return next(iter(seq))
    except StopIteration:
        return environment.undefined("No first item, sequence was empty.")


@pass_environment
def do_last(environment: "Any", seq: "Any") -> "Any":
    try:
        return next(iter(reversed(seq)))
    except StopIteration:
        return environment.undefined("No last item, sequence was empty.")


@pass_context
def do_random(context: "Any", seq: "Any") -> "Any":
    import random

    try:
        return random.choice(seq)
    except IndexError:
        return context.environment.undefined("No random item, sequence was empty.")


def do_reverse(value: "Any") -> "Any":
    if isinstance(value, str):
        return value[::-1]
    try:
        return reversed(value)
    except TypeError:
        try:
            items = list(value)
        except TypeError as error:
            from ..errors import FilterArgumentError

            raise FilterArgumentError("argument must be iterable") from error
        items.reverse()
        return items


@pass_environment
def do_sort(
    environment: "Any", value: "Iterable[Any]", reverse: bool = False,
    case_sensitive: bool = False, attribute: "Any" = None,
) -> "list[Any]":
    return sorted(value, key=attributes_getter(environment, attribute, case_sensitive), reverse=reverse)


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


def sync_do_slice(value: "Iterable[Any]", slices: int, fill_with: "Any" = None) -> "Iterator[list[Any]]":
    items = list(value)
    size, longer = len(items) // slices, len(items) % slices
    start = 0
    for number in range(slices):
        end = start + size + (number < longer)
        column = items[start:end]
        if fill_with is not None and number >= longer:
            column.append(fill_with)
        yield column
        start = end


def do_batch(value: "Iterable[Any]", linecount: int, fill_with: "Any" = None) -> "Iterator[list[Any]]":
    row: list[Any] = []
    for item in value:
        if len(row) == linecount:
            yield row
            row = []
        row.append(item)
    if row:
        if fill_with is not None and len(row) < linecount:
            row += [fill_with] * (linecount - len(row))
        yield row


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


@pass_context
def sync_do_map(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    if value:
        function = None
        environment = context.environment
        if not args:
            function = mapped_attribute(environment, kwargs)
        for item in value:
            if function is None:
                function = environment.applied("filter", args[0], args[1:], kwargs, context)
            yield function(item)


def mapped_attribute(environment: "Any", kwargs: "dict[str, Any]") -> "Callable[[Any], Any]":
    if "attribute" in kwargs:
        attribute = kwargs.pop("attribute")
        default = kwargs.pop("default", None)
        if not kwargs:
            return attribute_getter(environment, attribute, default=default)
        message = f"Unexpected keyword argument {next(iter(kwargs))!r}"
    else:
        message = "map requires a filter argument"
    from ..errors import FilterArgumentError

    raise FilterArgumentError(message)


@pass_context
def sync_do_select(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, True, False)


@pass_context
def sync_do_reject(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, False, False)


@pass_context
def sync_do_selectattr(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, True, True)


@pass_context
def sync_do_rejectattr(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, False, True)


def select_or_reject(
    context: "Any", value: "Iterable[Any]", args: "tuple[Any, ...]", kwargs: "dict[str, Any]",
    wanted: bool, by_attribute: bool,
) -> "Iterator[Any]":
    if not value:
        return
    environment = context.environment
    get = None
    if by_attribute:
        if not args:
            from ..errors import FilterArgumentError

            raise FilterArgumentError("Missing parameter for attribute name")
        get = attribute_getter(environment, args[0])
        args = args[1:]
    test = None if args else bool
    for item in value:
        subject = get(item) if get else item
        if test is None:
            test = environment.applied("test", args[0], args[1:], kwargs, context)
        if bool(test(subject)) is wanted:
            yield item
