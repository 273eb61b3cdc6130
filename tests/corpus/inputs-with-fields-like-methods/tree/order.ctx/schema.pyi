from typing import TypedDict


class Order(TypedDict):
    number: int
    items: list[str]


class Change:
    copy: str
    clear: bool


class Input:
    order: Order
    changes: list[Change]
    values: dict[str, str]
