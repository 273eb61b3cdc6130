"""Checks of templates that need no inputs (CTX-FORMAT §5): names of filters, tests and imports, no way to internals.

In: a read package, the names its host supplies. Out: findings only. Every template of the package is walked, its
partials included; a mistake in a shared partial is merged by the report.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from frozenctx.template.language import FILTERS, TESTS
from jinja2 import nodes

from .captures import targets_of
from .diagnostics import Related, Scope, Span
from .exports import exported, why_not
from .package import ReadPackage, TemplateText
from .spelling import did_you_mean
from .templates.positions import place as place_in
from .templates.positions import position
from .templates.tree import LEAVES, children, descendants

# Interpreters differ in how deep an expression they compile; this is below what any of them refuses.
DEEPEST = 100

# What a build replaces by the file's content; the runtime has the other filters.
IMPORT_FILTERS = ("import_text", "import_yaml")
# What needs a token counter, which a later version brings.
TOKEN_FILTERS = ("count_tokens", "truncate_tokens")

# Filters whose argument of this position (or this keyword) names attributes, dots between the parts.
_ATTRIBUTE_ARGUMENT = {
    "attr": ("name", 0),
    "groupby": ("attribute", 0),
    "map": ("attribute", None),
    "max": ("attribute", 1),
    "min": ("attribute", 1),
    "rejectattr": (None, 0),
    "selectattr": (None, 0),
    "sort": ("attribute", 2),
    "sum": ("attribute", 0),
    "unique": ("attribute", 1),
    "join": ("attribute", 1),
}


# Filters whose argument of this position is the name of a filter or a test.
_NAMED_IN_ARGUMENT: dict[str, tuple[Literal["filter", "test"], int]] = {
    "map": ("filter", 0),
    "reject": ("test", 0),
    "rejectattr": ("test", 1),
    "select": ("test", 0),
    "selectattr": ("test", 1),
}


@dataclass(frozen=True, slots=True)
class Use:
    """A filter or test that a template names; `place` is the node that does."""

    kind: Literal["filter", "test"]
    name: str
    place: nodes.Node
    args: tuple[nodes.Expr, ...]
    kwargs: tuple[nodes.Pair, ...]


@dataclass(frozen=True, slots=True)
class HostNames:
    """What `[host]` of frozenctx.toml says the host program supplies at load, each sorted."""

    filters: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    globals: tuple[str, ...] = ()


def check_templates(read: ReadPackage, host: HostNames, scope: Scope, sound: set[str]) -> None:
    """Report unknown filters and tests, and attribute names that lead to internals, in all templates of a package.

    `sound` belongs to the build: files of partials in which nothing was found. They are looked at once.
    """
    for template in templates_of(read):
        if template.name is None:
            _check(template, host, scope)
        elif template.file not in sound:
            listener = _Listener(scope)
            _check(template, host, listener)
            if not listener.heard:
                sound.add(template.file)
        if "import" in template.text:
            _check_imports(template, read, scope)


class _Listener(Scope):
    """A scope that knows whether anything was added to it."""

    __slots__ = ("heard",)

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.report, scope.package)
        self.heard = False

    def add(self, *finding: Any, **more: Any) -> None:
        self.heard = True
        super().add(*finding, **more)


def _check(template: TemplateText, host: HostNames, scope: Scope) -> None:
    """Look at all nodes in source order. Without recursion: trees can be deep."""
    blocks: dict[str, nodes.Block] = {}
    waiting: list[tuple[nodes.Node, int]] = [(template.tree, 0)]  # each with how many expressions it stands in
    while waiting:
        node, depth = waiting.pop()
        kind = type(node)
        if depth == DEEPEST:
            place = node.expr if isinstance(node, nodes.Operand) else node  # jinja2 places no operands
            scope.add("template-syntax", f"an expression is nested {DEEPEST} deep", span_of(template, place))
        elif kind in _CHECKED:
            _check_node(node, blocks, template, host, scope)
        if kind not in LEAVES:
            below = children(node)
            below.reverse()
            inside = depth + 1 if isinstance(node, nodes.Expr) else 0
            waiting += [(child, inside) for child in below]
    if any(word in template.text for word in ("break", "continue", "extends")):
        _check_places(template, scope)


def _check_node(
    node: nodes.Node, blocks: dict[str, nodes.Block], template: TemplateText, host: HostNames, scope: Scope
) -> None:
    if isinstance(node, nodes.Filter | nodes.Test):
        _check_keywords(node, template, scope)
        for use in uses_of(node):
            _check_use(use, template, host, scope)
    elif isinstance(node, nodes.Call):
        _check_keywords(node, template, scope)
        _check_format(node, template, scope)
    elif isinstance(node, nodes.Getattr):
        if node.attr[:1] == "_":
            _check_attribute(node.attr, span_of_word(template, node, node.attr), scope)
    elif isinstance(node, nodes.Getitem):
        # A key may begin with `_`; two of them are how Python spells its own names.
        if _literal(node.arg)[:2] == "__":
            _check_attribute(_literal(node.arg), span_of(template, node.arg), scope)
    elif isinstance(node, nodes.Macro | nodes.CallBlock):
        _check_parameters(node, template, scope)
    elif isinstance(node, nodes.For):
        _check_target(node, template, scope)
    elif isinstance(node, nodes.Block):
        _check_block(node, blocks, template, scope)


_CHECKED = frozenset(
    [nodes.Filter, nodes.Test, nodes.Call, nodes.Getattr, nodes.Getitem, nodes.Macro, nodes.CallBlock, nodes.For]
    + [nodes.Block]
)


def templates_of(read: ReadPackage) -> Iterator[TemplateText]:
    """The package's own templates, then its partials in name order."""
    for role in read.roles:
        yield role.template
    for name in sorted(read.partials):
        yield read.partials[name]


