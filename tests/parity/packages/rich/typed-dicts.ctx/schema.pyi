from typing import NotRequired, Required, TypedDict


class Base(TypedDict):
    zulu: str
    alpha: int


class Partial(TypedDict, total=False):
    maybe: str
    must: Required[int]


class Output(Base, Partial):
    """All three."""

    own: NotRequired[list[str]]
    last: bool
