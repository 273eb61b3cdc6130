"""What the guard of an engine looks at: "No way to internals" of CTX-FORMAT section 5.

In: a name that a template reads an attribute by, or a call of `format` or `format_map` of its texts. Out: what the
template gets: for a name that begins with `_`, the item of that name or else undefined; of a format text that reads an
attribute of such a name, the error of the engine's undefined. Loaded when a template comes near, not for innocent ones.
"""

from . import DICT_ATTRIBUTES, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# They lead from an iterator or an exception to Python's frames, and from there to everything.
_FRAMES = frozenset(
    ["gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin", "ag_frame", "ag_code"]
    + ["ag_await", "f_back", "f_builtins", "f_code", "f_globals", "f_locals", "tb_frame", "tb_next"]
)

# What is read under these names may lead further, depending on what it is (`guarded`).
LOOKED_AT = ("format", "format_map", "mro")


def exact(name: str) -> str:
    """Return a name as text of Python's own kind: another kind may be found under another name than it says."""
    return str.__str__(name) if issubclass(type(name), str) else name


def is_internal(name: str) -> bool:
    """Whether the guard keeps the attribute `name` from templates."""
    return str.startswith(name, "_") or name in _FRAMES


def is_watched(name: str) -> bool:
    """Whether the guard looks at the attribute `name`, an exact text."""
    return is_internal(name) or name in LOOKED_AT


def needs_care(name: str) -> bool:
    """Whether the attribute `name` must be read by `Engine.getattr`."""
    return is_watched(name) or name in DICT_ATTRIBUTES


def read(engine: "Any", obj: "Any", attribute: str) -> "Any":
    """What `Engine.getattr` does."""
    if engine.guard:
        attribute = exact(attribute)
        if is_watched(attribute):
            return guarded(engine, obj, attribute)
    return engine.attr(obj, attribute)


def read_instead(engine: "Any", obj: "Any", argument: "Any") -> "Any":
    """What `Engine.instead` does."""
    if isinstance(argument, str):
        try:
            attribute = str(argument)
        except Exception:
            return engine.lacking(obj=obj, name=argument)
        if engine.guard:
            attribute = exact(attribute)
            if is_watched(attribute):
                return guarded(engine, obj, attribute, argument)
        value = getattr(obj, attribute, missing)
        if value is not missing:
            return value
    return engine.lacking(obj=obj, name=argument)


def guarded(engine: "Any", obj: "Any", attribute: str, argument: "Any" = missing) -> "Any":
    """Access by a name that the guard looks at. `argument`: the item was tried already, under that key."""
    internal = is_internal(attribute)
    # The attributes of a namespace are the template's own data; for all other names it behaves like a mapping.
    own = internal and attribute not in ("_Namespace__attrs", "__class__") and engine.attributes_of(obj) is not None
    value = getattr(obj, attribute, missing) if own or not internal else missing
    if value is not missing:
        if own:
            return value
        if attribute == "mro":  # of a type, it leads to all its ancestors
            if issubclass(type(obj), type) or isinstance(getattr(value, "__self__", None), type):
                return engine.undefined(obj=obj, name=attribute)
            return value
        if not is_format_method(value, obj):
            return value
        return lambda *args, **kwargs: guarded_format(engine, value, args, kwargs)
    return engine.item(obj, attribute) if argument is missing else engine.undefined(obj=obj, name=argument)


# Formats


def is_format_method(value: "Any", owner: "Any" = None) -> bool:
    """Whether `value` is `format` or `format_map` bound to a string (of any kind), or what `owner`, a type of strings,
    has under one of these names."""
    if issubclass(type(owner), type) and issubclass(owner, str):
        return callable(value)
    return getattr(value, "__name__", None) in ("format", "format_map") and isinstance(
        getattr(value, "__self__", None), str
    )


def reads_internals(text: str) -> bool:
    """Whether a replacement field of `text`, nested ones included, reads an attribute that begins with `_`."""
    from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]

    try:
        for _literal, field, spec, _conversion in formatter_parser(text):
            if field is None:
                continue
            _first, rest = formatter_field_name_split(field)
            if any(is_attribute and is_internal(name) for is_attribute, name in rest):
                return True
            if spec and reads_internals(spec):
                return True
    except ValueError:
        # Not a format text: formatting it raises the same, and says so better.
        return False
    return False


def guarded_format(environment: "Any", method: "Any", args: "Sequence[Any]", kwargs: "Mapping[str, Any]") -> "Any":
    """Call `method` (see `is_format_method`) for a template of a guarding `environment`."""
    text, rest = getattr(method, "__self__", None), args
    if not isinstance(text, str):  # `str.format`: the text is the first argument, and what is no text says so itself
        text, rest = (args[0], args[1:]) if args and isinstance(args[0], str) else ("", args)
    if not reads_internals(str.__str__(text)):
        formatted = getattr(environment, "formatted", None)  # an engine with limits counts
        return formatted(method, args, kwargs) if formatted else method(*args, **kwargs)
    from .formatters import GuardedFormatter

    # Markup or not: the field that reads internals raises, so that nothing is returned.
    if method.__name__ == "format_map":
        (kwargs,), rest = rest, ()
    counting = getattr(environment, "counting", None)
    formatter = counting(GuardedFormatter) if counting else GuardedFormatter
    return formatter(environment).vformat(text, rest, kwargs)
