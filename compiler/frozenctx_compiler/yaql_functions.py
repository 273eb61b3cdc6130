"""Which functions of YAQL settings may call: the table behind docs/expressions.md (CTX-FORMAT §4).

In: the definitions of yaql's standard library. Out: those that are pure and bounded, some with a payload that looks
before it leaps. The invariant is an allowlist: a function that stands in no list here, a new one of a later yaql for
instance, does not exist. Everything that is called is counted besides (`limits`); what stands here is what counting
afterwards would be too late for, and what would give another result elsewhere.
"""

import re
import string
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from .limits import MOST_BITS, Exceeded, Unfit, allow_bits, allow_product, allow_text, allow_values

Payload = Callable[..., Any]

_PURE: Final = {
    "boolean": "and_ or_ not_ bool_ is_boolean",
    "branching": "switch select_case select_all_cases examine switch_case coalesce",
    "collections": (
        "list_ build_list to_list flatten list_indexer dict_ dict__ to_dict dict_keyword_access dict_indexer "
        "dict_indexer_with_default dict_get dict_set dict_set_many dict_set_many_inline dict_keys dict_values "
        "dict_items in_ contains contains_key contains_value combine_lists list_by_int int_by_list combine_dicts "
        "is_dict is_list is_set dict_len sequence_len set_len delete delete_keys delete_keys_seq iter_insert "
        "list_insert replace replace_many insert_many"
    ),
    "common": (
        "eq neq left_lt_null left_lte_null left_gt_null left_gte_null null_lt_right null_lte_right null_gt_right "
        "null_gte_right null_lt_null null_lte_null null_gt_null null_gte_null"
    ),
    "date_time": (
        "build_datetime datetime_from_timestamp datetime_from_string build_timespan utctz datetime_plus_timespan "
        "timespan_plus_datetime datetime_minus_timespan datetime_minus_datetime timespan_plus_timespan "
        "timespan_minus_timespan datetime_gt_datetime datetime_gte_datetime datetime_lt_datetime "
        "datetime_lte_datetime timespan_gt_timespan timespan_gte_timespan timespan_lt_timespan "
        "timespan_lte_timespan timespan_by_num num_by_timespan div_timespans div_timespan_by_num negative_timespan "
        "positive_timespan replace format_ is_datetime is_timespan"
    ),
    "math": (
        "binary_plus binary_minus multiplication division modulo unary_plus unary_minus abs_ gt gte lt lte int_ "
        "float_ bitwise_and bitwise_or bitwise_not bitwise_xor shift_bits_left shift_bits_right max_ min_ pow_ sign "
        "round_ is_integer is_number"
    ),
    "queries": (
        "where select collection_attribution limit skip append distinct enumerate_ any_ all_ concat count_ count "
        "memorize sum_ min_ max_ first single last select_many range_ range__ order_by order_by_descending then_by "
        "then_by_descending group_by_function.<locals>.group_by join zip_ zip_longest repeat cycle take_while "
        "skip_while index_of last_index_of index_where last_index_where slice_ split_where slice_where split_at "
        "aggregate accumulate reverse merge_with is_iterable sequence generate generate_many default_if_empty"
    ),
    "strings": (
        "gt lt gte lte len_ to_lower to_upper split right_split join join_ str_ concat trim trim_left trim_right "
        "replace replace_with_dict format_ is_empty string_by_int int_by_string substring index_of index_of_ "
        "last_index_of last_index_of_ to_char_array is_string norm in_ starts_with ends_with hex_"
    ),
    "system": (
        "get_context_data op_dot unpack with_ send_context let def_ elvis_operator assert__ call_func call lambda_ "
        "get_property"
    ),
    "property": (
        "date day days hour hours microsecond microseconds milliseconds minute minutes month offset second seconds "
        "time timestamp utc weekday year"
    ),
}
_KEYS: Final = frozenset(f"{module}.{name}" for module, names in _PURE.items() for name in names.split())

