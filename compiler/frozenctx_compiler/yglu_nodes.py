"""Yglu's nodes of one file: what an expression finds when it looks at the document (CTX-FORMAT §4).

In: data with its tags kept. Out: nodes of Yglu 1.1.2's own tree, whose values are worked out when they are asked for.
The invariant: nodes write nothing but their own values; everything else that an evaluation writes is the evaluation's,
which they reach through their document.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml
from yglu import tree as yglu

from . import yaql_engine
from .limits import Unfit
from .package import Located
from .yamltree import Path, Tagged


@dataclass(frozen=True, slots=True)
class Source:
    """One file as it was read: its data with tags kept, and whether anything of it is missing for a fault."""

    located: Located
    faulty: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """An expression without a value. `cause` is what was raised: a class of here, of yaql or of Python."""

    file: str
    node: yaml.ScalarNode
    cause: BaseException


class Failure(Exception):
    """An expression has no value; what it was asked by has none either, and says nothing of its own."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class Circular(Exception):
    """A value needs itself."""


_UNSET: Final[Any] = object()


class Document:
    """One file within an evaluation."""

    def __init__(self, evaluation: Any, source: Source) -> None:
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
            return MappingNode(pairs, self, path)
        if isinstance(data, list):
            return SequenceNode([self.convert(part, (*path, at)) for at, part in enumerate(data)], self, path)
        return Scalar(data, self, path)

    def key(self, name: object) -> Any:
        if not isinstance(name, Tagged):
            return Scalar(name, self, ())
        kind = _KEYS.get(name.node.tag)
        expression = Expression(name, self, name.path)
        return expression if kind is None else kind(expression)

    def tagged(self, data: Tagged, path: Path) -> Any:
        tag, scalar = data.node.tag, _is_scalar(data)
        if tag == "!()":
            return Function(data, self, path) if scalar else Block(data, self, path)
        node = Expression(data, self, path) if scalar else self.convert(data.value, path)
        if tag == "!-":
            node.visible = False
        return node

    def imported(self, target: Any) -> Any:
        """`$import(target)`: the root of another file, worked out as far as it is asked for."""
        if not isinstance(target, str):
            raise Unfit("a path is text")
        return self.evaluation.imported(self.file, target)


class Scalar(yglu.Scalar):  # type: ignore[misc]
    def __init__(self, value: object, document: Document, path: Path) -> None:
        super().__init__(value, document)
        self.path = path


class Expression(yglu.Node):  # type: ignore[misc]
    def __init__(self, tagged: Tagged, document: Document, path: Path) -> None:
        super().__init__(document, tagged.node)
        self.path = path
        self.names: dict[str, None] = {}  # of the environment, that the value comes from
        self._result: Any = _UNSET
        self._failure: Failure | None = None

    def content(self) -> Any:
        evaluation = self.doc.evaluation
        if self._failure is not None:
            raise self._failure
        if self._result is _UNSET:
            try:
                self._result = evaluation.value(self, evaluation.scopes[-1] if evaluation.scopes else {}, self.names)
            except Failure as failure:
                self._failure = failure
                raise
        evaluation.names[-1].update(self.names)
        return self._result


class Function(yglu.Node):  # type: ignore[misc]
    """`!() expression`: a function of `$`."""

    def __init__(self, tagged: Tagged, document: Document, path: Path) -> None:
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


class Block(yglu.Node):  # type: ignore[misc]
    """`!()` on a mapping or a list: a function that makes it anew for each `$`."""

    def __init__(self, tagged: Tagged, document: Document, path: Path) -> None:
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

    def __init__(self, expression: Expression) -> None:
        super().__init__()
        self.expression = expression

    def put(self, parent: Any, source: Any) -> None:
        """Merge a mapping into a mapping; extend a list by a list, or by one item of any other kind.

        Where Yglu merges, it gives the same. It passes over a list for a mapping, and a list or a scalar under `!if`
        in a list sends it round and round.
        """
        self.visited = True
        source = content(source)
        if source is None:
            return
        if isinstance(parent, MappingNode):
            if isinstance(source, MappingNode):
                parent.update(raw_items(source))
                parent.special_entries.extend(source.special_entries)
            elif isinstance(source, dict):
                parent.update(source)
            else:
                raise failure(self.expression, NotMerged())
        elif isinstance(source, list):
            parent.extend(raw_parts(source))
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
            raise failure(self.expression, NotMerged())
        function = _called(self, source)
        for item in items:
            self.expression.doc.evaluation.budget.step()
            self.put(parent, function(item))


class _Apply(_Merge):
    def merge(self, parent: Any, source: Any) -> None:
        function = self.expression.content()
        if not callable(function):
            raise failure(self.expression, NoFunction())
        self.expression.doc.evaluation.budget.step()
        self.put(parent, function(source))


class NoFunction(Exception):
    """A function stands where there is none."""


_KEYS: Final[Mapping[str, type[_Merge]]] = {"!if": _If, "!for": _For, "!apply": _Apply}


def _called(key: _Merge, source: Any) -> Callable[[Any], Any]:
    function = source.content() if isinstance(source, yglu.Node) else source
    if not callable(function):
        raise failure(key.expression, NoFunction())
    return function  # type: ignore[no-any-return]


class MappingNode(yglu.Mapping):  # type: ignore[misc]
    def __init__(self, pairs: list[tuple[Any, Any]], document: Document, path: Path) -> None:
        self.path = path
        self.made: dict[Any, Expression] = {}  # keys that expressions gave
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
                raise failure(special, NoKey())
            self.made[name] = special
            self[name] = part
        return None if key is None else content(OrderedDict.__getitem__(self, key))

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


class SequenceNode(yglu.Sequence):  # type: ignore[misc]
    def __init__(self, parts: list[Any], document: Document, path: Path) -> None:
        self.path = path
        super().__init__(parts, document)

    def __getitem__(self, index: Any) -> Any:
        return content(list.__getitem__(self, index))

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts():
            value = content(part)
            if value is not None and getattr(part, "visible", True):
                yield value

    def parts(self) -> Iterator[Any]:
        """The nodes and values of the list, with what merging keys add: at its end, as Yglu does."""
        for part in raw_parts(self):
            self.doc.evaluation.budget.look()
            if isinstance(part, MappingNode) and not len(part) and len(part.special_entries) == 1:
                key, below = part.special_entries[0]
                if isinstance(key, _Merge):
                    if not key.visited:
                        key.merge(self, below)
                    continue
            yield part


def content(part: Any) -> Any:
    return part.content() if isinstance(part, yglu.Node) else part


def failure(expression: Any, cause: BaseException) -> Failure:
    return Failure(Problem(expression.doc.file, expression.source, cause))


def raw_parts(parts: list[Any]) -> Iterator[Any]:
    return list.__iter__(parts)


def raw_items(mapping: MappingNode) -> list[tuple[Any, Any]]:
    names: Iterator[Any] = OrderedDict.__iter__(mapping)
    return [(name, OrderedDict.__getitem__(mapping, name)) for name in names]


def _is_scalar(tagged: Tagged) -> bool:
    return isinstance(tagged.node, yaml.ScalarNode)
