"""Macros, and calls of whatever a template calls.

In: the functions of macros, what they are called with. Out: the text of macros, whose arguments are matched, defaulted
and refused exactly as by jinja2's `Macro`; what a call gives, where there is no context but the variables.
"""

from .engine import EvalContext, missing, pass_eval_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .engine import Engine


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
