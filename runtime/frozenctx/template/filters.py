"""The filters that most prompts use, so that these are loaded without the others. See `engine`.

In three parts: text and numbers; what filters of sequences share, paths of attributes (`attribute="a.0.b"`); sequences.
"""

from . import Absent, missing, pass_context, pass_environment, pass_eval_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


# Text and numbers


def soft_str(s: "Any", /) -> str:
    """Return `s` itself when it is a string of any kind (Markup stays Markup), else `str(s)`."""
    return s if isinstance(s, str) else str(s)


def escaped(s: "Any", /) -> str:
    """Return the text of `escape(s)`, without loading Markup."""
    if type(s) is not str:
        safe = hasattr(s, "__html__")
        if safe:
            s = s.__html__()
            s = s.__html__() if hasattr(s, "__html__") else s
        # A __str__ may return a subclass, whose methods need not be those of text.
        s = str.__str__(str(s))
        if safe:
            return s  # type: ignore[no-any-return]
    # Most text has none of the five: finding that out is cheaper than replacing five times.
    if "&" in s:
        s = s.replace("&", "&amp;")
    if "<" in s:
        s = s.replace("<", "&lt;")
    if ">" in s:
        s = s.replace(">", "&gt;")
    if "'" in s:
        s = s.replace("'", "&#39;")
    if '"' in s:
        s = s.replace('"', "&#34;")
    return s  # type: ignore[no-any-return]


def do_default(value: "Any", default_value: "Any" = "", boolean: bool = False) -> "Any":
    if isinstance(value, Absent) or (boolean and not value):
        return default_value
    return value


def do_upper(s: "Any") -> str:
    return soft_str(s).upper()


def do_lower(s: "Any") -> str:
    return soft_str(s).lower()


def do_capitalize(s: "Any") -> str:
    return soft_str(s).capitalize()


def do_trim(value: "Any", chars: str | None = None) -> str:
    return soft_str(value).strip(chars)


@pass_eval_context
def do_replace(eval_ctx: "Any", s: "Any", old: "Any", new: "Any", count: int | None = None) -> str:
    if count is None:
        count = -1
    if not eval_ctx.autoescape:
        return str(s).replace(str(old), str(new), count)
    from .markup import escape

    if hasattr(old, "__html__") or (hasattr(new, "__html__") and not hasattr(s, "__html__")):
        s = escape(s)
    else:
        s = soft_str(s)
    return s.replace(soft_str(old), soft_str(new), count)  # type: ignore[no-any-return]


def do_format(value: "Any", *args: "Any", **kwargs: "Any") -> str:
    if args and kwargs:
        from ..errors import FilterArgumentError

        raise FilterArgumentError("can't handle positional and keyword arguments at the same time")
    return soft_str(value) % (kwargs or args)


def do_indent(s: "Any", width: int | str = 4, first: bool = False, blank: bool = False) -> "Any":
    indention = width if isinstance(width, str) else " " * width
    newline = "\n"
    if isinstance(s, str) and hasattr(s, "__html__"):
        from .markup import Markup

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


def do_int(value: "Any", default: "Any" = 0, base: int = 10) -> "Any":
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        # "42.23" is 42.
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
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
    at = text.find(fence)
    while at >= 0:  # a run that is as long: the fence becomes longer than it, and the search goes on behind it
        behind = at + len(fence)
        while text[behind : behind + 1] == "`":
            behind += 1
        fence = "`" * (behind - at + 1)
        at = text.find(fence, behind)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}{lang}\n{text}{end}{fence}"


# Paths of attributes


def ignore_case(value: "Any") -> "Any":
    return value.lower() if isinstance(value, str) else value


def attribute_path(attribute: "Any") -> "list[Any]":
    """Return the subscripts of a dotted path; digits become numbers, None is the empty path."""
    if attribute is None:
        return []
    if isinstance(attribute, str):
        return [int(part) if part.isdigit() else part for part in attribute.split(".")]
    return [attribute]


_paths: "dict[str, list[Any]]" = {}


