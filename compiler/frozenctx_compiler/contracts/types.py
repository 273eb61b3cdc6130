"""The types that stubs declare, as data: what schemas are made of, and what templates are checked against.

In: nothing; `declarations.py` makes these from the syntax tree of a stub. Out: frozen values without behaviour. A class
is named where it is used and stands once in `Declarations.classes`, so that classes may name each other in circles.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ..diagnostics import Span

ScalarKind = Literal["str", "int", "float", "bool", "none", "datetime", "date", "time", "uuid"]
ArrayKind = Literal["list", "set", "tuple"]


@dataclass(frozen=True, slots=True)
class Anything:
    """`Any`, and what nothing is said of: the item of a bare `list`."""


@dataclass(frozen=True, slots=True)
class Scalar:
    kind: ScalarKind


@dataclass(frozen=True, slots=True)
class Choice:
    """`Literal[…]`, or an Enum's values when `enum` names it. Text, integers, booleans, None, in source order."""

    values: tuple[str | int | float | bool | None, ...]
    enum: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """`list[X]`, `set[X]`, `tuple[X, ...]`."""

    kind: ArrayKind
    item: "Type"


@dataclass(frozen=True, slots=True)
class Row:
    """`tuple[X, Y]`: as many items as types."""

    items: tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class Table:
    """`dict[K, V]`."""

    key: "Type"
    value: "Type"


@dataclass(frozen=True, slots=True)
class Either:
    """`X | Y`, `Union`, `Optional`, nested as the source nests them."""

    members: tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class Described:
    """`Annotated[X, "description"]`."""

    type: "Type"
    description: str


@dataclass(frozen=True, slots=True)
class Named:
    """A class of the same file."""

    name: str


Type = Anything | Scalar | Choice | Array | Row | Table | Either | Described | Named

NO_DEFAULT: Final = object()  # nothing stands behind the field
UNKNOWN_DEFAULT: Final = object()  # `= ...`: there is one, which the stub does not tell


@dataclass(frozen=True, slots=True)
class Field:
    """`default`: plain data, NO_DEFAULT or UNKNOWN_DEFAULT. `span`: the name, where it is declared."""

    name: str
    type: Type
    required: bool
    default: Any
    description: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Class:
    """A class with the fields of its bases before its own. `mapping`: a TypedDict, whose values are dicts."""

    name: str
    fields: tuple[Field, ...]
    mapping: bool
    description: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Declarations:
    """What one `schema.pyi` declares. `input` and `output` stand in `classes` as well, under their names."""

    file: str
    classes: Mapping[str, Class] = field(default_factory=dict)
    input: Class | None = None
    output: Class | None = None
