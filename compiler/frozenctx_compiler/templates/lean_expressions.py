"""Expressions of the lean kind: written out where the general way would call a function.

In: expressions. Out: Python expressions with the same value, effects and errors, for contexts of exact dicts, lists and
strings by the shortest way; anything else takes the general way of the kept kind. What is evaluated twice in the text
is a name. Short cuts are taken for filters and tests of the language only, never for a host's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from frozenctx.template.applying import pass_arg
from frozenctx.template.language import FILTERS, TESTS
from jinja2 import Environment, nodes
from jinja2.compiler import Frame

from .dialect import Dialect
from .fold import HAS_VALUE, optimizeconst
from .kept import LOOP_METHODS, Kept
from .literals import literal
from .text import QUOTES, Hole, f_string, quotes_around

# Methods that only read, and whose arguments (constants here) run no code: the type for which they are called directly.
METHODS = {
    **dict.fromkeys(("items", "keys", "values", "get"), "dict"),
    **dict.fromkeys(("strip", "lstrip", "rstrip", "upper", "lower", "title", "capitalize", "split"), "str"),
    **dict.fromkeys(("splitlines", "startswith", "endswith", "replace"), "str"),
}
# Filters that want a context only to hand it on to a filter or test that is named in an argument.
NAMING = ("map", "select", "reject", "selectattr", "rejectattr")


class Expressions(Kept):
    """`settled`: whether autoescape is on is known, and the functions take no context."""

    # How many macros are being written, one in the other.
    macros = 0
    settled = True
    # Names that hold namespaces, as far as is known.
    namespaces: frozenset[str] = frozenset()

    def __init__(self, environment: Environment, name: str | None, dialect: Dialect) -> None:
        super().__init__(environment, name, dialect)
        # Python names of namespaces → names of the dicts that hold what is in them.
        self.opened: dict[str, str] = {}
        # Filters and tests that are written out.
        self.short_cuts: dict[tuple[str, str], None] = {}
        # What has been evaluated by a statement before the one that is being written → the name of its value.
        self.taken: dict[nodes.Node, str] = {}
        # Filters whose items are all taken where they are written, so that a generator can be in their place.
        self.consumed: set[nodes.Node] = set()
        # Python names → names that hold the same where that is a dict, and what `view` says where it is not.
        self.views: dict[str, str] = {}

    def is_own(self, node: nodes.Filter | nodes.Test) -> bool:
        """Whether a filter or test is the language's, and called with positional arguments only."""
        return not (node.dyn_args or node.dyn_kwargs or node.kwargs) and self.is_of_the_language(node)

    def is_of_the_language(self, node: nodes.Filter | nodes.Test) -> bool:
        """Whether a filter or test is the language's, and none of the host's has its name."""
        if isinstance(node, nodes.Filter):
            return node.name in FILTERS and self.environment.filters.get(node.name) is FILTERS[node.name]
        return node.name in TESTS and self.environment.tests.get(node.name) is TESTS[node.name]

    def value(self, node: nodes.Expr, frame: Frame) -> object:
        """Return what is written for a constant: a str, int or so, or `...` when `node` is not constant."""
        if not isinstance(node, HAS_VALUE):
            return ...
        try:
            return self.folding.constant(node, frame.eval_ctx)
        except nodes.Impossible:
            return ...

    def is_inert(self, node: nodes.Expr, frame: Frame) -> bool:
        """Whether evaluating `node` has no effect, cannot fail, and gives the same now and a little later."""
        return isinstance(node, nodes.Name) or node in self.taken or self.value(node, frame) is not ...

    def operand(self, node: nodes.Expr, frame: Frame) -> tuple[str, str, str]:
        """Return sources for an operand that is written several times: at first, again, and where it is passed on.

        The first two may be `missing`; the third is undefined then.
        """
        if node in self.taken:
            return (self.taken[node],) * 3
        source = self.source(node, frame)
        if isinstance(node, nodes.Name):
            name = frame.symbols.ref(node.name) if " is missing else " in source else source
            return name, name, source
        name = self.temporary_identifier()
        return f"({name} := {source})", name, name

    def take_short_cut(self, kind: str, name: str) -> None:
        """Note that a filter or test of the language is written out: the program needs it all the same."""
        self.short_cuts[kind, name] = None
        self.filters[name] if kind == "filters" else self.tests[name]

    def seldom(self, name: str) -> str:
        """Return the source of a filter that may well not be called: `bind` does not ask for it, so that its module is
        not loaded for nothing."""
        self.filters[name]
        return f"filters[{literal(name)}]"

    # Attributes and items

    def read(self, source: str, attribute: str) -> str:
        reader = "getattribute" if self.dialect.needs_care(attribute) else "attr"
        return f"{reader}({source}, {literal(attribute)})"

    def is_namespace(self, node: nodes.Node) -> bool:
        return isinstance(node, nodes.Name) and node.name in self.namespaces

    def view_of(self, node: nodes.Node, frame: Frame) -> str | None:
        return self.views.get(frame.symbols.ref(node.name)) if isinstance(node, nodes.Name) else None

    def by_key(self, node: nodes.Expr, key: str, general: str, frame: Frame, kind: str = "Dict") -> str:
        """Return the source for an item of `node` if that is a dict with such a key, else `general`, for which `{}`
        stands for the operand."""
        first, again, passed = self.operand(node, frame)
        view = self.view_of(node, frame)
        name = literal(key)
        general = general.replace("{}", passed)
        if view:
            return f"({view}[{name}] if {view} and {name} in {view} else {general})"
        return f"({again}[{name}] if type({first}) is {kind} and {name} in {again} else {general})"

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        counted = self.counted(node, frame)
        if node in self.taken:
            self.write(self.taken[node])
        elif counted is not None:
            self.write(counted)
        elif not self.settled or self.loop_object(node.node, frame) is not None:
            super().visit_Getattr(node, frame)
        elif self.dialect.needs_care(node.attr):
            self.write(self.read(self.source(node.node, frame), node.attr))
        elif self.is_namespace(node.node):
            assert isinstance(node.node, nodes.Name)
            general = f"attr({self.source(node.node, frame)}, {literal(node.attr)})"
            opened = self.opened.get(frame.symbols.ref(node.node.name))
            name = literal(node.attr)
            self.write(f"({opened}[{name}] if {opened} and {name} in {opened} else {general})" if opened else general)
        else:
            self.write(self.by_key(node.node, node.attr, self.read("{}", node.attr), frame))

    @optimizeconst
    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        key = ... if isinstance(node.arg, nodes.Slice) else self.value(node.arg, frame)
        if node in self.taken:
            self.write(self.taken[node])
        elif self.settled and type(key) is str:
            self.write(self.by_key(node.node, key, f"getitem({{}}, {literal(key)})", frame, "dict"))
        elif self.settled and type(key) is int and key in (0, -1):
            first, again, passed = self.operand(node.node, frame)
            self.write(f"({again}[{key}] if type({first}) is list and {again} else getitem({passed}, {key}))")
        else:
            super().visit_Getitem(node, frame)

    def counter(self, node: nodes.Expr, frame: Frame) -> str | None:
        """Return the name that counts from 0 if `node` is a `loop` that is only a counter, else None."""
        raise NotImplementedError

    def counted(self, node: nodes.Getattr, frame: Frame) -> str | None:
        """Return the source of an attribute of a `loop` that is only a counter."""
        raise NotImplementedError

    def maybe(self, node: nodes.Expr, frame: Frame) -> str:
        """Return a source whose value is `missing`, or some undefined, where that of `node` is undefined."""
        if isinstance(node, nodes.Name) or node in self.taken:
            return self.operand(node, frame)[0]
        key: object = ...
        if isinstance(node, nodes.Getattr) and self.counted(node, frame) is None:
            if self.loop_object(node.node, frame) is None:
                key = node.attr
        elif isinstance(node, nodes.Getitem) and not isinstance(node.arg, nodes.Slice):
            key = self.value(node.arg, frame)
        if type(key) is not str or self.dialect.needs_care(key):
            return self.source(node, frame)
        inner: nodes.Expr = node.node  # type: ignore[attr-defined]
        first, again, passed = self.operand(inner, frame)
        name = literal(key)
        general = self.read(passed, key) if isinstance(node, nodes.Getattr) else f"getitem({passed}, {name})"
        return f"({again}.get({name}, missing) if type({first}) is Dict else {general})"

    def defined(self, node: nodes.Expr, frame: Frame) -> tuple[str, str]:
        """Return the source of a condition, whether `node` is defined, and that of its value after it is."""
        source, name = self.possible(node, frame)
        return f"{source} is not missing and not isinstance({name}, Absent)", name

    def possible(self, node: nodes.Expr, frame: Frame) -> tuple[str, str]:
        """Return what `maybe` does, and the source of the same value after that."""
        source = self.maybe(node, frame)
        if isinstance(node, nodes.Name) or node in self.taken:
            return source, source
        name = self.temporary_identifier()
        return f"({name} := {source})", name

    # Tests and filters

    @contextmanager
    def _filter_test_common(
        self, node: nodes.Filter | nodes.Test, frame: Frame, is_filter: bool
    ) -> Iterator[None]:
        with self.captured() as stream, super()._filter_test_common(node, frame, is_filter):
            yield
        source = stream.getvalue()
        head, parenthesis, rest = source.partition("(")
        if self.settled and is_filter and (self.macros or frame.soft_frame) and self.is_of_the_language(node):
            # A file of macros has more of them than one that imports it calls, and what an `if` stands around may wait.
            head = self.seldom(node.name)
        if self.settled:
            if rest.startswith("context, "):
                context = "template" if self.is_harmless(node) else self.context_source(frame)
                rest = context + rest.removeprefix("context")
            elif rest.startswith("context.eval_ctx, "):
                rest = self.of_blocks() + rest.removeprefix("context.")
        self.write(head + parenthesis + rest)

    def is_harmless(self, node: nodes.Filter | nodes.Test) -> bool:
        """Whether a filter that takes a context does not look at its variables."""
        if node.name in self.dialect.host_filters:
            return False
        if node.name == "random":
            return True
        if node.name not in NAMING or node.dyn_args or node.dyn_kwargs:
            return False
        names = node.args[1:] if node.name.endswith("attr") else node.args
        if not names:
            return True
        called = names[0].value if isinstance(names[0], nodes.Const) else ""
        if node.name == "map":
            return called in FILTERS and called not in self.dialect.host_filters and not takes_context(FILTERS[called])
        return called in TESTS and called not in self.dialect.host_tests and not takes_context(TESTS[called])

    def context_source(self, frame: Frame) -> str:
        """Return an expression that makes a context with all variables."""
        raise NotImplementedError

    def of_blocks(self) -> str:
        """Return what stands before names that belong to the rendering and not to the template."""
        raise NotImplementedError

    # Text

    def printed(self, node: nodes.Expr, frame: Frame) -> str:
        """Return a source that prints as `node` does."""
        if isinstance(node, nodes.CondExpr) and self.value(node, frame) is ...:
            frame = frame.soft()
            chosen = self.printed(node.expr1, frame)
            other = self.printed(node.expr2, frame) if node.expr2 is not None else "''"
            return f"({chosen} if {self.source(node.test, frame)} else {other})"
        match node:
            case nodes.Filter(name="e" | "escape", node=nodes.Expr() as text, args=[]) if (
                self.is_own(node) and not frame.eval_ctx.autoescape  # which tells escaped text by its class
            ):
                self.take_short_cut("filters", node.name)
                return f"escaped({self.source(text, frame)})"
        return self.source(node, frame)

    def write_converted(self, child: nodes.Expr, frame: Frame, finalize: str | None) -> None:
        if not self.settled or finalize or not isinstance(child, nodes.CondExpr | nodes.Filter):
            super().write_converted(child, frame, finalize)
        elif not frame.eval_ctx.autoescape:
            self.write(self.printed(child, frame))
        elif isinstance(child, nodes.CondExpr):
            self.write(f"escape({self.printed(child, frame)})")
        else:
            super().write_converted(child, frame, finalize)

    def pieces(self, node: nodes.Expr, frame: Frame) -> list[str | Hole] | None:
        """Return the parts whose texts, one after the other, are that of `a ~ b`; None if the order would show.

        `~` evaluates all operands and converts then; parts are converted one by one.
        """
        if not isinstance(node, nodes.Concat) or frame.eval_ctx.autoescape or not self.settled:
            return None
        parts: list[str | Hole] = []
        holes = 0
        for operand in node.nodes:
            value = self.value(operand, frame)
            if value is not ...:
                parts.append(str(value))
            elif holes and not self.is_inert(operand, frame):
                return None
            else:
                holes += 1
                parts.append(Hole(self.source(operand, frame), node.lineno))
        return parts

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        parts = self.pieces(node, frame)
        if parts is not None:
            quotes = QUOTES
            for part in parts:
                if isinstance(part, Hole):
                    quotes = quotes_around(part.source, quotes)
            if quotes:
                self.write(f_string(parts))
                return
        super().visit_Concat(node, frame)

    # Calls

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        short = self.short_call(node, frame, forward_caller) if self.settled else None
        if short is not None:
            self.write(short)
        elif self.settled and not self.is_loop_method(node, frame):
            self.write(self.general_call(node, self.source(node.node, frame), frame, forward_caller))
        else:
            super().visit_Call(node, frame, forward_caller=forward_caller)

    def is_loop_method(self, node: nodes.Call, frame: Frame) -> bool:
        function = node.node
        return (
            isinstance(function, nodes.Getattr)
            and function.attr in LOOP_METHODS
            and self.loop_object(function.node, frame) is not None
        )

    def general_call(self, node: nodes.Call, function: str, frame: Frame, forward_caller: bool = False) -> str:
        with self.captured() as stream:
            self.signature(node, frame, {"caller": "caller"} if forward_caller else {})
        # A sandbox looks first at what is called.
        call = "call_free" if self.dialect.chat else f"{self.of_blocks()}call_free"
        return f"{call}({self.scope_source(frame)}, {function}{stream.getvalue()})"

    def scope_source(self, frame: Frame) -> str:
        """Return the first two arguments of `call_free`: what a function that wants the context would see."""
        raise NotImplementedError

    def short_call(self, node: nodes.Call, frame: Frame, forward_caller: bool) -> str | None:
        """Return a call written out, or None."""
        direct = None if forward_caller else self.called_directly(node, frame)
        if direct is not None:
            called, others = direct
            return f"{called}({', '.join([*others, *(self.source(argument, frame) for argument in node.args)])})"
        if isinstance(node.node, nodes.Name):
            loop = self.loop_object(node.node, frame)
            if loop is not None and not forward_caller:
                with self.captured() as stream:
                    self.signature(node, frame)
                return f"{loop}({stream.getvalue()[2:]})"
            return self.direct_call(node, frame, forward_caller)
        if forward_caller or not isinstance(node.node, nodes.Getattr):
            return None
        if node.dyn_args or node.dyn_kwargs or node.kwargs:
            return None
        method, target = node.node.attr, node.node.node
        if method == "cycle" and self.counter(target, frame) is not None:
            arguments = "".join(f"{self.source(argument, frame)}, " for argument in node.args)
            return f"({arguments})[{self.counter(target, frame)} % {len(node.args)}]"
        if method == "changed" and self.counter(target, frame) is not None:
            last, asked = self.counters[frame.symbols.ref("loop")].changed, self.temporary_identifier()
            arguments = "".join(f"{self.source(argument, frame)}, " for argument in node.args)
            return f"(({asked} := ({arguments})) != {last} and ({last} := {asked}) is {asked})"
        kind = METHODS.get(method)
        inert = all(self.is_inert(argument, frame) for argument in node.args)
        if method == "append" and inert and not self.dialect.chat:
            kind = "list"
        elif kind is None or any(self.value(argument, frame) is ... for argument in node.args):
            return None
        if self.loop_object(target, frame) is not None:
            return None
        first, again, passed = self.operand(target, frame)
        arguments = ", ".join(self.source(argument, frame) for argument in node.args)
        function = self.taken.get(node.node)
        general = self.general_call(node, function or self.read(passed, method), frame)
        return f"({function or f'{again}.{method}'}({arguments}) if type({first}) is {kind} else {general})"

    def called_directly(self, node: nodes.Call, frame: Frame) -> tuple[str, list[str]] | None:
        """Return the source of the function that a call of something imported, or of a block of `self`, calls, if there
        is one, and what it takes before the arguments of the call."""
        return None

    def direct_call(self, node: nodes.Call, frame: Frame, forward_caller: bool) -> str | None:
        """Return the call of a macro that is known, or None."""
        raise NotImplementedError


def takes_context(function: object) -> bool:
    return pass_arg(function) == "context"
