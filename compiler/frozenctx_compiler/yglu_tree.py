"""A document of Yglu with its tags kept → plain data (CTX-FORMAT §4). Yglu 1.1.2's own tree, YAQL behind it.

In: what `yamltree.tree(keep_tags=True)` made of a file, the environment, and a way to read the files it imports. Out:
plain data that knows where each part stands, what was read of the environment, and problems with their places. The
invariants: everything that an evaluation writes belongs to one `_Evaluation` and ends with it (Yglu's own `expression`
and `functions` modules keep stacks and contexts for the whole process and read its environment, so they are not
used), evaluation is counted, and it runs on a stack of its own, so that it ends at the same place wherever it began.

The rules of the tree are Yglu's: a merged mapping, hidden keys, what a mapping looks like to an expression. Ours are:
a null that an expression gives drops its key or item, one that the author wrote stays.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yglu import tree as yglu

from . import expressions, yaql_engine
from .diagnostics import Span
from .limits import DEEPEST_VALUE, Budget, Exceeded, Unfit
from .package import Located
from .sources import SourceFault
from .threads import on_a_stack_of_its_own
from .yamltree import DROPPED, UNREADABLE, Path, Tagged
from .yaql_functions import Names


@dataclass(frozen=True, slots=True)
class Source:
    """One file as it was read: its data with tags kept, and whether anything of it is missing for a fault."""

    located: Located
    faulty: bool = False


class Refused(Exception):
    """A file cannot be imported, and why has been reported in that file."""


class NotImported(Exception):
    """A file cannot be read. `fault` says why; it is a problem of the expression that imports it."""

    def __init__(self, fault: SourceFault) -> None:
        super().__init__(fault.headline)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Problem:
    """An expression without a value. `cause` is what was raised: a class of here, of yaql or of Python."""

    file: str
    node: yaml.ScalarNode
    cause: BaseException


@dataclass(slots=True)
class Asked:
    """What was asked of the environment: name → (file, node) of the expression that asked first."""

    found: dict[str, None] = field(default_factory=dict)
    defaulted: dict[str, str] = field(default_factory=dict)
    missing: dict[str, tuple[str, yaml.ScalarNode]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evaluated:
    located: Located
    asked: Asked
    problems: tuple[Problem, ...]


Import = Callable[[str, str], Source]  # (file of the expression, target as written) → the file; raises Refused


def evaluate(source: Source, env: Mapping[str, str], load: Import) -> Evaluated:
    """Evaluate a whole document. Parts that have no value are UNREADABLE, and a problem says why."""
    return on_a_stack_of_its_own(lambda: _Evaluation(env, load).run(source))


Reading = yaql_engine.Parsed | yaql_engine.Unreadable


def read_all(source: Source) -> list[tuple[yaml.ScalarNode, Reading]]:
    """Every expression of a file as YAQL reads it, in the order of the file; not those that are evaluated directly."""
    nodes = [tagged.node for tagged in _all_tagged(source.located.value) if isinstance(tagged.node, yaml.ScalarNode)]
    return [(node, _parsed(node)) for node in nodes if not _is_direct(node)]


def offset_in(node: yaml.ScalarNode, at: int) -> int:
    """An offset into what YAQL reads as one into the text of the node: `.a` is short for `$_.a`."""
    return max(at - len(_ROOT), 0) if node.value.startswith(".") else at


_ROOT = "$_"


# -- nodes ---------------------------------------------------------------------------------------------------------


class _Failure(Exception):
    """An expression has no value; what it was asked by has none either, and says nothing of its own."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class Circular(Exception):
    """A value needs itself."""


_UNSET: Final[Any] = object()


