"""Caps on what values can make a template do, for programs that were built with limits.

In: values, on their way to where they could cost more than the template's own size: an iteration, a repetition, a
text. Out: the same values, counted on the meter of the rendering that runs now; `LimitExceeded` when it has run out,
before the work is done. What is counted how is written in docs/limits.md. Invariant: while no cap is reached, texts
and exceptions are those of programs without limits.
"""

from _collections import deque  # type: ignore[import-not-found]
from _contextvars import ContextVar
from _operator import index, length_hint

from . import Absent, Engine, Names, loops, soft_str
from .context import call as plain_call
from .engine_rest import str_join
from .filters_grouping import attribute_getter
from .globals import generate_lorem_ipsum
from .markup import Markup, escape, markup_join
from .namespace import Namespace, attributes_of
from .sharing import FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from .context import Context

    Count = Callable[[Any, list[Any], dict[str, Any]], None]

_ENDLESS = float("inf")


class Meter:
    """What one rendering has used. `max_steps`, `max_output`: the caps; None is no cap."""

    __slots__ = ("max_steps", "max_output", "steps", "output", "_before")

    def __init__(self, max_steps: "int | None" = None, max_output: "int | None" = None) -> None:
        self.max_steps = _ENDLESS if max_steps is None else max_steps
        self.max_output = _ENDLESS if max_output is None else max_output
        self.steps = self.output = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > self.max_steps:
            self._exceeded("max_steps", "steps")

    def spend(self, count: int) -> None:
        self.output += count
        if self.output > self.max_output:
            self._exceeded("max_output", "characters of text")

    def _exceeded(self, limit: str, unit: str) -> None:
        from ..errors import LimitExceeded

        raise LimitExceeded(limit, getattr(self, limit), unit)

    def __enter__(self) -> "Meter":
        capped = self.max_steps is not _ENDLESS or self.max_output is not _ENDLESS
        self._before = _meter.set(self if capped else None)
        return self

    def __exit__(self, *_: object) -> None:
        _meter.reset(self._before)


# Of the rendering that runs now: each has its own, whichever thread or task it runs in.
_meter: "ContextVar[Meter | None]" = ContextVar("frozenctx_meter", default=None)


def step(count: int = 1) -> None:
    meter = _meter.get()
    if meter is not None:
        meter.step(count)


def spend(count: int) -> None:
    meter = _meter.get()
    if meter is not None:
        meter.spend(count)


# What programs emit


class Buffer(list["Any"]):
    """Where a function of a program collects its text. Making one is a step: a template, block or macro begins."""

    __slots__ = ("_spend",)

    def __init__(self) -> None:
        meter = _meter.get()
        self._spend = None if meter is None else meter.spend
        if meter is not None:
            meter.step()

    def append(self, text: str) -> None:
        if self._spend is not None:
            # What a filter or call block gives may be no text, which is found out where the pieces are joined.
            self._spend(str.__len__(text) if issubclass(type(text), str) else 0)
        list.append(self, text)

    def extend(self, texts: "Iterable[Any]") -> None:
        for text in texts:
            spend(str.__len__(text) if issubclass(type(text), str) else 0)
            list.append(self, text)


class Counted:
    """An iterator for which each item is a step. `deep`: and so is everything inside of an item."""

    __slots__ = ("_iterator", "_deep")

    def __init__(self, iterator: "Iterator[Any]", deep: bool = False) -> None:
        self._iterator = iterator
        self._deep = deep

    def __iter__(self) -> "Counted":
        return self

    def __next__(self) -> "Any":
        item = next(self._iterator)
        step()
        return printed(item) if self._deep else item


def counted(iterable: "Iterable[Any]") -> Counted:
    """Return what a loop iterates over."""
    return Counted(iter(iterable))


class LoopContext(loops.LoopContext):
    __slots__ = ()

    def __init__(self, *args: "Any") -> None:
        super().__init__(*args)
        self._iterator = Counted(self._iterator)


