from typing import NotRequired, TypedDict


class Offer(TypedDict):
    name: str
    until: NotRequired[str]
    price: float | None


class Input:
    topic: str
    tone: str = "warm"
    focus: str | None = None
    secret: int = ...
    offer: Offer | None = None
    offers: list[Offer]
