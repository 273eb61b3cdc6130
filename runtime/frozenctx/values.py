"""Compares variables with the input schema, for `load(…, types="check")`.

In: a prompt and its variables. Out: nothing, or ValuesError with every variable that is of another type than declared,
and no other exception, whatever the values are. Nothing of a value is shown but its kind. No code of it runs but what
lists the content of mappings, sequences and sets that are no children of Python's own: properties and the like are not
called. They count as whatever is declared, and so does what cannot be listed.

What Python values count as (docs/replies.md says it to users):

    None, bool, int, float, str and their children   themselves
    Decimal, Fraction and numbers of C               a number
    an Enum                                          its value
    datetime, date, time; UUID                       text
    mappings                                         an object; keys as text: those of scalars and enums
    sequences and sets                               an array
    named tuples; iterable records                   whichever of the two is declared
    instances of other classes                       an object with the attributes that can be seen without calling
    iterators, iterables, classes of C, odd numbers  anything
"""

import sys

from .problems import pointer, quoted
from .validation import UNKNOWABLE, Validator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .problems import Path
    from .prompts import Prompt

_NAME = vars(type)["__name__"]
_RECORDS = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__", "__struct_fields__", "_fields")


def check_values(prompt: "Prompt", variables: "dict[str, Any]") -> None:
    """Raise ValuesError unless the variables fit the input schema of the prompt."""
    validator = prompt._kept.get("input")
    if validator is None:
        validator = Validator(prompt._rest["inputSchema"], json_view, kind_shown)
        validator = prompt._kept.setdefault("input", validator)
    problems = validator.problems(variables)
    if problems:
        from .errors import ValuesError

        paths = [_shown_path(problem.path, validator.root) for problem in problems]
        found = tuple((pointer(path), problem.message) for path, problem in zip(paths, problems, strict=True))
        where = f"`{paths[0][0]}`" if paths[0] else "the variables"
        inside = f" at {quoted(pointer(paths[0][1:]))[1:-1]}" if len(paths[0]) > 1 else ""
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        error = ValuesError(f"`{prompt.key}`, {where}{inside}: {problems[0].message}{more}", found)
        error.key, error.version = prompt.key, prompt.version
        raise error


def _shown_path(path: "Path", schema: "Any") -> "Path":
    """A path with `*` for the keys of mappings, which are values as others are: for all names but declared ones."""
    from .keywords import schemas

    each = (one.get("properties", {}) for _, one in schemas(schema) if isinstance(one, dict))
    declared = {name for properties in each for name in properties}
    return tuple(part if isinstance(part, int) or part in declared else "*" for part in path)


def kind_shown(value: "Any") -> str:
    """Return the class of a value: values of variables stay out of messages."""
    return "None" if value is None else f"`{_NAME.__get__(type(value))}`"


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
    if value is None or kind is str or kind is list or kind is int or kind is float or kind is bool:
        return value
    if kind is dict and all(type(name) is str for name in value):
        return value
    try:
        return _viewed(value, kind, schema)
    except Exception:  # of code that lists the content, or of a number beyond those of Python
        return UNKNOWABLE


