class Output:
    """Defaults,

        indented; and more.
    """

    a: str
    b: int = 3
    c: str | None = None
    d: bool = False
    e: float = -1.5
    f: list[int] = [1, 2]
    g: dict[str, int] = {"x": 1}
    h: str = ...
    i: str = "ü"
    j: int | None
