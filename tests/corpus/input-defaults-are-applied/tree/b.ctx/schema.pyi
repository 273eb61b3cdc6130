class Input:
    name: str
    tone: str = "warm"
