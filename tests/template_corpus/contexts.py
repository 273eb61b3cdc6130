"""Contexts of the corpus: from JSON with tagged objects to the values that a template sees.

In: what `json.loads` gives for a case's `.json` file, and a `Kit` with the classes of the implementation under test
(jinja2 and markupsafe, or the runtime). Out: a new dict of variables on every call. The standard library alone is
used, so that a bare interpreter can build the same values; nothing built here prints a memory address.

A mapping with exactly one key that begins with `$` is a tagged value; README.md lists the tags.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class Kit:
    """The classes and decorators that differ between implementations."""

    __slots__ = ("markup", "undefined", "pass_context", "pass_environment", "pass_eval_context")

    def __init__(
        self,
        markup: "Any",
        undefined: "Any",
        pass_context: "Callable[[Any], Any]",
        pass_environment: "Callable[[Any], Any]",
        pass_eval_context: "Callable[[Any], Any]",
    ) -> None:
        self.markup = markup
        self.undefined = undefined
        self.pass_context = pass_context
        self.pass_environment = pass_environment
        self.pass_eval_context = pass_eval_context


def build(variables: "dict[str, Any]", kit: Kit) -> "dict[str, Any]":
    """Return the variables of one case; values that count share one counter, which starts at 1."""
    state = {"count": 0}
    return {name: _value(value, kit, state) for name, value in variables.items()}


def _value(value: "Any", kit: Kit, state: "dict[str, int]") -> "Any":
    if isinstance(value, list):
        return [_value(item, kit, state) for item in value]
    if not isinstance(value, dict):
        return value
    tag: str
    content: "Any"
    tag, content = next(iter(value.items())) if len(value) == 1 else ("", None)
    if not tag.startswith("$"):
        return {key: _value(item, kit, state) for key, item in value.items()}
    if tag == "$markup":
        return kit.markup(content)
    if tag == "$undefined":
        return kit.undefined(name=content)
    if tag == "$callable":
        return _callable(content, kit, state)
    if tag == "$loud":
        return Loud(content, state)
    if tag == "$float":
        return float(content)
    if tag == "$types":
        return [{"list": list, "str": str}[name] for name in content]
    if tag == "$range":
        return range(*content)
    if tag == "$failing":
        return Failing(content["attribute"], content.get("str", False))
    if tag == "$html":
        return Html(content["html"], content["text"])
    if tag == "$grid":
        return Grid({tuple(int(part) for part in key.split(",")): cell for key, cell in content.items()})
    if tag == "$pairs":
        return {_value(key, kit, state): _value(item, kit, state) for key, item in content}
    if tag == "$both":
        both = {part: _value(content[part], kit, state) for part in ("attributes", "entries")}
        return Both(both["attributes"], both["entries"])
    inner = _value(content, kit, state)
    if tag == "$tuple":
        return tuple(inner)
    if tag == "$generator":
        return (item for item in inner)
    if tag == "$traced":
        return Traced(inner)
    if tag == "$object":
        return Thing(inner)
    if tag == "$dictsub":
        return Mapping(inner)
    raise ValueError(f"unknown tag {tag}")


class Thing:
    """A plain object with the attributes it is given."""

    def __init__(self, attributes: "dict[str, Any]") -> None:
        self.__dict__.update(attributes)

    def __repr__(self) -> str:
        return "Thing(" + ", ".join(sorted(self.__dict__)) + ")"


class Both:
    """Attributes and entries that may have the same names."""

    def __init__(self, attributes: "dict[str, Any]", entries: "dict[str, Any]") -> None:
        self.__dict__.update(attributes)
        self._entries = entries

    def __getitem__(self, key: str) -> "Any":
        return self._entries[key]


class Grid:
    """Cells by (row, column)."""

    def __init__(self, cells: "dict[tuple[int, ...], str]") -> None:
        self._cells = cells

    def __getitem__(self, key: "tuple[int, ...]") -> str:
        return self._cells[key]


class Mapping(dict):  # type: ignore[type-arg]
    """A dict with an attribute and a method of its own."""

    extra = "from the class"

    def shout(self) -> str:
        return "shouted"


class Loud:
    """Says how often something of this context was counted when it is turned into text."""

    def __init__(self, word: str, state: "dict[str, int]") -> None:
        self._word = word
        self._state = state

    def __str__(self) -> str:
        self._state["count"] += 1
        return f"{self._word}#{self._state['count']}"


class Traced:
    """An iterator that knows how many items were taken from it."""

    def __init__(self, items: "list[Any]") -> None:
        self._taken = 0
        self.iterator = self._run(items)

    def _run(self, items: "list[Any]") -> "Iterator[Any]":
        for item in items:
            self._taken += 1
            yield item

    def taken(self) -> int:
        return self._taken


class Failing:
    """`fine` can be read, `broken` raises; so does the conversion to text, if asked for."""

    fine = "fine"

    def __init__(self, attribute: str, text: bool) -> None:
        self._error = {"AttributeError": AttributeError, "KeyError": KeyError, "ValueError": ValueError}[attribute]
        self._text = text

    @property
    def broken(self) -> str:
        raise self._error("broken on purpose")

    def __str__(self) -> str:
        if self._text:
            raise self._error("no text on purpose")
        return "Failing"


class Html:
    """Knows its own markup, as objects of other libraries do."""

    def __init__(self, html: str, text: str) -> None:
        self._html = html
        self._text = text

    def __html__(self) -> str:
        return self._html

    def __str__(self) -> str:
        return self._text


class OwnError(Exception):
    """An exception class of the host program."""


for _class in (Thing, Both, Grid, Mapping, Loud, Traced, Failing, Html, OwnError):
    # Messages show the full name of a type; it must not depend on how this file was imported.
    _class.__module__ = "corpus"


def _callable(name: str, kit: Kit, state: "dict[str, int]") -> "Callable[..., Any]":
    """A function of the host program; all of them stay callable with what templates give them."""

    def count() -> int:
        state["count"] += 1
        return state["count"]

    def upper(text: object) -> str:
        return str(text).upper()

    def add(a: "Any", b: "Any") -> "Any":
        return a + b

    def kwargs(**given: object) -> str:
        return ",".join(f"{key}={given[key]}" for key in sorted(given))

    def stop() -> None:
        raise StopIteration

    def fail(*_: object) -> None:
        raise ValueError("failed on purpose")

    def fail_with_own_class() -> None:
        raise OwnError("own", 1)

    def fail_with_lookup_error() -> None:
        raise KeyError("no such key")

    def call_caller(word: str, caller: "Callable[[], str]") -> str:
        return f"{word}:{caller()}"

    @kit.pass_context
    def see_context(context: "Any", key: str) -> str:
        value = context.resolve_or_missing(key)
        return f"{key}={value}" if key in context else f"{key} not in context"

    @kit.pass_environment
    def see_environment(environment: "Any") -> bool:
        return "upper" in environment.filters

    @kit.pass_eval_context
    def see_eval_context(eval_context: "Any") -> bool:
        return bool(eval_context.autoescape)

    functions = (
        count,
        upper,
        add,
        kwargs,
        stop,
        fail,
        fail_with_own_class,
        fail_with_lookup_error,
        call_caller,
        see_context,
        see_environment,
        see_eval_context,
    )
    return next(function for function in functions if function.__name__ == name)
