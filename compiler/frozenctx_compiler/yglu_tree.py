"""A document of Yglu with its tags kept → plain data (CTX-FORMAT §4). Yglu 1.1.2's own tree, YAQL behind it.

In: what `yamltree.tree(keep_tags=True)` made of a file, the environment, and a way to read the files it imports. Out:
plain data that knows where each part stands, what was read of the environment, and problems with their places. The
invariants: everything that an evaluation writes belongs to one `_Evaluation` and ends with it (Yglu's own `expression`
and `functions` modules keep stacks and contexts for the whole process and read its environment, so they are not
used), evaluation is counted, and it runs on a stack of its own, so that it ends at the same place wherever it began.

The rules of the tree are Yglu's: a merged mapping, hidden keys, what a mapping looks like to an expression. Ours are:
a null that an expression gives drops its key or item, one that the author wrote stays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from yglu import tree as yglu

from . import expressions, yaql_engine
from .diagnostics import Span
from .limits import DEEPEST_VALUE, Budget, Exceeded
from .package import Located
from .sources import SourceFault
from .threads import on_a_stack_of_its_own
from .yamltree import DROPPED, UNREADABLE, Path, Tagged, span_of
from .yaql_functions import Names
from .yglu_nodes import (
    Circular,
    Document,
    Expression,
    Failure,
    MappingNode,
    Problem,
    Scalar,
    SequenceNode,
    Source,
    content,
    failure,
    raw_items,
)
from .yglu_reading import Reading, all_tagged, default_of, pay, read, texts


class Refused(Exception):
    """A file cannot be imported, and why has been reported in that file."""


class MadeUp(Exception):
    """The name of a variable that is not given stands nowhere: an expression makes it."""


class NotImported(Exception):
    """The file `target` cannot be read. `fault` says why; it is a problem of the expression that imports it."""

    def __init__(self, target: str, fault: SourceFault) -> None:
        super().__init__(fault.headline)
        self.target, self.fault = target, fault


@dataclass(slots=True)
class Asked:
    """What was asked of the environment: name → (file, node) of the expression that asked first."""

    found: dict[str, str] = field(default_factory=dict)  # name → a default that was not needed, as the author wrote it
    defaulted: dict[str, str] = field(default_factory=dict)
    missing: dict[str, tuple[str, yaml.ScalarNode]] = field(default_factory=dict)
    fell_back: dict[str, tuple[str, yaml.ScalarNode]] = field(default_factory=dict)  # of `defaulted`


@dataclass(frozen=True, slots=True)
class Evaluated:
    located: Located
    asked: Asked
    problems: tuple[Problem, ...]


Import = Callable[[str, str], Source]  # (file of the expression, target as written) → the file; raises Refused
Look = Callable[[Source], None]  # sees each file before it is evaluated, once its expressions are known to be few


def evaluate(source: Source, env: Mapping[str, str], load: Import, look: Look = lambda source: None) -> Evaluated:
    """Evaluate a whole document. Parts that have no value are UNREADABLE, and a problem says why."""
    return on_a_stack_of_its_own(lambda: _Evaluation(env, load, look).run(source))


class _Environment(Names):
    """`$env` as an expression sees it. Each name that is looked up is noted, and defaults only when they are needed."""

    def __init__(self, evaluation: "_Evaluation", values: Mapping[str, str]) -> None:
        self._evaluation, self._values = evaluation, values

    def asked(self, key: object, default: Callable[[], Any] | None = None) -> Any:
        if isinstance(key, str) and key in self._values:
            self._evaluation.found(key, default is not None)
            return self._values[key]
        if isinstance(key, str):
            self._evaluation.absent(key, default is not None)
        return default() if default is not None else None

    def __getitem__(self, key: str) -> Any:
        return self.asked(key)

    def get(self, key: object, default: object = None) -> Any:
        return self.asked(key, lambda: default)

    def __contains__(self, key: object) -> bool:
        self.asked(key, lambda: None)
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        for name in sorted(self._values):
            self._evaluation.found(name)
            yield name

    def __len__(self) -> int:
        return len(dict.fromkeys(iter(self)))


_TOO_DEEP = "it goes too deep"


def _located(error: Exceeded, node: Any) -> Exceeded:
    if error.where is None:
        error.where = node.doc.file, node.source
    return error


class _Evaluation:
    """Everything that evaluating one document writes to."""

    def __init__(self, env: Mapping[str, str], load: Import, look: Look) -> None:
        self.budget = Budget()
        self.values = env
        self.env = _Environment(self, env)
        self.load, self.look = load, look
        self.asked = Asked()
        self.stack: list[Any] = []  # expressions that are being worked out
        self.scopes: list[dict[str, Any]] = []  # `$` and `$this` of the blocks around
        self.names: list[dict[str, None]] = [{}]  # of the environment, read by what is being worked out
        self.imports: dict[tuple[str, str], Document] = {}
        self.problems: dict[tuple[yaml.ScalarNode, BaseException], Problem] = {}  # by what they are about
        self.spans: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}
        self.origins: dict[Path, str] = {}
        self.origin = ""  # of what is put into the result: the names that the expression around it read
        self.readings: dict[str, Reading] = {}
        self.written: set[object] = set()  # texts that the files hold
        self.defaults: dict[tuple[yaml.ScalarNode, str], str] = {}

    def run(self, source: Source) -> Evaluated:
        document = None
        try:
            document = self.document(source)
            value = self.plain(document.root, (), document, document.spans[()])
        except (Exceeded, RecursionError) as error:
            cause = error if isinstance(error, Exceeded) else Exceeded(_TOO_DEEP)
            file, node = cause.where or (source.located.file, _first_node(source))
            self.problems = {(node, cause): Problem(file, node, cause)}
            value = _nothing_of(source.located.value)
            self.spans.update({path: span for path, span in source.located.spans.items() if len(path) < 2})
        located = Located(value, source.located.file, self.spans, self.keys, self.origins)
        return Evaluated(located, self.asked, tuple(self.problems.values()))

    def document(self, source: Source) -> Document:
        pay(source, self.budget)
        self.look(source)
        self.written.update(texts(source))
        return Document(self, source)

    # -- the environment and imports

    def found(self, name: str, has_default: bool = False, default: str = "") -> None:
        if not self.asked.found.get(name):
            self.asked.found[name] = default or (self.default(name) if has_default else "")
        self.names[-1].setdefault(name)

    def absent(self, name: str, has_default: bool) -> None:
        """Note a name that is not given. One that nothing writes out can be a value of the environment, and is refused:
        it would be recorded, and shown."""
        asking = self.stack[-1]
        if name not in self.written:
            raise MadeUp
        if not has_default:
            self.asked.missing.setdefault(name, (asking.doc.file, asking.source))
        elif name not in self.asked.defaulted:
            self.asked.defaulted[name] = self.default(name)
            self.asked.fell_back[name] = asking.doc.file, asking.source

    def default(self, name: str) -> str:
        """The default of a name as the expression that asks writes it."""
        node = self.stack[-1].source
        if (node, name) not in self.defaults:
            self.defaults[node, name] = default_of(node, name)
        return self.defaults[node, name]

    def imported(self, file: str, target: str) -> Any:
        document = self.imports.get((file, target))
        if document is None:
            source = self.load(file, target)
            document = next((known for known in self.imports.values() if known.file == source.located.file), None)
            document = document or self.document(source)
            self.imports[file, target] = document
        return content(document.root)

    # -- one expression

    def value(self, node: Any, scope: Mapping[str, Any], names: dict[str, None], *, again: bool = False) -> Any:
        """The value of an expression node; `again`: a function may be called while it is being called."""
        if not again and any(other is node for other in self.stack):
            raise failure(node, Circular())
        self.budget.enter()
        self.stack.append(node)
        self.names.append(names)
        try:
            return self.worked_out(node, scope)
        except Failure:
            raise
        except RecursionError:
            raise _located(Exceeded(_TOO_DEEP), node) from None
        except Exceeded as error:
            raise _located(error, node) from None
        except Exception as error:
            raise failure(node, error) from error
        finally:
            self.names.pop()
            self.stack.pop()
            self.budget.leave()

    def worked_out(self, node: Any, scope: Mapping[str, Any]) -> Any:
        text = node.source.value
        try:
            get = expressions.parse(text)
        except expressions.NotYet:
            pass
        else:
            self.budget.step()
            return expressions.evaluate(
                get,
                self.values,
                found=lambda part: self.found(part.name, default=part.source),
                defaulted=self.direct_default,
                missing=lambda part: self.absent(part.name, False),
            ).value
        parsed = self.readings.get(text)
        if parsed is None:
            parsed = self.readings[text] = read(node.source)
        if isinstance(parsed, yaql_engine.Unreadable):
            raise parsed
        context = node.doc.context.create_child_context()
        for name, value in scope.items():
            context[name] = value
        return self.finished(yaql_engine.value(parsed, context), node.doc)

    def direct_default(self, part: expressions.Get) -> None:
        asking = self.stack[-1]
        self.asked.defaulted.setdefault(part.name, part.source)
        self.asked.fell_back.setdefault(part.name, (asking.doc.file, asking.source))

    def finished(self, value: Any, document: Document, depth: int = 0) -> Any:
        """A value of YAQL as Yglu keeps it: no iterators, lists for tuples. What was imported stays as it is."""
        self.budget.look()
        if isinstance(value, yglu.Node) and value.doc is not document:
            return value
        if depth > DEEPEST_VALUE:
            raise Exceeded(f"it makes a value that is nested more than {DEEPEST_VALUE} levels deep")
        if isinstance(value, Mapping):
            pairs = list(value.items())
            return {_hashable(key): self.finished(part, document, depth + 1) for key, part in pairs}
        if isinstance(value, str) or callable(value) or not hasattr(value, "__iter__"):
            return value
        if isinstance(value, yaql_engine.Context):
            return value
        return [self.finished(part, document, depth + 1) for part in value]

    # -- the result

    def plain(self, part: Any, path: Path, document: Document, around: Span) -> object:
        """Plain data of a node or value that ends up at `path`; `around` is where the nearest text of it stands."""
        self.budget.look()
        if isinstance(part, yglu.Node):
            document = part.doc
            around = document.spans.get(part.path, around)
        self.spans[path] = around
        self.note_origin(path)
        if isinstance(part, Expression):
            return self.plain_expression(part, path, document, around)
        if isinstance(part, MappingNode):
            return self.plain_mapping(part, path, document, around)
        if isinstance(part, SequenceNode):
            return self.plain_list(part, path, document, around)
        if isinstance(part, Scalar):
            part = part.content()
        if isinstance(part, dict):
            result: dict[object, object] = {}
            for name, below in part.items():
                if isinstance(name, str):
                    self.budget.give(len(name))
                value = self.plain(below, (*path, name), document, around)
                if value is not DROPPED:
                    result[name] = value
            return result
        if isinstance(part, list | tuple):
            return self.items_of(part, path, document, around)
        if isinstance(part, str) and not _encodable(part):
            raise NotPlain("half of a surrogate pair")
        if isinstance(part, str):
            self.budget.give(len(part))
        if part is None or part is UNREADABLE or isinstance(part, str | int | float | bool):
            return part
        raise NotPlain(type(part).__name__)

    def plain_expression(self, part: Expression, path: Path, document: Document, around: Span) -> object:
        outer = self.origin
        try:
            value = part.content()
            if value is None:
                return DROPPED
            self.origin = ", ".join(part.names) or outer
            return self.plain(value, path, document, around)
        except Failure as failure:
            self.report(failure.problem)
            return UNREADABLE
        except NotPlain as error:
            self.report(Problem(document.file, part.source, error))
            return UNREADABLE
        except Exceeded as error:
            raise _located(error, part) from None
        finally:
            self.origin = outer

    def note_origin(self, path: Path) -> None:
        if self.origin:
            self.origins[path] = self.origin
        else:  # of an item before it that was dropped
            self.origins.pop(path, None)

    def plain_mapping(self, part: MappingNode, path: Path, document: Document, around: Span) -> object:
        while True:  # each special key that fails is gone, and the ones after it are still there
            try:
                part.resolve_special()
                break
            except Failure as failure:
                self.report(failure.problem)
        result: dict[object, object] = {}
        for name, below in raw_items(part):
            if below is None or self.is_hidden(below):
                continue
            at = (*path, name)
            value = self.plain(below, at, document, around)
            if value is DROPPED:
                self.spans.pop(at, None)
                self.origins.pop(at, None)
                continue
            if isinstance(name, str):
                self.budget.give(len(name))
            self.keys[at] = _key_of(part, name, document) or self.spans[at]
            result[name] = value
        return result

    def is_hidden(self, part: Any) -> bool:
        """Whether a part is for other expressions only; a hidden value is worked out all the same, as Yglu does it."""
        if not isinstance(part, yglu.Node) or part.visible:
            return False
        if isinstance(part, Expression):
            try:
                part.content()
            except Failure as failed:
                self.report(failed.problem)
        return True

    def plain_list(self, part: SequenceNode, path: Path, document: Document, around: Span) -> object:
        try:
            parts = list(part.parts())
        except Failure as failure:
            self.report(failure.problem)
            return UNREADABLE
        return self.items_of(parts, path, document, around)

    def items_of(self, parts: Sequence[Any], path: Path, document: Document, around: Span) -> object:
        result: list[object] = []
        for below in parts:
            if self.is_hidden(below):
                continue
            value = self.plain(below, (*path, len(result)), document, around)
            if value is not DROPPED:
                result.append(value)
        self.spans.pop((*path, len(result)), None)
        self.origins.pop((*path, len(result)), None)
        return result

    def report(self, problem: Problem) -> None:
        self.problems.setdefault((problem.node, problem.cause), problem)


class NotPlain(Exception):
    """A result that is no plain data."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind  # the name of a Python type, or words


def _key_of(part: MappingNode, name: object, document: Document) -> Span | None:
    """Where a key stands, or the expression that gave it; None for one that was merged in."""
    made = part.made.get(name)
    if made is not None:
        return span_of(made.source, made.doc.file)
    return document.keys.get((*part.path, name))  # type: ignore[arg-type]


def _nothing_of(data: object) -> object:
    if not isinstance(data, dict):
        return UNREADABLE
    return {name: UNREADABLE for name in data if not isinstance(name, Tagged)}


def _hashable(key: Any) -> Any:
    if key is None or isinstance(key, str | int | float | bool):
        return key
    raise NotPlain("a list or a mapping as a key")


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _first_node(source: Source) -> yaml.ScalarNode:
    nodes = (tagged.node for tagged in all_tagged(source.located.value))
    return next(node for node in nodes if isinstance(node, yaml.ScalarNode))