def span_of(template: TemplateText, node: nodes.Node) -> Span:
    """Where a node stands in its file."""
    return place_of(template, node.lineno)


def place_of(template: TemplateText, lineno: int) -> Span:
    """Where a line number of the template that knows its column (`Position`) is in its file."""
    line = int(lineno)
    column = int(getattr(lineno, "column", 1))
    width = int(getattr(lineno, "width", 1))
    if not template.lines:
        return Span.at(template.file, line, column, width)
    index = min(line, len(template.lines)) - 1
    shift = template.columns[index] if template.columns else 0
    return Span.at(template.file, template.lines[index], column + shift, width)


def span_of_word(template: TemplateText, node: nodes.Node, word: str) -> Span:
    """Where `word` stands, for nodes that are placed at the `.` or the `is` before it."""
    line, column = int(node.lineno), int(getattr(node.lineno, "column", 1))
    found = template.text.split("\n")[line - 1].find(word, column - 1)
    span = span_of(template, node)
    if found < 0:
        return span
    return Span.at(span.file, span.line, span.column + found - (column - 1), len(word))


def deepest(tree: nodes.Node) -> nodes.Node:
    """The first node that stands in the most others."""
    found, most = tree, 0
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > most:
            found, most = node, depth
        waiting.extend([(child, depth + 1) for child in reversed(children(node))])
    return found


def uses_of(node: nodes.Filter | nodes.Test) -> Iterator[Use]:
    """The filter or test that a node names, and those that it names in literal arguments: `map("upper")`."""
    kind: Literal["filter", "test"] = "filter" if isinstance(node, nodes.Filter) else "test"
    use: Use | None = Use(kind, node.name, node, tuple(node.args), tuple(node.kwargs))
    while use is not None:
        yield use
        use = _named_by(use)


def _named_by(use: Use) -> Use | None:
    if use.kind == "test" or use.name not in _NAMED_IN_ARGUMENT:
        return None
    kind, position = _NAMED_IN_ARGUMENT[use.name]
    if len(use.args) <= position or not _literal(use.args[position]):
        return None
    name = use.args[position]
    return Use(kind, _literal(name), name, use.args[position + 1 :], use.kwargs)


