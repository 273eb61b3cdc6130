"""Expressions that have no value → findings, with the place inside the expression and no value in the words.

In: what `yglu_tree` reads and evaluates. Out: diagnostics. The invariant: yaql's own messages quote what a function
was given, and that can be a secret of the environment; so they are never shown, and of an exception only its class
and names that stand in the source are used.
"""

from collections.abc import Callable, Iterator, Sequence

import yaml

from . import yaql_engine, yglu_nodes, yglu_reading, yglu_tree
from .diagnostics import Scope, Span
from .expression_places import place
from .limits import Exceeded, Unfit, failed_in
from .spelling import did_you_mean
from .yamltree import span_of
from .yaql_engine import exceptions as yaql
from .yaql_functions import DEFAULT_INSTEAD, INSTEAD, REFUSED, REFUSED_FUNCTIONS, REFUSED_OPERATORS
from .yglu_nodes import Problem, Source
from .yglu_reading import offset_in

Lines = Callable[[str], Sequence[str]]  # a file → its lines


def look_at(source: Source, scope: Scope, lines: Lines) -> set[yaml.ScalarNode]:
    """Report what can be told of a file's expressions without evaluating them; answers those that are wrong."""
    wrong: set[yaml.ScalarNode] = set()
    readings = yglu_reading.read_all(source)
    defined = {name for _, reading in readings for name in _defined(reading)}
    for node, reading in readings:
        at = _At(node, source.located.file, scope, lines)
        if isinstance(reading, yaql_engine.Unreadable):
            at.syntax(reading)
            wrong.add(node)
        elif _report_calls(reading, defined, at):
            wrong.add(node)
    return wrong


def report(problem: Problem, scope: Scope, lines: Lines, *, certain: bool) -> None:
    """Report an expression that was evaluated and has no value.

    Where parts of the document were unreadable already, so that it is not `certain` that this is a fault of its own,
    only what cannot come from them is reported.
    """
    at = _At(problem.node, problem.file, scope, lines)
    cause = problem.cause
    if isinstance(cause, Exceeded):
        at.add(
            "expression-too-large",
            f"this document cannot be evaluated: {cause}",
            notes=("evaluation is counted, never timed: its limits are the same on every machine",),
            help="give the finished value, or write it out",
        )
    elif isinstance(cause, yglu_tree.Refused):
        return
    elif isinstance(cause, yglu_tree.NotImported):
        if cause.target in problem.node.value:
            cause.fault.add_to(scope, at.span())
        else:  # the path can come from the environment
            at.add(cause.fault.code, "the file that the expression imports cannot be read")
    elif isinstance(cause, yglu_nodes.Circular):
        at.add("expression-cycle", "this value needs itself", help="write one of the values out")
    elif isinstance(cause, yglu_tree.NotPlain):
        if certain:
            _report_kind(cause.kind, at)
    elif certain:
        code, headline, help, part = _words(cause, problem.node)
        at.add(code, headline, part, help=help)


def _report_kind(kind: str, at: "_At") -> None:
    at.add(
        "not-plain-data",
        f"the expression gives {_KINDS.get(kind) or (kind if ' ' in kind else 'something')} that is not plain data",
        notes=("settings hold mappings, lists, strings, numbers, booleans and null",),
        help=_PLAINLY.get(kind, "hide a function with `!-`, or call it"),
    )


def place_of(node: yaml.ScalarNode, file: str, lines: Lines, name: str) -> Span:
    """Where a name stands in an expression; all of it if it stands there several times."""
    at = node.value.find(name)
    if at < 0 or node.value.find(name, at + 1) >= 0:
        return span_of(node, file)
    return place(node, file, lines(file), at, at + len(name))


_KINDS = {"datetime": "a date", "timedelta": "a span of time", "function": "a function", "tzutc": "a time zone"}
_PLAINLY = {"datetime": "write it as text with `.format('%Y-%m-%d')`", "timedelta": "take its `.seconds` or `.days`"}


