"""What `import_yaml` gives: the text of a YAML file → plain data, as PyYAML reads it safely (CTX-FORMAT §5).

In: the file's text. Out: mappings, lists, strings, numbers, booleans and None. The invariant: everything else (dates,
sets, bytes, tags of other programs) and everything that PyYAML cannot make a value of is reported where it stands.
"""

from collections.abc import Iterator
from typing import Any, cast

import yaml
from yaml.constructor import ConstructorError, SafeConstructor

from .diagnostics import Scope
from .scalars import INT, MERGE, VALUE
from .yamlnodes import children
from .yamltree import compose, is_empty, span_of

_NOT_PLAIN = {
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:set": "a set",
    "tag:yaml.org,2002:binary": "a sequence of bytes",
    "tag:yaml.org,2002:omap": "an ordered mapping",
    "tag:yaml.org,2002:pairs": "a list of pairs",
}
# What PyYAML raises for a value that it cannot make: `!!int x`, `!!int ''`, `!!bool maybe`, a number of 5,000 digits.
_REFUSALS = (ConstructorError, ValueError, LookupError, ArithmeticError)

_MOST_DIGITS = 1000  # far more than people write, and less than any interpreter refuses to convert


class Refused(Exception):
    """The file holds something that is not plain data, and that was reported."""


def plain_data(text: str, path: str, scope: Scope) -> Any:
    """The data of one file; an empty one is None. Raises Refused."""
    node = compose(text, path, scope)
    if node is None:
        if is_empty(text):
            return None
        raise Refused
    sound = True
    for part in _each(node):
        what, merged = _NOT_PLAIN.get(part.tag), _wrongly_merged(part)
        if part.tag == INT and len(part.value) > _MOST_DIGITS:
            what = "a number of so many digits"
        if what is not None:
            scope.add(
                "not-plain-data",
                f"{what} is not plain data",
                span_of(part, path),
                notes=("imported YAML holds mappings, lists, strings, numbers, booleans and null",),
                help="put it in quotes to make it a string" if isinstance(part, yaml.ScalarNode) else None,
            )
        if merged is not None:
            scope.add("not-plain-data", "`<<` takes a mapping or a list of mappings", span_of(merged, path))
        sound = sound and what is None and merged is None
    if not sound:
        raise Refused
    try:
        return SafeConstructor().construct_document(node)
    except _REFUSALS as error:
        for part, problem in _unmakable(node) or [(node, _problem(node, error))]:
            scope.add("not-plain-data", problem, span_of(part, path))
        raise Refused from None


def _wrongly_merged(node: yaml.Node) -> yaml.Node | None:
    """The value of a merge key that cannot be merged."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if key.tag == MERGE and not all(isinstance(part, yaml.MappingNode) for part in parts):
            return cast(yaml.Node, value)
    return None


def _each(node: yaml.Node) -> Iterator[yaml.Node]:
    """A node and everything below it, in document order, what aliases repeat each time."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(list(children(part))))


def _unmakable(node: yaml.Node) -> list[tuple[yaml.Node, str]]:
    """The innermost nodes that PyYAML cannot make a value of, with the reason."""
    merges = isinstance(node, yaml.MappingNode)  # a merge key is none of the mapping's values
    below = [problem for part in children(node) if not merges or part.tag != MERGE for problem in _unmakable(part)]
    if below:
        return below
    try:
        SafeConstructor().construct_document(node)
    except _REFUSALS as error:
        return [(node, _problem(node, error))]
    return []


def _problem(node: yaml.Node, error: Exception) -> str:
    tag = node.tag.replace("tag:yaml.org,2002:", "!!")
    if isinstance(error, ConstructorError):
        if "unhashable" in (error.problem or ""):
            return "a list or a mapping cannot be a key"
        if isinstance(node, yaml.ScalarNode) and node.tag in (MERGE, VALUE):
            return f"`{node.value}` is not plain data unless it is quoted"
        if "could not determine a constructor" in (error.problem or ""):
            return f"the tag `{tag}` is not known"
    return f"`{tag}` does not fit the value after it"
