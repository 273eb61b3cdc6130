"""Attributes, keys and positions of values.

In: a value and a name or a number. Out: what reading it gives; `Absent`, with the mistake that a use of it would be,
where no kind of the value has it.
"""

from typing import TYPE_CHECKING

from jinja2 import nodes

from .expressions import path_of, text_of
from .methods import data_of, items, methods_of
from .scopes import Scope
from .types import Scalar
from .values import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    Absent,
    Instance,
    Kind,
    Loop,
    Mapping,
    Method,
    Module,
    Nothing,
    Record,
    Sequence,
    Tuple,
    Value,
    either,
    some,
)

if TYPE_CHECKING:
    from .inference import Inference

LOOP: dict[str, Value] = {
    **dict.fromkeys(["depth", "depth0", "index", "index0", "length", "revindex", "revindex0"], INTEGER),
    **dict.fromkeys(["first", "last"], BOOLEAN),
    **dict.fromkeys(["changed", "cycle"], ANYTHING),
}

OF_MAPPINGS = frozenset(dir(dict))


def position(inference: "Inference", value: Value, position: int) -> Value:
    inference.touch(value)
    found: list[Value] = []
    for kind in value:
        match kind:
            case Nothing(mistake) if mistake is not None:
                found.append((Absent(mistake),))
            case Absent() | Nothing():
                pass
            case Tuple() if -len(kind.items) <= position < len(kind.items):
                found.append(kind.items[position])
            case Tuple(items=()):
                pass
            case Tuple():
                found.append(ANYTHING)
            case _:
                found.append(any_item(kind))
    return either(*found) or ANYTHING


def attribute(
    inference: "Inference", value: Value, name: str, node: nodes.Node, base: nodes.Node, scope: Scope, *, item: bool
) -> Value:
    """What an attribute, or the item of a literal key, gives. `node`: where a finding points to."""
    path = path_of(node)
    refined = scope.known(path) if path is not None and name == path[-1] else None
    inference.touch(value)
    found: list[Value] = []
    missing: list[Kind] = []
    without: list[Value] = []  # None has no attributes
    for kind in value:
        if isinstance(kind, Absent):
            continue
        if isinstance(kind, Nothing):
            if kind.mistake is not None:
                without.append((Absent(kind.mistake),))
            continue
        given = ANYTHING if name[:1] == "_" else attribute_of(inference, kind, name, node, scope, item)
        if given is None:
            missing.append(kind)
        elif given:  # what is empty has no keys
            found.append(given)
    if refined is not None:
        return inference.stamped(refined, name, text_of(node) or name, node, scope)
    if found:
        return either(*found, *without)
    if missing:
        declared = inference.origins.get(base)
        mistake = inference.mistake("attribute", text_of(base) or "", node, name, scope, declared, tuple(missing))
        return either((Absent(mistake),), *without)
    return either(*without) or ANYTHING


def attribute_of(
    inference: "Inference", kind: Kind, name: str, node: nodes.Node, scope: Scope, item: bool
) -> Value | None:
    match kind:
        case Instance():
            return field_of(inference, kind, name, node, scope, item)
        case Record():
            entries = dict(kind.entries)
            if name in methods_of(kind):
                return ANYTHING if name in entries else (Method(kind, name),)
            return ANYTHING if inference.changed else entries.get(name, ANYTHING)
        case Mapping():
            return (Method(kind, name),) if name in methods_of(kind) else kind.value
        case Scalar() | Sequence() | Tuple():
            if name in methods_of(kind):
                return (Method(kind, name),)
            return data_of(kind).get(name)
        case Module():
            own: dict[str, Value] = kind.scope.own
            extends = any(isinstance(each, nodes.Extends) for each in kind.scope.frame.template.tree.body)
            return own.get(name, ANYTHING if extends or inference.is_cut else None)
        case Loop():
            return kind.item if name in ("previtem", "nextitem") else LOOP.get(name)
    return ANYTHING


def field_of(
    inference: "Inference", kind: Instance, name: str, node: nodes.Node, scope: Scope, item: bool
) -> Value | None:
    member = inference.types.members(kind.of).get(name)
    if member is None:
        return (Method(kind, name),) if name in methods_of(kind) else None
    if name in OF_MAPPINGS and not item:  # of a mapping it is the method, of an object the field
        if node not in inference.called:
            text = text_of(node) or f"{kind.of.name}.{name}"
            inference.report(inference.mistake("method", text, node, name, scope, member.field, (kind,)))
        return ANYTHING
    text = text_of(node) or f"{kind.of.name}.{name}"
    inference.origins[node] = member.field
    for known_name, value in kind.narrowed:
        if known_name == name:
            return inference.stamped(value, name, text, node, scope)
    return inference.declared(member, text, node, scope, not member.field.required)


def dotted(inference: "Inference", value: Value, name: str, node: nodes.Expr, scope: Scope) -> Value:
    """What an attribute is that a filter is given as text: `"address.city"`, digits are positions."""
    for part in name.split("."):
        if part.isdigit():
            value = position(inference, value, int(part))
        else:
            value = attribute(inference, value, part, node, node, scope, item=True)
    return value


def got(
    inference: "Inference", owner: Instance, node: nodes.Call, positional: tuple[Value, ...], scope: Scope
) -> Value:
    """What `value.get("key", default)` gives of a class."""
    key = node.args[0]
    member = inference.types.members(owner.of).get(key.value) if isinstance(key, nodes.Const) else None
    if member is None:
        return ANYTHING
    return either(member.value, positional[1] if len(positional) > 1 else (Nothing(),))


def any_item(kind: Kind) -> Value:
    """What an item of unknown key or position is."""
    match kind:
        case Scalar(kind="str") | Sequence() | Tuple():
            return some(items(kind) or ())
        case Mapping():
            return some(kind.value)
    return ANYTHING
