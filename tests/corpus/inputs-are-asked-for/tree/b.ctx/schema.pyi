from typing import NotRequired, TypedDict


class Input(TypedDict):
    name: str
    note: NotRequired[str]
