class Input:
    name: str
