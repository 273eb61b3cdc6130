"""Filters that hand on items of a sequence one after the other, and those that end such chains. See the package.

`map`, `select` and their like make iterators: nothing is read, looked up or found wrong before an item is asked for.
"""

from . import pass_context, pass_environment, pass_eval_context, soft_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


@pass_context
def sync_do_map(context: "Any", value: "Iterable[Any]", *args: "Any", **kwargs: "Any") -> "Iterator[Any]":
    if value:
        environment = context.environment
        function = None if args else mapped_attribute(environment, kwargs)
        for item in value:
            if function is None:
                function = environment.applied(environment, "filter", args[0], args[1:], kwargs, context)
            yield function(item)


def mapped_attribute(environment: "Any", kwargs: "dict[str, Any]") -> "Callable[[Any], Any]":
    if "attribute" in kwargs:
        attribute = kwargs.pop("attribute")
        default = kwargs.pop("default", None)
        if not kwargs:
            return environment.attribute_getter(environment, attribute, default=default)  # type: ignore[no-any-return]
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
        get = environment.attribute_getter(environment, args[0])
        args = args[1:]
    test = None if args else bool
    for item in value:
        subject = get(item) if get else item
        if test is None:
            test = environment.applied(environment, "test", args[0], args[1:], kwargs, context)
        if bool(test(subject)) is wanted:
            yield item


def sync_do_list(value: "Iterable[Any]") -> "list[Any]":
    return list(value)


@pass_environment
def sync_do_first(environment: "Any", seq: "Iterable[Any]") -> "Any":
    for item in seq:
        return item
    return environment.undefined("No first item, sequence was empty.")


@pass_environment
def do_last(environment: "Any", seq: "Any") -> "Any":
    for item in reversed(seq):
        return item
    return environment.undefined("No last item, sequence was empty.")


@pass_eval_context
def sync_do_join(eval_ctx: "Any", value: "Iterable[Any]", d: "Any" = "", attribute: "Any" = None) -> str:
    if attribute is not None:
        environment = eval_ctx.environment
        value = map(environment.attribute_getter(environment, attribute), value)
    if not eval_ctx.autoescape:
        return str(d).join(map(str, value))
    from .markup import escape

    if hasattr(d, "__html__"):
        return soft_str(d).join(map(soft_str, value))
    # One safe item makes the whole text markup. All are taken before any is converted.
    items = [item if hasattr(item, "__html__") else str(item) for item in list(value)]
    delimiter = escape(d) if any(hasattr(item, "__html__") for item in items) else str(d)
    return delimiter.join(items)
