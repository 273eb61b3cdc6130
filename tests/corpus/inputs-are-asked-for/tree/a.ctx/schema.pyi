class Input:
    name: str
    note: str | None
