"""How the schema that a server serves differs from the one that a stub declares (CTX-FORMAT §6, drift).

In: two JSON Schemas. Out: differences, each with its place and both sides in a few words, argument by argument in the
order of the declared schema, the outermost first. The invariants: what says the same is no difference, however it is
written (`schema_graphs.py` says what that is); nor is what a stub cannot say and no model is harmed by: titles,
examples, `$schema`, `default: null` and `additionalProperties: false` beside properties on the served side alone. Texts
are compared apart from the rest.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from .schema_graphs import ABSENT, MOST_STEPS, REST, TEXTS, TOO_LARGE, Graph, Node, Shape, Texts, as_json, number
from .schema_graphs import TooLarge as TooLarge

NOTHING = "-"  # what stands for a side that does not say anything
MOST = 44  # characters of a side that are shown
_LONGEST = 60  # characters of a place
# Of a type that is told in words or JSON, which are cut in any case: how deep and how wide they are made.
_LEVELS = 3
_WIDTH = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """`where`: the argument, as `period.start` or `kinds[]`, and a keyword after it if the rest of it is the same."""

    where: str
    declared: str
    served: str


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two schemas that stand at one place."""

    where: str
    ours: Node
    theirs: Node


def compared(declared: Any, served: Any) -> tuple[list[Difference], list[Difference]]:
    """What the two say differently: what they allow; then titles, descriptions, examples and `$schema`. Raises
    TooLarge."""
    ours, theirs = Graph(declared), Graph(served, served=True)
    number(ours, theirs)
    root = _Pair("", ours.root, theirs.root)
    return _walked(root, _differences), _walked(root, _text_differences)


def _walked(root: _Pair, of: Callable[[_Pair], Iterator[Difference | _Pair]]) -> list[Difference]:
    """All differences below a pair, argument by argument: what two have in common is told of both, and what one has at
    several places, as a class that contains itself, at the outermost."""
    found: dict[Difference, None] = {}
    steps = 0
    for argument in of(root):
        ahead: deque[Difference | _Pair] = deque([argument])
        seen: dict[tuple[Node, Node], None] = {}
        while ahead:
            each = ahead.popleft()
            if isinstance(each, Difference):
                found[each] = None
            elif (each.ours, each.theirs) not in seen:
                seen[each.ours, each.theirs] = None
                within = [*of(each)]
                ahead += within
                steps += 1 + len(within)
                if steps > MOST_STEPS:
                    raise TooLarge(TOO_LARGE)
    return [*found]


# -- what they allow --


def _differences(pair: _Pair) -> Iterator[Difference | _Pair]:
    """How two schemas differ, and their parts. What is another type altogether is one difference."""
    if pair.ours.number == pair.theirs.number:
        return
    ours, theirs = _unmatched(pair.ours, pair.theirs), _unmatched(pair.theirs, pair.ours)
    is_one = len(ours) == len(theirs) == 1
    if not (is_one and _alike(ours[0], theirs[0])) and (ours or theirs):
        shapes = (ours, theirs) if is_one else (pair.ours.shapes, pair.theirs.shapes)
        words = _words_of(shapes[0]), _words_of(shapes[1])
        yield _difference(pair.where, *(words if words[0] != words[1] else map(_plain_text, shapes)))
        return
    if pair.ours.label != pair.theirs.label:
        yield from _unlike(pair.where, "default", pair.ours.default, pair.theirs.default)
    if is_one:
        yield from _shape_differences(pair.where, ours[0], theirs[0])


def _unmatched(node: Node, other: Node) -> list[Shape]:
    """The shapes that the other one has not, each once."""
    others = {shape.same for shape in other.shapes}
    return [*{shape.same: shape for shape in node.shapes if shape.same not in others}.values()]


def _alike(one: Shape, other: Shape) -> bool:
    """Whether the two are of one type, so that it is told in what they differ."""
    return one.facts.get("type") == other.facts.get("type") and ("enum" in one.facts) == ("enum" in other.facts)


