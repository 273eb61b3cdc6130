"""Python literals that read the same everywhere.

In: constants. Out: ASCII source text, equal on every Python version and for every hash seed (`repr` of recent
characters differs between versions, the order of a set display follows the seed).
"""

from __future__ import annotations

from typing import Any

from markupsafe import Markup


def literal(value: Any) -> str:
    """Return source that evaluates to `value`: a constant of Jinja, or tuples, lists and dicts of such."""
    kind = type(value)
    if kind is str:
        return ascii(value)
    if kind is Markup:
        return f"Markup({ascii(str(value))})"
    if kind is float:
        if value != value or value in (float("inf"), float("-inf")):
            return f"float({str(value)!r})"
        return _signed(repr(value))
    if kind is int and value.bit_length() > 10_000:
        return _signed(hex(value))  # Python refuses to write so many decimal digits
    if value is None or value is Ellipsis or kind in (bool, int, complex):
        return _signed(repr(value))
    if kind is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if kind is list:
        return f"[{', '.join(map(literal, value))}]"
    if kind is dict:
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    raise TypeError(f"no literal for {kind.__name__}")


def _signed(number: str) -> str:
    # `**` binds tighter than a sign: `-2 ** 2` is not what a constant of -2 to the power of two is.
    return f"({number})" if number.startswith("-") else number