def attribute_getter(
    environment: "Any", attribute: "Any", case_sensitive: bool = True, default: "Any" = None
) -> "Callable[[Any], Any]":
    """Return a function from an item to what `attribute` names in it, by the environment's rules (and guard)."""
    getitem = environment.getitem
    path = _paths.get(attribute) if type(attribute) is str else None
    if path is None:
        path = attribute_path(attribute)
        if type(attribute) is str and len(_paths) < 500:  # templates name few, but may compute any number
            _paths[attribute] = path
    # Asked once, and here: what is passed for a flag may be undefined and raise.
    keep_case = bool(case_sensitive)
    if not path and default is None:
        return (lambda item: item) if keep_case else ignore_case
    if len(path) == 1 and default is None and type(path[0]) in (int, str):
        only = path[0]

        def get_only(item: "Any") -> "Any":
            value = item[only] if type(item) is dict and only in item else getitem(item, only)
            return value.lower() if not keep_case and isinstance(value, str) else value

        return get_only

    def get(item: "Any") -> "Any":
        for part in path:
            item = getitem(item, part)
            if default is not None and isinstance(item, Absent):
                item = default
        return item if keep_case else ignore_case(item)

    return get


def attributes_getter(environment: "Any", attribute: "Any", case_sensitive: bool) -> "Callable[[Any], list[Any]]":
    """Like `attribute_getter` for several paths joined by commas; the function returns a list."""
    paths = attribute.split(",") if isinstance(attribute, str) else [attribute]
    getters = [attribute_getter(environment, path, case_sensitive) for path in paths]
    if len(getters) == 1:
        only = getters[0]
        return lambda item: [only(item)]  # a list, because lists of what is the same are equal
    return lambda item: [get(item) for get in getters]


# Sequences and mappings


@pass_eval_context
def sync_do_join(eval_ctx: "Any", value: "Iterable[Any]", d: "Any" = "", attribute: "Any" = None) -> str:
    if attribute is not None:
        value = map(attribute_getter(eval_ctx.environment, attribute), value)
    if not eval_ctx.autoescape:
        return str(d).join(map(str, value))
    from .markup import escape

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


@pass_environment
def do_sort(
    environment: "Any", value: "Iterable[Any]", reverse: bool = False,
    case_sensitive: bool = False, attribute: "Any" = None,
) -> "list[Any]":
    return sorted(value, key=attributes_getter(environment, attribute, case_sensitive), reverse=reverse)


@pass_context
def sync_do_map(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    if value:
        function = None
        environment = context.environment
        if not args:
            function = mapped_attribute(environment, kwargs)
        for item in value:
            if function is None:
                function = environment.applied(environment, "filter", args[0], args[1:], kwargs, context)
            yield function(item)


def mapped_attribute(environment: "Any", kwargs: "dict[str, Any]") -> "Callable[[Any], Any]":
    if "attribute" in kwargs:
        attribute = kwargs.pop("attribute")
        default = kwargs.pop("default", None)
        if not kwargs:
            return attribute_getter(environment, attribute, default=default)
        message = f"Unexpected keyword argument {next(iter(kwargs))!r}"
    else:
        message = "map requires a filter argument"
    from ..errors import FilterArgumentError

    raise FilterArgumentError(message)


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
            from ..errors import FilterArgumentError

            raise FilterArgumentError("Missing parameter for attribute name")
        get = attribute_getter(environment, args[0])
        args = args[1:]
    test = None if args else bool
    for item in value:
        subject = get(item) if get else item
        if test is None:
            test = environment.applied(environment, "test", args[0], args[1:], kwargs, context)
        if bool(test(subject)) is wanted:
            yield item


def do_numbered_list(value: "Iterable[Any]", start: int = 1) -> str:
    """One line `1. item` for each item, numbered from `start`; the empty text when there is none.

    What is wrong is said in the order in which it is written: the value first, then a `start` that is no integer.
    """
    items = iter(value)
    if isinstance(start, Absent):
        start._fail_with_undefined_error()
    return "\n".join([f"{number}. {item}" for number, item in enumerate(items, start)])


def do_bulleted_list(value: "Iterable[Any]", bullet: str = "-") -> str:
    """One line `- item` for each item; the empty text when there is none."""
    return "\n".join([f"{bullet} {item}" for item in value])


def do_dictsort(
    value: "Any", case_sensitive: bool = False, by: str = "key", reverse: bool = False
) -> "list[tuple[Any, Any]]":
    if by == "key":
        position = 0
    elif by == "value":
        position = 1
    else:
        from ..errors import FilterArgumentError

        raise FilterArgumentError('You can only sort by either "key" or "value"')

    def sort_key(item: "tuple[Any, Any]") -> "Any":
        return item[position] if case_sensitive else ignore_case(item[position])

    return sorted(value.items(), key=sort_key, reverse=reverse)


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
