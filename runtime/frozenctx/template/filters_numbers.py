"""Filters of numbers. See the package."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def do_int(value: "Any", default: "Any" = 0, base: int = 10) -> "Any":
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        # "42.23" is 42.
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
            return default


def do_float(value: "Any", default: "Any" = 0.0) -> "Any":
    try:
        return float(value)
    except (TypeError, ValueError):
        return default


def do_round(value: "Any", precision: int = 0, method: str = "common") -> "Any":
    if method not in {"common", "ceil", "floor"}:
        from ..errors import FilterArgumentError

        raise FilterArgumentError("method must be common, ceil or floor")
    if method == "common":
        return round(value, precision)
    import math

    rounded = math.ceil if method == "ceil" else math.floor
    return rounded(value * (10**precision)) / (10**precision)


def do_filesizeformat(value: "Any", binary: bool = False) -> str:
    size = float(value)
    base = 1024 if binary else 1000
    if size == 1:
        return "1 Byte"
    if size < base:
        return f"{int(size)} Bytes"
    power = 1
    while power < 8 and not size < base ** (power + 1):
        power += 1
    prefix = "KMGTPEZY"[power - 1] + "i" if binary else "kMGTPEZY"[power - 1]
    return f"{base * size / base ** (power + 1):.1f} {prefix}B"
