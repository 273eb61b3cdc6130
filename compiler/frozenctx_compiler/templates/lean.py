"""The lean kind: functions without a context.

A root function gets the variables as a dict, and what the top level sets lives in Python names; a dict `own` holds that
too, for templates that import this one, for its blocks, and for the template that it extends. Block functions get the
same two dicts, and where a file has to do with blocks all functions get those of the rendering. Macros that need
nothing of a rendering are defined once, by `bind`, and called like any function. Where a file changes whether
autoescape is on, where values pass a function of the host before they are printed, or where a name is both imported and
set, the functions are those of the kept kind.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Iterator

from jinja2 import nodes
from jinja2.compiler import Frame, MacroRef
from jinja2.idtracking import VAR_LOAD_PARAMETER, VAR_LOAD_RESOLVE
from jinja2.nodes import EvalContext

from .kept import HOISTED, Counter
from .lean_expressions import METHODS
from .lifting import Lifting
from .literals import literal
from .scopes import Scope, identifier
from .text import MOST_HOLES
from .tree import LEAVES, children, find_undeclared

SPECIAL_NAMES = frozenset(["loop", "self", "super", "caller", "varargs", "kwargs"])
CHANGES_EVALUATION = (
    nodes.EvalContextModifier, nodes.ScopedEvalContextModifier, nodes.ContextReference,
    nodes.DerivedContextReference, nodes.OverlayScope, nodes.MarkSafeIfAutoescape,
)  # fmt: skip
# Attributes of a `loop` that is only a counter.
COUNTED = {
    "depth": "1",
    "depth0": "0",
    "first": "({index} == 0)",
    "index": "({index} + 1)",
    "index0": "{index}",
    "last": "({index} == {end})",
    "length": "({end} + 1)",
    "nextitem": "({items}[{index} + 1] if {index} != {end} else undefined('there is no next item'))",
    "previtem": "({before} if {index} else undefined('there is no previous item'))",
    "revindex": "({end} - {index} + 1)",
    "revindex0": "({end} - {index})",
}
AT_THE_END = frozenset(["last", "length", "nextitem", "revindex", "revindex0"])


# Statements that hand local variables on, as scoped blocks do.
HANDS_ON: tuple[type[nodes.Node], ...] = (nodes.Include, nodes.Import, nodes.FromImport)
# What jinja2's generator knows of the text so far.
WRITER_STATE = (
    "code_lineno", "_first_write", "_indentation", "_last_identifier", "_last_line", "_new_lines", "_write_debug_info",
)  # fmt: skip


# Names that the root function has. (Text that holds such a word is harmless, and takes the longer way.)
OF_A_RENDERING = re.compile(r"\b(context|own|variables)\b")
# What a root or block function of a file with blocks is given besides.
OF_BLOCKS = "variables, own, blocks"


class NeedsRendering(Exception):
    """A macro cannot be written outside of the root function."""


class Lean(Lifting):
    """`pure`: the macros defined by `bind`, and `direct`: those that may be called by name here: macro → its
    parameters, and whether it has `caller` as its last."""

    outside = False
    """Whether a macro outside of the root function is being written."""
    opens_macro = False
    """Whether the next buffer is that of a macro's body."""
    chained = False
    """Whether the functions get the blocks of the rendering."""
    follows = False
    """Whether what the root function defines may ask for blocks when templates that others extend are rendered."""
    hands_over = False
    """Whether all that the root function gives is the text of the template that it extends."""
    super_of: nodes.Block | None = None
    """The block that is being written, if its `super` is only called."""
    calls_self = False
    """Whether all that the function does with `self` is to call blocks of the file."""
    includes = False
    """Whether the template that is about to be named is included with all variables."""
    function_of: nodes.Template | nodes.Block
    """The template or block whose function is being written."""
    macro: nodes.Macro | nodes.CallBlock | None = None
    """The macro whose body is about to be written."""

    def write_before_root(self, node: nodes.Template, eval_ctx: EvalContext) -> None:
        super().write_before_root(node, eval_ctx)
        self.imported = dict.fromkeys(imported_names(self))
        self.settled = (
            not self.dialect.finalize
            and not any(map(self.found, CHANGES_EVALUATION))
            and self.imported.keys().isdisjoint(set_names(self))
        )
        self.pure: dict[str, nodes.Macro] = {}
        self.direct: dict[str, nodes.Macro] = {}
        self.given: dict[str, None] = {}
        self.slices: dict[str, str] = {}
        self.opened: dict[str, str] = {}
        with_body = {block.call for block in self.found(nodes.CallBlock)}
        self.plain_calls = [call for call in self.found(nodes.Call) if call not in with_body]
        in_blocks = {call for block in self.found(nodes.Block) for call in self.outline.inside(block, nodes.Call)}
        self.root_calls = [call for call in self.plain_calls if call not in in_blocks]
        # (Python name of a variable that is imported, attribute or None) → what calls of it call.
        self.called: dict[tuple[str, str | None], str] = {}
        self.deferred: set[str] = set()
        self.returned: set[str] = set()
        self.stored = Tally(stored_names(self))
        self.assigned = frozenset(assigned_names(self))
        # The frame of a root or block function that is about to begin, and its node.
        self.begins: tuple[Frame, nodes.Node] | None = None
        # Names of the root or block function that hold while it lasts.
        self.lasting_views: dict[str, str] = {}
        if not self.settled:
            return
        self.chained = any(map(self.found, (nodes.Extends, nodes.Block))) or bool(self.reads(node.body, "self"))
        self.hands_over = hands_over(node.body)
        macros = [*self.found(nodes.Macro), *self.found(nodes.CallBlock)]
        self.follows = bool(self.found(nodes.Extends)) and (
            bool(self.reads(node.body, "self")) or any(self.outline.inside(macro, nodes.Block) for macro in macros)
        )
        if self.chained:
            self.block_parameters = self.block_arguments = OF_BLOCKS
            self.blocks_source = "blocks"
        # Whether no call can change a list that is being looped over.
        known = {macro.name for macro in self.found(nodes.Macro) if self.stored[macro.name] == 1}
        known.update(name for name in self.environment.globals if name not in self.stored)
        self.only_reads = all(
            call.node.attr in (*METHODS, "cycle", "changed")
            if isinstance(call.node, nodes.Getattr)
            else isinstance(call.node, nodes.Name) and call.node.name in known
            for call in self.found(nodes.Call)
        )
        self.namespaces = frozenset(
            node.target.name
            for node in self.found(nodes.Assign)
            if isinstance(node.target, nodes.Name)
            and isinstance(node.node, nodes.Call)
            and isinstance(node.node.node, nodes.Name)
            and node.node.node.name == "namespace"
        )
        for macro in node.body:
            if isinstance(macro, nodes.Macro) and self.stored[macro.name] == 1:
                self.write_outside(macro, eval_ctx)

    # Functions

    def write_root(self, node: nodes.Template, eval_ctx: EvalContext) -> None:
        self.function_of = node
        self.calls_self = False
        self.direct, self.opened = {}, {}
        super().write_root(node, eval_ctx)
        self.direct, self.opened, self.called = {}, {}, {}

    def write_results(self, blocks: str) -> None:
        if not self.settled:
            super().write_results(blocks)
            return
        imported = literal(tuple(sorted(self.imported)))
        if self.chained:
            self.writeline(f"alone = engine.Blocks(template, {blocks})", extra=1)
            self.writeline(f"return root, alone, {imported}")
        else:
            self.writeline(f"return root, {{}}, {imported}", extra=1)

    def open_function(self, frame: Frame) -> None:
        if not self.settled:
            super().open_function(frame)
            return
        frame.buffer = self.function_buffer
        self.deferred.add("out")
        self.returned.discard("out")
        if not self.chained:
            return
        if not self.in_block:
            self.writeline("if blocks is None:")
            self.writeline("    blocks = alone")
            if self.follows:
                self.writeline("chain = blocks")
        if asks_for_variables(self.function_of, self.pure):
            self.writeline("if own:")
            self.writeline("    variables = {**variables, **own}")

    def close_function(self, frame: Frame) -> None:
        if not self.settled:
            super().close_function(frame)
        elif "out" not in self.returned:
            self.writeline("return concat(out)" if self.in_block else "return out")

    def write_function_head(self) -> None:
        if self.settled:
            self.writeline(f"def root(variables, own{', blocks=None' if self.chained else ''}):", extra=1)
        else:
            super().write_function_head()

    def changes_later(self) -> bool:
        """Whether top levels may go on setting names when the function that is being written is over."""
        return self.in_block or bool(self.found(nodes.Extends))

    def visit_Slice(self, node: nodes.Slice, frame: Frame) -> None:
        bounds = [None if bound is None else self.value(bound, frame) for bound in (node.start, node.stop, node.step)]
        if not self.settled or not all(bound is None or type(bound) is int for bound in bounds):
            super().visit_Slice(node, frame)
            return
        source = f"slice({', '.join(map(literal, bounds))})"
        self.write(self.slices.setdefault(source, f"s_{len(self.slices)}"))

    def binding(self) -> list[str]:
        lines = [f"{name} = {source}" for source, name in self.slices.items()]
        if self.given:
            names = sorted(self.given)
            targets = ", ".join(f"g_{identifier(name)}" for name in names)
            lines.append(f"{targets}, = template.globals_of({', '.join(map(literal, names))})")
        for kind in ("filters", "tests"):
            names = sorted(name for own_kind, name in self.short_cuts if own_kind == kind)
            if names:
                lines.append(f"engine.require_own({literal(kind)}, {', '.join(map(literal, names))})")
        if self.dialect.chat and "call_free(" in self.text.getvalue():
            lines.append("call_free = engine.checked(call_free)")
        return lines

    # Blocks and inheritance

    def write_block(self, block: nodes.Block, eval_ctx: EvalContext) -> None:
        self.function_of = block
        self.super_of, self.calls_self = None, False
        super().write_block(block, eval_ctx)

    def write_parent(self, frame: Frame) -> None:
        text = "blocks.extend(parent_template, variables, own)"
        if not self.settled:
            super().write_parent(frame)
        elif self.hands_over:
            self.returned.add("out")
            self.writeline(f"return {text}")
        else:
            self.writeline(f"{self.writer(frame)}({text})")

    def write_inherit(self, node: nodes.Extends) -> None:
        if not self.settled:
            super().write_inherit(node)
            return
        if self.follows:
            self.writeline("blocks = chain = blocks.inherit(parent_template).followed()")
            return
        # The same name is the same template each time.
        lasting = ", True" if constant_names(node.template) is not None else ""
        self.writeline(f"blocks = blocks.inherit(parent_template{lasting})")

    def write_block_call(self, node: nodes.Block, frame: Frame) -> None:
        if not self.settled:
            super().write_block_call(node, frame)
            return
        arguments = f"{self.visible(frame)}, {{}}, blocks" if node.scoped else OF_BLOCKS
        self.writeline(f"{self.writer(frame)}(blocks[{literal(node.name)}][0]({arguments}))", node)

    def write_self(self, frame: Frame) -> None:
        blocks = [name for name in self.blocks if not self.dialect.needs_care(name)]
        self.calls_self = self.only_called("self", blocks) and not frame.eval_ctx.autoescape
        if self.calls_self:
            frame.symbols.declare_parameter("self")
        elif self.follows and not self.in_block:
            target = frame.symbols.declare_parameter("self")
            self.writeline(f"{target} = TemplateReference(engine, lambda: (chain.now, variables, own, chain.now))")
        else:
            super().write_self(frame)

    def write_super(self, block: nodes.Block, frame: Frame) -> None:
        if not self.settled:
            super().write_super(block, frame)
            return
        target = frame.symbols.declare_parameter("super")
        if self.only_called("super", [None]) and not frame.eval_ctx.autoescape:
            self.super_of = block
        else:
            arguments = f"{literal(block.name)}, {self.block_function(block.name)}, variables, own"
            self.writeline(f"{target} = blocks.super({arguments})")

    def only_called(self, name: str, attributes: Collection[str | None]) -> bool:
        """Whether all that the function does with a variable are calls without arguments, of it or its `attributes`."""
        inside = self.outline.inside
        if not self.settled or name in self.stored or any(inside(self.function_of, kind) for kind in HANDS_ON):
            return False  # what gets the local variables gets this one, too
        if any(block.scoped for block in inside(self.function_of, nodes.Block)):
            return False
        wanted = [(name, attribute) for attribute in attributes]
        calls = [call.node for call in self.plain_calls if called_name(call) in wanted and not call.args]
        called = [node.node if isinstance(node, nodes.Getattr) else node for node in calls]
        uses = [use for use in inside(self.function_of, nodes.Name) if use.name == name]
        return all(any(use is each for each in called) for use in uses)

    # Output

    def buffer(self, frame: Frame) -> None:
        if not self.opens_macro:
            super().buffer(frame)
            return
        self.opens_macro = False
        self._last_identifier += 1
        frame.buffer = f"out_{self._last_identifier}"
        self.deferred.add(frame.buffer)
        if self.follows and not (self.in_block or self.outside):
            self.writeline("blocks = chain.now")

    def blockvisit(self, body: Iterable[nodes.Node], frame: Frame) -> None:
        buffer = frame.buffer
        if buffer is None or buffer not in self.deferred:
            super().blockvisit(body, frame)
            return
        # The body of a function. What is one output alone is returned without a list.
        self.deferred.discard(buffer)
        body = list(body)
        if self.macro is not None:
            names = [argument.name for argument in self.macro.args if argument.name not in self.assigned]
            self.write_views(names, frame, self.macro)
            self.macro = None
        if not body and buffer == self.function_buffer and self.in_block:
            self.returned.add(buffer)
            self.writeline("return ''")
            return
        if len(body) == 1 and isinstance(body[0], nodes.Output) and self.is_short(body[0]):
            self.returned.add(buffer)
            before = self.stream.tell()
            self.write_output(body[0], frame, "return ")
            if self.stream.tell() == before:
                self.writeline("return ''")
            return
        if buffer != self.function_buffer or not self.hands_over or self.in_block:
            self.writeline(f"{buffer} = []")
        super().blockvisit(body, frame)

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        if frame.buffer not in self.returned:
            super().return_buffer_contents(frame, force_unescaped)

    def is_short(self, output: nodes.Output) -> bool:
        """Whether one f-string holds it."""
        return sum(len(part.nodes) if isinstance(part, nodes.Concat) else 1 for part in output.nodes) < MOST_HOLES

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        if not self.settled or (frame.require_output_check and self.has_known_extends):
            super().visit_Output(node, frame)
            return
        if frame.require_output_check:
            self.writeline("if parent_template is None:")
            self.indent()
        before = self.stream.tell()
        self.write_output(node, frame, self.writer(frame))
        if frame.require_output_check:
            if self.stream.tell() == before:
                self.writeline("pass")
            self.outdent()

    def write_included(self, node: nodes.Include, frame: Frame) -> None:
        if not self.settled:
            super().write_included(node, frame)
            return
        if constant_names(node.template) is None:
            text = f"template_.included({self.visible(frame)}, template)"
        else:
            text = f"template_({self.visible(frame)})"
        self.writeline(f"{self.writer(frame)}({text})", node)

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:
        self.includes = node.with_context
        try:
            super().visit_Include(node, frame)
        finally:
            self.includes = False

    def visible(self, frame: Frame) -> str:
        """Return the source of a dict of all variables that are visible here."""
        variables = "{**variables, **own}" if self.inner_functions and self.changes_later() else "variables"
        local = self.dump_local_context(frame)
        if self.outside:
            raise NeedsRendering
        return variables if local == "{}" else f"joined({variables}, {local})"

    def write_found(self, lookup: str, target: nodes.Expr, frame: Frame) -> None:
        name = constant_names(target) if self.settled else None
        # Only an include chooses from several; what else is given a list or tuple takes that for one name.
        if name is not None and (lookup != "get_template" or type(name) is str):
            self.write(f"{'inclusions' if self.includes else 'links'}[{literal(name)}]")
            self.includes = False
        else:
            super().write_found(lookup, target, frame)

    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        if not self.settled:
            super()._import_common(node, frame)
            return
        self.write_found("get_template", node.template, frame)
        if node.with_context:
            self.write(f".make_module({self.visible(frame)})")
        else:
            self.write(".module_for(template)")

    # What the top level sets

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:
        super().visit_Assign(node, frame)
        name = node.target.name if isinstance(node.target, nodes.Name) else ""
        if name in self.namespaces and frame.rootlevel and self.stored[name] == 1:
            # From here on what it holds is read and written without asking it.
            self.opened[frame.symbols.ref(name)] = opened = f"n_{identifier(name)}"
            self.writeline(f"{opened} = attributes_of({frame.symbols.ref(name)})")

    def visit_NSRef(self, node: nodes.NSRef, frame: Frame) -> None:
        target = frame.symbols.ref(node.name)
        opened = self.opened.get(target)
        if opened is None:
            super().visit_NSRef(node, frame)
        else:
            self.write(f"({target} if {opened} is None else {opened})[{literal(node.attr)}]")

    def write_imported(self, name: str, target: str) -> None:
        if self.settled:
            self.writeline(f"own[{literal(name)}] = {target}")
        else:
            super().write_imported(name, target)

    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:
        if not self.settled:
            super().visit_Import(node, frame)
            return
        target = frame.symbols.ref(node.target)
        self.writeline(f"{target} = ", node)
        self._import_common(node, frame)
        if frame.toplevel:
            self.write_imported(node.target, target)
        for call in self.root_calls:
            match call.node:
                case nodes.Getattr(node=nodes.Name(name=name), attr=attr) if name == node.target:
                    if not self.dialect.needs_care(attr):
                        self.write_called(name, attr, f"attr({target}, {literal(attr)})", frame)

    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:
        super().visit_FromImport(node, frame)
        for name in node.names:
            alias = name if isinstance(name, str) else name[1]
            self.write_called(alias, None, frame.symbols.ref(alias), frame)

    def write_called(self, name: str, attr: str | None, source: str, frame: Frame) -> None:
        """Write what calls with positional arguments of an imported macro call, if there are any."""
        key = frame.symbols.ref(name), attr
        if not self.settled or not frame.rootlevel or frame.eval_ctx.autoescape or key in self.called:
            return
        if self.stored[name] > 1 or self.dialect.chat:
            return
        counts = [len(call.args) for call in self.root_calls if called_name(call) == (name, attr)]
        if counts:
            self.called[key] = called = f"c_{len(self.called)}_{identifier(attr or name)}"
            self.writeline(f"{called} = {self.of_blocks()}direct({source}, {max(counts)}, variables, own)")

    def called_directly(self, node: nodes.Call, frame: Frame) -> tuple[str, list[str]] | None:
        found = called_name(node) if self.called or self.calls_self else None
        if found is None or self.outside:
            return None
        name, attribute = found
        if name == "self" and self.calls_self:
            return f"blocks[{literal(attribute)}][0]", [OF_BLOCKS]
        target = frame.symbols.find_ref(name)
        if target is None or (target, attribute) not in self.called or (frame.loop_frame and self.has_loop_vars):
            return None
        return self.called[target, attribute], []

    def pop_assign_tracking(self, frame: Frame) -> None:
        if not (self.settled and frame.toplevel) or frame.loop_frame or frame.block_frame:
            super().pop_assign_tracking(frame)
            return
        for name in sorted(self._assign_stack.pop()):
            self.writeline(f"own[{literal(name)}] = {frame.symbols.ref(name)}")

    def visit_AssignBlock(self, node: nodes.AssignBlock, frame: Frame) -> None:
        if not self.settled:
            super().visit_AssignBlock(node, frame)
            return
        self.push_assign_tracking()
        inner = frame.inner()
        inner.require_output_check = False
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self.buffer(inner)
        self.blockvisit(node.body, inner)
        text = f"concat({inner.buffer})" if node.filter is None else self.source(node.filter, inner)
        target = self.source(node.target, frame)
        self.writeline(f"{target} = {f'Markup({text})' if frame.eval_ctx.autoescape else text}", node)
        self.pop_assign_tracking(frame)
        self.leave_frame(inner)

    # Names

    def begin_body(self, node: nodes.For, loop_frame: Frame) -> None:
        counter = self.counters.get(loop_frame.symbols.refs.get("loop", ""))
        if counter is not None and counter.before is not None and isinstance(node.target, nodes.Name):
            item = counter.before.replace("before", "item")
            self.writeline(f"{counter.before}, {item} = {item}, {loop_frame.symbols.ref(node.target.name)}", node)
        targets = [node.target] if isinstance(node.target, nodes.Name) else node.target.find_all(nodes.Name)
        self.write_views([target.name for target in targets if target.name not in self.assigned], loop_frame, node)

    def end_body(self, node: nodes.For, loop_frame: Frame) -> None:
        for target in loop_frame.symbols.refs.values():
            self.views.pop(target, None)

    def look_up_first(self, node: nodes.Template | nodes.Block, frame: Frame) -> None:
        """A variable that the template only reads is looked up once in a function: nothing can change it meanwhile.

        What is called when the function is over has to look again, if top levels go on then: an extended template may
        have set the variable.
        """
        if not self.settled:
            return
        self.begins = frame, node
        later = frozenset(names_read_later(node, self.pure)) if self.changes_later() else frozenset[str]()
        for name in read_names(node, self.pure):
            if name in self.stored or name in later or name in SPECIAL_NAMES:
                continue
            if frame.symbols.find_ref(name) is None:
                frame.symbols.load(name)

    def looked_up(self, name: str) -> str:
        if not self.settled:
            return super().looked_up(name)
        if self.outside:
            if name not in self.direct:
                raise NeedsRendering
            return f"m_{identifier(name)}"
        self.given[name] = None
        source = f"variables.get({literal(name)}, g_{identifier(name)})"
        if self.inner_functions and self.changes_later():
            return f"own[{literal(name)}] if {literal(name)} in own else {source}"
        return source

    def enter_frame(self, frame: Frame) -> None:
        self.enter_lean_frame(frame)
        if self.begins is not None and self.begins[0] is frame:
            self.views = {}
            names = [name for name in frame.symbols.refs if name not in self.stored and name not in SPECIAL_NAMES]
            self.write_views(names, frame, self.begins[1])
            self.lasting_views = dict(self.views)
            self.begins = None

    def enter_lean_frame(self, frame: Frame) -> None:
        if not self.settled:
            super().enter_frame(frame)
            return
        if self.outside and any(action == VAR_LOAD_RESOLVE for action, _ in frame.symbols.loads.values()):
            unknown = [name for action, name in frame.symbols.loads.values() if action == VAR_LOAD_RESOLVE]
            if any(name not in self.direct for name in unknown):
                raise NeedsRendering
        looked_up = {target: load for target, load in frame.symbols.loads.items() if load[0] == VAR_LOAD_RESOLVE}
        for target, (_, name) in looked_up.items():
            assert name is not None
            self.resolved[name] = None
            if not self.outside:
                self.writeline(f"{target} = {self.looked_up(name)}")
        frame.symbols.loads.update(dict.fromkeys(looked_up, (VAR_LOAD_PARAMETER, None)))
        super().enter_frame(frame)
        frame.symbols.loads.update(dict.fromkeys(looked_up, HOISTED))

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:
        if node.ctx == "load" and node.name in self.direct and node.name in self.pure:
            self.write(f"m_{identifier(node.name)}")
        else:
            super().visit_Name(node, frame)

    def context_source(self, frame: Frame) -> str:
        if self.outside:
            raise NeedsRendering
        return f"{self.of_blocks()}context_of(variables, own)"

    def of_blocks(self) -> str:
        """Return what stands before a name that the blocks of the rendering have, or else the template has."""
        return "blocks." if self.chained and not self.outside else ""

    def scope_source(self, frame: Frame) -> str:
        if self.outside:
            raise NeedsRendering
        further = ", **_loop_vars" if frame.loop_frame and self.has_loop_vars else ""
        further += ", **_block_vars" if frame.block_frame and self.has_block_vars else ""
        return f"variables, {{**own{further}}}" if further else "variables, own"

    # Macros

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> tuple[Frame, MacroRef]:
        self.opens_macro = self.settled
        self.macro = node if self.settled else None
        # A macro may be called when the loop around it is over.
        views, self.views = self.views, {} if self.outside else dict(self.lasting_views)
        self.macros += 1
        try:
            return super().macro_body(node, frame)
        finally:
            self.views = views
            self.macro = None
            self.macros -= 1

    def write_outside(self, macro: nodes.Macro, eval_ctx: EvalContext) -> None:
        """Write a macro as a function of `bind`, if it needs only its arguments and macros that are so too."""
        state = {key: getattr(self, key) for key in WRITER_STATE}
        lines, returned = len(self.debug_info), set(self.returned)
        name = macro.name
        self.pure[name] = self.direct[name] = macro
        self.outside = True
        frame = Scope(eval_ctx)
        try:
            with self.captured() as text:
                self._new_lines = state["_new_lines"]
                _, reference = self.macro_body(macro, frame)
                self.writeline(f"m_{identifier(name)} = ")
                self.macro_def(reference, frame)
            if OF_A_RENDERING.search(text.getvalue()):
                raise NeedsRendering
            self.stream.write(text.getvalue())
            self._new_lines = 0
        except NeedsRendering:
            del self.pure[name], self.direct[name], self.debug_info[lines:]
            for key, value in state.items():
                setattr(self, key, value)
            self.functions, self._param_def_block, self._assign_stack = [], [], []
            self.deferred.clear()
            self.returned = returned
            self.opens_macro = False
        finally:
            self.outside = False

    def visit_Macro(self, node: nodes.Macro, frame: Frame) -> None:
        name = node.name
        target = frame.symbols.ref(name)
        if self.pure.get(name) is node:
            self.writeline(f"{target} = m_{identifier(name)}", node)
            self.write_exported(name, target)
            self.direct[name] = node
            return
        if self.settled and frame.rootlevel and self.stored[name] == 1:
            self.direct[name] = node
        if not self.settled:
            super().visit_Macro(node, frame)
            return
        macro_frame, reference = self.macro_body(node, frame)
        self.writeline(f"{target} = ")
        self.macro_def(reference, macro_frame)
        if frame.toplevel:
            self.write_exported(name, target)

    def write_exported(self, name: str, target: str) -> None:
        if self.settled:
            self.writeline(f"own[{literal(name)}] = {target}")
            return
        if not name.startswith("_"):
            self.writeline(f"context.exported_vars.add({literal(name)})")
        self.writeline(f"context.vars[{literal(name)}] = {target}")

    def autoescape_source(self, frame: Frame) -> str:
        return literal(bool(frame.eval_ctx.autoescape)) if self.settled else super().autoescape_source(frame)

    def direct_call(self, node: nodes.Call, frame: Frame, forward_caller: bool) -> str | None:
        assert isinstance(node.node, nodes.Name)
        if self.super_of is not None and node.node.name == "super":
            name = self.super_of.name
            return f"blocks.overridden({literal(name)}, {self.block_function(name)})({OF_BLOCKS})"
        macro = self.direct.get(node.node.name)
        if macro is None or node.dyn_args or node.dyn_kwargs:
            return None
        arguments = matched(macro, node, forward_caller, lambda argument: self.is_inert(argument, frame))
        if arguments is None:
            return None
        sources = ["missing" if argument is None else self.source(argument, frame) for argument in arguments]
        call = f"macro_{identifier(macro.name)}({', '.join([*sources, *(['caller'] if forward_caller else [])])})"
        return f"Markup({call})" if frame.eval_ctx.autoescape else call

    # Loops

    def counter(self, node: nodes.Expr, frame: Frame) -> str | None:
        if isinstance(node, nodes.Name) and node.name == "loop":
            found = self.counters.get(frame.symbols.ref("loop"))
            return found.index0 if found is not None else None
        return None

    def counted(self, node: nodes.Getattr, frame: Frame) -> str | None:
        if self.counter(node.node, frame) is None:
            return None
        counter = self.counters[frame.symbols.ref("loop")]
        items = counter.end and counter.end.replace("end", "items")
        return COUNTED[node.attr].format(index=counter.index0, end=counter.end, items=items, before=counter.before)

    def counter_of(self, node: nodes.For, loop: str) -> Counter | None:
        if not self.settled or node.recursive or self.sets_loop:
            return None
        asked = set()
        for use in loop_uses(node.body):
            if isinstance(use, nodes.Getattr) and use.attr in COUNTED:
                asked.add(use.attr)
            elif isinstance(use, nodes.Call) and is_plain_change(use):
                asked.add("changed")
            elif not (isinstance(use, nodes.Call) and is_plain_cycle(use)):
                return None
        if not asked.isdisjoint(AT_THE_END) and not self.only_reads and self.outline.inside(node, nodes.Call):
            return None
        if "previtem" in asked and not isinstance(node.target, nodes.Name):
            return None
        self._last_identifier += 1
        number = self._last_identifier
        return Counter(
            loop,
            f"index_{number}",
            None if asked.isdisjoint(AT_THE_END) else f"end_{number}",
            f"before_{number}" if "previtem" in asked else None,
            f"changed_{number}" if "changed" in asked else None,
            "nextitem" in asked,
        )

    def write_counted(self, counter: Counter, iterable: str, node: nodes.For) -> str:
        if counter.changed is not None:
            self.writeline(f"{counter.changed} = missing", node)
        if counter.before is not None:
            self.writeline(f"{counter.before.replace('before', 'item')} = missing", node)
        if counter.end is None:
            return f"enumerate({iterable})"
        items = counter.end.replace("end", "items")
        by_number = ", True" if counter.by_number else ""
        self.writeline(f"{items}, {counter.end} = lookahead({iterable}{by_number})", node)
        return f"enumerate({items})"


