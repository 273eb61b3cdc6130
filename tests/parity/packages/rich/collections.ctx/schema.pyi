from typing import Any, Optional


class Output:
    anything: list[Any]
    unique: set
    unique_anything: set[Any]
    open: dict[str, Any]
    rows: tuple[Any, ...]
    pair: tuple[Any, dict]
    lists: list[list]
    maybe: Optional[list]
    none: tuple[None | int, set[str]]
