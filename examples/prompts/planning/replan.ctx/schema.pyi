from typing import Literal


class Step:
    id: str
    does: str
    by: str
    needs: list[str] = []
    state: Literal["done", "failed", "running", "waiting"]
    result: str | None = None


class Input:
    goal: str
    steps: list[Step]
    attempt: int = 1
