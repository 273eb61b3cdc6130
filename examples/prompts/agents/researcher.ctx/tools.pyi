from typing import Annotated, Literal, TypedDict

__server__ = "crm"


class Period(TypedDict):
    start: str
    end: str


def find_account(name: Annotated[str, "Name or web domain, as the person typed it."], limit: int = 5) -> list[dict]:
    """Find accounts by name.

    Matching is fuzzy and ignores legal forms (GmbH, Ltd, 株式会社). An empty list means that there is no account,
    not that the search failed.
    """
    ...


def list_events(account_id: str, kinds: list[Literal["usage", "support", "contract"]], period: Period | None = None) -> list[dict]:
    """List what happened in an account, newest first.

    Args:
        account_id: The id that find_account returned.
        kinds: Which kinds of event to list; at least one.
        period: Both days included, as YYYY-MM-DD. Without it: the last 90 days.
    """
    ...


def read_document(document_id: str, pages: tuple[int, int] | None = None) -> str:
    """Read a contract or an order form as text.

    :param document_id: The id from an event of kind "contract".
    :param pages: First and last page, both included; the whole document if left out.
    """
    ...


def save_notes(account_id: str, notes: list[str]) -> None:
    """Save the notes and end the task. Call it exactly once, as the last step."""
    ...
