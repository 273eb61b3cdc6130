"""Tools of the CRM."""

from datetime import date
from enum import Enum
from typing import Annotated, Literal, NotRequired, TypedDict

__server__ = "crm"

Kind = Literal["usage", "support"]

class Period(TypedDict):
    start: date
    end: NotRequired[date]

class Order(Enum):
    NEWEST = "newest"
    OLDEST = "oldest"

class Folder:
    name: str
    folders: list["Folder"]

def find_account(name: Annotated[str, "As the person typed it."], /, *, limit: int = 5, near: str | None = None) -> list[dict]:
    """Find accounts by name.

    An empty list means that there is no account.

    Raises:
        LookupError: Never.
    """

async def list_events(account_id: str, kinds: list[Kind], period: Period | None = None, order: Order = Order.NEWEST) -> list[dict]:
    """List what happened, newest first.

    Args:
        account_id (str): The id that find_account returned.
        kinds: Which kinds of event to list;
            at least one.

            Others are ignored.
        period: Both days included.

    Returns:
        A list of events.
    """
    ...

def move(source: Folder, target: Folder, position: int = ...) -> None:
    """Move a folder.

    Parameters
    ----------
    source, target : Folder
        A folder with what is in it.
    position : int, optional
        Where it goes.

    Returns
    -------
    None
    """

def read(document_id: str, pages: tuple[int, int] = (1, 3)) -> str:
    """Read a document.

    :param str document_id: The id from an event.
    :param pages: First and last page,
        both included.
    :type pages: tuple[int, int]
    :returns: Its text.
    """

def ping() -> None: ...
