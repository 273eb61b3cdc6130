from typing import Literal, NotRequired, TypedDict


class Passage(TypedDict):
    article: str
    title: str
    text: str
    score: float
    updated: str
    url: NotRequired[str]
    state: NotRequired[Literal["published", "draft", "stale"]]


class Reader(TypedDict):
    kind: Literal["customer", "colleague", "developer"]
    plan: NotRequired[str]
    locale: str


class Turn(TypedDict):
    author: str
    text: str


class Input:
    question: str
    passages: list[Passage]
    reader: Reader
    today: str
    history: list[Turn] = []
    min_score: float = 0.35
    """Passages below it are shown only if nothing better was found."""
    tone: Literal["neutral", "warm", "formal"] = "neutral"
