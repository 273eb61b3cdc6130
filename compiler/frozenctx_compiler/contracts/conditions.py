"""Conditions: what is known of paths where they hold, and where they do not.

In: an expression that is asked for its truth. Out: its value, and two mappings from paths to what they may still be.
Operands are gone through in the order, and under the conditions, of a rendering.
"""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jinja2 import nodes

from . import narrowing
from .expressions import Default, literal_of, path_of, subject_of
from .narrowing import KIND_TESTS, SILENT_TESTS, failing, is_defined, is_none, is_true, passing
from .scopes import DEEPEST, Path, Refined, Scope
from .values import ANYTHING, BOOLEAN, Absent, Kind, Value, either, known, of_constant

if TYPE_CHECKING:
    from .inference import Inference

Evaluated = tuple[Value, Refined, Refined]  # the value; what is known where it was true; where it was false
_LOGIC = frozenset([nodes.And, nodes.Compare, nodes.Not, nodes.Or, nodes.Test])
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lteq": operator.le,
    "gt": operator.gt,
    "gteq": operator.ge,
    "in": lambda item, items: item in items,
    "notin": lambda item, items: item not in items,
}


def evaluate(inference: "Inference", node: nodes.Node, scope: Scope, truth: bool = True) -> Evaluated:
    """The value of a condition; what is known where it holds, and where it does not. `truth`: it is asked for."""
    if type(node) in _LOGIC:
        if inference.nesting >= DEEPEST:
            return ANYTHING, {}, {}
        inference.nesting += 1
        found = _logic(inference, node, scope, truth)
        inference.nesting -= 1
        return found
    value = inference.infer(node, scope)
    if truth:
        inference.touch(value)
    subject, default = subject_of(node)
    path = path_of(subject)
    if path is None:
        return value, _got(inference, node, scope), {}
    if default is None:
        return value, {path: passing(value, is_true)}, {path: failing(value, lambda kind: not is_defined(kind))}
    if default.value:
        return value, {}, {}
    return value, {path: passing(inference.infer(subject, scope), is_true)}, {}


def _logic(inference: "Inference", node: nodes.Node, scope: Scope, truth: bool) -> Evaluated:
    match node:
        case nodes.Test():
            return (BOOLEAN, *test(inference, node, scope))
        case nodes.Compare():
            return (BOOLEAN, *comparison(inference, node, scope))
        case nodes.Not():
            _value, true, false = evaluate(inference, node.node, scope)
            return BOOLEAN, false, true
        case nodes.And():
            left, true, false = evaluate(inference, node.left, scope)
            if always(node.left) is False:
                return left, true, false
            right, more, less = evaluate(inference, node.right, scope.inside(true), truth)
            value = either(tuple(kind for kind in left if not isinstance(kind, Absent)), right)
            return value, {**true, **more}, _both(false, {**true, **less})
        case nodes.Or():
            left, true, false = evaluate(inference, node.left, scope)
            if always(node.left) is True:
                return left, true, false
            right, more, less = evaluate(inference, node.right, scope.inside(false), truth)
            value = either(passing(left, is_true), right)
            return value, _both(true, {**false, **more}), {**false, **less}
    raise AssertionError(f"{type(node).__name__} is no logic")


def always(node: nodes.Node) -> bool | None:
    """Whether a condition is a constant, and which. What is behind `{% if false %}` is never reached."""
    return bool(node.value) if isinstance(node, nodes.Const) else None


def test(inference: "Inference", node: nodes.Test, scope: Scope) -> tuple[Refined, Refined]:
    value = inference.infer(node.node, scope)
    arguments = tuple((argument, inference.infer(argument, scope)) for argument in node.args)
    if node.name in inference.host.tests:
        return {}, {}
    subject, default = subject_of(node.node)
    path = path_of(subject)
    if node.name in ("defined", "undefined"):
        inference.ask(value)
    if node.name == "undefined":
        false, true = asking(inference, value, path, narrowing.is_defined, default, subject, scope)
        return true, false
    if node.name == "iterable":
        inference.touch(value)
        return asking(inference, value, path, narrowing._is_iterable, default, subject, scope)
    if node.name in KIND_TESTS:
        return asking(inference, value, path, KIND_TESTS[node.name], default, subject, scope)
    if node.name in SILENT_TESTS:
        return {}, {}
    inference.touch(value)
    for _node, argument in arguments:
        inference.touch(argument)
    if node.name in ("eq", "==", "equalto", "ne", "!=", "in") and len(node.args) == 1:
        symbol = {"ne": "ne", "!=": "ne", "in": "in"}.get(node.name, "eq")
        if default is not None:
            return compared_default(inference, subject, default, nodes.Operand(symbol, node.args[0]), scope)
        return compared(inference, value, subject, symbol, node.args[0], scope)
    return {}, {}


def asking(
    inference: "Inference",
    value: Value,
    path: Path | None,
    asked: Callable[[Kind], narrowing.Answer],
    default: Default | None,
    subject: nodes.Node,
    scope: Scope,
) -> tuple[Refined, Refined]:
    if path is None:
        return {}, {}
    if default is None:
        return {path: passing(value, asked)}, {path: failing(value, asked)}
    # `x | default(none) is not none`: where the default itself would have answered otherwise, `x` was there.
    answers = {asked(kind) for kind in of_constant(default.value)}
    value = _there(inference.infer(subject, scope), default)
    true = {path: passing(value, asked)} if answers == {False} else {}
    false = {path: failing(value, asked)} if answers == {True} else {}
    return true, false


