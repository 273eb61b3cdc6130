"""What a program has around it while it renders.

In: the host's choices (undefined class, filters, tests, globals, guard, …). Out: the `engine` that programs are bound
to, jinja2's `Environment` as far as rendering needs one: names of helpers, attribute and item access, filters and
tests by name. An engine is not changed once a program is bound to it.

`guard=True` is "No way to internals" of CTX-FORMAT section 5: a name that begins with `_` never reaches an attribute,
keys of that kind stay readable, and so do names of a `namespace` (they are data). `guard=False` is jinja2.
"""

from ..errors import ProgramError, TemplateNotFound, TemplateRuntimeError
from .access import attribute_reader, is_internal
from .context import Context, EvalContext, TemplateReference
from .filters import FILTERS
from .globals import GLOBALS, Namespace
from .guarded_format import guarded_format, is_format_method
from .loops import LoopContext
from .macros import Macro
from .markers import pass_arg
from .markup import Markup, escape, soft_str
from .tests import TESTS
from .undefined import StrictUndefined, Undefined, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

POLICIES: "dict[str, Any]" = {
    "compiler.ascii_str": True,
    "urlize.rel": "noopener",
    "urlize.target": None,
    "urlize.extra_schemes": None,
    "truncate.leeway": 5,
    "json.dumps_function": None,
    "json.dumps_kwargs": {"sort_keys": True},
    "ext.i18n.trimmed": False,
}

_concat = "".join


def identity(x: "Any") -> "Any":
    return x


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


def str_join(values: "Iterable[Any]") -> str:
    """What `~` does: convert every operand to text and join."""
    return _concat(map(str, values))


def markup_join(values: "Iterable[Any]") -> str:
    """What `~` does under autoescape: from the first operand that is markup on, the result is markup."""
    texts = [soft_str(value) for value in values]
    for text in texts:
        if hasattr(text, "__html__"):
            return Markup("").join(texts)
    return _concat(texts)


_Builtin = type(len)
_Function = type(identity)


