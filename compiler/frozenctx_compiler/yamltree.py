"""YAML text → nodes with exact marks (`compose`) → plain data that knows where each part stands (`plain`, `tree`).

In: the normalised text of one file (BOM dropped, line ends LF). Out: PyYAML's own nodes, then dicts, lists, strings,
numbers, booleans and None. The text is parsed once. The invariants: a mapping never holds a key twice, nothing refers
to itself, aliases cannot blow a small file up, and every plain scalar has one meaning (CTX-FORMAT §3).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml
from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from .diagnostics import Related, Scope, Span
from .package import Located
from .scalars import BOOL, FLOAT, FORCED, INT, MERGE, NULL, STR, TAGGED, VALUE, Meanings, Other, is_text, meanings
from .yamlnodes import MAPPING_TAG, SEQUENCE_TAG, NoNumber, TooDeep, children, document, each
from .yamlsyntax import (
    DEEPEST,
    EXPRESSION,
    Places,
    report_character,
    report_line_end,
    report_number,
    report_syntax,
)

Path = tuple[str | int, ...]

YGLU_TAGS = frozenset({"!?", "!-", "!()", "!if", "!for", "!apply"})
_KEY_TAGS = frozenset({"!?", "!if", "!for", "!apply"})  # where CTX-FORMAT §4 lets each stand: as a key,
_VALUE_TAGS = frozenset({"!?", "!-", "!()"})  # as a value,
_BLOCK_TAGS = frozenset({"!-", "!()"})  # and on a mapping or a sequence

MOST_NODES = 100_000  # nodes after aliases are followed
MOST_TEXT = 16_000_000  # characters after aliases are followed

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ANCHOR = re.compile(r"(?<![^\s\[{,:])&")  # where one can begin: not in `Q&A`
_SCALAR_TAGS = frozenset({NULL, BOOL, INT, FLOAT, STR})


class _Mark:
    __slots__ = ("word",)

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return f"<{self.word}>"


UNREADABLE: Final = _Mark("unreadable")  # stands where a fault was reported: later checks pass over it
DROPPED: Final = _Mark("dropped")  # an expression answered null: its key or item goes
UNSETTLED: Final = _Mark("unsettled")  # the place has no type that chooses between two meanings


class Tagged:
    """A node with a tag of Yglu, kept for the evaluator. `value` is what stands below a tagged mapping or sequence.

    As a key it is equal to nothing but itself, as Yglu has it: two `!if` of one mapping may read the same.
    """

    __slots__ = ("node", "path", "value")

    def __init__(self, node: yaml.Node, path: Path, value: object = None) -> None:
        self.node, self.path, self.value = node, path, value

    def __repr__(self) -> str:
        return f"<{self.node.tag}>"


class Beyond(Exception):
    """The document holds something of Yglu that `evaluate` does not answer: read it again with `keep_tags`."""


Evaluate = Callable[[yaml.ScalarNode, Path], object]  # a value, DROPPED, or UNREADABLE with the fault reported
Settle = Callable[[yaml.ScalarNode, Path, Meanings], object]  # a value, UNSETTLED, or UNREADABLE as above


def compose(
    text: str, file: str, scope: Scope, *, line_offset: int = 0, repeated: bool = False
) -> yaml.Node | None:
    """The one document of `text` as PyYAML nodes, marks in lines and code points of `file`.

    `line_offset` is the number of lines of `file` above `text` (front matter). None when the document is empty
    (nothing, comments, a bare `---`) and when it is faulty; in the second case `scope.failed` is set. With `repeated`,
    a key that stands twice is reported and the document is given all the same, so that its other faults are found.
    """
    places = Places(text, file, line_offset)
    if report_line_end(text, places, scope):
        return None
    try:
        node = document(text)
    except MarkedYAMLError as error:
        report_syntax(error, text, places, scope)
        return None
    except ReaderError:
        report_character(text, places, scope)
        return None
    except TooDeep as error:
        _too_deep(places.span(error.mark.index, error.mark.index + 1), scope)
        return None
    except NoNumber as error:
        report_number(error.index, places, scope)
        return None
    except YAMLError as error:  # nothing known raises this
        scope.add("yaml-syntax", f"this YAML cannot be read: {error}", Span(file))
        return None
    if node is None:
        return None
    return node if _Survey(text, places, scope, repeated).passes(node) else None


def is_empty(text: str) -> bool:
    """Whether a text for which `compose` gave None is an empty document, and not one with a fault."""
    return all(line.strip() in ("", "---", "...") or line.lstrip().startswith("#") for line in text.split("\n"))


def span_of(node: yaml.Node, file: str) -> Span:
    """Where a composed node stands. Of a node that covers several lines, its first character."""
    start, end = node.start_mark, node.end_mark
    if start.line == end.line and end.column > start.column:
        return Span(file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style and node.tag == MAPPING_TAG:
        key = node.value[0][0]
        if key.start_mark.index == start.index and isinstance(key, yaml.ScalarNode):
            return span_of(key, file)
    return Span.at(file, start.line + 1, start.column + 1)


def plain(node: yaml.Node, file: str, scope: Scope) -> Located | None:
    """The plain data of a composed node, without expressions: any tag that is not YAML's own is a fault.

    None when a fault was reported. Mapping keys are strings, numbers, booleans or None, as the file has them.
    """
    located = tree(node, file, scope)
    return None if located.faulty else located.located


@dataclass(frozen=True, slots=True)
class Tree:
    """What `tree` answers: the data, and whether a fault was reported (its place then holds UNREADABLE)."""

    located: Located
    faulty: bool


def tree(
    node: yaml.Node,
    file: str,
    scope: Scope,
    *,
    evaluate: Evaluate | None = None,
    settle: Settle | None = None,
    ignored: Callable[[Path], bool] | None = None,
    keep_tags: bool = False,
) -> Tree:
    """Plain data of a composed node.

    `evaluate` gives the value of a `!?` scalar, and `Beyond` is raised at everything else of Yglu; with `keep_tags`
    there is a `Tagged` in the place of each; with neither, expressions are faults. `settle` chooses the meaning of an
    ambiguous scalar whose place has a type. Values of `ignored` keys of the whole become None and only their tags are
    looked at.
    """
    reader = _Reader(file, scope, evaluate, settle, ignored, keep_tags)
    value = reader.value(node, ())
    return Tree(Located(value, file, reader.spans, reader.keys), reader.faulty)


# -- composing ------------------------------------------------------------------------------------------------------


def _too_deep(span: Span, scope: Scope) -> None:
    scope.add("yaml-too-large", "the YAML is nested too deeply", span, help=f"nest at most {DEEPEST} levels")


class _Size(NamedTuple):
    nodes: int
    text: int
    height: int


class _Survey:
    """One look at every node: marks, explicit tags, duplicate keys, recursion, and what aliases multiply."""

    __slots__ = ("open", "places", "repeated", "scope", "sizes", "sound", "text")

    def __init__(self, text: str, places: Places, scope: Scope, repeated: bool) -> None:
        self.text, self.places, self.scope, self.repeated = text, places, scope, repeated
        self.sizes: dict[yaml.Node, _Size] = {}
        self.open: set[yaml.Node] = set()
        self.sound = True

    def passes(self, root: yaml.Node) -> bool:
        anchored = "&" in self.text and _ANCHOR.search(self.text) is not None
        if not anchored and len(self.text) < MOST_NODES // 2:  # a character makes two nodes at most
            self.visit_once(root)
            return self.sound
        size = self.visit(root, 1)
        if self.sound and size is not None and (size.nodes > MOST_NODES or size.text > MOST_TEXT):
            self.fault(
                "yaml-too-large",
                f"the YAML grows to {size.nodes} values and {size.text} characters when its aliases are followed",
                span_of(root, self.places.file),
                help=f"keep it under {MOST_NODES} values and {MOST_TEXT} characters",
            )
        return self.sound

    def fault(self, code: str, headline: str, span: Span, **more: Any) -> None:
        self.sound = False
        self.scope.add(code, headline, span, **more)

    def visit_once(self, node: yaml.Node) -> None:
        """`visit` where nothing can be repeated."""
        if self.places.offset:
            node.start_mark, node.end_mark = self.places.mark(node.start_mark), self.places.mark(node.end_mark)
        if isinstance(node, yaml.ScalarNode):
            self.visit_scalar(node)
            return
        for child in children(node):
            self.visit_once(child)
        if isinstance(node, yaml.MappingNode):
            self.look_for_duplicates(node)

    def visit(self, node: yaml.Node, depth: int) -> _Size | None:
        """The size of a node, aliases followed; None when it is too deep or holds itself (reported)."""
        known = self.sizes.get(node)
        if known is not None:
            if depth + known.height > DEEPEST:
                self.too_deep(node)
                return None
            return known
        if node in self.open:
            self.fault(
                "recursive-alias",
                "an alias stands inside the value it repeats",
                span_of(node, self.places.file),
                label="this value contains itself",
                help="write the value out instead of the alias",
            )
            return None
        if self.places.offset:
            node.start_mark, node.end_mark = self.places.mark(node.start_mark), self.places.mark(node.end_mark)
        if depth > DEEPEST:
            self.too_deep(node)
            return None
        if isinstance(node, yaml.ScalarNode):
            self.visit_scalar(node)
            size = _Size(1, len(node.value), 0)
        else:
            nodes, text, height = 1, 0, 0
            self.open.add(node)
            for child in children(node):
                below = self.visit(child, depth + 1)
                if below is None:
                    return None
                nodes, text, height = nodes + below.nodes, text + below.text, max(height, below.height + 1)
            self.open.remove(node)
            if isinstance(node, yaml.MappingNode):
                self.look_for_duplicates(node)
            size = _Size(nodes, text, height)
        self.sizes[node] = size
        return size

    def too_deep(self, node: yaml.Node) -> None:
        self.sound = False
        _too_deep(span_of(node, self.places.file), self.scope)

    def visit_scalar(self, node: yaml.ScalarNode) -> None:
        """Tell `!!str 012` and `! 012` from `012`, which PyYAML's nodes do not: the first two get a style."""
        if node.style == '"' and not node.value.isascii() and _SURROGATE.search(node.value):
            headline = "a string holds half of a surrogate pair"
            self.fault("yaml-syntax", headline, span_of(node, self.places.file), help="write the character")
        start, end = node.start_mark.index, node.end_mark.index
        if node.style or end - start == len(node.value) or not node.tag.startswith("tag:"):
            return
        properties = self.text[start:end]
        if properties.startswith("&"):
            properties = properties.split(None, 1)[1] if len(properties.split(None, 1)) > 1 else ""
        if properties.startswith("!"):
            node.style = FORCED if properties.split(None, 1)[0] == "!" else TAGGED

    def look_for_duplicates(self, node: yaml.MappingNode) -> None:
        seen: dict[object, yaml.ScalarNode] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag in YGLU_TAGS:
                continue  # the first is refused when it is read, the second may stand twice
            name: object = key.value
            if key.tag not in (STR, VALUE, MERGE):
                name = meanings(key).first if key.tag in _SCALAR_TAGS else (key.tag, key.value)
            first = seen.setdefault(name, key)
            if first is key:
                continue
            help = "merge several with a list, `<<: [*a, *b]`" if key.tag == MERGE else "remove one of the two"
            headline = f"the key `{key.value}` stands twice in one mapping"
            if first.value != key.value:  # `16` and `0x10`, `1` and `true`
                headline = f"the keys `{first.value}` and `{key.value}` are equal"
            self.sound = self.sound and self.repeated
            self.scope.add(
                "duplicate-key",
                headline,
                span_of(key, self.places.file),
                label="again here",
                related=[Related(span_of(first, self.places.file), "first here")],
                help=help,
            )