def stored_names(generator: Lean) -> Iterator[str]:
    """Yield the names that something in the template sets, once for each place."""
    for name in generator.found(nodes.Name):
        if name.ctx != "load":
            yield name.name
    for macro in generator.found(nodes.Macro):
        yield macro.name
    yield from imported_names(generator)


def assigned_names(generator: Lean) -> Iterator[str]:
    """Yield the names that something else than a loop sets."""
    yield from set_names(generator)
    yield from imported_names(generator)


def set_names(generator: Lean) -> Iterator[str]:
    """Yield the names that a `set` or a macro sets."""
    for kind in (nodes.Assign, nodes.AssignBlock):
        for node in generator.found(kind):
            for target in generator.outline.inside(node, nodes.Name):
                if target.ctx != "load":
                    yield target.name
    for macro in generator.found(nodes.Macro):
        yield macro.name


def imported_names(generator: Lean) -> Iterator[str]:
    for module in generator.found(nodes.Import):
        yield module.target
    for names in generator.found(nodes.FromImport):
        for name in names.names:
            yield name if isinstance(name, str) else name[1]


def read_names(node: nodes.Node, pure: dict[str, nodes.Macro]) -> Iterator[str]:
    """Yield the names that the function of `node`, a template or a block, reads, in source order; some repeatedly."""
    waiting = children(node)
    waiting.reverse()
    while waiting:
        child = waiting.pop()
        if type(child) in LEAVES:
            if isinstance(child, nodes.Name) and child.ctx == "load":
                yield child.name
        elif not isinstance(child, nodes.Block) and not (
            isinstance(child, nodes.Macro) and pure.get(child.name) is child
        ):
            below = children(child)
            below.reverse()
            waiting += below


