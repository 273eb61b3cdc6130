"""What a template exports to those that import names of it: what its top level sets, and macros.

In: the name of a partial and all partials of a package. Out: names, and why a name that is there is not exported. A
condition of the top level counts as met; a loop, block or `with` keeps what it sets to itself, and what a template
itself imports it does not hand on.
"""

from collections.abc import Iterator, Mapping

from jinja2 import nodes

from .captures import targets_of
from .package import TemplateText
from .templates.tree import children, descendants


def exported(target: str, partials: Mapping[str, TemplateText]) -> frozenset[str] | None:
    """The names that the template `target` exports, its bases included. None when a base is not known."""
    names: set[str] = set()
    waiting, seen = [target], {target}
    while waiting:
        name = waiting.pop()
        if name not in partials:
            return None
        for statement in _top_level(partials[name].tree.body):
            names.update(_set_by(statement))
            if isinstance(statement, nodes.Extends):
                bases = targets_of(statement)
                if not bases:
                    return None
                waiting += [base for base in bases if base not in seen]
                seen.update(bases)
    return frozenset(name for name in names if not name.startswith("_"))


def why_not(name: str, template: TemplateText) -> str | None:
    """What keeps a name that `template` knows from being exported."""
    for node in descendants(template.tree):
        if name in _imported_by(node):
            return f"`{template.file}` imports it itself: import it from there"
        if name in _set_by(node):
            return "only what the top level sets is exported, not what a loop, block, `with` or macro does"
    return None


def _top_level(body: list[nodes.Node]) -> Iterator[nodes.Node]:
    waiting = [*reversed(body)]
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, nodes.If):
            waiting += [child for child in reversed(children(statement)) if isinstance(child, nodes.Stmt)]


def _set_by(statement: nodes.Node) -> tuple[str, ...]:
    if isinstance(statement, nodes.Macro):
        return (statement.name,)
    if isinstance(statement, nodes.Assign | nodes.AssignBlock):
        target = statement.target
        return tuple(node.name for node in (target, *descendants(target)) if isinstance(node, nodes.Name))
    return ()


def _imported_by(statement: nodes.Node) -> tuple[str, ...]:
    if isinstance(statement, nodes.Import):
        return (statement.target,)
    if isinstance(statement, nodes.FromImport):
        return tuple(name if isinstance(name, str) else name[1] for name in statement.names)
    return ()
