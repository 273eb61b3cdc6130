"""Blocks without a context: what a template hands on to the one that it extends.

In: a template that has blocks or extends another one. Out: `Blocks`, the last argument of its functions: the blocks of
the rendering, and the way to the text of the templates that are extended. Block functions take the variables, what top
levels have set so far, and these; they return text.
"""

from . import Template
from .sharing import Found, Sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from . import EvalContext
    from .blocks_rest import BlocksRest
    from .context import Context

    Block = Callable[[dict[str, Any], dict[str, Any], "Blocks"], str]
else:
    BlocksRest = object


class Blocks(Found, BlocksRest):
    """Name → blocks of that name, the most derived template's first. Not changed once it is made: renderings share it.

    `owner`: the most derived template, or the context of a rendering that has one; its name and globals count.
    `functions`: the blocks of the last template. `derived`: those of the templates before it. `cell`: where the last
    ones of this rendering are, if a template's macros ask for them (`followed`)."""

    __slots__ = ("owner", "functions", "engine", "eval_ctx", "call_free", "direct", "_extended", "cell")
    _other = "template.blocks_rest", "BlocksRest"

    def __init__(
        self, owner: "Template | Context", functions: "Mapping[str, Block]", derived: "Blocks | None" = None
    ) -> None:
        super().__init__(derived or ())
        for name, block in functions.items():
            self[name] = [*self.get(name, ()), block]
        self.owner = owner
        self.functions = functions
        self.cell: list[Any] | None = None if derived is None else derived.cell
        if self.cell is not None:
            self.cell[0] = self
        self.engine = owner.environment
        self.eval_ctx: EvalContext = owner.eval_ctx
        self._extended: dict[Template, Blocks] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in ("call_free", "direct"):
                setattr(self, name, vars(Sharing)[name].fget(self))
                return getattr(self, name)
            from ..halves import asked

            return asked(self, name)

    def inherit(self, parent: "Template", lasting: bool = False) -> "Blocks":
        """Return these with those of the template that is extended. `lasting`: it is that one each time."""
        found = self._extended.get(parent)
        if found is None:
            blocks = parent._parts()[1]
            functions = blocks.functions if type(blocks) is Blocks else blocks and self.without_context(blocks)
            found = Blocks(self.owner, functions, self)
            if not isinstance(self.owner, Template):  # what has the context is to see them, too
                self.owner.inherit(parent)
            if lasting:
                self._extended[parent] = found
        return found

    def extend(self, parent: "Template", variables: "dict[str, Any]", own: "dict[str, Any]") -> str:
        """Return the text of `parent`, whose blocks these have. What its top level sets goes into `own`, too."""
        body: Any = parent._body
        if body is None or type(own) is not dict or parent._globals is not self.owner._globals:
            return self.extend_otherwise(parent, variables, own)
        if type(parent._bound[1]) is Blocks:  # type: ignore[index]
            text = body(variables, own, self)
        else:
            text = body({**variables, **own} if own else variables, own)
        return text if type(text) is str else "".join(text)

    def overridden(self, name: str, current: "Block") -> "Block":
        """Return the block that `current` overrides, which must be there."""
        blocks = self.get(name, [])
        try:
            return blocks[blocks.index(current) + 1]  # type: ignore[no-any-return]
        except (ValueError, IndexError):
            return self.super(name, current, {}, {})()  # type: ignore[no-any-return] # it says that there is none

    def super(self, name: str, current: "Block", variables: "dict[str, Any]", own: "dict[str, Any]") -> "Any":
        """Return the block that `current` overrides, or undefined."""
        from .references import overridden

        return overridden(name, current, lambda: (self, variables, own, self), self.engine)
