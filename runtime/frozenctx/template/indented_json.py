"""JSON over several lines, as `json.dumps` writes it with `indent`, for which json has no accelerator.

In: a value, and json's options. Out: the same text. What is unusual is left to json itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Unusual(Exception):
    """A value, or an indentation, that `indented` leaves to json."""


def indented(value: "Any", default: "Callable[[Any], Any]", sort_keys: bool, ensure_ascii: bool, indent: "Any") -> str:
    """Return `json.dumps(value, …, indent=indent)`, for which json has no accelerator."""
    try:
        if type(indent) is not str and type(indent) is not int:
            raise _Unusual
        from _json import encode_basestring, encode_basestring_ascii

        text = encode_basestring_ascii if ensure_ascii else encode_basestring
        step: str = indent if type(indent) is str else " " * int(indent)
        return _written(value, "\n", step, text, sort_keys)
    except (ImportError, RecursionError, TypeError, _Unusual):
        from json import dumps

        return dumps(value, default=default, sort_keys=sort_keys, ensure_ascii=ensure_ascii, indent=indent)


def _written(value: "Any", newline: str, step: str, text: "Callable[[str], str]", sort_keys: bool) -> str:
    kind = type(value)
    if kind is str:
        return text(value)
    if kind is dict:
        if not value:
            return "{}"
        inner = newline + step
        members = []
        for key, item in sorted(value.items()) if sort_keys else value.items():
            if type(key) is not str:
                raise _Unusual
            written = text(item) if type(item) is str else _written(item, inner, step, text, sort_keys)
            members.append(f"{inner}{text(key)}: {written}")
        return f"{{{','.join(members)}{newline}}}"
    if kind is list or kind is tuple:
        if not value:
            return "[]"
        inner = newline + step
        items = [inner + _written(item, inner, step, text, sort_keys) for item in value]
        return f"[{','.join(items)}{newline}]"
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if kind is int or (kind is float and value - value == 0):  # neither infinite nor no number
        return repr(value)
    raise _Unusual
