from typing import Literal, NotRequired, TypedDict


class Customer(TypedDict):
    name: str
    plan: str
    seats: NotRequired[int]
    open_conversations: NotRequired[int]


class Queue(TypedDict):
    name: str
    scope: str
    closed: NotRequired[bool]


class Incident(TypedDict):
    id: str
    since: str
    title: str
    regions: list[str]


class Input:
    customer: Customer
    queues: list[Queue]
    message: str
    subject: str | None = None
    incidents: list[Incident] = []


class Output:
    """Where a new conversation goes."""

    severity: Literal["S1", "S2", "S3", "S4"]
    queue: str
    reason: str
    """One sentence for the colleague who takes it, with the words of the customer that decided."""
    question: str | None = None
    incident: str | None = None
    """The id of a running incident that explains the message."""
