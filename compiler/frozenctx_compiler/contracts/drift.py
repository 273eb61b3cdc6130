"""How the schema that a server serves differs from the one that a stub declares (CTX-FORMAT §6, drift).

In: two JSON Schemas. Out: differences, each with its place and both sides in a few words, in the order of the declared
schema. The invariants: what says the same is no difference, however it is written (`$ref` or a copy, nested `anyOf` or
flat, `const` or a list of one); nor is what a stub cannot say and no model is harmed by: titles, examples, `$schema`,
`additionalProperties: false` and `default: null` on the served side alone. Texts are compared apart from the rest.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST_PARTS = 20_000  # of a schema whose references are followed
_NOTES = ("$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "deprecated", "readOnly", "writeOnly")
_TEXTS = ("title", "description", "examples", "$schema")
# Keyword → the value that says nothing.
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
_SHAPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(["properties", "patternProperties", "dependentSchemas"], dict),
    **dict.fromkeys(["items", "additionalProperties", "propertyNames", "contains", "not"], (dict, bool)),
    **dict.fromkeys(["anyOf", "oneOf", "allOf", "prefixItems", "required", "enum"], list),
    "type": (str, list),
    "$ref": (str, int),
}
NOTHING = "-"  # what stands for a side that does not say anything


class TooLarge(ValueError):
    """A schema whose references grow too large when they are followed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`where`: the argument, as `period.start` or `kinds[]`, and a keyword after it if the rest of it is the same."""

    where: str
    declared: str
    served: str


def differences(declared: Any, served: Any) -> list[Difference]:
    """What the two say differently, texts apart. Raises TooLarge."""
    ours, theirs = _Reading(declared), _Reading(served, served=True)
    return list(_compared(ours.schema(declared), theirs.schema(served), ""))


def text_differences(declared: Any, served: Any) -> list[Difference]:
    """Where titles, descriptions, examples and `$schema` differ. Raises TooLarge."""
    ours = dict(_texts(_Reading(declared, texts=True), declared))
    theirs = dict(_texts(_Reading(served, texts=True), served))
    return [
        Difference(where, *_sides(ours.get(where), theirs.get(where)))
        for where in dict.fromkeys([*ours, *theirs])
        if ours.get(where) != theirs.get(where)
    ]


class _Reading:
    """One schema being brought into the form in which two can be compared."""

    __slots__ = ("behind", "harmless", "parts", "root", "texts")

    def __init__(self, root: Any, *, texts: bool = False, served: bool = False) -> None:
        self.root = root
        # What only servers say, no stub can say, and no call of a model runs into.
        self.harmless: Mapping[str, object] = {"additionalProperties": False, "default": None} if served else {}
        self.texts = texts  # whether texts stay
        self.behind: list[str] = []  # the references that are being followed
        self.parts = 0

    def schema(self, schema: Any) -> Any:
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise TooLarge(f"more than {MOST_PARTS} parts")
        if schema is True:
            return {}
        if not isinstance(schema, Mapping):
            return schema
        target = schema.get("$ref")
        if isinstance(target, str):
            return self.followed(target, {key: value for key, value in schema.items() if key != "$ref"})
        return self.settled({key: value for key, value in schema.items() if self.counts(key)})

    def counts(self, keyword: str) -> bool:
        return keyword in _TEXTS if self.texts and keyword in _TEXTS else keyword not in (*_NOTES, *_TEXTS)

    def followed(self, target: str, beside: dict[str, Any]) -> Any:
        """What a reference points to, with what stands beside it. One that leads back up says how far."""
        if target in self.behind:
            return {"$ref": len(self.behind) - self.behind.index(target), **beside}
        found = self.found(target)
        if found is None:
            return self.settled({"$ref": target, **beside})
        self.behind.append(target)
        try:
            return self.schema({**found, **beside} if isinstance(found, Mapping) else found)
        finally:
            self.behind.pop()

    def found(self, target: str) -> Any:
        """What a local reference points to; None for any other one."""
        if target != "#" and not target.startswith("#/"):
            return None
        found = self.root
        for part in target[2:].split("/") if target != "#" else ():
            part = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or part not in found:
                return None
            found = found[part]
        return found

    def settled(self, schema: dict[str, Any]) -> Any:
        """A schema in one way of many to write it. What a keyword cannot hold is compared under another name."""
        result: dict[str, Any] = {}
        for keyword, value in schema.items():
            if not _is_shaped(keyword, value):
                result[f"({keyword})"] = value
                continue
            if keyword in ("properties", "patternProperties", "dependentSchemas"):
                value = {name: self.schema(part) for name, part in value.items()}
            elif keyword in ("items", "additionalProperties", "propertyNames", "contains", "not"):
                value = self.schema(value)
            elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
                value = [self.schema(part) for part in value]
            elif keyword == "required":
                value = sorted(map(str, value))
            elif keyword == "enum":
                value = sorted(map(_number, value), key=_text)
            elif keyword == "const":
                keyword, value = "enum", [_number(value)]
            else:
                value = _number(value)
            is_harmless = keyword in self.harmless and value is self.harmless[keyword]
            if not is_harmless and not any(_same(value, empty) for empty in _EMPTY.get(keyword, ())):
                result[keyword] = value
        return _merged(result)


def _is_shaped(keyword: str, value: Any) -> bool:
    return isinstance(value, _SHAPES.get(keyword, object))


def _merged(schema: dict[str, Any]) -> dict[str, Any]:
    values = schema.get("enum")
    if isinstance(values, list) and values:
        kinds = sorted({_kind(value) for value in values})
        if values == [None]:
            del schema["enum"]
            schema["type"] = "null"
        elif "type" in schema and schema["type"] in (kinds[0] if len(kinds) == 1 else None, kinds):
            del schema["type"]
    kinds_given = schema.get("type")
    if isinstance(kinds_given, list) and all(isinstance(kind, str) for kind in kinds_given):
        kinds_given = sorted(set(kinds_given))
        schema["type"] = kinds_given[0] if len(kinds_given) == 1 else kinds_given
        if len(kinds_given) > 1 and "anyOf" not in schema and schema.keys() <= {"type", *_TEXTS, "default"}:
            del schema["type"]
            schema["anyOf"] = [{"type": kind} for kind in kinds_given]
    rows = schema.get("prefixItems")
    if isinstance(rows, list) and (schema.get("items") is False or schema.get("maxItems") == len(rows)):
        # A fixed tuple, of which one side counts the items and the other says that none may follow.
        schema["items"] = False
        for keyword in ("minItems", "maxItems"):
            if schema.get(keyword) == len(rows):
                del schema[keyword]
    for keyword in ("anyOf", "allOf"):
        members = schema.get(keyword)
        if isinstance(members, list):
            schema[keyword] = members = _flat(keyword, members)
            if len(members) == 1 and isinstance(members[0], dict) and not members[0].keys() & schema.keys():
                del schema[keyword]
                schema.update(members[0])
    return schema


def _flat(keyword: str, members: list[Any]) -> list[Any]:
    """The members of an `anyOf`, those of one inside it among them, each once, in an order of their own."""
    found: dict[str, Any] = {}
    for member in members:
        inner = member.get(keyword) if isinstance(member, dict) and member.keys() == {keyword} else None
        for part in inner if isinstance(inner, list) else [member]:
            found.setdefault(_text(part), part)
    return [found[text] for text in sorted(found)]


# -- two schemas --


def _compared(ours: Any, theirs: Any, where: str) -> Iterator[Difference]:
    """The differences of two settled schemas. What is another type altogether is one difference."""
    if _same(ours, theirs):
        return
    if not isinstance(ours, dict) or not isinstance(theirs, dict) or not _comparable(ours, theirs):
        words = _words(ours), _words(theirs)
        yield Difference(where or "(all)", *_sides(*(words if words[0] != words[1] else (_text(ours), _text(theirs)))))
        return
    for keyword in dict.fromkeys([*ours, *theirs]):
        if (keyword in ours) != (keyword in theirs) or not _same(ours[keyword], theirs[keyword]):
            yield from _keyword(keyword, ours, theirs, where)


def _comparable(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether the two are of one type, so that it is told in what they differ."""
    if ours.get("type") != theirs.get("type") or ("enum" in ours) != ("enum" in theirs):
        return False
    mine, other = ours.get("anyOf"), theirs.get("anyOf")
    if (mine is None) != (other is None):
        return False
    if isinstance(mine, list) and isinstance(other, list) and not _same(mine, other):
        return len(_unmatched(mine, other)) == 1 == len(_unmatched(other, mine))
    return True


