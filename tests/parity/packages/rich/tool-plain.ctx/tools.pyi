def search(query: str, limit: int = 10) -> list[str]:
    """Search the web."""


def clock() -> str:
    """What time it is."""
