class Shared:
    locale: str


class Input(Shared):
    topic: str
    nobody: str
    signature: str
    letter: str
