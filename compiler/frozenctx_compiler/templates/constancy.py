"""Whether what a template exports may be kept from one rendering to the next.

In: a tree. Out: yes, if its top level holds nothing but text, macros and constants: then no call can leave anything
behind for another. All else (lists, calls, imports, variables, includes) is made anew for each rendering that asks.
"""

from __future__ import annotations

from jinja2 import nodes

from .tree import descendants

CONSTANTS = (
    nodes.Const, nodes.TemplateData, nodes.Tuple, nodes.Concat, nodes.Compare, nodes.Operand, nodes.BinExpr,
    nodes.UnaryExpr, nodes.CondExpr,
)  # fmt: skip


def is_constant(tree: nodes.Template) -> bool:
    return all(map(_leaves_nothing, tree.body))


def _leaves_nothing(statement: nodes.Node) -> bool:
    match statement:
        case nodes.Macro():
            return True  # what it does is done when it is called
        case nodes.Output():
            return all(map(_is_value, statement.nodes))
        case nodes.Assign(target=nodes.Name()):
            return _is_value(statement.node)
        case nodes.AssignBlock(target=nodes.Name(), filter=None):
            return all(map(_leaves_nothing, statement.body))
    return False


def _is_value(expression: nodes.Node) -> bool:
    return all(isinstance(node, CONSTANTS) for node in (expression, *descendants(expression)))
