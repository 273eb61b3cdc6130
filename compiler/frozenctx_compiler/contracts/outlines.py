"""What going through a template asks about all of it: names, blocks, what it pulls in.

In: a template. Out: its outline, found in one walk when it is first asked for; most templates need none. A partial that
many packages share is walked once in a build.
"""

from dataclasses import dataclass, field

from jinja2 import nodes

from ..captures import targets_of
from ..package import TemplateText
from ..templates.tree import descendants
from .expressions import path_of

# Methods that change a list or mapping in place: what it was made of says nothing any more.
_CHANGING = ("add", "append", "extend", "insert", "setdefault", "update")
_LOOKED_AT = frozenset(
    [nodes.Getattr, nodes.Block, nodes.Macro, nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends]
)


@dataclass(frozen=True, slots=True)
class Outline:
    sets: frozenset[str]  # names that it assigns somewhere
    loads: tuple[str, ...]  # names that it reads somewhere, sorted
    blocks: tuple[nodes.Block, ...]
    targets: tuple[str, ...]  # of includes, imports, extends
    changed: frozenset[str]  # variables that it changes in place, "" for values without a name


@dataclass(slots=True)
class Outlines:
    """The outlines of one build, by tree."""

    _known: dict[nodes.Template, Outline] = field(default_factory=dict)
    _changed: dict[nodes.Template, frozenset[str]] = field(default_factory=dict)

    def of(self, template: TemplateText) -> Outline:
        found = self._known.get(template.tree)
        if found is None:
            found = self._known[template.tree] = _outline(template.tree)
        return found

    def blocks(self, template: TemplateText) -> tuple[nodes.Block, ...]:
        return self.of(template).blocks if "block" in template.text else ()

    def changed(self, template: TemplateText) -> frozenset[str]:
        """The variables that a template may change in place."""
        found = self._changed.get(template.tree)
        if found is None:
            text = template.text
            may = any(f".{word}" in text for word in _CHANGING)
            found = self._changed[template.tree] = self.of(template).changed if may else frozenset()
        return found


def _outline(tree: nodes.Template) -> Outline:
    sets: set[str] = set()
    loads: set[str] = set()
    blocks: list[nodes.Block] = []
    targets: list[str] = []
    changed: set[str] = set()
    for node in descendants(tree):
        kind = type(node)
        if kind is nodes.Name:
            (loads if node.ctx == "load" else sets).add(node.name)  # type: ignore[attr-defined]
        elif kind in _LOOKED_AT:
            match node:
                case nodes.Getattr(attr=name) if name in _CHANGING:
                    changed.add(str((path_of(node.node) or ("",))[0]))
                case nodes.Getattr():
                    pass
                case nodes.Block():
                    blocks.append(node)
                case nodes.Macro():
                    sets.add(node.name)
                case nodes.Import():
                    sets.add(node.target)
                    targets += targets_of(node)
                case nodes.FromImport():
                    sets.update(name[1] if isinstance(name, tuple) else name for name in node.names)
                    targets += targets_of(node)
                case nodes.Include() | nodes.Extends():
                    targets += targets_of(node)
    return Outline(frozenset(sets), tuple(sorted(loads)), tuple(blocks), tuple(targets), frozenset(changed))