def comparison(inference: "Inference", node: nodes.Compare, scope: Scope) -> tuple[Refined, Refined]:
    value = inference.infer(node.expr, scope)
    others = [inference.infer(operand.expr, scope) for operand in node.ops]
    for operand, other in zip(node.ops, others, strict=True):
        if operand.op in ("eq", "ne"):
            inference.touch(value)
            inference.touch(other)
        elif operand.op in ("in", "notin"):
            inference.touch(value)
            inference.use(other)
        else:
            inference.use(value)
            inference.use(other)
    if len(node.ops) != 1:
        return {}, {}
    subject, default = subject_of(node.expr)
    if default is not None:
        return compared_default(inference, subject, default, node.ops[0], scope)
    symbol, other_node = node.ops[0].op, node.ops[0].expr
    if symbol in ("in", "notin") and isinstance(subject, nodes.Const):
        there = _with_key(inference, other_node, subject, is_defined, scope)
        return (there, {}) if symbol == "in" else ({}, there)
    if path_of(subject) is None and symbol in ("eq", "ne") and path_of(other_node) is not None:
        subject, value, other_node = other_node, others[0], node.expr  # `none == x`
    return compared(inference, value, subject, symbol, other_node, scope)


def _got(inference: "Inference", node: nodes.Node, scope: Scope) -> Refined:
    """What `owner.get("key")` says where it is true."""
    match node:
        case nodes.Call(node=nodes.Getattr(node=owner, attr="get"), args=[nodes.Const() as key], kwargs=[]):
            return _with_key(inference, owner, key, is_true, scope)
    return {}


def _with_key(
    inference: "Inference", owner: nodes.Expr, key: nodes.Const, asked: Callable[[Kind], narrowing.Answer], scope: Scope
) -> Refined:
    """What is known of `owner["key"]` where it is there."""
    item = nodes.Getitem(owner, key, "load", lineno=key.lineno)
    path = path_of(item)
    if path is None or not isinstance(key.value, str):
        return {}
    return {path: passing(inference.infer(item, scope), asked)}


def compared_default(
    inference: "Inference", subject: nodes.Node, default: Default, operand: nodes.Operand, scope: Scope
) -> tuple[Refined, Refined]:
    """`(x | default("en")) != "en"`: where the default itself would have answered otherwise, `x` was there."""
    path, other = path_of(subject), literal_of(operand.expr)
    if path is None or other is None:
        return {}, {}
    try:
        answer = bool(_OPERATORS[operand.op](default.value, other[0]))
    except TypeError:
        return {}, {}
    there = _there(inference.infer(subject, scope), default)
    return ({}, {path: there}) if answer else ({path: there}, {})


def compared(
    inference: "Inference", value: Value, subject: nodes.Node, symbol: str, other: nodes.Node, scope: Scope
) -> tuple[Refined, Refined]:
    path, constants = path_of(subject), literal_of(other)
    if path is None or symbol not in ("eq", "ne", "in", "notin"):
        return {}, {}
    defined = known(kind for kind in value if is_defined(kind))
    if constants is None or symbol in ("in", "notin") and not isinstance(constants[0], list):
        return {path: defined}, {path: defined}  # equal to something unknown, which may be none
    choices = constants[0] if symbol in ("in", "notin") else list(constants)
    with_none = any(choice is None for choice in choices)
    if with_none and len(choices) == 1:
        equal = {path: passing(defined, is_none)}
    else:
        equal = {path: known(kind for kind in defined if with_none or not is_none(kind))}
    other_than = {path: known(kind for kind in defined if not (with_none and is_none(kind)))}
    if isinstance(subject, nodes.Getattr | nodes.Getitem):
        owner = inference.infer(subject.node, scope)
        equal[path[:-1]] = narrowing.with_field(owner, str(path[-1]), choices, True, inference.types)
        other_than[path[:-1]] = narrowing.with_field(owner, str(path[-1]), choices, False, inference.types)
    return (equal, other_than) if symbol in ("eq", "in") else (other_than, equal)


def asked(
    inference: "Inference", value: Value, test: str | None, arguments: tuple[tuple[nodes.Expr, Value], ...]
) -> tuple[Value, Value]:
    """What passes a test that a filter applies, and what fails it. Without one: truth."""
    if test in inference.host.tests:
        return value, value
    if test is None:
        inference.touch(value)
        return passing(value, is_true), failing(value, lambda kind: not is_defined(kind))
    if test == "undefined":
        return failing(value, is_defined), passing(value, is_defined)
    if test in KIND_TESTS:
        return passing(value, KIND_TESTS[test]), failing(value, KIND_TESTS[test])
    if test in SILENT_TESTS:
        return value, value
    inference.touch(value)
    for _node, argument in arguments:
        inference.touch(argument)
    defined = known(kind for kind in value if is_defined(kind))
    if test in ("eq", "==", "equalto") and arguments:
        constants = literal_of(arguments[0][0])
        if constants is not None and constants[0] is not None:
            return known(kind for kind in defined if not is_none(kind)), defined
    return defined, defined


def _there(value: Value, default: Default) -> Value:
    """A value that was not replaced by its default."""
    return passing(value, is_true) if default.when_false else known(kind for kind in value if is_defined(kind))


def _both(first: Refined, second: Refined) -> Refined:
    return {path: either(value, second[path]) for path, value in first.items() if path in second}
