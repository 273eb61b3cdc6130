"""The filters of the language: `FILTERS`, a mapping from name to callable.

In: the value left of `|`, then the arguments; a filter marked `pass_*` takes context, eval context or environment
before them. Out: the filtered value. Invariant: for all 54 names of jinja2 3.1.6, result and exception (class and
message) equal jinja2's; the seven more are those of CTX-FORMAT section 5.

Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading this
module imports nothing; what needs re, json, random, pprint or textwrap imports it at its first use.
"""

from ..errors import FilterArgumentError
from .globals import Namespace
from .markers import pass_context, pass_environment, pass_eval_context
from .markup import Markup, escape, soft_str
from .tests import test_mapping
from .undefined import Undefined, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


# Attribute paths: attribute="a.0.b"


def ignore_case(value: "Any") -> "Any":
    return value.lower() if isinstance(value, str) else value


def attribute_path(attribute: "Any") -> "list[Any]":
    """Return the subscripts of a dotted path; digits become numbers, None is the empty path."""
    if attribute is None:
        return []
    if isinstance(attribute, str):
        return [int(part) if part.isdigit() else part for part in attribute.split(".")]
    return [attribute]


def attribute_getter(
    environment: "Any", attribute: "Any", case_sensitive: bool = True, default: "Any" = None
) -> "Callable[[Any], Any]":
    """Return a function from an item to what `attribute` names in it, by the environment's rules (and guard)."""
    getitem = environment.getitem
    path = attribute_path(attribute)
    # Asked once, and here: what is passed for a flag may be undefined and raise.
    keep_case = bool(case_sensitive)

    def get(item: "Any") -> "Any":
        for part in path:
            item = getitem(item, part)
            if default is not None and isinstance(item, Undefined):
                item = default
        return item if keep_case else ignore_case(item)

    return get


def attributes_getter(environment: "Any", attribute: "Any", case_sensitive: bool) -> "Callable[[Any], list[Any]]":
    """Like `attribute_getter` for several paths joined by commas; the function returns a list."""
    paths = attribute.split(",") if isinstance(attribute, str) else [attribute]
    getters = [attribute_getter(environment, path, case_sensitive) for path in paths]
    return lambda item: [get(item) for get in getters]


# Text


def do_forceescape(value: "Any") -> Markup:
    if hasattr(value, "__html__"):
        value = value.__html__()
    return escape(str(value))


def do_mark_safe(value: "Any") -> Markup:
    return Markup(value)


def do_upper(s: "Any") -> str:
    return soft_str(s).upper()


def do_lower(s: "Any") -> str:
    return soft_str(s).lower()


def do_capitalize(s: "Any") -> str:
    return soft_str(s).capitalize()


def do_trim(value: "Any", chars: str | None = None) -> str:
    return soft_str(value).strip(chars)


def do_center(value: "Any", width: int = 80) -> str:
    return soft_str(value).center(width)


def do_title(s: "Any") -> str:
    # A word begins after white space or one of -({[<. None of these has a case: they may be treated as words too.
    text = str.__str__(soft_str(s))
    words = []
    start = 0
    for position, character in enumerate(text):
        if character in "-({[<" or character.isspace():
            words.append(text[start:position])
            words.append(character)
            start = position + 1
    words.append(text[start:])
    return "".join([word[0].upper() + word[1:].lower() for word in words if word])


def do_wordcount(s: "Any") -> int:
    # A word is a run of what re calls \w.
    return len("".join([letter if letter == "_" or letter.isalnum() else " " for letter in soft_str(s)]).split())


@pass_eval_context
def do_replace(eval_ctx: "Any", s: "Any", old: "Any", new: "Any", count: int | None = None) -> str:
    if count is None:
        count = -1
    if not eval_ctx.autoescape:
        return str(s).replace(str(old), str(new), count)
    if hasattr(old, "__html__") or (hasattr(new, "__html__") and not hasattr(s, "__html__")):
        s = escape(s)
    else:
        s = soft_str(s)
    return s.replace(soft_str(old), soft_str(new), count)  # type: ignore[no-any-return]


def do_format(value: "Any", *args: "Any", **kwargs: "Any") -> str:
    if args and kwargs:
        raise FilterArgumentError("can't handle positional and keyword arguments at the same time")
    return soft_str(value) % (kwargs or args)


