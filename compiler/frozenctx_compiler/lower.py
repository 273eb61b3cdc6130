"""The pass lower: a checked package's Jinja trees → the Python text of one program per template.

Literal import filters are replaced by what they captured, so that a program needs no file. A partial that several
packages share under one name and base is lowered once: the caller holds the cache.
"""

from operator import is_not
from typing import Any, cast

from jinja2 import TemplateError, nodes

from .check_templates import IMPORT_FILTERS, deepest, place_of, span_of, uses_of
from .diagnostics import Scope, Span
from .package import CheckedPackage, LoweredPackage, Program, ReadPackage, TemplateText
from .templates.dialect import Dialect
from .templates.generate import Kind, kind_of
from .templates.generate import lower as generate
from .templates.proof import NotAProgram, prove
from .templates.tree import FIELDS, descendants

Cache = dict[tuple[str, str, str, Kind], Program]
"""(base directory, template name, file, kind) → program: under one base, a template's literal imports are the same
files."""

_BUILT_IN_NEEDS = {"filters": "filter", "tests": "test", "globals": "global"}


def lower(
    checked: CheckedPackage, dialect: Dialect, cache: Cache, scope: Scope, kind: Kind = "lean"
) -> LoweredPackage | None:
    """Lower every template of `checked` to programs of this `kind`. Reports what jinja2's own compiler refuses; None
    when anything failed."""
    read = checked.read
    templates = [*(role.template for role in read.roles), *read.partials.values()]
    escapes = any("autoescape" in template.text for template in templates)  # for these may extend each other

    def kind_for(template: TemplateText) -> Kind:
        return kind_of(template.tree, escapes) if kind == "lean" else kind

    roles = {role.role: _program(role.template, read, dialect, scope, kind_for(role.template)) for role in read.roles}
    partials: dict[str, Program] = {}
    complete = None not in roles.values()
    for name in sorted(read.partials):
        template = read.partials[name]
        own_kind = kind_for(template)
        place = (read.base, name, template.file, own_kind)
        if place not in cache:
            program = _program(template, read, dialect, scope, own_kind)
            if program is None:
                complete = False
                continue
            cache[place] = program
        partials[name] = cache[place]
    return LoweredPackage(checked, cast(Any, roles), partials) if complete else None


def _program(template: TemplateText, read: ReadPackage, dialect: Dialect, scope: Scope, kind: Kind) -> Program | None:
    try:
        tree = template.tree
        if any(name in template.text for name in IMPORT_FILTERS):
            # What they capture may differ from package to package, and link looks at the tree again.
            tree = cast(nodes.Template, _filled(tree, read))
        lowered = generate(
            tree, name=template.name, file=template.file, dialect=dialect, lines=template.lines or None, kind=kind
        )
        code = prove(lowered.text, "`")
    except TemplateError as error:
        place = place_of(template, getattr(error, "lineno", None) or 1)
        scope.add("template-syntax", _clause(error.message or str(error)), place)
        return None
    except (NotAProgram, RecursionError, MemoryError) as error:
        if isinstance(error, NotAProgram) and not error.too_deep:
            scope.add("template-syntax", _clause(error.message), Span.at(template.file, error.line, 1))
            return None
        place = span_of(template, deepest(template.tree))
        scope.add("template-syntax", "the template is nested too deeply", place, label="the deepest place")
        return None
    host = {"filters": dialect.host_filters, "tests": dialect.host_tests, "globals": dialect.host_globals}
    names = {
        f"{_BUILT_IN_NEEDS[kind]}:{name}" for kind, needed in lowered.needs for name in needed if name in host[kind]
    }
    if dialect.host_filters or dialect.host_tests:
        for node in descendants(template.tree):
            if isinstance(node, nodes.Filter | nodes.Test):
                names.update(f"{use.kind}:{use.name}" for use in uses_of(node) if use.name in host[f"{use.kind}s"])
    return Program(lowered.text, tuple(sorted(names)), lowered.variables, lowered.sets, code)


def _clause(message: str) -> str:
    """jinja2's sentence as a headline: lower-case first word, no full stop."""
    return (message[:1].lower() + message[1:]).rstrip(".")


def _filled(node: nodes.Node, read: ReadPackage) -> nodes.Node:
    """The tree with what import filters captured in their places. What holds none of them is shared."""
    if isinstance(node, nodes.Filter) and node.name in IMPORT_FILTERS:
        assert isinstance(node.node, nodes.Const)  # read refused anything else
        name = node.node.value
        return _const(read.texts[name], node) if node.name == "import_text" else _display(read.data[name], node)
    copy: nodes.Node | None = None
    for field in FIELDS[type(node)]:
        value = filled = getattr(node, field, None)
        if isinstance(value, nodes.Node):
            filled = _filled(value, read)
        elif isinstance(value, list):
            items = [_filled(item, read) if isinstance(item, nodes.Node) else item for item in value]
            filled = items if any(map(is_not, items, value)) else value
        if filled is not value:
            if copy is None:
                copy = object.__new__(type(node))
                vars(copy).update(vars(node))
            setattr(copy, field, filled)
    return copy or node


def _const(value: Any, at: nodes.Node) -> nodes.Node:
    return nodes.Const(value, lineno=at.lineno, environment=at.environment)


def _display(value: Any, at: nodes.Node) -> nodes.Node:
    """Plain data as displays, which give fresh lists and mappings at every evaluation."""
    if isinstance(value, dict):
        pairs = [
            nodes.Pair(_const(key, at), _display(item, at), lineno=at.lineno, environment=at.environment)
            for key, item in value.items()
        ]
        return nodes.Dict(pairs, lineno=at.lineno, environment=at.environment)
    if isinstance(value, list):
        return nodes.List([_display(item, at) for item in value], lineno=at.lineno, environment=at.environment)
    return _const(value, at)
