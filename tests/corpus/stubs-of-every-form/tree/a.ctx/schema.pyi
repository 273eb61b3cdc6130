"""Words about the file."""

import datetime as dt
import typing as t
from collections.abc import Mapping, Sequence
from datetime import date, time
from enum import Enum, IntEnum, StrEnum, auto
from typing import Annotated, Any, List, Literal, NotRequired, Optional, Required, TypedDict, Union
from typing import TypeAlias as Alias
from uuid import UUID

Words: Alias = list[str]
Key = Literal["a", "b"]
LIMIT = 5
UserId = t.NewType("UserId", str)
Point = TypedDict("Point", {"x-axis": float, "y": NotRequired[float]})


class Colour(StrEnum):
    """A colour of the palette."""

    RED = auto()
    DARK_BLUE = "dark blue"


class Level(IntEnum):
    LOW = 1
    HIGH = auto()


class Mixed(Enum):
    TEXT = "text"
    NUMBER = -1.5


class Node(TypedDict):
    """A node of a tree."""

    value: int
    children: "list[Node]"


class Base:
    """What they have in common."""

    id: str
    """Which one."""
    note: Optional[str]


class Left(Base):
    left: int


class Right(Base):
    right: int = LIMIT
    id: UserId


class Scalars(Left):
    text: str
    whole: int
    number: float
    yes: bool
    anything: Any
    thing: object
    nothing: None
    moment: dt.datetime
    day: date
    clock: time
    uuid: UUID


class Collections(TypedDict, total=False):
    zeta: list
    bare: Required[dict]
    sets: set[int]
    frozen: frozenset[str]
    tuples: tuple
    row: tuple[int, str, Words]
    many: tuple[int, ...]
    one: tuple[int]
    empty: tuple[()]
    old: Required[List[t.Dict[str, t.Any]]]
    abstract: Sequence[Mapping[Key, bool]]
    nested: dict[str, dict[str, Words]]


class Output(Right):
    """The reply.

        Indented by four,
    and not.
    """

    scalars: Scalars
    """Everything plain."""
    collections: Collections
    colour: Colour
    paint: Annotated[Colour, "Of the walls."]
    level: Level = Level.LOW
    mixed: Mixed | None
    tree: Node
    """The whole tree."""
    trees: list[Node]
    point: Point
    literals: Literal["x", 1, -2, True, None]
    same: Literal[Literal["x", "y"], "x"]
    three: int | str | None
    union: Union[int, str, None]
    optional: Optional[Union[int, str]]
    quoted: "Annotated[Base | None, 'Perhaps.']"
    first: Base
    second: Base
    """Another one: these words are not those of `first`."""
    told: str = "told"
    untold: str = ...
    none: str | None = None
    numbers: list[float] = [1, -2.5]
    table: dict[str, bool] = {"z": True, "a": False}
    row: tuple[int, str] = (1, "one")
