"""Names while a template is gone through: what each may be, and what tests on the way here have said about it.

In: what is assigned, and what is narrowed, in the order of the template. Out: values by name or path. A scope hides
nothing of its parent but what it assigns; jinja2's scoping (JINJA.md, trap 6) is in when scopes are made and merged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jinja2 import nodes

from .types import Field
from .values import ANYTHING, Value, either

if TYPE_CHECKING:
    from ..package import TemplateText

# How deep statements and expressions may stand in each other, in all that is being gone through at once; below it
# nothing is known. A count ends at the same place on every interpreter.
DEEPEST = 120
Path = tuple[str | int, ...]  # ("ticket", "title"): a variable, then attributes, keys and positions
Refined = Mapping[Path, Value]


@dataclass(slots=True, eq=False)
class Frame:
    """One template being gone through. `blocks`: name → all versions of a block, the one that is rendered first.
    `extending`: where a branch of it extends another."""

    template: "TemplateText"
    blocks: dict[str, list[tuple[nodes.Block, "Frame"]]]
    inputs: bool  # whether it sees the variables of the prompt
    extending: "list[tuple[nodes.Extends, Scope]]" = field(default_factory=list)


class Scope:
    """`own`: names assigned here. `refined`: what tests have said. `fields`: name → what declares the value that it was
    given. `block`: the block that this is the body of, and which version. `late`: whether this is gone through later
    than its place says, as macros and blocks are: what it sees may be assigned in between."""

    __slots__ = ("block", "fields", "frame", "late", "own", "parent", "refined")

    def __init__(
        self,
        frame: Frame,
        parent: "Scope | None" = None,
        refined: Refined | None = None,
        block: tuple[str, int] | None = None,
    ) -> None:
        self.frame = frame
        self.parent = parent
        self.refined: dict[Path, Value] = dict(refined) if refined else {}
        self.own: dict[str, Value] = {}
        self.fields: dict[str, Field] | None = None
        self.block = block
        self.late = block is not None

    def inside(self, refined: Refined | None = None) -> "Scope":
        return Scope(self.frame, self, refined)

    def chain(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def assign(self, name: str, value: Value) -> None:
        self.own[name] = value
        if self.fields is not None:
            self.fields.pop(name, None)
        for path in [path for path in self.refined if path[0] == name]:
            del self.refined[path]

    def declare(self, name: str, declared: Field) -> None:
        """Say what declares the value that a name was given."""
        self.fields = {**(self.fields or {}), name: declared}

    def assigned(self, name: str) -> Value | None:
        for scope in self.chain():
            if name in scope.own:
                return scope.own[name]
        return None

    def known(self, path: Path) -> Value | None:
        """What tests have said about a path, if anything."""
        scope: Scope | None = self
        while scope is not None:
            if scope.refined and path in scope.refined:
                return scope.refined[path]
            if path[0] in scope.own:
                return None
            scope = scope.parent
        return None

    def owner(self, name: str) -> "Scope | None":
        """Where a name is assigned; None for variables of the prompt."""
        return next((scope for scope in self.chain() if name in scope.own), None)

    def is_late(self) -> bool:
        return any(scope.late for scope in self.chain())

    def told(self, other: "Scope") -> dict[Path, Value]:
        """What is known here about names that mean the same in `other`, from where it is not seen."""
        found: dict[Path, Value] = {}
        hidden: set[str] = set()
        for scope in self.chain():
            for path, value in scope.refined.items():
                if path not in found and path[0] not in hidden:
                    found[path] = value
            hidden.update(scope.own)
        return {path: value for path, value in found.items() if self._same(str(path[0]), other)}

    def _same(self, name: str, other: "Scope") -> bool:
        return self.owner(name) is other.owner(name) and self.frame.inputs == other.frame.inputs

    def merge(self, ends: list["Scope"]) -> None:
        """Go on after branches, whose scopes are inside this one: what holds at the end of all of them holds here."""
        names = dict.fromkeys(name for end in ends for scope in self._between(end) for name in scope.own)
        refined = [self._gathered(end) for end in ends]
        values = {name: either(*(self._at(end, name) for end in ends)) for name in names}
        kept = {
            path: either(*(each[path] for each in refined))
            for path in refined[0]
            if all(path in each for each in refined) and (path[0] not in names or len(ends) == 1)
        }
        for name, value in values.items():
            self.assign(name, value)
        self.refined.update(kept)

    def _between(self, end: "Scope") -> Iterator["Scope"]:
        for scope in end.chain():
            if scope is self:
                return
            yield scope

    def _gathered(self, end: "Scope") -> dict[Path, Value]:
        found: dict[Path, Value] = {}
        hidden: set[str] = set()
        for scope in self._between(end):
            for path, value in scope.refined.items():
                if path not in found and path[0] not in hidden:
                    found[path] = value
            hidden.update(scope.own)
        return found

    def _at(self, end: "Scope", name: str) -> Value:
        refined = end.known((name,))
        if refined is not None:
            return refined
        assigned = end.assigned(name)
        return ANYTHING if assigned is None else assigned