def _shape_differences(where: str, one: Shape, other: Shape) -> Iterator[Difference | _Pair]:
    mine, served = one.parts.get("properties", {}), other.parts.get("properties", {})
    for name in dict.fromkeys([*mine, *served]):
        if name in mine and name in served:
            yield from _required(str(name), one, other, where)
            yield _Pair(_below(where, name), mine[name], served[name])
        else:
            words = (_words_of(side[name].shapes) if name in side else None for side in (mine, served))
            yield _difference(_below(where, name), *words)
    for name in sorted({*one.facts.get("required", ()), *other.facts.get("required", ())} - {*mine, *served}):
        yield from _required(name, one, other, where)
    for keyword in dict.fromkeys([*one.facts, *other.facts]):
        if keyword != "required":
            yield from _unlike(where, keyword, one.facts.get(keyword, ABSENT), other.facts.get(keyword, ABSENT))
    for keyword in dict.fromkeys([*one.parts, *other.parts]):
        pairs = _pairs(keyword, where, one, other)
        if pairs is None:
            yield from _unlike(where, keyword, _plain_part(one, keyword), _plain_part(other, keyword))
        elif keyword != "properties":
            yield from pairs


def _unlike(where: str, keyword: str, one: Any, other: Any) -> Iterator[Difference]:
    """A row for a keyword of which the two sides say something else. ABSENT: nothing."""
    sides = (None if side is ABSENT else as_json(side) for side in (one, other))
    yield from (each for each in [_difference(f"{where} {keyword}", *sides)] if each.declared != each.served)


def _required(name: str, one: Shape, other: Shape, where: str) -> Iterator[Difference]:
    """Whether an argument has to be given, if the two do not agree."""
    mine, served = ("required" if name in side.facts.get("required", ()) else "optional" for side in (one, other))
    if mine != served:
        yield _difference(_below(where, name), mine, served)


def _pairs(keyword: str, where: str, one: Shape, other: Shape) -> list[_Pair] | None:
    """The parts of two shapes that stand at one place; None where the two have not the same places."""
    mine, served = one.parts.get(keyword, {}), other.parts.get(keyword, {})
    if keyword == "properties":
        return [_Pair(_below(where, name), mine[name], served[name]) for name in mine if name in served]
    if mine.keys() != served.keys():
        return None
    if keyword == "prefixItems":
        return [_Pair(_place(f"{where}[{index}]"), mine[index], served[index]) for index in mine]
    if keyword == "items" and "prefixItems" not in {**one.parts, **other.parts}:
        return [_Pair(_place(f"{where}[]"), mine[""], served[""])]
    if keyword == "additionalProperties":
        return [_Pair(_below(where, "*"), mine[""], served[""])]
    return None


def _below(where: str, name: str | int) -> str:
    return _place(f"{where}.{name}") if where else str(name)


# -- texts --


def _text_differences(pair: _Pair) -> Iterator[Difference | _Pair]:
    """How the texts of two schemas differ, and their parts. The shapes of a union are told apart by what they allow."""
    yield from _of_texts(pair.where, pair.ours.texts, pair.theirs.texts)
    matched: dict[object, tuple[list[Shape], list[Shape]]] = {}
    for shapes, side in ((pair.ours.shapes, 0), (pair.theirs.shapes, 1)):
        for shape in shapes:
            matched.setdefault(shape.same, ([], []))[side].append(shape)
    ours, theirs = _unmatched(pair.ours, pair.theirs), _unmatched(pair.theirs, pair.ours)
    pairs = [each for each in matched.values() if all(each)]
    if len(ours) == len(theirs) == 1:
        pairs.append((ours, theirs))
    for mine, served in pairs:
        texts = ([text for shape in side for text in shape.texts] for side in (mine, served))
        yield from _of_texts(pair.where, *texts)
        for one, other in zip(mine, served, strict=False):
            for keyword in one.parts:
                yield from _pairs(keyword, pair.where, one, other) or ()


