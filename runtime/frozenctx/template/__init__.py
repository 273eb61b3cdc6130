"""From the text of a program to a template that renders.

In: the Python text that the compiler wrote for one template (or its code object), what the host chooses (undefined
class, filters, tests, globals, guard, …), and a way to find other templates by name. Out: `Template`, with jinja2's
ways to render, and `Engine`, which programs are bound to: jinja2's `Environment` as far as rendering needs one, with
the names of helpers, attribute and item access, filters and tests by name. Executing a program's code defines names
only; binding it to the engine happens at the first use, and an engine is not changed once a program is bound to it.

`guard=True` is "No way to internals" of CTX-FORMAT section 5: a name that begins with `_` never reaches an attribute,
keys of that kind stay readable, and so do names of a `namespace` (they are data). `guard=False` is jinja2.

This module is on the way to each rendered prompt; the others of the package are loaded when something of them is asked
for. (They are attributes here too, like `globals`: the functions of that name cannot be called here.)
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Callable, Iterable, Mapping
    from types import CodeType
    from typing import Any, NoReturn, TypeVar

    from ..errors import TemplateNotFound, TemplateRuntimeError
    from .applying import applied, pass_arg
    from .blocks import Blocks
    from .context import Context, WithContext, call, in_context, new_context
    from .engine_rest import EngineRest
    from .escaping import escaped
    from .guard import exact, guarded, is_watched, read, read_instead
    from .lookahead import lookahead
    from .loops import LoopContext
    from .markup import Markup, escape, markup_join
    from .namespace import Namespace, attributes_of
    from .references import TemplateReference
    from .sharing import Macro, Sharing, TemplateModule, joined
    from .template_rest import TemplateRest
    from .undefined import Undefined

    F = TypeVar("F", bound=Callable[..., Any])

    Render = Callable[[Mapping[str, Any] | None], str]

    class Members(Sharing, WithContext, TemplateRest): ...
else:
    EngineRest = Members = object  # loaded when something of them is asked for


class _MissingType:
    """Marks a name without any value inside programs, and never reaches a template."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "missing"

    __reduce__ = __repr__  # a copy is the same object


missing: "Any" = _MissingType()


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
Dict: "type | None" = dict if all(name in DICT_ATTRIBUTES for name in dir(dict) if name[:1] != "_") else None

# What reading an attribute or item raises, where there is none.
Lacking = (AttributeError, KeyError)
Unfit = (AttributeError, TypeError, LookupError)

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


def readers(undefined: "Callable[..., Any]") -> "tuple[Callable[[Any, str], Any], ...]":
    """Return, for an engine with this class of undefined values, the functions that read an attribute, that read what
    an object without an attribute of that name has in its place, and that handle what programs' reads raise: these are
    `obj[name]` of exact dicts and `obj.name` of all else."""

    def attr(obj: "Any", name: str) -> "Any":
        value = getattr(obj, name, missing)
        return item(obj, name) if value is missing else value

    def item(obj: "Any", name: str) -> "Any":
        try:
            return obj[name]
        except Unfit:
            return undefined(obj=obj, name=name)

    def absent(obj: "Any", name: str) -> "Any":
        from sys import exc_info

        if type(obj) is not Dict and not issubclass(exc_info()[0], AttributeError):  # type: ignore[arg-type]
            raise  # a KeyError of a property
        return item(obj, name)

    return attr, item, absent


# Marks on functions that want to know where they are called. The decorators mean what jinja2's of the same name mean,
# and functions marked with jinja2's own are recognised.

KINDS = ("context", "eval_context", "environment")


def _mark(kind: str) -> "Callable[[F], F]":
    def mark(f: "F") -> "F":
        f.jinja_pass_arg = kind  # type: ignore[attr-defined]
        return f

    return mark


# Mark a function as wanting, as first argument: the template's variables; the evaluation context (is autoescape on?);
# the engine.
pass_context, pass_eval_context, pass_environment = map(_mark, KINDS)


# The names of the language, whose modules are loaded when they are asked for.
#
# Filters and tests take the value they are applied to, then the arguments; one marked `pass_*` takes context, eval
# context or environment before them. Invariant: for all names of jinja2 3.1.6 (54 filters, 39 tests, 6 globals), result
# and exception (class and message) equal jinja2's; seven more filters are those of CTX-FORMAT section 5.
#
# Functions and parameters bear jinja2's names, because Python puts them into the message of a wrong call. Loading one
# of the modules imports nothing of the standard library but what is built in; what needs re, json, random, pprint or
# textwrap imports it at its first use.


