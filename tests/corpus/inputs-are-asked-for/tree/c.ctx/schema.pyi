class Output:
    x: int
