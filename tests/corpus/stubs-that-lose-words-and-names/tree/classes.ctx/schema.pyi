from msgspec import Struct


class Output(Struct, frozen=True):
    """The first words are those of the class."""

    """The second are nobody's."""
    text: str
    """Of the text."""
    """And of what?"""
    pass
    """Behind nothing."""
    count: int
    b"bytes"
    __slots__ = ("text",)
    model_config = {}
    plain = 3


class Late:
    ...
    """No docstring."""
