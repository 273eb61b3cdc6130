from typing import Literal


class Recipient:
    name: str
    company: str
    language: str
    title: str | None = None


class Interest:
    what: str
    when: str
    strength: Literal[1, 2, 3]


class Offer:
    name: str
    price: float
    currency: str
    until: str | None = None


class Input:
    recipient: Recipient
    sender: str
    interests: list[Interest]
    offer: Offer | None = None
    variant: Literal["question", "story", "fact"] = "question"
    tone: Literal["neutral", "warm", "formal"] = "neutral"


class Output:
    subject: str
    """At most 50 characters, no capital letters for emphasis."""
    body: str
