"""What filters give.

In: a filter of the language, its input, its arguments. Out: what the result may be. Filters of the host, and those
whose result depends on values, give anything.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jinja2 import nodes

from . import attributes, conditions
from .expressions import literal_of
from .narrowing import is_defined, is_true, with_field
from .types import Scalar
from .values import (
    ANYTHING,
    INTEGER,
    NUMBER,
    TEXT,
    Absent,
    Instance,
    Kind,
    Mapping,
    Nothing,
    Sequence,
    Tuple,
    Value,
    either,
    some,
)

if TYPE_CHECKING:
    from .inference import Inference
    from .scopes import Scope

_GIVE_TEXT: Final = frozenset(
    ["as_codeblock", "as_xml", "bulleted_list", "capitalize", "center", "dedent", "e", "escape", "filesizeformat"]
    + ["forceescape", "format", "indent", "join", "lower", "numbered_list", "pprint", "replace", "safe", "string"]
    + ["striptags", "title", "to_json", "tojson", "trim", "truncate", "upper", "urlencode", "urlize", "wordwrap"]
    + ["xmlattr"]
)
_GIVE_INTEGERS: Final = frozenset(["count", "int", "length", "wordcount"])
# They do not touch an undefined value.
_LENIENT: Final = frozenset(["d", "default", "import_text", "import_yaml", "items", "pprint"])
# None is what they are for, or as good as anything else.
_TAKE_NONE: Final = frozenset(["as_xml", "float", "int", "pprint", "string", "to_json", "tojson"])
# They fail when an argument is undefined.
_TOUCH_ARGUMENTS: Final = frozenset(
    ["center", "format", "indent", "join", "replace", "round", "truncate", "urlencode", "wordwrap"]
)
# Filters that go through their input.
_LOOP: Final = frozenset(
    ["batch", "bulleted_list", "first", "groupby", "join", "list", "map", "max", "min", "numbered_list", "reject"]
    + ["rejectattr", "select", "selectattr", "slice", "sort", "sum", "unique"]
)
_COMPARED: Final = {"eq": "eq", "==": "eq", "equalto": "eq", "in": "eq", "ne": "ne", "!=": "ne"}
_ATTRIBUTES: Final = {"groupby": 0, "join": 1, "max": 1, "min": 1, "sort": 2, "sum": 0, "unique": 1}


@dataclass(frozen=True, slots=True)
class Filtering:
    """One use of a filter. `arguments`: positional ones; `place`: the node a finding about the input points to."""

    name: str
    arguments: tuple[tuple[nodes.Expr, Value], ...]
    named: dict[str, tuple[nodes.Expr, Value]]
    node: nodes.Expr
    place: nodes.Expr

    def argument(self, position: int, name: str) -> tuple[nodes.Expr, Value] | None:
        if position < len(self.arguments):
            return self.arguments[position]
        return self.named.get(name)


def filtered(use: Filtering, value: Value, inference: "Inference", scope: "Scope") -> Value:
    """The result of a filter for an input; findings go to `inference`."""
    name = use.name
    if name in inference.host.filters:
        return ANYTHING
    if name in ("default", "d"):
        inference.ask(value)
        return _defaulted(use, value)
    if name not in _LENIENT:
        if name in _TAKE_NONE:
            inference.touch(value)
        else:
            inference.use(value)
    if name in _TOUCH_ARGUMENTS:
        for _node, argument in (*use.arguments, *use.named.values()):
            inference.touch(argument)
    items = inference.items(value, use.place, scope) if name in _LOOP else ()
    if name in _ATTRIBUTES:
        _attribute(use, items, inference, scope, touch=True)
    if name in ("join", "bulleted_list", "numbered_list") and use.argument(1, "attribute") is None:
        inference.use(items)
    if name in _GIVE_TEXT:
        return TEXT
    if name in _GIVE_INTEGERS:
        if name in ("count", "length"):
            inference.items(value, use.place, scope)
        return INTEGER
    if name == "float":
        return NUMBER
    if name in ("abs", "round"):
        numbers = tuple(kind for kind in value if isinstance(kind, Scalar) and kind.kind in ("int", "float"))
        return (numbers or ANYTHING) if name == "abs" else NUMBER
    if name in ("first", "last", "max", "min", "random"):
        match value:
            case (Tuple(parts),) if parts and name in ("first", "last"):
                return parts[0] if name == "first" else parts[-1]
        return some(items or inference.items_quietly(value))
    if name in ("list", "sort", "unique"):
        return (Sequence("list", items),)
    if name == "reverse":
        if all(kind == Scalar("str") for kind in value):
            return TEXT
        return (Sequence("list", inference.items_quietly(value)),)
    if name in ("batch", "slice"):
        filler = use.argument(1, "fill_with")
        return (Sequence("list", (Sequence("list", either(items, filler[1]) if filler else items),)),)
    if name in ("items", "dictsort"):
        return (Sequence("list", (Tuple(_pair(value)),)),)
    if name == "groupby":
        grouper = _attribute(use, items, inference, scope, touch=False) or ANYTHING
        return (Sequence("list", (Tuple((grouper, (Sequence("list", items),)), ("grouper", "list")),)),)
    if name in ("select", "reject"):
        return _selected(use, items, inference)
    if name in ("selectattr", "rejectattr"):
        return _selected_by_attribute(use, items, inference, scope)
    if name == "map":
        return _mapped(use, items, inference, scope)
    return ANYTHING


def _defaulted(use: Filtering, value: Value) -> Value:
    default = use.argument(0, "default_value")
    boolean = use.argument(1, "boolean")
    kept = [kind for kind in value if is_defined(kind)]
    if boolean is not None and not (isinstance(boolean[0], nodes.Const) and not boolean[0].value):
        kept = [kind for kind in kept if is_true(kind) is not False]
    return either(tuple(kept), default[1] if default else TEXT) or ANYTHING


def _pair(value: Value) -> tuple[Value, Value]:
    """Key and value of what is probably a mapping."""
    keys: list[Value] = []
    items: list[Value] = []
    for kind in value:
        match kind:
            case Absent() | Nothing():
                continue
            case Mapping(key, item):
                keys.append(key)
                items.append(item)
            case Instance():
                keys.append(TEXT)
                items.append(ANYTHING)
            case _:
                return ANYTHING, ANYTHING
    return either(*keys) or ANYTHING, either(*items) or ANYTHING


def _literal(argument: tuple[nodes.Expr, Value] | None) -> str | int | None:
    if argument is not None and isinstance(argument[0], nodes.Const):
        constant = argument[0].value
        if isinstance(constant, str | int) and not isinstance(constant, bool):
            return constant
    return None


def _attribute(use: Filtering, items: Value, inference: "Inference", scope: "Scope", *, touch: bool) -> Value | None:
    """What the attribute that the filter is given by name is of each item; None without a literal name."""
    argument = use.argument(_ATTRIBUTES.get(use.name, 0), "attribute")
    name = _literal(argument)
    if argument is None or name is None:
        return None
    found: Value = ()
    for each in str(name).split(",") if use.name == "sort" else [str(name)]:
        found = attributes.dotted(inference, items, each, argument[0], scope)
        default = use.argument(1, "default") if use.name == "groupby" else None
        if default is not None:
            found = either(tuple(kind for kind in found if is_defined(kind)), default[1])
        if touch:
            inference.touch(found)
    return found


def _mapped(use: Filtering, items: Value, inference: "Inference", scope: "Scope") -> Value:
    if "attribute" in use.named and not use.arguments:
        name = _literal(use.named["attribute"])
        if name is None:
            return (Sequence("list", ANYTHING),)
        found = attributes.dotted(inference, items, str(name), use.named["attribute"][0], scope)
        if "default" in use.named:
            found = either(tuple(kind for kind in found if is_defined(kind)), use.named["default"][1])
        return (Sequence("list", found),)
    name = _literal(use.argument(0, "")) if use.arguments else None
    if not isinstance(name, str):
        return (Sequence("list", ANYTHING),)
    inner = Filtering(name, use.arguments[1:], use.named, use.node, use.arguments[0][0])
    return (Sequence("list", filtered(inner, items, inference, scope)),)


def _selected(use: Filtering, items: Value, inference: "Inference") -> Value:
    test = _literal(use.argument(0, "")) if use.arguments else None
    if use.arguments and not isinstance(test, str):
        return (Sequence("list", items),)
    passes, fails = conditions.asked(inference, items, test if isinstance(test, str) else None, use.arguments[1:])
    return (Sequence("list", passes if use.name == "select" else fails),)


def _selected_by_attribute(use: Filtering, items: Value, inference: "Inference", scope: "Scope") -> Value:
    name, test = _literal(use.argument(0, "")), _literal(use.argument(1, ""))
    if name is None or len(use.arguments) > 1 and not isinstance(test, str):
        return (Sequence("list", items),)
    found = attributes.dotted(inference, items, str(name), use.arguments[0][0], scope)
    passes, fails = conditions.asked(inference, found, test if isinstance(test, str) else None, use.arguments[2:])
    narrowed = passes if use.name == "selectattr" else fails
    if test in _COMPARED and len(use.arguments) > 2 and test not in inference.host.tests:
        constants = literal_of(use.arguments[2][0])
        if constants is not None and (test != "in" or isinstance(constants[0], list)):
            equal = (use.name == "selectattr") == (_COMPARED[str(test)] != "ne")
            choices = constants[0] if test == "in" else list(constants)
            items = with_field(items, str(name), choices, equal, inference.types)
    return (Sequence("list", tuple(_with(kind, str(name), narrowed) for kind in items)),)


def _with(kind: Kind, name: str, value: Value) -> Kind:
    if isinstance(kind, Instance):
        others = tuple((key, each) for key, each in kind.narrowed if key != name)
        return Instance(kind.name, kind.of, (*others, (name, value)))
    return kind
