"""Syntax + environment → plain settings that know where each part stands.

In: a ReadPackage and the build's Env. Out: a ResolvedPackage. The invariants: only `Env` is asked, a value that could
not be read is UNREADABLE with its fault reported (so that check still sees the rest), and of the environment nothing
is kept but names.
"""

from difflib import get_close_matches

import yaml

from . import expressions
from .diagnostics import Scope, Span
from .environment import Env
from .package import EnvUse, Located, ReadPackage, ResolvedPackage, SettingsDocument
from .scalars import Meanings, same
from .settings import REFUSED, coerce, kind_of
from .yamltree import DROPPED, UNREADABLE, UNSETTLED, Path, span_of, tree


def resolve(read_package: ReadPackage, env: Env, scope: Scope) -> ResolvedPackage | None:
    """The settings with every expression evaluated.

    Faulty values are reported and stand as UNREADABLE, for check to pass over; None only when the settings are no
    mapping at all.
    """
    document = read_package.settings
    if document.node is None:
        return ResolvedPackage(read_package, Located({}, document.file))
    if not isinstance(document.node, yaml.MappingNode):
        scope.add("bad-value", "the settings must be a mapping of keys", span_of(document.node, document.file))
        return None
    use = _Use(document, env, scope)
    read = tree(
        document.node,
        document.file,
        scope,
        evaluate=use.evaluate,
        settle=lambda node, path, both: _settle(node, path, both, document.file, scope),
        ignored=lambda path: len(path) == 1 and isinstance(path[0], str) and path[0].startswith("x-"),
    )
    located = Located(read.located.value, document.file, read.located.spans, read.located.keys, use.origins)
    return ResolvedPackage(read_package, located, use.frozen())


class _Use:
    """What one package asks of the environment."""

    __slots__ = ("defaulted", "env", "file", "found", "lines", "missing", "node", "origins", "scope")

    def __init__(self, document: SettingsDocument, env: Env, scope: Scope) -> None:
        self.file, self.env, self.scope = document.file, env, scope
        self.lines = [""] * document.lines_above + document.text.split("\n")
        self.found: dict[str, None] = {}
        self.missing: dict[str, None] = {}
        self.defaulted: dict[str, str] = {}
        self.origins: dict[Path, str] = {}
        self.node: yaml.ScalarNode

    def frozen(self) -> EnvUse:
        return EnvUse(tuple(sorted(self.found)), dict(sorted(self.defaulted.items())), tuple(sorted(self.missing)))

    def evaluate(self, node: yaml.ScalarNode, path: Path) -> object:
        self.node = node
        try:
            get = expressions.parse(node.value)
        except expressions.NotYet as problem:
            self.scope.add(
                "expression-not-yet",
                "this expression is not supported yet",
                self.place(problem.at, problem.at + 1),
                label=f"expected {problem.expected}",
                notes=('this version reads `$env.get("NAME")`, `$env.get("NAME", default)` and `$env.NAME`',),
                help="inside `[…]` and `{…}`, put the expression in 'single quotes'" if self.is_cut(node) else None,
            )
            return UNREADABLE
        answer = expressions.evaluate(
            get,
            self.env,
            found=lambda part: self.found.setdefault(part.name),
            defaulted=lambda part: self.note_default(part),
            missing=self.report_unset,
        )
        if answer.name is not None:
            self.origins[path] = answer.name
        return DROPPED if answer.value is None else answer.value

    def is_cut(self, node: yaml.ScalarNode) -> bool:
        """Whether a comma ended an unquoted expression, as it does inside `[…]` and `{…}` only."""
        end = node.end_mark
        rest = self.lines[end.line][end.column :]
        return not node.style and rest.lstrip(" \t").startswith(",")

    def note_default(self, part: expressions.Get) -> None:
        self.defaulted.setdefault(part.name, part.source)

    def report_unset(self, part: expressions.Get) -> None:
        self.missing.setdefault(part.name)
        near = get_close_matches(part.name, sorted(self.env), n=1)
        self.scope.add(
            "env-unset",
            f"the environment variable `{part.name}` is not given and has no default",
            self.place(part.start, part.end),
            help=f"did you mean `{near[0]}`?"
            if near
            else f'give it with `--env {part.name}=…`, or write `$env.get("{part.name}", null)` if it may be unset',
        )

    def place(self, start: int, end: int) -> Span:
        """Part of the expression's text as a place in the file; the whole scalar when quoting hides where it is."""
        node = self.node
        first, last = node.start_mark, node.end_mark
        if node.style or first.line != last.line:
            return span_of(node, self.file)
        return Span.at(self.file, last.line + 1, last.column - len(node.value) + start + 1, end - start)


def _settle(node: yaml.ScalarNode, path: Path, both: Meanings, file: str, scope: Scope) -> object:
    """Let the type of a top-level key choose between two meanings (CTX-FORMAT §3).

    It chooses YAML 1.1's when only that fits the type, or when both come to the same. When neither fits, the text
    itself goes on to check, which knows better what to say.
    """
    kind = kind_of(path[0]) if len(path) == 1 and isinstance(path[0], str) else None
    if kind not in ("integer", "number", "boolean"):
        return UNSETTLED
    first, second = coerce(kind, both.first), coerce(kind, both.second)
    if first is REFUSED and second is REFUSED:
        return node.value
    plainly = "write `true` or `false`" if kind == "boolean" else "write it with the digits 0 to 9 alone"
    if first is REFUSED or (second is not REFUSED and not same(first, second)):
        scope.add("ambiguous-scalar", both.dispute(node.value), span_of(node, file), help=plainly)
        return UNREADABLE
    shown = str(first).lower()
    scope.add(
        "yaml-1-1",
        both.dispute(node.value),
        span_of(node, file),
        label=f"read as {shown}, as `{path[0]}` wants",
        help=f"write `{shown}`",
    )
    return first
