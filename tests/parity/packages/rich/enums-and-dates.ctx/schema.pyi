from datetime import date, datetime
from enum import Enum, IntEnum
from uuid import UUID


class Level(str, Enum):
    LOW = "low"
    HIGH = "high"


class Rank(IntEnum):
    FIRST = 1
    SECOND = 2


Money = dict[str, float]


class Output:
    level: Level
    rank: Rank = Rank.FIRST
    day: date
    at: datetime | None
    id: UUID
    prices: list[Money]
