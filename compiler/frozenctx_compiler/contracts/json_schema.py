"""From types to JSON Schema, draft 2020-12 (CTX-FORMAT §6).

In: types and classes of a stub. Out: fresh plain data in the order of the source. The invariants: a class is copied at
each use, so that a description on one field is on no other; only a class that contains itself stands once, under
`$defs` of the outermost schema, and is pointed to. An object is `type properties required description`; what is added
to a type stands behind it: `description`, then `default`.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .types import (
    NO_DEFAULT,
    UNKNOWN_DEFAULT,
    Anything,
    Array,
    Choice,
    Class,
    Described,
    Either,
    Named,
    Row,
    Scalar,
    Table,
    Type,
)

# What classes that use each other twice, and those again twice, would come to is stopped here.
MOST_PARTS = 50_000
MOST_CHARACTERS = 2_000_000
MOST_LEVELS = 150  # of types within each other, through classes

_SCALARS: dict[str, dict[str, str]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "none": {"type": "null"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "uuid": {"type": "string", "format": "uuid"},
}
_JSON_NAMES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


class SchemaTooLarge(ValueError):
    """More than MOST_PARTS parts, MOST_CHARACTERS characters or MOST_LEVELS levels. The message says which."""


class SchemaWriter:
    """Writes the schemas of one stub. What it may come to is counted over all that one writer writes, so that no number
    of schemas makes a build endless."""

    def __init__(self, classes: Mapping[str, Class]) -> None:
        self.classes = classes
        self.circular = circular(classes)
        self.definitions: dict[str, dict[str, Any]] = {}
        self.parts = 0
        self.characters = 0
        self.levels = 0

    def schema(self, declared: Class) -> dict[str, Any]:
        """The schema of a class (or of parameters in the form of one), complete in itself. Raises SchemaTooLarge."""
        self.definitions = {}
        schema = self.of_class(declared)
        return {**schema, "$defs": self.definitions} if self.definitions else schema

    def text(self, text: str) -> str:
        """A text that is written once more."""
        self.characters += len(text)
        if self.characters > MOST_CHARACTERS:
            raise SchemaTooLarge(f"more than {MOST_CHARACTERS:,} characters")
        return text

    def part(self) -> None:
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise SchemaTooLarge(f"more than {MOST_PARTS:,} parts")

    def of(self, type: Type) -> dict[str, Any]:
        self.part()
        if self.levels == MOST_LEVELS:
            raise SchemaTooLarge(f"more than {MOST_LEVELS} levels")
        self.levels += 1
        schema = self.written(type)
        self.levels -= 1
        return schema

    def written(self, type: Type) -> dict[str, Any]:
        if isinstance(type, Scalar):
            return {**_SCALARS[type.kind]}
        if isinstance(type, Choice):
            for value in type.values:
                self.value(value)
            return self.described(_choice(type), type.description)
        if isinstance(type, Array):
            return self.array(type)
        if isinstance(type, Row):
            items = {"prefixItems": [self.of(item) for item in type.items]} if type.items else {}
            return {"type": "array", **items, "items": False}
        if isinstance(type, Table):
            return self.table(type)
        if isinstance(type, Either):
            members = [self.of(member) for member in type.members]
            return {"anyOf": members} if len(members) > 1 else members[0]
        if isinstance(type, Described):
            return self.described(self.of(type.type), type.description)
        if isinstance(type, Named):
            return self.named(type.name)
        return {}

    def array(self, type: Array) -> dict[str, Any]:
        unique = {"uniqueItems": True} if type.kind == "set" else {}
        return {"type": "array", "items": self.of(type.item), **unique}

    def table(self, type: Table) -> dict[str, Any]:
        """Any text may be a key of a `dict[str, …]`; other keys are described. Of a bare `dict` nothing is said."""
        schema: dict[str, Any] = {"type": "object"}
        if isinstance(type.key, Anything) and isinstance(type.value, Anything):
            return schema
        if not isinstance(type.key, Anything) and type.key != Scalar("str"):
            schema["propertyNames"] = self.of(type.key)
        schema["additionalProperties"] = self.of(type.value)
        return schema

    def named(self, name: str) -> dict[str, Any]:
        if name not in self.classes:  # one with faults, which were told
            return {}
        if name not in self.circular:
            return self.of_class(self.classes[name])
        if name not in self.definitions:
            self.definitions[name] = {}  # so that its place is that of its first use
            self.definitions[name] = self.of_class(self.classes[name])
        return {"$ref": f"#/$defs/{quote(name)}"}

    def of_class(self, declared: Class) -> dict[str, Any]:
        properties = {}
        for field in declared.fields:
            schema = self.described(self.of(field.type), field.description)
            if field.default is not NO_DEFAULT and field.default is not UNKNOWN_DEFAULT and field.default is not None:
                schema["default"] = self.value(field.default)
            properties[self.text(field.name)] = schema
        required = [self.text(field.name) for field in declared.fields if field.required]
        schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = sorted(required) if declared.mapping else required
        return self.described(schema, declared.description)

    def described(self, schema: dict[str, Any], description: str | None) -> dict[str, Any]:
        if description is not None:
            schema["description"] = self.text(description)
        return schema

    def value(self, value: Any) -> Any:
        """A copy of plain data."""
        self.part()
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return self.text(value) if isinstance(value, str) else value


def circular(classes: Mapping[str, Class]) -> frozenset[str]:
    """The names of the classes that contain themselves, be it through others. Each class is gone into once (Tarjan)."""
    uses = {
        name: [each for field in found.fields for each in _named(field.type) if each in classes]
        for name, found in classes.items()
    }
    result: list[str] = []
    entered: dict[str, int] = {}  # name → how many were entered before
    lowest: dict[str, int] = {}  # name → the first entered that it leads to, of those that are open
    is_open: dict[str, None] = {}
    for root in classes:
        ahead = [] if root in entered else [(root, iter(uses[root]))]
        while ahead:
            name, rest = ahead[-1]
            if name not in entered:
                entered[name] = lowest[name] = len(entered)
                is_open[name] = None
            used = next(rest, None)
            if used is None:
                ahead.pop()
                if ahead:
                    lowest[ahead[-1][0]] = min(lowest[ahead[-1][0]], lowest[name])
                if lowest[name] == entered[name]:  # what was entered since leads back to here
                    circle = [is_open.popitem()[0]]
                    while circle[-1] != name:
                        circle.append(is_open.popitem()[0])
                    result += circle if len(circle) > 1 or name in uses[name] else []
            elif used not in entered:
                ahead.append((used, iter(uses[used])))
            elif used in is_open:
                lowest[name] = min(lowest[name], entered[used])
    return frozenset(result)


def _named(type: Type) -> list[str]:
    """The classes that a type names."""
    if isinstance(type, Named):
        return [type.name]
    if isinstance(type, Described):
        return _named(type.type)
    parts: tuple[Type, ...] = ()
    if isinstance(type, Array):
        parts = (type.item,)
    elif isinstance(type, Row):
        parts = type.items
    elif isinstance(type, Table):
        parts = (type.key, type.value)
    elif isinstance(type, Either):
        parts = type.members
    return [name for part in parts for name in _named(part)]


def _choice(type: Choice) -> dict[str, Any]:
    """Values of one JSON type name it: providers want it. None alone is Julep's exception."""
    kinds = dict.fromkeys(_JSON_NAMES[value.__class__] for value in type.values)
    values = list(type.values)
    schema: dict[str, Any] = {"enum": values}
    if len(kinds) == 1 and "null" not in kinds:
        schema = {"type": next(iter(kinds)), "enum": values}
    return schema