def counting_test(passes: "Callable[[Any], Any]") -> "Callable[[Any], Any]":
    """Return the generator of `for … if …` as one for which what it lets pass or not is a step."""
    return lambda items: passes(counted(items))


# What is printed, compared and searched

_TEXTS = (str, bytes, bytearray)
_SEQUENCES = (*_TEXTS, list, tuple)

_VIEWS: "tuple[type, ...]" = (type({}.keys()), type({}.values()), type({}.items()))
_CONTAINERS = (dict, list, tuple, set, frozenset, deque, Namespace, type(type.__dict__), *_VIEWS)
_SETS = frozenset([set, frozenset, _VIEWS[0], _VIEWS[2]])
_PLAIN = frozenset([str, Markup, int, float, bool, type(None)])
_SIZED = frozenset([str, Markup, bytes, range, dict, list, tuple, set, frozenset, *_VIEWS])


def _size(value: "Any") -> int:
    """Return the length of a sequence of Python's own, whatever a subclass says it is."""
    kind: Any = next(kind for kind in _SEQUENCES if issubclass(type(value), kind))
    return kind.__len__(value)  # type: ignore[no-any-return]


def _inside(value: "Any", asked: bool) -> "Iterable[Any]":
    """Return what a container holds, as Python's own code finds it; `asked`: as a subclass of dict says."""
    if issubclass(type(value), dict):
        if asked and type(value).items is not dict.items:
            return value.items()  # type: ignore[no-any-return]
        return [*dict.keys(value), *dict.values(value)]
    kinds: Any = (list, tuple, set, frozenset, deque)
    for kind in kinds:
        if issubclass(type(value), kind):
            return kind.__iter__(value)  # type: ignore[no-any-return]
    return (attributes_of(value) or {}).values() if type(value) is Namespace else value


def _weight(value: "Any") -> int:
    """The steps that it takes to compare or hash a text or number: one for 4,096 bytes."""
    if issubclass(type(value), str):
        return str.__len__(value) >> 12
    return int.bit_length(value) >> 15 if issubclass(type(value), int) else 0


def weigh(value: "Any", texts: bool, indent: int = 0, asked: bool = False) -> None:
    """Count everything inside of a container as a step, as often as it occurs; with `texts`, its texts as output."""
    meter = _meter.get() or Meter()
    on_the_way = {id(value): iter(_inside(value, asked))}
    while on_the_way:
        for item in next(reversed(on_the_way.values())):
            meter.step(1 + _weight(item))
            kind = type(item)
            if texts and (indent or issubclass(kind, str)):
                meter.spend(indent * len(on_the_way) + _long(item))
            if kind not in _PLAIN and issubclass(kind, _CONTAINERS) and id(item) not in on_the_way:
                on_the_way[id(item)] = iter(_inside(item, asked))
                break
        else:
            on_the_way.popitem()


def weighed(value: "Any") -> "Any":
    """Return an operand of a comparison, or a key."""
    weight = _weight(value)
    if weight:
        step(weight)
    elif type(value) not in _PLAIN and issubclass(type(value), _CONTAINERS) and _meter.get() is not None:
        weigh(value, False)
    return value


def shown(value: "Any") -> "Any":
    """Return what a template writes: the text of it counts when it is there."""
    if type(value) not in _PLAIN and issubclass(type(value), _CONTAINERS) and _meter.get() is not None:
        weigh(value, True)
    return value


def printed(value: "Any") -> "Any":
    """Return what becomes a part of a text."""
    if issubclass(type(value), str):
        spend(str.__len__(value))
        return value
    return shown(value)


