"""JSON Schemas as graphs in which what says the same has the same number, however it is written.

In: a JSON Schema. Out: a `Graph` of nodes; `number` gives those of two graphs their numbers. The invariants: a node is
what a schema allows, as a list of shapes, each of one type: `$ref`, `anyOf` inside `anyOf`, lists of one, lists of
types, `const` and enumerations part by part are gone. A reference is an edge, so that recursion needs no end: two nodes
have one number when nothing tells them apart however far one goes (partition refinement), no matter how many levels
are written out. Texts are kept beside and have no part in it. A node is known by its pointer: no schema is read twice.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frozenctx.problems import pointer as pointer_to
from frozenctx.validation import Validator

MOST_STEPS = 1_000_000  # of reading a schema, and of comparing each of its parts once more
TOO_LARGE = f"the two take more than {MOST_STEPS:,} steps to compare"
TEXTS = ("title", "description", "examples", "$schema")
_NOTES = ("$id", "$anchor", "$comment", "$defs", "definitions", "deprecated", "readOnly", "writeOnly")
# Keyword → the values that say nothing.
_EMPTY: dict[str, tuple[object, ...]] = {
    "properties": ({},),
    "required": ([],),
    "items": ({}, True),
    "additionalProperties": ({}, True),
    "propertyNames": ({"type": "string"}, {}, True),
    "uniqueItems": (False,),
    "minItems": (0,),
    "minLength": (0,),
    "minProperties": (0,),
}
_BY_NAME = ("properties", "patternProperties", "dependentSchemas")
_IN_ORDER = ("prefixItems",)
_IN_ANY_ORDER = ("anyOf", "oneOf", "allOf")
_SINGLE = (
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(_BY_NAME, dict),
    **dict.fromkeys(_SINGLE, (dict, bool)),
    **dict.fromkeys([*_IN_ORDER, *_IN_ANY_ORDER, "required", "enum"], list),
    "type": (str, list),
}
# Keyword → the types of which it says something; any other is about all.
_ABOUT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"], ("string",)),
    **dict.fromkeys(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], ("integer", "number")
    ),
    **dict.fromkeys(
        ["items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
         "unevaluatedItems"],
        ("array",),
    ),
    **dict.fromkeys(
        ["properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependentRequired",
         "dependentSchemas", "minProperties", "maxProperties", "unevaluatedProperties"],
        ("object",),
    ),
}  # fmt: skip
# Type → what its rest is made of, anything unless it says so.
REST = {"array": "items", "object": "additionalProperties"}
ABSENT = object()
Said = dict[str, tuple[str, Any]]  # keyword → where it stands, and its value
Texts = list[tuple[str, str]]  # each text: its keyword and words


class TooLarge(ValueError):
    """Schemas that take more than MOST_STEPS."""


@dataclass(slots=True, eq=False)
class Shape:
    """One alternative of what a schema allows, of one type unless it names none. A shape is all but its texts.

    `facts`: keyword → plain data. `parts`: keyword → name, index or "" → schema.
    """

    facts: dict[str, Any]
    parts: dict[str, dict[str | int, "Node"]]
    texts: Texts
    label: str = ""
    same: object = None  # as `number` finds: equal for shapes that say the same

    def signature(self) -> tuple[object, ...]:
        """What the shape is, by the numbers that its parts have now."""
        parts: list[tuple[str, object]] = []
        for keyword in sorted(self.parts):
            numbers: Iterator[tuple[object, int]] = ((key, part.number) for key, part in self.parts[keyword].items())
            if keyword in _IN_ANY_ORDER:
                parts.append((keyword, frozenset(number for _, number in numbers)))
            else:
                parts.append((keyword, frozenset(numbers)))
        return (self.label, *parts)


@dataclass(slots=True, eq=False)
class Node:
    """What a schema allows: one of `shapes`; what it says beside: `texts`, and `default`, ABSENT when there is none."""

    shapes: list[Shape] = field(default_factory=list)
    texts: Texts = field(default_factory=list)
    default: Any = ABSENT  # as it is written
    label: str = ""  # the default as far as it counts
    number: int = 0

    def parts(self) -> Iterator["Node"]:
        return (part for shape in self.shapes for parts in shape.parts.values() for part in parts.values())

    def signature(self) -> object:
        """What the node is, by the numbers that its parts have now."""
        for shape in self.shapes:
            shape.same = shape.signature()
        return self.label, frozenset(shape.same for shape in self.shapes)


class Graph:
    """One schema. `served`: what only servers say, no stub can say, and no call runs into, is left out:
    `default: null`, and `additionalProperties: false` beside properties. Raises TooLarge."""

    def __init__(self, document: Any, *, served: bool = False) -> None:
        self.document = Validator(document)  # which knows where references lead
        self.served = served
        self.steps = 0
        self.nodes: dict[str, Node] = {}
        self.ahead: list[tuple[str, Any]] = []
        self.anything = self.node("?", True)
        self.root = self.node("", document)
        while self.ahead:
            self.fill(*self.ahead.pop())

    def node(self, pointer: str, schema: Any) -> Node:
        """The node of the schema at a pointer, or where it refers to and says nothing besides; it is filled later."""
        behind: dict[str, None] = {}
        while isinstance(schema, Mapping) and [*schema] == ["$ref"] and pointer not in behind:
            behind[pointer] = None
            _, pointer, schema = self.onward(pointer, schema) or ("", pointer, schema)
        if pointer not in self.nodes:
            self.nodes[pointer] = Node()
            self.ahead.append((pointer, schema))
        return self.nodes[pointer]

    def fill(self, pointer: str, schema: Any) -> None:
        node = self.nodes[pointer]
        said = self.said(pointer, schema)
        if "default" in said:
            node.default = _number(said["default"][1])
            if not (self.served and node.default is None):
                node.label = as_json(node.default)
        node.texts = _texts(said)
        shapes = [shape for each, texts in self.alternatives(said) for shape in self.shapes(each, texts, pointer == "")]
        node.shapes = _with_values_together(shapes)

    # -- how a schema is written ------------------------------------------------------------------------------------

    def said(self, pointer: str, schema: Any) -> Said:
        """What a schema says, with what it refers to. What stands beside a reference counts if the two disagree on a
        default or a text; anything else that they disagree on is kept under another name."""
        said: Said = {}
        behind: dict[str, None] = {}
        while True:
            self.step()
            if not isinstance(schema, Mapping):
                if schema is not True:
                    said["(schema)"] = pointer, schema
                return said
            behind[pointer] = None
            onward = self.onward(pointer, schema)
            if onward is not None and onward[1] in behind:
                onward = None  # a reference to itself, which says nothing
            for keyword, value in schema.items():
                if onward is not None and keyword == onward[0]:
                    continue
                place = pointer + pointer_to((keyword,)), value
                if keyword not in said or keyword == "default" or not _counts(keyword):
                    said.setdefault(keyword, place)
                elif as_json(said[keyword][1]) != as_json(value):
                    said.setdefault(f"({keyword})", place)
            if onward is None:
                return said
            _, pointer, schema = onward

    def onward(self, pointer: str, schema: Mapping[str, Any]) -> tuple[str, str, Any] | None:
        """The keyword that says what the schema is elsewhere, and where: a reference, or a list of one."""
        target = schema.get("$ref")
        if isinstance(target, str):
            found = self.found(target)
            return None if found is None else ("$ref", *found)
        counting = [keyword for keyword in schema if _counts(keyword) and keyword != "default"]
        if counting in (["anyOf"], ["allOf"]):
            members = schema[counting[0]]
            if isinstance(members, list) and len(members) == 1:
                return counting[0], f"{pointer}/{counting[0]}/0", members[0]
        return None

    def found(self, target: str) -> tuple[str, Any] | None:
        """What a reference within the document points to; None for any other one."""
        found = self.document.found(target)
        return None if found is None else (pointer_to(found[0]), found[1])

    def alternatives(self, said: Said) -> Iterator[tuple[Said, Texts]]:
        """The members of an `anyOf` and of those inside it, with their texts; of anything else, it alone."""
        ahead: list[tuple[Said, Texts]] = [(said, [])]
        seen: dict[str, None] = {}
        while ahead:
            said, texts = ahead.pop()
            pointer, members = said.get("anyOf", ("", None))
            counting = [keyword for keyword in said if _counts(keyword) and keyword != "default"]
            if counting != ["anyOf"] or not isinstance(members, list):
                yield said, texts
            elif pointer not in seen:
                seen[pointer] = None
                inner = [self.said(f"{pointer}/{index}", member) for index, member in enumerate(members)]
                ahead += [(each, [*texts, *_texts(each)]) for each in reversed(inner)]

    # -- shapes -----------------------------------------------------------------------------------------------------

    def shapes(self, said: Said, texts: Texts, is_root: bool) -> Iterator[Shape]:
        """A shape for each type that a schema without alternatives allows; none when it allows nothing."""
        if said.get("(schema)", ("", None))[1] is False:
            return
        facts: dict[str, Any] = {}
        parts: dict[str, dict[str | int, Node]] = {}
        properties = said.get("properties", ("", None))[1]
        for keyword, (pointer, value) in _with_rows_counted(said).items():
            if not _counts(keyword) or keyword == "default":
                continue
            is_closed = self.served and keyword == "additionalProperties" and value is False
            if (is_closed and (properties or is_root)) or _is_empty(keyword, value):
                continue
            if not _is_shaped(keyword, value):
                facts[f"({keyword})"] = value
            elif keyword in _BY_NAME:
                parts[keyword] = {name: self.node(pointer + pointer_to((name,)), part) for name, part in value.items()}
            elif keyword in (*_IN_ORDER, *_IN_ANY_ORDER):
                parts[keyword] = {index: self.node(f"{pointer}/{index}", part) for index, part in enumerate(value)}
            elif keyword in _SINGLE:
                parts[keyword] = {"": self.node(pointer, value)}
            elif keyword == "const":
                facts["enum"] = [_number(value)]
            elif keyword == "required":
                facts[keyword] = sorted(map(str, value))
            else:
                facts[keyword] = _number(value)
        yield from self.by_type(facts, parts, texts)

    def by_type(self, facts: dict[str, Any], parts: dict[str, dict[str | int, Node]], texts: Texts) -> Iterator[Shape]:
        kinds: list[str] | None = None
        if "type" in facts:
            given = facts.pop("type")
            kinds = [given] if isinstance(given, str) else given
            if not kinds or not all(isinstance(kind, str) for kind in kinds):
                facts["(type)"], kinds = given, None  # no type at all
        if "enum" in facts:  # the values name their types
            values = [each for each in facts["enum"] if kinds is None or any(kind in kinds for kind in _kinds(each))]
            yield Shape({**facts, "enum": values}, parts, texts)
        elif kinds is None:
            yield Shape(facts, parts, texts)
        else:
            for kind in dict.fromkeys(kinds):
                about = [keyword for keyword in (*facts, *parts) if _is_about(keyword, kind, kinds)]
                kept = {keyword: parts[keyword] for keyword in about if keyword in parts}
                if kind in REST:
                    kept.setdefault(REST[kind], {"": self.anything})
                yield Shape({"type": kind, **{each: facts[each] for each in about if each in facts}}, kept, texts)

    def step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLarge(TOO_LARGE)


def number(ours: Graph, theirs: Graph) -> None:
    """Give all nodes their numbers: one number is for what nothing tells apart. Raises TooLarge.

    All begin with one number. Those that differ get others, and then those whose parts have got others, until none has.
    """
    nodes = [*ours.nodes.values(), *theirs.nodes.values()]
    users: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for part in node.parts():
            users[part].append(node)
    sizes = {0: len(nodes)}  # number → how many have it
    affected = nodes
    steps = 0
    while affected:
        steps += sum(1 + len([*node.parts()]) for node in affected)
        if steps > MOST_STEPS:
            raise TooLarge(TOO_LARGE)
        apart: dict[int, dict[object, list[Node]]] = {}
        for node in affected:
            apart.setdefault(node.number, {}).setdefault(node.signature(), []).append(node)
        changed: list[Node] = []
        for before, by_signature in apart.items():
            groups = sorted(by_signature.values(), key=len, reverse=True)
            others = sizes[before] - sum(map(len, groups))  # no part of these has changed
            for group in groups if others else groups[1:]:
                for node in group:
                    node.number = len(sizes)
                sizes[len(sizes)] = len(group)
                changed += group
            sizes[before] = others or len(groups[0])
        affected = [*dict.fromkeys(user for node in changed for user in users[node])]
    for node in nodes:
        node.signature()  # by the numbers that are left


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _is_empty(keyword: str, value: Any) -> bool:
    """Whether a keyword says nothing. True is not 1."""
    return any(isinstance(value, bool) == isinstance(each, bool) and value == each for each in _EMPTY.get(keyword, ()))


def _is_shaped(keyword: str, value: Any) -> bool:
    """Whether a keyword holds what it can hold. If not, it is compared as it is, under another name."""
    return isinstance(value, _TYPES.get(keyword, object))


def _is_about(keyword: str, kind: str, kinds: Sequence[str]) -> bool:
    """Whether a keyword says something of one of the types beside it."""
    if keyword == "format" and "string" in kinds:  # else it is one of numbers, as `int64`
        return kind == "string"
    return kind in _ABOUT.get(keyword, (kind,))


def _counts(keyword: str) -> bool:
    """Whether a keyword says what is allowed."""
    return keyword not in _NOTES and keyword not in TEXTS


def _texts(said: Said) -> Texts:
    texts = [(keyword, said[keyword][1]) for keyword in TEXTS if keyword in said]
    return [(keyword, value if isinstance(value, str) else as_json(value)) for keyword, value in texts]


def _with_rows_counted(said: Said) -> Said:
    """Of a fixed tuple one side counts the items, the other says that none may follow: only the latter stays."""
    rows, most = (said.get(keyword, ("", None))[1] for keyword in ("prefixItems", "maxItems"))
    if not isinstance(rows, list) or not (most == len(rows) or said.get("items", ("", None))[1] is False):
        return said
    counted = [keyword for keyword in ("minItems", "maxItems") if keyword in said and said[keyword][1] == len(rows)]
    return {**{each: place for each, place in said.items() if each not in counted}, "items": ("!", False)}


def _with_values_together(shapes: Sequence[Shape]) -> list[Shape]:
    """Enumerations as one, without null and without both booleans, which are types."""
    kept: list[Shape] = []
    values: dict[str, Any] = {}
    texts: Texts = []
    for shape in shapes:
        if shape.facts.keys() == {"enum"} and not shape.parts:
            values.update((as_json(value), value) for value in shape.facts["enum"])
            texts += [each for each in shape.texts if each not in texts]
        else:
            kept.append(shape)
    for kind, its in (("null", ["null"]), ("boolean", ["false", "true"])):
        if all(each in values for each in its):
            for each in its:
                del values[each]
            kept.append(Shape({"type": kind}, {}, [] if values else texts))
    if values:
        kept.append(Shape({"enum": [values[each] for each in sorted(values)]}, {}, texts))
    for shape in kept:
        shape.label = as_json(shape.facts)
    return kept


def _number(value: Any) -> Any:
    """Numbers that JSON does not tell apart as one: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_number(item) for item in value]
    if isinstance(value, dict):
        return {key: _number(item) for key, item in value.items()}
    return value


def _kinds(value: Any) -> tuple[str, ...]:
    """The types of JSON Schema that a value is of."""
    if value is None or isinstance(value, bool):
        return ("null",) if value is None else ("boolean",)
    names = {str: ("string",), int: ("integer", "number"), float: ("number",), list: ("array",)}
    return names.get(type(value), ("object",))
