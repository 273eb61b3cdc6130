"""JSON for filters, loaded at the first use of one.

In: values, or JSON text. Out: text equal to `json.dumps`'s, or values. Compact text is made by the accelerator that
`json` itself uses: the same bytes, and importing it takes a tenth of the time that `json` (with re) takes.
"""

from .markup import Markup
from .undefined import Undefined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def refuse(value: "Any") -> "Any":
    """Raise json's error for a value that JSON cannot say."""
    raise TypeError(f"Object of type {value.__class__.__name__} is not JSON serializable")


def refuse_undefined(value: "Any") -> "Any":
    """Like `refuse`; an undefined raises its own error, which tells the name."""
    if isinstance(value, Undefined):
        value._fail_with_undefined_error()
    return refuse(value)


def compact(value: "Any", default: "Callable[[Any], Any]", sort_keys: bool, ensure_ascii: bool) -> str:
    """Return `json.dumps(value, default=..., sort_keys=..., ensure_ascii=...)`."""
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder
    except ImportError:  # not every interpreter has the accelerator; the text is the same
        from json import dumps

        return dumps(value, default=default, sort_keys=sort_keys, ensure_ascii=ensure_ascii)
    # A new encoder each time: it keeps the objects being written, and two threads must not see each other's.
    text = encode_basestring_ascii if ensure_ascii else encode_basestring
    return "".join(make_encoder({}, default, text, None, ": ", ", ", sort_keys, False, True)(value, 0))


def tojson(policies: "Mapping[str, Any]", value: "Any", indent: "Any") -> Markup:
    """jinja2's filter: by the policies `json.dumps_function` and `json.dumps_kwargs`, safe inside HTML."""
    dumps = policies["json.dumps_function"]
    options = policies["json.dumps_kwargs"]
    if indent is not None:
        options = {**options, "indent": indent}
    if dumps is None and options == {"sort_keys": True}:
        text = compact(value, refuse, sort_keys=True, ensure_ascii=True)
    else:
        if dumps is None:
            from json import dumps
        text = dumps(value, **options)
    for character, code in ("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("'", "\\u0027"):
        text = text.replace(character, code)
    return Markup(text)


def to_json(value: "Any", indent: "Any") -> str:
    if indent is None:
        return compact(value, refuse_undefined, sort_keys=False, ensure_ascii=False)
    from json import dumps

    return dumps(value, default=refuse_undefined, ensure_ascii=False, indent=indent)


def from_json(value: "Any") -> "Any":
    if isinstance(value, Undefined):
        value._fail_with_undefined_error()
    from json import loads

    return loads(value)
