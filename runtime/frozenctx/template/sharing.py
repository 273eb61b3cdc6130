"""What templates share: macros, and each other.

In: a program that calls macros or other functions, or that reaches other templates by their names. Out: `Macro`;
`Sharing`, members of `Template`: calls of whatever is called, the other templates, found when they are first used, and
what a template exports.
"""

from . import Template, made, missing, pass_eval_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from . import Engine
    from .markup import Markup

    Given = Mapping[str, Any] | None
    Found = dict[Any, Any]
else:
    Found = dict


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
        self.explicit_caller = "caller" in arguments
        self._default_autoescape = default_autoescape
        # How many positional arguments need no matching.
        self._plain = -1 if catch_kwargs or catch_varargs or caller else len(arguments)
        # Whether only the caller comes after the arguments.
        self._called = caller and not (catch_kwargs or catch_varargs or self.explicit_caller)

    @pass_eval_context
    def __call__(self, *args: "Any", **kwargs: "Any") -> str:
        return self._call(None, args, kwargs)

    def _call(self, *how: "Any") -> str:
        """What calling from a template does: `arguments.call`, from the first call on."""
        from . import arguments

        Macro._call = arguments.call  # type: ignore[assignment, method-assign]
        return arguments.call(self, *how)

    def __repr__(self) -> str:
        name = "anonymous" if self.name is None else repr(self.name)
        return f"<{type(self).__name__} {name}>"


# Types of what is never marked to want a context, and of what may be.
PLAIN: set[type] = {type(len)}
FUNCTIONS = frozenset([type(lambda: None), type(missing.__repr__)])


def as_in_jinja(f: "Callable[..., Any]") -> "Callable[..., Any]":
    """Name what calls for a template as jinja2 does: Python puts it into the message of a wrong `**`."""
    f.__module__, f.__qualname__ = "jinja2.runtime", "Context.call"
    return f


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


def joined(variables: "Mapping[str, Any]", locals: "Mapping[str, Any]") -> "dict[str, Any]":
    """Return `variables` with those of `locals` that have a value."""
    result = dict(variables)
    for name, value in locals.items():
        if value is not missing:
            result[name] = value
    return result


class Sharing:
    """See the module."""

    # Calls where there is no context

    @property
    def call_free(self: "Any") -> "Callable[..., Any]":
        """The function that does what `context.call` does, given the variables and what was set so far."""
        engine, autoescape = self.engine, self.eval_ctx.autoescape

        @as_in_jinja
        def call_free(variables: "Any", own: "Any", f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
            kind = type(f)
            if kind is Macro:
                return f._call(autoescape, args, kwargs)
            plain = kind in PLAIN or (kind in FUNCTIONS and not hasattr(f, "jinja_pass_arg"))
            if plain or f is range or (kind is type and f is engine.Namespace):
                try:
                    return f(*args, **kwargs)
                except StopIteration:
                    return engine.lacking("value was undefined because a callable raised a StopIteration exception")
            return self.context_of(variables, own).call(f, *args, **kwargs)

        return call_free

    @property
    def direct(self: "Any") -> "Callable[..., Any]":
        """The function that tells what calls with at most so many positional arguments call: the function of a macro,
        if it is one for which that is enough, else one that does what `call_free` does."""
        call, autoescape = self.call_free, self.eval_ctx.autoescape

        def direct(f: "Any", most: int, variables: "dict[str, Any]", own: "dict[str, Any]") -> "Callable[..., Any]":
            if type(f) is Macro and f._plain >= most and not autoescape:
                if f._func.__defaults__ is None:
                    f._func.__defaults__ = (missing,) * f._plain
                return f._func
            return lambda *args: call(variables, own, f, *args)

        return direct

    # Other templates, for this one's include, import, from and extends

    links = property(lambda self: Links(self, None))
    inclusions = property(lambda self: Links(self, self))

    def get_template(self: "Any", name: "Any") -> Template:
        return name if isinstance(name, Template) else self.lookup(name)

    def render_linked(self: "Any", variables: "Mapping[str, Any] | None") -> str:
        """Render where other templates may have modules: they are those of this rendering."""
        token = made[None].set({}) if made else None
        try:
            return self._text(variables)  # type: ignore[no-any-return]
        finally:
            if token is not None:
                made[None].reset(token)
            elif made:  # they came to be needed meanwhile
                made[None].set(None)

    # For what includes it

    def included(self: "Any", variables: "dict[str, Any]", includer: Template) -> str:
        """Return the text for these variables, which `includer` has."""
        return self.inclusion(includer)(variables)  # type: ignore[no-any-return]

    def inclusion(self: "Any", includer: Template) -> "Callable[[dict[str, Any]], str]":
        """Return `included` for this includer."""
        self._bound or self._parts()
        if includer._globals is self._globals:
            return self._text  # type: ignore[no-any-return]
        return lambda variables: self._text({**includer.globals, **variables})

    # For what imports it

    def module_for(self: "Any", importer: Template) -> TemplateModule:
        """What the template exports to one that imports it without its variables."""
        if self.constant and importer._globals is self._globals:
            return self._kept_module()  # type: ignore[no-any-return]
        return self.imported_by(importer)  # type: ignore[no-any-return]

    def _kept_module(self: "Any") -> TemplateModule:
        if self._module is None:
            self._module = self.make_module()
        return self._module  # type: ignore[no-any-return]

    def make_module(self: "Any", vars: "Given" = None, shared: bool = False, locals: "Given" = None) -> TemplateModule:
        """Render the template and return what it exports."""
        root, blocks, *imported = self._parts()
        if not imported or type(blocks) is not dict:
            return self.module_of_chain(vars, shared, locals)  # type: ignore[no-any-return]
        own: dict[str, Any] = {}
        text = root(joined(vars or {}, locals or {}), own)
        exported = {name: own[name] for name in own if name[:1] != "_" and name not in imported[0]}
        return TemplateModule(self.name, [text] if isinstance(text, str) else text, exported)

    globals = property(lambda self: self.engine.globals if self._globals is None else self._globals)
