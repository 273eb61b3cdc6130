"""The same call on two sides: jinja2 with markupsafe, and frozenctx.

A `Side` holds what differs between the two (classes, environments). Values that carry such classes are made once per
side by a function of the side; `outcome` turns what a call gave into plain data, so that two outcomes can be compared:
type and text of results, class name and message of exceptions.
"""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import jinja2
import jinja2.defaults
import markupsafe
from frozenctx.template import Engine, markup, undefined
from frozenctx.template.context import Context
from frozenctx.template.language import GLOBALS

UNDEFINED_CLASSES = ("Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined")


class Side:
    """One implementation, with an environment and a context for an undefined class and autoescape on or off."""

    def __init__(self, name: str, undefined_class: str, autoescape: bool) -> None:
        self.name = name
        self.context: Any
        self.environment: Any
        if name == "jinja2":
            self.library: Any = markupsafe
            self.undefineds = {kind: getattr(jinja2, kind) for kind in UNDEFINED_CLASSES}
            self.globals: dict[str, Any] = dict(jinja2.defaults.DEFAULT_NAMESPACE)
            self.environment = jinja2.Environment(undefined=self.undefineds[undefined_class], autoescape=autoescape)
            self.context = self.environment.from_string("").new_context({})
        else:
            self.library = markup
            self.undefineds = {kind: getattr(undefined, kind) for kind in UNDEFINED_CLASSES}
            self.globals = GLOBALS
            self.environment = Engine(undefined=self.undefineds[undefined_class], guard=False, autoescape=autoescape)
            self.context = Context(self.environment, {}, None, {})
        self.Markup = self.library.Markup

    def filter(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.environment.call_filter(name, value, args, kwargs, context=self.context)

    def test(self, name: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.environment.call_test(name, value, args, kwargs, context=self.context)


def sides(undefined_class: str = "StrictUndefined", autoescape: bool = False) -> tuple[Side, Side]:
    return Side("jinja2", undefined_class, autoescape), Side("frozenctx", undefined_class, autoescape)


def without_addresses(text: str) -> str:
    return re.sub(r"\b0x[0-9a-f]{8,}", "0x…", text)


def described(value: Any) -> Any:
    """Return plain data that is equal for equal results: type names instead of types, lists instead of iterators."""
    kind = type(value).__name__
    if isinstance(value, jinja2.Undefined | undefined.Undefined):
        return kind, value._undefined_message
    if isinstance(value, str | int | float | complex | bytes | None):
        return kind, without_addresses(str.__str__(value)) if isinstance(value, str) else repr(value)
    if isinstance(value, type):
        return kind, value.__name__
    if isinstance(value, dict):
        return kind, [(described(key), described(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return kind, [described(item) for item in value]
    if isinstance(value, Iterator):
        # The names of built-in iterators tell something (reversed), those of generators do not.
        return "generator" if kind == "generator" else kind, [described(item) for item in value]
    return kind, without_addresses(repr(value))


def outcome(call: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    random.seed(2024)
    try:
        return "value", described(call(*args))
    except RecursionError:
        return "error", "RecursionError"
    except Exception as error:
        return "error", type(error).__name__, without_addresses(str(error))


def assert_same(call: Callable[..., Any], pair: tuple[Side, Side], label: object = "") -> None:
    """Assert that `call(side)` has the same outcome on both sides."""
    theirs, ours = [outcome(call, side) for side in pair]
    assert ours == theirs, f"{label}: frozenctx gives {ours}, jinja2 {theirs}"