def _check_use(use: Use, template: TemplateText, host: HostNames, scope: Scope) -> None:
    if use.kind == "test":
        if use.name not in TESTS and use.name not in host.tests:
            direct = isinstance(use.place, nodes.Test)
            span = span_of_word(template, use.place, use.name) if direct else span_of(template, use.place)
            _unknown("test", use.name, [*TESTS, *host.tests], span, scope)
        return
    span = span_of(template, use.place)
    if use.name in TOKEN_FILTERS and use.name not in host.filters:
        scope.add(
            "token-filter-not-yet",
            f"the filter `{use.name}` is not supported yet",
            span,
            label="counting tokens comes with a later version",
            help="cut by characters with `truncate` meanwhile, or count before rendering",
        )
        return
    if use.name not in FILTERS and use.name not in IMPORT_FILTERS and use.name not in host.filters:
        _unknown("filter", use.name, [*FILTERS, *IMPORT_FILTERS, *host.filters], span, scope)
        return
    if use.name not in _ATTRIBUTE_ARGUMENT or use.name in host.filters:
        return
    keyword, position = _ATTRIBUTE_ARGUMENT[use.name]
    values = [pair.value for pair in use.kwargs if pair.key == keyword]
    if position is not None and len(use.args) > position:
        values.append(use.args[position])
    for value in values:
        for part in [_literal(value)] if use.name == "attr" else re.split("[.,]", _literal(value)):
            _check_attribute(part, span_of(template, value), scope)


def _check_format(node: nodes.Call, template: TemplateText, scope: Scope) -> None:
    """Attributes that a literal format string reads: `"{0.name}".format(x)`."""
    method = node.node
    if not isinstance(method, nodes.Getattr) or method.attr not in ("format", "format_map"):
        return
    for field in re.findall(r"\{([^{}!:]*)", _literal(method.node).replace("{{", "")):
        for name in re.findall(r"\.(\w+)", re.sub(r"\[[^]]*]", "", field)):
            _check_attribute(name, span_of(template, method.node), scope)


# What parses and can mean nothing. jinja2 says so when it compiles, one mistake at a time, or Python says it.


def _check_keywords(node: nodes.Call | nodes.Filter | nodes.Test, template: TemplateText, scope: Scope) -> None:
    seen: set[str] = set()
    for pair in node.kwargs:
        key = str(pair.key)
        if key in seen:
            span = span_of(template, pair)
            column = int(getattr(pair.lineno, "column", 1))
            before = template.text.split("\n")[int(pair.lineno) - 1][: column - 1]
            written = re.search(rf"{re.escape(key)}\s*=\s*\Z", before)  # jinja2 places the pair at its value
            if written is not None:
                span = Span.at(span.file, span.line, span.column - len(written[0]), len(key))
            scope.add("template-syntax", f"the argument `{key}` is given twice", span, label="again here")
        seen.add(key)


def _check_parameters(node: nodes.Macro | nodes.CallBlock, template: TemplateText, scope: Scope) -> None:
    seen: set[str] = set()
    without_default = node.args[: len(node.args) - len(node.defaults)]
    for parameter in node.args:
        if parameter.name in seen:
            span = span_of(template, parameter)
            scope.add("template-syntax", f"two arguments are named `{parameter.name}`", span)
        elif parameter.name == "caller" and parameter in without_default:
            scope.add(
                "template-syntax",
                "the argument `caller` has no default",
                span_of(template, parameter),
                help="write `caller=none`, or leave it out: `caller()` works without",
            )
        seen.add(parameter.name)


def _check_target(node: nodes.For, template: TemplateText, scope: Scope) -> None:
    for target in [node.target, *children(node.target)]:
        if isinstance(target, nodes.Name) and target.name == "loop":
            scope.add(
                "template-syntax",
                "a loop cannot assign to `loop`",
                span_of(template, target),
                label="`loop` is the loop itself",
                help="take another name",
            )


def _check_block(node: nodes.Block, blocks: dict[str, nodes.Block], template: TemplateText, scope: Scope) -> None:
    first = blocks.setdefault(node.name, node)
    if first is not node:
        scope.add(
            "template-syntax",
            f"the block `{node.name}` is defined twice",
            span_of_word(template, node, node.name),
            label="again here",
            related=(Related(span_of_word(template, first, node.name), "first here"),),
            help=f"print it again with `{{{{ self.{node.name}() }}}}`, or take another name",
        )


