"""Whether a default is of the type of its field.

In: plain data, a Type, and the classes that it may name. Out: the words for what it should be, or None. The answer is
that of the schema of the type, so that no template is given by default what a caller may not give.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .types import Anything, Array, Choice, Class, Described, Either, Named, Row, Scalar, Table, Type
from .work import Work

MOST_WORDS = 5  # of the members of a union, in a message
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


def misfit(value: Any, type: Type, classes: Mapping[str, Class], work: Work) -> str | None:
    """What the value should be and is not; None when it fits. Raises TooMuch."""
    work.step()

    def inner(value: Any, type: Type) -> str | None:
        return misfit(value, type, classes, work)

    if isinstance(type, Described):
        return inner(value, type.type)
    if isinstance(type, Either):
        wrong: dict[str, None] = {}
        for member in _members(type):
            each = inner(value, member)
            if each is None:
                return None
            wrong[each] = None
        return " or ".join([*wrong][:MOST_WORDS]) + (" or …" if len(wrong) > MOST_WORDS else "")
    if isinstance(type, Scalar):
        return None if _is_scalar(value, type.kind) else _WORDS[type.kind]
    if isinstance(type, Choice):
        work.step(len(type.values) // 20)
        known = any(value == each and _is_bool(value) == _is_bool(each) for each in type.values)
        return None if known else "one of its values"
    if isinstance(type, Array):
        if not isinstance(value, list):
            return "a list"
        if type.kind == "set" and len({_key(each, work) for each in value}) < len(value):
            return "a set of different values"
        return _first("a list of", (inner(each, type.item) for each in value))
    if isinstance(type, Row):
        if not isinstance(value, list) or len(value) != len(type.items):
            return f"a tuple of {len(type.items)}"
        return _first("a list of", (inner(each, item) for each, item in zip(value, type.items, strict=True)))
    if isinstance(type, Table):
        if not isinstance(value, dict):
            return "a mapping"
        if not isinstance(type.key, Anything) and (wrong_key := _first("", (inner(key, type.key) for key in value))):
            return f"a mapping whose keys are {wrong_key.strip()}"
        return _first("a mapping to", (inner(each, type.value) for each in value.values()))
    if isinstance(type, Named):
        return _of_class(value, type.name, classes, work)
    return None


def _members(type: Type) -> Iterator[Type]:
    """The members of a union, those of unions in it too."""
    if isinstance(type, Either):
        for member in type.members:
            yield from _members(member)
    else:
        yield type


def _of_class(value: Any, name: str, classes: Mapping[str, Class], work: Work) -> str | None:
    if not isinstance(value, dict):
        return f"a mapping with the fields of `{name}`"
    for field in classes[name].fields if name in classes else ():
        if field.name in value:
            wrong = misfit(value[field.name], field.type, classes, work)
            if wrong is not None:
                return f"a mapping whose `{field.name}` is {wrong}"
        elif field.required:
            return f"a mapping with the `{field.name}` of `{name}`"
    return None


def _first(words: str, wrong: Iterable[str | None]) -> str | None:
    return next((f"{words} {each}" for each in wrong if each), None)


def _key(value: Any, work: Work) -> Any:
    """What equal JSON values have in common: 1 and 1.0 are equal, 1 and true are not."""
    work.step()
    if isinstance(value, dict):
        return frozenset((name, _key(each, work)) for name, each in value.items())
    if isinstance(value, list):
        return tuple(_key(each, work) for each in value)
    return (bool, value) if _is_bool(value) else value


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
