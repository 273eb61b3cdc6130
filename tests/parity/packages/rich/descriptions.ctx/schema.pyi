from typing import Annotated


class Place:
    """Where."""

    city: Annotated[str, "A city, not a country."]
    zip_code: str
    """Five digits.

    As text.
    """


class Output:
    start: Annotated[Place, "Where it begins."]
    end: Place
    via: list[Annotated[Place, "A stop."]]
    """All stops, in order."""
