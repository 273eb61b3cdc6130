"""The variables of a template as a context, and its blocks, for programs that ask for them.

In: the globals, the caller's variables, what the program sets and defines. Out: values by name, `missing` or undefined
for the rest. `parent` is never changed, `vars` (what the program sets on its top level) only by the program. The
behaviour is that of jinja2's `Context`.
"""

from . import EvalContext, missing
from .applying import pass_arg
from .sharing import FUNCTIONS, PLAIN, Macro, as_in_jinja

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, ValuesView
    from typing import Any

    from . import Engine, Template

    Block = Callable[["Context"], Iterable[str]]


class Stack(dict["str", "list[Block]"]):
    """Name → blocks of that name, the most derived template's first. Not changed once it is made: renderings share it.
    `extended`: what it becomes with the blocks of a template that is extended each time."""

    __slots__ = ("extended",)

    def __init__(self, blocks: "Mapping[str, Block]", derived: "Mapping[str, list[Block]] | None" = None) -> None:
        super().__init__(derived or ())
        for name, block in blocks.items():
            self[name] = [*self.get(name, ()), block]
        self.extended: dict[Template, Stack] = {}


class Context:
    """The names a template sees, in the order: set by the program, given by the caller, globals."""

    def __init__(
        self,
        environment: "Engine",
        parent: "dict[str, Any]",
        name: "str | None",
        blocks: "Mapping[str, Block] | Stack",
        globals: "Mapping[str, Any] | None" = None,
    ) -> None:
        self.parent = parent
        self.vars: dict[str, Any] = {}
        self.environment = environment
        self.eval_ctx = EvalContext(environment, name)
        self.exported_vars: set[str] = set()
        self.name = name
        self._globals = globals
        self.blocks: Stack = blocks if isinstance(blocks, Stack) else Stack(blocks)

    @property
    def globals_keys(self) -> "set[str]":
        return set() if self._globals is None else set(self._globals)

    def inherit(self, parent: "Template", lasting: bool = False) -> None:
        """Add the blocks of the template that this one extends. `lasting`: it extends that one each time."""
        stack = self.blocks
        found = stack.extended.get(parent) if lasting else None
        if found is None:
            found = Stack(parent.blocks, stack)
            if lasting:
                stack.extended[parent] = found
        self.blocks = found

    def super(self, name: str, current: "Block") -> "Any":
        """Return the block that `current` overrides, or undefined."""
        blocks = self.blocks.get(name, [])
        for depth, block in enumerate(blocks):
            if block == current and depth + 1 < len(blocks):
                return BlockReference(name, self, blocks, depth + 1)
            if block == current:
                break
        return self.environment.undefined(f"there is no parent block called {name!r}.", name="super")

    def overridden(self, name: str, current: "Block") -> "Iterable[str]":
        """Return the pieces of the block that `current` overrides, which must be there."""
        blocks = self.blocks.get(name, [])
        try:
            block = blocks[blocks.index(current) + 1]
        except (ValueError, IndexError):
            return self.super(name, current)()  # type: ignore[no-any-return]
        return block(self)

    def get(self, key: str, default: "Any" = None) -> "Any":
        value = self.resolve_or_missing(key)
        return default if value is missing else value

    def resolve(self, key: str) -> "Any":
        """Return the variable `key`, or undefined."""
        value = self.resolve_or_missing(key)
        return self.environment.undefined(name=key) if value is missing else value

    def resolve_or_missing(self, key: str) -> "Any":
        if key in self.vars:
            return self.vars[key]
        return self.parent.get(key, missing)

    def get_exported(self) -> "dict[str, Any]":
        return {name: value for name, value in self.vars.items() if name in self.exported_vars}

    def get_all(self) -> "dict[str, Any]":
        """Return all variables. The mapping may be the context's own: read it only."""
        if not self.vars:
            return self.parent
        if not self.parent:
            return self.vars
        return {**self.parent, **self.vars}

    def call(self, f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
        """Call `f`, with the first argument that it is marked to want (`markers`).

        A StopIteration that it raises becomes undefined: in a generator it would end the template in silence.
        """
        loop_vars = kwargs.pop("_loop_vars", None)
        block_vars = kwargs.pop("_block_vars", None)
        wants = None
        if callable(f):
            wants = pass_arg(f.__call__)
            if wants is not None:
                f = f.__call__
        if wants is None:
            wants = pass_arg(f)
        if wants == "context":
            context = self
            if loop_vars:
                context = context.derived(loop_vars)
            if block_vars:
                context = context.derived(block_vars)
            args = (context, *args)
        elif wants == "eval_context":
            args = (self.eval_ctx, *args)
        elif wants == "environment":
            args = (self.environment, *args)
        try:
            return f(*args, **kwargs)
        except StopIteration:
            return self._stopped()

    def _stopped(self) -> "Any":
        """Return what a call that raised StopIteration gives."""
        return self.environment.undefined("value was undefined because a callable raised a StopIteration exception")

    def derived(self, locals: "Mapping[str, Any] | None" = None) -> "Context":
        """Return an independent context of the same template that sees `locals` too."""
        context = new_context(self.environment, self.name, {}, self.get_all(), True, None, locals)
        context.eval_ctx = self.eval_ctx
        context.blocks = self.blocks
        return context

    def keys(self) -> "KeysView[str]":
        return self.get_all().keys()

    def values(self) -> "ValuesView[Any]":
        return self.get_all().values()

    def items(self) -> "ItemsView[str, Any]":
        return self.get_all().items()

    def __contains__(self, name: object) -> bool:
        return name in self.vars or name in self.parent

    def __getitem__(self, key: str) -> "Any":
        value = self.resolve_or_missing(key)
        if value is missing:
            raise KeyError(key)
        return value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.get_all()!r} of {self.name!r}>"


