"""From the text of a program to a template that renders.

In: the Python text that the compiler wrote for one template (or its code object), an engine, and a way to find other
templates by name. Out: `Template`, with jinja2's ways to render. Executing a program's code defines names only;
binding it to the engine happens at the first use.
"""

from .engine import EvalContext, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Callable, Mapping
    from types import CodeType
    from typing import Any

    from .context import Block, Context, Stack
    from .engine import Engine
    from .markup import Markup
    from .template_rest import TemplateRest

    Body = Callable[[dict[str, Any], dict[str, Any]], str | list[str]]
    Found = dict[Any, Any]
else:
    Found = dict
    TemplateRest = object

# The shape of programs that this module runs: the names they define, the arguments of `bind`, what it returns.
SHAPE = 1

# What `bind` asks of a template whose program reaches other templates.
LINKING = frozenset(["inclusions", "links", "get_template", "get_or_select_template", "select_template"])


# The variable with the modules of the rendering that runs now, of templates whose exports are not constant; it is None
# outside of renderings. Each rendering has its own, so that nothing of one call is seen by another: for threads, tasks
# and greenlets alike. It is made when modules are needed for the first time (`template_rest.current`).
made: "dict[None, ContextVar[dict[Template, TemplateModule] | None]]" = {}


class Template(TemplateRest):
    """One template, ready to render. `lookup(name)` returns another one or raises TemplateNotFound(name)."""

    __slots__ = (
        "engine", "lookup", "_globals", "name", "file", "needs", "constant",
        "_bind", "_bound", "_body", "_linked", "_module", "_stack",
    )  # fmt: skip

    def __init__(
        self,
        code_or_text: "CodeType | str",
        engine: "Engine",
        lookup: "Callable[[str], Template]",
        globals: "Mapping[str, Any] | None" = None,
    ) -> None:
        code = code_or_text
        if isinstance(code, str):
            from .text import compile_program

            code = compile_program(code)
        program: dict[str, Any] = {"__builtins__": __builtins__, "__name__": code.co_filename}
        exec(code, program)
        if program.get("PROGRAM") != SHAPE:
            from ..errors import ProgramError

            raise ProgramError(
                f"`{program.get('FILE')}` is a program of shape {program.get('PROGRAM')!r};"
                f" this runtime runs shape {SHAPE}"
            )
        self.engine = engine
        self.lookup = lookup
        self._globals = globals
        self.name: str | None = program["NAME"]
        self.file: str = program["FILE"]
        self.needs: tuple[tuple[str, tuple[str, ...]], ...] = program["NEEDS"]
        # Whether what it exports is the same in every rendering: only macros and constants.
        self.constant: bool = program.get("CONSTANT", False)
        self._bind = program["bind"]
        # The root function, the blocks, and for a root function that takes no context the names that it imports.
        self._bound: tuple[Any, ...] | None = None
        # The root function, if it takes no context.
        self._body: Body | None = None
        # Whether it can reach other templates, some of which may have modules.
        self._linked = False
        self._module: TemplateModule | None = None
        self._stack: Stack | None = None

    def _parts(self) -> "tuple[Any, ...]":
        if self._bound is None:
            self.engine.check_needs(self.needs, self.file)
            self._bound = bound = self._bind(self.engine, self)
            self._linked = not LINKING.isdisjoint(self._bind.__code__.co_names)
            if len(bound) > 2:
                self._body = bound[0]
        return self._bound

    @property
    def environment(self) -> "Engine":
        return self.engine

    @property
    def globals(self) -> "Mapping[str, Any]":
        return self.engine.globals if self._globals is None else self._globals

    @property
    def root_render_func(self) -> "Block":
        root = self._parts()[0]
        return root if self._body is None else self.with_context

    @property
    def blocks(self) -> "dict[str, Block]":
        return self._parts()[1]  # type: ignore[no-any-return]

    # Rendering

    def render(self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Return the template's text for these variables. The mapping is not changed."""
        self._bound or self._parts()
        if more:
            variables = dict(variables or (), **more)
        if not self._linked:
            return self._text(variables)
        token = made[None].set({}) if made else None
        try:
            return self._text(variables)
        finally:
            if token is not None:
                made[None].reset(token)
            elif made:  # they came to be needed meanwhile
                made[None].set(None)

    def _text(self, variables: "Mapping[str, Any] | None") -> str:
        if self._body is not None:
            if type(variables) is not dict:
                variables = dict(variables or ())
            text = self._body(variables, {})
            return text if type(text) is str else "".join(text)
        return "".join(self._bound[0](self.new_context(variables)))  # type: ignore[index]

    def included(self, variables: "dict[str, Any]", includer: "Template") -> str:
        """Return the text for these variables, which `includer` has."""
        self._bound or self._parts()
        if includer._globals is not self._globals:
            variables = {**includer.globals, **variables}
        return self._text(variables)

    def inclusion(self, includer: "Template") -> "Callable[[dict[str, Any]], str]":
        """Return `included` for this includer."""
        self._bound or self._parts()
        body = self._body
        if body is None or includer._globals is not self._globals:
            return lambda variables: self.included(variables, includer)

        def inclusion(variables: "dict[str, Any]") -> str:
            text = body(variables, {})
            return text if type(text) is str else "".join(text)

        return inclusion

    def new_context(
        self, vars: "Mapping[str, Any] | None" = None, shared: bool = False, locals: "Mapping[str, Any] | None" = None
    ) -> "Context":
        if self._stack is None:
            from .context import Stack

            self._stack = Stack(self.blocks)
        return self.engine.new_context(self.engine, self.name, self._stack, vars, shared, self.globals, locals)

    def module_for(self, importer: "Template") -> "TemplateModule":
        """What the template exports to one that imports it without its variables."""
        if self.constant and importer._globals is self._globals:
            return self._kept_module()
        return self.imported_by(importer)

    def _kept_module(self) -> "TemplateModule":
        if self._module is None:
            self._module = self.make_module()
        return self._module

    def make_module(
        self, vars: "Mapping[str, Any] | None" = None, shared: bool = False, locals: "Mapping[str, Any] | None" = None
    ) -> "TemplateModule":
        """Render the template and return what it exports."""
        root = self._parts()[0]
        if self._body is None:
            context = self.new_context(vars, shared, locals)
            return TemplateModule(self.name, list(root(context)), context.get_exported())
        own: dict[str, Any] = {}
        text = self._body(joined(vars or {}, locals or {}), own)
        pieces = [text] if isinstance(text, str) else text
        return TemplateModule(self.name, pieces, {name: own[name] for name in self.exported(own)})

    def exported(self, own: "dict[str, Any]") -> "list[str]":
        """Return the names, of those that the top level has set, that are for templates that import this one."""
        return [name for name in own if name[:1] != "_" and name not in self._parts()[2]]

    # For functions without a context

    def globals_of(self, *names: str) -> "list[Any]":
        """Return the values of global names, `missing` for those that there are not."""
        known = self.engine.global_names if self._globals is None else self._globals
        return [known.get(name, missing) for name in names]

    @property
    def eval_ctx(self) -> "EvalContext":
        return EvalContext(self.engine, self.name)

    @property
    def call_free(self) -> "Callable[..., Any]":
        from .macros import call_free

        return call_free(self)

    @property
    def direct(self) -> "Callable[..., Any]":
        from .macros import direct

        return direct(self)

    # Other templates, for this one's include, import, from and extends

    @property
    def links(self) -> "Links":
        return Links(self, None)

    @property
    def inclusions(self) -> "Links":
        return Links(self, self)

    def get_template(self, name: "Any") -> "Template":
        if isinstance(name, Template):
            return name
        return self.lookup(name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from ..halves import member
            from .template_rest import TemplateRest

            return member(TemplateRest, self, name)


def joined(variables: "Mapping[str, Any]", locals: "Mapping[str, Any]") -> "dict[str, Any]":
    """Return `variables` with those of `locals` that have a value."""
    result = {**variables, **locals}
    for name, value in locals.items():
        if value is missing:
            if name in variables:
                result[name] = variables[name]
            else:
                del result[name]
    return result


class Links(Found):
    """Name, or names of which the first one that exists is meant → template, looked up at the first use. With an
    `includer`: the template's text, as a function of the variables."""

    __slots__ = ("_template", "_includer")

    def __init__(self, template: Template, includer: "Template | None") -> None:
        self._template = template
        self._includer = includer

    def __missing__(self, name: "Any") -> "Any":
        find = self._template.select_template if type(name) is tuple else self._template.get_template
        found = find(name)
        self[name] = linked = found if self._includer is None else found.inclusion(self._includer)
        return linked


class TemplateModule:
    """What a template exports, as attributes; as text, what it renders."""

    def __init__(self, name: "str | None", text: "list[str]", exported: "dict[str, Any]") -> None:
        self._body_stream = text
        self.__dict__.update(exported)
        self.__name__ = name

    def __html__(self) -> "Markup":
        from .markup import Markup

        return Markup("".join(self._body_stream))

    def __str__(self) -> str:
        return "".join(self._body_stream)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r}>"
