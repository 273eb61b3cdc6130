from typing import Any, Literal


class Turn:
    author: str
    text: str
    at: str = ...
    internal: bool = False


class Attempt:
    what: str
    result: Literal["no change", "worse", "better", "unknown"]


class Input:
    severity: Literal["S1", "S2", "S3", "S4"]
    customer: str
    turns: list[Turn]
    attempts: list[Attempt]
    environment: dict[str, Any]
    """Client, version, region and whatever else the app sends along."""
    affected: int | None = None