def _check_places(template: TemplateText, scope: Scope) -> None:
    """`break` and `continue` stand in loops, `extends` in nothing but conditions."""
    waiting: list[tuple[nodes.Node, bool, bool]] = [(template.tree, False, True)]
    while waiting:
        node, in_loop, outside = waiting.pop()
        word = type(node).__name__.lower()
        if isinstance(node, nodes.Break | nodes.Continue) and not in_loop:
            scope.add("template-syntax", f"`{word}` stands outside of all loops", span_of(template, node))
        elif isinstance(node, nodes.Extends) and not outside:
            scope.add(
                "template-syntax",
                "`extends` stands inside a block",
                span_of(template, node),
                help="put it at the beginning of the template",
            )
        outside = outside and isinstance(node, nodes.Template | nodes.If)
        if isinstance(node, nodes.For):
            waiting.extend((child, in_loop and not node.recursive, False) for child in node.else_)
            waiting.extend((child, True, False) for child in node.body)
        else:
            in_loop = in_loop and not isinstance(node, nodes.Macro | nodes.CallBlock | nodes.Block)
            waiting.extend((child, in_loop, outside) for child in children(node) if isinstance(child, nodes.Stmt))


def _check_imports(template: TemplateText, read: ReadPackage, scope: Scope) -> None:
    """Names that `from` takes of a literal target that does not export them: undefined at render."""
    for node in descendants(template.tree):
        if not isinstance(node, nodes.FromImport):
            continue
        targets = targets_of(node)
        found = [exported(target, read.partials) for target in targets]
        if not targets or None in found:
            continue  # reported where targets are captured
        known = sorted({name for names in found for name in names or ()})
        for pair in node.names:
            name = pair if isinstance(pair, str) else pair[0]
            if name in known:
                continue
            reasons = filter(None, (why_not(name, read.partials[target]) for target in targets))
            listed = ", ".join(f"`{each}`" for each in known[:10]) + (", …" if len(known) > 10 else "")
            scope.add(
                "unknown-import",
                f"`{targets[0]}` does not export `{name}`",
                span_of_name(template, node, name),
                label="undefined at render",
                notes=(f"it exports {listed}" if known else "it exports nothing",),
                help=next(reasons, did_you_mean(name, known, None)),
            )


def span_of_name(template: TemplateText, node: nodes.FromImport, name: str) -> Span:
    """Where `from … import` has a name: tags may have several lines."""
    lines = template.text.split("\n")
    begin = sum(len(line) + 1 for line in lines[: int(node.lineno) - 1]) + getattr(node.lineno, "column", 1) - 1
    written = re.compile(rf"\bimport\b.*?\b({re.escape(name)})\b", re.DOTALL).search(template.text, begin)
    if written is None:
        return span_of(template, node)
    place = place_in(template.text, written.start(1))
    return place_of(template, position(place, place.column, len(name)))


def _literal(node: nodes.Node) -> str:
    """The text of a string literal, "" for anything else."""
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""


def _check_attribute(name: str, span: Span, scope: Scope) -> None:
    if name[:2] == "__":
        scope.add(
            "internal-name",
            f"`{name}` leads to Python's internals",
            span,
            label="no template reaches a name that begins with `__`",
            help="give the template the value itself as a variable",
        )
    elif name[:1] == "_":
        scope.add(
            "private-attribute",
            f"`{name}` is never read as an attribute",
            span,
            label="names that begin with `_` reach keys of mappings only",
            help=f"give the value a public name, or write `[{name!r}]` when it is a key",
        )


def _unknown(kind: str, name: str, known: list[str], span: Span, scope: Scope) -> None:
    by_host = f'if the host program supplies it, add `{kind}s = ["{name}"]` under `[host]` in frozenctx.toml'
    scope.add(
        f"unknown-{kind}",
        f"there is no {kind} `{name}`",
        span,
        label=f"unknown {kind}",
        help=did_you_mean(name, sorted(known), by_host),
    )
