class Input:
    name: str

class Output:
    text: str