class _Document:
    """One file within an evaluation."""

    def __init__(self, evaluation: "_Evaluation", source: Source) -> None:
        self.evaluation = evaluation
        self.file = source.located.file
        self.spans, self.keys = source.located.spans, source.located.keys
        self.filepath = self.file
        self.root: Any = self.convert(source.located.value, ())
        names = {"$_": self.root, "$env": evaluation.env, "$import": self.imported}
        self.context = yaql_engine.context(evaluation.budget, names)

    def convert(self, data: object, path: Path) -> Any:
        """Yglu's node of a part of the document."""
        self.evaluation.budget.look()
        if isinstance(data, Tagged):
            return self.tagged(data, path)
        if isinstance(data, dict):
            pairs = [(self.key(name), self.convert(part, (*path, name))) for name, part in data.items()]
            return _Mapping(pairs, self, path)
        if isinstance(data, list):
            return _Sequence([self.convert(part, (*path, at)) for at, part in enumerate(data)], self, path)
        return _Scalar(data, self, path)

    def key(self, name: object) -> Any:
        if not isinstance(name, Tagged):
            return _Scalar(name, self, ())
        kind = _KEYS.get(name.node.tag)
        expression = _Expression(name, self, name.path)
        return expression if kind is None else kind(expression)

    def tagged(self, data: Tagged, path: Path) -> Any:
        tag, scalar = data.node.tag, _is_scalar(data)
        if tag == "!()":
            return _Function(data, self, path) if scalar else _Block(data, self, path)
        node = _Expression(data, self, path) if scalar else self.convert(data.value, path)
        if tag == "!-":
            node.visible = False
        return node

    def imported(self, target: Any) -> Any:
        """`$import(target)`: the root of another file, worked out as far as it is asked for."""
        if not isinstance(target, str):
            raise Unfit("a path is text")
        return self.evaluation.imported(self.file, target)


class _Scalar(yglu.Scalar):  # type: ignore[misc]
    def __init__(self, value: object, document: _Document, path: Path) -> None:
        super().__init__(value, document)
        self.path = path


class _Expression(yglu.Node):  # type: ignore[misc]
    def __init__(self, tagged: Tagged, document: _Document, path: Path) -> None:
        super().__init__(document, tagged.node)
        self.path = path
        self.names: dict[str, None] = {}  # of the environment, that the value comes from
        self._result: Any = _UNSET
        self._failure: _Failure | None = None

    def content(self) -> Any:
        evaluation = self.doc.evaluation
        if self._failure is not None:
            raise self._failure
        if self._result is _UNSET:
            try:
                self._result = evaluation.value(self, evaluation.scopes[-1] if evaluation.scopes else {}, self.names)
            except _Failure as failure:
                self._failure = failure
                raise
        evaluation.names[-1].update(self.names)
        return self._result


class _Function(yglu.Node):  # type: ignore[misc]
    """`!() expression`: a function of `$`."""

    def __init__(self, tagged: Tagged, document: _Document, path: Path) -> None:
        super().__init__(document, tagged.node)
        self.path, self.visible = path, False

    def create_content(self) -> Callable[..., Any]:
        def call(arg: Any = None) -> Any:
            names: dict[str, None] = {}
            try:
                return self.doc.evaluation.value(self, {"$": arg}, names, again=True)
            finally:
                self.doc.evaluation.names[-1].update(names)

        return call


class _Block(yglu.Node):  # type: ignore[misc]
    """`!()` on a mapping or a list: a function that makes it anew for each `$`."""

    def __init__(self, tagged: Tagged, document: _Document, path: Path) -> None:
        super().__init__(document, tagged.node)
        self.data, self.path, self.visible = tagged.value, path, False

    def create_content(self) -> Callable[[Any], Any]:
        def call(arg: Any) -> Any:
            evaluation = self.doc.evaluation
            node = self.doc.convert(self.data, self.path)
            evaluation.scopes.append({"$": arg, "$this": node})
            evaluation.budget.enter()
            try:
                node.receive(lambda value: value)  # work out everything while `$` is what it is
                return dict(node.items()) if isinstance(node, dict) else list(node)
            finally:
                evaluation.budget.leave()
                evaluation.scopes.pop()

        return call


class _Merge(yglu.MergeKey):  # type: ignore[misc]
    """A key whose value goes into the mapping or list around it."""

    def __init__(self, expression: _Expression) -> None:
        super().__init__()
        self.expression = expression

    def put(self, parent: Any, source: Any) -> None:
        """Merge a mapping into a mapping; extend a list by a list, or by one item of any other kind.

        Where Yglu merges, it gives the same. It passes over a list for a mapping, and a list or a scalar under `!if`
        in a list sends it round and round.
        """
        self.visited = True
        source = _content(source)
        if source is None:
            return
        if isinstance(parent, _Mapping):
            if isinstance(source, _Mapping):
                parent.update(_raw_items(source))
                parent.special_entries.extend(source.special_entries)
            elif isinstance(source, dict):
                parent.update(source)
            else:
                raise _failure(self.expression, NotMerged())
        elif isinstance(source, list):
            parent.extend(_raw_parts(source))
        else:
            parent.append(source)


class NotMerged(Exception):
    """What a merging key gives is neither a mapping nor a list."""


class _If(_Merge):
    def merge(self, parent: Any, source: Any) -> None:
        if self.expression.content():
            self.put(parent, source)
        else:
            self.visited = True