def do_indent(s: "Any", width: int | str = 4, first: bool = False, blank: bool = False) -> "Any":
    indention = width if isinstance(width, str) else " " * width
    newline = "\n"
    if isinstance(s, str) and hasattr(s, "__html__"):
        indention = Markup(indention)
        newline = Markup(newline)
    # The added line end keeps a last empty line; `+=` because the operator is part of the message for what is not text.
    s += newline
    lines = s.splitlines()
    if blank:
        result = (newline + indention).join(lines)
    else:
        result = lines.pop(0)
        if lines:
            result += newline + newline.join([indention + line if line else line for line in lines])
    return indention + result if first else result


@pass_environment
def do_truncate(
    env: "Any", s: "Any", length: int = 255, killwords: bool = False, end: str = "...", leeway: int | None = None
) -> "Any":
    if leeway is None:
        leeway = env.policies["truncate.leeway"]
    if not length >= len(end):
        raise AssertionError(f"expected length >= {len(end)}, got {length}")
    if not leeway >= 0:
        raise AssertionError(f"expected leeway >= 0, got {leeway}")
    if len(s) <= length + leeway:
        return s
    if killwords:
        return s[: length - len(end)] + end
    return s[: length - len(end)].rsplit(" ", 1)[0] + end


@pass_environment
def do_wordwrap(
    environment: "Any", s: "Any", width: int = 79, break_long_words: bool = True,
    wrapstring: str | None = None, break_on_hyphens: bool = True,
) -> str:
    from textwrap import wrap

    if wrapstring is None:
        wrapstring = environment.newline_sequence
    options: Any = {"expand_tabs": False, "replace_whitespace": False}
    options.update(width=width, break_long_words=break_long_words, break_on_hyphens=break_on_hyphens)
    # Every line is a paragraph of its own.
    return wrapstring.join([wrapstring.join(wrap(line, **options)) for line in s.splitlines()])


def do_striptags(value: "Any") -> str:
    if hasattr(value, "__html__"):
        value = value.__html__()
    return Markup(str(value)).striptags()


def do_pprint(value: "Any") -> str:
    from pprint import pformat

    return pformat(value)


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


# Web


def url_quote(value: "Any", query: bool = False) -> str:
    """Percent-encode the UTF-8 of `value` (RFC 3986); in a query `/` is encoded too and a space becomes `+`."""
    if not isinstance(value, bytes):
        value = soft_str(value).encode("utf-8")
    kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~" + (b" " if query else b"/")
    text = "".join([chr(byte) if byte in kept else f"%{byte:02X}" for byte in value])
    return text.replace(" ", "+")


def do_urlencode(value: "Any") -> str:
    if isinstance(value, str) or getattr(type(value), "__iter__", None) is None:
        return url_quote(value)
    pairs = value.items() if isinstance(value, dict) else value
    return "&".join([f"{url_quote(k, query=True)}={url_quote(v, query=True)}" for k, v in pairs])


@pass_eval_context
def do_xmlattr(eval_ctx: "Any", d: "Any", autospace: bool = True) -> str:
    attributes = []
    for key, value in d.items():
        if value is None or isinstance(value, Undefined):
            continue
        if not isinstance(key, str):
            from re import search

            search("[ ]", key)  # for the TypeError that jinja2 raises here
        if any(character in " \t\n\r\f\v/>=" for character in key):
            raise ValueError(f"Invalid character in attribute name: {key!r}")
        attributes.append(f'{escape(key)}="{escape(value)}"')
    text = " ".join(attributes)
    if autospace and text:
        text = " " + text
    return Markup(text) if eval_ctx.autoescape else text


@pass_eval_context
def do_urlize(
    eval_ctx: "Any", value: "Any", trim_url_limit: int | None = None, nofollow: bool = False,
    target: str | None = None, rel: str | None = None, extra_schemes: "Iterable[str] | None" = None,
) -> str:
    from .filters_web import check_scheme, urlize

    policies = eval_ctx.environment.policies
    relations = (rel or "").split() + ["nofollow"] * bool(nofollow) + (policies["urlize.rel"] or "").split()
    rel = " ".join(sorted(set(relations)))
    if target is None:
        target = policies["urlize.target"]
    if extra_schemes is None:
        extra_schemes = policies["urlize.extra_schemes"] or ()
    for scheme in extra_schemes:
        check_scheme(scheme)
    text = urlize(value, trim_url_limit, rel, target, extra_schemes)
    return Markup(text) if eval_ctx.autoescape else text


