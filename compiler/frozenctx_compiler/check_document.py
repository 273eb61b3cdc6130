"""Plain data against the table of its document: messages, samples, evals, and what else has no pass of its own.

In: data that knows where its parts stand, a type of `keys`, the code that its faults have. Out: whether it is of that
type; everything that is wrong is reported in one run, each fault at its value or key and with one thing to do. What
came from the environment is never shown.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from unicodedata import category

from .diagnostics import Scope, Span
from .keys import Kind, Rule, Type
from .models import parse_slug
from .package import Located
from .settings import REFUSED, coerce
from .spelling import did_you_mean, near
from .yamltree import UNREADABLE, Path

EXPRESSION = re.compile(r"\s*(!\?\s*)?\$(env|import)\s*[.(\[]")  # how text begins that was meant to be evaluated


def _is_model(text: str) -> bool:
    return parse_slug(text) is not None and not any(category(char) == "Cc" for char in text.strip())


# What a rule asks of a string, the words for it, and what to do.
_RULES: Mapping[Rule, tuple[Callable[[str], object], str, str]] = {
    "any": (lambda text: True, "a string", "write one text"),
    "not empty": (bool, "a string that is not empty", "write a text, or remove it"),
    "filled": (str.strip, "a string that is not blank", "write a text, or remove it"),
    "model": (
        _is_model,
        "`provider/model` or a bare name, without an empty half or a control character",
        "write it like `openai/gpt-5`",
    ),
}
_WITH_TAG = "write `!?` before it, outside of any quotes"
_PYTHON: Mapping[Kind, type] = {"string": str, "list": list, "record": dict, "mapping": dict, "table": dict}
_WORDED: Mapping[Kind, tuple[str, str]] = {
    "number": ("a finite number", "write it with digits, such as `0.5`"),
    "boolean": ("`true` or `false`", "write `true` or `false`"),
}


def check_document(
    body: Type,
    located: Located,
    code: str,
    whole: str,
    start: Span,
    scope: Scope,
    codes: Mapping[str, str] | None = None,
    text: str | None = None,
) -> bool:
    """Whether `located` is of the type `body`.

    `whole` are the words for it (the sample `x`), `start` is where it is shown when a part is missing. `codes` are the
    codes of faults in values of single keys. `text` is that of a file with expressions: a name that does not stand in
    it may come from the environment, and is not shown.
    """
    checker = _Checker(located, code, whole, start, scope, codes or {}, text)
    checker.value(body, (), located.value)
    return checker.sound


class _Checker:
    __slots__ = ("code", "codes", "located", "scope", "sound", "start", "text", "whole")

    def __init__(
        self,
        located: Located,
        code: str,
        whole: str,
        start: Span,
        scope: Scope,
        codes: Mapping[str, str],
        text: str | None,
    ) -> None:
        self.codes, self.text = codes, text
        self.located, self.code, self.whole, self.start, self.scope = located, code, whole, start, scope
        self.sound = True

    def fault(self, path: Path, headline: str, help: str, *, key: bool = False) -> None:
        self.sound = False
        place = self.located.keys if key else self.located.spans
        code = self.code if key or not path else self.codes.get(str(path[0]), self.code)
        self.scope.add(code, headline, place.get(path, self.start), help=help)

    def wrong(self, path: Path, expected: str, value: object, help: str) -> None:
        found, origin = found_words(value), self.located.origins.get(path)
        if origin is not None:
            found = f"the value of the environment variable `{origin}`"
            help = f"give it another value, with `--env {origin}=…`"
        elif self.is_untagged(path, value):
            help = _WITH_TAG
        self.fault(path, f"{self.called(path)} must be {expected}, found {found}", help)

    def called(self, path: Path) -> str:
        parts = tuple(part if isinstance(part, int) else self.shown(part) for part in path)
        return f"`{dotted(parts)}`" if path else self.whole

    def shown(self, name: object) -> str:
        """A key, unless it may come from the environment."""
        written = self.text is None or re.search(rf"(?<![\w.-]){re.escape(str(name))}(?![\w-])", self.text)
        return str(name) if written else "…"

    def value(self, type: Type, path: Path, value: object) -> None:
        if value is UNREADABLE:
            self.sound = False
            return
        match type.kind:
            case "record":
                self.record(type, path, value)
            case "mapping" | "table":
                self.mapping(type, path, value)
            case "list":
                self.list(type, path, value)
            case "choice":
                if not isinstance(value, str) or value not in type.choices:
                    self.wrong(path, one_of(type.choices), value, nearest(value, type.choices))
            case "integer" | "number" | "boolean":
                self.plain(type, path, value)
            case "string":
                fits, expected, help = _RULES[type.rule]
                if not isinstance(value, str):
                    self.no_string("a string", path, value)
                elif not fits(value):
                    self.wrong(path, expected, value, help)
                else:
                    self.text_at(path, value)
            case "either":
                fitting = [part for part in type.of if isinstance(value, _PYTHON[part.kind])]
                if fitting:
                    self.value(fitting[0], path, value)
                else:
                    self.no_string(_words(type), path, value)

    def is_untagged(self, path: Path, value: object) -> bool:
        """Whether a text was meant to be evaluated, in a document that may hold expressions."""
        if self.text is None or path in self.located.origins or not isinstance(value, str):
            return False
        return EXPRESSION.match(value) is not None

    def text_at(self, path: Path, value: object) -> None:
        """Look at a text, or at all texts of plain data."""
        if isinstance(value, dict | list):
            for part, below in value.items() if isinstance(value, dict) else enumerate(value):
                self.text_at((*path, part), below)
        elif self.is_untagged(path, value):
            headline, place = f"{self.called(path)} is the text of an expression", self.located.spans
            span = place.get(path, self.start)
            self.scope.add("forgotten-tag", headline, span, label="not evaluated", help=_WITH_TAG)

    def no_string(self, expected: str, path: Path, value: object) -> None:
        help = "put it in quotes" if isinstance(value, bool | int | float) else "write one text"
        self.wrong(path, expected, value, help)

    def record(self, type: Type, path: Path, value: object) -> None:
        keys = type.keys
        known = [key.name for key in keys]
        if not isinstance(value, dict):
            first = keys[0]
            below = "{…}" if first.type.kind in ("mapping", "record") else "…"
            self.wrong(path, f"a mapping of {all_of(known)}", value, f"write `{first.name}: {below}`")
            return
        unknown = [name for name in value if name not in known and not type.open]
        for name in unknown:
            help = did_you_mean(str(name), known, f"it knows {all_of(known)}")
            self.fault((*path, name), f"{self.called(path)} has no key `{self.shown(name)}`", help, key=True)
        for key in keys:
            if key.name in value:
                if value[key.name] is not None or not key.null:
                    self.value(key.type, (*path, key.name), value[key.name])
            elif key.required and not unknown:  # or else it is one of those
                help = f"write `{key.name}: {_example(key.type)}`"
                self.fault(path, f"{self.called(path)} has no `{key.name}`", help)

    def mapping(self, type: Type, path: Path, value: object) -> None:
        if not isinstance(value, dict):
            self.wrong(path, "a mapping of names to values", value, "write `name: value`")
            return
        for name, below in value.items():
            if not isinstance(name, str):
                shown = self.shown(name)
                self.fault((*path, name), f"the name `{shown}` must be a string", f'write `"{shown}"`', key=True)
            elif type.kind == "table":
                self.value(type.of[0], (*path, name), below)
            else:
                self.text_at((*path, name), below)

    def list(self, type: Type, path: Path, value: object) -> None:
        if not isinstance(value, list):
            around = "write `[…]` around it" if isinstance(value, str) else "write one `- …` a line"
            self.wrong(path, _words(type), value, around)
            return
        items = type.of[0] if len(type.of) == 1 else Type("either", of=type.of)
        for index, item in enumerate(value):
            self.value(items, (*path, index), item)

    def plain(self, type: Type, path: Path, value: object) -> None:
        """An integer, a number or a boolean."""
        plain = coerce(type.kind, value) if type.worded or not isinstance(value, str) else REFUSED
        if type.kind != "integer":
            if plain is REFUSED:
                expected, help = _WORDED[type.kind]
                self.wrong(path, expected, value, help)
            return
        least, most = type.least or 0, type.most
        if not isinstance(plain, int) or plain < least:
            self.wrong(path, f"an integer of {least} or more", value, "write it with digits alone, such as `1200`")
        elif most is not None and plain > most:
            self.wrong(path, "a smaller integer", value, f"write at most `{most}`")


def _words(type: Type, *, several: bool = False) -> str:
    """What a value of the type is called."""
    match type.kind:
        case "string":
            name = "model" if type.rule == "model" else "string"
        case "list":
            items = " or ".join(_words(part, several=True) for part in type.of)
            return f"lists of {items}" if several else f"a list of {items}"
        case "either":
            return " or ".join(_words(part, several=several) for part in type.of)
        case "record":
            return f"{'mappings' if several else 'a mapping'} of {all_of([key.name for key in type.keys])}"
        case _:
            name = "mapping"
    return f"{name}s" if several else f"a {name}"


def dotted(path: Path) -> str:
    """A path as authors write one: `tools[1]`, `sub.shape`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)[1:]