def new_context(
    environment: "Engine",
    template_name: "str | None",
    blocks: "Mapping[str, Block] | Stack",
    vars: "Mapping[str, Any] | None" = None,
    shared: bool = False,
    globals: "Mapping[str, Any] | None" = None,
    locals: "Mapping[str, Any] | None" = None,
) -> Context:
    """Make the context of one rendering. `shared`: `vars` is a dict that holds the globals already, and not copied."""
    parent: dict[str, Any]
    if vars is None:
        vars = {}
    parent = vars if shared else dict(globals or (), **vars)  # type: ignore[assignment]
    if locals:
        if shared:
            parent = dict(parent)
        for name, value in locals.items():
            if value is not missing:
                parent[name] = value
    return environment.context_class(environment, parent, template_name, blocks, globals=globals)


class TemplateReference:
    """`self` in a template: its blocks by name."""

    def __init__(self, context: Context) -> None:
        self.__context = context

    def __getitem__(self, name: str) -> "BlockReference":
        return BlockReference(name, self.__context, self.__context.blocks[name], 0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__context.name!r}>"


class BlockReference:
    """One block, to be called for its text; `.super` is the one that it overrides."""

    def __init__(self, name: str, context: Context, stack: "list[Block]", depth: int) -> None:
        self.name = name
        self._context = context
        self._stack = stack
        self._depth = depth

    @property
    def super(self) -> "Any":
        if self._depth + 1 >= len(self._stack):
            return self._context.environment.undefined(f"there is no parent block called {self.name!r}.", name="super")
        return BlockReference(self.name, self._context, self._stack, self._depth + 1)

    def __call__(self) -> str:
        engine = self._context.environment
        text = engine.concat(self._stack[self._depth](self._context))
        return engine.Markup(text) if self._context.eval_ctx.autoescape else text


_PLAIN = PLAIN | {BlockReference}


@as_in_jinja
def call(context: Context, f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
    """What `context.call` does, by shorter ways for macros and functions of the common types."""
    kind = type(f)
    if kind is Macro:
        return f._call(context.eval_ctx.autoescape, args, kwargs)
    if kind in _PLAIN or (kind in FUNCTIONS and not hasattr(f, "jinja_pass_arg")):
        try:
            return f(*args, **kwargs)
        except StopIteration:
            return context._stopped()
    return context.call(f, *args, **kwargs)


def in_context(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """Return `f` as a function that takes the context first, whatever it is marked to want."""
    wants = pass_arg(f)
    if wants == "context":
        return f
    if wants == "eval_context":
        return lambda context, /, *args, **kwargs: f(context.eval_ctx, *args, **kwargs)
    if wants == "environment":
        return lambda context, /, *args, **kwargs: f(context.environment, *args, **kwargs)
    return lambda context, /, *args, **kwargs: f(*args, **kwargs)