def _unmatched(members: list[Any], others: list[Any]) -> list[Any]:
    texts = {_text(other) for other in others}
    return [member for member in members if _text(member) not in texts]


def _keyword(keyword: str, ours: dict[str, Any], theirs: dict[str, Any], where: str) -> Iterator[Difference]:
    one, other = ours.get(keyword), theirs.get(keyword)
    if keyword == "properties":
        mine, served = one or {}, other or {}
        for name in dict.fromkeys([*mine, *served]):
            place = f"{where}.{name}" if where else str(name)
            if name in mine and name in served:
                yield from _required(name, ours, theirs, place)
                yield from _compared(mine[name], served[name], place)
            else:
                yield Difference(place, *_sides(_words(mine.get(name)), _words(served.get(name))))
    elif keyword == "required":
        parts = [(side.get("properties") or {}).keys() for side in (ours, theirs)]
        told = parts[0] ^ parts[1] if _same(ours.get("properties"), theirs.get("properties")) else parts[0] | parts[1]
        for name in sorted({*(one or ()), *(other or ())} - told):
            yield from _required(name, ours, theirs, f"{where}.{name}" if where else str(name))
    elif keyword == "items" and isinstance(one, dict) and isinstance(other, dict):
        yield from _compared(one, other, f"{where}[]")
    elif keyword == "additionalProperties" and isinstance(one, dict) and isinstance(other, dict):
        yield from _compared(one, other, f"{where}.*" if where else "*")
    elif keyword == "anyOf" and isinstance(one, list) and isinstance(other, list):
        yield from _compared(_unmatched(one, other)[0], _unmatched(other, one)[0], where)
    elif keyword == "prefixItems" and isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from _compared(*pair, f"{where}[{index}]")
    else:
        yield Difference(f"{where} {keyword}".strip(), *_sides(_value(keyword, ours), _value(keyword, theirs)))


