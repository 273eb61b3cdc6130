"""The pages behind diagnostic codes: `docs/errors/<code>.md`.

A wheel carries them inside this package (`errors/`, put there by pyproject.toml); in a checkout, and so in an
editable installation, they are read where they are written.
"""

from pathlib import Path

_HERE = Path(__file__).parent
_PLACES = (_HERE / "errors", _HERE.parent.parent / "docs" / "errors")


def page(code: str) -> str | None:
    """The page of a registered code as Markdown; None when neither place has it."""
    for place in _PLACES:
        try:
            return (place / f"{code}.md").read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
    return None
