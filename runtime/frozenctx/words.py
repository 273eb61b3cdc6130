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

    known = list(known)
    if isinstance(name, str) and (same := twin(name, known)):
        return f"; `{same}` only looks the same: it is {same!a}, and this {name!a}"
    found = get_close_matches(name, known, most) if isinstance(name, str) else []
    return f"; did you mean {' or '.join(f'`{other}`' for other in found)}?" if found else ""


def twin(name: str, known: "Iterable[str]") -> "str | None":
    """The known name that is this one in other characters: `ö` is one, or `o` and a mark. Python's own names are of
    the one kind, those of templates and files are as they were typed."""
    from unicodedata import normalize

    wanted = normalize("NFKC", name)
    return next((other for other in known if other != name and normalize("NFKC", other) == wanted), None)
