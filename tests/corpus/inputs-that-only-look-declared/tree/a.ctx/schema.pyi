class Part:
    maß: int
    süß: str


class Input:
    größe: str
    part: Part
