class Input:
    attempts: int
    limits: dict[str, int]
    name: str
    flag: bool | float
    several: list[str] | int
