"""What a program has around it while it renders.

In: the host's choices (undefined class, filters, tests, globals, guard, …). Out: the `engine` that programs are bound
to, jinja2's `Environment` as far as rendering needs one: names of helpers, attribute and item access, filters and
tests by name. An engine is not changed once a program is bound to it.

`guard=True` is "No way to internals" of CTX-FORMAT section 5: a name that begins with `_` never reaches an attribute,
keys of that kind stay readable, and so do names of a `namespace` (they are data). `guard=False` is jinja2.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal, NoReturn, TypeVar

    from ..errors import TemplateNotFound, TemplateRuntimeError
    from . import Macro, joined
    from .context import Context, TemplateReference, call, in_context, new_context
    from .filters import escaped
    from .globals import Namespace, attributes_of
    from .guard import exact, guarded, is_watched
    from .loops import LoopContext
    from .markup import Markup, escape, markup_join
    from .undefined import Undefined

    F = TypeVar("F", bound=Callable[..., Any])

    from .engine_rest import EngineRest

    FILTERS: dict[str, Callable[..., Any]]
    TESTS: dict[str, Callable[..., Any]]
    GLOBALS: dict[str, Any]
    Functions = dict[str, Any]
else:
    Functions = dict
    EngineRest = object  # loaded when something of it is asked for

class _Missing:
    """Marks a name without any value inside programs, and never reaches a template."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "missing"

    def __reduce__(self) -> str:
        return "missing"


missing: "Any" = _Missing()


class Absent:
    """What all undefined values are (`undefined`), so that they are known without loading them."""

    __slots__ = ()

    if TYPE_CHECKING:
        def _fail_with_undefined_error(self) -> NoReturn: ...


def strict(*args: "Any", **kwargs: "Any") -> "Any":
    """Make what stands for a value that is not there, where nothing else is chosen."""
    from .undefined import StrictUndefined

    return StrictUndefined(*args, **kwargs)


# Attributes. A program reads an attribute of a literal name that is neither an attribute of dicts nor looked at by the
# guard (the compiler asks `needs_care`) by shorter ways than `Engine.getattr`, with the same result.