def made(value: "Any") -> "Any":
    """Return what was just made: a text counts as output, and so do the digits of a large number; a container's items
    count as steps."""
    if issubclass(type(value), _TEXTS):
        spend(_size(value))
    elif issubclass(type(value), int):
        spend(_bits(value) // 4)
    elif type(value) in _SIZED:
        step(len(value))
    return value


class Searched(str):
    """A text right of `in`, which counts what it may take to find another one in it."""

    __slots__ = ()

    def __contains__(self, part: "Any") -> bool:
        step(len(self) * _long(part) >> 14)
        return str.__contains__(self, part)


class Taken:
    """A value whose items are taken by code of Python or of a filter, as steps."""

    __slots__ = ("_value", "_deep")

    def __init__(self, value: "Any", deep: bool) -> None:
        self._value = value
        self._deep = deep

    def __iter__(self) -> Counted:
        return Counted(iter(self._value), self._deep)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __length_hint__(self) -> int:
        length_hint(self._value)  # for what it raises; what it says need not be true
        return 0


class TakenMapping(Taken):
    __slots__ = ()

    def keys(self) -> Counted:
        return Counted(iter(self._value.keys()), self._deep)

    def items(self) -> Counted:
        return Counted(iter(self._value.items()), self._deep)

    def __getitem__(self, key: "Any") -> "Any":
        return self._value[key]


def taken(value: "Any", deep: bool = False) -> "Any":
    """Return what Python or a filter iterates over to the end."""
    kind = type(value)
    if _meter.get() is None or issubclass(kind, Absent):
        return value
    if kind in _SIZED:
        step(len(value))
        return printed(value) if deep else value
    return Taken(value, deep) if hasattr(kind, "__iter__") or hasattr(kind, "__getitem__") else value


def taken_mapping(value: "Any", deep: bool = False) -> "Any":
    """The same for what may be asked for `keys` or `items`."""
    return TakenMapping(value, deep) if type(value) is not dict and hasattr(value, "keys") else taken(value, deep)


def spread(value: "Any") -> "Any":
    """Return what stands behind `**`."""
    if type(value) is dict:
        return made(value)
    try:
        return TakenMapping(value, False) if hasattr(value, "keys") else value
    except Exception:  # `**` asks once more, and says best what is wrong
        return value


def searched(value: "Any") -> "Any":
    """Return the right side of `in`."""
    if type(value) in (str, Markup):
        step(len(value) >> 12)
        return Searched(value) if len(value) > 63 and _meter.get() is not None else value
    if hasattr(type(value), "__contains__"):
        return weighed(value) if type(value) is not range else taken(value)
    try:
        return counted(value)
    except TypeError:  # no iterator, which `in` says best
        return value


# Operators

def _bits(number: int) -> int:
    """The size of a number, nothing for those of everyday."""
    bits = int.bit_length(number)
    return bits if bits > 256 else 0


def _repeated(sequence: "Any", times: "Any") -> "Any":
    kind = type(times)
    if not hasattr(kind, "__index__") or (hasattr(kind, "__rmul__") and not issubclass(type(times), int)):
        return times
    times = index(times)
    (spend if issubclass(type(sequence), _TEXTS) else step)(_size(sequence) * max(0, times))
    return times


def multiply(left: "Any", right: "Any") -> "Any":
    if issubclass(type(left), _SEQUENCES):
        right = _repeated(left, right)
    elif issubclass(type(right), _SEQUENCES):
        left = _repeated(right, left)
    elif issubclass(type(left), int) and issubclass(type(right), int):
        spend((_bits(left) + _bits(right)) // 4)
    return left * right


def power(left: "Any", right: "Any") -> "Any":
    if issubclass(type(left), int) and issubclass(type(right), int) and right > 0:
        spend(int.bit_length(left) * int(right) // 4)
    return left**right


def _divided(left: "Any", right: "Any") -> None:
    if issubclass(type(left), int) and issubclass(type(right), int):
        step(_weight(left) + (_bits(left) * _bits(right) >> 20))


def divide(left: "Any", right: "Any") -> "Any":
    _divided(left, right)
    return made(left // right)


def quotient(left: "Any", right: "Any") -> "Any":
    step(_weight(left) + _weight(right))
    return left / right


def negate(value: "Any") -> "Any":
    return made(-value)


def subtract(left: "Any", right: "Any") -> "Any":
    if type(left) in _SETS or type(right) in _SETS:
        view = type(left) in _VIEWS or type(right) in _VIEWS  # takes what is no set, too
        left, right = [_subtracted(value, view) for value in (left, right)]
    return made(left - right)


def _subtracted(value: "Any", view: bool) -> "Any":
    if type(value) in _SIZED or not view or hasattr(type(value), "__sub__"):
        return weighed(value)
    return taken(value)


def modulo(left: "Any", right: "Any") -> "Any":
    if issubclass(type(left), _TEXTS):
        return made(left % percent(left, right))
    _divided(left, right)
    return made(left % right)


def add(left: "Any", right: "Any") -> "Any":
    return made(left + right)


def join_texts(values: "Iterable[Any]") -> str:
    return str_join([printed(value) for value in values])


def join_markup(values: "Iterable[Any]") -> str:
    return markup_join([printed(value) for value in values])


# Formats


def _numbers(text: str) -> int:
    """The sum of the numbers in a text: no width or precision that it asks for is larger."""
    digits = "".join([letter if letter.isdecimal() else " " for letter in text]).split()
    return sum([int(number) if len(number) < 19 else 10**19 for number in digits])


class Asked:
    """A mapping whose values become parts of a text, each as often as it is asked for."""

    __slots__ = ("_mapping", "_use")

    def __init__(self, mapping: "Any", use: "Callable[[Any], Any]") -> None:
        self._mapping = mapping
        self._use = use

    def __getitem__(self, key: "Any") -> "Any":
        return self._use(self._mapping[key])

    def __str__(self) -> str:
        return str(printed(self._mapping))

    def __repr__(self) -> str:
        return repr(printed(self._mapping))


def percent(text: "Any", argument: "Any") -> "Any":
    """Count what `text % argument` makes; return the argument."""
    if _meter.get() is None:
        return argument
    letters = text.decode("latin-1") if issubclass(type(text), (bytes, bytearray)) else str.__str__(text)
    for part in letters.split("%")[1:]:
        if part[:1] == "(":
            part = part.partition(")")[2]
        spend(_numbers(part[: len(part) - len(part.lstrip("0123456789.#+- "))]))
    values = argument if issubclass(type(argument), tuple) else (argument,)
    if "%(" in letters and hasattr(type(argument), "__getitem__") and not issubclass(type(argument), (str, tuple)):
        return Asked(argument, printed)
    for value in values:
        printed(value)
        if "*" in letters and issubclass(type(value), int):
            spend(abs(int(value)))
    return argument


class Field:
    """An argument of `format`, which counts what a replacement field makes of it."""

    __slots__ = ("_field",)

    def __init__(self, value: "Any") -> None:
        self._field = value

    def __getattribute__(self, name: str) -> "Field":
        return Field(getattr(_value(self), name))

    def __getitem__(self, key: "Any") -> "Field":
        return Field(_value(self)[key])

    def __format__(self, spec: str) -> str:
        spend(_numbers(spec))
        return made(format(printed(_value(self)), spec))  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return FieldText(str(printed(_value(self))))

    def __repr__(self) -> str:
        return FieldText(repr(printed(_value(self))))


class FieldText(str):
    __slots__ = ()

    def __format__(self, spec: str) -> str:
        spend(_numbers(spec))
        return made(str.__format__(self, spec))  # type: ignore[no-any-return]


_value: "Callable[[Field], Any]" = Field.__dict__["_field"].__get__


def formatted(method: "Any", args: "tuple[Any, ...]", kwargs: "Mapping[str, Any]") -> "Any":
    """Call `format` or `format_map` (see `guard`)."""
    if _meter.get() is None:
        return method(*args, **kwargs)
    text: Any = getattr(method, "__self__", None)
    before: tuple[Any, ...] = ()
    if not issubclass(type(text), str):
        before, args = args[:1], args[1:]
        text = before[0] if before else None
    mapped = method.__name__ == "format_map"
    known = type(method) in _BUILTIN or type(text) is Markup
    if not known or not issubclass(type(text), str) or (mapped and (len(args) != 1 or kwargs)):
        return method(*before, *args, **kwargs)
    from _string import formatter_parser  # type: ignore[import-not-found]

    try:
        for _literal, _name, spec, _conversion in formatter_parser(str.__str__(text)):
            spend(_numbers(spec or ""))
    except ValueError:
        pass  # what is before the mistake has been counted, and the rest is not reached
    if type(text) is Markup:
        from .formatters import EscapeFormatter

        if mapped:
            (kwargs,), args = args, ()
        return made(Markup(counting(EscapeFormatter)(text.escape).vformat(text, args, kwargs)))
    if mapped:
        return made(method(*before, Asked(args[0], Field)))
    return made(method(*before, *map(Field, args), **{name: Field(value) for name, value in kwargs.items()}))


def counting(x: "Any") -> "Any":
    """Return a x written in Python as a class that counts."""

    class Counting(x):  # type: ignore[misc]
        def convert_field(self, value: "Any", conversion: "Any") -> "Any":
            return super().convert_field(printed(value), conversion)

        def format_field(self, value: "Any", format_spec: str) -> str:
            spend(_numbers(format_spec))
            return made(super().format_field(printed(value), format_spec))  # type: ignore[no-any-return]

    return Counting


# Calls

_BUILTIN = (type(len), type(str.center))
_METHOD = type(Meter().step)
_OF_SETS = frozenset(
    ["difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union"]
    + ["difference_update", "intersection_update", "symmetric_difference_update"]
)
_ITERATING = _OF_SETS | {"extend", "fromkeys", "update"}
_WHOLE = _OF_SETS | {"copy", "count", "index", "remove", "reverse", "sort"}  # go through what they belong to


def call(context: "Context", f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
    """Call what a template calls."""
    builtin = text = False
    if _meter.get() is not None:
        if type(f) in _BUILTIN or (type(f) is _METHOD and type(getattr(f, "__self__", None)) is Markup):
            owner, before = getattr(f, "__self__", None), args[:0]
            if type(f) is _BUILTIN[1] and args:
                owner, before, args = args[0], args[:1], args[1:]
            if issubclass(type(owner), str) and f.__name__ in ("format", "format_map"):
                return formatted(f, (*before, *args), kwargs)
            builtin, text = True, issubclass(type(owner), _TEXTS)
            if f.__name__ == "sort" and "key" in kwargs:
                kwargs["key"] = _key(context, kwargs["key"])
            args = (*before, *_of_method(owner, f.__name__, args, kwargs))
        else:
            args = _of_function(f, args, kwargs)
    if "_loop_vars" in kwargs or "_block_vars" in kwargs:
        result = context.call(f, *args, **kwargs)
    else:
        result = plain_call(context, f, *args, **kwargs)
    if text and type(result) in (list, tuple):
        return shown(result)
    return made(result) if text or (builtin and type(result) is int) else result


def _key(context: "Context", f: "Any") -> "Any":
    """Return what `sort` calls for each item, which `f` may not count by itself."""
    if type(f) not in (*_BUILTIN, *FUNCTIONS, type) or hasattr(f, "jinja_pass_arg"):
        return f
    return lambda item: call(context, f, item)


def _index(value: "Any") -> int:
    return max(0, int(index(value))) if hasattr(type(value), "__index__") else 0


def _of_function(f: "Any", args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "tuple[Any, ...]":
    """Count what a function of the language is asked for; return the arguments."""
    if f is range and all(hasattr(type(arg), "__index__") for arg in args) and 0 < len(args) < 4 and not kwargs:
        numbers = tuple([index(arg) for arg in args])
        spread = range(*numbers)
        count = max(0, (spread.stop - spread.start) // spread.step)
        step(count)
        spend(max(map(_bits, numbers)) * count // 4)
        return numbers
    if f is dict or f is Namespace:
        return tuple([taken_mapping(arg) for arg in args])
    if f is generate_lorem_ipsum:
        words = _index(_argument(args, kwargs, 0, "n", 5)) * _index(_argument(args, kwargs, 3, "max", 100))
        step(words)
        spend(16 * words)
    elif type(f) is _METHOD and isinstance(getattr(f, "__self__", None), loops.LoopContext):
        weighed(args)  # `changed` compares them
    return args


def _of_method(owner: "Any", name: str, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "tuple[Any, ...]":
    """Count what a method of a built-in type is asked for; return the arguments."""
    if name in _WHOLE:
        (taken if type(owner) is range else weighed)(owner)
    if name in _ITERATING:
        return tuple([taken_mapping(arg) for arg in args])
    first: Any = args[0] if args else None
    if issubclass(type(owner), _TEXTS):
        size = _size(owner)
        step((size >> 12) + sum([size * _size(arg) >> 14 for arg in args if issubclass(type(arg), _TEXTS)]))
        if name in ("center", "ljust", "rjust", "zfill") and hasattr(type(first), "__index__"):
            first = index(first)
            spend(max(0, first))
            return (first, *args[1:])
        if name == "expandtabs":
            tab: Any = "\t" if issubclass(type(owner), str) else b"\t"
            spend(owner.count(tab) * _index(_argument(args, kwargs, 0, "tabsize", 8)))
        elif name == "replace" and len(args) > 1 and all(issubclass(type(arg), _TEXTS) for arg in args[:2]):
            spend((size + 1 if not _size(first) else size // _size(first)) * _size(args[1]))
        elif name == "join" and args:
            return (separated(first, size),)
        elif name == "translate" and issubclass(type(owner), str) and args:
            return (Asked(first, printed),)
    elif name == "to_bytes":
        spend(_index(_argument(args, kwargs, 0, "length", 1)))
    elif name in ("insert", "pop") and issubclass(type(owner), list):
        step(list.__len__(owner) >> 12)
    elif issubclass(type(owner), int):
        made(owner)
    if issubclass(type(first), tuple):  # a key, or compared with what there is
        weighed(first)
    return args


def separated(value: "Any", separator: int) -> "Any":
    """Return what is joined to one text, with so many characters between two items."""
    value = taken(value, True)
    if type(value) is Taken:
        return _separated(value, separator)
    if type(value) in _SIZED:
        spend(separator * len(value))
    return value


def _separated(value: "Iterable[Any]", separator: int) -> "Iterator[Any]":
    for item in value:
        spend(separator)
        yield item


# Filters and tests: what counts before they work. `first`: the context, eval context or engine that they take; `args`
# begins with the value, and may be changed.


def _argument(args: "Any", kwargs: "Mapping[str, Any]", at: int, name: str, default: "Any" = None) -> "Any":
    return args[at] if len(args) > at else kwargs.get(name, default)


def _text(value: "Any") -> str:
    """Return the text that a filter makes of a value, and count it."""
    return str.__str__(soft_str(printed(value)))


def _long(value: "Any", otherwise: int = 0) -> int:
    """Return the length of a text."""
    return str.__len__(value) if issubclass(type(value), str) else otherwise


def _wide(value: "Any") -> int:
    """Return the width of an indentation, a text or a number of blanks."""
    return _long(value) or _index(value)


def _take(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = taken(args[0])


def _take_deep(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = taken(args[0], True)


def _sort(environment: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = taken(args[0], True)
    attribute = _argument(args, kwargs, 3, "attribute")
    if issubclass(type(attribute), str) and attribute.count(",") > 9:
        args[0] = list(args[0])
        step(attribute.count(",") * len(args[0]))


def _take_mapping(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = TakenMapping(args[0], True) if type(args[0]) is not dict else printed(args[0])


def _urlencode(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    kind = type(args[0])
    if issubclass(kind, dict) and kind is not dict:
        args[0] = Counted(iter(args[0].items()), True)
    elif hasattr(kind, "__iter__") and not issubclass(kind, str):
        args[0] = taken(args[0], True)
    else:
        printed(args[0])


def _batch(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = taken(args[0])
    if _argument(args, kwargs, 2, "fill_with") is not None:
        step(_index(_argument(args, kwargs, 1, "linecount", 0)))


def _reverse(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    if not hasattr(type(args[0]), "__reversed__") and not hasattr(type(args[0]), "__getitem__"):
        args[0] = taken(args[0])


def _bullets(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = separated(args[0], _long(_argument(args, kwargs, 1, "bullet"), 6) + 2)


def _by_attribute(environment: "Any", args: "list[Any]", kwargs: "dict[str, Any]", at: int) -> None:
    """Let what an attribute names stand for the items, so that it is counted."""
    attribute = _argument(args, kwargs, at, "attribute")
    if attribute is not None:
        kwargs.pop("attribute", None)
        args[at : at + 1] = [None] * (len(args) > at)
        args[0] = map(attribute_getter(environment, attribute), taken(args[0]))


def _join(eval_ctx: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    _by_attribute(eval_ctx.environment, args, kwargs, 2)
    args[0] = separated(args[0], _long(_argument(args, kwargs, 1, "d", "")) * (6 if eval_ctx.autoescape else 1))


def _sum(environment: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    _by_attribute(environment, args, kwargs, 1)
    args[0] = taken(args[0])
    if not issubclass(type(_argument(args, kwargs, 2, "start", 0)), (int, float)):
        args[0] = _growing(args[0])
    else:
        args[0] = map(made, args[0])


def _growing(items: "Iterable[Any]") -> "Iterator[Any]":
    """Yield sequences that are added up, each time to a new one."""
    size = 0
    for item in items:
        size += _size(item) if issubclass(type(item), _SEQUENCES) else 0
        step(size)
        yield item


def _format(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = soft_str(printed(args[0]))
    percent(args[0], tuple(args[1:]))
    for part in args[0].split("%(")[1:]:
        printed(kwargs.get(part.partition(")")[0]))


def _center(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    printed(args[0])
    spend(_index(_argument(args, kwargs, 1, "width", 80)))


def _indent(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    if issubclass(type(args[0]), str):
        spend((len(_text(args[0]).splitlines()) + 1) * _wide(_argument(args, kwargs, 1, "width", 4)))


def _replace(eval_ctx: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    names = ("s", "old", "new")
    if not eval_ctx.autoescape:  # texts, as the filter will make them: once, because making one may be noticed
        args[:3] = [str(value) for value in args[:3]]
        kwargs.update({name: str(kwargs[name]) for name in names if name in kwargs})
    text, old, new = [_text(_argument(args, kwargs, at, name, "")) for at, name in enumerate(names)]
    if eval_ctx.autoescape:
        text, new = str.__str__(escape(text)), str.__str__(escape(new))
    step(len(text) * len(old) >> 14)
    spend((text.count(old) if old else len(text) + 1) * len(new))


def _wordwrap(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    if issubclass(type(args[0]), str):
        text = _text(args[0])
        width = max(1, _index(_argument(args, kwargs, 1, "width", 79)))
        spend((2 * len(text) // width + len(text.splitlines())) * _long(_argument(args, kwargs, 3, "wrapstring"), 1))
        longest = max([len(word) for word in text.split()], default=0)
        step(longest * longest // width >> 12)  # what does not fit is cut off again and again


def _urlize(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    spend(len(_text(args[0]).split()) * sum([_long(arg) for arg in (*args[1:], *kwargs.values())]))


def _written(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    """For JSON, and for pprint, which indents by 1."""
    if issubclass(type(args[0]), _CONTAINERS):
        weigh(args[0], True, _wide(_argument(args, kwargs, 1, "indent", 1)), True)
    else:
        printed(args[0])


def _round(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    precision = _argument(args, kwargs, 1, "precision", 0)
    spend(abs(int(precision)) if issubclass(type(precision), int) else 0)


def _trim(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[0] = soft_str(printed(args[0]))
    step(_long(args[0]) * _long(_argument(args, kwargs, 1, "chars")) >> 14)


def _print(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    for value in (*args, *kwargs.values()):
        printed(value)


def _same(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    step(_weight(args[0]))  # what is made counts when it is there


def _divisible(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    _divided(args[0], _argument(args, kwargs, 1, "num", 2))


def _compare(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    weighed(tuple(args))


def _search(first: "Any", args: "list[Any]", kwargs: "dict[str, Any]") -> None:
    args[:] = [weighed(args[0]), *map(searched, args[1:])]


def _table(*rows: "tuple[str, Count]") -> "dict[str, Count]":
    return {name: count for names, count in rows for name in names.split()}


# Those that are not here cost no more than their arguments, which have been paid for.
_COUNTS = {
    "filters": _table(
        ("list map reject rejectattr select selectattr slice", _take),
        ("groupby max min unique", _take_deep),
        ("dictsort xmlattr", _take_mapping),
        ("tojson to_json pprint", _written),
        ("bulleted_list numbered_list", _bullets),
        ("as_codeblock as_xml capitalize dedent e escape filesizeformat forceescape from_json lower safe", _print),
        ("string striptags title truncate upper wordcount", _print),
        ("abs int", _same),
        ("batch", _batch), ("center", _center), ("format", _format), ("indent", _indent), ("join", _join),
        ("replace", _replace), ("reverse", _reverse), ("round", _round), ("sort", _sort), ("sum", _sum),
        ("trim", _trim), ("urlencode", _urlencode), ("urlize", _urlize), ("wordwrap", _wordwrap),
    ),
    "tests": _table(
        ("== eq equalto != ne < lessthan lt <= le > greaterthan gt >= ge lower upper", _compare), ("in", _search),
        ("divisibleby even odd", _divisible),
    ),
}  # fmt: skip


class Metered(Names):
    """Filters or tests by name; those of the language, unless the host replaces them, count before they work."""

    __slots__ = ("_counts",)

    def __init__(self, kind: str, given: "Mapping[str, Any] | None" = None) -> None:
        super().__init__(kind, given)
        self._counts = _COUNTS.get(kind, {})

    def __missing__(self, name: str) -> "Any":
        f = super().__missing__(name)
        if name in self._counts:
            self[name] = f = _metered(f, self._counts[name])
        return f


def _metered(f: "Callable[..., Any]", count: "Count") -> "Callable[..., Any]":
    mark = getattr(f, "jinja_pass_arg", None)
    value_at = 0 if mark is None else 1

    def metered(*args: "Any", **kwargs: "Any") -> "Any":
        if _meter.get() is None or len(args) <= value_at:
            return f(*args, **kwargs)
        own = list(args[value_at:])
        count(args[0], own, kwargs)
        result = f(*args[:value_at], *own, **kwargs)
        return made(result) if issubclass(type(result), (str, int)) else result

    if mark is not None:
        metered.jinja_pass_arg = mark  # type: ignore[attr-defined]
    return metered


class LimitedEngine(Engine):
    """The engine of programs with limits: what they call helpers, filters and tests counts on the meter."""

    limits = True
    LoopContext = LoopContext
    Buffer = Buffer
    Names = Metered
    add = staticmethod(add)
    call = staticmethod(call)
    counting = staticmethod(counting)
    counting_test = staticmethod(counting_test)
    divide = staticmethod(divide)
    formatted = staticmethod(formatted)
    made = staticmethod(made)
    markup_join = staticmethod(join_markup)
    modulo = staticmethod(modulo)
    multiply = staticmethod(multiply)
    negate = staticmethod(negate)
    quotient = staticmethod(quotient)
    subtract = staticmethod(subtract)
    power = staticmethod(power)
    step = staticmethod(step)
    searched = staticmethod(searched)
    shown = staticmethod(shown)
    spread = staticmethod(spread)
    str_join = staticmethod(join_texts)
    taken = staticmethod(taken)
    weighed = staticmethod(weighed)

    def getitem(self, obj: "Any", argument: "Any") -> "Any":
        step()
        return super().getitem(obj, weighed(argument))
