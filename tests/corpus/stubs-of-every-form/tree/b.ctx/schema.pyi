class Part:
    name: str
    parts: "list[Part]" = []


class Input(Part):
    """Contains itself."""

    parent: "Input | None"


class Output(Input): ...
