"""Attributes that values have by themselves: those of Python's text, lists, mappings, numbers, dates.

In: a kind of value and a name. Out: the value that reading or calling the attribute gives. The tables hold what some
supported Python has, so that none makes another finding than the others; a test compares them with the running one.
A value that JSON may write in two ways has the attributes of both: a date may be text, a set a list.
"""

from typing import Final

from .types import Scalar
from .values import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    NOTHING,
    NUMBER,
    TEXT,
    TEXTS,
    Instance,
    Kind,
    Mapping,
    Method,
    Record,
    Sequence,
    Tuple,
    Value,
    either,
    some,
)


def _table(*rows: tuple[str, Value]) -> dict[str, Value]:
    return {name: value for names, value in rows for name in names.split()}


# What the methods give, and what the other attributes are.

_TEXT: Final = _table(
    ("capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix removesuffix", TEXT),
    ("replace rjust rstrip strip swapcase title translate upper zfill", TEXT),
    ("split rsplit splitlines", TEXTS),
    ("partition rpartition", (Tuple((TEXT, TEXT, TEXT)),)),
    ("count find index rfind rindex", INTEGER),
    ("endswith startswith isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric", BOOLEAN),
    ("isprintable isspace istitle isupper", BOOLEAN),
    ("encode maketrans", ANYTHING),
)
_NUMBER: Final = _table(
    ("bit_count bit_length", INTEGER),
    ("is_integer", BOOLEAN),
    ("hex", TEXT),
    ("as_integer_ratio conjugate from_bytes from_number fromhex to_bytes", ANYTHING),
)
_NUMBER_DATA: Final = _table(("numerator denominator real imag", NUMBER))
_LIST: Final = ("append clear copy count extend index insert pop remove reverse sort",)
_TUPLE: Final = ("count index",)
_SET: Final = (
    "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset",
    "issuperset pop remove symmetric_difference symmetric_difference_update union update",
)
_MAPPING: Final = ("clear copy fromkeys get items keys pop popitem setdefault update values",)
_DATE: Final = _table(
    ("ctime isoformat strftime", TEXT),
    ("isoweekday toordinal weekday", INTEGER),
    ("fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar replace strptime timetuple today", ANYTHING),
)
_DATE_DATA: Final = _table(("day month year", INTEGER), ("max min resolution", ANYTHING))
_TIME: Final = _table(
    ("isoformat strftime tzname", TEXT), ("dst fromisoformat replace strptime utcoffset", ANYTHING)
)
_TIME_DATA: Final = _table(
    ("fold hour microsecond minute second", INTEGER), ("max min resolution tzinfo", ANYTHING)
)
_DATETIME: Final = _table(
    ("timestamp", NUMBER),
    ("astimezone combine date now time timetz utcfromtimestamp utcnow utctimetuple", ANYTHING),
)
_UUID_DATA: Final = _table(
    ("hex urn variant", TEXT),
    ("clock_seq clock_seq_hi_variant clock_seq_low int node time time_hi_version time_low time_mid", INTEGER),
    ("bytes bytes_le fields is_safe version", ANYTHING),
)

# Kind of scalar → its methods with what they give, and its other attributes.
_SCALARS: Final[dict[str, tuple[dict[str, Value], dict[str, Value]]]] = {
    "str": (_TEXT, {}),
    "int": (_NUMBER, _NUMBER_DATA),
    "bool": (_NUMBER, _NUMBER_DATA),
    "float": (_NUMBER, _NUMBER_DATA),
    "datetime": ({**_TEXT, **_DATE, **_TIME, **_DATETIME, "replace": ANYTHING}, {**_DATE_DATA, **_TIME_DATA}),
    "date": ({**_TEXT, **_DATE, "replace": ANYTHING}, _DATE_DATA),
    "time": ({**_TEXT, **_TIME, "replace": ANYTHING}, _TIME_DATA),
    "uuid": (_TEXT, _UUID_DATA),
}


def _names(*rows: str) -> frozenset[str]:
    return frozenset(name for row in rows for name in row.split())


_OF_LIST, _OF_TUPLE, _OF_MAPPING = _names(*_LIST), _names(*_TUPLE), _names(*_MAPPING)
_SEQUENCES: Final = {"list": _OF_LIST, "set": _OF_LIST | _names(*_SET), "tuple": _OF_LIST}


def methods_of(kind: Kind) -> frozenset[str]:
    """The names of a kind's methods."""
    match kind:
        case Scalar():
            return frozenset(_SCALARS[kind.kind][0])
        case Sequence():
            return _SEQUENCES[kind.kind]
        case Tuple():
            return _OF_LIST
        case Mapping() | Record() | Instance():
            return _OF_MAPPING
    return frozenset()


def data_of(kind: Kind) -> dict[str, Value]:
    """The attributes of a kind that are no methods, with what they are."""
    if isinstance(kind, Scalar):
        return _SCALARS[kind.kind][1]
    if isinstance(kind, Tuple):
        return dict(zip(kind.names, kind.items, strict=False))
    return {}


def result(kind: Kind, name: str, arguments: tuple[Value, ...]) -> Value:
    """What calling a method gives. `arguments`: the positional ones."""
    match kind:
        case Scalar():
            return _SCALARS[kind.kind][0].get(name, ANYTHING)
        case Sequence() | Tuple():
            if name in ("count", "index"):
                return INTEGER
            if name == "pop":
                return some(items(kind) or ())
            return (kind,) if name == "copy" else ANYTHING
        case Mapping() | Record():
            keys, values = (kind.key, kind.value) if isinstance(kind, Mapping) else (TEXT, _values(kind))
            if name == "keys":
                return (Sequence("list", keys),)
            if name == "values":
                return (Sequence("list", values),)
            if name == "items":
                return (Sequence("list", (Tuple((keys, values)),)),)
            if name in ("get", "pop", "setdefault"):
                return either(some(values), *(arguments[1:2] or ([NOTHING] if name == "get" else [])))
            return (kind,) if name == "copy" else ANYTHING
        case Instance():
            if name == "keys":
                return (Sequence("list", TEXT),)
            if name == "items":
                return (Sequence("list", (Tuple((TEXT, ANYTHING)),)),)
    return ANYTHING


def items(kind: Kind) -> Value | None:
    """What a loop over this kind finds: nothing in what is empty; None if it cannot be looped over."""
    match kind:
        case Scalar(kind="int" | "float" | "bool") | Method():
            return None
        case Scalar(kind="str"):
            return TEXT
        case Sequence():
            return kind.item
        case Tuple():
            return either(*kind.items)
        case Mapping():
            return kind.key
        case Record():
            return TEXT
        case Instance() if kind.of.mapping:
            return TEXT
    return ANYTHING


def _values(record: Record) -> Value:
    return either(*(value for _key, value in record.entries)) or ANYTHING
