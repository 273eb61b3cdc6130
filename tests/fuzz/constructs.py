"""What of the language a template uses, found by jinja2's own lexer and parser.

In: source, an environment. Out: names of constructs. `ALL` lists those that the generator must produce: the language
is taken from jinja2's tables where it has any, so that nothing is left out by forgetting it.
"""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.format_filters import FORMAT_FILTERS
from jinja2 import Environment, nodes
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.filters import FILTERS
from jinja2.tests import TESTS

LOOP = (
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0", "previtem", "nextitem",
    "changed", "cycle",
)  # fmt: skip
# `random` and `lipsum` give something else each time.
LEFT_OUT = {"random", "lipsum"}

ALL = frozenset([
    *(f"filter {name}" for name in FILTERS if name not in LEFT_OUT),
    *(f"filter {name}" for name in FORMAT_FILTERS),
    *(f"test {name}" for name in TESTS),
    *(f"global {name}" for name in DEFAULT_NAMESPACE if name not in LEFT_OUT),
    *(f"loop.{name}" for name in LOOP),
    *(f"operator {node.operator}" for node in (
        nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow, nodes.And, nodes.Or,
        nodes.Not, nodes.Neg, nodes.Pos)),
    *(f"compare {name}" for name in ("eq", "ne", "lt", "lteq", "gt", "gteq", "in", "notin")),
    "compare three", "literal dict", "literal list", "literal tuple", "literal text", "literal int", "literal float",
    "literal bool", "literal None", "name", "name not ASCII", "attribute", "attribute not ASCII", "item",
    "item computed", "slice", "slice step", "call", "call keyword", "call *", "call **", "method", "concat",
    "inline if", "inline if without else", "output", "print two",
    "for", "for if", "for else", "for recursive", "for unpacking", "for unpacking nested", "for in for", "break",
    "continue", "if", "elif", "else", "set", "set tuple", "set namespace", "set block", "set block filter",
    "set namespace block", "with", "with two", "do", "filter block", "filter block chain", "autoescape",
    "autoescape computed", "macro", "macro default", "macro varargs", "macro kwargs", "macro caller", "call block",
    "call block arguments", "call of caller", "block", "block scoped", "block required", "block in block", "super",
    "self", "extends", "extends computed", "extends in if", "include", "include list", "include computed",
    "include ignore missing", "include without context", "include with context", "import", "import with context",
    "from", "from as", "from with context", "raw", "comment", "whitespace -", "whitespace +", "whitespace - at end",
    "whitespace + at end", "variable -", "comment -", "generation", "global raise_exception", "global strftime_now",
])  # fmt: skip


def constructs(source: str, environment: Environment) -> Iterator[str]:
    """Yield the constructs of `source`, some of them several times. Raises `jinja2.TemplateSyntaxError`."""
    for _, token, text in environment.lex(source):
        if token in ("comment_begin", "raw_begin"):
            yield token.removesuffix("_begin")
        sign = "-" if "-" in text else "+" if "+" in text else ""
        if sign and token in ("block_begin", "variable_begin", "comment_begin"):
            yield {"block": "whitespace", "variable": "variable", "comment": "comment"}[token[:-6]] + f" {sign}"
        if sign and token == "block_end":
            yield f"whitespace {sign} at end"
    yield from of_node(environment.parse(source), ())