_CLOCK = "it reads the clock of the machine"
_CHANCE = "it gives another result each time"
_SET = "the order of a set changes from run to run"
_REGEX = "how long a regular expression takes is not known before it ends"

REFUSED: Final[Mapping[str, str]] = {  # name → why; of these, yaql has nothing that is allowed under the same name
    "now": _CLOCK,
    "localtz": "it reads the time zone of the machine",
    "random": _CHANCE,
    "characters": _SET,
    "toSet": _SET,
    "union": _SET,
    "intersect": _SET,
    "difference": _SET,
    "symmetricDifference": _SET,
    "add": _SET,
    "remove": _SET,
    "regex": _REGEX,
    "matches": _REGEX,
    "search": _REGEX,
    "searchAll": _REGEX,
    "replaceBy": _REGEX,
    "escapeRegex": _REGEX,
    "isRegex": _REGEX,
}
REFUSED_FUNCTIONS: Final[Mapping[str, str]] = {"set": _SET}  # as functions; as methods there are allowed ones
REFUSED_OPERATORS: Final[Mapping[str, str]] = {"=~": _REGEX, "!~": _REGEX}
INSTEAD: Final[Mapping[str, str]] = {
    "now": "give the time by name, with `--env`",
    "localtz": "give the offset by name, with `--env`",
    "random": "give the number by name, with `--env`",
    "characters": "write the characters out",
    "toSet": "use `.distinct()`, which keeps the order",
    "set": "use `.distinct()`, which keeps the order",
    "union": "write `(a + b).distinct()`",
    "intersect": "write `a.where($ in b)` with the second list under a name",
    "difference": "write `a.where(not $ in b)` with the second list under a name",
    "symmetricDifference": "write it with `.where(…)` and `in`",
    "add": "use `.append(…)`",
    "remove": "use `.where($ != …)`",
}
_TEXTUAL = "compare with `=`, `in`, `.startsWith(…)`, `.endsWith(…)`, `.indexOf(…)`"
DEFAULT_INSTEAD: Final = _TEXTUAL


def key_of(name: str, spec: Any) -> str:
    """The row of the table that a definition of yaql belongs to."""
    if name.startswith("#property#"):
        return f"property.{name.removeprefix('#property#')}"
    return f"{spec.payload.__module__.rpartition('.')[2]}.{spec.payload.__qualname__}"


def overload(name: str, spec: Any) -> Any:
    """The definition under `name` that settings get for one of yaql's, None for a refused one."""
    key = key_of(name, spec)
    if key not in _KEYS:
        return None
    definition = spec.clone()
    definition.name = name
    guard = GUARDS.get(key)
    if guard is not None:
        definition.payload = guard(definition.payload)
    return definition


# -- payloads that look before they leap ---------------------------------------------------------------------------


def _text_by_number(payload: Payload) -> Payload:
    def guarded(left: Any, right: Any, engine: Any) -> Any:
        text, count = (left, right) if isinstance(left, str) else (right, left)
        allow_text(len(text) * max(count, 0))
        return text * count

    return guarded


def _list_by_number(payload: Payload) -> Payload:
    def guarded(left: Any, right: Any, engine: Any) -> Any:
        items, count = (right, left) if isinstance(left, int) else (left, right)
        allow_values(len(items) * max(count, 0))
        return tuple(items) * count

    return guarded


_MOST_MODULAR_BITS = 512


