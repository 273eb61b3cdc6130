"""A table of keys → JSON Schema 2020-12, for editors and for whoever checks files without this compiler.

In: a Document. Out: plain data, in the order of the table; as text, the same bytes everywhere. The invariants: the
evaluated content of a file is accepted by the schema exactly when the check accepts it, `DIFFERENCES` and the notes of
the Document excepted; and no keyword is needed that editors of draft 7 do not know.

An editor sees an expression as its text, without the tag: `max_tokens: !? $env.get("N", 5)` is a string to it. So
where expressions may stand, a string that holds `$` is accepted as well. This is `$defs/expression`; with `false` in
its place (`evaluated`), the schema is the one of evaluated content.
"""

import json
from collections.abc import Iterator
from typing import Any

from .documents import DOCUMENTS
from .keys import Document, Key, Rule, Type
from .models import EFFORTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

DIFFERENCES: tuple[str, ...] = (
    "JSON Schema takes `1.0` for an integer; the check does not, as YAML tells the two apart",
    "`.nan` and `.inf` are no JSON; the check refuses them",
    "numbers in text are not compared, nor any with the largest double: the check alone says that `1e999` is too large",
    "integers in `reply_schema` and `meta` have 64 bits at most, and all keys there are strings",
    "which characters are blank around a value: U+001C to U+001F, U+0085 and U+FEFF differ between engines",
)

# Patterns are written in what ECMA 262, Python and Rust have in common.
_CONTROL = r"\x00-\x1f\x7f-\x9f"
_LONGEST = 999  # characters of a number in text

_EXPRESSION = {"$ref": "#/$defs/expression"}
_NULL = {"type": "null"}


def documents() -> dict[str, Document]:
    """Every kind that has a schema."""
    return {document.kind: document for document in DOCUMENTS}


def text(document: Document) -> str:
    """The schema as a file."""
    return json.dumps(schema(document), ensure_ascii=False, indent=2) + "\n"


def schema(document: Document) -> dict[str, Any]:
    """The schema of a document as an editor sees it."""
    writer = _Writer(document)
    body = writer.body()
    if document.expressions:
        writer.defs["expression"] = {
            "description": "An expression. An editor sees it as text, without its tag `!?`.",
            "type": "string",
            "pattern": r"\$",
        }
        writer.defs["expressionKey"] = {"description": "What comes of a key that is an expression is not known here."}
    return {
        "$schema": DIALECT,
        "$id": f"urn:frozenctx:schema:{document.kind}",
        "title": document.title,
        "description": document.meaning,
        **body,
        **({"$defs": writer.defs} if writer.defs else {}),
    }


def evaluated(document: Document) -> dict[str, Any]:
    """The schema of a document's content once its expressions are evaluated."""
    result = schema(document)
    if document.expressions:
        result["$defs"] |= {"expression": False, "expressionKey": False}
    return result


