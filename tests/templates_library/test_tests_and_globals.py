"""Every test and global of jinja2 is there and gives jinja2's result or exception."""

import copy
from typing import Any

import pytest
from frozenctx.template import Engine
from frozenctx.template.language import GLOBALS, TESTS
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.tests import TESTS as DEFAULT_TESTS
from templates_library.two_sides import Side, assert_same, sides
from templates_library.values import User, everything

ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((1,), {}), ((0,), {}), (("a",), {}), ((None,), {}), (([1, "a", None],), {}), (({"a": 1},), {}),
    ((1, 2), {}), ((1, 2, 3), {}), ((), {"no_such": 1}), ((), {"num": 2}), ((), {"other": None}),
]  # fmt: skip


def test_every_test_of_jinja2_is_there_and_no_other() -> None:
    assert set(TESTS) == set(DEFAULT_TESTS)
    assert len(TESTS) == 39


def test_every_global_of_jinja2_is_there_and_no_other() -> None:
    assert set(GLOBALS) == set(DEFAULT_NAMESPACE)


@pytest.mark.parametrize("undefined", ["StrictUndefined", "Undefined"])
@pytest.mark.parametrize("name", sorted(DEFAULT_TESTS))
def test_test_equals_jinja2_for_every_value_and_argument(name: str, undefined: str) -> None:
    pair = sides(undefined)
    for args, kwargs in ARGUMENTS:
        values = {side.name: everything(side) for side in pair}
        for index in range(len(values["jinja2"])):

            def call(side: Side, index: int = index, args: Any = args, kwargs: Any = kwargs) -> Any:
                return side.test(name, values[side.name][index], *args, **kwargs)  # noqa: B023

            assert_same(call, pair, f"value {index} is {name}{args}{kwargs}")


def test_filter_and_test_know_the_names_of_the_environment() -> None:
    pair = sides()
    pair[0].environment.filters["mine"] = len
    pair[0].environment.tests["mine_too"] = len
    pair[1].environment = Engine(filters={"mine": len}, tests={"mine_too": len})
    names: list[Any] = ["upper", "mine", "odd", "mine_too", "nope", 3, None, []]
    for name in names:
        assert_same(lambda side, name=name: side.test("filter", name), pair, name)
        assert_same(lambda side, name=name: side.test("test", name), pair, name)


def test_sameas_is_identity() -> None:
    user = User("x")
    assert_same(lambda side: [side.test("sameas", user, user), side.test("sameas", user, User("x"))], sides())


def test_cycler_equals_jinja2() -> None:
    def story(side: Side) -> Any:
        cycler = side.globals["cycler"]("a", "b", "c")
        seen = [cycler.current, cycler.next(), next(cycler), cycler.current, cycler.next(), cycler.next(), cycler.pos]
        cycler.reset()
        return [*seen, cycler.current, cycler.items]

    assert_same(story, sides())
    assert_same(lambda side: side.globals["cycler"](), sides())
    assert_same(lambda side: side.globals["cycler"](x=1), sides())
    assert_same(lambda side: side.globals["cycler"](1).next(2), sides())


def test_joiner_equals_jinja2() -> None:
    def story(side: Side, *args: Any, **kwargs: Any) -> Any:
        joiner = side.globals["joiner"](*args, **kwargs)
        return [joiner(), joiner(), joiner(), joiner.sep, joiner.used]

    assert_same(lambda side: story(side), sides())
    assert_same(lambda side: story(side, " | "), sides())
    assert_same(lambda side: story(side, sep=None), sides())
    assert_same(lambda side: story(side, 1, 2), sides())
    assert_same(lambda side: side.globals["joiner"]()(1), sides())


NAMESPACES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((), {"a": 1, "b": [2]}), (({"a": 1},), {}), (({"a": 1},), {"a": 2}), (([("a", 1)],), {"z": 0}),
    ((1,), {}), (({}, {}), {}), ((), {"self": 1, "args": 2, "items": 3}), (({"_Namespace__attrs": 5},), {}),
    (({"__class__": 5},), {}), (({3: 4},), {}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kwargs"), NAMESPACES)
def test_namespace_equals_jinja2(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    def made(side: Side) -> Any:
        return side.globals["namespace"](*copy.deepcopy(args), **copy.deepcopy(kwargs))

    pair = sides()
    assert_same(lambda side: repr(made(side)), pair)
    for name in ("a", "b", "self", "items", "nope", "__dict__", "__len__", "_x", "__init__"):
        assert_same(lambda side, name=name: getattr(made(side), name), pair, name)
        assert_same(lambda side, name=name: side.environment.getattr(made(side), name), pair, name)
        assert_same(lambda side, name=name: side.environment.getitem(made(side), name), pair, name)
        assert_same(lambda side, name=name: side.filter("attr", made(side), name), pair, name)


def test_namespace_takes_assignment_by_item_under_every_name() -> None:
    def story(side: Side) -> Any:
        space = side.globals["namespace"](count=0)
        for name in ("count", "keys", "__class__", "_Namespace__attrs", "a b", 3):
            space[name] = f"value of {name}"
        return [repr(space), space.count, space.keys, type(space).__name__]

    assert_same(story, sides())
    assert_same(lambda side: side.globals["namespace"]().__class__ is side.globals["namespace"], sides())
    assert_same(lambda side: side.globals["namespace"](a=1)["a"], sides())
    assert_same(lambda side: iter(side.globals["namespace"](a=1)), sides())


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((2,), {}), ((3, False), {}), ((1, True, 3, 5), {}), ((2, False, 1, 2), {}), ((0,), {}), ((0, False),
     {}),
     ((1,), {"min": 5, "max": 6, "html": False}), ((1, True, 5, 5), {}), ((), {"x": 1}), (("a",), {})],
)  # fmt: skip
def test_lipsum_draws_the_same_text_from_the_same_seed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    assert_same(lambda side: side.globals["lipsum"](*args, **kwargs), sides())


def test_lipsum_draws_the_same_text_many_times_over() -> None:
    assert_same(lambda side: side.globals["lipsum"](60, False, 1, 120), sides())


def test_range_and_dict_are_python_s() -> None:
    assert GLOBALS["range"] is range
    assert GLOBALS["dict"] is dict


@pytest.mark.parametrize("name", ["cycler", "joiner", "namespace"])
def test_a_missing_attribute_of_a_global_is_reported_as_by_jinja2(name: str) -> None:
    assert_same(lambda side: str(side.environment.getattr(side.globals[name](*[[]]), "nope")), sides())
