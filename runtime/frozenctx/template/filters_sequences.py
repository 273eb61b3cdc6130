"""Filters that arrange, add up or choose from items, and those that read what an object has. See the package."""

from . import Absent, pass_context, pass_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


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


@pass_environment
def sync_do_sum(environment: "Any", iterable: "Iterable[Any]", attribute: "Any" = None, start: "Any" = 0) -> "Any":
    if attribute is not None:
        iterable = map(environment.attribute_getter(environment, attribute), iterable)
    return sum(iterable, start)


@pass_context
def do_random(context: "Any", seq: "Any") -> "Any":
    import random

    try:
        return random.choice(seq)
    except IndexError:
        return context.environment.undefined("No random item, sequence was empty.")


def do_items(value: "Any") -> "Iterator[tuple[Any, Any]]":
    if isinstance(value, Absent):
        return
    from .tests import test_mapping

    if not test_mapping(value):
        raise TypeError("Can only get item pairs from a mapping.")
    yield from value.items()


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
    internal = environment.guard and isinstance(name, str) and str.startswith(name, "_")
    if internal and environment.attributes_of(obj) is None:
        return environment.undefined(obj=obj, name=name)
    # environment.getattr falls back to obj[name], which this filter never does: ask first whether it would have to.
    if not is_declared(obj, name) and not hasattr(obj, name):
        return environment.undefined(obj=obj, name=name)
    return environment.getattr(obj, name)
