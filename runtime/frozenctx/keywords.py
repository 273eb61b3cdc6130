"""The keywords of JSON Schema 2020-12 that `validation.py` works with, and what of a schema it cannot work with.

In: a schema, any JSON data. Out: its subschemas with their places, or the keywords that nobody here knows or that have
a value they cannot have. The compiler warns of them when a prompt is built; `Prompt.parse` refuses such a schema.
"""

from .patterns import compiled
from .problems import pointer, quoted
from .validation import TYPES, Validator
from .words import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .problems import Path

_REMARKS = (
    "$schema", "$id", "$anchor", "$comment", "$vocabulary", "title", "description", "default", "examples",
    "deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType", "contentSchema",
)  # fmt: skip
_SCHEMA = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties",
)  # fmt: skip
_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_COUNTS = (
    "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties",
)  # fmt: skip
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
KEYWORDS = {
    **dict.fromkeys(_REMARKS, "remark"),
    **dict.fromkeys(_SCHEMA, "schema"),
    **dict.fromkeys(_SCHEMAS, "schemas"),
    **dict.fromkeys(_NAMED_SCHEMAS, "named schemas"),
    **dict.fromkeys(_COUNTS, "count"),
    **dict.fromkeys(_NUMBERS, "number"),
    "const": "remark",
    "enum": "list",
    "type": "type",
    "pattern": "pattern",
    "required": "names",
    "dependentRequired": "named names",
    "uniqueItems": "flag",
    "$ref": "reference",
}
# What earlier drafts and OpenAPI call it.
_NOW = {
    "dependencies": "`dependentRequired` or `dependentSchemas`",
    "additionalItems": "`prefixItems` with `items`",
    "id": "`$id`",
    "nullable": "`null` in `type`",
    "$recursiveRef": "`$ref`",
    "$dynamicRef": "`$ref`",
    "$dynamicAnchor": "`$anchor`",
    "$recursiveAnchor": "`$anchor`",
}
# Of the earlier ones all keywords that mean something else are refused for their values.
_DIALECTS = ("draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema")
_MEANT = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array",
    "dict": "object", "map": "object", "none": "null", "None": "null",
}  # fmt: skip
_SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas")


class Unknown:
    """A `keyword` of a schema that cannot be worked with, at `place`; why, and perhaps what to do, each as one clause.
    `wrong`: it has no meaning in JSON Schema either; else it is not known here."""

    __slots__ = ("place", "keyword", "reason", "wrong", "help")

    def __init__(self, place: "Path", keyword: str, reason: str, wrong: bool, help: "str | None" = None) -> None:
        self.place = place
        self.keyword = keyword
        self.reason = reason
        self.wrong = wrong
        self.help = help

    @property
    def pointer(self) -> str:
        return pointer(self.place)


