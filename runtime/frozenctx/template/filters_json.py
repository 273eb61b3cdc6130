"""Filters of JSON. See `filters`.

In: values, or JSON text. Out: text equal to `json.dumps`'s, or values. Compact text is made by the accelerator that
`json` itself uses: the same bytes, and importing it takes a tenth of the time that `json` (with re) takes.
"""

from . import Absent, pass_eval_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from . import Engine
    from .markup import Markup


def refuse(value: "Any") -> "Any":
    """Raise json's error for a value that JSON cannot say."""
    raise TypeError(f"Object of type {value.__class__.__name__} is not JSON serializable")


def refuse_undefined(value: "Any") -> "Any":
    """Like `refuse`; an undefined raises its own error, which tells the name."""
    if isinstance(value, Absent):
        value._fail_with_undefined_error()
    return refuse(value)


_encoders: "dict[tuple[Any, bool, bool], Callable[[Any, int], tuple[str, ...]]]" = {}


def compact(value: "Any", default: "Callable[[Any], Any]", sort_keys: bool, ensure_ascii: bool) -> str:
    """Return `json.dumps(value, default=..., sort_keys=..., ensure_ascii=...)`."""
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


def tojson(environment: "Engine", value: "Any", indent: "Any") -> "Markup":
    """jinja2's filter: by the policies `json.dumps_function` and `json.dumps_kwargs`, safe inside HTML."""
    policies = environment.policies
    dumps = policies["json.dumps_function"]
    options = policies["json.dumps_kwargs"]
    if dumps is None and options == {"sort_keys": True}:
        if indent is None:
            text = compact(value, refuse, sort_keys=True, ensure_ascii=True)
        else:
            text = indented(value, refuse, sort_keys=True, ensure_ascii=True, indent=indent)
    else:
        if dumps is None:
            from json import dumps
        text = dumps(value, **(options if indent is None else {**options, "indent": indent}))
    if "<" in text:
        text = text.replace("<", "\\u003c")
    if ">" in text:
        text = text.replace(">", "\\u003e")
    if "&" in text:
        text = text.replace("&", "\\u0026")
    if "'" in text:
        text = text.replace("'", "\\u0027")
    return str.__new__(environment.Markup, text)


# The filters


@pass_eval_context
def do_tojson(eval_ctx: "Any", value: "Any", indent: int | None = None) -> "Markup":
    return tojson(eval_ctx.environment, value, indent)


def do_to_json(value: "Any", indent: int | str | None = None) -> str:
    """JSON of `value`: mappings in their own order, non-ASCII text as it is. With `indent`, one member a line.

    What JSON cannot say raises TypeError; an undefined, also a nested one, raises UndefinedError.
    """
    if indent is None:
        return compact(value, refuse_undefined, sort_keys=False, ensure_ascii=False)
    return indented(value, refuse_undefined, sort_keys=False, ensure_ascii=False, indent=indent)


def do_from_json(value: "Any") -> "Any":
    """The value that the JSON text `value` stands for; json.JSONDecodeError (a ValueError) when it is not JSON."""
    if isinstance(value, Absent):
        value._fail_with_undefined_error()
    from json import loads

    return loads(value)
