"""Chains of filters that hand on one item after the other, written out as generators.

In: `map`, `select`, `reject`, `selectattr` and `rejectattr` of constant names, with arguments that are constants or
names, where what follows takes all items at once (`list`, `join`, `sum`, a loop). Out: generator expressions that read,
test and convert as the filters do, in the same order. A value that is not true, of whatever kind, has no items.
"""

from __future__ import annotations

from frozenctx.template.language import TESTS
from jinja2 import nodes
from jinja2.compiler import Frame

from .fold import optimizeconst
from .short_cuts import ShortCuts, folded

# Filters that have taken all items that they ever take when they return, and those that take them as theirs are taken.
CONSUMERS = ("bulleted_list", "first", "groupby", "join", "list", "max", "min", "numbered_list", "sort", "sum")
PASSING = ("batch", "slice", "unique")


class Chains(ShortCuts):
    @optimizeconst
    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:
        items = self.generated(node, frame) if node in self.consumed else None
        if items:
            self.write(items)
            return
        taken = node.name in CONSUMERS or (node.name in PASSING and node in self.consumed)
        if self.settled and taken and node.node is not None and self.is_of_the_language(node):
            arguments = [*node.args, *[keyword.value for keyword in node.kwargs]]
            if all(self.value(value, frame) is not ... for value in arguments):
                self.consumed.add(node.node)
        super().visit_Filter(node, frame)

    def iterated(self, node: nodes.Node, frame: Frame) -> str:
        if self.settled:
            self.consumed.add(node)
        return super().iterated(node, frame)

    def generated(self, node: nodes.Node | None, frame: Frame) -> str | None:
        """Return the source of a generator that yields what the filter `node` yields, or None."""
        if not isinstance(node, nodes.Filter) or node.node is None or node.dyn_args or node.dyn_kwargs:
            return None
        if not self.is_of_the_language(node) or not all(self.is_unseen(argument, frame) for argument in node.args):
            return None
        item = self.temporary_identifier()
        first = self.value(node.args[0], frame) if node.args else None
        each: str | None = item
        condition: str | None = ""
        match node.name, node.kwargs:
            case "map", [nodes.Keyword(key="attribute")] if not node.args:
                each = self.path_of(item, node.kwargs[0].value, frame)
            case "map", [] if type(first) is str:
                each = self.mapped(item, first, node.args[1:], frame)
            case ("select" | "reject"), []:
                condition = self.tested_by(item, node.args, frame)
            case ("selectattr" | "rejectattr"), [] if node.args:
                subject = self.path_of(item, node.args[0], frame)
                condition = subject and self.tested_by(subject, node.args[1:], frame)
            case "unique", _:
                return self.first_of_each(node, node.node, frame)
            case _:
                return None
        if not each or (node.name != "map" and not condition):
            return None
        items = self.generated(node.node, frame) or f"({self.source(node.node, frame)} or ())"
        if ":=" in items:
            return None  # Python forbids that there
        self.take_short_cut("filters", node.name)
        only = f" if {'not ' if node.name.startswith('reject') else ''}{condition}" if condition else ""
        return f"({each} for {item} in {items}{only})"

    def first_of_each(self, node: nodes.Filter, subject: nodes.Expr, frame: Frame) -> str | None:
        """Return the source of a generator of the items whose keys were not seen before."""
        options = self.constants(node, frame, {"case_sensitive": False, "attribute": None})
        item, key, seen = (self.temporary_identifier() for _ in range(3))
        value = self.read_path(item, options[1]) if options else ""
        items = self.generated(subject, frame) or self.source(subject, frame)
        if not options or not value or ":=" in items:
            return None
        self.take_short_cut("filters", node.name)
        keyed = f"for {item} in {items} for {key} in [{folded(value, options[0])}]"
        return f"({item} for {seen} in [set()] {keyed} if {key} not in {seen} and not {seen}.add({key}))"

    def path_of(self, item: str, path: nodes.Expr, frame: Frame) -> str:
        """Return the source of what a constant path names in `item`, or none."""
        value = self.value(path, frame)
        return self.read_path(item, value) if type(value) in (int, str) else ""

    def tested_by(self, subject: str, test: list[nodes.Expr], frame: Frame) -> str | None:
        """Return the source of a condition: a test by its name, and its arguments, or whether `subject` is true."""
        if not test:
            return subject
        name = self.value(test[0], frame)
        if type(name) is not str or name not in TESTS or self.environment.tests.get(name) is not TESTS[name]:
            return None
        return self.tested(subject, name, [self.source(argument, frame) for argument in test[1:]])
