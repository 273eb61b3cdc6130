from typing import Literal


class Contact:
    """Somebody on the customer's side."""

    name: str
    title: str
    note: str | None = None
    """What to remember when talking to this person."""


class Signal:
    """Something that happened, with where we know it from."""

    date: str
    kind: Literal["usage", "support", "contract", "news"]
    text: str
    source: str
    weight: int = 1


class Account:
    name: str
    industry: str
    plan: str
    seats: int
    yearly_value: int
    currency: str
    renewal: str | None = None


class Input:
    account: Account
    contacts: list[Contact]
    signals: list[Signal]
    purpose: Literal["renewal", "expansion", "introduction"]
    focus: str | None = None
    """A question the brief must answer, in the words of the person who asked."""
    max_words: int = 250