class _At:
    """Where findings about one expression go."""

    __slots__ = ("file", "lines", "node", "scope")

    def __init__(self, node: yaml.ScalarNode, file: str, scope: Scope, lines: Lines) -> None:
        self.node, self.file, self.scope, self.lines = node, file, scope, lines

    def add(
        self,
        code: str,
        headline: str,
        part: tuple[int, int] | None = None,
        *,
        label: str = "",
        notes: tuple[str, ...] = (),
        help: str | None = None,
    ) -> None:
        self.scope.add(code, headline, self.span(part), label=label, notes=notes, help=help)

    def span(self, part: tuple[int, int] | None = None) -> Span:
        if part is None:
            return span_of(self.node, self.file)
        last = len(self.node.value.rstrip())  # a block ends with a line of nothing
        start, end = (min(offset_in(self.node, offset), last) for offset in part)
        return place(self.node, self.file, self.lines(self.file), start, end)

    def syntax(self, problem: yaql_engine.Unreadable) -> None:
        help = problem.help
        if help is not None:
            pass
        elif self.is_cut():
            help = "inside `[…]` and `{…}`, put the expression in 'single quotes'"
        elif problem.at and "`=`" in problem.headline and "==" in self.node.value:
            help = "compare with a single `=`"
        elif problem.headline.startswith("`.`"):
            help = "write `$_.name`; the short form `.name` stands at the beginning of an expression only"
        else:
            rest = self.node.value[offset_in(self.node, problem.at) :]
            help = next((words for start, words in _ELSEWHERE if rest.startswith(start)), None)
        self.add("expression-syntax", problem.headline, (problem.at, problem.at + problem.length), help=help)

    def is_cut(self) -> bool:
        """Whether a comma ended an unquoted expression, as it does inside `[…]` and `{…}` only."""
        end, lines = self.node.end_mark, self.lines(self.file)
        return not self.node.style and lines[end.line][end.column :].lstrip(" \t").startswith(",")


def _defined(reading: yglu_reading.Reading) -> Iterator[str]:
    """Names that an expression makes functions of with `def(name, …)`."""
    if isinstance(reading, yaql_engine.Parsed):
        for token, name in zip(reading.tokens, reading.tokens[1:], strict=False):
            if token.kind == "FUNC" and token.value == "def" and isinstance(name.value, str):
                yield name.value


def _report_calls(reading: yaql_engine.Parsed, defined: set[str], at: _At) -> bool:
    found = False
    known = yaql_engine.known()
    before = ""
    for token in reading.tokens:
        name = str(token.value)
        part = (token.at, token.at + len(name))
        if token.kind == "FUNC" and name not in defined:
            method = before in (".", "?.")
            why = REFUSED.get(name) or (None if method else REFUSED_FUNCTIONS.get(name))
            if why is not None:
                at.add("refused-function", f"`{name}` is refused in settings: {why}", part, help=_instead(name))
                found = True
            elif name not in known:
                help = _NEIGHBOURS.get(name) or did_you_mean(name, known, None, 0.75)
                at.add("unknown-function", f"there is no function `{name}`", part, help=help)
                found = True
        elif name in REFUSED_OPERATORS and token.kind != "QUOTED_STRING":
            headline = f"`{name}` is refused in settings: {REFUSED_OPERATORS[name]}"
            at.add("refused-function", headline, part, help=_instead(name))
            found = True
        before = name
    return found


def _instead(name: str) -> str:
    return INSTEAD.get(name, DEFAULT_INSTEAD)