# JSON


@pass_eval_context
def do_tojson(eval_ctx: "Any", value: "Any", indent: int | None = None) -> Markup:
    from .filters_json import tojson

    return tojson(eval_ctx.environment.policies, value, indent)


def do_to_json(value: "Any", indent: int | str | None = None) -> str:
    """JSON of `value`: mappings in their own order, non-ASCII text as it is. With `indent`, one member a line.

    What JSON cannot say raises TypeError; an undefined, also a nested one, raises UndefinedError.
    """
    from .filters_json import to_json

    return to_json(value, indent)


def do_from_json(value: "Any") -> "Any":
    """The value that the JSON text `value` stands for; json.JSONDecodeError (a ValueError) when it is not JSON."""
    from .filters_json import from_json

    return from_json(value)


# Numbers


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
        raise FilterArgumentError("method must be common, ceil or floor")
    if method == "common":
        return round(value, precision)
    import math

    rounded = math.ceil if method == "ceil" else math.floor
    return rounded(value * (10**precision)) / (10**precision)


@pass_environment
def sync_do_sum(environment: "Any", iterable: "Iterable[Any]", attribute: "Any" = None, start: "Any" = 0) -> "Any":
    if attribute is not None:
        iterable = map(attribute_getter(environment, attribute), iterable)
    return sum(iterable, start)


def least_or_most(
    choose: "Callable[..., Any]", environment: "Any", value: "Iterable[Any]", case_sensitive: bool, attribute: "Any"
) -> "Any":
    items = iter(value)
    first = next(items, missing)
    if first is missing:
        return environment.undefined("No aggregated item, sequence was empty.")
    get = attribute_getter(environment, attribute, case_sensitive)
    return choose((item for part in ((first,), items) for item in part), key=get)


@pass_environment
def do_min(environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None) -> "Any":
    return least_or_most(min, environment, value, case_sensitive, attribute)


@pass_environment
def do_max(environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None) -> "Any":
    return least_or_most(max, environment, value, case_sensitive, attribute)


# Values and objects


def do_default(value: "Any", default_value: "Any" = "", boolean: bool = False) -> "Any":
    if isinstance(value, Undefined) or (boolean and not value):
        return default_value
    return value


def is_declared(obj: "Any", name: "Any") -> bool:
    """Whether `obj` or its classes hold `name`, found out without running a property or `__getattr__`."""
    owners = type(obj).__mro__
    if issubclass(type(obj), type):
        owners += obj.__mro__
    if any(name in owner.__dict__ for owner in owners):
        return True
    try:
        return name in object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return False


@pass_environment
def do_attr(environment: "Any", obj: "Any", name: "Any") -> "Any":
    if environment.guard and isinstance(name, str) and str.startswith(name, "_") and type(obj) is not Namespace:
        return environment.undefined(obj=obj, name=name)
    # environment.getattr falls back to obj[name], which this filter never does: ask first whether it would have to.
    if not is_declared(obj, name) and not hasattr(obj, name):
        return environment.undefined(obj=obj, name=name)
    return environment.getattr(obj, name)


def do_items(value: "Any") -> "Iterator[tuple[Any, Any]]":
    if isinstance(value, Undefined):
        return
    if not test_mapping(value):
        raise TypeError("Can only get item pairs from a mapping.")
    yield from value.items()


def do_dictsort(
    value: "Any", case_sensitive: bool = False, by: str = "key", reverse: bool = False
) -> "list[tuple[Any, Any]]":
    if by == "key":
        position = 0
    elif by == "value":
        position = 1
    else:
        raise FilterArgumentError('You can only sort by either "key" or "value"')

    def sort_key(item: "tuple[Any, Any]") -> "Any":
        return item[position] if case_sensitive else ignore_case(item[position])

    return sorted(value.items(), key=sort_key, reverse=reverse)


# Sequences


@pass_eval_context
def sync_do_join(eval_ctx: "Any", value: "Iterable[Any]", d: "Any" = "", attribute: "Any" = None) -> str:
    if attribute is not None:
        value = map(attribute_getter(eval_ctx.environment, attribute), value)
    if not eval_ctx.autoescape:
        return str(d).join(map(str, value))
    if hasattr(d, "__html__"):
        return soft_str(d).join(map(soft_str, value))
    # One safe item makes the whole text markup.
    items = [item if hasattr(item, "__html__") else str(item) for item in value]
    delimiter = escape(d) if any(hasattr(item, "__html__") for item in items) else str(d)
    return delimiter.join(items)