def _pow(payload: Payload) -> Payload:
    def guarded(a: Any, b: Any, c: Any = None) -> Any:
        if c is not None:
            if max(part.bit_length() for part in (a, b, c) if isinstance(part, int)) > _MOST_MODULAR_BITS:
                raise Exceeded(f"it raises to a power integers of more than {_MOST_MODULAR_BITS} bits")
        elif isinstance(a, int) and isinstance(b, int) and abs(a) > 1:
            allow_bits(a.bit_length() * max(b, 0) // 2 if b > MOST_BITS * 2 else (a.bit_length() - 1) * max(b, 0))
        result = payload(a, b, c)
        if isinstance(result, complex):
            raise Unfit("a root of a negative number is no number here")
        return result

    return guarded


def _shift_left(payload: Payload) -> Payload:
    def guarded(value: Any, bits_number: Any) -> Any:
        if value:
            allow_bits(value.bit_length() + bits_number)
            return payload(value, bits_number)
        return 0

    return guarded


_MOST_DIGITS = 400  # far more than settings can hold, and less than any interpreter refuses


def _int(payload: Payload) -> Payload:
    def guarded(value: Any) -> Any:
        if isinstance(value, str) and len(value) > 2 * _MOST_DIGITS:
            raise Unfit("the text has too many digits")
        return payload(value)

    return guarded


def _round(payload: Payload) -> Payload:
    def guarded(number: Any, ndigits: Any = 0) -> Any:
        return payload(number, max(-_MOST_DIGITS, min(ndigits, _MOST_DIGITS)))

    return guarded


_WRITABLE = (str, int, float, bool, type(None), datetime, timedelta)


def _writable(value: Any) -> bool:
    """Whether the text of a value says what it is; that of an iterator or a function is its address in memory."""
    if type(value) in (tuple, list):
        return all(_writable(item) for item in value)
    if type(value) is dict or type(value).__name__ == "FrozenDict":
        return all(_writable(key) and _writable(item) for key, item in value.items())
    return isinstance(value, _WRITABLE)


def _str(payload: Payload) -> Payload:
    def guarded(value: Any) -> Any:
        if not _writable(value):
            raise Unfit("it takes values and lists of them; of an iterator, make a list with `.toList()`")
        return payload(value)

    return guarded


def _concat(payload: Payload) -> Payload:
    def guarded(*args: str) -> str:
        allow_text(sum(map(len, args)))
        return "".join(args)

    return guarded


def _joined(separator: str, sequence: Iterable[Any], text: Callable[[Any], str]) -> str:
    parts: list[str] = []
    length = 0
    for item in sequence:
        parts.append(text(item))
        length += len(parts[-1]) + len(separator)
        allow_text(length - len(separator))
    return separator.join(parts)


def _join(payload: Payload) -> Payload:
    def guarded(sequence: Any, separator: str, str_delegate: Any) -> str:
        return _joined(separator, sequence, str_delegate)

    return guarded


def _join_by(payload: Payload) -> Payload:
    def guarded(separator: str, sequence: Any, str_delegate: Any) -> str:
        return _joined(separator, sequence, str_delegate)

    return guarded


def _replaced(text: str, old: str, new: str, count: int) -> str:
    found = text.count(old)
    found = found if count < 0 else min(found, count)
    allow_text(len(text) + found * (len(new) - len(old)))
    return text.replace(old, new, count)


def _replace(payload: Payload) -> Payload:
    def guarded(string: str, old: str, new: str, count: int = -1) -> str:
        return _replaced(string, old, new, count)

    return guarded


def _replace_many(payload: Payload) -> Payload:
    def guarded(string: str, str_func: Any, replacements: Any, count: int = -1) -> str:
        for old, new in replacements.items():
            string = _replaced(string, str_func(old), str_func(new), count)
        return string

    return guarded


_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?(?P<width>[0-9]{0,4})[,_]?(?:\.[0-9]{1,3})?[bcdeEfFgGosxX%]?\Z", re.DOTALL)
_MOST_WIDTH = 1000


def _format(payload: Payload) -> Payload:
    """`{}`, `{0}`, `{name}` with a format that pads and rounds; attributes, items and `!r` would lead into Python."""

    def guarded(__format_string: str, *args: Any, **kwargs: Any) -> str:
        length = 0
        for text, field, spec, conversion in string.Formatter().parse(__format_string):
            length += len(text)
            if field is None:
                continue
            wide = _SPEC.match(spec or "")
            if not (field == "" or field.isdecimal() or field.isidentifier()) or conversion or wide is None:
                raise Unfit("a field is a number or a name with a width, `{0}`, `{name:>5}`, and nothing more")
            if int(wide["width"] or 0) > _MOST_WIDTH:
                raise Exceeded(f"it pads a text to more than {_MOST_WIDTH:,} characters")
            length += _MOST_WIDTH
        for value in (*args, *kwargs.values()):
            if type(value) not in (str, int, float, bool, type(None)):
                raise Unfit("it takes texts, numbers, booleans and null")
            length += len(value) if type(value) is str else 0
        allow_text(length)
        try:
            result = __format_string.format(*args, **kwargs)
        except (IndexError, KeyError):
            raise Unfit("a field has no value") from None
        if any("\ud800" <= char <= "\udfff" for char in result):  # of `{:c}`
            raise Unfit("half of a surrogate pair is no character")
        return result

    return guarded


def _stripped(payload: Payload) -> Payload:
    def guarded(string: Any, *rest: Any, **named: Any) -> Any:
        chars = named.get("chars", rest[-1] if rest else None)
        if string is not None and isinstance(chars, str):
            allow_product(len(string), len(chars))
        return payload(string, *rest, **named)

    return guarded


def _searched(payload: Payload) -> Payload:
    def guarded(string: str, sub: Any, *rest: Any, **named: Any) -> Any:
        if sub is not None:
            allow_product(len(string), len(sub))
        return payload(string, sub, *rest, **named)

    return guarded


_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?\Z", re.ASCII
)
_DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)
_SAME_EVERYWHERE = frozenset("YmdHMSfjz%")