# -- reading --------------------------------------------------------------------------------------------------------


class _Spans(Mapping[Path, Span]):
    """Where the nodes of a file stand, by path: worked out when it is asked for, which is seldom."""

    __slots__ = ("file", "nodes")

    def __init__(self, file: str) -> None:
        self.file = file
        self.nodes: dict[Path, yaml.Node] = {}

    def __getitem__(self, path: Path) -> Span:
        return span_of(self.nodes[path], self.file)

    def __iter__(self) -> Iterator[Path]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(slots=True)
class _Reader:
    """Turns nodes into data, collecting spans and faults on the way."""

    file: str
    scope: Scope
    evaluate: Evaluate | None
    settle: Settle | None
    ignored: Callable[[Path], bool] | None
    keep_tags: bool = False
    faulty: bool = False
    spans: _Spans = field(init=False)
    keys: _Spans = field(init=False)

    def __post_init__(self) -> None:
        self.spans, self.keys = _Spans(self.file), _Spans(self.file)

    def fault(self, code: str, headline: str, node: yaml.Node, help: str | None = None) -> object:
        self.faulty = True
        self.scope.add(code, headline, span_of(node, self.file), help=help)
        return UNREADABLE

    def value(self, node: yaml.Node, path: Path) -> object:
        self.spans.nodes[path] = node
        if len(path) == 1 and self.ignored is not None and self.ignored(path):
            self.look_at_tags(node)
            return None
        if node.tag == STR and is_text(node):
            return node.value
        if node.tag in YGLU_TAGS:
            return self.tagged(node, path, _VALUE_TAGS if isinstance(node, yaml.ScalarNode) else _BLOCK_TAGS)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, path)
        if isinstance(node, yaml.MappingNode) and node.tag == MAPPING_TAG:
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == SEQUENCE_TAG:
            return self.sequence(node, path)
        return self.wrong_tag(node)

    def mapping(self, node: yaml.MappingNode, path: Path) -> object:
        if path and node.flow_style and _looks_like_jinja(node):
            headline = "`{{ … }}` is a mapping in a mapping here, and no template"
            return self.fault("complex-key", headline, node, 'put it in "quotes", if it is text')
        result: dict[object, object] = {}
        for name, key, child in self.pairs(node, path):
            below: Path = (*path, name)  # type: ignore[arg-type]  # floats and None are keys in samples only
            self.keys.nodes[below] = key
            if path and child.tag == STR and is_text(child):  # what `value` would answer, without asking
                self.spans.nodes[below] = child
                result[name] = child.value
                continue
            value = self.value(child, below)
            if value is DROPPED:
                del self.keys.nodes[below], self.spans.nodes[below]
            else:
                result[name] = value
        return result

    def pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[object, yaml.Node, yaml.Node]]:
        """Name, key and value of each pair of a mapping."""
        if any(key.tag == MERGE for key, _ in node.value):
            chosen: dict[object, tuple[yaml.Node, yaml.Node]] = {}
            self.collect(node, path, chosen, merged=False)
            for name, (key, child) in chosen.items():
                yield name, key, child
            return
        for key, child in node.value:
            name = key.value if key.tag == STR and is_text(key) else self.key(key, path)
            if name is not UNREADABLE:
                yield name, key, child

    def collect(
        self,
        node: yaml.MappingNode,
        path: Path,
        chosen: dict[object, tuple[yaml.Node, yaml.Node]],
        merged: bool,
    ) -> None:
        """The pairs of a mapping as PyYAML orders them: merged ones first, the mapping's own over them in place."""
        own: list[tuple[yaml.Node, yaml.Node]] = []
        inherited: dict[object, tuple[yaml.Node, yaml.Node]] = {}
        for key, child in node.value:
            if key.tag != MERGE:
                own.append((key, child))
                continue
            parts = child.value if isinstance(child, yaml.SequenceNode) and child.tag == SEQUENCE_TAG else [child]
            for part in parts:
                if isinstance(part, yaml.MappingNode) and part.tag in (MAPPING_TAG, "!-"):
                    self.collect(part, path, inherited, merged=True)
                else:
                    help = "name one with `*anchor`"
                    self.fault("bad-merge", "`<<` takes a mapping or a list of mappings", part, help)
        for key, child in own:
            name = self.key(key, path)
            if name is not UNREADABLE:
                inherited[name] = (key, child)
        for name, pair in inherited.items():
            if merged:
                chosen.setdefault(name, pair)
            else:
                chosen[name] = pair

    def key(self, node: yaml.Node, path: Path) -> object:
        if not isinstance(node, yaml.ScalarNode) and node.tag not in YGLU_TAGS:
            return self.fault("complex-key", "a mapping key must be a single value", node, "use a string as the key")
        if node.tag in YGLU_TAGS:
            return self.tagged(node, path, _KEY_TAGS if isinstance(node, yaml.ScalarNode) else frozenset())
        assert isinstance(node, yaml.ScalarNode)
        if node.tag == VALUE and not node.style:
            return node.value
        return self.wrong_tag(node) if _is_refused(node) else self.meaning(node, None)

    def sequence(self, node: yaml.SequenceNode, path: Path) -> object:
        result: list[object] = []
        for child in node.value:
            value = self.value(child, (*path, len(result)))
            if value is not DROPPED:
                result.append(value)
        self.spans.nodes.pop((*path, len(result)), None)  # left by a last item that was dropped
        return result

    def tagged(self, node: yaml.Node, path: Path, allowed: frozenset[str]) -> object:
        """What a tag of Yglu becomes that stands where `allowed` tags may."""
        if self.evaluate is None and not self.keep_tags:
            return self.fault(
                "misplaced-tag", "expressions are evaluated in settings only", node, "write the value out"
            )
        if node.tag not in allowed:
            return self.misplaced(node, allowed)
        if self.keep_tags:
            below: object = None
            if isinstance(node, yaml.MappingNode):
                below = self.mapping(node, path)
            elif isinstance(node, yaml.SequenceNode):
                below = self.sequence(node, path)
            return Tagged(node, path, below)
        if allowed is not _VALUE_TAGS or node.tag != EXPRESSION or self.evaluate is None:
            raise Beyond
        assert isinstance(node, yaml.ScalarNode)
        value = self.evaluate(node, path)
        self.faulty = self.faulty or value is UNREADABLE
        return value

    def misplaced(self, node: yaml.Node, allowed: frozenset[str]) -> object:
        if not isinstance(node, yaml.ScalarNode):
            help = "if an expression begins with `[` or `{`, put it in 'single quotes'"
            headline = f"`{node.tag}` takes an expression, not a mapping or a list"
            return self.fault("misplaced-tag", headline, node, help)
        if allowed is _KEY_TAGS:
            help = "put it on the value"
            return self.fault("misplaced-tag", f"`{node.tag}` cannot stand on a key", node, help)
        help = f"write it as a key, `{node.tag} …: …`"
        return self.fault("misplaced-tag", f"`{node.tag}` stands on a key of a mapping, not on a value", node, help)

    def scalar(self, node: yaml.ScalarNode, path: Path) -> object:
        return self.wrong_tag(node) if _is_refused(node) else self.meaning(node, path)

    def meaning(self, node: yaml.ScalarNode, path: Path | None) -> object:
        both = meanings(node)
        if both.agree:
            return both.first
        if path is not None and self.settle is not None:
            value = self.settle(node, path, both)
            self.faulty = self.faulty or value is UNREADABLE
            if value is not UNSETTLED:
                return value
        if isinstance(both.first, Other) and isinstance(both.second, Other):
            if not node.style:
                return self.fault("yaml-too-large", "the number has too many digits", node, "put it in quotes")
            return self.wrong_tag(node)
        help = f'write `"{node.value}"` if the text is meant' if not node.style else "remove the tag"
        return self.fault("ambiguous-scalar", both.dispute(node.value), node, help)

    def wrong_tag(self, node: yaml.Node) -> object:
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        if node.tag in _SCALAR_TAGS or node.tag in (MAPPING_TAG, SEQUENCE_TAG):
            return self.fault("misplaced-tag", f"`{tag}` does not fit the value after it", node, "remove the tag")
        if tag.startswith("!!"):
            return self.fault("unknown-tag", f"`{tag}` gives something that is not plain data", node, "remove the tag")
        return self.fault("unknown-tag", f"the tag `{tag}` is not known", node, "remove the tag")

    def look_at_tags(self, node: yaml.Node) -> None:
        for part in each(node):
            if not part.tag.startswith("tag:yaml.org,2002:") and part.tag not in YGLU_TAGS:
                self.wrong_tag(part)


def _is_refused(node: yaml.ScalarNode) -> bool:
    """Whether a scalar is tagged as something else than a string, number, boolean or null."""
    return node.tag not in _SCALAR_TAGS and bool(node.style or not node.tag.startswith("tag:yaml.org,2002:"))


def _looks_like_jinja(node: yaml.MappingNode) -> bool:
    """Whether a mapping is written `{{ name }}`."""
    if len(node.value) != 1:
        return False
    key, value = node.value[0]
    return isinstance(key, yaml.MappingNode) and bool(key.flow_style) and value.tag == NULL and not value.value