_SWITCH = "write `switch(condition => value, true => other)`"
_ELSEWHERE = (  # operators of other languages
    ("||", "write `or`"),
    ("&&", "write `and`"),
    ("??", "write `coalesce(value, default)`"),
    ("?", _SWITCH),
    ("if", _SWITCH),
    ("!", "write `not value`"),
    ("not ", "write `not a in b`"),
    ("%", "write `a mod b`"),
    ("* ", "write `pow(a, b)`"),
)
_NEIGHBOURS = {  # of Python, Jinja and other languages
    "upper": "did you mean `toUpper`?",
    "lower": "did you mean `toLower`?",
    "strip": "did you mean `trim`?",
    "length": "did you mean `len`?",
    "size": "did you mean `len`?",
    "default": "write `coalesce(value, default)`",
    "sorted": "did you mean `orderBy`?",
    "sort": "did you mean `orderBy`?",
    "ifelse": _SWITCH,
    "if": _SWITCH,
    "toString": "did you mean `str`?",
    "string": "did you mean `str`?",
    "eval": "write the expression itself",
    "match": "did you mean `=`?",
    "env": 'write `$env.get("NAME", default)`',
    "getenv": 'write `$env.get("NAME", default)`',
    "environ": 'write `$env.get("NAME", default)`',
    "uuid": "give the value by name, with `--env`",
    "import": "write `$import('file.yaml')`",
}


_Words = tuple[str, str, str | None, tuple[int, int] | None]  # code, headline, help, part of the expression


def _words(cause: BaseException, node: yaml.ScalarNode) -> _Words:
    """What went wrong in an expression."""
    text: str = node.value
    if isinstance(cause, yaql.NoFunctionRegisteredException | yaql.NoMethodRegisteredException):
        return _not_called(_quoted(cause), text, isinstance(cause, yaql.NoMethodRegisteredException))
    return "expression-failed", *_failed(cause, node, text)


def _not_called(name: str, text: str, as_method: bool) -> _Words:
    """A function that is not there, or not in this form."""
    if name.startswith("#property#"):
        return "expression-failed", *_no_match(name, text)
    if name in REFUSED:
        return "refused-function", f"`{name}` is refused in settings: {REFUSED[name]}", _instead(name), None
    if name not in yaql_engine.known():
        return "unknown-function", f"there is no function `{name}`" if name in text else _NO_FUNCTION, None, None
    form = f"{name}(…)" if as_method else f"value.{name}(…)"
    return "expression-failed", f"`{name}` is not called in this way", f"write `{form}`", _only(text, name)


_NO_FUNCTION = "there is no function of the name that the expression makes up"


def _failed(cause: BaseException, node: yaml.ScalarNode, text: str) -> tuple[str, str | None, tuple[int, int] | None]:
    if isinstance(cause, yglu_nodes.NotMerged):
        return f"what `{node.tag}` gives cannot be merged", "give a mapping, or a list inside a list", None
    if isinstance(cause, yglu_nodes.NoFunction):
        return f"`{node.tag}` wants a function, and there is none", "make one with `!()`", None
    if isinstance(cause, yglu_tree.MadeUp):
        headline = "the expression makes the name of a variable that is not given and stands nowhere"
        return headline, 'write the names out, `$env.get("NAME", default)`', None
    if isinstance(cause, yglu_nodes.NoKey):
        return "a key must be text, and the expression gives something else", _KEY, None
    if isinstance(cause, KeyError):
        name = cause.args[0] if cause.args else None
        if isinstance(name, str) and name and name in text:
            help = did_you_mean(name, _keys_of(cause), f"write `.get({name}, default)` if it may be missing")
            return f"there is no key `{name}`", help, _only(text, name)
        return "there is no such key", "use `.get(key, default)` if it may be missing", None
    if isinstance(cause, Unfit):
        name = _spoken(failed_in(cause))
        return f"`{name}` does not take this: {cause}", None, _only(text, name)
    if isinstance(cause, yaql.NoMatchingFunctionException | yaql.NoMatchingMethodException):
        return _no_match(_quoted(cause), text)
    if isinstance(cause, AssertionError):
        said = str(cause)
        shown = f": {said}" if len(said) < 200 and said.isprintable() and said in text else ""
        return f"an assertion of the expression does not hold{shown}", None, None
    function = _spoken(failed_in(cause))
    if function in _WANTS and isinstance(cause, StopIteration | IndexError | TypeError):
        words, help = _WANTS[function]
        return f"`{function}` {words}", help, _only(text, function)
    for kind, words in _PYTHON:
        if isinstance(cause, kind):
            subject = f"`{function}`" if function else "the expression"
            return f"{subject} {words}", None, _only(text, function) if function else None
    return "the expression has no value", None, None


