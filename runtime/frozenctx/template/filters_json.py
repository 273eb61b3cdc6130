"""Filters of JSON. See the package.

In: values, or JSON text. Out: text equal to `json.dumps`'s, or values. Compact text is made by the accelerator that
`json` itself uses: the same bytes, and importing it takes a tenth of the time that `json` (with re) takes.
"""

from . import Absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def refuse(value: "Any") -> "Any":
    """Raise json's error for a value that JSON cannot say."""
    raise TypeError(f"Object of type {value.__class__.__name__} is not JSON serializable")


def refuse_undefined(value: "Any") -> "Any":
    """Like `refuse`; an undefined raises its own error, which tells the name."""
    if isinstance(value, Absent):
        value._fail_with_undefined_error()
    return refuse(value)


_encoders: "dict[tuple[Any, bool, bool], Callable[[Any, int], tuple[str, ...]]]" = {}


def dumped(
    value: "Any", default: "Callable[[Any], Any]", sort_keys: bool, ensure_ascii: bool, indent: "Any" = None
) -> str:
    """Return `json.dumps(value, default=..., sort_keys=..., ensure_ascii=..., indent=...)`."""
    if indent is not None:
        return indented(value, default, sort_keys, ensure_ascii, indent)
    encode = _encoders.get((default, sort_keys, ensure_ascii))
    try:
        if encode is None:
            from _json import encode_basestring, encode_basestring_ascii, make_encoder

            # Without markers it keeps nothing, so that threads can share it; and it says of a circle only that it is
            # too deep.
            text = encode_basestring_ascii if ensure_ascii else encode_basestring
            encode = make_encoder(None, default, text, None, ": ", ", ", sort_keys, False, True)
            _encoders[default, sort_keys, ensure_ascii] = encode
        return "".join(encode(value, 0))
    except (ImportError, RecursionError):  # not every interpreter has the accelerator; the text is the same
        from json import dumps

        return dumps(value, default=default, sort_keys=sort_keys, ensure_ascii=ensure_ascii)


def indented(*arguments: "Any") -> str:  # noqa: F811 (that is its work)
    """The function of that name in `indented_json`, which takes the place of this one at the first call."""
    global indented
    from . import indented_json

    indented = indented_json.indented
    return indented(*arguments)


def do_to_json(value: "Any", indent: int | str | None = None) -> str:
    """JSON of `value`: mappings in their own order, non-ASCII text as it is. With `indent`, one member a line.

    What JSON cannot say raises TypeError; an undefined, also a nested one, raises UndefinedError.
    """
    return dumped(value, refuse_undefined, False, False, indent)


def do_from_json(value: "Any") -> "Any":
    """The value that the JSON text `value` stands for; json.JSONDecodeError (a ValueError) when it is not JSON."""
    if isinstance(value, Absent):
        value._fail_with_undefined_error()
    from json import loads

    return loads(value)