class _Writer:
    """Writes the types of one document as schemas."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.defs: dict[str, Any] = {}

    def body(self) -> dict[str, Any]:
        document = self.document
        result = self.plain(document.body)
        if document.ignored:
            ignored = {"^x-": {"description": "Ignored: a home for anchors."}}
            result["patternProperties"] = {**ignored, **result.get("patternProperties", {})}
        exclusive = [*self.twins(), *self.pairs()]
        if exclusive:
            result["allOf"] = exclusive
        return result

    def twins(self) -> Iterator[dict[str, Any]]:
        for key in self.document.body.keys:
            if key.twin is not None:
                yield {"not": {"required": [key.name, key.twin]}, "$comment": f"`{key.name}` in one spelling"}

    def pairs(self) -> Iterator[dict[str, Any]]:
        """One of each pair, null counting as not given."""
        known = {key.name: key for key in self.document.body.keys}
        for one, other in self.document.either:
            for first in known[one].spellings if one in known else ():
                for second in known[other].spellings if other in known else ():
                    given = {name: {"not": _NULL} for name in (first, second)}
                    yield {
                        "not": {"required": [first, second], "properties": given},
                        "$comment": f"`{first}` or `{second}`",
                    }

    # -- types ------------------------------------------------------------------------------------------------------

    def value(self, type: Type, *, null: bool = False) -> dict[str, Any]:
        """A value of the type, an expression where one may stand, or null if it may be that."""
        alternatives = list(self.alternatives(type))
        if self.document.expressions and not (type.kind == "string" and type.rule == "any"):
            alternatives.append(_EXPRESSION)
        if null:
            alternatives.append(_NULL)
        if all({*alternative} == {"type"} for alternative in alternatives):
            types = [alternative["type"] for alternative in alternatives]
            return {"type": types[0] if len(types) == 1 else types}
        return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}

    def alternatives(self, type: Type) -> Iterator[dict[str, Any]]:
        if type.kind == "either":
            for part in type.of:
                yield from self.alternatives(part)
        elif type.kind == "string" and type.rule in ("name", "model", "filled"):
            yield self.shared(f"{type.rule} string", self.plain(type))
        elif type.worded:
            name = f"{type.kind} from {type.least}" if type.kind == "integer" else type.kind
            yield self.shared(name, {"anyOf": [self.plain(type), *self.words(type)]})
        else:
            yield self.plain(type)
            yield from self.words(type)

    def shared(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """A reference to a schema that is written once."""
        head, *rest = name.split(" ")
        name = head + "".join(word.capitalize() for word in rest)
        if self.defs.setdefault(name, schema) != schema:
            raise ValueError(f"two types of `{self.document.kind}` would be called `{name}`")
        return {"$ref": f"#/$defs/{name}"}

    def words(self, type: Type) -> Iterator[dict[str, Any]]:
        """Texts that count as a value of the type."""
        if type.kind == "choice" and type.folded:
            yield {"type": "string", "pattern": rf"^\s*({'|'.join(map(_any_case, type.choices))})\s*$"}
        elif type.kind == "integer" and type.worded:
            yield {"type": "string", "maxLength": _LONGEST, "pattern": rf"^\s*({_digits(type)})\s*$"}
        elif type.kind == "number" and type.worded:
            yield {"type": "string", "pattern": r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"}
        elif type.kind == "boolean" and type.worded:
            yield {"enum": ["true", "false"]}

    def plain(self, type: Type) -> dict[str, Any]:
        """The type itself, without the words that count as one of its values."""
        match type.kind:
            case "string":
                return {"type": "string", **_rule(type.rule)}
            case "integer":
                return {"type": "integer", "minimum": type.least, "maximum": type.most}
            case "number":
                return {"type": "number"}
            case "boolean":
                return {"type": "boolean"}
            case "choice":
                return {"enum": list(type.choices)}
            case "list":
                items = [self.value(part) for part in type.of]
                result = {"type": "array", "items": items[0] if len(items) == 1 else {"anyOf": items}}
                return {**result, "uniqueItems": True} if type.distinct else result
            case "schema":
                return {"type": ["object", "boolean"]}
            case "mapping":
                return {"type": "object"}
            case "table":
                names = _rule(type.rule)
                more = {"propertyNames": names} if names else {}
                below = self.of(type)
                if self.document.expressions:
                    below = self.shared(f"named {type.of[0].kind}", below)
                keys = self.expression_keys(below)  # evaluated, a name of the author's may hold `$`
                return {"type": "object", **more, **keys, "additionalProperties": below}
            case _:
                return self.record(type)

    def of(self, type: Type) -> dict[str, Any]:
        return self.value(type.of[0])

    def record(self, type: Type) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for key in type.keys:
            properties[key.name] = self.key(key)
            if key.twin is not None:
                properties[key.twin] = {
                    "$ref": f"#/properties/{key.name}",
                    "description": f"The same as `{key.name}`.",
                }
        required = [key.name for key in type.keys if key.required]
        result: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            result["required"] = required
        return {**result, **self.expression_keys(), **({} if type.open else {"additionalProperties": False})}

    def expression_keys(self, *others: dict[str, Any]) -> dict[str, Any]:
        """What stands at a key that may be an expression, or is none and has one of `others`."""
        if not self.document.expressions:
            return {}
        unknown = {"$ref": "#/$defs/expressionKey"}
        return {"patternProperties": {r"^(?!x-).*\$": {"anyOf": [*others, unknown]} if others else unknown}}

    def key(self, key: Key) -> dict[str, Any]:
        words = {"description": described(key)}
        if key.later:
            return {**words, "not": {}}
        return {**words, **self.value(key.type, null=key.null and self.document.nulls)}


def described(key: Key) -> str:
    """What a key means, in sentences."""
    sentence = key.meaning[:1].upper() + key.meaning[1:] + "."
    if key.later:
        sentence += " Not supported by this version."
    return sentence + (f" Default: {key.default}." if key.default else "")


def _rule(rule: Rule) -> dict[str, Any]:
    match rule:
        case "any":
            return {}
        case "not empty":
            return {"minLength": 1}
        case "filled":
            return {"pattern": r"\S"}
        case "path":
            return {"pattern": r"^[^\x00]*$"}
        case "filled path":
            return {"pattern": r"^(?=[^\x00]*\S)[^\x00]*$"}
        case "name":
            return {"pattern": rf"^(?=.*\S)[^@,/{_CONTROL}]+$"}
        case "model":
            provider = rf"[^:/{_CONTROL}]*[^:/\s{_CONTROL}][^:/{_CONTROL}]*"
            name = rf"[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*"
            only_effort = rf"^([^:/]*[:/])?\s*@\s*({'|'.join(map(_any_case, EFFORTS))})\s*$"
            return {"pattern": rf"^\s*{provider}([:/]{name})?\s*$", "not": {"pattern": only_effort}}
        case "skill name":
            return {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"}
        case "identifier":
            return {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
        case "mount name":
            return {"pattern": "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"}
        case "fingerprint":
            return {"pattern": "^[0-9a-f]{16}$"}
        case "profile name":
            return {"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"}


def _digits(type: Type) -> str:
    """The texts of integers of `least` (0 or 1) or more."""
    return r"\+?[0-9]+|-0+" if type.least == 0 else r"\+?0*[1-9][0-9]*"


def _any_case(word: str) -> str:
    return "".join(f"[{char.upper()}{char}]" for char in word)
