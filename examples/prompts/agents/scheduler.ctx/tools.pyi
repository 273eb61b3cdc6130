from typing import Literal

__server__ = "calendar"


def free_slots(person: str, day: str, minutes: int = 30, part_of_day: Literal["morning", "afternoon", "any"] = "any") -> list[str]:
    """Free times of one person on one day.

    Parameters
    ----------
    person : str
        E-mail address.
    day : str
        YYYY-MM-DD in that person's time zone.
    minutes : int
        Length of the meeting.
    part_of_day : str
        Narrows the search; times are returned in order.
    """
    ...


def propose(times: list[str], to: list[str], message: str) -> str:
    """Send a proposal of up to three times. Returns the id of the poll."""
    ...