def asks_for_variables(node: nodes.Node, pure: dict[str, nodes.Macro]) -> bool:
    """Whether the function of `node`, a template or a block, looks into its variables, or hands them on changed."""
    for child in children(node):
        match child:
            case nodes.Block(scoped=False):
                continue
            case nodes.Macro() if pure.get(child.name) is child:
                continue
            case nodes.Name(ctx="load") | nodes.NSRef():
                return True
            case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Block():
                return True
        if type(child) not in LEAVES and asks_for_variables(child, pure):
            return True
    return False


def hands_over(body: list[nodes.Node]) -> bool:
    """Whether a template extends another one, by all means, and what else it does writes nothing."""
    extends = False
    for node in body:
        match node:
            case nodes.Extends():
                extends = True
            case nodes.Output() | nodes.Block() if extends:
                pass
            case nodes.Assign() | nodes.Macro() | nodes.Import() | nodes.FromImport() | nodes.ExprStmt():
                pass
            case _:
                return False
    return extends


def names_read_later(node: nodes.Node, pure: dict[str, nodes.Macro]) -> Iterator[str]:
    """Yield the names that are read in functions which may be called when the function of `node`, a template or a
    block, is over: macros, bodies of call blocks, and loops that call themselves; some repeatedly."""
    for child in children(node):
        if isinstance(child, nodes.Macro | nodes.CallBlock) or (isinstance(child, nodes.For) and child.recursive):
            if not (isinstance(child, nodes.Macro) and pure.get(child.name) is child):
                yield from read_names(child, pure)
        elif not isinstance(child, nodes.Block | nodes.Expr):
            yield from names_read_later(child, pure)