def sync_do_list(value: "Iterable[Any]") -> "list[Any]":
    return list(value)


@pass_environment
def sync_do_first(environment: "Any", seq: "Iterable[Any]") -> "Any":
    try:
        return next(iter(seq))
    except StopIteration:
        return environment.undefined("No first item, sequence was empty.")


@pass_environment
def do_last(environment: "Any", seq: "Any") -> "Any":
    try:
        return next(iter(reversed(seq)))
    except StopIteration:
        return environment.undefined("No last item, sequence was empty.")


@pass_context
def do_random(context: "Any", seq: "Any") -> "Any":
    import random

    try:
        return random.choice(seq)
    except IndexError:
        return context.environment.undefined("No random item, sequence was empty.")


def do_reverse(value: "Any") -> "Any":
    if isinstance(value, str):
        return value[::-1]
    try:
        return reversed(value)
    except TypeError:
        try:
            items = list(value)
        except TypeError as error:
            raise FilterArgumentError("argument must be iterable") from error
        items.reverse()
        return items


@pass_environment
def do_sort(
    environment: "Any", value: "Iterable[Any]", reverse: bool = False,
    case_sensitive: bool = False, attribute: "Any" = None,
) -> "list[Any]":
    return sorted(value, key=attributes_getter(environment, attribute, case_sensitive), reverse=reverse)


@pass_environment
def sync_do_unique(
    environment: "Any", value: "Iterable[Any]", case_sensitive: bool = False, attribute: "Any" = None
) -> "Iterator[Any]":
    get = attribute_getter(environment, attribute, case_sensitive)
    seen = set()
    for item in value:
        key = get(item)
        if key not in seen:
            seen.add(key)
            yield item


def sync_do_slice(value: "Iterable[Any]", slices: int, fill_with: "Any" = None) -> "Iterator[list[Any]]":
    items = list(value)
    size, longer = len(items) // slices, len(items) % slices
    start = 0
    for number in range(slices):
        end = start + size + (number < longer)
        column = items[start:end]
        if fill_with is not None and number >= longer:
            column.append(fill_with)
        yield column
        start = end


def do_batch(value: "Iterable[Any]", linecount: int, fill_with: "Any" = None) -> "Iterator[list[Any]]":
    row: list[Any] = []
    for item in value:
        if len(row) == linecount:
            yield row
            row = []
        row.append(item)
    if row:
        if fill_with is not None and len(row) < linecount:
            row += [fill_with] * (linecount - len(row))
        yield row


class _GroupTuple(tuple["Any", "Any"]):
    """A pair of the common value and the list of items, readable by place and by name."""

    __slots__ = ()
    grouper = property(lambda self: self[0])
    list = property(lambda self: self[1])


@pass_environment
def sync_do_groupby(
    environment: "Any", value: "Iterable[Any]", attribute: "Any", default: "Any" = None, case_sensitive: bool = False
) -> "list[_GroupTuple]":
    get = attribute_getter(environment, attribute, case_sensitive, default)
    groups: list[tuple[Any, list[Any]]] = []
    for item in sorted(value, key=get):
        key = get(item)
        if groups and (groups[-1][0] is key or groups[-1][0] == key):
            groups[-1][1].append(item)
        else:
            groups.append((key, [item]))
    if not case_sensitive:
        # The key of a group is written as in its first item.
        get = attribute_getter(environment, attribute, default=default)
        groups = [(get(items[0]), items) for _, items in groups]
    return [_GroupTuple(group) for group in groups]


