"""The environment a build is given: names → strings, each with where it came from. Never the process's own.

In: `--env NAME=value` arguments, `--env-file` contents, a mapping given to the library. Out: one immutable `Env`. The
process's is not among them: a caller that wants a variable of it hands over that one (`--env-from-process`).
The invariants: what is not exactly `[export ]NAME=value` is a fault, nothing is expanded, and no message holds a
value: those can be secrets.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from .diagnostics import Report, Span

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"(export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_REST = re.compile(r"[ \t]*(?:[ \t]#.*)?\Z")  # what may follow a quoted value
_COMMENT = re.compile(r"[ \t]+#.*\Z|[ \t]+\Z")  # what ends a bare value


class Env(Mapping[str, str]):
    """An immutable mapping of names to strings. `origin(name)` says which file or option a value came from."""

    __slots__ = ("_origins", "_values", "layers")

    def __init__(self, values: Mapping[str, str] | None = None, origin: str = "env=") -> None:
        """`values` as a caller gives them; TypeError unless all are strings, ValueError unless text."""
        given = dict(values or {})
        for name, value in given.items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise TypeError(f"environment names and values must be strings; {name!r} is {type(value).__name__}")
            if not _is_text(name) or not _is_text(value):
                raise ValueError(f"the environment variable {name!r} is not text: it holds half a surrogate pair")
        self._values = MappingProxyType(given)
        self._origins = MappingProxyType(dict.fromkeys(given, origin))
        self.layers: tuple[Mapping[str, str], ...] = (self._values,)  # all that was given, the strongest last

    def with_values(self, values: Mapping[str, str], origin: str) -> "Env":
        """A new Env in which `values` come before what stood here. An Env among them keeps its own origins."""
        later = values if isinstance(values, Env) else Env(values, origin)
        merged = Env({**self._values, **later._values})
        merged._origins = MappingProxyType({**self._origins, **later._origins})
        merged.layers = (*self.layers, *later.layers)
        return merged

    def origin(self, name: str) -> str:
        return self._origins[name]

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:  # values stay out of tracebacks and logs
        return f"Env({', '.join(self._values)})"


EMPTY = Env()


def is_name(text: str) -> bool:
    """Whether a text can name a variable: letters, digits and `_`."""
    return _NAME.fullmatch(text) is not None


def parse_assignment(text: str, report: Report, option: str = "--env") -> tuple[str, str] | None:
    """`NAME=value` of one command-line option. The value is taken as it stands; None when a fault was reported."""
    name, equals, value = text.partition("=")
    if not equals:
        problem = f"`{option}` takes `NAME=value`, and one was given without `=`"
    elif not _NAME.fullmatch(name):
        problem = f"`{option}` was given a name that is not letters, digits and `_`"
    elif "\0" in value or not _is_text(value):
        problem = f"the value of `{option} {name}` is not text"
    else:
        return name, value
    report.add("env-assignment", problem, help=f"write `{option} NAME=value`")
    return None


def parse_env_file(content: str | bytes, file: str, report: Report) -> dict[str, str] | None:
    """The names and values of one `.env` file (the strict form of ECOSYSTEM §8); None when a fault was reported.

    A line is blank, a comment, or `[export ]NAME=value` with the value bare, in 'single quotes' (nothing is special)
    or in "double quotes" (with the escapes `\\n \\r \\t \\" \\\\`); ` #` begins a comment. `$` means itself.
    """
    sound = True

    def fault(line: int, column: int, headline: str, help: str | None = None) -> None:
        nonlocal sound
        sound = False
        report.add("env-file", headline, Span.at(file, line, column), help=help)

    if isinstance(content, bytes):
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            before = content[: error.start].decode("utf-8")
            at = before.count("\n") + 1, len(before) - before.rfind("\n")
            fault(*at, "the environment file is not UTF-8", "save it as UTF-8")
            return None
    else:
        text = content
    if text.startswith("\ufeff"):
        fault(1, 1, "the environment file begins with a byte order mark", "save it as UTF-8 without a BOM")
        text = text[1:]
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        if not line.strip(" \t") or line.lstrip(" \t").startswith("#"):
            if "\0" in line:
                fault(number, line.index("\0") + 1, "the environment file holds a NUL character")
            continue
        if "\0" in line or "\r" in line:
            bad = "\0" if "\0" in line else "\r"
            what = "a NUL character" if bad == "\0" else "a carriage return inside a line"
            fault(number, line.index(bad) + 1, f"the environment file holds {what}", "remove it")
            continue
        start = _LINE.match(line)
        if start is None:
            fault(number, 1, "the line is not `NAME=value`", "write `NAME=value`, without blanks around `=`")
            continue
        name = start[2]
        value = _value(line, start.end())
        if isinstance(value, _Wrong):
            fault(number, value.column + 1, f"the value of `{name}` {value.problem}", value.help)
        elif name in values:
            fault(number, start.start(2) + 1, f"`{name}` stands twice, first on line {lines[name]}", "remove one")
        else:
            values[name], lines[name] = value, number
    return values if sound else None


class _Wrong:
    __slots__ = ("column", "help", "problem")

    def __init__(self, column: int, problem: str, help: str | None = None) -> None:
        self.column, self.problem, self.help = column, problem, help


def _value(line: str, at: int) -> str | _Wrong:
    first = line[at : at + 1]
    if first == "'":
        quoted = _SINGLE.match(line, at)
    elif first == '"':
        quoted = _DOUBLE.match(line, at)
    else:
        comment = _COMMENT.search(line, at)
        bare = line[at : comment.start()] if comment else line[at:]
        if bare[:1] in (" ", "\t"):
            return _Wrong(at, "has blanks after `=`", "remove them, or put the value in quotes")
        return bare
    if quoted is None:
        return _Wrong(at, "opens a quote that is not closed on its line", "close the quote")
    if not _REST.match(line, quoted.end()):
        return _Wrong(quoted.end(), "goes on after its closing quote", "put the whole value into one pair of quotes")
    if first == "'":
        return quoted[1]
    wrong = next((m for m in re.finditer(r"\\(.)", quoted[1]) if m[1] not in _ESCAPES), None)
    if wrong is not None:
        return _Wrong(quoted.start(1) + wrong.start(), "holds an unknown escape", "write `\\\\` for a backslash")
    return re.sub(r"\\(.)", lambda m: _ESCAPES[m[1]], quoted[1])


def _is_text(value: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in value)