def matched(
    macro: nodes.Macro, call: nodes.Call, forward_caller: bool, is_inert: Callable[[nodes.Expr], bool]
) -> list[nodes.Expr | None] | None:
    """Return an argument, or None, for each parameter; None if the general way must say what is wrong, or if
    arguments would not be evaluated in the order in which they are written."""
    parameters = [parameter.name for parameter in macro.args]
    special = find_undeclared(macro.body, ("caller", "kwargs", "varargs"))
    if special - {"caller"} or ("caller" in special) != forward_caller or "caller" in parameters:
        return None
    if len(call.args) > len(parameters):
        return None
    found: list[nodes.Expr | None] = [*call.args, *[None] * (len(parameters) - len(call.args))]
    last = len(call.args) - 1
    for keyword in call.kwargs:
        if keyword.key not in parameters:
            return None
        place = parameters.index(keyword.key)
        if found[place] is not None or (place < last and not all(map(is_inert, filter(None, [*found, keyword.value])))):
            return None
        last = max(last, place)
        found[place] = keyword.value
    return found


def constant_names(target: nodes.Expr) -> str | tuple[str, ...] | None:
    """Return the name, or the names to choose from, of the template that is asked for, if they are constant."""
    if isinstance(target, nodes.Const) and isinstance(target.value, str):
        return target.value
    if isinstance(target, nodes.List | nodes.Tuple) and target.items:
        names = [item.value for item in target.items if isinstance(item, nodes.Const) and isinstance(item.value, str)]
        if len(names) == len(target.items):
            return tuple(names)
    return None


