from typing import Any


class Output:
    """Every scalar."""

    zed: str
    count: int
    ratio: float
    done: bool
    nothing: None
    whatever: Any
