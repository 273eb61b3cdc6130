"""Whether a default is of the type of its field.

In: plain data and a Type. Out: the words for what it should be, or None. Classes are asked no further than whether
there is a mapping: what must be in it is said by the class.
"""

from typing import Any

from .types import Array, Choice, Described, Either, Named, Row, Scalar, Table, Type

_WORDS = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "a boolean",
    "none": "None",
    "datetime": "a date and time as text",
    "date": "a date as text",
    "time": "a time as text",
    "uuid": "a UUID as text",
}


def misfit(value: Any, type: Type) -> str | None:
    """What the value should be and is not; None when it fits."""
    if isinstance(type, Described):
        return misfit(value, type.type)
    if isinstance(type, Either):
        wrong = [misfit(value, member) for member in type.members]
        return None if None in wrong else " or ".join(dict.fromkeys(each for each in wrong if each))
    if isinstance(type, Scalar):
        return None if _is_scalar(value, type.kind) else _WORDS[type.kind]
    if isinstance(type, Choice):
        known = any(value == each and _is_bool(value) == _is_bool(each) for each in type.values)
        return None if known else "one of its values"
    if isinstance(type, Array):
        return _of_items(value, [type.item] * len(value)) if isinstance(value, list) else "a list"
    if isinstance(type, Row):
        if not isinstance(value, list) or len(value) != len(type.items):
            return f"a tuple of {len(type.items)}"
        return _of_items(value, list(type.items))
    if isinstance(type, Table):
        if not isinstance(value, dict):
            return "a mapping"
        wrong = [misfit(each, type.value) for each in value.values()]
        return next((f"a mapping to {each}" for each in wrong if each), None)
    if isinstance(type, Named):
        return None if isinstance(value, dict) else f"a mapping with the fields of `{type.name}`"
    return None


def _of_items(values: list[Any], types: list[Type]) -> str | None:
    wrong = [misfit(value, type) for value, type in zip(values, types, strict=True)]
    return next((f"a list of {each}" for each in wrong if each), None)


def _is_scalar(value: Any, kind: str) -> bool:
    if kind == "none":
        return value is None
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("int", "float"):
        return not isinstance(value, bool) and isinstance(value, int if kind == "int" else int | float)
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)
