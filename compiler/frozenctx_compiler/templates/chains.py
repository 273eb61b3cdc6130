"""Chains of filters that hand on one item after the other, written out as generators.

In: `map`, `select`, `reject`, `selectattr` and `rejectattr` of constant names, where what follows takes all items at
once (`list`, `join`, `sum`, a loop, `CONSUMERS` with constant arguments). Out: generator expressions that read, test
and convert as the filters do, in the same order. A value that is not true, of whatever kind, has no items.
"""

from __future__ import annotations

from frozenctx.template.applying import pass_arg
from frozenctx.template.language import FILTERS, TESTS
from jinja2 import nodes
from jinja2.compiler import Frame

from .fold import optimizeconst
from .lean_expressions import STRING_FILTERS, Expressions
from .literals import literal

EQUAL = ("==", "eq", "equalto")
# Filters that have taken all items that they ever take when they return.
CONSUMERS = ("sort", "min", "max", "first", "groupby", "numbered_list", "bulleted_list")


class Chains(Expressions):
    @optimizeconst
    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        items = self.generated(node, frame) if node in self.consumed else None
        if items:
            self.write(items)
            return
        if self.settled and node.name in CONSUMERS and node.node is not None:
            arguments = [*node.args, *[keyword.value for keyword in node.kwargs]]
            if self.is_of_the_language(node) and all(self.value(value, frame) is not ... for value in arguments):
                self.consumed.add(node.node)
        super().visit_Filter(node, frame)

    def short_filter(self, node: nodes.Filter, frame: Frame) -> str | None:
        values = [self.value(argument, frame) for argument in node.args]
        match node.name, values:
            case ("list" | "sum"), []:
                if items := self.generated(node.node, frame):
                    return f"{node.name}({items})"
            case "join", [] | [str()] if not frame.eval_ctx.autoescape:
                if items := self.generated(node.node, frame):
                    return f"{literal(values[0] if values else '')}.join(map(str, {items}))"
        return super().short_filter(node, frame)

    def iterated(self, node: nodes.Node, frame: Frame) -> str:
        items = self.generated(node, frame) if self.settled else None
        return items or super().iterated(node, frame)

    def generated(self, node: nodes.Node | None, frame: Frame) -> str | None:
        """Return the source of a generator that yields what the filter `node` yields, or None."""
        if not isinstance(node, nodes.Filter) or node.node is None or node.dyn_args or node.dyn_kwargs:
            return None
        if node.name in self.dialect.host_filters:
            return None
        values = [self.value(argument, frame) for argument in node.args]
        if any(value is ... for value in values):
            return None
        item = self.temporary_identifier()
        each, condition = "", ""
        match node.name, node.kwargs, values:
            case "map", [nodes.Keyword(key="attribute")], []:
                each = self.read_path(item, self.value(node.kwargs[0].value, frame))
            case "map", [], [str() as name, *rest]:
                each = self.mapped(item, name, rest)
            case ("select" | "reject"), [], [*tests]:
                each, condition = item, self.tested(item, tests)
            case ("selectattr" | "rejectattr"), [], [path, *tests]:
                subject = self.read_path(item, path)
                each, condition = item, subject and self.tested(subject, tests)
        if not each or (node.name != "map" and not condition):
            return None
        items = self.generated(node.node, frame) or f"({self.source(node.node, frame)} or ())"
        if ":=" in items:
            return None  # Python forbids that there
        self.take_short_cut("filters", node.name)
        only = f" if {'not ' if node.name.startswith('reject') else ''}{condition}" if condition else ""
        return f"({each} for {item} in {items}{only})"

    def read_path(self, item: str, path: object) -> str:
        """Return the source of what the dotted `path` names in `item`; none for paths that are no text of ASCII."""
        if type(path) is not str or not path.isascii():
            return ""
        first, *rest = [int(part) if part.isdigit() else part for part in path.split(".")]
        key = literal(first)
        source = f"getitem({item}, {key})"
        if type(first) is str:
            source = f"({item}[{key}] if type({item}) is dict and {key} in {item} else {source})"
        for part in rest:
            source = f"getitem({source}, {literal(part)})"
        return source

    def mapped(self, item: str, name: str, arguments: list[object]) -> str:
        if name not in FILTERS or name in self.dialect.host_filters or pass_arg(FILTERS[name]) is not None:
            return ""
        if name in STRING_FILTERS and not arguments:
            self.take_short_cut("filters", name)
            return f"({item}.{STRING_FILTERS[name]}() if type({item}) is str else {self.seldom(name)}({item}))"
        return f"{self.filters[name]}({', '.join([item, *map(literal, arguments)])})"

    def tested(self, subject: str, test: list[object]) -> str:
        if not test:
            return subject
        name, *arguments = test
        if type(name) is not str or name not in TESTS or name in self.dialect.host_tests:
            return ""
        if pass_arg(TESTS[name]) is not None:
            return ""
        if name in EQUAL and len(arguments) == 1:
            self.take_short_cut("tests", name)
            return f"({subject} == {literal(arguments[0])})"
        return f"{self.tests[name]}({', '.join([subject, *map(literal, arguments)])})"
