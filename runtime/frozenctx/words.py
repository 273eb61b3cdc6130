"""Words that several messages share."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def listed(names: "list[str]") -> str:
    """`a`, `b`, `c` and 4 more."""
    shown = ", ".join(f"`{name}`" for name in names[:10])
    return f"{shown} and {len(names) - 10} more" if len(names) > 10 else shown


def near(name: object, known: "Iterable[str]", most: int = 3) -> str:
    """`; did you mean …?` with at most so many of the known names, or nothing."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), most) if isinstance(name, str) else []
    return f"; did you mean {' or '.join(f'`{other}`' for other in found)}?" if found else ""
