"""Which constant expressions are computed at build.

In: expressions. Out: the same, with constants in the place of what is constant. Only operations that are pure, whose
result is small, and that do not depend on the Unicode version of the Python that builds are done here; jinja2 itself
folds more (arbitrary filters of the host, `"x" * 10 ** 9`). Whether something is folded shows in no rendered text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.nodes import EvalContext, Impossible
from jinja2.optimizer import Optimizer

from .dialect import Dialect

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
LARGEST_OPERAND = 2**32
# Filters of one ASCII text or number, for which jinja2's function and the runtime's are alike.
FILTERS = frozenset(["abs", "capitalize", "count", "length", "lower", "string", "trim", "upper"])
Method = TypeVar("Method", bound=Callable[..., Any])
FOLDED = (nodes.BinExpr, nodes.UnaryExpr, nodes.Concat, nodes.Filter)
# All else never has a value here; most expressions are names and reads.
HAS_VALUE: tuple[type[nodes.Expr], ...] = (nodes.Const, nodes.TemplateData, *FOLDED)


def optimizeconst(method: Method) -> Method:
    """jinja2's decorator: visit what an expression folds to instead of it. Here that is never an equal one."""

    def visit(self: CodeGenerator, node: nodes.Expr, frame: Frame, **kwargs: Any) -> Any:
        if not frame.eval_ctx.volatile:
            folded = self.optimizer.visit(node, frame.eval_ctx)  # type: ignore[union-attr]
            if folded is not node:
                return self.visit(folded, frame)
        return method(self, node, frame, **kwargs)

    return visit  # type: ignore[return-value]


class Folding(Optimizer):
    """jinja2's hook for constant folding, with another rule. Leaves the tree as it is."""

    def __init__(self, environment: Environment, dialect: Dialect) -> None:
        super().__init__(environment)
        self.dialect = dialect

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        if isinstance(node, FOLDED):
            try:
                return nodes.Const(self.constant(node, args[0]), lineno=node.lineno)
            except Impossible:
                pass
        return node

    def constant(self, node: nodes.Expr, eval_ctx: EvalContext) -> Any:
        """Return the value of `node`: text or a number, a boolean or None. Raises `Impossible`."""
        match node:
            case nodes.Const(value=value) if value is None or type(value) in (str, int, float, bool):
                return value
            case nodes.TemplateData():
                return node.as_const(eval_ctx)
            case nodes.Neg() | nodes.Pos():
                value = number(self.constant(node.node, eval_ctx))
                return -value if isinstance(node, nodes.Neg) else value
            case nodes.BinExpr(operator=sign) if sign in ARITHMETIC:
                left = number(self.constant(node.left, eval_ctx))
                right = number(self.constant(node.right, eval_ctx))
                try:
                    return ARITHMETIC[sign](left, right)
                except ArithmeticError as error:
                    raise Impossible() from error
            case nodes.Concat():
                return "".join(str(self.constant(part, eval_ctx)) for part in node.nodes)
            case nodes.Filter(name=name) if name in FILTERS and name not in self.dialect.host_filters:
                if eval_ctx.volatile or node.args or node.kwargs or node.dyn_args or node.dyn_kwargs or not node.node:
                    raise Impossible()
                value = self.constant(node.node, eval_ctx)
                if type(value) is str and not value.isascii():
                    raise Impossible()
                try:
                    return JINJA_FILTERS[name](value)
                except Exception as error:
                    raise Impossible() from error
        raise Impossible()


def number(value: Any) -> int | float:
    """Return `value` if it is a number that stays small when it is computed with."""
    if type(value) in (int, float) and abs(value) <= LARGEST_OPERAND:
        return value  # type: ignore[no-any-return]
    raise Impossible()
