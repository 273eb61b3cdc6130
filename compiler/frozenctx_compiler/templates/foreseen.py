"""What jinja2 computes while it compiles: that is escaped as autoescape is known to be then.

In: an expression, and whether the value of autoescape is not known there. Out: whether jinja2 computes the expression.
Nothing is emitted in its place. Values are worked out only because it depends on some (`'<' if 1 > 2 else x`), and only
those that are small; where one that is not would decide, all that may be chosen has to be constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from frozenctx.template.applying import pass_arg
from jinja2 import Environment, nodes
from jinja2.nodes import Impossible

from .dialect import Dialect
from .fold import ARITHMETIC, FILTERS, LARGEST_OPERAND

UNKNOWN = object()
UNARY: dict[str, Callable[[Any], Any]] = {"not": operator.not_, "+": operator.pos, "-": operator.neg}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "gteq": operator.ge, "lt": operator.lt,
    "lteq": operator.le, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip
LARGEST_EXPONENT = 64
SCALARS = (str, int, bool, type(None))
SMALL_FILTERS = FILTERS | {"d", "default", "first", "last", "list"}


class Foresight:
    """`dialect`, `environment`: of the template."""

    def __init__(self, environment: Environment, dialect: Dialect) -> None:
        self.environment = environment
        self.functions = {
            nodes.Filter: (environment.filters, dialect.host_filters),
            nodes.Test: (environment.tests, dialect.host_tests),
        }

    def computes(self, node: nodes.Expr, late: bool) -> bool:
        """Whether jinja2 computes `node` where it does not know if autoescape is on (`late`), or where it does."""
        try:
            self._value(node, late)
        except Impossible:
            return False
        return True

    def _value(self, node: nodes.Node, late: bool) -> Any:
        """Return the value of `node`, or UNKNOWN for one that may be anything. Raises `Impossible`."""
        match node:
            case nodes.Const():
                return node.value
            case nodes.TemplateData() if not late:
                return node.data
            case nodes.List() | nodes.Tuple():
                items = self._values(node.items, late)
                return UNKNOWN if UNKNOWN in items else items if isinstance(node, nodes.List) else tuple(items)
            case nodes.Dict():
                items = self._values([part for pair in node.items for part in (pair.key, pair.value)], late)
                return UNKNOWN if UNKNOWN in items else applied(dict, zip(items[::2], items[1::2], strict=True))
            case nodes.CondExpr():
                return self._chosen(node, late)
            case nodes.And() | nodes.Or():
                left = self._value(node.left, late)
                if left is UNKNOWN:
                    self._value(node.right, late)
                    return UNKNOWN
                return left if bool(left) is isinstance(node, nodes.Or) else self._value(node.right, late)
            case nodes.UnaryExpr():
                value = self._value(node.node, late)
                return UNKNOWN if value is UNKNOWN else applied(UNARY[node.operator], value)
            case nodes.BinExpr():
                return computed(node.operator, self._value(node.left, late), self._value(node.right, late))
            case nodes.Compare():
                return self._compared(node, late)
            case nodes.Concat():
                items = self._values(node.nodes, late)
                small = all(type(item) in SCALARS for item in items)
                return "".join(applied(str, item) for item in items) if small else UNKNOWN
            case nodes.Filter(node=nodes.Expr()) | nodes.Test() if not late:
                known, of_host = self.functions[type(node)]
                function = known.get(node.name)
                if function is None or (pass_arg(function) == "context" and node.name not in of_host):
                    raise Impossible
                if node.name not in of_host and (isinstance(node, nodes.Test) or node.name in SMALL_FILTERS):
                    return self._called(function, node, late)
            case nodes.Getitem(ctx="load"):
                container, key = self._value(node.node, late), self._value(node.arg, late)
                try:
                    return UNKNOWN if UNKNOWN in (container, key) else container[key]
                except Exception:  # an attribute, or undefined
                    return UNKNOWN
            case nodes.Getattr(ctx="load") | nodes.Slice():
                pass
            case _:
                raise Impossible
        below = list(node.iter_child_nodes())
        self._values([part.value if isinstance(part, nodes.Keyword) else part for part in below], late)
        return UNKNOWN

    def _values(self, parts: list[nodes.Expr] | list[nodes.Node], late: bool) -> list[Any]:
        return [self._value(part, late) for part in parts]

    def _called(self, function: Callable[..., Any], node: nodes.Filter | nodes.Test, late: bool) -> Any:
        """Return what a filter or test of the language gives, one whose result is small."""
        assert node.node is not None
        arguments = self._values([node.node, *node.args], late)
        named = {str(pair.key): self._value(pair.value, late) for pair in node.kwargs}
        spread = [part for part in (node.dyn_args, node.dyn_kwargs) if part is not None]
        if self._values(spread, late) or UNKNOWN in (*arguments, *named.values()):
            return UNKNOWN
        first = [self.environment] if pass_arg(function) == "environment" else []
        result = applied(function, *first, *arguments, **named)
        return result if type(result) in (*SCALARS, float, list, tuple, dict) else UNKNOWN

    def _chosen(self, node: nodes.CondExpr, late: bool) -> Any:
        choice = self._value(node.test, late)
        if choice is UNKNOWN or choice:
            value = self._value(node.expr1, late)
        if choice is UNKNOWN or not choice:
            if node.expr2 is None:
                raise Impossible
            value = self._value(node.expr2, late)
        return UNKNOWN if choice is UNKNOWN else value

    def _compared(self, node: nodes.Compare, late: bool) -> Any:
        left = self._value(node.expr, late)
        result: Any = left
        for operand in node.ops:
            right = self._value(operand.expr, late)
            if UNKNOWN in (left, right) or result is UNKNOWN:
                result = UNKNOWN
            else:
                result = applied(COMPARISONS[operand.op], left, right)
                if not result:
                    return False
            left = right
        return result


def computed(sign: str, left: Any, right: Any) -> Any:
    """Return what an operation gives, if that is small for certain."""
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    numbers = all(isinstance(operand, int | float) and abs(operand) <= LARGEST_OPERAND for operand in (left, right))
    if sign == "**" and numbers and abs(right) <= LARGEST_EXPONENT:
        return applied(operator.pow, left, right)
    if sign in ARITHMETIC and (numbers or sign in ("+", "-")):
        return applied(ARITHMETIC[sign], left, right)
    return UNKNOWN


def applied(function: Callable[..., Any], *operands: Any, **named: Any) -> Any:
    try:
        return function(*operands, **named)
    except Exception as error:
        raise Impossible from error
