from typing import Literal, TypedDict


class Reply(TypedDict):
    label: str
    text: str


class Input:
    situation: str
    replies: tuple[Reply, Reply]
    criteria: dict[str, int]
    """Criterion → weight; a weight of 0 switches it off."""
    locale: str = "en"


class Output:
    winner: Literal["A", "B", "tie"]
    decisive: str
    """The criterion that decided."""
    reason: str
