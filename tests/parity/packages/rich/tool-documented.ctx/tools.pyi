from typing import Annotated, Optional


def google_style(city: str, days: int = 3) -> str:
    """Forecast the weather.

    Args:
        city: Where; a city,
            not a country.
        days (int): How many days.

    Returns:
        A text.
    """


def sphinx_style(city: str, unit: Optional[str] = None) -> str:
    """Measure the temperature.

    :param city: Where.
    :param unit: Celsius, unless told.
    """


def annotated(city: Annotated[str, "Where, briefly."]) -> str:
    """Name the river."""
