"""What expressions of templates are by their form alone: paths, literals, values with a default.

In: a node of jinja2's tree. Out: plain data; None for every other form.
"""

from dataclasses import dataclass
from typing import Any

from jinja2 import nodes

from ..templates.tree import descendants
from .scopes import Path

_READS = frozenset([nodes.Name, nodes.Getattr, nodes.Getitem])


def leaves_out(body: list[nodes.Node]) -> bool:
    """Whether a loop's body may pass over some items: it ends early, or asks `loop` where it is."""
    return any(
        isinstance(node, nodes.Break | nodes.Continue) or isinstance(node, nodes.Name) and node.name == "loop"
        for statement in body
        for node in [statement, *descendants(statement)]
    )


def uses_loop(node: nodes.For) -> bool:
    """Whether a loop makes `loop`: what its body includes sees none, or that of a loop around it, if not."""
    if node.recursive:
        return True
    for statement in node.body:
        for each in [statement, *descendants(statement)]:
            if isinstance(each, nodes.Name) and each.name == "loop" or isinstance(each, nodes.Block) and each.scoped:
                return True
    return False


def literals_in(node: nodes.Node) -> list[nodes.Node]:
    """The lists and mappings that an expression writes and that it may be itself, or be made of."""
    match node:
        case nodes.List() | nodes.Dict():
            return [node]
        case nodes.Filter(node=nodes.Expr() as inner, args=arguments):
            return [each for part in [inner, *arguments] for each in literals_in(part)]
        case nodes.CondExpr(expr1=first, expr2=nodes.Expr() as second):
            return literals_in(first) + literals_in(second)
        case nodes.Or(left=first, right=second) | nodes.And(left=first, right=second):
            return literals_in(first) + literals_in(second)
        case nodes.Add(left=first, right=second):
            return literals_in(first) + literals_in(second)
        case nodes.Call(node=nodes.Getattr(node=inner, attr="items" | "keys" | "values"), args=[]):
            return literals_in(inner)
    return []


def path_of(node: nodes.Node) -> Path | None:
    """The path that an expression is, if it is a variable, attributes, literal keys and positions."""
    if type(node) is nodes.Name:
        return (node.name,)
    parts: list[str | int] = []
    while type(node) in _READS:
        match node:
            case nodes.Name():
                parts.append(node.name)
                return tuple(reversed(parts))
            case nodes.Getattr():
                parts.append(node.attr)
            case nodes.Getitem(arg=nodes.Const(value=str() | int() as part)):
                parts.append(part)
            case _:
                return None
        node = node.node
    return None


def text_of(node: nodes.Node) -> str | None:
    """A path as templates write it."""
    path = path_of(node)
    if path is None:
        return None
    text = str(path[0])
    for part in path[1:]:
        text += f".{part}" if isinstance(part, str) and part.isidentifier() else f"[{part!r}]"
    return text


@dataclass(frozen=True, slots=True)
class Default:
    """A literal default that a condition gives to what it is about. `when_false`: not only when that is undefined."""

    value: Any
    when_false: bool


def subject_of(node: nodes.Node) -> tuple[nodes.Node, Default | None]:
    """What a condition is about, and the default that it is given there."""
    if type(node) is not nodes.Filter:
        return node, None
    match node:
        case nodes.Filter(name="default" | "d", node=nodes.Expr() as inner, args=[], kwargs=[]):
            return inner, Default("", False)
        case nodes.Filter(name="default" | "d", node=nodes.Expr() as inner, args=[given, *more], kwargs=[]):
            constants = literal_of(given)
            if constants is not None:
                return inner, Default(constants[0], bool(more))
    return node, None


def literal_of(node: nodes.Node) -> tuple[Any] | None:
    """The value of a literal, in a tuple."""
    match node:
        case nodes.Const():
            return (node.value,)
        case nodes.List() | nodes.Tuple():
            parts = [literal_of(item) for item in node.items]
            if all(part is not None for part in parts):
                return ([part[0] for part in parts if part is not None],)
        case nodes.Dict(items=[]):
            return ({},)
    return None
