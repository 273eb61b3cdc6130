import datetime
import datetime as dt
import uuid
from typing import Annotated, Literal, Protocol, TypeAlias, Union

Base = Literal["a", "b"]
Circle = Literal[Circle, "c"]


class Output:
    twice: list[int][str]
    quoted: "list"[int]
    union: (int | str)[bool]
    nothing: Annotated[()]
    never: Union[()]
    form: TypeAlias[int]
    protocol: Protocol[int]
    empty: Annotated[int, ""]
    module: datetime
    short: dt
    other: uuid
    sound: Literal[Base, "c"]
    circle: Literal[Circle]
    same: set[int] = {1, 2, 1}
    key: dict[Literal["a"], int] = {"b": 1}
    part: "Part" = {"id": 1}
    parts: list["Part"] = [{"id": "x"}, {}]
    whole: "Part" = {"id": "x", "next": {"id": "y"}}


class Part:
    id: str
    next: "Part | None" = None
