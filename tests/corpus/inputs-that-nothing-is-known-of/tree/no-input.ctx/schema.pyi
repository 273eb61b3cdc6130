class Output:
    text: str
