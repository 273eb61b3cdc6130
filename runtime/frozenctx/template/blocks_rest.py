"""The other half of `Blocks`, and chains of templates of which some need a context and others do not.

In: blocks of either kind. Out: what `Blocks` is asked for less often; blocks of one kind in the place of the other.
Those without a context take variables, what top levels have set, and `Blocks`, and return text; the others take a
context and return pieces of text. What a top level sets is put into one dict for the whole chain, whoever renders it.
"""

from . import Template
from .blocks import Blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from .blocks import Block
    from .context import Block as BlockInContext
    from .context import Context


class BlocksRest:
    """See the module."""

    if TYPE_CHECKING:
        cell: list[Any] | None

    @property
    def name(self: "Any") -> "str | None":
        return self.owner.name  # type: ignore[no-any-return]

    def followed(self: "Any") -> "Blocks":
        """Return these, made for one rendering, from which on `now` is known."""
        if self.cell is None:
            self.cell = [self]
        return self  # type: ignore[no-any-return]

    @property
    def now(self: "Any") -> "Blocks":
        """The blocks of this rendering, with those of templates that were extended since: macros of a template that
        extends another one are called when that one is rendered, or those that it extends."""
        last = self if self.cell is None else self.cell[0]
        return last if type(last) is Blocks else blocks_of(last)

    def without_context(self: "Any", blocks: "dict[str, BlockInContext]") -> "dict[str, Block]":
        return {name: turned(block, WithoutContext) for name, block in blocks.items()}

    def context_of(self: "Any", variables: "dict[str, Any]", own: "dict[str, Any]") -> "Context":
        """Return the context of a rendering that went without: `own` is what its top levels have set so far."""
        context: Context
        if isinstance(self.owner, Template):
            context = self.owner.new_context(variables)
        else:
            context = self.owner.derived()
            context.parent = variables
        context.vars = own
        context.eval_ctx = self.eval_ctx
        context.blocks = {name: [turned(block, InContext) for block in blocks] for name, blocks in self.items()}
        return context

    def extend_otherwise(
        self: "Any", parent: "Template", variables: "dict[str, Any]", own: "dict[str, Any]"
    ) -> str:
        """Do what `extend` does where `parent` needs a context, has other globals, or is to be a module."""
        if isinstance(self.owner, Template) and parent._globals is not self.owner._globals:
            variables = {**self.owner.globals, **variables}
        text = self.rendered(parent, variables, own)
        return text if type(text) is str else "".join(text)

    def rendered(
        self: "Any", template: "Template", variables: "dict[str, Any]", own: "dict[str, Any]"
    ) -> "str | list[str]":
        """Return the text, or its pieces, of a template that has these blocks."""
        root, blocks, *imported = template._parts()
        if type(own) is Own:
            before, own.imported = own.imported, imported[0] if imported else ()
        try:
            if not imported:
                context = self.context_of(variables, own)
                if self.cell is not None:
                    self.cell[0] = context
                    context.cell = self.cell
                if not isinstance(self.owner, Template):
                    self.owner.blocks = context.blocks
                if type(own) is Own:
                    context.exported_vars = own.exported
                return root(context)  # type: ignore[no-any-return]
            if type(blocks) is Blocks:
                return root(variables, own, self)  # type: ignore[no-any-return]
            return root({**variables, **own}, own)  # type: ignore[no-any-return]
        finally:
            if type(own) is Own:
                own.imported = before


class Own(dict["str", "Any"]):
    """What top levels have set, where it is asked what of that is exported: what was not imported last. `imported`:
    the names that the template imports of which the top level is running, if that does not see to it itself."""

    __slots__ = ("exported", "imported")

    def __init__(self, exported: "set[str]") -> None:
        self.exported = exported
        self.imported: Collection[str] = ()

    def __setitem__(self, name: str, value: "Any") -> None:
        super().__setitem__(name, value)
        if name in self.imported:
            self.exported.discard(name)
        elif name[:1] != "_":
            self.exported.add(name)


class Turned:
    """A block of one kind in the place of one of the other."""

    __slots__ = ("block",)

    def __init__(self, block: "Callable[..., Any]") -> None:
        self.block = block


class InContext(Turned):
    def __call__(self, context: "Context") -> "Iterable[str]":
        return [self.block(context.get_all(), context.vars, blocks_of(context))]


class WithoutContext(Turned):
    def __call__(self, variables: "dict[str, Any]", own: "dict[str, Any]", blocks: "Blocks") -> str:
        return "".join(self.block(blocks.context_of(variables, own)))


def turned(block: "Callable[..., Any]", kind: "type[Turned]") -> "Callable[..., Any]":
    return block.block if isinstance(block, Turned) else kind(block)  # type: ignore[return-value]


def blocks_of(context: "Context") -> "Blocks":
    """Return the blocks of a rendering that has a context."""
    found = Blocks(context, {})
    for name, blocks in context.blocks.items():
        found[name] = [turned(block, WithoutContext) for block in blocks]
    return found
