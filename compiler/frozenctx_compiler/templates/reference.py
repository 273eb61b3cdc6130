"""The reference kind: jinja2's own code generation in a program's shape.

It renders what jinja2 renders, as slowly. Tests compare the other kinds with it, and their differences with jinja2
are looked for here first.
"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.compiler import Frame

from .shape import ProgramGenerator


class Reference(ProgramGenerator):
    """Functions are generators of pieces of text, one for each output, as jinja2's are."""

    def open_function(self, frame: Frame) -> None:
        self.writeline("resolve = context.resolve_or_missing")
        self.writeline("cond_expr_undefined = Undefined")
        self.writeline("if 0:")
        self.indent()
        self.writeline("yield None")
        self.outdent()

    def close_function(self, frame: Frame) -> None:
        """Nothing: a generator ends by itself."""

    def write_pieces(self, pieces: str, frame: Frame, node: nodes.Node | None = None) -> None:
        if frame.buffer is None:
            self.writeline(f"yield from {pieces}", node)
        else:
            self.writeline(f"{frame.buffer}.extend({pieces})", node)
