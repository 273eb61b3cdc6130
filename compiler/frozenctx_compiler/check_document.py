"""Plain data against the table of its document: messages, samples, and whatever else has no pass of its own.

In: data that knows where its parts stand, a type of `keys`, the code that its faults have. Out: whether it is of that
type; everything that is wrong is reported in one run, each fault at its value or key and with one thing to do.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from .diagnostics import Scope, Span
from .keys import Key, Type
from .package import Located
from .yamltree import UNREADABLE, Path


def check_document(
    body: Type,
    located: Located,
    code: str,
    whole: str,
    start: Span,
    scope: Scope,
    codes: Mapping[str, str] | None = None,
) -> bool:
    """Whether `located` is of the type `body`.

    `whole` are the words for it (the sample `x`), `start` is where it is shown when a part is missing. `codes` are the
    codes of faults in values of single keys.
    """
    checker = _Checker(located, code, whole, start, scope, codes or {})
    checker.value(body, (), located.value)
    return checker.sound


class _Checker:
    __slots__ = ("code", "codes", "located", "scope", "sound", "start", "whole")

    def __init__(
        self, located: Located, code: str, whole: str, start: Span, scope: Scope, codes: Mapping[str, str]
    ) -> None:
        self.codes = codes
        self.located, self.code, self.whole, self.start, self.scope = located, code, whole, start, scope
        self.sound = True

    def fault(self, path: Path, headline: str, help: str, *, key: bool = False) -> None:
        self.sound = False
        place = self.located.keys if key else self.located.spans
        code = self.code if key or not path else self.codes.get(str(path[0]), self.code)
        self.scope.add(code, headline, place.get(path, self.start), help=help)

    def wrong(self, path: Path, expected: str, value: object, help: str) -> None:
        self.fault(path, f"{self.called(path)} must be {expected}, found {found_words(value)}", help)

    def called(self, path: Path) -> str:
        return f"`{dotted(path)}`" if path else self.whole

    def value(self, type: Type, path: Path, value: object) -> None:
        if value is UNREADABLE:
            self.sound = False
            return
        match type.kind:
            case "record":
                self.record(type.keys, path, value)
            case "mapping" | "table":
                self.mapping(type, path, value)
            case "list":
                self.list(type, path, value)
            case "choice":
                if not isinstance(value, str) or value not in type.choices:
                    self.wrong(path, one_of(type.choices), value, nearest(value, type.choices))
            case "integer":
                self.integer(type, path, value)
            case "string":
                if not isinstance(value, str):
                    help = "put it in quotes" if isinstance(value, bool | int | float) else "write one text"
                    self.wrong(path, "a string", value, help)
                elif type.rule == "not empty" and not value:
                    self.wrong(path, "a string that is not empty", value, "write a text, or remove it")

    def record(self, keys: Sequence[Key], path: Path, value: object) -> None:
        known = [key.name for key in keys]
        if not isinstance(value, dict):
            first = keys[0]
            below = "{…}" if first.type.kind in ("mapping", "record") else "…"
            self.wrong(path, f"a mapping of {all_of(known)}", value, f"write `{first.name}: {below}`")
            return
        unknown = [name for name in value if name not in known]
        for name in unknown:
            near = get_close_matches(str(name), known, n=1)
            help = f"did you mean `{near[0]}`?" if near else f"it knows {all_of(known)}"
            self.fault((*path, name), f"{self.called(path)} has no key `{name}`", help, key=True)
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
                self.fault((*path, name), f"the name `{name}` must be a string", f'write `"{name}"`', key=True)
            elif type.kind == "table":
                self.value(type.of[0], (*path, name), below)

    def list(self, type: Type, path: Path, value: object) -> None:
        if not isinstance(value, list):
            around = "write `[…]` around it" if isinstance(value, str) else "write one `- …` a line"
            self.wrong(path, "a list of strings", value, around)
            return
        for index, item in enumerate(value):
            self.value(type.of[0], (*path, index), item)

    def integer(self, type: Type, path: Path, value: object) -> None:
        least, most = type.least or 0, type.most
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.wrong(path, f"an integer of {least} or more", value, "write it with digits alone, such as `1200`")
        elif most is not None and value > most:
            self.wrong(path, "a smaller integer", value, f"write at most `{most}`")


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
    near: list[str] = []
    if isinstance(value, str):
        near = get_close_matches(value.strip().lower(), [choice.lower() for choice in choices], n=1)
        near = [choice for choice in choices if [choice.lower()] == near]
    if near:
        return f"did you mean `{near[0]}`?"
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