_PYTHON: tuple[tuple[type[BaseException], str], ...] = (
    (StopIteration, "asks a list for an item that it does not have"),
    (IndexError, "asks a list for an item that it does not have"),
    (ZeroDivisionError, "divides by zero"),
    (OverflowError, "gives a number that is too large"),
    (TypeError, "is given a value of a kind that it does not take"),
    (ValueError, "is given a value that it cannot use"),
    (yaql.YaqlException, "calls a function with arguments that it does not take"),
)


_KEY = "make text of it with `str(…)`, or give a default where it may be null"
_NO_ITEM = "needs an item, and there is none"
_WANTS = {  # function → what it misses when it stops, and a help
    "first": (_NO_ITEM, "give a default, `.first(default)`"),
    "last": (_NO_ITEM, "give a default, `.last(default)`"),
    "single": ("needs exactly one item, and there are none or more", "write `.first()` for the first of several"),
    "min": (_NO_ITEM, "give a value to begin with, `.min(value)`"),
    "max": (_NO_ITEM, "give a value to begin with, `.max(value)`"),
    "aggregate": (_NO_ITEM, "give a value to begin with, `.aggregate(…, value)`"),
    "reduce": (_NO_ITEM, "give a value to begin with, `.reduce(…, value)`"),
    "dict": ("takes pairs, `[[key, value], …]`", "write a mapping, `{key => value}`"),
}


def _keys_of(cause: KeyError) -> list[str]:
    return [key for key in getattr(cause, "keys", ()) if isinstance(key, str)]


def _no_match(name: str, text: str) -> tuple[str, str | None, tuple[int, int] | None]:
    if name.startswith("#property#"):
        name = name.removeprefix("#property#")
        return f"there is no `{name}` here: the value before it is no mapping", None, _only(text, name)
    if name == "#call":
        return "what is called is no function", _CALLED if ")(" in text else None, None
    if name == "#indexer":
        return "`[…]` fits neither the value before it nor what stands in it", None, None
    operator = name.rpartition("operator_")[2] if "operator_" in name else {"*equal": "=", "*not_equal": "!="}.get(name)
    if operator == ".":
        return "`.` fits neither the value before it nor what follows", None, None
    if operator is not None:
        help = "make numbers of texts with `int(…)`, and texts of numbers with `str(…)`" if operator in "+-*/" else None
        help = "of a mapping, write `.containsKey(key)`" if operator == "in" else help
        help = _CALLED if ")(" in text else help
        return f"`{operator}` does not take these values", help, _only(text, operator)
    return f"`{name}` does not take these arguments", _MISTAKEN.get(name), _only(text, name)


_CALLED = "beside an operator, a call of a `!()` has parentheses of its own: `1 + (($_.f)(x))`"
_MISTAKEN = {
    "contains": "in a text, write `'part' in text`; in a mapping, `.containsKey(key)`",
    "get": "of a list, write `list[0]`",
}


_NAMES = {"#indexer": "[…]", "#call": "…()", "*equal": "=", "*not_equal": "!=", "#list": "[…]", "#map": "{…}"}


def _spoken(name: str | None) -> str:
    """yaql's name of a function as it is written."""
    if name is None or name.startswith(("#get_context", "#operator_.", "#operator_?", "#operator_->")):
        return ""
    return _NAMES.get(name) or name.rpartition("operator_")[2]


def _quoted(cause: Exception) -> str:
    """The function that yaql's message begins with; what comes after it can be a value."""
    return str(cause).partition('"')[2].partition('"')[0]


def _only(text: str, part: str) -> tuple[int, int] | None:
    """Where a part stands in the text, if it stands there once."""
    shift = len("$_") if text.startswith(".") else 0
    at = text.find(part)
    if not part or at < 0 or text.find(part, at + 1) >= 0:
        return None
    return at + shift, at + shift + len(part)
