from typing import Literal

__server__ = "crm"


async def find_account(name: str, /, kinds: list[Literal["customer", "lead"]], *, exact: bool = False) -> dict:
    """Find an account.

    More about it, in a second paragraph.
    """