def call(context: Context, f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
    """What `context.call` does, by shorter ways for macros and functions of the common types."""
    kind = type(f)
    if kind is Macro:
        return f._call(context.eval_ctx.autoescape, args, kwargs)
    if kind is _Builtin or (kind is _Function and not hasattr(f, "jinja_pass_arg")):
        try:
            return f(*args, **kwargs)
        except StopIteration:
            return context._stopped()
    return context.call(f, *args, **kwargs)


class Engine:
    """See the module. `autoescape`: a boolean, or a function of the template's name. `finalize`: a function that every
    printed value passes through. `policies` overrides single entries of `POLICIES`."""

    # What emitted programs take from here by name.
    LoopContext = LoopContext
    Macro = Macro
    Markup = Markup
    Namespace = Namespace
    TemplateNotFound = TemplateNotFound
    TemplateReference = TemplateReference
    TemplateRuntimeError = TemplateRuntimeError
    Undefined = Undefined
    call = staticmethod(call)
    concat = staticmethod(_concat)
    context_class = Context
    escape = staticmethod(escape)
    identity = staticmethod(identity)
    markup_join = staticmethod(markup_join)
    missing = missing
    str_join = staticmethod(str_join)

    # What filters written for jinja2 ask of an environment.
    is_async = False
    sandboxed = False

    def __init__(
        self,
        undefined: "Callable[..., Any]" = StrictUndefined,
        filters: "Mapping[str, Callable[..., Any]] | None" = None,
        tests: "Mapping[str, Callable[..., Any]] | None" = None,
        globals: "Mapping[str, Any] | None" = None,
        guard: bool = True,
        autoescape: "bool | Callable[[str | None], bool]" = False,
        finalize: "Callable[..., Any] | None" = None,
        newline_sequence: str = "\n",
        policies: "Mapping[str, Any] | None" = None,
    ) -> None:
        self.undefined = undefined
        self.attr = attribute_reader(undefined)
        self.filters: dict[str, Any] = {**FILTERS, **(filters or {})}
        self.tests: dict[str, Any] = {**TESTS, **(tests or {})}
        self.globals: dict[str, Any] = {**GLOBALS, **(globals or {})}
        self.guard = guard
        self.autoescape = autoescape
        self.finalize = in_context(finalize or identity)
        self.newline_sequence = newline_sequence
        self.policies: dict[str, Any] = {**POLICIES, **(policies or {})}

    # Attributes and items

    def getattr(self, obj: "Any", attribute: str) -> "Any":
        """`obj.attribute` of a template: the attribute, or else the item, or else undefined."""
        if self.guard and (is_internal(attribute) or attribute in ("format", "format_map")):
            return self._guarded(obj, attribute)
        try:
            return getattr(obj, attribute)
        except AttributeError:
            pass
        try:
            return obj[attribute]
        except (TypeError, LookupError, AttributeError):
            return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: "Any", argument: "Any") -> "Any":
        """`obj[argument]` of a template: the item, or else the attribute, or else undefined."""
        try:
            return obj[argument]
        except (AttributeError, TypeError, LookupError):
            if isinstance(argument, str):
                try:
                    attribute = str(argument)
                except Exception:
                    return self.undefined(obj=obj, name=argument)
                if self.guard and (is_internal(attribute) or attribute in ("format", "format_map")):
                    return self._guarded(obj, attribute, argument)
                try:
                    return getattr(obj, attribute)
                except AttributeError:
                    pass
            return self.undefined(obj=obj, name=argument)

    def _guarded(self, obj: "Any", attribute: str, argument: "Any" = missing) -> "Any":
        """Access by a name that the guard looks at. `argument`: the item was tried already, under that key."""
        if not is_internal(attribute):
            try:
                value = getattr(obj, attribute)
            except AttributeError:
                pass
            else:
                if not is_format_method(value):
                    return value
                return lambda *args, **kwargs: guarded_format(self, value, args, kwargs)
        elif type(obj) is Namespace and attribute != "_Namespace__attrs" and attribute != "__class__":
            # Its attributes are the template's own data; for all other names it behaves like a mapping.
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        if argument is missing:
            try:
                return obj[attribute]
            except (TypeError, LookupError, AttributeError):
                argument = attribute
        return self.undefined(obj=obj, name=argument)

    # Filters and tests by name

    def call_filter(
        self,
        name: str,
        value: "Any",
        args: "Sequence[Any] | None" = None,
        kwargs: "Mapping[str, Any] | None" = None,
        context: "Context | None" = None,
        eval_ctx: "EvalContext | None" = None,
    ) -> "Any":
        """Apply the filter `name` as a template does."""
        return self._call_named("filter", self.filters, name, value, args, kwargs, context, eval_ctx)

    def call_test(
        self,
        name: str,
        value: "Any",
        args: "Sequence[Any] | None" = None,
        kwargs: "Mapping[str, Any] | None" = None,
        context: "Context | None" = None,
        eval_ctx: "EvalContext | None" = None,
    ) -> "Any":
        """Apply the test `name` as a template does."""
        return self._call_named("test", self.tests, name, value, args, kwargs, context, eval_ctx)

    def _call_named(
        self,
        kind: str,
        known: "Mapping[str, Any]",
        name: str,
        value: "Any",
        args: "Sequence[Any] | None",
        kwargs: "Mapping[str, Any] | None",
        context: "Context | None",
        eval_ctx: "EvalContext | None",
    ) -> "Any":
        f = known.get(name)
        if f is None:
            message = f"No {kind} named {name!r}."
            if isinstance(name, Undefined):
                try:
                    name._fail_with_undefined_error()
                except Exception as error:
                    message = f"{message} ({error}; did you forget to quote the callable name?)"
            raise TemplateRuntimeError(message)
        wants = pass_arg(f)
        first: tuple[Any, ...] = ()
        if wants == "context":
            if context is None:
                raise TemplateRuntimeError(f"Attempted to invoke a context {kind} without context.")
            first = (context,)
        elif wants == "eval_context":
            if eval_ctx is None:
                eval_ctx = EvalContext(self) if context is None else context.eval_ctx
            first = (eval_ctx,)
        elif wants == "environment":
            first = (self,)
        return f(*first, value, *(args or ()), **(kwargs or {}))

    # Binding of programs

    def from_host(self, kind: str, name: str) -> "Callable[..., Any]":
        """Return a filter or test of the host, to be called with the context first: its mark was not seen at build."""
        return in_context(getattr(self, kind)[name])

    def if_present(self, kind: str, name: str) -> "Callable[..., Any]":
        """Return a filter or test that the compiler does not know; if it is not here either, its use fails."""
        found: Callable[..., Any] | None = getattr(self, kind).get(name)
        if found is not None:
            return found

        def fail(*_args: "Any", **_kwargs: "Any") -> "Any":
            raise TemplateRuntimeError(f"No {kind[:-1]} named {name!r} found.")

        return fail

    def check_needs(self, needs: "Iterable[tuple[str, Iterable[str]]]", file: str) -> None:
        """Raise ProgramError unless the engine has every filter, test and global of a program's NEEDS."""
        lacking = [
            f"{kind[:-1]} `{name}`" for kind, names in needs for name in names if name not in getattr(self, kind)
        ]
        if lacking:
            raise ProgramError(f"`{file}` needs the {' and the '.join(lacking)}, which the host does not supply")