def _texts(reading: _Reading, schema: Any) -> Iterator[tuple[str, str]]:
    """Each text of a schema and of its parts: where it stands → its words."""
    stack = [("", reading.schema(schema))]
    while stack:
        where, part = stack.pop(0)
        if not isinstance(part, dict):
            continue
        for keyword in _TEXTS:
            if keyword in part:
                value = part[keyword]
                yield f"{where} {keyword}".strip(), value if isinstance(value, str) else _text(value)
        properties = part.get("properties")
        for name, below in properties.items() if isinstance(properties, dict) else ():
            stack.append((f"{where}.{name}" if where else str(name), below))
        if "items" in part:
            stack.append((f"{where}[]", part["items"]))
        for keyword in ("anyOf", "prefixItems"):
            members = part.get(keyword)
            for index, below in enumerate(members) if isinstance(members, list) else ():
                stack.append((f"{where}[{index}]" if keyword == "prefixItems" else where, below))


def _required(name: str, ours: dict[str, Any], theirs: dict[str, Any], where: str) -> Iterator[Difference]:
    """Whether an argument has to be given, if the two do not agree."""
    mine, served = ("required" if name in side.get("required", ()) else "optional" for side in (ours, theirs))
    if mine != served:
        yield Difference(where, mine, served)


# -- words --


def _value(keyword: str, schema: dict[str, Any]) -> str | None:
    return _text(schema[keyword]) if keyword in schema else None


def _words(schema: Any) -> str | None:
    """A type as people say it, if there is a short word for it; else its JSON."""
    if schema is None or schema is NOTHING:
        return None
    if not isinstance(schema, dict):
        return _text(schema)
    if not schema:
        return "anything"
    if isinstance(schema.get("enum"), list):
        return " or ".join(map(_text, schema["enum"]))
    if isinstance(schema.get("anyOf"), list):
        return " or ".join(dict.fromkeys(_words(member) or "" for member in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"array of {_words(schema['items'])}"
    if kind == "object" and isinstance(schema.get("properties"), dict):
        return f"object of {', '.join(schema['properties'])}"
    plain = {key: value for key, value in schema.items() if key not in ("default", *_TEXTS)}
    return str(kind) if isinstance(kind, str) and len(plain) == 1 else _text(plain)


MOST = 44


def _sides(declared: str | None, served: str | None) -> tuple[str, str]:
    """Both sides, cut to what there is room for, around the place where they begin to differ."""
    one, other = (NOTHING if side is None else " ".join(side.split()) for side in (declared, served))
    start = 0
    if max(len(one), len(other)) > MOST:
        same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        start = max(0, same - MOST // 2)
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    if len(text) <= start:
        return text if len(text) <= MOST else "…" + text[1 - MOST :]
    shown = text[start:]
    shown = shown if len(shown) <= MOST else shown[: MOST - 1] + "…"
    return "…" + shown[1:] if start else shown


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _number(value: Any) -> Any:
    """Numbers that JSON does not tell apart as one: 1.0 is 1."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_number(item) for item in value]
    if isinstance(value, dict):
        return {key: _number(item) for key, item in value.items()}
    return value


def _same(one: Any, other: Any) -> bool:
    return one is other or _text(one) == _text(other)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array"}
    return names.get(type(value), "object")
