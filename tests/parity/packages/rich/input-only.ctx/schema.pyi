class Input:
    question: str