class _For(_Merge):
    def merge(self, parent: Any, source: Any) -> None:
        items = self.expression.content()
        if not isinstance(items, list | dict):
            raise _failure(self.expression, NotMerged())
        function = _called(self, source)
        for item in items:
            self.put(parent, function(item))


class _Apply(_Merge):
    def merge(self, parent: Any, source: Any) -> None:
        function = self.expression.content()
        if not callable(function):
            raise _failure(self.expression, NoFunction())
        self.put(parent, function(source))


class NoFunction(Exception):
    """A function stands where there is none."""


_KEYS: Final[Mapping[str, type[_Merge]]] = {"!if": _If, "!for": _For, "!apply": _Apply}


def _called(key: _Merge, source: Any) -> Callable[[Any], Any]:
    function = source.content() if isinstance(source, yglu.Node) else source
    if not callable(function):
        raise _failure(key.expression, NoFunction())
    return function  # type: ignore[no-any-return]


class _Mapping(yglu.Mapping):  # type: ignore[misc]
    def __init__(self, pairs: list[tuple[Any, Any]], document: _Document, path: Path) -> None:
        self.path = path
        super().__init__(None, document)
        OrderedDict.__init__(self, self.handle_keys(pairs))

    def handle_keys(self, items: Any) -> Iterator[tuple[Any, Any]]:
        for key, part in items:
            if isinstance(key, yglu.Scalar):
                yield key.content(), part
            else:
                self.special_entries.insert(0, (key, part))

    def resolve_special(self, key: Any = None) -> Any:
        """As Yglu does it, in the order of the document; a null key is one without a value."""
        while self.special_entries:
            self.doc.evaluation.budget.step()
            special, part = self.special_entries.pop()
            if isinstance(special, yglu.MergeKey):
                special.merge(self, part)
                continue
            name = special.content()
            if not isinstance(name, str | int | float | bool):
                raise _failure(special, NoKey())
            self[name] = part
        return None if key is None else _content(OrderedDict.__getitem__(self, key))

    def get(self, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def items(self) -> Any:
        for pair in super().items():
            self.doc.evaluation.budget.look()
            yield pair

    __hash__ = None  # type: ignore[assignment]


class NoKey(Exception):
    """What should be a key is null, a list or a mapping."""


class _Sequence(yglu.Sequence):  # type: ignore[misc]
    def __init__(self, parts: list[Any], document: _Document, path: Path) -> None:
        self.path = path
        super().__init__(parts, document)

    def __getitem__(self, index: Any) -> Any:
        return _content(list.__getitem__(self, index))

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts():
            value = _content(part)
            if value is not None and getattr(part, "visible", True):
                yield value

    def parts(self) -> Iterator[Any]:
        """The nodes and values of the list, with what merging keys add: at its end, as Yglu does."""
        for part in _raw_parts(self):
            self.doc.evaluation.budget.look()
            if isinstance(part, _Mapping) and not len(part) and len(part.special_entries) == 1:
                key, below = part.special_entries[0]
                if isinstance(key, _Merge):
                    if not key.visited:
                        key.merge(self, below)
                    continue
            yield part


def _content(part: Any) -> Any:
    return part.content() if isinstance(part, yglu.Node) else part


def _failure(expression: Any, cause: BaseException) -> _Failure:
    return _Failure(Problem(expression.doc.file, expression.source, cause))


# -- evaluating ----------------------------------------------------------------------------------------------------


class _Environment(Names):
    """`$env` as an expression sees it. Each name that is looked up is noted."""

    def __init__(self, evaluation: "_Evaluation", values: Mapping[str, str]) -> None:
        self._evaluation, self._values = evaluation, values

    def asked(self, key: object, *default: object) -> Any:
        if isinstance(key, str) and key in self._values:
            self._evaluation.found(key)
            return self._values[key]
        if isinstance(key, str):
            self._evaluation.absent(key, bool(default))
        return default[0] if default else None

    def __getitem__(self, key: str) -> Any:
        return self.asked(key)

    def get(self, key: object, default: object = None) -> Any:
        return self.asked(key, default)

    def __contains__(self, key: object) -> bool:
        self.asked(key, None)
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
        error.where = node
    return error


class _Evaluation:
    """Everything that evaluating one document writes to."""

    def __init__(self, env: Mapping[str, str], load: Import) -> None:
        self.budget = Budget()
        self.values = env
        self.env = _Environment(self, env)
        self.load = load
        self.asked = Asked()
        self.stack: list[Any] = []  # expressions that are being worked out
        self.scopes: list[dict[str, Any]] = []  # `$` and `$this` of the blocks around
        self.names: list[dict[str, None]] = [{}]  # of the environment, read by what is being worked out
        self.imports: dict[tuple[str, str], _Document] = {}
        self.problems: list[Problem] = []
        self.spans: dict[Path, Span] = {}
        self.keys: dict[Path, Span] = {}
        self.origins: dict[Path, str] = {}

    def run(self, source: Source) -> Evaluated:
        document = None
        try:
            document = _Document(self, source)
            value = self.plain(document.root, (), document, document.spans[()])
        except (Exceeded, RecursionError) as error:
            cause = error if isinstance(error, Exceeded) else Exceeded(_TOO_DEEP)
            where = cause.where
            file, node = (where.doc.file, where.source) if where else (source.located.file, _first_node(source))
            self.problems = [Problem(file, node, cause)]
            value = _nothing_of(source.located.value)
            self.spans.update({path: span for path, span in source.located.spans.items() if len(path) < 2})
        located = Located(value, source.located.file, self.spans, self.keys, self.origins)
        return Evaluated(located, self.asked, tuple(self.problems))

    # -- the environment and imports

    def found(self, name: str) -> None:
        self.asked.found.setdefault(name)
        self.names[-1].setdefault(name)

    def absent(self, name: str, has_default: bool) -> None:
        asking = self.stack[-1]
        if has_default:
            self.asked.defaulted.setdefault(name, _default_of(asking.source, name))
        else:
            self.asked.missing.setdefault(name, (asking.doc.file, asking.source))

    def imported(self, file: str, target: str) -> Any:
        document = self.imports.get((file, target))
        if document is None:
            source = self.load(file, target)
            document = next((known for known in self.imports.values() if known.file == source.located.file), None)
            document = document or _Document(self, source)
            self.imports[file, target] = document
        return document.root

    # -- one expression

    def value(self, node: Any, scope: Mapping[str, Any], names: dict[str, None], *, again: bool = False) -> Any:
        """The value of an expression node; `again`: a function may be called while it is being called."""
        if not again and any(other is node for other in self.stack):
            raise _failure(node, Circular())
        self.budget.enter()
        self.stack.append(node)
        self.names.append(names)
        try:
            return self.worked_out(node, scope)
        except _Failure:
            raise
        except RecursionError:
            raise _located(Exceeded(_TOO_DEEP), node) from None
        except Exceeded as error:
            raise _located(error, node) from None
        except Exception as error:
            raise _failure(node, error) from error
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
                found=lambda part: self.found(part.name),
                defaulted=self.direct_default,
                missing=lambda part: self.absent(part.name, False),
            ).value
        parsed = _parsed(node.source)
        if isinstance(parsed, yaql_engine.Unreadable):
            raise parsed
        context = node.doc.context.create_child_context()
        for name, value in scope.items():
            context[name] = value
        return self.finished(yaql_engine.value(parsed, context), node.doc)

    def direct_default(self, part: expressions.Get) -> None:
        self.asked.defaulted.setdefault(part.name, part.source)

    def finished(self, value: Any, document: _Document, depth: int = 0) -> Any:
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

    def plain(self, part: Any, path: Path, document: _Document, around: Span) -> object:
        """Plain data of a node or value that ends up at `path`; `around` is where the nearest text of it stands."""
        self.budget.look()
        if isinstance(part, yglu.Node):
            document = part.doc
            around = document.spans.get(part.path, around)
        self.spans[path] = around
        if isinstance(part, _Expression):
            return self.plain_expression(part, path, document, around)
        if isinstance(part, _Mapping):
            return self.plain_mapping(part, path, document, around)
        if isinstance(part, _Sequence):
            return self.plain_list(part, path, document, around)
        if isinstance(part, _Scalar):
            return part.content()
        if isinstance(part, dict):
            result: dict[object, object] = {}
            for name, below in part.items():
                value = self.plain(below, (*path, name), document, around)
                if value is not DROPPED:
                    result[name] = value
            return result
        if isinstance(part, list | tuple):
            return self.items_of(part, path, document, around)
        if isinstance(part, str) and not _encodable(part):
            raise NotPlain("half of a surrogate pair")
        if part is None or part is UNREADABLE or isinstance(part, str | int | float | bool):
            return part
        raise NotPlain(type(part).__name__)

    def plain_expression(self, part: _Expression, path: Path, document: _Document, around: Span) -> object:
        try:
            value = part.content()
            if value is None:
                return DROPPED
            before = dict(self.spans)
            result = self.plain(value, path, document, around)
        except _Failure as failure:
            self.report(failure.problem)
            return UNREADABLE
        except NotPlain as error:
            self.report(Problem(document.file, part.source, error))
            return UNREADABLE
        if part.names:
            origin = ", ".join(part.names)
            self.origins[path] = origin
            for below in self.spans:
                if below not in before and below[: len(path)] == path:
                    self.origins.setdefault(below, origin)
        return result

    def plain_mapping(self, part: _Mapping, path: Path, document: _Document, around: Span) -> object:
        while True:  # each special key that fails is gone, and the ones after it are still there
            try:
                part.resolve_special()
                break
            except _Failure as failure:
                self.report(failure.problem)
        result: dict[object, object] = {}
        for name, below in _raw_items(part):
            if below is None or (isinstance(below, yglu.Node) and not below.visible):
                continue
            at = (*path, name)
            value = self.plain(below, at, document, around)
            if value is DROPPED:
                self.spans.pop(at, None)
                continue
            key = document.keys.get((*part.path, name))
            self.keys[at] = key if key is not None else self.spans[at]
            result[name] = value
        return result

    def plain_list(self, part: _Sequence, path: Path, document: _Document, around: Span) -> object:
        try:
            parts = list(part.parts())
        except _Failure as failure:
            self.report(failure.problem)
            return UNREADABLE
        return self.items_of(parts, path, document, around)

    def items_of(self, parts: Sequence[Any], path: Path, document: _Document, around: Span) -> object:
        result: list[object] = []
        for below in parts:
            if isinstance(below, yglu.Node) and not below.visible:
                continue
            value = self.plain(below, (*path, len(result)), document, around)
            if value is not DROPPED:
                result.append(value)
        self.spans.pop((*path, len(result)), None)
        return result

    def report(self, problem: Problem) -> None:
        if not any(known.node is problem.node and known.cause is problem.cause for known in self.problems):
            self.problems.append(problem)


