"""From an expression that stands for a constant to plain data: defaults, literals, the members of an Enum.

In: an expression of a stub. Out: JSON data (a tuple or set as a list, in source order), `...` as itself, or
NOT_CONSTANT after a finding. Nothing is computed: a sign before a number is all.
"""

import ast
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ..diagnostics import Scope
from .docstrings import is_nothing, literal
from .names import AUTO, ENUMS, LOCAL, Names
from .work import MOST_LEVELS, TooMuch

NOT_CONSTANT: Final = object()
MOST_STEPS = 50  # from name to name
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1  # what artifacts can hold
_OF_KIND: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a text"),
    "StrEnum": ((str,), "a text"),
    "int": ((int,), "an integer"),
    "IntEnum": ((int,), "an integer"),
    "float": ((int, float), "a number"),
}
_EMPTY = {"list": list, "dict": dict, "tuple": list, "set": list, "frozenset": list}


class _Fault(Exception):
    """Why an expression is not a constant, and which part of it."""

    def __init__(self, node: ast.expr | ast.stmt, why: str, help: str) -> None:
        super().__init__(why)
        self.node = node
        self.why = why
        self.help = help


@contextmanager
def bounded(node: ast.expr | ast.stmt, names: Names, where: str, scope: Scope) -> Iterator[None]:
    """Report what brings a stub beyond its bounds, once; what is under way ends there."""
    try:
        yield
    except TooMuch as error:
        if not names.work.is_told:
            names.work.is_told = True
            headline = f"{where} brings `{names.file.rpartition('/')[2]}` to {error}"
            notes = ("an alias or a constant counts again wherever it is used",)
            help = "use fewer of them inside each other"
            scope.add("schema-too-large", headline, names.span(node), notes=notes, help=help)


def constant_of(node: ast.expr, names: Names, where: str, scope: Scope, *, code: str = "bad-default") -> Any:
    """The value of a constant expression. A member of an Enum of the stub is its value, and the name of a constant of
    the stub what it is bound to. Raises TooMuch."""
    try:
        return _value(node, names, ())
    except _Fault as fault:
        scope.add(code, f"{where} has {fault.why}", names.span(fault.node), help=fault.help)
        return NOT_CONSTANT