def _viewed(value: "Any", kind: type, schema: "Any") -> "Any":
    """What `json_view` returns. Children of Python's own classes are asked as those classes would be: what a child does
    in the place of that is code of others."""
    from collections.abc import Mapping, Sequence, Set

    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, Mapping):
        return _object(dict.items(value) if issubclass(kind, dict) else value.items())
    array = isinstance(schema, dict) and (schema.get("type") == "array" or "items" in schema)
    if issubclass(kind, tuple):
        fields = _member(kind, "_fields")
        content = list(tuple.__iter__(value))
        return content if array or type(fields) is not tuple else dict(zip(fields, content, strict=False))
    for own in (list, set, frozenset):
        if issubclass(kind, own):
            return list(own.__iter__(value))
    if issubclass(kind, Sequence | Set):
        return list(value)
    if _is_of(kind, "enum", "Enum"):
        return json_view((_own(value) or {}).get("_value_", UNKNOWABLE), schema)
    for module, name in (("datetime", "datetime"), ("datetime", "date"), ("datetime", "time")):
        if _is_of(kind, module, name):
            return getattr(sys.modules[module], name).isoformat(value)
    if _is_of(kind, "uuid", "UUID"):
        return sys.modules["uuid"].UUID.__str__(value)
    if _is_of(kind, "numbers", "Real") or _is_of(kind, "decimal", "Decimal"):
        return _number(value, kind)
    record = any(_member(each, name) is not None for each in (kind, type(kind)) for name in _RECORDS)
    iterable = any(_member(kind, name) is not None for name in ("__iter__", "__next__", "__getitem__"))
    if iterable and (array or not record):
        return UNKNOWABLE
    return _attributes(value, kind)


def _object(items: "Iterable[tuple[Any, Any]]") -> "dict[str, Any]":
    """Return a mapping with its keys as text. A key of another kind may be whatever is declared."""
    found: dict[str, Any] = {}
    is_open = False
    for key, item in items:
        name = json_view(key, None)
        if name is UNKNOWABLE or isinstance(name, list | dict):
            is_open = True
        else:
            found[str(name)] = item
    return _Open(found) if is_open else found


def _number(value: "Any", kind: type) -> "Any":
    """Return a number of another class as one of Python; UNKNOWABLE if that takes code of a class in Python."""
    from types import FunctionType

    member = _member(kind, "__int__" if _is_of(kind, "numbers", "Integral") else "__float__")
    if type(member) is FunctionType and not (_is_of(kind, "fractions", "Fraction") and kind.__module__ == "fractions"):
        return UNKNOWABLE
    return member(value)


def _is_of(kind: type, module: str, name: str) -> bool:
    """Whether a class is this one or a child of it; what nobody has imported has no instances."""
    loaded = sys.modules.get(module)
    return loaded is not None and issubclass(kind, getattr(loaded, name))


def _member(kind: type, name: str) -> "Any":
    """Return what a class or one above it has under a name, without asking any of them for it; None if nothing."""
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def _own(value: object) -> "dict[str, Any] | None":
    """Return the attributes that an instance has for itself; None if it has none, or computes them."""
    from types import GetSetDescriptorType, MemberDescriptorType

    member = _member(type(value), "__dict__")
    found = member.__get__(value) if isinstance(member, GetSetDescriptorType | MemberDescriptorType) else None
    return found if type(found) is dict else None


def _attributes(value: "Any", kind: type) -> "Any":
    """Return the attributes of an instance by name, UNKNOWABLE for each that is computed, and for an instance whose
    class computes all of them."""
    own = _own(value)
    is_plain = _member(kind, "__getattribute__") is vars(object)["__getattribute__"]
    if not is_plain or (own is None and not any("__slots__" in vars(each) for each in kind.__mro__)):
        return UNKNOWABLE
    found: dict[str, Any] = _Open() if _member(kind, "__getattr__") is not None else {}
    for each in reversed(kind.__mro__[:-1]):
        for name, member in vars(each).items():
            if name[:1] != "_":
                found.update(_seen(value, name, member))
    found.update((name, item) for name, item in (own or {}).items() if type(name) is str and name[:1] != "_")
    return found


def _seen(value: "Any", name: str, member: "Any") -> "Iterator[tuple[str, Any]]":
    """Yield what a member of a class is for an instance: nothing for a method, or for a slot that is empty."""
    from types import FunctionType, MemberDescriptorType

    kind = type(member)
    if kind is MemberDescriptorType:
        try:
            yield name, member.__get__(value)
        except AttributeError:
            return
    elif not issubclass(kind, FunctionType | staticmethod | classmethod):
        yield name, UNKNOWABLE if _member(kind, "__get__") is not None else member
