class Output:
    note: str | None = None
    rank: int = 0
