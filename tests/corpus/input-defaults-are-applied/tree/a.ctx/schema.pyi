class Input:
    name: str
    tone: str = "warm"
    topics: list[str] = ["rain", "sun"]
    note: str | None = None
    secret: int = ...
