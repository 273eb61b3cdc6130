"""What chat templates in the style of Hugging Face find around them.

In: a clock, if there is one. Out: `ChatEngine`, which gives templates what transformers does: `tojson` for models,
`raise_exception`, `strftime_now`, `generation` blocks, and the rules of jinja2's immutable sandbox. The clock is the
host's: the runtime reads none by itself, so that the same call gives the same text. Imported for such templates only.
"""

from _collections_abc import MutableMapping, MutableSequence, MutableSet
from _contextvars import ContextVar

from . import Engine
from .filters_json import dumped, refuse
from .guard import is_format_method, is_internal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from .context import Context

LONGEST_RANGE = 100_000

# Methods that change a value, by the kind of value (the first that fits): templates cannot read them.
CHANGES = (
    (MutableSet, frozenset(
        ["add", "clear", "difference_update", "discard", "pop", "remove", "symmetric_difference_update", "update"])),
    (MutableMapping, frozenset(["clear", "pop", "popitem", "setdefault", "update"])),
    (MutableSequence, frozenset(["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"])),
)  # fmt: skip
CHANGING = frozenset(name for _, names in CHANGES for name in names)

# Where the blocks of the rendering that runs now are, if someone asked for that.
spans: "ContextVar[list[tuple[int, int]] | None]" = ContextVar("frozenctx_generation", default=None)


def tojson(
    x: "Any",
    ensure_ascii: bool = False,
    indent: "int | str | None" = None,
    separators: "tuple[str, str] | None" = None,
    sort_keys: bool = False,
) -> str:
    """JSON of `x` as `json.dumps` writes it: nothing is escaped for HTML, keys keep their order."""
    if separators is None:
        return dumped(x, refuse, bool(sort_keys), bool(ensure_ascii), indent)
    from json import dumps

    return dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: "Any") -> "NoReturn":
    """How a template refuses a conversation."""
    from ..errors import TemplateError

    raise TemplateError(message)


def limited_range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > LONGEST_RANGE:
        raise OverflowError(f"Range too big. The sandbox blocks ranges larger than MAX_RANGE ({LONGEST_RANGE}).")
    return numbers


def strftime_now(format: str) -> str:
    from ..errors import TemplateRuntimeError

    raise TemplateRuntimeError(
        "the template asks for the time: give `load_template` a clock, for instance `clock=datetime.now`"
    )


def generation(written: "list[str] | None", text: str) -> str:
    """Return the text of a `generation` block. `written`: the pieces before it; None where its place in the whole text
    is not known."""
    found = spans.get()
    if found is not None:
        if written is None:
            from ..errors import TemplateRuntimeError

            raise TemplateRuntimeError(
                "where a `generation` block in a macro, a block, a recursive loop, or in text that is set, filtered or"
                " passed on begins in the whole text is not known: move it to where the template prints directly"
            )
        start = sum(map(len, written))
        found.append((start, start + len(text)))
    return text


FILTERS: "dict[str, Callable[..., Any]]" = {"tojson": tojson}
GLOBALS: "dict[str, Any]" = {
    "raise_exception": raise_exception, "range": limited_range, "strftime_now": strftime_now,
}  # fmt: skip


def formatted_time(time: "Any", format: "Any") -> "Any":
    if not hasattr(time, "strftime"):
        raise TypeError(f"the clock returned {type(time).__name__}, which has no `strftime`: return a datetime")
    return time.strftime(format)


class ChatEngine(Engine):
    """`clock`: a function without arguments that returns the time, a `datetime` or whatever has its `strftime`."""

    sandboxed = True
    generation = staticmethod(generation)

    def __init__(
        self,
        clock: "Callable[[], Any] | None" = None,
        *,
        filters: "Mapping[str, Callable[..., Any]] | None" = None,
        globals: "Mapping[str, Any] | None" = None,
        **options: "Any",
    ) -> None:
        known = dict(GLOBALS)
        if clock is not None:
            known["strftime_now"] = lambda format: formatted_time(clock(), format)
        filters, globals = {**FILTERS, **(filters or {})}, {**known, **(globals or {})}
        # The sandbox guards in the place of the engine's own guard, and says so in jinja2's words.
        super().__init__(filters=filters, globals=globals, guard=False, **options)

    def allowed(self, f: "Any") -> "Any":
        """Return `f`, which a template is about to call. Raises SecurityError if it says that templates must not."""
        if getattr(f, "unsafe_callable", False) or getattr(f, "alters_data", False):
            from ..errors import SecurityError

            raise SecurityError(f"{f!r} is not safely callable")
        return f

    def checked(self, call: "Callable[..., Any]") -> "Callable[..., Any]":
        """Return what does the same as a program's `call_free`, where the function may be called."""

        def checked(
            variables: "dict[str, Any]", own: "dict[str, Any]", f: "Any", /, *args: "Any", **kwargs: "Any"
        ) -> "Any":
            return call(variables, own, self.allowed(f), *args, **kwargs)

        return checked

    def call(self, context: "Context", f: "Any", /, *args: "Any", **kwargs: "Any") -> "Any":
        return context.call(self.allowed(f), *args, **kwargs)

    def getattr(self, obj: "Any", attribute: str) -> "Any":
        try:
            value = getattr(obj, attribute)
        except AttributeError:
            return self.item(obj, attribute)
        return self._allowed(obj, attribute, value)

    def instead(self, obj: "Any", argument: "Any") -> "Any":
        if isinstance(argument, str):
            try:
                return self._allowed(obj, str(argument), getattr(obj, argument))
            except AttributeError:
                pass
        return self.undefined(obj=obj, name=argument)

    def _allowed(self, obj: "Any", attribute: str, value: "Any") -> "Any":
        if is_format_method(value):
            return self._formatting(value)
        if is_internal(attribute) or (isinstance(obj, type) and (attribute == "mro" or is_format_method(value, obj))):
            return self.unsafe(obj, attribute)
        if attribute in CHANGING:
            for kind, names in CHANGES:
                if isinstance(obj, kind):
                    return self.unsafe(obj, attribute) if attribute in names else value
        return value

    def _formatting(self, method: "Any") -> "Callable[..., str]":
        """Return what does the same as `format` or `format_map` of a text, where fields are read as templates read."""
        text: str = method.__self__

        def formatted(*args: "Any", **kwargs: "Any") -> str:
            from .formatters import SandboxFormatter

            if method.__name__ == "format_map":
                if kwargs:
                    raise TypeError("format_map() takes no keyword arguments")
                if len(args) != 1:
                    raise TypeError(f"format_map() takes exactly one argument ({len(args)} given)")
                kwargs, args = args[0], ()
            escape = text.escape if isinstance(text, self.Markup) else None
            return type(text)(SandboxFormatter(self, escape).vformat(text, args, kwargs))

        return formatted

    def unsafe(self, obj: "Any", name: str) -> "Any":
        """Return what stands for an attribute that templates must not use: undefined, and SecurityError when used."""
        from ..errors import SecurityError

        hint = f"access to attribute {name!r} of {type(obj).__name__!r} object is unsafe."
        return self.undefined(hint, name=name, obj=obj, exc=SecurityError)
