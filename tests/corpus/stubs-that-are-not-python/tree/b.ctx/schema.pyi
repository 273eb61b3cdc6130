class Output:
    x: int


type Names = list[
    str
]
