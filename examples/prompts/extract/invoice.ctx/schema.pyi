from typing import Annotated, Literal, NotRequired, TypedDict


class Input(TypedDict):
    text: str
    file_name: str
    country: NotRequired[str]
    skip: NotRequired[list[str]]


class Line(TypedDict):
    text: str
    quantity: float
    amount: str


class Output(TypedDict):
    """An invoice as accounting books it. Amounts are texts with a point and two digits."""

    supplier: str
    invoice_number: str
    issued_on: str
    due_on: str | None
    currency: Annotated[str, "ISO 4217"]
    net: str
    tax: str
    gross: str
    iban: str | None
    lines: list[Line]
    doubts: list[Literal["unreadable", "sums differ", "no invoice", "several invoices"]]