def called_name(call: nodes.Call) -> tuple[str, str | None] | None:
    """Return the variable, and the attribute of it, that is called with positional arguments only."""
    if call.kwargs or call.dyn_args or call.dyn_kwargs:
        return None
    match call.node:
        case nodes.Name(name=name):
            return name, None
        case nodes.Getattr(node=nodes.Name(name=name), attr=attr):
            return name, attr
    return None


def loop_uses(body: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield what a loop's body does with its own `loop`: attributes that it reads, calls of `loop.cycle` and
    `loop.changed`, and any other node where more than the position is needed."""
    for node in body:
        match node:
            case nodes.Getattr(node=nodes.Name(name="loop")):
                yield node
            case nodes.Call(node=nodes.Getattr(node=nodes.Name(name="loop"), attr="changed" | "cycle")):
                yield node
                yield from loop_uses(node.iter_child_nodes(exclude=("node",)))
            case nodes.Name(name="loop") | nodes.Include() | nodes.Import() | nodes.FromImport():
                yield node
            case nodes.Block() | nodes.Scope():
                yield node
            case nodes.Macro() | nodes.CallBlock():
                if find_undeclared(children(node), ("loop",)):
                    yield node
                yield from loop_uses(node.iter_child_nodes(only=("call", "args", "defaults")))
                yield from node.find_all((nodes.Include, nodes.Import, nodes.FromImport))
                yield from (block for block in node.find_all(nodes.Block) if block.scoped)
            case nodes.For():
                yield from loop_uses([node.iter, *node.else_, *([node.test] if node.test is not None else [])])
                # A template that gets the local variables gets this `loop` too, where the inner loop makes none.
                yield from node.find_all((nodes.Include, nodes.Import, nodes.FromImport))
            case _:
                yield from loop_uses(children(node))


def is_plain_cycle(call: nodes.Call) -> bool:
    return is_plain(call, "cycle") and bool(call.args) and all(isinstance(part, nodes.Const) for part in call.args)


def is_plain_change(call: nodes.Call) -> bool:
    return is_plain(call, "changed")


def is_plain(call: nodes.Call, method: str) -> bool:
    assert isinstance(call.node, nodes.Getattr)
    return call.node.attr == method and not (call.kwargs or call.dyn_args or call.dyn_kwargs)
