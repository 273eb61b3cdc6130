from typing import TypedDict


class Span(TypedDict):
    start: str
    end: str


class Order:
    number: int
    lines: list[str] = []


def book(span: Span, order: Order, notes: dict[str, str] | None = None) -> None:
    """Book it."""
