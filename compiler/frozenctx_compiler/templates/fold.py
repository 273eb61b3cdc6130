"""Which constant expressions are computed at build.

In: expressions. Out: the same, with constants in the place of what is constant. Only operations that are pure, whose
result is small, and that do not depend on the Unicode version of the Python that builds are done here; jinja2 itself
folds more (arbitrary filters of the host, `"x" * 10 ** 9`). Whether something is folded shows in no rendered text.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, nodes
from jinja2.nodes import EvalContext, Impossible
from jinja2.optimizer import Optimizer

from .dialect import Dialect


class Folding(Optimizer):
    def __init__(self, environment: Environment, dialect: Dialect) -> None:
        super().__init__(environment)
        self.dialect = dialect

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        return node

    def constant(self, node: nodes.Expr, eval_ctx: EvalContext) -> Any:
        """Return the value of `node`, or raise `Impossible`."""
        if isinstance(node, nodes.Const | nodes.TemplateData):
            return node.as_const(eval_ctx)
        raise Impossible()
