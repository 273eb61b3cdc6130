"""Syntax + environment → plain settings that know where each part stands.

In: a ReadPackage, the build's Env and its Sources. Out: a ResolvedPackage. The invariants: only `Env` is asked, files
that expressions import are read through `Sources`, a value that could not be read is UNREADABLE with its fault
reported (so that check still sees the rest), and of the environment nothing is kept but names.

What nearly all settings ask, `$env.get(…)` for values, is evaluated here. Everything else of Yglu is `yglu_tree`'s,
which takes a fifth of a second to import.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from . import expressions
from .diagnostics import Scope, Span
from .environment import Env
from .expression_places import place
from .keys import Document
from .package import EnvUse, Located, ReadPackage, ResolvedPackage, SettingsDocument
from .scalars import Meanings, same
from .settings import REFUSED, SETTINGS, coerce
from .sources import SourceFault, Sources
from .spelling import did_you_mean
from .yamltree import (
    DROPPED,
    UNREADABLE,
    UNSETTLED,
    Beyond,
    Path,
    Tree,
    compose,
    is_empty,
    span_of,
    tree,
)

if TYPE_CHECKING:
    from . import yglu_nodes


def resolve(
    read_package: ReadPackage, env: Env, sources: Sources, scope: Scope, require_env: bool = False
) -> ResolvedPackage | None:
    """The settings with every expression evaluated. `require_env`: a default that is used is a fault.

    Faulty values are reported and stand as UNREADABLE, for check to pass over; None only when the settings are no
    mapping at all.
    """
    document = read_package.settings
    if document.node is None:
        return ResolvedPackage(read_package, Located({}, document.file))
    if not isinstance(document.node, yaml.MappingNode):
        scope.add("bad-value", "the settings must be a mapping of keys", span_of(document.node, document.file))
        return None
    located, use = evaluated(document, env, sources, scope, require_env)
    return ResolvedPackage(read_package, located, use)


def evaluated(
    document: SettingsDocument,
    env: Env,
    sources: Sources,
    scope: Scope,
    require_env: bool = False,
    described: Document = SETTINGS,
) -> tuple[Located, EnvUse]:
    """One document of the kind `described` with its expressions evaluated, and what they asked of the environment."""
    use = _Use(document, env, scope, require_env)
    try:
        read = _tree(document, described, scope, evaluate=use.evaluate)
    except Beyond:
        return _evaluate_all(document, described, env, sources, scope, require_env)
    for report in use.reports:
        report()
    located = Located(read.located.value, document.file, read.located.spans, read.located.keys, use.origins)
    return located, replace(use.frozen(), complete=not read.faulty)


def _tree(document: SettingsDocument, described: Document, scope: Scope, **how: Any) -> Tree:
    assert document.node is not None
    file = document.file
    return tree(
        document.node,
        file,
        scope,
        settle=lambda node, path, both: _settle(node, path, both, described, file, scope),
        ignored=lambda path: (
            described.ignored and len(path) == 1 and isinstance(path[0], str) and path[0].startswith("x-")
        ),
        **how,
    )


class _Use:
    """What one package asks of the environment, of a document that has `$env.get(…)` for values only."""

    __slots__ = (
        "defaulted", "document", "env", "file", "found", "lines", "missing", "node", "origins", "reports",
        "require_env", "scope",
    )  # fmt: skip

    def __init__(self, document: SettingsDocument, env: Env, scope: Scope, require_env: bool) -> None:
        self.require_env = require_env
        # What is to be said, unless the document turns out to hold more and is evaluated anew.
        self.reports: list[Callable[[], None]] = []
        self.document, self.file, self.env, self.scope = document, document.file, env, scope
        self.found: dict[str, str] = {}
        self.missing: dict[str, None] = {}
        self.defaulted: dict[str, str] = {}
        self.origins: dict[Path, str] = {}
        self.node: yaml.ScalarNode
        self.lines: list[str] | None = None

    def frozen(self) -> EnvUse:
        return EnvUse(
            tuple(sorted(self.found)),
            dict(sorted(self.defaulted.items())),
            tuple(sorted(self.missing)),
            {name: default for name, default in sorted(self.found.items()) if default},
        )

    def evaluate(self, node: yaml.ScalarNode, path: Path) -> object:
        """The value of one expression. Raises Beyond for what is not answered here."""
        self.node = node
        try:
            get = expressions.parse(node.value)
        except expressions.NotYet:
            raise Beyond from None
        answer = expressions.evaluate(
            get,
            self.env,
            found=self.note_found,
            defaulted=self.note_default,
            missing=self.report_unset,
        )
        if answer.name is not None:
            self.origins[path] = answer.name
        return DROPPED if answer.value is None else answer.value

    def note_found(self, part: expressions.Get) -> None:
        if not self.found.get(part.name):
            self.found[part.name] = part.source

    def note_default(self, part: expressions.Get) -> None:
        self.defaulted.setdefault(part.name, part.source)
        if self.require_env:
            span = self.span(part)
            self.reports.append(lambda: _report_default(part.name, part.source, span, self.scope))

    def report_unset(self, part: expressions.Get) -> None:
        self.missing.setdefault(part.name)
        span = self.span(part)
        self.reports.append(lambda: _report_unset(part.name, span, self.env, self.scope))

    def span(self, part: expressions.Get) -> Span:
        if self.lines is None:
            self.lines = _lines(self.document)
        return place(self.node, self.file, self.lines, part.start, part.end)


def _lines(document: SettingsDocument) -> list[str]:
    return [""] * document.lines_above + document.text.split("\n")


def _report_unset(name: str, span: Span, env: Env, scope: Scope) -> None:
    give = f'give it with `--env {name}=…`, or write `$env.get("{name}", null)` if it may be unset'
    scope.add(
        "env-unset",
        f"the environment variable `{name}` is not given and has no default",
        span,
        help=did_you_mean(name, sorted(env), give),
    )


def _report_default(name: str, default: str, span: Span, scope: Scope) -> None:
    scope.add(
        "env-default",
        f"the environment variable `{name}` is not given, and its default is used",
        span,
        help=f"give it, or build without `--require-env`; the default is `{default}`",
    )


# -- all of Yglu ---------------------------------------------------------------------------------------------------


def _evaluate_all(
    document: SettingsDocument, described: Document, env: Env, sources: Sources, scope: Scope, require_env: bool
) -> tuple[Located, EnvUse]:
    """A document that holds more of Yglu: read with its tags kept, evaluated as a whole."""
    from . import expression_faults, yglu_nodes, yglu_tree

    @cache
    def lines(file: str) -> Sequence[str]:
        return _lines(document) if file == document.file else sources.text(file).split("\n")

    def load(file: str, target: str) -> yglu_nodes.Source:
        try:
            source = _imported(sources.join(file.rpartition("/")[0] or ".", target), sources, scope)
        except SourceFault as fault:
            raise yglu_tree.NotImported(target, fault) from None
        return source

    def look(source: yglu_nodes.Source) -> None:
        wrong.update(expression_faults.look_at(source, scope, lines))
        if source.faulty:
            faulty.append(source)

    wrong: set[yaml.ScalarNode] = set()
    faulty: list[yglu_nodes.Source] = []
    read = _tree(document, described, scope, keep_tags=True)
    source = yglu_nodes.Source(read.located, read.faulty)
    result = yglu_tree.evaluate(source, env, load, look)
    for problem in result.problems:
        if problem.node not in wrong:
            expression_faults.report(problem, scope, lines, certain=not faulty)
    for name, (file, node) in result.asked.missing.items():
        _report_unset(name, expression_faults.place_of(node, file, lines, name), env, scope)
    asked = result.asked
    if require_env:
        for name, (file, node) in asked.fell_back.items():
            span = expression_faults.place_of(node, file, lines, name)
            _report_default(name, asked.defaulted[name], span, scope)
    use = EnvUse(
        tuple(sorted(asked.found)),
        dict(sorted(asked.defaulted.items())),
        tuple(sorted(asked.missing)),
        {name: default for name, default in sorted(asked.found.items()) if default},
        complete=not (faulty or wrong or result.problems),
    )
    return result.located, use


def _imported(file: str, sources: Sources, scope: Scope) -> "yglu_nodes.Source":
    """A file of YAML that an expression imports, its tags kept."""
    from . import yglu_nodes

    if sources.kind(file) is None:
        raise sources.missing(file)
    text = sources.text(file)
    node = compose(text, file, scope)
    if node is None:
        return yglu_nodes.Source(Located(None, file, {(): Span(file)}), not is_empty(text))
    read = tree(node, file, scope, keep_tags=True)
    return yglu_nodes.Source(read.located, read.faulty)


def _settle(
    node: yaml.ScalarNode, path: Path, both: Meanings, described: Document, file: str, scope: Scope
) -> object:
    """Let the type of a top-level key choose between two meanings (CTX-FORMAT §3).

    It chooses YAML 1.1's when only that fits the type, or when both come to the same. When neither fits, the text
    itself goes on to check, which knows better what to say.
    """
    kinds = (key.type.kind for key in described.body.keys if len(path) == 1 and path[0] in key.spellings)
    kind = next(kinds, None)
    if kind not in ("integer", "number", "boolean"):
        return UNSETTLED
    first, second = coerce(kind, both.first), coerce(kind, both.second)
    if first is REFUSED and second is REFUSED:
        return node.value
    if first is REFUSED or (second is not REFUSED and not same(first, second)):
        plainly = f"write `{second}`" if first is REFUSED else f"write `{first}` or `{second}`, whichever is meant"
        scope.add("ambiguous-scalar", both.dispute(node.value), span_of(node, file), help=plainly.lower())
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
