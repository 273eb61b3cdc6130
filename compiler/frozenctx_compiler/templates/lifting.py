"""Reads of attributes as statements of their own, before the statement that needs them.

In: expressions of outputs, conditions, loops and assignments. Out: statements that read into a Python name what those
evaluate first, and for names of which several attributes are read one more that is the dict, if they are one.

Invariant: nothing is evaluated earlier than what stands before it. A read is lifted only if all that is evaluated
before it is lifted too, or is a name or a constant; of `a and b`, `b if a else c` and the like only `a` is looked into.
A printed value is made text before anything of the next one is evaluated. A statement can try to read, which costs a
third of calling a function that does: what has no such attribute or key is asked again by the handler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from jinja2 import nodes
from jinja2.compiler import Frame

from .chains import Chains
from .fold import HAS_VALUE
from .kept import LOOP_METHODS
from .lean_expressions import METHODS
from .literals import literal
from .text import MOST_HOLES, QUOTES, Hole, Line, f_string, one_call, quotes_around

TEMPORARY = re.compile(r"t_\d+")
# What of a counter is a number that reading the position cannot change.
POSITIONS = ("index", "index0")


class Lifting(Chains):
    # Statements

    def visit_If(self, node: nodes.If, frame: Frame) -> None:
        self.lift_now(node.test, frame.soft())
        super().visit_If(node, frame)

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:
        if not self.settled:
            super().visit_Assign(node, frame)
            return
        self.push_assign_tracking()
        for name in dict.fromkeys(reference.name for reference in self.outline.inside(node, nodes.NSRef)):
            target = frame.symbols.ref(name)
            opened = self.opened.get(target)
            unknown = f"{opened} is None and " if opened else ""
            self.writeline(f"if {unknown}not isinstance({target}, Namespace):")
            self.indent()
            self.writeline("raise engine.failure('cannot assign attribute on non-namespace object')")
            self.outdent()
        self.lift_now(node.node, frame)
        value = self.source(node.node, frame)
        self.newline(node)
        self.visit(node.target, frame)
        self.write(f" = {value}")
        self.pop_assign_tracking(frame)

    def iterated(self, node: nodes.Node, frame: Frame) -> str:
        self.lift_now(node, frame)
        return super().iterated(node, frame)

    def write_output(self, output: nodes.Output, frame: Frame, write: str) -> None:
        """Write statements that evaluate `output`; the last one calls `write` with its text."""
        pending: list[str | Hole] = []
        for child in output.nodes:
            text = self.constant_text(child, frame)
            if text is not None:
                pending += [text] if text else []
                continue
            statements = self.lift(child, frame)
            holes = list(self.holes(child, frame, None))
            if statements or not fit_on_a_line([*pending, *holes]):
                self.write_lines(self.settle(pending))
                self.write_lines(statements)
            if not fit_on_a_line(holes):
                self.write_lines(self.settle(holes))
            for hole in holes:
                pending.append(hole)
                if len(pending) == MOST_HOLES:
                    self.write_statements(one_call(write, first_line(pending), pending))
                    pending = []
        self.write_statements(one_call(write, first_line(pending), pending))

    def constant_text(self, child: nodes.Expr, frame: Frame) -> str | None:
        if not isinstance(child, HAS_VALUE):
            return None
        try:
            return self._output_child_to_const(child, frame, self._make_finalize())
        except Exception:
            return None  # not constant, or its evaluation fails: then it must fail at render

    def settle(self, parts: list[str | Hole]) -> Iterator[Line]:
        """Yield statements that make the values of all `parts` texts, and put the names of these in their places."""
        for place, part in enumerate(parts):
            if isinstance(part, Hole) and not part.settled:
                name = part.source if TEMPORARY.fullmatch(part.source) else self.temporary_identifier()
                text = part.source
                if not part.is_text:
                    text = f_string([part]) if quotes_around(part.source, QUOTES) else f"str({part.source})"
                yield part.line, f"{name} = {text}"
                parts[place] = Hole(name, part.line, settled=True)

    def holes(self, child: nodes.Expr, frame: Frame, finalize: str | None) -> Sequence[str | Hole]:
        found = list(self.pieces(child, frame) or super().holes(child, frame, finalize))
        found = [part for part in found if part != ""]
        if isinstance(child, nodes.Getattr) and child.attr in POSITIONS and self.counted(child, frame) is not None:
            assert isinstance(found[0], Hole)
            found[0] = Hole(found[0].source, found[0].line, settled=not frame.eval_ctx.autoescape)
        elif self.is_text(child, frame) and isinstance(found[0], Hole):
            found[0] = Hole(found[0].source, found[0].line, is_text=True)
        return found

    def is_text(self, node: nodes.Expr | None, frame: Frame) -> bool:
        """Whether the value of `node` is a choice of constant texts."""
        if isinstance(node, nodes.CondExpr):
            return self.is_text(node.expr1, frame) and self.is_text(node.expr2, frame)
        return node is None or (not frame.eval_ctx.autoescape and type(self.value(node, frame)) is str)

    def write_lines(self, lines: Iterator[Line] | Sequence[Line]) -> None:
        self.write_statements([line] for line in lines)

    # What is lifted

    def lift_now(self, node: nodes.Node, frame: Frame) -> None:
        """Write the statements that evaluate what `node` evaluates first."""
        if self.settled:
            self.write_lines(self.lift(node, frame))

    def lift(self, node: nodes.Node, frame: Frame) -> list[Line]:
        """Return those statements. From here on the source of what they evaluate is the name of its value."""
        self.taken = {}
        statements: list[Line] = []
        self.look_into(node, frame, statements)
        return statements

    def look_into(self, node: nodes.Node | None, frame: Frame, into: list[Line]) -> bool:
        """Lift what can be lifted of `node`. Return whether what is left of it cannot tell when it is evaluated."""
        match node:
            case None | nodes.Name() | nodes.Const():
                return True
            case nodes.Getattr():
                return self.look_into_attribute(node, frame, into)
            case nodes.Filter(name="default" | "d") | nodes.Test(name="defined" | "undefined"):
                # Whether it is there is found out without reading it.
                inner = node.node
                self.look_into(inner.node if isinstance(inner, nodes.Getattr | nodes.Getitem) else inner, frame, into)
            case nodes.Filter() | nodes.Test():
                self.look_into_all([node.node, *node.args], frame, into)
            case nodes.Call(node=nodes.Name()):
                self.look_into_all(node.args, frame, into)
            case nodes.Call(node=nodes.Getattr(node=target, attr=attr) as method):
                # Which function it is, is asked before any argument is evaluated.
                of_loop = self.loop_object(target, frame) is not None or self.counter(target, frame) is not None
                if self.called_directly(node, frame) is not None or (of_loop and attr in LOOP_METHODS):
                    self.look_into_all(node.args, frame, into)
                elif attr in METHODS and all(self.value(argument, frame) is not ... for argument in node.args):
                    self.look_into(target, frame, into)
                elif attr == "append" and not self.dialect.chat:
                    self.look_into_append(node, method, frame, into)
                else:
                    self.look_into_all([method, *node.args], frame, into)
            case nodes.Getitem(arg=nodes.Slice()):
                self.look_into(node.node, frame, into)
            case nodes.Getitem():
                return self.look_into_item(node, frame, into)
            case nodes.Concat():
                self.look_into_all(node.nodes, frame, into)
            case nodes.And() | nodes.Or():
                self.look_into(node.left, frame, into)
            case nodes.BinExpr():
                self.look_into_all([node.left, node.right], frame, into)
            case nodes.UnaryExpr():
                self.look_into(node.node, frame, into)
            case nodes.Compare():
                self.look_into_all([node.expr, node.ops[0].expr], frame, into)
            case nodes.CondExpr():
                self.look_into(node.test, frame.soft(), into)
            case nodes.List() | nodes.Tuple():
                self.look_into_all(node.items, frame, into)
        return False

    def look_into_all(self, operands: Sequence[nodes.Node | None], frame: Frame, into: list[Line]) -> None:
        for operand in operands:
            if not self.look_into(operand, frame, into):
                return

    def look_into_append(self, node: nodes.Call, method: nodes.Getattr, frame: Frame, into: list[Line]) -> None:
        """Of a list nobody can tell when its method is read."""
        if all(self.is_inert(argument, frame) for argument in node.args):
            self.look_into(method.node, frame, into)
            return
        self.take_operand(method.node, frame, into)
        first, again, passed = self.operand(method.node, frame)
        source = f"{again}.append if type({first}) is list else {self.read(passed, 'append')}"
        into.append((node.lineno, self.take(method, source)))
        self.look_into_all(node.args, frame, into)

    def look_into_attribute(self, node: nodes.Getattr, frame: Frame, into: list[Line]) -> bool:
        if self.counted(node, frame) is not None:
            return node.attr in POSITIONS
        if self.loop_object(node.node, frame) is not None or self.is_namespace(node.node):
            return False
        if self.dialect.needs_care(node.attr) or not is_identifier(node.attr):
            self.look_into(node.node, frame, into)
            return False
        self.take_operand(node.node, frame, into)
        first, again, passed = self.operand(node.node, frame)
        view = self.view_of(node.node, frame)
        key = literal(node.attr)
        if view:
            source = f"{view}[{key}] if {view} else {passed}.{node.attr} if {view} is None else attr({again}, {key})"
        else:
            source = f"{again}[{key}] if type({first}) is Dict else {passed}.{node.attr}"
        self.take_by_trying(node, source, "Lacking", f"absent({passed}, {key})", into)
        return True

    def look_into_item(self, node: nodes.Getitem, frame: Frame, into: list[Line]) -> bool:
        if self.loop_object(node.node, frame) is not None:
            return False
        self.take_operand(node.node, frame, into)
        if not self.look_into(node.arg, frame, into):
            return False
        key = self.source(node.arg, frame)
        passed = self.operand(node.node, frame)[2]
        self.take_by_trying(node, f"{passed}[{key}]", "Unfit", f"instead({passed}, {key})", into)
        return True

    def take_operand(self, node: nodes.Expr, frame: Frame, into: list[Line]) -> None:
        """Evaluate `node`, unless it is a name: its source is written several times."""
        settled = self.look_into(node, frame, into)
        if node not in self.taken and not (settled and isinstance(node, nodes.Name)):
            into.append((node.lineno, self.take(node, self.source(node, frame))))

    def take_by_trying(self, node: nodes.Expr, source: str, errors: str, instead: str, into: list[Line]) -> None:
        into.append((node.lineno, "try:"))
        into.append((None, f"    {self.take(node, source)}"))
        into.append((None, f"except {errors}:"))
        into.append((None, f"    {self.taken[node]} = {instead}"))

    def take(self, node: nodes.Node, source: str) -> str:
        """Return the statement that evaluates `node`, of which `source` is the source, into a name of its own."""
        self.taken[node] = name = self.temporary_identifier()
        return f"{name} = {source}"

    # Names that may be dicts

    def write_views(self, names: Iterator[str] | Sequence[str], frame: Frame, within: nodes.Node) -> None:
        """Write which of `names`, that hold a value and keep it while this frame lasts, are dicts, if it is worth it:
        if two attributes of it are read `within`, or one in a loop."""
        for name in names:
            if self.settled and self.outline.reads(name, within) >= 2:
                target = frame.symbols.ref(name)
                self.views[target] = view = f"d{target.removeprefix('l')}"
                self.writeline(f"{view} = {target} if type({target}) is Dict else view({target})")


def fit_on_a_line(parts: Sequence[str | Hole]) -> bool:
    """Whether all of `parts` can stand in one f-string, and errors in it are those of one line of the template."""
    quotes, line = QUOTES, None
    for part in parts:
        if isinstance(part, Hole) and not part.settled:
            quotes = quotes_around(part.source, quotes)
            if not quotes or line not in (None, part.line):
                return False
            line = part.line
    return True


def first_line(parts: Sequence[str | Hole]) -> int | None:
    """Return the template's line of those parts that can fail, or else of the first one."""
    holes = [part for part in parts if isinstance(part, Hole)]
    return next((hole.line for hole in [*(hole for hole in holes if not hole.settled), *holes]), None)


def is_identifier(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not iskeyword(name)