def _of_texts(where: str, ours: Texts, theirs: Texts) -> Iterator[Difference]:
    for keyword in TEXTS:
        mine = [words for each, words in ours if each == keyword and (each, words) not in theirs]
        served = [words for each, words in theirs if each == keyword and (each, words) not in ours]
        for sides in zip_longest(mine, served):
            yield _difference(f"{where} {keyword}", *sides)


# -- words --


def _difference(where: str, declared: str | None, served: str | None) -> Difference:
    """A row, with both sides cut to what there is room for, around the place where they begin to differ."""
    one, other = (NOTHING if side is None else " ".join(side.split()) for side in (declared, served))
    start = 0
    if max(len(one), len(other)) > MOST:
        same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        start = max(0, same - MOST // 2)
    return Difference(_place(where.strip()) or "(all)", _cut(one, start), _cut(other, start))


def _place(where: str) -> str:
    """A place, without its beginning where there is no room for it."""
    return where if len(where) <= _LONGEST else "…" + where[1 - _LONGEST :]


def _cut(text: str, start: int) -> str:
    if len(text) <= start:
        return text if len(text) <= MOST else "…" + text[1 - MOST :]
    shown = text[start:]
    shown = shown if len(shown) <= MOST else shown[: MOST - 1] + "…"
    return "…" + shown[1:] if start else shown


def _words_of(shapes: Sequence[Shape], levels: int = _LEVELS) -> str:
    """What a schema allows as people say it."""
    return " or ".join(dict.fromkeys(_words(shape, levels) for shape in shapes[:_WIDTH])) or "nothing"


def _words(shape: Shape, levels: int) -> str:
    """A type as people say it, if there is a short word for it; else its JSON."""
    if "enum" in shape.facts:
        return " or ".join(map(as_json, shape.facts["enum"]))
    kind = shape.facts.get("type")
    rest = _rest(shape)
    if kind == "array" and rest is not None and "prefixItems" not in shape.parts:
        return f"array of {_words_of(rest.shapes, levels - 1) if levels else '…'}"
    if kind == "object" and "properties" in shape.parts:
        return f"object of {', '.join(map(str, shape.parts['properties']))}"
    plain = _plain(shape, levels)
    return "anything" if not plain else str(kind) if [*plain] == ["type"] else as_json(plain)


def _rest(shape: Shape) -> Node | None:
    """What further items or properties have to be; None when they may be anything."""
    rest = shape.parts.get(REST.get(shape.facts.get("type", ""), ""))
    return rest[""] if rest and not _is_anything(rest[""]) else None


def _is_anything(node: Node) -> bool:
    return not node.label and len(node.shapes) == 1 and not node.shapes[0].facts and not node.shapes[0].parts


def _plain_text(shapes: Sequence[Shape]) -> str:
    return as_json(_plain_shapes(shapes, _LEVELS))


def _plain_shapes(shapes: Sequence[Shape], levels: int) -> Any:
    members = [_plain(shape, levels) for shape in shapes[:_WIDTH]]
    return members[0] if len(members) == 1 else {"anyOf": members} if members else False


def _plain_node(node: Node, levels: int) -> Any:
    """A schema written out, so many levels of it."""
    plain = _plain_shapes(node.shapes, levels) if levels > 0 else "…"
    return {**plain, "default": node.default} if isinstance(plain, dict) and node.label else plain


def _plain(shape: Shape, levels: int) -> dict[str, Any]:
    parts = {keyword: _plain_part(shape, keyword, levels) for keyword in shape.parts}
    return {**shape.facts, **{keyword: part for keyword, part in parts.items() if part is not ABSENT}}


def _plain_part(shape: Shape, keyword: str, levels: int = _LEVELS) -> Any:
    """The schemas under a keyword written out; ABSENT where nothing is said."""
    parts = shape.parts.get(keyword)
    if parts is None or (keyword == REST.get(shape.facts.get("type", "")) and _is_anything(parts[""])):
        return ABSENT
    plain = {name: _plain_node(part, levels - 1) for name, part in [*parts.items()][:_WIDTH]}
    if [*plain] == [""]:
        return plain[""]
    return [*plain.values()] if all(isinstance(name, int) for name in plain) else plain
