"""What an expression of a template may be: the types of a stub, and what templates make of them.

In: the types that a stub declares. Out: values, which are tuples of the kinds of things that an expression may be, each
once, in the order they were found. Frozen, without positions, so that equal ones are equal.

A value is never too narrow: what is not known is `Anything`. What has no value under `StrictUndefined` is a kind of its
own, `Absent`, which travels like others and matters only where something touches it, as at render.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import nodes

from .types import Anything, Array, Choice, Class, Declarations, Described, Either, Field, Named, Row, Scalar, Table
from .types import Type as DeclaredType

if TYPE_CHECKING:
    from ..package import TemplateText

DEEPEST_VALUE = 5
MOST_KINDS = 12  # a value of more kinds is as good as unknown


MistakeKind = Literal[
    "undeclared", "without-context", "not-here", "attribute", "left-out", "none", "asked-for", "method"
]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why something may have no value, or be none: what is reported when that is touched.

    `place`: file, line and column of the use, which is `node` of `template`. `text`: what it calls itself,
    `ticket.title`. `owner`: what it was to be found in. `declared`: what declares it.
    """

    kind: MistakeKind
    text: str
    place: tuple[str, int, int]
    template: "TemplateText" = field(compare=False)
    node: nodes.Node = field(compare=False)
    name: str = field(compare=False)
    owner: "tuple[Kind, ...]" = field(default=(), compare=False)
    declared: Field | None = field(default=None, compare=False)


def place(template: "TemplateText", node: nodes.Node) -> tuple[str, int, int]:
    """File, line and column in what Jinja sees: two nodes of a tree that begin at one place are written differently."""
    return template.file, int(node.lineno), getattr(node.lineno, "column", 0)


@dataclass(frozen=True, slots=True)
class Absent:
    """An undefined value. Under `StrictUndefined` every use is an error but tests that ask for it, and `default`."""

    mistake: Mistake


@dataclass(frozen=True, slots=True)
class Nothing:
    """None. `mistake`: of an optional variable or attribute; nothing is said of other ones."""

    mistake: Mistake | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    kind: Literal["list", "set", "tuple"]
    item: "Value"


@dataclass(frozen=True, slots=True)
class Tuple:
    """As many items as known. `names`: attributes that they are as well, of a group of `groupby`."""

    items: "tuple[Value, ...]"
    names: tuple[str, ...] = ()
    kind: Literal["list", "tuple"] = "tuple"


@dataclass(frozen=True, slots=True)
class Mapping:
    key: "Value"
    value: "Value"


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping that the template wrote, whose keys are literal."""

    entries: "tuple[tuple[str, Value], ...]"


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of a class of the stub: a mapping, or an object. `narrowed`: fields of which more is known."""

    name: str
    of: Class = field(compare=False)
    narrowed: "tuple[tuple[str, Value], ...]" = ()


@dataclass(frozen=True, slots=True)
class Method:
    owner: "Kind"
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Macro:
    """A macro, or the body of a call block. `scope`: what its body sees."""

    node: nodes.Macro | nodes.CallBlock
    scope: Any


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """An imported template. `scope`: what it exports."""

    scope: Any


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`loop`. `scope`: what the loop stands in."""

    node: nodes.For
    item: "Value"
    scope: Any


@dataclass(frozen=True, slots=True)
class Global:
    """A function that every template has."""

    name: str


Kind = (
    Anything
    | Scalar
    | Absent
    | Nothing
    | Sequence
    | Tuple
    | Mapping
    | Record
    | Instance
    | Method
    | Macro
    | Module
    | Loop
    | Global
)
Value = tuple[Kind, ...]

ANYTHING: Value = (Anything(),)
TEXT: Value = (Scalar("str"),)
INTEGER: Value = (Scalar("int"),)
NUMBER: Value = (Scalar("float"),)
BOOLEAN: Value = (Scalar("bool"),)
NOTHING: Value = (Nothing(),)
TEXTS: Value = (Sequence("list", TEXT),)


def either(*values: Value) -> Value:
    """Everything that one of `values` may be."""
    if len(values) == 1 or len(values) == 2 and values[0] is values[1]:
        return values[0]
    kinds = dict.fromkeys(kind for value in values for kind in value)
    if Anything() in kinds or len(kinds) > MOST_KINDS:
        return (Anything(), *(kind for kind in kinds if isinstance(kind, Absent)))
    return tuple(kinds)


def held(value: Value) -> Value:
    """What a list, tuple or mapping that a template writes holds: a value that is nested too deeply is unknown there.

    Else macros that wrap their arguments and call themselves would make values without end.
    """
    return value if _depth(value, DEEPEST_VALUE) < DEEPEST_VALUE else ANYTHING


def _depth(value: Value, most: int) -> int:
    """How many containers stand in each other, at most `most`."""
    deepest = 0
    for kind in value if most else ():
        match kind:
            case Sequence():
                below: tuple[Value, ...] = (kind.item,)
            case Tuple():
                below = kind.items
            case Mapping():
                below = (kind.key, kind.value)
            case Record():
                below = tuple(each for _key, each in kind.entries)
            case _:
                continue
        deepest = max(deepest, 1 + max((_depth(each, most - 1) for each in below), default=0))
    return deepest


def known(kinds: Iterable[Kind]) -> Value:
    """These kinds; if none is left, nothing is known: what is tested is no longer what was declared."""
    return tuple(kinds) or ANYTHING


def some(items: Value) -> Value:
    """One of several items: whether it is the one that is undefined is not known, if not all are."""
    kept = tuple(kind for kind in items if not isinstance(kind, Absent) or kind.mistake.kind == "left-out")
    return kept if any(not isinstance(kind, Absent) for kind in kept) else items


_CONSTANTS: dict[type, Value] = {type(None): NOTHING, bool: BOOLEAN, int: INTEGER, float: NUMBER, str: TEXT}


def of_constant(constant: object) -> Value:
    return _CONSTANTS.get(type(constant), ANYTHING)


@dataclass(frozen=True, slots=True)
class Member:
    """A field with the value of its type, and whether that may be None."""

    field: Field
    value: Value
    with_none: bool


@dataclass(slots=True)
class Types:
    """The types of one stub as values. Classes stay names until an attribute is asked for, so circles are no matter."""

    declared: Declarations
    _members: dict[str, dict[str, Member]] = field(default_factory=dict)
    _values: dict[DeclaredType, Value] = field(default_factory=dict)

    def members(self, of: Class) -> dict[str, Member]:
        """The fields of a class by name."""
        found = self._members.get(of.name)
        if found is None:
            found = {}
            for each in of.fields:
                value = self.value(each.type)
                found[each.name] = Member(each, value, Nothing() in value)
            self._members[of.name] = found
        return found

    def value(self, declared: DeclaredType) -> Value:
        found = self._values.get(declared)
        if found is None:
            found = self._values[declared] = self._made(declared)
        return found

    def _made(self, declared: DeclaredType) -> Value:
        match declared:
            case Scalar(kind="none"):
                return NOTHING
            case Scalar():
                return (declared,)
            case Choice(enum=None):
                return either(*map(of_constant, declared.values))
            case Described():
                return self.value(declared.type)
            case Either():
                return either(*map(self.value, declared.members))
            case Array():
                return (Sequence(declared.kind, self.value(declared.item)),)
            case Row():
                return (Tuple(tuple(map(self.value, declared.items))),)
            case Table():
                return (Mapping(self.value(declared.key), self.value(declared.value)),)
            case Named(name) if name in self.declared.classes:
                return (Instance(name, self.declared.classes[name]),)
        return ANYTHING  # Any; members of an Enum, which may have methods
