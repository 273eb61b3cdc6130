from typing import Literal, TypedDict

__server__ = "crm"

class Node(TypedDict):
    value: float
    children: list["Node"]

def same(node: Node, mode: Literal["fast"] | int | None = None, names: tuple[str, int] = ("a", 1), level: Literal["high", "low"] = "low") -> None:
    """The same, written in another way."""
