"""The variables of a template as a context, and its blocks, for programs that ask for them.

In: the globals, the caller's variables, what the program sets and defines. Out: values by name, `missing` or undefined
for the rest. `parent` is never changed, `vars` (what the program sets on its top level) only by the program. The
behaviour is that of jinja2's `Context`.
"""

from . import EvalContext, missing
from .applying import pass_arg
from .sharing import FUNCTIONS, PLAIN, Macro, TemplateModule, as_in_jinja

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, ValuesView
    from typing import Any

    from . import Engine, Template

    Block = Callable[["Context"], Iterable[str]]
    Given = Mapping[str, Any] | None


class Context:
    """The names a template sees, in the order: set by the program, given by the caller, globals."""

    def __init__(
        self,
        environment: "Engine",
        parent: "dict[str, Any]",
        name: "str | None",
        blocks: "Mapping[str, Block]",
        globals: "Mapping[str, Any] | None" = None,
    ) -> None:
        self.parent = parent
        self.vars: dict[str, Any] = {}
        self.environment = environment
        self.eval_ctx = EvalContext(environment, name)
        self.exported_vars: set[str] = set()
        self.name = name
        self._globals = globals
        # See `Blocks`.
        self.cell: list[Any] | None = None
        # Name → blocks of that name, the most derived template's first.
        self.blocks = {name: [block] for name, block in blocks.items()}

    @property
    def globals_keys(self) -> "set[str]":
        return set() if self._globals is None else set(self._globals)

    def inherit(self, parent: "Template") -> None:
        """Add the blocks of the template that this one extends."""
        for name, block in parent.blocks.items():
            self.blocks.setdefault(name, []).append(block)

    def super(self, name: str, current: "Block") -> "Any":
        """Return the block that `current` overrides, or undefined."""
        from .references import overridden

        return overridden(name, current, lambda: (self.blocks, self), self.environment)

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
    blocks: "Mapping[str, Block]",
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


@as_in_jinja
def call(context: Context, f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
    """What `context.call` does, by shorter ways for macros and functions of the common types."""
    kind = type(f)
    if kind is Macro:
        return f._call(context.eval_ctx.autoescape, args, kwargs)
    if kind in PLAIN or (kind in FUNCTIONS and not hasattr(f, "jinja_pass_arg")):
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


class WithContext:
    """Members of `Template`: what has to do with contexts, and chains of templates that set names for each other."""

    @property
    def root_render_func(self: "Any") -> "Block":
        root = self._parts()[0]
        return root if self._body is None else self.with_context  # type: ignore[no-any-return]

    @property
    def blocks(self: "Any") -> "dict[str, Block]":
        """The blocks as functions that take a context."""
        blocks = self._parts()[1]
        if self._body is None or not blocks:
            return blocks  # type: ignore[no-any-return]
        from .blocks_rest import InContext

        return {name: InContext(block) for name, block in blocks.functions.items()}

    def text_in_context(self: "Any", variables: "Mapping[str, Any] | None") -> str:
        return "".join(self._parts()[0](self.new_context(variables)))

    def with_context(self: "Any", context: Context) -> "list[str]":
        """Do what the root function does that takes no context, for callers that have one."""
        from .blocks_rest import blocks_of

        own = context.vars
        before = set(own)
        blocks = blocks_of(context)
        if context.cell is not None:
            blocks.cell = context.cell
            context.cell[0] = blocks
        text = blocks.rendered(self, context.get_all(), own)
        if type(own) is dict:  # else it knows what is exported
            imported = self._parts()[2]
            new = [name for name in own if name not in before]
            context.exported_vars.update([name for name in new if name[:1] != "_" and name not in imported])
        return [text] if isinstance(text, str) else text

    def context_of(self: "Any", variables: "dict[str, Any]", own: "dict[str, Any]") -> Context:
        """Return the context of a rendering that went without: `own` is what its top level has set so far."""
        context = self.new_context(variables)
        context.vars.update(own)
        return context  # type: ignore[no-any-return]

    def new_context(self: "Any", vars: "Given" = None, shared: bool = False, locals: "Given" = None) -> Context:
        return self.engine.new_context(  # type: ignore[no-any-return]
            self.engine, self.name, self.blocks, vars, shared, self.globals, locals
        )

    def module_of_chain(self: "Any", *variables: "Any") -> "TemplateModule":
        """Do what `make_module` does where a context is needed, or the template may extend another one."""
        root, blocks, *imported = self._parts()
        context = self.new_context(*variables)
        if not imported and self._render is self._text:  # it extends none
            return TemplateModule(self.name, list(root(context)), context.get_exported())
        from .blocks_rest import Own

        context.vars = own = Own(context.exported_vars)
        text = blocks.rendered(self, context.parent, own) if imported else root(context)
        pieces = [text] if isinstance(text, str) else list(text)
        return TemplateModule(self.name, pieces, {name: own[name] for name in own if name in own.exported})
