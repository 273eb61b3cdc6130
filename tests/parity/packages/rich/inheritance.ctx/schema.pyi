class Dated:
    created: str
    updated: str | None = None


class Named:
    name: str


class Output(Named, Dated):
    """A document."""

    pages: int = 1
    name: str
