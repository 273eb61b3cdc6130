"""No way to internals: under the guard, no filter and no format call reads an attribute that begins with `_`."""

from collections.abc import Callable
from typing import Any

import pytest
from frozenctx.errors import UndefinedError
from frozenctx.template import Engine
from frozenctx.template.context import Context
from frozenctx.template.guard import guarded_format, is_format_method, reads_internals
from frozenctx.template.markup import Markup
from frozenctx.template.namespace import Namespace
from frozenctx.template.undefined import StrictUndefined


class Secretive:
    def __init__(self) -> None:
        self._secret = "secret"
        self.open = "open"

    def __repr__(self) -> str:
        return "Secretive()"


GUARDED = Engine(guard=True)
CONTEXT = Context(GUARDED, {}, None, {})


def filtered(name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
    result = GUARDED.call_filter(name, value, args, kwargs, context=CONTEXT)
    return list(result) if name in ("map", "select", "selectattr", "rejectattr", "unique", "reject") else result


@pytest.mark.parametrize("name", ["_secret", "__class__", "__dict__", "_nope"])
def test_attr_gives_undefined_for_internals(name: str) -> None:
    result = filtered("attr", Secretive(), name)
    assert isinstance(result, StrictUndefined)
    with pytest.raises(UndefinedError, match=f"Secretive object' has no attribute '{name}'"):
        str(result)
    assert filtered("attr", Secretive(), "open") == "open"


@pytest.mark.parametrize("name", ["_secret", "__class__", "open.__class__"])
@pytest.mark.parametrize(
    "call",
    [
        lambda name: filtered("map", [Secretive()], attribute=name),
        lambda name: filtered("map", [Secretive()], "attr", name.split(".")[-1]),
        lambda name: filtered("sum", [Secretive()], name),
        lambda name: filtered("join", [Secretive()], ", ", name),
        lambda name: filtered("sort", [Secretive(), Secretive()], attribute=name),
        lambda name: filtered("min", [Secretive(), Secretive()], attribute=name),
        lambda name: filtered("groupby", [Secretive(), Secretive()], name),
        lambda name: filtered("unique", [Secretive()], attribute=name),
        lambda name: filtered("selectattr", [Secretive()], name),
        lambda name: filtered("rejectattr", [Secretive()], name, "eq", 1),
    ],
)
def test_attribute_arguments_do_not_reach_internals(call: Callable[[str], Any], name: str) -> None:
    with pytest.raises(UndefinedError, match="has no attribute '_"):
        "".join(map(str, call(name)))


def test_keys_that_begin_with_an_underscore_stay_readable() -> None:
    assert filtered("map", [{"_id": 7}], attribute="_id") == [7]
    assert filtered("sum", [{"_n": 1}, {"_n": 2}], "_n") == 3
    assert filtered("attr", Namespace(_x=1), "_x") == 1
    assert "_Namespace__attrs" in str(filtered("attr", Namespace(), "_Namespace__attrs")._undefined_message)


@pytest.mark.parametrize("kind", [str, Markup])
@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("{0.__class__}", (1,)), ("{.__class__.__mro__}", (1,)), ("{0._secret}", (Secretive(),)),
        ("{0.open.__class__!r:>9}", (Secretive(),)), ("{0[0]._secret}", ([Secretive()],)), ("{1:{0._secret}}",
        (Secretive(), 2)), ("{} {a} {.open.__class__}", (1, Secretive())),
    ],
)  # fmt: skip
def test_format_raises_the_undefined_for_internals(kind: type[str], text: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(UndefinedError, match="has no attribute '_"):
        guarded_format(GUARDED, kind(text).format, args, {"a": 1})


@pytest.mark.parametrize("kind", [str, Markup])
def test_format_map_raises_the_undefined_for_internals(kind: type[str]) -> None:
    with pytest.raises(UndefinedError, match="'int object' has no attribute '__class__'"):
        guarded_format(GUARDED, kind("{a.__class__}").format_map, ({"a": 1},), {})


@pytest.mark.parametrize("kind", [str, Markup])
@pytest.mark.parametrize(
    "text", ["{0} {_k}", "{0.open}", "{0[_x]}", "{", "{0!z}", "{9}", "_.__class__", "{{0.__class__}}", "{0:_>9}"]
)
def test_format_of_other_texts_is_the_plain_call(kind: type[str], text: str) -> None:
    def outcome(call: Callable[..., Any], *args: Any) -> Any:
        try:
            result = call(*args)
            return type(result), result
        except Exception as error:
            return type(error), str(error)

    for args in ((1,), (Secretive(),), ({"_x": "<"},)):
        plain = outcome(lambda args=args: kind(text).format(*args, _k=2))
        assert outcome(guarded_format, GUARDED, kind(text).format, args, {"_k": 2}) == plain


def test_format_methods_are_recognised_and_nothing_else_is() -> None:
    assert is_format_method("".format)
    assert is_format_method(Markup("").format_map)
    for other in ("".upper, str.format, format, lambda: None, 3, Engine.getattr):
        assert not is_format_method(other)


def test_reads_internals_looks_into_nested_fields_only() -> None:
    assert reads_internals("{0:{1:{2._x}}}")
    assert not reads_internals("{0[__class__]} {__class__} ._x")
