"""The shape of a program, shared by all kinds.

In: a jinja2 tree, visited by jinja2's own `CodeGenerator`, whose scoping is kept. Out: the body of `bind(engine,
template)`: a function for the root, one for each block, and what it returns. What differs from jinja2's modules is
that nothing is imported, names of helpers are bound once by `bind`, filters and tests are bound once, other templates
are asked of `template`, and all text is ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any, TypeVar

from frozenctx.template.applying import pass_arg
from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, CompilerExit, Frame, MacroRef
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.nodes import EvalContext
from markupsafe import escape

from .dialect import Dialect
from .fold import Folding, optimizeconst
from .foreseen import Foresight
from .generation import is_generation
from .literals import literal
from .scopes import Scope, identifier
from .tree import Outline, descendants, find_undeclared

# What a program may take from the engine, by the name that it has in emitted code. What our own
# visitors raise and catch is asked of the engine there, so that exceptions are loaded only then.
HELPERS = (
    "Absent", "Dict", "Lacking", "LoopContext", "Macro", "Markup", "Namespace", "TemplateReference",
    "TemplateRuntimeError", "Undefined", "Unfit", "absent", "attr", "attributes_of", "call", "concat", "escape",
    "escaped", "filters", "finalize", "finalize_constant", "generation", "getitem", "identity", "ignore_case",
    "instead", "joined", "lookahead", "markup_join", "missing", "str_join", "tests", "view",
)  # fmt: skip
OTHERWISE = {"getattribute": "getattr", "undefined": "lacking"}  # under another name there
# The same for what belongs to the template.
LOOKUPS = (
    "call_free", "context_of", "direct", "eval_ctx", "get_template", "get_or_select_template", "inclusions", "links",
    "select_template",
)  # fmt: skip


# What constants are written with.
LITERALS = (
    nodes.Literal, nodes.Pair, nodes.Getitem, nodes.Slice, nodes.UnaryExpr, nodes.BinExpr, nodes.Concat, nodes.Compare,
    nodes.Operand, nodes.CondExpr, nodes.Filter, nodes.Test,
)  # fmt: skip


# What a macro that is called without arguments has besides its parameters, if it reads that.
OF_MACROS = {"caller": "undefined('No caller defined', name='caller')", "kwargs": "{}", "varargs": "()"}


N = TypeVar("N", bound=nodes.Node)
# (Class of generators, class of nodes) → the method that writes them. A generator that held its own methods would be
# freed by the garbage collector alone, and with it the tree.
VISITORS: dict[tuple[type, type[nodes.Node]], Callable[..., Any]] = {}


# What they make of nothing is undefined: no constant, so that it is asked again when the template renders.
NOTHING_OF_NOTHING = frozenset(["first", "last", "max", "min"])


def is_literal(node: nodes.Expr) -> bool:
    """Whether `node` names no variable and calls nothing but filters and tests."""
    return isinstance(node, LITERALS) and all(isinstance(below, LITERALS) for below in descendants(node))


class BoundNames(dict[str, str]):
    """Filters or tests that a program uses → the name it binds each to."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def __missing__(self, name: str) -> str:
        self[name] = f"{self.prefix}_{identifier(name)}"
        return self[name]


