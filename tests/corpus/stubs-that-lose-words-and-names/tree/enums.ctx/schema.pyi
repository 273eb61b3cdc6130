from enum import Enum, IntEnum, StrEnum


class Kind(StrEnum):
    """Of a thing."""

    _order_ = "USAGE NEWS"
    USAGE = "usage"
    """What was used."""
    NEWS = "news"
    _ignore_ = ["NEWS"]
    __note__ = "not told"
    __secret = "s"
    mro = "m"


class Truth(IntEnum):
    YES = True
    MORE = 2


class Weight(float, Enum):
    LIGHT = 1
    HEAVY = 2.5


class Output:
    kind: Kind
    truth: Truth
    weight: Weight
