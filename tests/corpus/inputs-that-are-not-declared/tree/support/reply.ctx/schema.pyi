class Input:
    customer: str
    tone: str
