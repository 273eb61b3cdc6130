from typing import Optional, TypedDict


class Item(TypedDict):
    sku: str
    amount: int


class Input:
    items: list[Item]
    currency: str = "EUR"
    note: Optional[str] = None


class Output:
    total: float
