"""The filters that fewer prompts use. See `engine`."""

from . import Absent, pass_context, pass_environment
from .filters import attribute_getter, soft_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


def do_center(value: "Any", width: int = 80) -> str:
    return soft_str(value).center(width)


def do_title(s: "Any") -> str:
    # A word begins after white space or one of -({[<. None of these has a case: they may be treated as words too.
    text = str.__str__(soft_str(s))
    if text.isprintable() and not ("-" in text or "(" in text or "{" in text or "[" in text or "<" in text):
        # The only white space that can be printed is the blank.
        return " ".join([word[:1].upper() + word[1:].lower() for word in text.split(" ")])
    words = []
    start = 0
    for position, character in enumerate(text):
        if character in "-({[<" or character.isspace():
            words.append(text[start:position])
            words.append(character)
            start = position + 1
    words.append(text[start:])
    return "".join([word[0].upper() + word[1:].lower() for word in words if word])


def do_wordcount(s: "Any") -> int:
    # A word is a run of what re calls \w.
    return len("".join([letter if letter == "_" or letter.isalnum() else " " for letter in soft_str(s)]).split())


def do_pprint(value: "Any") -> str:
    from pprint import pformat

    return pformat(value)


def do_filesizeformat(value: "Any", binary: bool = False) -> str:
    size = float(value)
    base = 1024 if binary else 1000
    if size == 1:
        return "1 Byte"
    if size < base:
        return f"{int(size)} Bytes"
    power = 1
    while power < 8 and not size < base ** (power + 1):
        power += 1
    prefix = "KMGTPEZY"[power - 1] + "i" if binary else "kMGTPEZY"[power - 1]
    return f"{base * size / base ** (power + 1):.1f} {prefix}B"


def do_float(value: "Any", default: "Any" = 0.0) -> "Any":
    try:
        return float(value)
    except (TypeError, ValueError):
        return default


def do_dedent(value: "Any") -> str:
    """Text without the spaces and tabs that all its lines begin with; blank lines do not count and become empty.

    Equal to `textwrap.dedent` of Python 3.11 to 3.13.
    """
    lines = ["" if not line.strip(" \t") else line for line in str(value).split("\n")]
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line]
    margin = min(margins, default="")
    most = max(margins, default="")
    while not most.startswith(margin):
        margin = margin[:-1]
    return "\n".join([line[len(margin) :] for line in lines])


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


def do_items(value: "Any") -> "Iterator[tuple[Any, Any]]":
    if isinstance(value, Absent):
        return
    from .tests import test_mapping

    if not test_mapping(value):
        raise TypeError("Can only get item pairs from a mapping.")
    yield from value.items()


@pass_environment
def sync_do_sum(environment: "Any", iterable: "Iterable[Any]", attribute: "Any" = None, start: "Any" = 0) -> "Any":
    if attribute is not None:
        iterable = map(attribute_getter(environment, attribute), iterable)
    return sum(iterable, start)


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