def _table(prefix: str, names: str) -> "dict[str, str]":
    """Name → place. `name:x` is what a template calls `name` and the module `x`, behind the same prefix."""
    return {name: prefix + (own or name) for name, _, own in [each.partition(":") for each in names.split()]}


# The values, or in which module and under which name they are.
WHERE: "dict[str, dict[str, Any]]" = {
    "filters": {"abs": abs, "count": len, "length": len}
    | _table("filters.do_", "capitalize d:default default indent lower trim truncate upper")
    | _table("filters_chains.sync_do_", "first join list map reject rejectattr select selectattr")
    | _table("filters_grouping.sync_do_", "groupby unique")
    | _table("filters_json.do_", "from_json to_json")
    | _table("filters_layout.do_", "as_codeblock as_xml bulleted_list dedent numbered_list wordwrap")
    | _table("filters_markup.do_", "forceescape safe:mark_safe tojson urlize xmlattr")
    | _table("filters_numbers.do_", "filesizeformat float int round")
    | _table("filters_ordering.do_", "dictsort max min sort")
    | _table("filters_sequences.do_", "attr batch items random reverse")
    | _table("filters_sequences.sync_do_", "slice sum")
    | _table("filters_words.do_", "center format pprint replace striptags title urlencode wordcount")
    | {"e": "markup.escape", "escape": "markup.escape", "last": "filters_chains.do_last", "string": ".soft_str"},
    "tests": {"callable": callable}
    | _table("tests.test_", "boolean defined divisibleby escaped even false filter float in integer iterable lower")
    | _table("tests.test_", "mapping none number odd sameas sequence string test true undefined upper")
    | _table("_operator.", "eq ge gt le lt ne equalto:eq greaterthan:gt lessthan:lt ==:eq >=:ge >:gt <=:le <:lt !=:ne"),
    "globals": {"cycler": "globals.Cycler", "dict": dict, "joiner": "globals.Joiner", "range": range}
    | {"lipsum": "globals.generate_lorem_ipsum", "namespace": "namespace.Namespace"},
}


def imported(place: str) -> "Any":
    """Return what is at a place, `module.name`: of the template half, after two dots of the package, or built in."""
    module, _, name = place.rpartition(".")
    level = 2 if module[:2] == ".." else 0 if module == "_operator" else 1
    return getattr(__import__(module.lstrip("."), {"__package__": __package__}, None, (name,), level), name)


class Names(dict["str", "Any"]):
    """The names of one kind: those that are `given`, and else those of the language, found when they are asked for."""

    __slots__ = ("_where",)

    def __init__(self, kind: str, given: "Mapping[str, Any] | None" = None) -> None:
        super().__init__(given or ())
        self._where = WHERE[kind]

    def __missing__(self, name: str) -> "Any":
        where = self._where[name]
        self[name] = found = imported(where) if type(where) is str else where
        return found

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or name in self._where

    def get(self, name: str, default: "Any" = None) -> "Any":
        return self[name] if name in self else default  # noqa: SIM401 (this is the method that it advises)

    def all(self) -> "dict[str, Any]":
        """Return all of them, with what they need loaded."""
        return {name: self[name] for name in self._where} | self


# Engines

# What is loaded when a program needs it: name of an attribute of engines → where it is.
PARTS = {"context_class": "context.Context", "undefined": "undefined.StrictUndefined"} | {
    name: f"{module}.{name}"
    for module, names in {
        "applying": "applied pass_arg",
        "blocks": "Blocks",
        "context": "Context call in_context new_context",
        "": "Absent Dict Lacking Unfit concat ignore_case missing view",
        "escaping": "escaped",
        "filters_grouping": "attribute_getter",
        "guard": "exact guarded is_watched read read_instead",
        "lookahead": "lookahead",
        "loops": "LoopContext",
        "markup": "Markup escape markup_join",
        "namespace": "Namespace attributes_of",
        "references": "TemplateReference",
        "sharing": "Macro joined",
        "undefined": "Undefined",
        "..errors": "TemplateNotFound TemplateRuntimeError",
    }.items()
    for name in names.split()
}