def one_of(choices: Sequence[str]) -> str:
    if len(choices) == 1:
        return f"`{choices[0]}`"
    return ", ".join(f"`{choice}`" for choice in choices[:-1]) + f" or `{choices[-1]}`"


def all_of(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"`{names[0]}`"
    return ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`"


def short(text: str) -> str:
    """The first line of a text, as much of it as a message has room for."""
    line = text.split("\n", 1)[0]
    return line if len(line) <= 60 and line == text else line[:59] + "…"


def nearest(value: object, choices: Sequence[str]) -> str:
    """What to do about a value that is none of the choices."""
    if isinstance(value, str):
        found = near(value.strip().lower(), [choice.lower() for choice in choices])
        for choice in choices:
            if choice.lower() == found:
                return f"did you mean `{choice}`?"
    return f"write `{choices[0]}`" if len(choices) == 1 else "write one of these"


def _example(type: Type) -> str:
    if type.kind == "choice":
        return type.choices[0]
    return {"mapping": "{}", "record": "{…}", "list": "[…]"}.get(type.kind, "…")


def found_words(value: object) -> str:
    """The words for a value that is not what was expected."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "an empty string" if not value else f"`{short(value)}`" if value.isprintable() else "other text"
    if isinstance(value, int) and abs(value) > 10**60:
        return "a number of many digits"
    if isinstance(value, int | float):
        return f"`{value}`"
    return "a mapping" if isinstance(value, dict) else "a list"
