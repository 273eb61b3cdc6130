"""Blocks as values: `self`, and a `super` that a template does more with than to call it.

In: the blocks of a rendering by name, and the arguments that they take; the last of these is its context, or its
`Blocks`. Out: `TemplateReference` and `BlockReference`. The behaviour is that of jinja2's classes of these names.
"""

from .sharing import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from . import Engine


class TemplateReference:
    """`self` in a template: its blocks by name. `now`: tells the blocks, and what one that is called now takes."""

    def __init__(self, engine: "Engine", now: "Callable[[], Any]") -> None:
        self.__engine = engine
        self.__now = now

    def __getitem__(self, name: str) -> "BlockReference":
        self.__now()[0][name]  # a KeyError where there is none
        return BlockReference(name, self.__now, 0, self.__engine)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__now()[-1].name!r}>"


class BlockReference:
    """One block, to be called for its text; `.super` is the one that it overrides. `now`: see `TemplateReference`; a
    template may be extended, whose blocks count too, when there is a reference already."""

    def __init__(self, name: str, now: "Callable[[], Any]", depth: int, engine: "Engine") -> None:
        self.name = name
        self._now = now
        self._depth = depth
        self._engine = engine

    @property
    def super(self) -> "Any":
        stack = self._now()[0][self.name]
        return overridden(self.name, stack[self._depth], self._now, self._engine)

    def __call__(self) -> str:
        blocks, *arguments = self._now()
        text = blocks[self.name][self._depth](*arguments)
        if type(text) is not str:
            text = "".join(text)
        return self._engine.Markup(text) if arguments[-1].eval_ctx.autoescape else text


PLAIN.add(BlockReference)


def overridden(name: str, current: "Any", now: "Callable[[], Any]", engine: "Engine") -> "Any":
    """Return the block that `current` overrides, or undefined."""
    stack = now()[0].get(name, [])
    depth = stack.index(current) + 1 if current in stack else len(stack)
    if depth < len(stack):
        return BlockReference(name, now, depth, engine)
    return engine.undefined(f"there is no parent block called {name!r}.", name="super")