concat = "".join


def soft_str(s: "Any", /) -> str:
    """Return `s` itself when it is a string of any kind (Markup stays Markup), else `str(s)`."""
    return s if isinstance(s, str) else str(s)


def ignore_case(value: "Any") -> "Any":
    """What most filters compare instead of a value."""
    return value.lower() if isinstance(value, str) else value


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
        self.__dict__ = dict(old)


class Engine(EngineRest):
    """See the module. `undefined`: a class of such values, `StrictUndefined` by default; what programs call for one is
    `lacking`. `autoescape`: a boolean, or a function of the template's name. `finalize`: a function that every
    printed value passes through."""

    if TYPE_CHECKING:
        Absent: type[Absent]
        Blocks: type[Blocks]
        Dict: type | None
        Lacking: tuple[type[Exception], ...]
        LoopContext: type[LoopContext]
        Macro: type[Macro]
        Markup: type[Markup]
        Namespace: type[Namespace]
        TemplateNotFound: type[TemplateNotFound]
        TemplateReference: type[TemplateReference]
        TemplateRuntimeError: type[TemplateRuntimeError]
        Undefined: type[Undefined]
        Unfit: tuple[type[Exception], ...]
        applied = applied
        attributes_of = staticmethod(attributes_of)
        call = staticmethod(call)
        concat = staticmethod(concat)
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
        lookahead = staticmethod(lookahead)
        markup_join = staticmethod(markup_join)
        missing: Any
        new_context = staticmethod(new_context)
        policies: dict[str, Any]
        pass_arg = staticmethod(pass_arg)
        read = staticmethod(read)
        read_instead = staticmethod(read_instead)
        tests: dict[str, Any]
        undefined: Callable[..., Any]
        view = staticmethod(view)

    _other = "template.engine_rest", "EngineRest"
    # What an engine that counts has in the place of these.
    Names = Names
    formatted: "Callable[..., Any] | None" = None

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
    ) -> None:
        if undefined is not None:
            self.undefined = undefined
        self.lacking = undefined or strict
        self.attr, self.item, self.absent = readers(self.lacking)
        self.guard = guard
        self.autoescape = autoescape
        self.newline_sequence = newline_sequence
        self._finalize = finalize
        self._given = {"filters": filters or {}, "tests": tests or {}, "globals": globals or {}}

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Load a part at its first use: a prompt that needs few starts fast."""
            if name in PARTS:
                value = imported(PARTS[name])
            elif name in ("filters", "tests", "global_names"):
                kind = "globals" if name == "global_names" else name
                value = self.Names(kind, self._given[kind])
            elif name == "policies":
                value = imported("policies.new")()
            elif name == "globals":  # all of them, as the contexts of renderings begin
                value = self.global_names.all()
            else:
                from ..halves import asked

                return asked(self, name)
            setattr(self, name, value)
            return value

    # Attributes and items

    def getattr(self, obj: "Any", attribute: str) -> "Any":
        """`obj.attribute` of a template: the attribute, or else the item, or else undefined."""
        return self.read(self, obj, attribute)

    def getitem(self, obj: "Any", argument: "Any") -> "Any":
        """`obj[argument]` of a template: the item, or else the attribute, or else undefined."""
        try:
            return obj[argument]
        except Unfit:
            return self.instead(obj, argument)

    def instead(self, obj: "Any", argument: "Any") -> "Any":
        """Return what `obj[argument]` is if there is no such item: the attribute, or else undefined."""
        return self.read_instead(self, obj, argument)

    # Binding of programs

    def require_own(self, kind: str, *names: str) -> None:
        """Raise ProgramError if the host replaces a filter or test that a program has written out."""
        if not self._given[kind].keys().isdisjoint(names):
            self.refuse_replaced(kind, names)

    def check_needs(self, needs: "Iterable[tuple[str, Iterable[str]]]", file: str) -> None:
        """Raise ProgramError unless the engine has every filter, test and global of a program's NEEDS."""
        for kind, names in needs:
            known = self.global_names if kind == "globals" else getattr(self, kind)
            if not all(map(known.__contains__, names)):
                self.refuse_lacking(needs, file)


# Templates

