from typing import Any, NotRequired, TypedDict


class Note:
    text: str
    by: str | None = None


class Step(TypedDict):
    does: str
    result: NotRequired[str | None]
    notes: NotRequired[list[Note]]


class Input:
    topic: str
    steps: list[Step]
    extra: dict[str, Any]
    value: str | int | list[Note]
    focus: str | None = None
    tone: str = "warm"
    previous: Step | None = None
    limit: int = 3