class NotPlain(Exception):
    """A result that is no plain data."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind  # the name of a Python type, or words


def _raw_parts(parts: list[Any]) -> Iterator[Any]:
    return list.__iter__(parts)


def _raw_items(mapping: _Mapping) -> list[tuple[Any, Any]]:
    names: Iterator[Any] = OrderedDict.__iter__(mapping)
    return [(name, OrderedDict.__getitem__(mapping, name)) for name in names]


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


def _is_scalar(tagged: Tagged) -> bool:
    return isinstance(tagged.node, yaml.ScalarNode)


def _parsed(node: yaml.ScalarNode) -> Reading:
    text = node.value
    try:
        return yaql_engine.parse(_ROOT + text if text.startswith(".") else text)
    except yaql_engine.Unreadable as problem:
        return problem


def _is_direct(node: yaml.ScalarNode) -> bool:
    try:
        expressions.parse(node.value)
    except expressions.NotYet:
        return False
    return True


def _all_tagged(data: object) -> Iterator[Tagged]:
    if isinstance(data, Tagged):
        yield data
        yield from _all_tagged(data.value)
    elif isinstance(data, dict):
        for name, part in data.items():
            yield from _all_tagged(name)
            yield from _all_tagged(part)
    elif isinstance(data, list):
        for part in data:
            yield from _all_tagged(part)


def _first_node(source: Source) -> yaml.ScalarNode:
    nodes = (tagged.node for tagged in _all_tagged(source.located.value))
    return next(node for node in nodes if isinstance(node, yaml.ScalarNode))


def _default_of(node: yaml.ScalarNode, name: str) -> str:
    """The default of a name as the author wrote it; nothing when the name is not written there."""
    parsed = _parsed(node)
    if isinstance(parsed, yaql_engine.Unreadable):
        return ""
    tokens = parsed.tokens
    for at, token in enumerate(tokens):
        if token.kind != "QUOTED_STRING" or token.value != name or at + 1 == len(tokens) or at == 0:
            continue
        if tokens[at - 1].value != "get" or tokens[at + 1].value != ",":
            continue
        depth = 1
        for end in tokens[at + 2 :]:
            depth += (end.kind in ("FUNC", "(", "INDEXER", "MAP")) - (end.kind in (")", "]", "}"))
            if depth == 0:
                return parsed.text[tokens[at + 2].at : end.at].strip()
    return ""
