"""Scopes whose Python names are ASCII.

jinja2's `Symbols` give every template variable a Python name; Python would fold some names together that a template
keeps apart, and reads others differently from version to version. In: jinja2's frames. Out: the same frames, with
other names for variables that are not ASCII.
"""

from __future__ import annotations

import re
from typing import Any, Self

from jinja2 import nodes
from jinja2.compiler import Frame
from jinja2.idtracking import FrameSymbolVisitor, RootVisitor, Symbols
from jinja2.nodes import EvalContext

from .tree import LEAVES, children


def identifier(name: str) -> str:
    """Return a part of a Python name for any text, another one for each."""
    if name.isascii() and name.isidentifier() and not re.search("_[0-9a-f]+_", name):
        return name
    # Every other character becomes its number between underscores; names that look like that become so too.
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


class SymbolVisitor(FrameSymbolVisitor):
    """jinja2's, which goes down into expressions without calling itself for each."""

    own = {
        getattr(nodes, name[6:]): getattr(FrameSymbolVisitor, name)
        for name in dir(FrameSymbolVisitor)
        if name.startswith("visit_")
    }

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> None:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            visitor = self.own.get(type(node))
            if visitor is not None:
                visitor(self, node, *args, **kwargs)
            elif type(node) not in LEAVES:
                below = children(node)
                below.reverse()
                waiting += below


class AsciiSymbols(Symbols):
    def analyze_node(self, node: nodes.Node, **kwargs: Any) -> None:
        visitor = RootVisitor(self)
        visitor.sym_visitor = SymbolVisitor(self)
        visitor.visit(node, **kwargs)

    def _define_ref(self, name: str, load: tuple[str, str | None] | None = None) -> str:
        target = f"l_{self.level}_{name}" if name.isascii() else f"u_{self.level}_{identifier(name)}"
        self.refs[name] = target
        if load is not None:
            self.loads[target] = load
        return target


class Scope(Frame):
    """jinja2's compile-time frame over `AsciiSymbols`."""

    def __init__(self, eval_ctx: EvalContext, parent: Frame | None = None, level: int | None = None) -> None:
        super().__init__(eval_ctx, parent, level)
        self.symbols = AsciiSymbols(parent.symbols if parent is not None else None, level=level)

    def inner(self, isolated: bool = False) -> Self:
        if isolated:
            # Sees no outer name, but is a part of the same function: it writes to the same buffer.
            result = type(self)(self.eval_ctx, level=self.symbols.level + 1)
            result.buffer = self.buffer
            return result
        return type(self)(self.eval_ctx, self)
