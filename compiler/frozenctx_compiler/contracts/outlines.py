"""What going through a template asks of it again and again, found in one walk: names, blocks, what it pulls in.

In: a tree. Out: its outline. A partial that many packages share is walked once in a build.
"""

from dataclasses import dataclass, field

from jinja2 import nodes

from ..captures import targets_of
from ..templates.tree import descendants

# Methods that change a list or mapping in place: what it was made of says nothing any more.
CHANGING = frozenset(["add", "append", "extend", "insert", "setdefault", "update"])
_LOOKED_AT = frozenset(
    [nodes.Getattr, nodes.Block, nodes.Macro, nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends]
)


@dataclass(frozen=True, slots=True)
class Outline:
    sets: frozenset[str]  # names that it assigns somewhere
    loads: tuple[str, ...]  # names that it reads somewhere, sorted
    blocks: tuple[nodes.Block, ...]
    targets: tuple[str, ...]  # of includes, imports, extends
    changes: bool  # whether it calls what changes a list or mapping in place


@dataclass(slots=True)
class Outlines:
    """The outlines of one build, by tree."""

    _known: dict[nodes.Template, Outline] = field(default_factory=dict)

    def of(self, tree: nodes.Template) -> Outline:
        found = self._known.get(tree)
        if found is None:
            found = self._known[tree] = _outline(tree)
        return found


def _outline(tree: nodes.Template) -> Outline:
    sets: set[str] = set()
    loads: set[str] = set()
    blocks: list[nodes.Block] = []
    targets: list[str] = []
    changes = False
    for node in descendants(tree):
        kind = type(node)
        if kind is nodes.Name:
            (loads if node.ctx == "load" else sets).add(node.name)  # type: ignore[attr-defined]
        elif kind in _LOOKED_AT:
            match node:
                case nodes.Getattr():
                    changes = changes or node.attr in CHANGING
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
    return Outline(frozenset(sets), tuple(sorted(loads)), tuple(blocks), tuple(targets), changes)
