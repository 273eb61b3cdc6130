import decimal
from dataclasses import field
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, NotRequired, Optional, Protocol, Required
from typing import TypedDict, TypeVar
from enum import Enum, StrEnum, auto
from pydantic import BaseModel, Field
from .shared import Customer

T = TypeVar("T")
Loop = dict[str, "Loop"]


class Types:
    near: Custommer
    customer: Customer
    far: Elsewhere
    names: lisst[str]
    raw: bytes
    money: decimal.Decimal
    klass: ClassVar[int] = 1
    generic: list[T]
    keys: dict[int, str]
    three: dict[str, str, str]
    param: int[str]
    optional: Optional
    float_literal: Literal[1.5]
    bytes_literal: Literal[b"x"]
    none_at_all: Literal[()]
    bound: Annotated[int, Field(ge=0)]
    twice: Annotated[str, "a", "b"]
    inner: list[Required[int]]
    both: Required[NotRequired[int]]
    call: list(str)
    quoted: "list["
    loop: Loop
    日本: "bytes"; 次: bytes
    enum: Enum
    member: Inside.Deep


class Defaults(BaseModel):
    made: list[int] = field(default_factory=list)
    computed: int = 1 + 1
    wrong: int = "1"
    yes: int = True
    item: list[str] = ["a", 1]
    choice: Literal["a", "b"] = "c"
    row: tuple[int, str] = (1,)
    big: int = 18446744073709551616
    infinite: float = 1e999
    half: str = "\ud800"
    number_key: dict[str, int] = {1: 1}
    twice: dict[str, int] = {"a": 1, "a": 2}


class Inside:
    class Deep:
        x: int

    def method(self) -> int: ...

    untyped = 1
    x: int
    x: str
    if True:
        y: int


class Page(Generic[T]):
    items: list[int]


class Pair(NamedTuple):
    a: int


class Same(Same):
    a: int


class Shared(Customer):
    a: int


@decorated
class Marked(metaclass=Meta):
    a: int


class Table(TypedDict, total=False, closed=True):
    a: int = 1


class MixedUp(Table, Inside):
    b: int


class One:
    a: int


class Two:
    a: str


class Three(One, Two): ...


class Colour(Enum):
    A = None
    B: int = 1

    def name(self) -> str: ...


class Text(StrEnum):
    A = 1


class Unclear(str, Enum):
    A = auto()


class Empty(Enum): ...


class Described:
    x: Annotated[str, "Above."]
    """Below."""
    y: str
    """Half: \ud800"""


class One:
    a: int


def function(): ...


print("x")
Output = list[str]


class Input(StrEnum):
    A = "a"