@pass_context
def sync_do_map(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    if value:
        function = mapped_function(context, args, kwargs)
        for item in value:
            yield function(item)


def mapped_function(context: "Any", args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "Callable[[Any], Any]":
    environment = context.environment
    if not args and "attribute" in kwargs:
        attribute = kwargs.pop("attribute")
        default = kwargs.pop("default", None)
        if kwargs:
            raise FilterArgumentError(f"Unexpected keyword argument {next(iter(kwargs))!r}")
        return attribute_getter(environment, attribute, default=default)
    if not args:
        raise FilterArgumentError("map requires a filter argument")
    name, *rest = args
    return lambda item: environment.call_filter(name, item, rest, kwargs, context=context)


@pass_context
def sync_do_select(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, True, False)


@pass_context
def sync_do_reject(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, False, False)


@pass_context
def sync_do_selectattr(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, True, True)


@pass_context
def sync_do_rejectattr(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    return select_or_reject(context, value, args, kwargs, False, True)


def select_or_reject(
    context: "Any", value: "Iterable[Any]", args: "tuple[Any, ...]", kwargs: "dict[str, Any]",
    wanted: bool, by_attribute: bool,
) -> "Iterator[Any]":
    if not value:
        return
    environment = context.environment
    get = None
    if by_attribute:
        if not args:
            raise FilterArgumentError("Missing parameter for attribute name")
        get = attribute_getter(environment, args[0])
        args = args[1:]
    for item in value:
        subject = get(item) if get else item
        if args:
            passed = environment.call_test(args[0], subject, args[1:], kwargs, context=context)
        else:
            passed = subject
        if bool(passed) is wanted:
            yield item


# Prompts: the filters of CTX-FORMAT section 5 that jinja2 has not


def do_as_xml(value: "Any", tag: str = "data") -> str:
    """`<tag>text</tag>`: the text of `value` (nothing for None) with `&`, `<` and `>` escaped; `tag` as it is."""
    text = "" if value is None else str(value)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{tag}>{text}</{tag}>"


def do_as_codeblock(value: "Any", lang: str = "") -> str:
    """A fenced Markdown block. The fence is longer than every run of backticks in the text, and three at least.

    Text that ends with a line end gets no second one.
    """
    text = str(value)
    fence = "```"
    while fence in text:
        fence += "`"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{lang}\n{text}{end}{fence}"


def do_numbered_list(value: "Iterable[Any]", start: int = 1) -> str:
    """One line `1. item` for each item, numbered from `start`; the empty text when there is none."""
    return "\n".join([f"{number}. {item}" for number, item in enumerate(value, start)])


def do_bulleted_list(value: "Iterable[Any]", bullet: str = "-") -> str:
    """One line `- item` for each item; the empty text when there is none."""
    return "\n".join([f"{bullet} {item}" for item in value])


def do_dedent(value: "Any") -> str:
    """Text without the spaces and tabs that all its lines begin with; blank lines do not count and become empty.

    Equal to `textwrap.dedent` of Python 3.11 to 3.13.
    """
    lines = ["" if not line.strip(" \t") else line for line in str(value).split("\n")]
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line]
    margin = min(margins, default="")
    most = max(margins, default="")
    while not most.startswith(margin):
        margin = margin[:-1]
    return "\n".join([line[len(margin) :] for line in lines])


FILTERS: "dict[str, Callable[..., Any]]" = {
    "abs": abs, "as_codeblock": do_as_codeblock, "as_xml": do_as_xml, "attr": do_attr, "batch": do_batch,
    "bulleted_list": do_bulleted_list, "capitalize": do_capitalize, "center": do_center, "count": len, "d": do_default,
    "dedent": do_dedent, "default": do_default, "dictsort": do_dictsort, "e": escape, "escape": escape,
    "filesizeformat": do_filesizeformat, "first": sync_do_first, "float": do_float, "forceescape": do_forceescape,
    "format": do_format, "from_json": do_from_json, "groupby": sync_do_groupby, "indent": do_indent, "int": do_int,
    "items": do_items, "join": sync_do_join, "last": do_last, "length": len, "list": sync_do_list, "lower": do_lower,
    "map": sync_do_map, "max": do_max, "min": do_min, "numbered_list": do_numbered_list, "pprint": do_pprint,
    "random": do_random, "reject": sync_do_reject, "rejectattr": sync_do_rejectattr, "replace": do_replace,
    "reverse": do_reverse, "round": do_round, "safe": do_mark_safe, "select": sync_do_select,
    "selectattr": sync_do_selectattr, "slice": sync_do_slice, "sort": do_sort, "string": soft_str,
    "striptags": do_striptags, "sum": sync_do_sum, "title": do_title, "to_json": do_to_json, "tojson": do_tojson,
    "trim": do_trim, "truncate": do_truncate, "unique": sync_do_unique, "upper": do_upper, "urlencode": do_urlencode,
    "urlize": do_urlize, "wordcount": do_wordcount, "wordwrap": do_wordwrap, "xmlattr": do_xmlattr,
}
