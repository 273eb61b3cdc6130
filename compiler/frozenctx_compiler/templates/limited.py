"""The limited kind: programs that count what values make them do (docs/limits.md).

They are kept programs in which whatever values can make long goes through a helper of the limited engine: printing,
passes of loops, calls, products, formats, comparisons. Filters and tests count by themselves, for the engine has
others under their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jinja2 import nodes
from jinja2.compiler import Frame, operators, optimizeconst

from .kept import Kept
from .shape import words_of
from .text import Hole

# What these programs take from the engine besides the helpers of all programs.
METERED = (
    "Buffer", "add", "counting_test", "divide", "made", "modulo", "multiply", "negate", "power", "quotient",
    "searched", "shown", "spread", "step", "subtract", "taken", "weighed",
)  # fmt: skip


def binary(helper: str) -> Callable[[Limited, nodes.BinExpr, Frame], None]:
    """Return the visitor that writes an operation as a call of `helper`."""

    @optimizeconst
    def visit(self: Limited, node: nodes.BinExpr, frame: Frame) -> None:
        self.write(f"{helper}(")
        self.visit(node.left, frame)
        self.write(", ")
        self.visit(node.right, frame)
        self.write(")")

    return visit


def through(helper: str, node: nodes.Expr) -> nodes.Filter:
    """Return the node for a call of `helper` with the value of `node`; templates have no filter of such a name."""
    return nodes.Filter(node, f"{helper}()", [], [], None, None, lineno=node.lineno, environment=node.environment)


def inside(node: nodes.Expr) -> nodes.Expr:
    """Return what `through` was given, or any other node as it is."""
    wrapped = isinstance(node, nodes.Filter) and node.name.endswith("()")
    return node.node if wrapped else node  # type: ignore[attr-defined]


class Limited(Kept):
    """Kept, with counters."""

    def binding(self) -> list[str]:
        words = words_of(self.text.getvalue())
        return [f"{name} = engine.{name}" for name in METERED if name in words]

    def open_function(self, frame: Frame) -> None:
        self.writeline("resolve = context.resolve_or_missing")
        frame.buffer = self.function_buffer
        self.writeline("out = Buffer()")

    def buffer(self, frame: Frame) -> None:
        self._last_identifier += 1
        frame.buffer = f"out_{self._last_identifier}"
        self.writeline(f"{frame.buffer} = Buffer()")

    def holes(self, child: nodes.Expr, frame: Frame, finalize: str | None) -> Iterable[str | Hole]:
        try:
            self.folding.constant(child, frame.eval_ctx)
        except nodes.Impossible:
            child = through("shown", child)
        return super().holes(child, frame, finalize)

    def finalized_constant(self, child: nodes.Expr, frame: Frame) -> str | None:
        return super().finalized_constant(inside(child), frame)

    def converter(self, child: nodes.Expr, frame: Frame) -> str:
        return super().converter(inside(child), frame)

    # Loops

    def enter_frame(self, frame: Frame) -> None:
        if frame.loop_frame:
            self.writeline("step()")
        super().enter_frame(frame)

    def write_loop_test(self, node: nodes.For, loop_frame: Frame, test_frame: Frame) -> str:
        return f"counting_test({super().write_loop_test(node, loop_frame, test_frame)})"

    # Calls

    @optimizeconst
    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        if not node.name.endswith("()"):
            super().visit_Filter(node, frame)
            return
        assert node.node is not None
        self.write(node.name[:-1])
        self.visit(node.node, frame)
        self.write(")")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        extra = {"caller": "caller"} if forward_caller else {}
        if frame.loop_frame and self.has_loop_vars:
            extra["_loop_vars"] = "_loop_vars"
        if frame.block_frame and self.has_block_vars:
            extra["_block_vars"] = "_block_vars"
        self.write("call(context, ")
        self.visit(node.node, frame)
        self.signature(node, frame, extra)
        self.write(")")

    def signature(
        self,
        node: nodes.Call | nodes.Filter | nodes.Test,
        frame: Frame,
        extra_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        args, kwargs = node.dyn_args, node.dyn_kwargs
        try:
            node.dyn_args = args and through("taken", args)
            node.dyn_kwargs = kwargs and through("spread", kwargs)
            super().signature(node, frame, extra_kwargs)
        finally:
            node.dyn_args, node.dyn_kwargs = args, kwargs

    # Operators

    visit_Add = binary("add")
    visit_Div = binary("quotient")
    visit_FloorDiv = binary("divide")
    visit_Mod = binary("modulo")
    visit_Mul = binary("multiply")
    visit_Pow = binary("power")
    visit_Sub = binary("subtract")

    @optimizeconst
    def visit_Neg(self, node: nodes.UnaryExpr, frame: Frame) -> None:
        self.write("negate(")
        self.visit(node.node, frame)
        self.write(")")

    @optimizeconst
    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        self.write("(weighed(")
        self.visit(node.expr, frame)
        self.write(")")
        for operand in node.ops:
            helper = "searched" if operand.op in ("in", "notin") else "weighed"
            self.write(f" {operators[operand.op]} {helper}(")
            self.visit(operand.expr, frame)
            self.write(")")
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        keyed = [
            nodes.Pair(through("weighed", pair.key), pair.value, lineno=pair.lineno) for pair in node.items
        ]  # a key is hashed
        super().visit_Dict(nodes.Dict(keyed, lineno=node.lineno), frame)

    def write_sliced(self, node: nodes.Getitem, frame: Frame) -> None:
        self.write("made(")
        super().write_sliced(node, frame)
        self.write(")")
