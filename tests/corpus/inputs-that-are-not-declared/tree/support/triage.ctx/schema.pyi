class Input:
    customer: str
    queue: str