def subschemas(schema: "Any") -> "Iterator[tuple[Path, Any]]":
    """Yield the steps to each schema directly inside a schema, and that schema."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        shape = KEYWORDS.get(keyword) if isinstance(keyword, str) else None
        if shape == "schema":
            yield (keyword,), value
        elif shape == "schemas" and isinstance(value, list):
            yield from (((keyword, index), each) for index, each in enumerate(value))
        elif shape == "named schemas" and isinstance(value, dict):
            yield from (((keyword, name), each) for name, each in value.items())


def schemas(root: "Any") -> "Iterator[tuple[Path, Any]]":
    """Yield the place of each schema of a document, and the schema, from the outside in."""
    waiting: list[tuple[Path, Any]] = [((), root)]
    while waiting:
        place, schema = waiting.pop()
        yield place, schema
        waiting += reversed([((*place, *steps), each) for steps, each in subschemas(schema)])


def unknown_keywords(schema: "Any") -> "list[Unknown]":
    """Return what a Validator cannot work with, in the order of the schema; nothing if the schema can be used."""
    validator = Validator(schema)
    found: list[Unknown] = []
    looked_at: set[Path] = set()
    leads: dict[Path, list[Path]] = {}  # place → the places whose schemas look at the same value
    waiting: list[tuple[Path, Any]] = [((), schema)]
    while waiting:
        start = waiting.pop()
        for place, each in schemas(start[1]):
            place = (*start[0], *place)
            if place in looked_at:
                continue
            looked_at.add(place)
            leads[place] = [(*place, *steps) for steps, _ in subschemas(each) if steps[0] in _SAME_VALUE]
            found += _of_one(each, place, validator)
            target = validator.found(each["$ref"]) if isinstance(each, dict) and _is_text(each.get("$ref")) else None
            if target is not None:
                leads[place].append(target[0])
                waiting.append(target)
    circle = _circle(leads)
    for place, following in zip(circle, [*circle[1:], *circle[:1]], strict=True):
        target = validator.found(validator.at(place).get("$ref", "another document"))
        if target is not None and target[0] == following:
            reason = "`$ref` leads back to where it stands, so that comparing a value would never end"
            found.append(Unknown((*place, "$ref"), "$ref", reason, True))
            break
    return found


def _of_one(schema: "Any", place: "Path", validator: Validator) -> "Iterator[Unknown]":
    """Yield what is wrong with one schema itself."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        keyword = str(place[-1]) if place else ""
        help = "write `prefixItems`" if keyword == "items" and isinstance(schema, list) else None
        what = _named(keyword) if place else "a schema"
        yield Unknown(place, keyword, f"{what} must be an object, `true` or `false`, as a schema is", True, help)
        return
    for keyword, value in schema.items():
        here = (*place, keyword)
        shape = KEYWORDS.get(keyword)
        if shape is None and not keyword.startswith("x-"):
            help = f"write {_NOW[keyword]}" if keyword in _NOW else near(keyword, KEYWORDS, 1)[2:]
            yield Unknown(here, keyword, f"the keyword {_named(keyword)} is not known", False, help or None)
        elif keyword == "$id" and place:
            yield Unknown(here, keyword, "`$id` is known at the top of a schema only", False)
        elif keyword == "$schema" and not _is_known_dialect(value):
            yield Unknown(here, keyword, f"`$schema` {quoted(value)} is a dialect that is not known", False)
        elif shape == "reference" and _is_text(value):
            if validator.found(value) is None:
                reason = "leads nowhere" if value.startswith("#") else "leads out of the schema"
                yield Unknown(here, keyword, f"`$ref` {quoted(value)} {reason}", value.startswith("#"))
        elif keyword in ("pattern", "patternProperties") and _fits(shape, value):
            for pattern in [value] if keyword == "pattern" else value:
                try:
                    compiled(pattern)
                except ValueError as error:
                    reason = f"`{keyword}` {quoted(pattern)} is not what Python's `re` reads: {error}"
                    yield Unknown(here if keyword == "pattern" else (*here, pattern), keyword, reason, False)
        elif not _fits(shape, value):
            meant = _MEANT.get(value) if shape == "type" and _is_text(value) else None
            help = f"write `{meant}`" if meant else None
            yield Unknown(here, keyword, f"`{keyword}` must be {_SHAPES[shape or '']}", True, help)
        elif keyword == "multipleOf" and value <= 0:
            yield Unknown(here, keyword, "`multipleOf` must be more than 0", True)


_SHAPES = {
    "schemas": "a list of schemas, one at least",
    "named schemas": "an object whose values are schemas",
    "count": "an integer, 0 or more",
    "number": "a number",
    "list": "a list of values, one at least",
    "type": "one or more of " + ", ".join(f"`{name}`" for name in TYPES),
    "pattern": "text",
    "names": "a list of names",
    "named names": "an object whose values are lists of names",
    "flag": "`true` or `false`",
    "reference": "text",
}


def _fits(shape: "str | None", value: "Any") -> bool:
    """Whether the value of a keyword has its shape. What is inside of schemas is looked at for itself."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if shape in ("schemas", "list"):
        return isinstance(value, list) and bool(value)
    if shape == "named schemas":
        return isinstance(value, dict)
    if shape == "count":
        return number and value >= 0 and value == int(value)
    if shape == "number":
        return number
    if shape == "type":
        names = value if isinstance(value, list) else [value]
        return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)
    if shape in ("pattern", "reference"):
        return isinstance(value, str)
    if shape == "names":
        return isinstance(value, list) and all(map(_is_text, value))
    if shape == "named names":
        return isinstance(value, dict) and all(_fits("names", names) for names in value.values())
    return isinstance(value, bool) if shape == "flag" else True


def _named(keyword: str) -> str:
    return f"`{keyword}`" if keyword.isprintable() and len(keyword) <= 40 and "`" not in keyword else quoted(keyword)


def _is_known_dialect(value: object) -> bool:
    name = str(value).removesuffix("#")
    return any(name == f"{scheme}://json-schema.org/{dialect}" for scheme in ("http", "https") for dialect in _DIALECTS)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _circle(leads: "dict[Path, list[Path]]") -> "list[Path]":
    """Return the first places that are met which lead from each to the next, and from the last to the first."""
    done: set[Path] = set()
    for start in leads:
        way: dict[Path, Iterator[Path]] = {} if start in done else {start: iter(leads[start])}
        while way:
            place = next(reversed(way))
            step = next(way[place], None)
            if step is None:
                done.add(place)
                del way[place]
            elif step in way:
                places = list(way)
                return places[places.index(step) :]
            elif step not in done and step in leads:
                way[step] = iter(leads[step])
    return []
