from typing import Any, Literal, Optional, TypedDict


class Part(TypedDict):
    first: None | str
    second: Optional[Literal["a"]]


class Output:
    last: str | None
    first: None | str
    nested: None | int | str
    within: (int | str) | (None | bool)
    items: list[None | int]
    values: dict[str, Optional[list]]
    anything: Any | None
    null: None
    literal: Literal[None]
    literals: Literal["a", None, 1]
    repeated: Literal["a", "b", "a"]
    parts: tuple[None | Part, ...]
    given: None | int = 3
