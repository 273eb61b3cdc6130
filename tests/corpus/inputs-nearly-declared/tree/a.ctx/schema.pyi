class Input:
    topic: str
    focus: str | None = None
    tone: str = "warm"
