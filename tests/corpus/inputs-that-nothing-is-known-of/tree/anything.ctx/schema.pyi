from typing import Any


class Input:
    ticket: Any
    rows: list
    table: dict
    who: Any | None