class ProgramGenerator(CodeGenerator):
    """Writes the functions of one program into `self.stream`."""

    def __init__(self, environment: Environment, name: str | None, dialect: Dialect) -> None:
        super().__init__(environment, name, None)
        self.dialect = dialect
        self.optimizer = self.folding = Folding(environment, dialect)
        self.text = StringIO()
        self.stream = self.text
        self.filters = BoundNames("f")
        self.tests = BoundNames("is")
        self.resolved: dict[str, None] = {}
        self.inner_functions = 0
        self.in_block = False
        self.outline: Outline
        self.names: set[str] = set()
        # Slices of what may have none. jinja2 evaluates constants given to filters and tests while it compiles, and
        # then these are undefined instead of an error.
        self.evaluated: set[nodes.Node] = set()
        self.foresight = Foresight(environment, dialect)
        # Whether jinja2 does not know here, when it compiles, if autoescape is on; the name of what it took that to be
        # last, where that is computed at the render: else the frame knows it.
        self.late = False
        self.foreseen: str | None = None

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        kind = type(self), type(node)
        if kind not in VISITORS:
            VISITORS[kind] = getattr(type(self), f"visit_{type(node).__name__}", ProgramGenerator.generic_visit)
        return VISITORS[kind](self, node, *args, **kwargs)

    # Text

    def write(self, x: str) -> None:
        # Names are ASCII already (`scopes`), so what is not stands inside a literal; this is what ascii() writes.
        text = x if x.isascii() else x.encode("ascii", "backslashreplace").decode()
        if self._new_lines:
            super().write(text)
        else:
            self.stream.write(text)

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        self.write(literal(node.as_const(frame.eval_ctx)))

    def visit_Keyword(self, node: nodes.Keyword, frame: Frame) -> None:
        if node.key.isascii():
            super().visit_Keyword(node, frame)
        else:
            self.write(f"**{{{literal(node.key)}: ")
            self.visit(node.value, frame)
            self.write("}")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> str:
        if self.foreseen is not None:
            raise nodes.Impossible()
        value = self.folding.constant(node, frame.eval_ctx)
        if frame.eval_ctx.autoescape:
            value = escape(value)
        if isinstance(node, nodes.TemplateData):
            return str(value)
        return finalize.const(value)  # type: ignore[misc]

    def _make_finalize(self) -> CodeGenerator._FinalizeInfo:
        if self._finalize is None:
            source = "finalize(context, " if self.dialect.finalize else None
            constant = None if self.dialect.finalize else self._default_finalize
            self._finalize = self._FinalizeInfo(constant, source)
        return self._finalize

    def visit_EvalContextModifier(self, node: nodes.EvalContextModifier, frame: Frame) -> None:
        """What is not written as a constant is left to the render: evaluating it might take any time."""
        for option in node.options:
            self.writeline(f"context.eval_ctx.{option.key} = ")
            self.visit(option.value, frame)
            if isinstance(option.value, nodes.Const):
                setattr(frame.eval_ctx, option.key, option.value.value)
                self.foreseen = None
            elif self.foresight.computes(option.value, self.late):
                self.foreseen = self.temporary_identifier()
                self.writeline(f"{self.foreseen} = context.eval_ctx.{option.key}")
            else:
                self.late = True
            frame.eval_ctx.volatile = self.late or self.foreseen is not None

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier, frame: Frame) -> None:
        before = self.late, self.foreseen
        super().visit_ScopedEvalContextModifier(node, frame)
        self.late, self.foreseen = before

    def escapes_constants(self, frame: Frame) -> str:
        """Return the source of whether autoescape is on for what jinja2 computes while it compiles."""
        return self.foreseen or literal(bool(frame.eval_ctx.autoescape))

    def escapes(self, frame: Frame) -> str:
        """Return the source of whether autoescape is on for everything else."""
        return "context.eval_ctx.autoescape" if self.late else self.escapes_constants(frame)

    def converter(self, child: nodes.Expr, frame: Frame) -> str:
        """Return the source of the function that makes text of an output's `child`."""
        escapes = self.escapes(frame)
        if self.late and not self.dialect.finalize and self.foresight.computes(child, True):
            escapes = self.escapes_constants(frame)
        return {"True": "escape", "False": "str"}.get(escapes, f"(escape if {escapes} else str)")

    def finalized_constant(self, child: nodes.Expr, frame: Frame) -> str | None:
        """Return the beginning of the call that finalizes a constant, None for anything else: jinja2 escapes first."""
        if not self.dialect.finalize:
            return None
        if not self.foresight.computes(child, self.late):
            return None
        return f"finalize_constant(context, {self.escapes_constants(frame)}, "

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        call = self.finalized_constant(node, frame)
        if call is not None:
            self.write(f"str({call}")
        else:
            self.write(f"{self.converter(node, frame)}({finalize.src or ''}")

    # What jinja2 writes where it does not know if autoescape is on, for where it knows and we do not.

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        if self.foreseen is None or self.late or force_unescaped:
            super().return_buffer_contents(frame, force_unescaped)
        else:
            self.writeline(f"return (Markup if {self.foreseen} else identity)(concat({frame.buffer}))")

    @optimizeconst
    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        if self.foreseen is None or self.late or node.node is not None:
            super().visit_Filter(node, frame)
            return
        with self._filter_test_common(node, frame, True):
            self.write(f"(Markup if {self.foreseen} else identity)(concat({frame.buffer}))")

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        if self.foreseen is None or self.late:
            super().visit_Concat(node, frame)
            return
        self.write(f"(markup_join if {self.foreseen} else str_join)((")
        for operand in node.nodes:
            self.visit(operand, frame)
            self.write(", ")
        self.write("))")

    # The whole

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        assert frame is None, "no root frame allowed"
        eval_ctx = EvalContext(self.environment, self.name)
        self.outline = Outline(node)
        self.names = {name.name for name in self.found(nodes.Name)}
        if self.found(nodes.Slice):
            for outer in [*self.found(nodes.Filter), *self.found(nodes.Test)]:
                if is_literal(outer) and outer.name not in NOTHING_OF_NOTHING:
                    self.evaluated.update(node for node in descendants(outer) if isinstance(node, nodes.Getitem))
        for block in self.found(nodes.Block):
            if block.name in self.blocks:
                self.fail(f"block {block.name!r} defined twice", block.lineno)
            self.blocks[block.name] = block
        for imported in self.found(nodes.ImportedName):
            self.fail(f"a program cannot import {imported.importname!r}", imported.lineno)
        self.indent()
        self.write_before_root(node, eval_ctx)
        self.write_root(node, eval_ctx)
        for block in self.blocks.values():
            self.write_block(block, eval_ctx)
        blocks = ", ".join(f"{literal(name)}: {self.block_function(name)}" for name in self.blocks)
        self.write_results(f"{{{blocks}}}")
        self.outdent()

    def write_before_root(self, node: nodes.Template, eval_ctx: EvalContext) -> None:
        """Write the functions that need nothing of a rendering."""

    def write_results(self, blocks: str) -> None:
        """Write what `bind` returns. `blocks`: the source of the block functions by name."""
        self.writeline(f"return root, {blocks}", extra=1)

    def binding(self) -> list[str]:
        """Return further lines by which `bind` begins."""
        return []

    def found(self, kind: type[N]) -> list[N]:
        """Return the nodes of a class that the template has anywhere, in source order."""
        return self.outline.found(kind)

    def reads(self, body: Iterable[nodes.Node], *names: str) -> set[str]:
        """Return which of `names` are read in `body` before they are set there."""
        present = self.names.intersection(names)
        return find_undeclared(body, present) if present else present

    def block_function(self, name: str) -> str:
        return f"block_{identifier(name)}"

    def write_root(self, node: nodes.Template, eval_ctx: EvalContext) -> None:
        self.write_function_head()
        self.indent()
        frame = Scope(eval_ctx)
        self.open_function(frame)
        if self.reads(node.body, "self"):
            self.write_self(frame)
        frame.symbols.analyze_node(node)
        self.look_up_first(node, frame)
        frame.toplevel = frame.rootlevel = True
        extends = bool(self.found(nodes.Extends))
        frame.require_output_check = extends
        if extends:
            self.writeline("parent_template = None")
        self.enter_frame(frame)
        self.blockvisit(node.body, frame)
        if extends:
            if not self.has_known_extends:
                self.writeline("if parent_template is not None:")
                self.indent()
            self.write_parent(frame)
            if not self.has_known_extends:
                self.outdent()
        self.close_function(frame)
        self.outdent()

    def write_block(self, block: nodes.Block, eval_ctx: EvalContext) -> None:
        function = self.block_function(block.name)
        self.in_block = True
        self.writeline(f"def {function}({self.block_parameters}):", block, extra=1)
        self.indent()
        # Not a child of the root's frame: a block sees the context, not the root's Python names.
        frame = Scope(eval_ctx)
        frame.block_frame = True
        self.open_function(frame)
        undeclared = self.reads(block.body, "self", "super")
        if "self" in undeclared:
            self.write_self(frame)
        if "super" in undeclared:
            self.write_super(block, frame)
        frame.symbols.analyze_node(block)
        self.look_up_first(block, frame)
        frame.block = block.name
        self.write_block_vars()
        self.enter_frame(frame)
        self.blockvisit(block.body, frame)
        self.close_function(frame)
        self.outdent()
        self.in_block = False

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:
        if not is_generation(node):
            super().visit_FilterBlock(node, frame)
            return
        inner = frame.inner()
        inner.symbols.analyze_node(node)
        # transformers makes a call block of it, whose body is a macro's that is called without arguments.
        special = [name for name in OF_MACROS if name in self.reads(node.body, *OF_MACROS)]
        targets = {name: inner.symbols.declare_parameter(name) for name in special}
        self.enter_frame(inner)
        for name, target in targets.items():
            self.writeline(f"{target} = {OF_MACROS[name]}", node)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        # Its place in the whole text is known where the root function itself writes.
        direct = frame.buffer == self.function_buffer and not (self.inner_functions or self.in_block)
        written = frame.buffer if direct else None
        self.start_write(frame, node)
        self.write(f"generation({written}, concat({inner.buffer}))")
        self.end_write(frame)
        self.leave_frame(inner)

    def write_super(self, block: nodes.Block, frame: Frame) -> None:
        """Write what `super` is in a block."""
        target = frame.symbols.declare_parameter("super")
        self.writeline(f"{target} = context.super({literal(block.name)}, {self.block_function(block.name)})")

    def write_self(self, frame: Frame) -> None:
        """Write what `self` is in a root or block function."""
        now = f"lambda: ({self.blocks_source}, {self.block_arguments})"
        self.writeline(f"{frame.symbols.declare_parameter('self')} = TemplateReference(engine, {now})")

    # What the kinds decide

    function_buffer: str | None = None
    """The buffer of root and block functions; None if they are generators."""

    block_parameters = block_arguments = "context"
    """What block functions take, and what they are called with."""
    blocks_source = "context.blocks"
    """The blocks of the rendering by name."""

    def write_function_head(self) -> None:
        self.writeline("def root(context):", extra=1)

    def open_function(self, frame: Frame) -> None:
        """Write how a root or block function begins."""
        raise NotImplementedError

    def close_function(self, frame: Frame) -> None:
        """Write how a root or block function ends."""
        raise NotImplementedError

    def write_block_vars(self) -> None:
        self.writeline("_block_vars = {}")

    def write_pieces(self, pieces: str, frame: Frame, node: nodes.Node | None = None) -> None:
        """Write a statement that outputs what the iterable expression `pieces` holds."""
        raise NotImplementedError

    def write_parent(self, frame: Frame) -> None:
        """Write a statement that outputs the template that this one extends."""
        self.write_pieces("parent_template.root_render_func(context)", frame)

    def write_block_call(self, node: nodes.Block, frame: Frame) -> None:
        """Write a statement that outputs a block."""
        context = self.derive_context(frame) if node.scoped else self.get_context_ref()
        self.write_pieces(f"context.blocks[{literal(node.name)}][0]({context})", frame, node)

    def write_inherit(self, node: nodes.Extends) -> None:
        """Write a statement that adds the blocks of the template that is extended."""
        self.writeline("context.inherit(parent_template)")

    # Names

    def look_up_first(self, node: nodes.Template | nodes.Block, frame: Frame) -> None:
        """Decide which variables are looked up at the beginning of the function, whose frame this is."""

    def enter_frame(self, frame: Frame) -> None:
        for action, name in frame.symbols.loads.values():
            if action == VAR_LOAD_RESOLVE and name is not None:
                self.resolved[name] = None
        super().enter_frame(frame)

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> tuple[Frame, MacroRef]:
        self.inner_functions += 1
        try:
            return super().macro_body(node, frame)
        finally:
            self.inner_functions -= 1

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        self.inner_functions += node.recursive
        try:
            self.write_loop(node, frame)
        finally:
            self.inner_functions -= node.recursive

    def write_loop(self, node: nodes.For, frame: Frame) -> None:
        super().visit_For(node, frame)

    def pull_dependencies(self, nodes: Iterable[nodes.Node]) -> None:
        """Nothing: filters and tests are bound by `bind`, as they are met."""

    @contextmanager
    def _filter_test_common(
        self, node: nodes.Filter | nodes.Test, frame: Frame, is_filter: bool
    ) -> Iterator[None]:
        known = self.environment.filters if is_filter else self.environment.tests
        function = known.get(node.name)
        if function is None and (self.dialect.strict_names or not frame.soft_frame):
            self.fail(f"No {'filter' if is_filter else 'test'} named {node.name!r}.", node.lineno)
        first = {"context": "context, ", "eval_context": "context.eval_ctx, ", "environment": "environment, "}
        self.write(f"{(self.filters if is_filter else self.tests)[node.name]}(")
        self.write(first.get(pass_arg(function) or "", ""))
        yield
        self.signature(node, frame)
        self.write(")")

    def visit_With(self, node: nodes.With, frame: Frame) -> None:
        inner = frame.inner()
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        for target, value in zip(node.targets, node.values, strict=True):
            self.newline(value)
            self.visit(target, inner)
            self.write(" = ")
            self.visit(value, frame)
        self.blockvisit(node.body, inner)
        self.leave_frame(inner)

    # Slices are calls: a constant slice cannot be marshalled in version 2 from Python 3.14 on.

    @optimizeconst
    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            self.write_sliced(node, frame)
        else:
            super().visit_Getitem(node, frame)

    def write_sliced(self, node: nodes.Getitem, frame: Frame) -> None:
        if node in self.evaluated:
            self.write("getitem(")
            self.visit(node.node, frame)
            self.write(", ")
            self.visit(node.arg, frame)
            self.write(")")
            return
        # Python warns when it compiles a slice of a constant that has none; a template may fail when it gets there.
        hidden = isinstance(node.node, nodes.BinExpr | nodes.UnaryExpr | nodes.Const)
        self.write("identity(" if hidden else "")
        self.visit(node.node, frame)
        self.write(")[" if hidden else "[")
        self.visit(node.arg, frame)
        self.write("]")

    def visit_Slice(self, node: nodes.Slice, frame: Frame) -> None:
        self.write("slice(")
        for index, bound in enumerate((node.start, node.stop, node.step)):
            if index:
                self.write(", ")
            if bound is None:
                self.write("None")
            else:
                self.visit(bound, frame)
        self.write(")")

    # Other templates

    def visit_Block(self, node: nodes.Block, frame: Frame) -> None:
        guarded = False
        if frame.toplevel:
            if self.has_known_extends:
                return
            if self.extends_so_far > 0:
                self.writeline("if parent_template is None:")
                self.indent()
                guarded = True
        if node.required:
            self.writeline(f"if len({self.blocks_source}[{literal(node.name)}]) <= 1:", node)
            self.indent()
            message = literal(f"Required block {node.name!r} not found")
            self.writeline(f"raise engine.failure({message})", node)
            self.outdent()
        self.write_block_call(node, frame)
        if guarded:
            self.outdent()

    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:
        if not frame.toplevel:
            self.fail("cannot use extend from a non top-level scope", node.lineno)
        if self.extends_so_far > 0:
            if not self.has_known_extends:
                self.writeline("if parent_template is not None:")
                self.indent()
            self.writeline("raise engine.failure('extended multiple times')", node)
            if self.has_known_extends:
                # Nothing after this is reached.
                raise CompilerExit()
            self.outdent()
        self.writeline("parent_template = ", node)
        self.write_found("get_template", node.template, frame)
        self.write_inherit(node)
        if frame.rootlevel:
            self.has_known_extends = True
        self.extends_so_far += 1

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:
        target = node.template
        lookup = "get_or_select_template"
        if isinstance(target, nodes.Tuple | nodes.List):
            lookup = "select_template"
        elif isinstance(target, nodes.Const):
            if isinstance(target.value, str):
                lookup = "get_template"
            elif isinstance(target.value, tuple | list):
                lookup = "select_template"
        if node.ignore_missing:
            self.writeline("try:")
            self.indent()
        self.writeline("template_ = ", node)
        self.write_found(lookup, target, frame)
        if node.ignore_missing:
            self.outdent()
            self.writeline("except engine.TemplateNotFound:")
            self.indent()
            self.writeline("pass")
            self.outdent()
            self.writeline("else:")
            self.indent()
        if node.with_context:
            self.write_included(node, frame)
        else:
            # jinja2 3.1.6 writes this past a set or filter block around it, to where the root or block writes. In its
            # macros and recursive loops it then prints a generator object; programs write what was included.
            if not self.inner_functions:
                frame = frame.copy()
                frame.buffer = self.function_buffer
            self.write_pieces("template_._get_default_module()._body_stream", frame, node)
        if node.ignore_missing:
            self.outdent()

    def write_found(self, lookup: str, target: nodes.Expr, frame: Frame) -> None:
        """Write the expression for the template that `target` names."""
        self.write(f"{lookup}(")
        self.visit(target, frame)
        self.write(")")

    def write_included(self, node: nodes.Include, frame: Frame) -> None:
        """Write a statement that outputs `template_`, rendered with all that is visible here."""
        context = f"template_.new_context(context.get_all(), True, {self.dump_local_context(frame)})"
        self.write_pieces(f"template_.root_render_func({context})", frame, node)

    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        self.write_found("get_template", node.template, frame)
        if node.with_context:
            self.write(f".make_module(context.get_all(), True, {self.dump_local_context(frame)})")
        else:
            self.write("._get_default_module(context)")

    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:
        self.newline(node)
        self.write("module = ")
        self._import_common(node, frame)
        pairs = [(name, name) if isinstance(name, str) else name for name in node.names]
        for name, alias in pairs:
            target = frame.symbols.ref(alias)
            self.writeline(f"{target} = getattr(module, {literal(name)}, missing)")
            self.writeline(f"if {target} is missing:")
            self.indent()
            before = literal("the template ")
            after = literal(f" (imported on {self.position(node)}) does not export the requested name {name!r}")
            self.writeline(f"{target} = undefined({before} + repr(module.__name__) + {after}, name={literal(name)})")
            self.outdent()
            if frame.toplevel:
                self.write_imported(alias, target)

    def write_imported(self, name: str, target: str) -> None:
        """Write that the top level has imported `name`, which it does not export."""
        self.writeline(f"context.vars[{literal(name)}] = {target}")
        if not name.startswith("_"):
            self.writeline(f"context.exported_vars.discard({literal(name)})")


# Programs are ASCII.
BETWEEN_WORDS = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


# Names that texts have as words too, and that would load something for nothing: they count before this only.
WORDS_TOO = {"call": "(", "escaped": "(", "filters": "[", "joined": "(", "tests": "["}


def words_of(body: str) -> set[str]:
    """Return what may be a name in emitted code. What the blocks of a rendering are asked for is none of `bind`."""
    body = body.replace("blocks.", "blocks_")
    words = set(body.translate(BETWEEN_WORDS).split())
    return words.difference(name for name, next in WORDS_TOO.items() if name + next not in body)


def used_helpers(words: set[str]) -> list[str]:
    """Return the lines by which `bind` begins, for the helpers whose names are among `words`."""
    lines = ["environment = engine"] if "environment" in words else []
    lines += [f"{name} = engine.{name}" for name in HELPERS if name in words]
    lines += [f"{name} = engine.{other}" for name, other in OTHERWISE.items() if name in words]
    lines += [f"{name} = template.{name}" for name in LOOKUPS if name in words]
    return lines
