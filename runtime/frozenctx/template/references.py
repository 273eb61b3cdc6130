"""Blocks as values: `self`, and a `super` that a template does more with than to call it.

In: the blocks of a rendering by name, and the arguments that they take; the last of these is its context, or its
`Blocks`. Out: `TemplateReference` and `BlockReference`. The behaviour is that of jinja2's classes of these names.
"""

from .sharing import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from . import Engine

    Arguments = Sequence[Any]


class TemplateReference:
    """`self` in a template: its blocks by name. `now`: tells the blocks, and what one that is called now takes."""

    def __init__(self, engine: "Engine", now: "Callable[[], Any]") -> None:
        self.__engine = engine
        self.__now = now

    def __getitem__(self, name: str) -> "BlockReference":
        blocks, *arguments = self.__now()
        return BlockReference(name, blocks[name], 0, arguments, self.__engine)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__now()[-1].name!r}>"


class BlockReference:
    """One block, to be called for its text; `.super` is the one that it overrides."""

    def __init__(self, name: str, stack: "list[Any]", depth: int, arguments: "Arguments", engine: "Engine") -> None:
        self.name = name
        self._stack = stack
        self._depth = depth
        self._arguments = arguments
        self._engine = engine

    @property
    def super(self) -> "Any":
        return overridden(self.name, self._stack[self._depth], self._stack, self._arguments, self._engine)

    def __call__(self) -> str:
        text = self._stack[self._depth](*self._arguments)
        if type(text) is not str:
            text = "".join(text)
        return self._engine.Markup(text) if self._arguments[-1].eval_ctx.autoescape else text


PLAIN.add(BlockReference)


def overridden(name: str, current: "Any", stack: "list[Any]", arguments: "Arguments", engine: "Engine") -> "Any":
    """Return the block that `current` overrides, or undefined."""
    depth = stack.index(current) + 1 if current in stack else len(stack)
    if depth < len(stack):
        return BlockReference(name, stack, depth, arguments, engine)
    return engine.undefined(f"there is no parent block called {name!r}.", name="super")