def _datetime(payload: Payload) -> Payload:
    """Dates as ISO 8601 writes them: the parser behind it would fill up with today, and reads names of zones."""

    def guarded(string: str, format__: str | None = None) -> Any:
        if format__:
            _look_at_format(format__)
        elif not _ISO.match(string):
            raise Unfit("a date is written `2024-12-31`, `2024-12-31T23:59:59Z` or `…+01:00`")
        return payload(string, format__)

    return guarded


def _date_format(payload: Payload) -> Payload:
    def guarded(dt: Any, format__: str) -> Any:
        _look_at_format(format__)
        if dt.year < 1000:
            raise Unfit("the year has less than four digits")
        return payload(dt, format__)

    return guarded


def _look_at_format(text: str) -> None:
    if len(text) > 1000 or any(found not in _SAME_EVERYWHERE for found in _DIRECTIVE.findall(text)):
        raise Unfit("a format has `%Y %m %d %H %M %S %f %j %z` only; the others depend on the language of the machine")


class Names(Mapping[str, Any]):
    """A mapping that wants to know whether `.get` came with a default, and works it out if it must: `$env`."""

    def asked(self, key: object, default: Callable[[], Any] | None = None) -> Any:
        raise NotImplementedError


def _get(payload: Payload) -> Payload:
    def guarded(d: Any, key: Any, default: Callable[[], Any] | None = None) -> Any:
        if isinstance(d, Names):
            return d.asked(key, default)
        return d.get(key, None if default is None else default())

    return guarded


GUARDS: Final[Mapping[str, Callable[[Payload], Payload]]] = {
    "collections.dict_get": _get,
    "collections.list_by_int": _list_by_number,
    "collections.int_by_list": _list_by_number,
    "date_time.datetime_from_string": _datetime,
    "date_time.format_": _date_format,
    "math.int_": _int,
    "math.pow_": _pow,
    "math.round_": _round,
    "math.shift_bits_left": _shift_left,
    "strings.concat": _concat,
    "strings.format_": _format,
    "strings.int_by_string": _text_by_number,
    "strings.string_by_int": _text_by_number,
    "strings.is_empty": _stripped,
    "strings.norm": _stripped,
    "strings.trim": _stripped,
    "strings.trim_left": _stripped,
    "strings.trim_right": _stripped,
    "strings.join": _join,
    "strings.join_": _join_by,
    "strings.last_index_of": _searched,
    "strings.last_index_of_": _searched,
    "strings.right_split": _searched,
    "strings.replace": _replace,
    "strings.replace_with_dict": _replace_many,
    "strings.str_": _str,
}