DICT_ATTRIBUTES = frozenset(
    ["clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]
)
"""Names, without underscores in front, that are attributes of dicts in some Python version."""

# A Python whose dicts have more attributes than the compiler knows of gets no short cut.
Dict: "type | None" = (
    dict if all(name in DICT_ATTRIBUTES for name in dir(dict) if name[:1] != "_") else None
)


_seen: "tuple[type, bool | None]" = (dict, False)


def view(obj: "Any") -> "bool | None":
    """Return None if attributes of `obj`, which is no exact dict, are best tried; False if it is a dict of another
    class: an exception for each attribute that is a key would cost more than to ask first. (Unless its class answers
    for its keys itself.) Both give the same; what the last class was is remembered, for the next of its objects."""
    global _seen
    kind = type(obj)
    if kind is not _seen[0]:
        _seen = kind, False if issubclass(kind, dict) and not hasattr(kind, "__getattr__") else None
    return _seen[1]


def item_reader(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the function that reads what an object without an attribute of that name has in its place."""

    def item(obj: "Any", name: str) -> "Any":
        try:
            return obj[name]
        except (TypeError, LookupError, AttributeError):
            return undefined(obj=obj, name=name)

    return item


def absence(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the handler of programs' reads, `obj[name]` of exact dicts and `obj.name` of all else: what `attr` gives
    where there is neither."""

    def absent(obj: "Any", name: str) -> "Any":
        from sys import exc_info

        if type(obj) is not Dict and not issubclass(exc_info()[0], AttributeError):  # type: ignore[arg-type]
            raise  # a KeyError of a property
        return item(obj, name)

    item = item_reader(undefined)
    return absent


def attribute_reader(undefined: "Callable[..., Any]") -> "Callable[[Any, str], Any]":
    """Return the function that reads attributes for an engine with this class of undefined values."""

    def attr(obj: "Any", name: str) -> "Any":
        value = getattr(obj, name, missing)
        return item(obj, name) if value is missing else value

    item = item_reader(undefined)
    return attr


# Marks on functions that want to know where they are called. The decorators mean what jinja2's of the same name mean,
# and functions marked with jinja2's own are recognised.

_KINDS = ("context", "eval_context", "environment")


def _mark(kind: str) -> "Callable[[F], F]":
    def mark(f: "F") -> "F":
        f.jinja_pass_arg = kind  # type: ignore[attr-defined]
        return f

    return mark


# Mark a function as wanting, as first argument: the template's variables; the evaluation context (is autoescape on?);
# the engine.
pass_context, pass_eval_context, pass_environment = map(_mark, _KINDS)


def pass_arg(f: "Any") -> "Literal['context', 'eval_context', 'environment'] | None":
    """Return what `f` wants as first argument, or None. What is no real mark (a Mock has every attribute) is none."""
    mark = getattr(f, "jinja_pass_arg", None)
    if mark is None:
        return None
    if type(mark).__name__ == "_PassArg":
        mark = mark.name
    return mark if type(mark) is str and mark in _KINDS else None  # type: ignore[return-value]


# The names of the language, whose modules are loaded when they are asked for.
#
# Filters and tests take the value they are applied to, then the arguments; one marked `pass_*` takes context, eval
# context or environment before them. Invariant: for all names of jinja2 3.1.6 (54 filters, 39 tests, 6 globals), result
# and exception (class and message) equal jinja2's; seven more filters are those of CTX-FORMAT section 5.
#
# Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading one
# of the modules imports nothing of the standard library but what is built in; what needs re, json, random, pprint or
# textwrap imports it at its first use.


def _all_in(prefix: str, names: str) -> "dict[str, str]":
    return {name: prefix + name for name in names.split()}


# The values, or in which module and under which name they are.
WHERE: "dict[str, dict[str, Any]]" = {
    "filters": {"abs": abs, "count": len, "length": len}
    | _all_in("filters_json.do_", "from_json to_json tojson")
    | _all_in("filters_markup.do_", "forceescape striptags urlencode urlize xmlattr")
    | _all_in("filters.do_", "as_codeblock as_xml bulleted_list capitalize default dictsort format indent int last")
    | _all_in("filters.do_", "lower max min numbered_list replace round sort trim truncate upper wordwrap")
    | _all_in("filters.sync_do_", "first join list map reject rejectattr select selectattr unique")
    | _all_in("filters_rare.do_", "attr batch center dedent filesizeformat float items pprint random reverse title")
    | _all_in("filters_rare.do_", "wordcount")
    | _all_in("filters_rare.sync_do_", "groupby slice sum")
    | {"d": "filters.do_default", "string": "filters.soft_str", "safe": "filters_markup.do_mark_safe"}
    | {"e": "markup.escape", "escape": "markup.escape"},
    "tests": {"callable": callable}
    | _all_in("tests.test_", "boolean defined divisibleby escaped even false filter float in integer iterable lower")
    | _all_in("tests.test_", "mapping none number odd sameas sequence string test true undefined upper")
    | _all_in("_operator.", "eq ge gt le lt ne")
    | {"==": "_operator.eq", "equalto": "_operator.eq", "!=": "_operator.ne", "<=": "_operator.le"}
    | {">=": "_operator.ge", "<": "_operator.lt", "lessthan": "_operator.lt", ">": "_operator.gt"}
    | {"greaterthan": "_operator.gt"},
    "globals": {"cycler": "globals.Cycler", "dict": dict, "joiner": "globals.Joiner", "range": range}
    | {"lipsum": "globals.generate_lorem_ipsum", "namespace": "globals.Namespace"},
}


def _imported(module: str, name: str) -> "Any":
    """Return what has this name in a module: of the template half, after two dots of the package, or built in."""
    level = 2 if module.startswith("..") else 0 if module == "_operator" else 1
    return getattr(__import__(module.lstrip("."), globals(), None, (name,), level), name)


class Names(Functions):
    """The names of one kind: those that are `given`, and else those of the language, found when they are asked for."""

    __slots__ = ("_where",)

    def __init__(self, kind: str, given: "Mapping[str, Any] | None" = None) -> None:
        super().__init__(given or ())
        self._where = WHERE[kind]

    def __missing__(self, name: str) -> "Any":
        found = self._where[name]
        if type(found) is str:
            module, _, attribute = found.partition(".")
            found = _imported(module, attribute)
        self[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self._where

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 (this is the method that it advises)

    def all(self) -> "dict[str, Any]":
        """Return all of them, with what they need loaded."""
        return {name: self[name] for name in self._where} | self


# The engine

# What is loaded when a program needs it: name of an attribute of engines → module that has it.
PARTS = {
    name: module
    for module, names in {
        "": "Macro joined",
        "filters": "escaped",
        "context": "Context TemplateReference call in_context new_context",
        "globals": "Namespace attributes_of",
        "guard": "exact guarded is_watched",
        "loops": "LoopContext",
        "markup": "Markup escape markup_join",
        "undefined": "Undefined",
        "..errors": "TemplateNotFound TemplateRuntimeError",
    }.items()
    for name in names.split()
}

POLICIES: "dict[str, Any]" = {
    "compiler.ascii_str": True, "urlize.rel": "noopener", "urlize.target": None, "urlize.extra_schemes": None,
    "truncate.leeway": 5, "json.dumps_function": None, "json.dumps_kwargs": {"sort_keys": True},
    "ext.i18n.trimmed": False,
}  # fmt: skip

_concat = "".join


def identity(x: "Any") -> "Any":
    return x


def unchanged(context: "Any", x: "Any") -> "Any":
    """The `finalize` of an engine that was given none."""
    return x


def str_join(values: "Iterable[Any]") -> str:
    """What `~` does: convert every operand to text and join."""
    return _concat(map(str, values))


# Their length says which item is the last, whoever asks when; some have the next one by its number.
_BY_NUMBER = frozenset([list, tuple, range, str])
_SIZED = _BY_NUMBER | frozenset([dict, type({}.items()), type({}.keys()), type({}.values())])


def lookahead(iterable: "Iterable[Any]", by_number: bool = False) -> "tuple[Iterable[Any], Any]":
    """Return what a loop iterates over, and what the count of its last item is equal to. `by_number`: the first has
    the next item by its number, if there is one (which is asked before)."""
    if type(iterable) in (_BY_NUMBER if by_number else _SIZED):
        return iterable, len(iterable) - 1  # type: ignore[arg-type]
    from .loops import Ahead

    ahead = Ahead(iterable)
    return ahead, ahead


class EvalContext:
    """Whether autoescape is on, where the program is now. `volatile`: it may differ from what the compiler knew."""

    def __init__(self, environment: "Engine", template_name: "str | None" = None) -> None:
        self.environment = environment
        autoescape = environment.autoescape
        self.autoescape = autoescape(template_name) if callable(autoescape) else autoescape
        self.volatile = False

    def save(self) -> "dict[str, Any]":
        return self.__dict__.copy()

    def revert(self, old: "Mapping[str, Any]") -> None:
        self.__dict__.clear()
        self.__dict__.update(old)


class Engine(EngineRest):
    """See the module. `undefined`: a class of such values, `StrictUndefined` by default; what programs call for one is
    `lacking`. `autoescape`: a boolean, or a function of the template's name. `finalize`: a function that every
    printed value passes through. `policies` overrides single entries of `POLICIES`."""

    # What emitted programs take from here by name, beside `PARTS`.
    Dict = Dict
    Lacking = (AttributeError, KeyError)
    Unfit = (AttributeError, TypeError, LookupError)
    Absent = Absent
    pass_arg = staticmethod(pass_arg)
    concat = staticmethod(_concat)
    identity = staticmethod(identity)
    lookahead = staticmethod(lookahead)
    missing = missing
    Names = Names
    str_join = staticmethod(str_join)
    view = staticmethod(view)

    if TYPE_CHECKING:
        LoopContext: type[LoopContext]
        Macro: type[Macro]
        Markup: type[Markup]
        Namespace: type[Namespace]
        TemplateNotFound: type[TemplateNotFound]
        TemplateReference: type[TemplateReference]
        TemplateRuntimeError: type[TemplateRuntimeError]
        Undefined: type[Undefined]
        attributes_of = staticmethod(attributes_of)
        call = staticmethod(call)
        context_class: type[Context]
        escape = staticmethod(escape)
        escaped = staticmethod(escaped)
        exact = staticmethod(exact)
        filters: dict[str, Any]
        global_names: dict[str, Any]
        globals: dict[str, Any]
        guarded = staticmethod(guarded)
        in_context = staticmethod(in_context)
        is_watched = staticmethod(is_watched)
        joined = staticmethod(joined)
        markup_join = staticmethod(markup_join)
        new_context = staticmethod(new_context)
        tests: dict[str, Any]
        undefined: Callable[..., Any]

    # What an engine that counts has in the place of these.
    formatted: "Callable[..., Any] | None" = None
    counting = staticmethod(identity)

    # What filters written for jinja2 ask of an environment.
    is_async = False
    sandboxed = False

    def __init__(
        self,
        undefined: "Callable[..., Any] | None" = None,
        filters: "Mapping[str, Callable[..., Any]] | None" = None,
        tests: "Mapping[str, Callable[..., Any]] | None" = None,
        globals: "Mapping[str, Any] | None" = None,
        guard: bool = True,
        autoescape: "bool | Callable[[str | None], bool]" = False,
        finalize: "Callable[..., Any] | None" = None,
        newline_sequence: str = "\n",
        policies: "Mapping[str, Any] | None" = None,
    ) -> None:
        self.lacking = undefined = undefined or strict
        self.attr = attribute_reader(undefined)
        self.item = item_reader(undefined)
        self.absent = absence(undefined)
        self.guard = guard
        self.autoescape = autoescape
        self.finalize = self.in_context(finalize) if finalize else unchanged
        self._finalizes_last = bool(finalize) and self.pass_arg(finalize) in (None, "environment")
        self.newline_sequence = newline_sequence
        self.policies: dict[str, Any] = {**POLICIES, **(policies or {})}
        self._given = {"filters": filters or {}, "tests": tests or {}, "globals": globals or {}}

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Load a part at its first use: a prompt that needs few starts fast."""
            if name in PARTS:
                value = _imported(PARTS[name], name)
            elif name == "context_class":
                value = self.Context
            elif name == "undefined":
                value = self.lacking if self.lacking is not strict else _imported("undefined", "StrictUndefined")
            elif name in ("filters", "tests", "global_names"):
                kind = "globals" if name == "global_names" else name
                value = self.Names(kind, self._given[kind])
            elif name == "globals":  # all of them, as the contexts of renderings begin
                value = self.global_names.all()
            else:
                from ..halves import member
                from .engine_rest import EngineRest

                return member(Engine, EngineRest, self, name)
            setattr(self, name, value)
            return value

    def failure(self, message: str) -> Exception:
        return self.TemplateRuntimeError(message)

    def nothing(self, hint: str) -> "Any":
        """Return what is left of an inline `if` without `else`."""
        return self.Undefined(hint)

    # Attributes and items

    def getattr(self, obj: "Any", attribute: str) -> "Any":
        """`obj.attribute` of a template: the attribute, or else the item, or else undefined."""
        if self.guard:
            attribute = self.exact(attribute)
            if self.is_watched(attribute):
                return self.guarded(self, obj, attribute)
        value = getattr(obj, attribute, missing)
        return self.item(obj, attribute) if value is missing else value

    def getitem(self, obj: "Any", argument: "Any") -> "Any":
        """`obj[argument]` of a template: the item, or else the attribute, or else undefined."""
        try:
            return obj[argument]
        except (AttributeError, TypeError, LookupError):
            return self.instead(obj, argument)

    def instead(self, obj: "Any", argument: "Any") -> "Any":
        """Return what `obj[argument]` is if there is no such item: the attribute, or else undefined."""
        if isinstance(argument, str):
            try:
                attribute = str(argument)
            except Exception:
                return self.lacking(obj=obj, name=argument)
            if self.guard:
                attribute = self.exact(attribute)
                if self.is_watched(attribute):
                    return self.guarded(self, obj, attribute, argument)
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        return self.lacking(obj=obj, name=argument)

    # Filters and tests by name

    def applied(
        self,
        kind: str,
        name: str,
        args: "Sequence[Any] | None",
        kwargs: "Mapping[str, Any] | None",
        context: "Context | None" = None,
        eval_ctx: "EvalContext | None" = None,
    ) -> "Callable[[Any], Any]":
        """Return the filter or test `name` (`kind` says which) as a function of a value, as a template applies it."""
        known = self.filters if kind == "filter" else self.tests
        f = known.get(name)
        if f is None:
            message = f"No {kind} named {name!r}."
            if isinstance(name, Absent):
                try:
                    name._fail_with_undefined_error()
                except Exception as error:
                    message = f"{message} ({error}; did you forget to quote the callable name?)"
            raise self.failure(message)
        wants = self.pass_arg(f)
        first: tuple[Any, ...] = ()
        if wants == "context":
            if context is None:
                raise self.failure(f"Attempted to invoke a context {kind} without context.")
            first = (context,)
        elif wants == "eval_context":
            if eval_ctx is None:
                eval_ctx = EvalContext(self) if context is None else context.eval_ctx
            first = (eval_ctx,)
        elif wants == "environment":
            first = (self,)
        if kwargs or first or (args and len(args) > 1):
            return lambda value: f(*first, value, *(args or ()), **(kwargs or {}))
        if args:
            only = args[0]
            return lambda value: f(value, only)
        return f  # type: ignore[no-any-return]

    # Binding of programs

    def require_own(self, kind: str, *names: str) -> None:
        """Raise ProgramError if the host replaces a filter or test that a program has written out."""
        if not self._given[kind].keys().isdisjoint(names):
            self.refuse_replaced(kind, names)

    def check_needs(self, needs: "Iterable[tuple[str, Iterable[str]]]", file: str) -> None:
        """Raise ProgramError unless the engine has every filter, test and global of a program's NEEDS."""
        for kind, names in needs:
            if not all(map(self.names(kind).__contains__, names)):
                self.refuse_lacking(needs, file)

    def names(self, kind: str) -> "dict[str, Any]":
        found: dict[str, Any] = self.global_names if kind == "globals" else getattr(self, kind)
        return found


if not TYPE_CHECKING:

    def __getattr__(name):
        """`FILTERS`, `TESTS` and `GLOBALS`: those of the language, loaded."""
        if name in ("FILTERS", "TESTS", "GLOBALS"):
            return Names(name.lower()).all()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
