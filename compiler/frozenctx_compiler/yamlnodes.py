"""YAML text → PyYAML's nodes, the same whether PyYAML was built with libyaml or not.

In: normalised text (line ends LF, none of YAML 1.1's other line ends). Out: the nodes of its one document, or PyYAML's
error. PyYAML has two scanners: one in Python, which is always there, and libyaml's, ten times as fast, which takes
other texts for YAML (`a:<tab>b`) and puts some marks elsewhere. The invariant: the one in Python decides. Libyaml's is
asked first where a text holds nothing that the two read differently, and what it refuses, Python's is asked again.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml
from yaml.error import YAMLError
from yaml.resolver import Resolver

from .scalars import STR
from .yamlsyntax import DEEPEST

MAPPING_TAG = "tag:yaml.org,2002:map"
SEQUENCE_TAG = "tag:yaml.org,2002:seq"

_resolver: Any = Resolver()
_OTHER_TAG = re.compile(r"!(?<!\w!)(?!(?:\?|-|=|\(\)|!?[A-Za-z]+)(?:[ \n]|\Z))")  # a bare `!`, `!a!b`, `!%41`
_LONG_KEY = re.compile(r"\?(?<![^\s\[{,]\?)(?:[ \n]|\Z)")  # `? ` before a key without value: its mark
_HEADER_COMMENT = re.compile(r"[|>][-+0-9]*#")  # no blank before the comment
_NOTHING_IN_FLOW = re.compile(r":[ \n](?:[ \n]|#[^\n]*\n)*[],}]")  # `{a: }`: the mark of the value


class TooDeep(Exception):
    """More than DEEPEST levels are nested. `mark` is where the first one beyond begins."""

    def __init__(self, mark: yaml.Mark) -> None:
        self.mark = mark


class NoNumber(Exception):
    """A number of the syntax itself is too large: an escape of no character, the version in `%YAML`."""

    def __init__(self, index: int) -> None:
        self.index = index


class _Composing:
    """What both loaders do: count levels, and ask less often what a scalar is, for there are no resolvers by path."""

    depth = 0

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Deep

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _tag_of_plain(value) if implicit[0] else STR
        return MAPPING_TAG if kind is yaml.MappingNode else SEQUENCE_TAG


class _Deep(Exception):
    pass


class _Python(_Composing, yaml.SafeLoader):
    pass


_Libyaml: Any = type("_Libyaml", (_Composing, yaml.CSafeLoader), {}) if yaml.__with_libyaml__ else None


def document(text: str) -> yaml.Node | None:
    """The root of the one document of `text`; None when there is none.

    Raises PyYAML's errors as its scanner in Python has them, `TooDeep` and `NoNumber`.
    """
    loader: Any
    node: yaml.Node | None
    if _Libyaml is not None and not _is_doubtful(text):
        loader = _Libyaml(text)
        try:
            node = loader.get_single_node()
        except (YAMLError, _Deep):
            pass  # Python's says what is wrong, if it thinks so too
        else:
            if not _has_doubts(node, text):
                return node
        finally:
            loader.dispose()
    loader = _Python(text)
    try:
        node = loader.get_single_node()
    except _Deep:
        raise TooDeep(loader.peek_event().start_mark) from None
    except (ValueError, OverflowError):
        raise NoNumber(loader.index) from None
    finally:
        loader.dispose()
    return node


def _is_doubtful(text: str) -> bool:
    """Whether the text holds what the scanners may read differently. Some that it tells of are read alike."""
    return (
        "\t" in text
        or "\ufeff" in text
        or ("!" in text and _OTHER_TAG.search(text) is not None)
        or ("?" in text and _LONG_KEY.search(text) is not None)
        or ("#" in text and _HEADER_COMMENT.search(text) is not None)
        or (("}" in text or "]" in text) and _NOTHING_IN_FLOW.search(text) is not None)
    )


def _has_doubts(node: yaml.Node | None, text: str) -> bool:
    """The same of what libyaml made of it: a document of nothing, and `?` inside `[…]` and `{…}` that is not quoted."""
    if isinstance(node, yaml.ScalarNode):
        return not node.value
    if node is None or not _may_hold_marks(text):
        return False
    marks = flow_ends = 0
    for part in each(node):
        start, end = part.start_mark.index, part.end_mark.index
        if start < flow_ends:
            is_quoted = isinstance(part, yaml.ScalarNode) and text[start] in "'\""
            marks -= text.count("?", start, end) if is_quoted else 0
        elif isinstance(part, yaml.CollectionNode) and part.flow_style:
            marks += text.count("?", start, end)
            flow_ends = end
    return marks > 0


def _may_hold_marks(text: str) -> bool:
    """Whether a `?` stands behind the first bracket that opens and before the last that closes."""
    opens = [at for at in (text.find("["), text.find("{")) if at >= 0]
    return bool(opens) and text.find("?", min(opens), max(text.rfind("]"), text.rfind("}"))) >= 0


@lru_cache(maxsize=4096)
def _tag_of_plain(text: str) -> str:
    """What YAML 1.1 takes a plain scalar for."""
    return str(_resolver.resolve(yaml.ScalarNode, text, (True, False)))


def children(node: yaml.Node) -> Iterator[yaml.Node]:
    """The nodes directly below one, in document order: of a mapping each key and its value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def each(node: yaml.Node) -> Iterator[yaml.Node]:
    """A node and everything below it, each once, in document order."""
    waiting, seen = [node], {node}
    while waiting:
        part = waiting.pop()
        yield part
        below = [child for child in children(part) if child not in seen]
        seen.update(below)
        waiting.extend(reversed(below))