def of_node(node: nodes.Node, above: tuple[nodes.Node, ...]) -> Iterator[str]:
    match node:
        case nodes.Output() if len(node.nodes) > 1 and not any(isinstance(n, nodes.TemplateData) for n in node.nodes):
            yield "print two"
        case nodes.TemplateData():
            pass
        case nodes.Const(value=value):
            yield f"literal {'text' if isinstance(value, str) else 'None' if value is None else type(value).__name__}"
        case nodes.Dict() | nodes.List() | nodes.Tuple(ctx="load"):
            yield f"literal {type(node).__name__.lower()}"
        case nodes.Name(name=name):
            yield "name" if name.isascii() else "name not ASCII"
        case nodes.Getattr(attr=attr):
            yield "attribute" if attr.isascii() else "attribute not ASCII"
            if isinstance(node.node, nodes.Name) and node.node.name == "loop":
                yield f"loop.{attr}"
        case nodes.Getitem(arg=nodes.Slice(step=step)):
            yield "slice" if step is None else "slice step"
        case nodes.Getitem(arg=arg):
            yield "item" if isinstance(arg, nodes.Const) else "item computed"
        case nodes.Call():
            yield "call"
            yield from (f"call {sign}" for sign, used in (
                ("keyword", node.kwargs), ("*", node.dyn_args), ("**", node.dyn_kwargs)) if used)  # fmt: skip
            if isinstance(node.node, nodes.Getattr):
                yield "method"
                if isinstance(node.node.node, nodes.Name) and node.node.node.name == "self":
                    yield "self"
            if isinstance(node.node, nodes.Name):
                name = node.node.name
                yield "call of caller" if name == "caller" else "super" if name == "super" else f"global {name}"
        case nodes.Filter(name=name):
            yield f"filter {name}"
            # Tests whose names are signs can be named in no other way.
            if name == "select" and node.args and isinstance(node.args[0], nodes.Const):
                yield f"test {node.args[0].value}"
        case nodes.Test(name=name):
            yield f"test {name}"
        case nodes.BinExpr() | nodes.UnaryExpr():
            yield f"operator {node.operator}"
        case nodes.Compare():
            yield from (f"compare {operand.op}" for operand in node.ops)
            if len(node.ops) > 1:
                yield "compare three"
        case nodes.CondExpr(expr2=other):
            yield "inline if" if other is not None else "inline if without else"
        case nodes.For():
            yield "for"
            yield from (f"for {name}" for name, used in (
                ("if", node.test), ("else", node.else_), ("recursive", node.recursive),
                ("unpacking", isinstance(node.target, nodes.Tuple)),
                ("unpacking nested", any(isinstance(n, nodes.Tuple) for n in node.target.iter_child_nodes())),
                ("in for", any(isinstance(n, nodes.For) for n in above))) if used)  # fmt: skip
        case nodes.If():
            yield "if"
            yield from (name for name, used in (("elif", node.elif_), ("else", node.else_)) if used)
        case nodes.Assign(target=target):
            yield "set"
            if isinstance(target, nodes.Tuple):
                yield "set tuple"
            if target.find(nodes.NSRef) is not None or isinstance(target, nodes.NSRef):
                yield "set namespace"
        case nodes.AssignBlock():
            yield "set block filter" if node.filter is not None else "set block"
            if isinstance(node.target, nodes.NSRef):
                yield "set namespace block"
        case nodes.With():
            yield "with" if len(node.targets) < 2 else "with two"
        case nodes.FilterBlock(filter=filter):
            yield "filter block" if not isinstance(filter.node, nodes.Filter) else "filter block chain"
        case nodes.ScopedEvalContextModifier(options=[nodes.Keyword(key="autoescape", value=value)]):
            yield "autoescape" if isinstance(value, nodes.Const) else "autoescape computed"
        case nodes.Macro():
            yield "macro"
            names = {name.name for name in node.find_all(nodes.Name)}
            yield from (f"macro {name}" for name in ("varargs", "kwargs", "caller") if name in names)
            if node.defaults:
                yield "macro default"
        case nodes.CallBlock(call=nodes.Call(node=nodes.ExtensionAttribute())):
            yield "generation"
        case nodes.CallBlock():
            yield "call block arguments" if node.args else "call block"
        case nodes.Block():
            yield "block"
            yield from (f"block {name}" for name, used in (
                ("scoped", node.scoped), ("required", node.required),
                ("in block", any(isinstance(n, nodes.Block) for n in above))) if used)  # fmt: skip
        case nodes.Extends(template=template):
            yield "extends" if isinstance(template, nodes.Const) else "extends computed"
            if any(isinstance(n, nodes.If) for n in above):
                yield "extends in if"
        case nodes.Include(template=template):
            yield "include"
            listed = isinstance(template, nodes.List | nodes.Tuple)
            if listed or not isinstance(template, nodes.Const):
                yield "include list" if listed else "include computed"
            yield "include with context" if node.with_context else "include without context"
            if node.ignore_missing:
                yield "include ignore missing"
        case nodes.Import():
            yield "import with context" if node.with_context else "import"
        case nodes.FromImport(names=names):
            yield "from with context" if node.with_context else "from"
            if any(isinstance(name, tuple) for name in names):
                yield "from as"
        case nodes.Output() | nodes.Concat() | nodes.Break() | nodes.Continue():
            yield type(node).__name__.lower()
        case nodes.ExprStmt():
            yield "do"
    for child in node.iter_child_nodes():
        yield from of_node(child, (*above, node))