# The shape of programs that this module runs: the names they define, the arguments of `bind`, what it returns.
SHAPE = 1

# What `bind` asks of a template whose program reaches other templates.
LINKING = frozenset(["inclusions", "links", "get_template", "get_or_select_template", "select_template"])

# The variable with the modules of the rendering that runs now, of templates whose exports are not constant; it is None
# outside of renderings. Each rendering has its own, so that nothing of one call is seen by another: for threads, tasks
# and greenlets alike. It is made when modules are needed for the first time (`template_rest.current`).
made: "dict[None, ContextVar[dict[Template, TemplateModule] | None]]" = {}


class Template(Members):
    """One template, ready to render. `lookup(name)` returns another one or raises TemplateNotFound(name)."""

    __slots__ = (
        "engine", "environment", "lookup", "_globals", "name", "file", "needs", "constant",
        "_bind", "_bound", "_body", "_text", "_render", "_module",
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
            from .text import refuse_shape

            refuse_shape(program, SHAPE)
        self.engine = self.environment = engine
        self.lookup = lookup
        self._globals = globals
        self.name: str | None = program["NAME"]
        self.file: str = program["FILE"]
        self.needs: tuple[tuple[str, tuple[str, ...]], ...] = program["NEEDS"]
        # Whether what it exports is the same in every rendering: only macros and constants.
        self.constant: bool = program.get("CONSTANT", False)
        self._bind = program["bind"]
        # What `bind` returns: the root function, the blocks, and for functions that take no context the names that the
        # root imports (the blocks are `Blocks` then, if it is to get any); and the root, if it takes no context.
        self._bound: tuple[Any, ...] | None = None
        self._body: Callable[..., str | list[str]] | None = None
        # From the variables to the text, within a rendering and as one.
        self._text: Render | None = None
        self._render: Render = self._bind_and_render
        self._module: TemplateModule | None = None

    def _parts(self) -> "tuple[Any, ...]":
        if self._bound is None:
            self.engine.check_needs(self.needs, self.file)
            bound = self._bind(self.engine, self)
            if len(bound) > 2:
                self._body = bound[0]
            self._text = self.text_in_context if self._body is None else text_of(self._body)
            linked = not LINKING.isdisjoint(self._bind.__code__.co_names)
            self._render = self.render_linked if linked else self._text
            self._bound = bound  # at last: whoever sees it takes it that the others are there
        return self._bound

    def _bind_and_render(self, variables: "Mapping[str, Any] | None") -> str:
        self._parts()
        return self._render(variables)

    def render(self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Return the template's text for these variables. The mapping is not changed."""
        if more:
            variables = dict(variables or (), **more)
        return self._render(variables)

    def globals_of(self, *names: str) -> "list[Any]":
        """Return the values of global names, `missing` for those that there are not."""
        known = self.engine.global_names if self._globals is None else self._globals
        return [known.get(name, missing) for name in names]

    @property
    def eval_ctx(self) -> "EvalContext":
        return EvalContext(self.engine, self.name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


def text_of(body: "Callable[[dict[str, Any], dict[str, Any]], str | list[str]]") -> "Render":
    """Return what gives the text for variables, of a root function that takes no context."""

    def text(variables: "Mapping[str, Any] | None") -> str:
        found = body(variables if type(variables) is dict else dict(variables or ()), {})
        return found if type(found) is str else "".join(found)

    return text


def elsewhere(name: str, place: str) -> property:
    """Return a member of `Template` that the class at `place` has. When it is asked for, all of that class become
    members, like any others from then on. (A `__getattr__` would make each look at an attribute slower.)"""

    def get(template: Template) -> "Any":
        for each, member in vars(imported(place)).items():
            if each[:2] != "__":
                setattr(Template, each, member)
        return getattr(template, name)

    return property(get)


for _place, _names in {
    "sharing.Sharing": "call_free direct get_template globals included inclusion inclusions links make_module"
    " module_for render_linked _kept_module",
    "context.WithContext": "blocks context_of module_of_chain new_context root_render_func text_in_context"
    " with_context",
    "template_rest.TemplateRest": "generate get_or_select_template imported_by module select_template"
    " _get_default_module",
}.items():
    for _name in _names.split():
        setattr(Template, _name, elsewhere(_name, _place))
