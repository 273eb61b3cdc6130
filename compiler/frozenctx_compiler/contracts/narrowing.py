"""What tests, truth and comparisons say about a value.

In: a value and what was asked of it. Out: what it may still be when the answer was yes, and when it was no. A kind that
may give either answer stays in both.
"""

from collections.abc import Callable
from typing import Any

from .types import Anything, Choice, Described, Scalar
from .values import (
    Absent,
    Instance,
    Kind,
    Macro,
    Mapping,
    Method,
    Nothing,
    Record,
    Sequence,
    Tuple,
    Types,
    Value,
    known,
)

Answer = bool | None  # None: it depends


def passing(value: Value, asked: Callable[[Kind], Answer]) -> Value:
    return known(kind for kind in value if asked(kind) is not False)


def failing(value: Value, asked: Callable[[Kind], Answer]) -> Value:
    return known(kind for kind in value if asked(kind) is not True)


def is_defined(kind: Kind) -> Answer:
    return not isinstance(kind, Absent)


def is_none(kind: Kind) -> Answer:
    return None if isinstance(kind, Anything) else isinstance(kind, Nothing)


def is_true(kind: Kind) -> Answer:
    """Truth. What is absent has none: asking for it is a use."""
    match kind:
        case Absent() | Nothing() | Tuple(items=()) | Mapping(key=()):
            return False
    return None


def _is_string(kind: Kind) -> Answer:
    match kind:
        case Anything() | Scalar(kind="datetime" | "date" | "time" | "uuid"):
            return None
    return kind == Scalar("str")


def _is_mapping(kind: Kind) -> Answer:
    match kind:
        case Mapping() | Record():
            return True
        case Instance():
            return True if kind.of.mapping else None
        case Anything():
            return None
    return False


def _is_number(kind: Kind) -> Answer:
    if isinstance(kind, Anything):
        return None
    return isinstance(kind, Scalar) and kind.kind in ("int", "float", "bool")


def _is_integer(kind: Kind) -> Answer:
    match kind:
        case Anything() | Scalar(kind="float"):  # JSON's 1 is a float as well
            return None
        case Scalar(kind="int"):
            return True
    return False


def _is_float(kind: Kind) -> Answer:
    return None if isinstance(kind, Anything) or kind == Scalar("float") else False


def _is_boolean(kind: Kind) -> Answer:
    return None if isinstance(kind, Anything) else kind == Scalar("bool")


def _is_iterable(kind: Kind) -> Answer:
    match kind:
        case Scalar(kind="str") | Sequence() | Tuple() | Mapping() | Record():
            return True
        case Nothing() | Absent() | Scalar(kind="int" | "float" | "bool") | Method() | Macro():
            return False
    return None


def _is_sequence(kind: Kind) -> Answer:
    """Whether it has a length and items: text, lists and mappings."""
    return None if isinstance(kind, Sequence) and kind.kind == "set" else _is_iterable(kind)


def _is_callable(kind: Kind) -> Answer:
    match kind:
        case Method() | Macro():
            return True
        case Scalar() | Nothing() | Sequence() | Tuple() | Mapping() | Record():
            return False
    return None


def _is_bool(kind: Kind) -> Answer:
    return None if _is_boolean(kind) is not False else False


# Tests that say what a value is, and do not touch it: they answer for undefined ones as well.
KIND_TESTS: dict[str, Callable[[Kind], Answer]] = {
    "boolean": _is_boolean,
    "callable": _is_callable,
    "defined": is_defined,
    "false": _is_bool,
    "float": _is_float,
    "integer": _is_integer,
    "mapping": _is_mapping,
    "none": is_none,
    "number": _is_number,
    "sequence": _is_sequence,
    "string": _is_string,
    "true": _is_bool,
}

# They do not touch it either, and say nothing of the kind.
SILENT_TESTS = frozenset(["escaped", "filter", "sameas", "test"])


def with_field(value: Value, name: str, constants: list[Any], equal: bool, types: Types) -> Value:
    """The classes of a union whose field `name` may be one (`equal`), or may be none, of some constants."""

    def asked(kind: Kind) -> Answer:
        member = types.members(kind.of).get(name) if isinstance(kind, Instance) else None
        of = member.field.type if member is not None else None
        while isinstance(of, Described):
            of = of.type
        if not isinstance(of, Choice) or of.enum is not None:
            return None
        may = [each in constants for each in of.values]
        return None if any(may) and not all(may) else any(may)

    return passing(value, asked) if equal else failing(value, asked)
