"""The kept kind: names through a context, everything else as direct as jinja2's meaning allows.

Functions collect text in a list and return it. One `{{ … }}` after the other becomes one f-string; filters, tests and
helpers are names of `bind`; the `loop` object is asked directly. What is evaluated, and in which order, is as in the
reference kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO

from jinja2 import Environment, nodes
from jinja2.compiler import CompilerExit, Frame, MacroRef
from jinja2.idtracking import VAR_LOAD_PARAMETER, VAR_LOAD_RESOLVE
from jinja2.nodes import EvalContext

from .dialect import Dialect
from .fold import optimizeconst
from .literals import literal
from .scopes import identifier
from .shape import ProgramGenerator
from .text import Hole, Line, write_calls
from .tree import descendants

# What `loop` knows without looking ahead, and how it is asked. The rest may run code of the iterated object, whose
# AttributeError means an undefined value: that goes the general way.
LOOP_ATTRIBUTES = {
    "depth": "({}.depth0 + 1)",
    "depth0": "{}.depth0",
    "first": "({}.index0 == 0)",
    "index": "({}.index0 + 1)",
    "index0": "{}.index0",
    "previtem": "{}.previtem",
}
LOOP_METHODS = ("changed", "cycle")
# In the place of jinja2's load instructions: the name has been looked up already.
HOISTED = ("hoisted", None)


@dataclass(frozen=True, slots=True)
class Counter:
    """Names in the place of a `loop` object, None for what is not asked for. `end`: of the last item's count. `before`:
    of the item before. `changed`: of what `changed` was last asked with. `by_number`: the next item is asked for."""

    loop: str
    index0: str
    end: str | None
    before: str | None
    changed: str | None
    by_number: bool


class Kept(ProgramGenerator):
    """Functions return lists of text. `frame.buffer` is always the list in use, `out` or `out_<n>`."""

    function_buffer = "out"

    # Whether some `set` stands in a loop (or block), so that callables may see its name.
    has_loop_vars = False
    has_block_vars = False
    # What a loop has to look for in its body.
    has_scoped_blocks = False
    sets_loop = False

    def __init__(self, environment: Environment, name: str | None, dialect: Dialect) -> None:
        super().__init__(environment, name, dialect)
        # Of the loops around: names of `loop` objects; name that the object would have → what there is in its place.
        self.loops: list[str] = []
        self.counters: dict[str, Counter] = {}
        self.functions: list[str] = []

    def write_before_root(self, node: nodes.Template, eval_ctx: EvalContext) -> None:
        if any(map(self.found, (nodes.Assign, nodes.AssignBlock))):
            self.has_loop_vars = any(map(assigns, self.found(nodes.For)))
            self.has_block_vars = any(map(assigns, self.found(nodes.Block)))
        self.has_scoped_blocks = any(block.scoped for block in self.found(nodes.Block))
        for target in self.found(nodes.Name):
            if target.name == "loop" and target.ctx == "store":
                self.sets_loop = True

    # Functions and buffers

    def open_function(self, frame: Frame) -> None:
        self.writeline("resolve = context.resolve_or_missing")
        frame.buffer = self.function_buffer
        self.writeline("out = []")

    def close_function(self, frame: Frame) -> None:
        self.writeline("return out")

    def write_block_vars(self) -> None:
        if self.has_block_vars:
            super().write_block_vars()

    def buffer(self, frame: Frame) -> None:
        self._last_identifier += 1
        frame.buffer = f"out_{self._last_identifier}"
        self.writeline(f"{frame.buffer} = []")

    def writer(self, frame: Frame) -> str:
        """Return the source of the function that appends to the frame's buffer."""
        return f"{frame.buffer}.append"

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        self.writeline(f"{self.writer(frame)}(", node)

    def write_pieces(self, pieces: str, frame: Frame, node: nodes.Node | None = None) -> None:
        self.writeline(f"{frame.buffer}.extend({pieces})", node)

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        before = self.stream.tell()
        try:
            for node in nodes:
                self.visit(node, frame)
        except CompilerExit:
            pass
        if self.stream.tell() == before:
            self.writeline("pass")

    @contextmanager
    def captured(self) -> Iterator[StringIO]:
        """Collect what is written inside, instead of writing it: for expressions, which write no line breaks."""
        outer, new_lines = self.stream, self._new_lines
        self.stream, self._new_lines = StringIO(), 0
        try:
            yield self.stream
        finally:
            self.stream, self._new_lines = outer, new_lines

    def source(self, node: nodes.Node, frame: Frame) -> str:
        return self.written(self.visit, node, frame)

    def written(self, write: Callable[..., object], *arguments: object) -> str:
        """Return what a function writes. As `captured`, which costs more than most expressions."""
        outer, new_lines = self.stream, self._new_lines
        self.stream = stream = StringIO()
        self._new_lines = 0
        try:
            write(*arguments)
        finally:
            self.stream, self._new_lines = outer, new_lines
        return stream.getvalue()

    # Output

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        if frame.require_output_check:
            if self.has_known_extends:
                return
            self.writeline("if parent_template is None:")
            self.indent()
        statements = list(write_calls(self.writer(frame), self.parts(node, frame)))
        self.write_statements(statements)
        if frame.require_output_check:
            if not statements:
                self.writeline("pass")
            self.outdent()

    def parts(self, node: nodes.Output, frame: Frame) -> list[str | Hole]:
        finalize = self._make_finalize()
        parts: list[str | Hole] = []
        for child in node.nodes:
            try:
                if finalize.const is None and not isinstance(child, nodes.TemplateData):
                    raise nodes.Impossible()
                parts.append(self._output_child_to_const(child, frame, finalize))
            except Exception:
                # Not constant, or its evaluation fails: then it must fail at render.
                parts.extend(self.holes(child, frame, finalize.src))
        return parts

    def holes(self, child: nodes.Expr, frame: Frame, finalize: str | None) -> Iterable[str | Hole]:
        """Return the parts of an output that print `child`."""
        return [Hole(self.written(self.write_converted, child, frame, finalize), child.lineno)]

    def write_statements(self, statements: Iterable[list[Line]]) -> None:
        for statement in statements:
            for line, text in statement:
                self.newline()
                if line is not None and line != self._last_line:
                    self._write_debug_info = self._last_line = line
                self.write(text)

    def write_converted(self, child: nodes.Expr, frame: Frame, finalize: str | None) -> None:
        """Write an expression for a hole of an f-string, which itself converts with `str`."""
        constant = self.finalized_constant(child, frame)
        if constant is not None:
            self.write(constant)
            self.visit(child, frame)
            self.write(")")
            return
        converter = self.converter(child, frame)
        opening = [f"{converter}("] if converter != "str" else []
        opening += [finalize] if finalize else []
        self.write("".join(opening))
        self.visit(child, frame)
        self.write(")" * len(opening))

    # Expressions

    def loop_object(self, node: nodes.Node, frame: Frame) -> str | None:
        """Return the Python name if `node` is the `loop` of a loop around it, else None."""
        if isinstance(node, nodes.Name) and node.name == "loop":
            target = frame.symbols.ref("loop")
            return target if target in self.loops else None
        return None

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        loop = self.loop_object(node.node, frame)
        if loop is not None and node.attr in LOOP_ATTRIBUTES:
            self.write(LOOP_ATTRIBUTES[node.attr].format(loop))
            return
        # `attr` takes a short cut for dicts, and the guard is not asked about the names that it gets.
        self.write("getattribute(" if self.dialect.needs_care(node.attr) else "attr(")
        self.visit(node.node, frame)
        self.write(f", {literal(node.attr)})")

    @optimizeconst
    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            self.write_sliced(node, frame)
            return
        self.write("getitem(")
        self.visit(node.node, frame)
        self.write(", ")
        self.visit(node.arg, frame)
        self.write(")")

    @optimizeconst
    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:
        # Whether a name is defined is the commonest question of all.
        if (
            node.name in ("defined", "undefined")
            and isinstance(node.node, nodes.Name)
            and not (node.args or node.kwargs or node.dyn_args or node.dyn_kwargs)
            and node.name not in self.dialect.host_tests
        ):
            target = frame.symbols.ref(node.node.name)
            negation = "not " if node.name == "defined" else ""
            self.write(f"({negation}({target} is missing or isinstance({target}, Absent)))")
            return
        with self._filter_test_common(node, frame, False):
            self.visit(node.node, frame)

    @optimizeconst
    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:
        frame = frame.soft()
        self.write("(")
        self.visit(node.expr1, frame)
        self.write(" if ")
        self.visit(node.test, frame)
        self.write(" else ")
        if node.expr2 is not None:
            self.visit(node.expr2, frame)
        else:
            # Always the lenient class: `{{ "x" if false }}` prints nothing even where undefined values raise.
            place = self.position(node)
            hint = f"the inline if-expression on {place} evaluated to false and no else section was defined."
            self.write(f"engine.nothing({literal(hint)})")
        self.write(")")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        extra = {"caller": "caller"} if forward_caller else {}
        if isinstance(node.node, nodes.Getattr) and node.node.attr in LOOP_METHODS and not extra:
            loop = self.loop_object(node.node.node, frame)
            if loop is not None:
                with self.captured() as stream:
                    self.signature(node, frame)
                self.write(f"{loop}.{node.node.attr}({stream.getvalue()[2:]})")
                return
        if frame.loop_frame and self.has_loop_vars:
            extra["_loop_vars"] = "_loop_vars"
        if frame.block_frame and self.has_block_vars:
            extra["_block_vars"] = "_block_vars"
        # Functions marked to want the context see names set in a loop or block: only the general way knows them.
        # A sandbox has its own.
        general = ("_loop_vars" in extra or "_block_vars" in extra) and not self.dialect.chat
        self.write("context.call(" if general else "call(context, ")
        self.visit(node.node, frame)
        self.signature(node, frame, extra)
        self.write(")")

    # Loops

    def write_loop(self, node: nodes.For, frame: Frame) -> None:
        for name in node.find_all(nodes.Name) if self.sets_loop else ():
            if name.ctx == "store" and name.name == "loop":
                self.fail("Can't assign to special loop variable in for-loop target", name.lineno)
        loop_frame = frame.inner()
        loop_frame.loop_frame = True
        test_frame = frame.inner()
        else_frame = frame.inner()
        loop: str | None = None
        if (
            node.recursive
            or self.reads(node.body, "loop")
            or (self.has_scoped_blocks and any(block.scoped for block in node.find_all(nodes.Block)))
        ):
            loop = loop_frame.symbols.declare_parameter("loop")
        loop_frame.symbols.analyze_node(node, for_branch="body")
        if node.else_:
            else_frame.symbols.analyze_node(node, for_branch="else")
        passes = None
        if node.test is not None:
            passes = self.write_loop_test(node, loop_frame, test_frame)
        if node.recursive:
            self.writeline("def loop(reciter, loop_render_func, depth=0):", node)
            self.indent()
            self.buffer(loop_frame)
            else_frame.buffer = loop_frame.buffer
        counter = self.counter_of(node, loop) if loop is not None else None
        if counter is not None:
            loop = None
        if loop is not None:
            self.writeline(f"{loop} = missing")
        nothing_passed = None
        if node.else_:
            nothing_passed = self.temporary_identifier()
            self.writeline(f"{nothing_passed} = True")
        if not node.recursive:
            self.hoist_lookups(loop_frame)
        iterable = "reciter" if node.recursive else self.iterated(node.iter, frame)
        if passes is not None:
            iterable = f"{passes}({iterable})"
        if loop is not None:
            recursion = ", loop_render_func, depth" if node.recursive else ""
            iterable = f"LoopContext({iterable}, undefined{recursion})._walk()"
        target = self.source(node.target, loop_frame)
        if counter is not None:
            iterable = self.write_counted(counter, iterable, node)
            target = f"{counter.index0}, {target}"
        self.writeline(f"for {target}{f', {loop}' if loop is not None else ''} in {iterable}:", node)
        self.indent()
        before = self.stream.tell()
        self.enter_frame(loop_frame)
        if self.has_loop_vars:
            self.writeline("_loop_vars = {}")
        if loop is not None:
            self.loops.append(loop)
        if counter is not None:
            self.counters[counter.loop] = counter
        self.begin_body(node, loop_frame)
        self.blockvisit(node.body, loop_frame)
        self.end_body(node, loop_frame)
        if loop is not None:
            self.loops.pop()
        if counter is not None:
            del self.counters[counter.loop]
        if nothing_passed is not None:
            self.writeline(f"{nothing_passed} = False")
        assert self.stream.tell() > before
        self.outdent()
        self.leave_frame(loop_frame, with_python_scope=node.recursive and not node.else_)
        if nothing_passed is not None:
            self.writeline(f"if {nothing_passed}:")
            self.indent()
            self.enter_frame(else_frame)
            self.blockvisit(node.else_, else_frame)
            self.leave_frame(else_frame)
            self.outdent()
        if node.recursive:
            self.return_buffer_contents(loop_frame)
            self.outdent()
            self.start_write(frame, node)
            self.write(f"loop({self.source(node.iter, frame)}, loop)")
            self.end_write(frame)
        if self._assign_stack:
            # What the loop set is gone after it.
            self._assign_stack[-1].difference_update(loop_frame.symbols.stores)

    def iterated(self, node: nodes.Node, frame: Frame) -> str:
        """Return the source of what a loop iterates over."""
        return self.source(node, frame)

    def begin_body(self, node: nodes.For, loop_frame: Frame) -> None:
        """Write what each round of a loop begins with."""

    def end_body(self, node: nodes.For, loop_frame: Frame) -> None:
        """Note that the names of the loop are no longer valid."""

    def counter_of(self, node: nodes.For, loop: str) -> Counter | None:
        """Return what can stand in the place of the `loop` object, which would have the name `loop`."""
        return None

    def write_counted(self, counter: Counter, iterable: str, node: nodes.For) -> str:
        """Write what goes before the loop; return the source of pairs of the count and the item."""
        raise NotImplementedError

    def write_loop_test(self, node: nodes.For, loop_frame: Frame, test_frame: Frame) -> str:
        """Write the generator that lets through what passes `for … if …`; return its name."""
        assert node.test is not None
        test_frame.symbols.analyze_node(node, for_branch="test")
        passes = self.temporary_identifier()
        self.writeline(f"def {passes}(items):", node.test)
        self.indent()
        self.enter_frame(test_frame)
        target = self.source(node.target, loop_frame)
        self.writeline(f"for {target} in items:")
        self.indent()
        self.writeline("if ", node.test)
        self.visit(node.test, test_frame)
        self.write(":")
        self.indent()
        self.writeline(f"yield {target}")
        self.outdent(3)
        return passes

    def hoist_lookups(self, loop_frame: Frame) -> None:
        """Look up, once before the loop, the variables that its body only reads: nothing in a loop can change them."""
        symbols = loop_frame.symbols
        for target, (action, name) in list(symbols.loads.items()):
            if action == VAR_LOAD_RESOLVE and name not in symbols.stores:
                self.resolved[name] = None
                self.writeline(f"{target} = {self.looked_up(name)}")
                symbols.loads[target] = HOISTED

    def looked_up(self, name: str) -> str:
        """Return the source of a variable's value, which may be `missing`."""
        return f"{self.get_resolve_func()}({literal(name)})"

    def enter_frame(self, frame: Frame) -> None:
        hoisted = {target: load for target, load in frame.symbols.loads.items() if load == HOISTED}
        # For jinja2 a hoisted name is like a parameter here (nothing to do), but not where it is read (may be missing).
        frame.symbols.loads.update(dict.fromkeys(hoisted, (VAR_LOAD_PARAMETER, None)))
        super().enter_frame(frame)
        frame.symbols.loads.update(hoisted)

    # Macros

    def func(self, name: str) -> str:
        return f"def {self.functions[-1] if name == 'macro' else name}"

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> tuple[Frame, MacroRef]:
        name = getattr(node, "name", None)
        if name is None:
            self._last_identifier += 1
            function = f"caller_{self._last_identifier}"
        else:
            function = f"macro_{identifier(name)}"
        self.functions.append(function)
        loops, self.loops = self.loops, []
        counters, self.counters = self.counters, {}
        try:
            return super().macro_body(node, frame)
        finally:
            self.loops, self.counters = loops, counters

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        node = macro_ref.node
        signature = (
            getattr(node, "name", None),
            tuple(argument.name for argument in node.args),
            macro_ref.accesses_kwargs,
            macro_ref.accesses_varargs,
            macro_ref.accesses_caller,
        )
        arguments = ", ".join(map(literal, signature))
        self.write(f"Macro(engine, {self.functions.pop()}, {arguments}, {self.autoescape_source(frame)})")

    def autoescape_source(self, frame: Frame) -> str:
        """Return the source of whether autoescape is on."""
        return "context.eval_ctx.autoescape"


def assigns(node: nodes.Node) -> bool:
    """Whether a name is set in `node`."""
    for below in descendants(node):
        if isinstance(below, nodes.AssignBlock):
            return True
        if isinstance(below, nodes.Assign):
            target = below.target
            if any(isinstance(part, nodes.Name) for part in (target, *descendants(target))):
                return True
    return False
