"""From the text of a program to a template that renders.

In: the Python text that the compiler wrote for one template (or its code object), an engine, and a way to find other
templates by name. Out: `Template`, with jinja2's ways to render. Executing a program's code defines names only;
binding it to the engine happens at the first use.
"""

from .engine import EvalContext, missing, pass_eval_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Callable, Mapping, Sequence
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


def elsewhere(name: str) -> property:
    """Return a member of `Template` that `TemplateRest` has, which is loaded when it is asked for. (A `__getattr__`
    would make each look at an attribute slower.)"""

    def get(template: "Template") -> "Any":
        from .template_rest import TemplateRest

        return vars(TemplateRest)[name].__get__(template)

    return property(get)


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

    if not TYPE_CHECKING:
        _get_default_module = elsewhere("_get_default_module")
        context_of = elsewhere("context_of")
        generate = elsewhere("generate")
        get_or_select_template = elsewhere("get_or_select_template")
        imported_by = elsewhere("imported_by")
        module = elsewhere("module")
        select_template = elsewhere("select_template")
        with_context = elsewhere("with_context")

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
        return call_free(self)

    @property
    def direct(self) -> "Callable[..., Any]":
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


# Macros, and calls of whatever a template calls


class Macro:
    """A macro. Its text is markup when autoescape is on where it is called."""

    def __init__(
        self,
        environment: "Engine",
        func: "Callable[..., str]",
        name: "str | None",
        arguments: "Sequence[str]",
        catch_kwargs: bool,
        catch_varargs: bool,
        caller: bool,
        default_autoescape: bool = False,
    ) -> None:
        self._environment = environment
        self._func = func
        self.name = name
        self.arguments = arguments
        self.catch_kwargs = catch_kwargs
        self.catch_varargs = catch_varargs
        self.caller = caller
        self._default_autoescape = default_autoescape
        # How many positional arguments need no matching.
        self._plain = -1 if catch_kwargs or catch_varargs or caller else len(arguments)
        # Whether only the caller comes after the arguments.
        self._called = caller and not (catch_kwargs or catch_varargs or "caller" in arguments)

    @property
    def explicit_caller(self) -> bool:
        return "caller" in self.arguments

    @pass_eval_context
    def __call__(self, *args: "Any", **kwargs: "Any") -> str:
        # Host code that calls a macro passes no evaluation context: then the one of the macro's own template counts.
        autoescape = self._default_autoescape
        if args and isinstance(args[0], EvalContext):
            autoescape = args[0].autoescape
            args = args[1:]
        return self._call(autoescape, args, kwargs)

    def _call(self, autoescape: bool, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> str:
        """What calling from a template does, where autoescape is on or not."""
        lacking = self._plain - len(args)
        if self._called and len(kwargs) == 1 and len(args) <= len(self.arguments) and kwargs.get("caller") is not None:
            # A call block, with positional arguments.
            args = (*args, *(missing,) * (len(self.arguments) - len(args)), kwargs["caller"])
        elif kwargs or lacking < 0:
            args = tuple(self._match(args, kwargs))
        elif lacking:
            args += (missing,) * lacking
        text = self._func(*args)
        return self._environment.Markup(text) if autoescape else text

    def _match(self, args: "tuple[Any, ...]", kwargs: "dict[str, Any]") -> "list[Any]":
        """Return the arguments of `_func`: the declared ones, then caller, kwargs, varargs if it takes them."""
        count = len(self.arguments)
        matched = list(args[:count])
        caller_given = self.explicit_caller and len(matched) == count
        for name in self.arguments[len(matched) :]:
            matched.append(kwargs.pop(name, missing))
            if name == "caller":
                caller_given = True
        if self.caller and not caller_given:
            caller = kwargs.pop("caller", None)
            if caller is None:
                caller = self._environment.undefined("No caller defined", name="caller")
            matched.append(caller)
        if self.catch_kwargs:
            matched.append(kwargs)
        elif kwargs:
            if "caller" in kwargs:
                raise TypeError(
                    f"macro {self.name!r} was invoked with two values for the special caller argument."
                    " This is most likely a bug."
                )
            raise TypeError(f"macro {self.name!r} takes no keyword argument {next(iter(kwargs))!r}")
        if self.catch_varargs:
            matched.append(args[count:])
        elif len(args) > count:
            raise TypeError(f"macro {self.name!r} takes not more than {len(self.arguments)} argument(s)")
        return matched

    def __repr__(self) -> str:
        name = "anonymous" if self.name is None else repr(self.name)
        return f"<{type(self).__name__} {name}>"


# Types of what is never marked to want a context, and of what may be.
PLAIN = frozenset([type(len)])
FUNCTIONS = frozenset([type(lambda: None), type(missing.__repr__)])


def as_in_jinja(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """Name what calls for a template as jinja2 does: Python puts it into the message of a wrong `**`."""
    f.__module__, f.__qualname__ = "jinja2.runtime", "Context.call"
    return f


def call_free(template: "Any") -> "Callable[..., Any]":
    """Return the function that does `context.call` where there is none, but the variables and what was set so far."""
    engine = template.engine
    autoescape = template.eval_ctx.autoescape

    @as_in_jinja
    def call_free(
        variables: "dict[str, Any]", own: "dict[str, Any]", f: "Any", /, *args: "Any", **kwargs: "Any"
    ) -> "Any":
        kind = type(f)
        if kind is Macro:
            return f._call(autoescape, args, kwargs)
        plain = kind in PLAIN or (kind in FUNCTIONS and not hasattr(f, "jinja_pass_arg"))
        if plain or f is range or (kind is type and f is engine.Namespace):
            try:
                return f(*args, **kwargs)
            except StopIteration:
                return engine.lacking("value was undefined because a callable raised a StopIteration exception")
        return template.context_of(variables, own).call(f, *args, **kwargs)

    return call_free


def direct(template: "Any") -> "Callable[..., Any]":
    """Return the function that tells what calls with at most so many positional arguments call: the function of a
    macro, if it is one for which that is enough, else one that does what `call_free` does."""
    call = call_free(template)
    autoescape = template.eval_ctx.autoescape

    def direct(f: "Any", most: int, variables: "dict[str, Any]", own: "dict[str, Any]") -> "Callable[..., Any]":
        if type(f) is Macro and f._plain >= most and not autoescape:
            if f._func.__defaults__ is None:
                f._func.__defaults__ = (missing,) * f._plain
            return f._func
        return lambda *args: call(variables, own, f, *args)

    return direct


# Other templates


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
