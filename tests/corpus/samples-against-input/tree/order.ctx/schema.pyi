from typing import Literal, TypedDict


class Line:
    name: str
    price: float
    tags: list[str] = []


class Address(TypedDict):
    city: str
    street: str


class Input:
    customer: str
    lines: list[Line]
    address: Address
    state: Literal["new", "paid"]
    weights: dict[str, int]
    note: str | None
    urgent: bool = False