def text_fault(text: str) -> str | None:
    """What keeps a text from being JSON; None for nothing."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"half a character (`\\u{ord(text[error.start]):04x}`)"
    return None


def enum_values(node: ast.ClassDef, names: Names, scope: Scope) -> tuple[str | int | float | bool, ...]:
    """The values of an Enum, in source order; none after what is wrong with it has been reported."""
    if node.name in names.enums:
        return names.enums[node.name]
    values: list[Any] = []
    sound = True
    for where, found in _members(node, names, ()).items():
        values.append(found[0])
        for value in found:
            if isinstance(value, _Fault):
                sound = False
                headline = f"`{node.name}` has {value.why}"
                scope.add("bad-declaration", headline, names.span(value.node), help=value.help)
        if where and len(found) > 1:
            sound = False
            headline = f"`{node.name}.{where}` is there twice"
            scope.add("bad-declaration", headline, names.name_span(node), help="keep one of the two")
    if not values:
        headline = f"the Enum `{node.name}` has no members"
        scope.add("bad-declaration", headline, names.name_span(node), help="write `NAME = value`")
    names.enums[node.name] = tuple(dict.fromkeys(values)) if sound else ()  # of equal values, Python makes one member
    return names.enums[node.name]


def enum_kind(node: ast.ClassDef, names: Names, behind: tuple[str, ...] = ()) -> str | None:
    """`StrEnum`, `IntEnum` or `Enum`, or what a class mixes in before it (`str`, `int`); None for what is no Enum."""
    if node.name in names.kinds and names.classes[node.name] is node:
        return names.kinds[node.name]
    kinds: list[str] = []
    for each in node.bases:
        full = names.full_name(each) or ""
        if full in ENUMS:
            kinds.append(full.rpartition(".")[2])
        elif full.startswith(LOCAL):
            name = full.removeprefix(LOCAL)
            if name in names.classes and name not in behind and len(behind) < MOST_STEPS:
                kinds.append(enum_kind(names.classes[name], names, (*behind, name)) or "")
        elif full in ("str", "int", "float"):
            kinds.append(full)
    kind = next((kind for kind in kinds if kind in ("str", "int", "float")), kinds[-1] if kinds else None)
    names.kinds[node.name] = kind if any(each.endswith("Enum") for each in kinds) else None
    return names.kinds[node.name]


def _members(node: ast.ClassDef, names: Names, behind: tuple[str, ...]) -> dict[str, list[Any]]:
    """Each member with its value, or with the fault that it has instead; more than one if it is there twice. Under ""
    stand the faults of what is no member."""
    found = names.members.get(node.name)
    if found is None:
        found = {}
        for name, value in _each_member(node, names, behind):
            found.setdefault(name, []).append(value)
        names.members[node.name] = found
    return found


def _each_member(node: ast.ClassDef, names: Names, behind: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    kind = enum_kind(node, names) or "Enum"
    is_first = True
    last: Any = 0
    is_rising = True  # `auto()` is one more than the last, if that is not less than those before
    for statement in node.body:
        if is_nothing(statement) or statement is node.body[0] and literal(statement):
            continue
        if literal(statement):
            help = f"say it in the docstring of `{node.name}`"
            yield "", _Fault(statement, "words about a member, for which a schema has no place", help)
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            yield "", _Fault(statement, "something that is no member", "members are `NAME = value`, and nothing else")
            continue
        if _is_reserved(target.id):
            yield "", _Fault(target, f"`{target.id}`, of which Python makes no member", "take it away, or rename it")
            continue
        try:
            value = _member(statement.value, target.id, kind, last + 1 if is_rising else None, names, behind)
        except _Fault as fault:
            yield target.id, fault
        else:
            is_rising = is_rising and type(value) is int and (is_first or value >= last)
            is_first, last = False, value
            yield target.id, value


def _is_reserved(name: str) -> bool:
    """Whether `enum` takes a name of a class for itself: `_order_`, `__note__`, and private ones."""
    return name.startswith("__") or name == "mro" or (len(name) > 2 and name[0] == name[-1] == "_")


def _member(
    node: ast.expr, name: str, kind: str, following: int | None, names: Names, behind: tuple[str, ...]
) -> str | int | float | bool:
    """The value of one member; `auto()` is what `enum` makes of it."""
    if isinstance(node, ast.Call) and names.full_name(node.func) == AUTO:
        if kind == "StrEnum":
            return name.lower()
        if following is not None and kind != "str":
            return following
        raise _Fault(node, f"the member `{name}` without a clear value", "write the value")
    value: Any = _value(node, names, behind)
    types, what = _OF_KIND.get(kind, ((str, int, float), "a text or a number"))
    if not any(isinstance(value, each) for each in types):
        raise _Fault(node, f"the member `{name}`, which is not {what}", f"write {what}")
    if kind in ("int", "IntEnum", "float"):  # of True these make a number
        return float(value) if kind == "float" else int(value)
    return value  # type: ignore[no-any-return]


def _value(node: ast.expr, names: Names, behind: tuple[str, ...]) -> Any:
    work = names.work
    work.step()
    if work.level == MOST_LEVELS:
        raise _Fault(node, f"a value of more than {MOST_LEVELS} levels", "write a flatter one")
    work.level += 1
    try:
        return _plain(node, names, behind)
    finally:
        work.level -= 1


def _plain(node: ast.expr, names: Names, behind: tuple[str, ...]) -> Any:
    if isinstance(node, ast.Constant):
        return _checked(node, node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = node.operand
        if isinstance(inner, ast.Constant) and type(inner.value) in (int, float):
            return _checked(node, -inner.value if isinstance(node.op, ast.USub) else inner.value)  # type: ignore[operator]
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_item(each, names, behind) for each in node.elts]
    if isinstance(node, ast.Dict):
        return _mapping(node, names, behind)
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        full = names.full_name(node.func)
        if full in _EMPTY:
            return _EMPTY[full]()
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(node, names, behind)
    raise _no_constant(node)


def _item(node: ast.expr, names: Names, behind: tuple[str, ...]) -> Any:
    value = _value(node, names, behind)
    if value is ...:
        raise _no_constant(node)
    return value


def _mapping(node: ast.Dict, names: Names, behind: tuple[str, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise _no_constant(value)
        name = _value(key, names, behind)
        if not isinstance(name, str):
            raise _Fault(key, f"the key `{names.written(key)}`, which is not text", "write the key as a string")
        if name in result:
            raise _Fault(key, f"the key `{name}` twice", "keep one of the two")
        result[name] = _item(value, names, behind)
    return result


def _named(node: ast.Name | ast.Attribute, names: Names, behind: tuple[str, ...]) -> Any:
    """A constant of the stub, or a member of one of its Enums."""
    full = names.full_name(node) or ""
    name = full.removeprefix(LOCAL) if full.startswith(LOCAL) else ""
    if name in names.values and name not in behind and len(behind) < MOST_STEPS:
        return _value(names.values[name], names, (*behind, name))
    owner, _, member = name.removesuffix(".value").partition(".")
    if member and owner in names.classes and owner not in behind and enum_kind(names.classes[owner], names):
        value = _members(names.classes[owner], names, (*behind, owner)).get(member, [None])[0]
        if value is not None and not isinstance(value, _Fault):
            return value
    raise _no_constant(node)


def _no_constant(node: ast.expr) -> _Fault:
    return _Fault(node, "a value that is no constant", "write the value itself, or `...` for one that is not told")


def _checked(node: ast.expr, value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, str):
        if fault := text_fault(value):
            raise _Fault(node, f"a text with {fault}", "write the character itself")
    elif isinstance(value, float) and not math.isfinite(value):
        raise _Fault(node, "a number that is not finite", "write a finite number")
    elif type(value) is int and not _SMALLEST <= value <= _LARGEST:
        raise _Fault(node, "an integer of more than 64 bits", "write a smaller one, or a text")
    elif isinstance(value, bytes | complex):
        raise _Fault(node, "a value that is not JSON", "write a text or a number")
    return value
