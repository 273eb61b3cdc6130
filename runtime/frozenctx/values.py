"""Compares variables with the input schema, for `load(…, types="check")`.

In: a prompt and its variables, whatever Python values they hold. Out: nothing, or ValuesError with every variable that
is of another type than declared. Nothing of a value is shown but its kind, and no code of it runs but what lists the
content of mappings, sequences and sets: properties and the like are not called, and count as whatever is declared.

What Python values count as (docs/replies.md says it to users):

    None, bool, int, float, str and their children   themselves
    Decimal, Fraction and other numbers              a number
    an Enum                                          its value
    datetime, date, time; UUID                       text
    mappings                                         an object; names that are no text are taken as text
    sequences and sets                               an array
    named tuples; iterable records                   whichever of the two is declared
    instances of other classes                       an object with the attributes that can be seen without calling
    iterators, iterables, classes of C               anything
"""

import sys

from .problems import pointer, quoted
from .validation import UNKNOWABLE, Validator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .prompts import Prompt

_RECORDS = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__", "__struct_fields__", "_fields")


def check_values(prompt: "Prompt", variables: "dict[str, Any]") -> None:
    """Raise ValuesError unless the variables fit the input schema of the prompt."""
    validator = prompt._validators.get("input")
    if validator is None:
        validator = Validator(prompt._rest["inputSchema"], json_view, kind_shown)
        validator = prompt._validators.setdefault("input", validator)
    problems = validator.problems(variables)
    if problems:
        from .errors import ValuesError

        found = tuple((problem.pointer, problem.message) for problem in problems)
        first = problems[0]
        where = f"`{first.path[0]}`" if first.path else "the variables"
        inside = f" at {quoted(pointer(first.path[1:]))[1:-1]}" if len(first.path) > 1 else ""
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        error = ValuesError(f"`{prompt.key}`, {where}{inside}: {first.message}{more}", found)
        error.key, error.version = prompt.key, prompt.version
        raise error


def kind_shown(value: "Any") -> str:
    """Return the class of a value: values of variables stay out of messages."""
    return "None" if value is None else f"`{type(value).__name__}`"


class _Open(dict):  # type: ignore[type-arg]
    """An object that may have any other property."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: object) -> object:
        return UNKNOWABLE


def json_view(value: "Any", schema: "Any") -> "Any":
    """Return what a value is as JSON data, its content as it is; UNKNOWABLE if only code of its own could tell."""
    kind = type(value)
    if value is None or issubclass(kind, str | bool | int | float):
        return value
    if kind is list:
        return value
    if kind is dict and all(map(_is_text, value)):
        return value
    from collections.abc import Mapping, Sequence, Set

    if issubclass(kind, Mapping):
        return {name if isinstance(name, str) else str(name): item for name, item in value.items()}
    array = isinstance(schema, dict) and (schema.get("type") == "array" or "items" in schema)
    record = any(hasattr(kind, name) for name in _RECORDS)
    if issubclass(kind, tuple) and record:
        return list(value) if array else dict(zip(value._fields, value, strict=False))
    if issubclass(kind, Sequence | Set):
        return list(value)
    if _is_of(kind, "enum", "Enum"):
        return json_view(value._value_, schema)
    if _is_of(kind, "datetime", "date", "time"):
        return value.isoformat()
    if _is_of(kind, "uuid", "UUID"):
        return str(value)
    if _is_of(kind, "numbers", "Integral"):
        return int(value)
    if _is_of(kind, "numbers", "Real") or _is_of(kind, "decimal", "Decimal"):
        return float(value)
    iterable = any(hasattr(kind, name) for name in ("__iter__", "__next__", "__getitem__"))
    if iterable and (array or not record):
        return UNKNOWABLE
    return _attributes(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_of(kind: type, module: str, *names: str) -> bool:
    """Whether a class is one of these; what nobody has imported has no instances."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(issubclass(kind, getattr(loaded, name)) for name in names)


def _attributes(value: "Any") -> "Any":
    """Return the attributes of an instance by name, UNKNOWABLE for each that is computed, and for an instance whose
    class computes all of them."""
    kind = type(value)
    has_own = _has_own(value)
    is_plain = kind.__getattribute__ is object.__getattribute__  # type: ignore[comparison-overlap]
    if not is_plain or not (has_own or any("__slots__" in vars(each) for each in kind.__mro__)):
        return UNKNOWABLE
    found: dict[str, Any] = _Open() if hasattr(kind, "__getattr__") else {}
    for each in reversed(kind.__mro__[:-1]):
        for name, member in vars(each).items():
            if name[:1] != "_":
                found.update(_seen(value, name, member))
    own = object.__getattribute__(value, "__dict__") if has_own else {}
    found.update((name, item) for name, item in own.items() if isinstance(name, str) and name[:1] != "_")
    return found


def _has_own(value: object) -> bool:
    """Whether an instance has attributes of its own."""
    try:
        return type(object.__getattribute__(value, "__dict__")) is dict
    except AttributeError:
        return False


def _seen(value: "Any", name: str, member: "Any") -> "Iterator[tuple[str, Any]]":
    """Yield what a member of a class is for an instance: nothing for a method, or for a slot that is empty."""
    from types import FunctionType, MemberDescriptorType

    if isinstance(member, MemberDescriptorType):
        try:
            yield name, member.__get__(value)
        except AttributeError:
            return
    elif not isinstance(member, FunctionType | staticmethod | classmethod):
        yield name, UNKNOWABLE if hasattr(type(member), "__get__") else member
