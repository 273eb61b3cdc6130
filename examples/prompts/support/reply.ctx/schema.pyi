from typing import Literal, NotRequired, TypedDict


class Turn(TypedDict):
    author: str
    text: str
    at: NotRequired[str]
    internal: NotRequired[bool]


class Article(TypedDict):
    id: str
    title: str
    text: str
    state: Literal["published", "draft", "stale"]


class Customer(TypedDict):
    first_name: str
    company: str
    plan: str
    language: str


class Input:
    """What the inbox knows when somebody presses "Draft a reply"."""

    customer: Customer
    turns: list[Turn]
    articles: list[Article]
    tone: Literal["neutral", "warm", "formal"] = "neutral"
    agent_name: str | None = None
    instruction: str | None = None
    """What the agent typed next to the button."""
    may_promise_refund: bool = False
