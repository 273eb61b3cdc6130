"""The expressions of a file as YAQL reads them, before any is evaluated.

In: data with its tags kept. Out: each expression with its tree and tokens, or with what is wrong with it. The
invariant: offsets are into the text that YAQL read, and `offset_in` makes them offsets into the text of the node.
"""

from collections.abc import Iterator

import yaml

from . import expressions, yaql_engine
from .limits import Budget, Exceeded
from .yamltree import Tagged
from .yglu_nodes import Source

Reading = yaql_engine.Parsed | yaql_engine.Unreadable


def pay(source: Source, budget: Budget) -> None:
    """Pay for the expressions of a file, each text once, before YAQL reads them. Raises Exceeded, with its place."""
    paid: set[str] = set()
    for node in _expressions(source):
        if node.value not in paid and not is_direct(node):
            paid.add(node.value)
            try:
                budget.read(len(node.value))
            except Exceeded as error:
                error.where = source.located.file, node
                raise


def read_all(source: Source) -> list[tuple[yaml.ScalarNode, Reading]]:
    """Every expression of a file as YAQL reads it, in the order of the file; not those that are evaluated directly."""
    return [(node, read(node)) for node in _expressions(source) if not is_direct(node)]


def _expressions(source: Source) -> Iterator[yaml.ScalarNode]:
    nodes = (tagged.node for tagged in all_tagged(source.located.value))
    return (node for node in nodes if isinstance(node, yaml.ScalarNode))


def offset_in(node: yaml.ScalarNode, at: int) -> int:
    """An offset into what YAQL reads as one into the text of the node: `.a` is short for `$_.a`."""
    return max(at - len(_ROOT), 0) if node.value.startswith(".") else at


_ROOT = "$_"


def read(node: yaml.ScalarNode) -> Reading:
    text = node.value
    try:
        return yaql_engine.parse(_ROOT + text if text.startswith(".") else text)
    except yaql_engine.Unreadable as problem:
        return problem


def is_direct(node: yaml.ScalarNode) -> bool:
    try:
        expressions.parse(node.value)
    except expressions.NotYet:
        return False
    return True


def all_tagged(data: object) -> Iterator[Tagged]:
    if isinstance(data, Tagged):
        yield data
        yield from all_tagged(data.value)
    elif isinstance(data, dict):
        for name, part in data.items():
            yield from all_tagged(name)
            yield from all_tagged(part)
    elif isinstance(data, list):
        for part in data:
            yield from all_tagged(part)


def texts(source: Source) -> Iterator[object]:
    """The texts that a file writes out, those inside its expressions too."""
    waiting: list[object] = [source.located.value]
    while waiting:
        data = waiting.pop()
        if isinstance(data, Tagged):
            waiting.append(data.value)
            if isinstance(data.node, yaml.ScalarNode):
                reading = read(data.node)
                if isinstance(reading, yaql_engine.Parsed):
                    yield from (token.value for token in reading.tokens)
        elif isinstance(data, dict):
            waiting += [*data.keys(), *data.values()]
        elif isinstance(data, list):
            waiting += data
        else:
            yield data


def default_of(node: yaml.ScalarNode, name: str) -> str:
    """The default of a name as the author wrote it; nothing when the name is not written there."""
    parsed = read(node)
    if isinstance(parsed, yaql_engine.Unreadable):
        return ""
    tokens = parsed.tokens
    for at, token in enumerate(tokens):
        if token.value != name or not 0 < at < len(tokens) - 1 or tokens[at + 1].value != ",":
            continue
        if tokens[at - 1].value not in ("get", "["):
            continue
        depth = 1
        for end in tokens[at + 2 :]:
            depth += (end.kind in ("FUNC", "(", "INDEXER", "MAP")) - (end.kind in (")", "]", "}"))
            if depth == 0:
                return parsed.text[tokens[at + 2].at : end.at].strip()
    return ""
