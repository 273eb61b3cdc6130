from typing import NotRequired, TypedDict


class Budget(TypedDict):
    calls: int
    minutes: NotRequired[int]


class Input:
    account_name: str
    purpose: str
    today: str
    """The current day as YYYY-MM-DD; the agent has no clock."""
    questions: list[str]
    known: dict[str, list[str]]
    """What earlier runs found, by topic."""
    budget: Budget
    forbidden_sources: list[str] = []
