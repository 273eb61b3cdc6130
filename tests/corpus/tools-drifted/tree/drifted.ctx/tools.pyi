from typing import Literal, TypedDict

__server__ = "crm"

class Period(TypedDict):
    start: str
    end: str

def list_events(account_id: str, kinds: list[Literal["usage", "support"]], period: Period | None = None, limit: int = 20, 言語: str = "日本語") -> list[dict]:
    """List what happened in an account, newest first, and say who did it.

    Args:
        account_id: The id.
    """

def find_account(name: str, exact: bool = False) -> list[dict]:
    """Find accounts by name."""

def gone(x: int) -> None: ...
