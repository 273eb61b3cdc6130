"""JSON Schema 2020-12 with the standard library alone.

In: a schema and a value, both plain JSON data. Out: every problem, each with the place in the value and the keyword of
the schema that it is of. What a schema holds that this cannot work with is told by `unknown_keywords`; such a schema
has to be refused before it is asked, for here it would count as nothing.

JSON's rules, not Python's: 1 and 1.0 are equal and integers, true is no number, text is counted in code points, a
multiple is one in decimal digits (0.07 of 0.01). `format` and its like say what a text is meant to be and are not
checked. References are those inside the document: JSON pointers, and names that `$anchor` gives. CTX-FORMAT §6 makes
such schemas; `reply_schema` may hold any other (§3).

Comparing needs the same few frames of Python's stack for every value, and compares each thing once with each schema
that is referred to, however many alternatives come back to it.
"""

from .patterns import compiled
from .problems import CLAUSE, LEVELS, LONGEST, MOST, Problem, counted, literal, quoted, shown
from .words import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Generator, Iterator
    from typing import Any

    from .problems import Part, Path

    # A keyword at work: it yields each visit that it waits for, and reads what came of it afterwards.
    Check = Callable[["_Visit", Any], Iterator["_Visit"] | None]
    Problems = dict[tuple[Path, Path, str], Problem]  # one thing may be found on many ways, and is told once

UNKNOWABLE = object()  # a value that nothing can be said of without running code of others: fits every schema
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_WORDS = {"null": "null", "array": "an array", "object": "an object", "integer": "an integer"}


def _kind(value: "Any") -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "null" if value is None else "object" if isinstance(value, dict) else "array"


class Validator:
    """A schema that values are compared with. `view`: what a value is as JSON data, or UNKNOWABLE, one level at a time,
    where a schema (or None) asks for it; `show`: a value in a few words. Both are for values that are no JSON data."""

    __slots__ = ("root", "view", "show", "_anchors", "_patterns")

    def __init__(
        self,
        schema: "Any",
        view: "Callable[[Any, Any], Any]" = lambda value, schema: value,
        show: "Callable[[Any], str]" = shown,
    ) -> None:
        self.root = schema
        self.view = view
        self.show = show
        self._anchors: dict[str, Path] | None = None
        self._patterns: dict[str, re.Pattern[str]] = {}

    def problems(self, value: "Any") -> "list[Problem]":
        """Return what is wrong, in the order of the schema; nothing if the value fits."""
        run = _Run(self.root, self.view, self.show)
        run._patterns = self._patterns
        visit = _Visit(run, self.root, value, (), ())
        at_work = [visit.steps()]
        while at_work:
            waits_for = next(at_work[-1], None)
            if waits_for is None:
                at_work.pop()
            else:
                at_work.append(waits_for.steps())
        return list(visit.problems.values())

    def found(self, reference: str) -> "tuple[Path, Any] | None":
        """Return the place and the schema that a `$ref` names; None if it names nothing in this document."""
        own = self.root.get("$id") if isinstance(self.root, dict) else None
        if isinstance(own, str) and own and reference.startswith(own.rstrip("#")):
            reference = reference[len(own.rstrip("#")) :] or "#"
        if not reference.startswith("#"):
            return None
        name = reference[1:]
        if "%" in name:
            from urllib.parse import unquote

            name = unquote(name)
        if name and name[0] != "/":
            place = self.anchors.get(name)
            return None if place is None else (place, self.at(place))
        place = ()
        schema = self.root
        for part in name.split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            is_index = part.isascii() and part.isdecimal() and len(part) <= 9 and part == str(int(part))
            step: Part = int(part) if isinstance(schema, list) and is_index else part
            try:
                schema = schema[step]
            except (KeyError, IndexError, TypeError):
                return None
            place = (*place, step)
        return (place, schema) if isinstance(schema, dict | bool) else None

    def at(self, place: "Path") -> "Any":
        schema = self.root
        for part in place:
            schema = schema[part]
        return schema

    @property
    def anchors(self) -> "dict[str, Path]":
        if self._anchors is None:
            self._anchors = {}
            from .keywords import schemas

            for place, schema in schemas(self.root):
                if isinstance(schema, dict) and isinstance(schema.get("$anchor"), str):
                    self._anchors.setdefault(schema["$anchor"], place)
        return self._anchors

    def pattern(self, text: str) -> "re.Pattern[str]":
        found = self._patterns.get(text)
        if found is None:
            found = self._patterns[text] = compiled(text)
        return found

    def equal(self, value: "Any", said: "Any") -> bool:
        """Whether a value, as it is viewed, is what a schema says; no deeper than that goes."""
        waiting = [(value, said)]
        while waiting:
            value, said = waiting.pop()
            if value is UNKNOWABLE:
                continue
            if _kind(value) != _kind(said):
                return False
            if not isinstance(said, list | dict):
                if value != said:
                    return False
                continue
            names = range(len(said)) if isinstance(said, list) else said
            if len(value) != len(said) or isinstance(said, dict) and not all(name in value for name in said):
                return False
            waiting += [(self.view(value[name], None), said[name]) for name in names]
        return True

    def key(self, value: "Any") -> "tuple[Any, ...]":
        """Return something that is equal and has an equal hash exactly for equal JSON values: what a value consists of,
        from the outside in. What leads back into itself is not gone through again."""
        found: list[Any] = []
        waiting = [(value, 0)]
        gone: dict[int, tuple[int, Any]] = {}  # the value too, so that its id stays its
        while waiting:
            given, depth = waiting.pop()
            value = self.view(given, None)
            if isinstance(value, bool):
                found.append(("boolean", value))
            elif not isinstance(value, list | dict):
                found.append(object() if value is UNKNOWABLE else value)
            elif id(given) in gone or depth == LEVELS:
                found.append(("again", gone.get(id(given), (0, None))[0]))
            else:
                gone[id(given)] = len(gone), given
                names = sorted(value) if isinstance(value, dict) else range(len(value))
                found.append(("object", *names) if isinstance(value, dict) else ("array", len(value)))
                waiting += [(value[name], depth + 1) for name in names]
        return tuple(found)


class _Run(Validator):
    """A validator at work on one value. `compared`: what was, or is being, compared with a schema that was referred to:
    values of Python may lead in circles, alternatives and many ways to one thing."""

    __slots__ = ("compared",)

    def __init__(self, *args: "Any") -> None:
        super().__init__(*args)
        self.compared: dict[tuple[int, Path], _Visit | None] = {}  # a visit holds its value, so that its id stays its


class _Visit:
    """One value compared with one schema. `seen`: the names or indexes that some keyword has looked into, for those of
    its keywords that ask what is left."""

    __slots__ = ("validator", "schema", "given", "value", "path", "place", "problems", "seen")

    def __init__(self, validator: _Run, schema: "Any", value: "Any", path: "Path", place: "Path") -> None:
        self.validator = validator
        self.schema = schema
        self.given = value
        self.value = validator.view(value, schema)
        self.path = path
        self.place = place
        self.problems: Problems = {}
        self.seen: set[Part] = set()

    def steps(self) -> "Iterator[_Visit]":
        """Compare, yielding each visit that has to come to its end first."""
        schema, value = self.schema, self.value
        if schema is True or value is UNKNOWABLE:
            return
        if schema is False:
            message = f"nothing is allowed here, found {self.validator.show(self.given)}"
            self.add(self.path, self.place, "false", message)
            return
        checks = _CHECKS[_kind(value)]
        if len(self.path) > LEVELS and checks in (_CHECKS["array"], _CHECKS["object"]):
            message = f"the value is nested too deeply, in more than {LEVELS} levels"
            self.add(self.path, self.place, "", message)
            return
        for keyword in sorted(schema, key=_asks_what_is_left):
            if keyword in checks:
                yield from checks[keyword](self, schema[keyword]) or ()

    def add(self, path: "Path", place: "Path", keyword: str, message: str, expected: str = "") -> None:
        self.problems.setdefault((path, place, message), Problem(path, place, keyword, message, expected))

    def say(self, keyword: str, message: str, expected: str = "") -> None:
        message = message if len(message) <= CLAUSE else message[: CLAUSE - 1] + "…"
        self.add(self.path, (*self.place, keyword), keyword, message, expected)

    def expect(self, keyword: str, expected: str, found: "str | None" = None) -> None:
        self.say(keyword, f"expected {expected}, found {self.validator.show(self.given) if found is None else found}")

    def same(self, schema: "Any", *steps: "Part") -> "_Visit":
        """Compare the same value with a schema inside this one."""
        return _Visit(self.validator, schema, self.given, self.path, (*self.place, *steps))

    def all_of(self, schema: "Any", *steps: "Part") -> "Iterator[_Visit]":
        """Ask that the same value fits a schema inside this one."""
        other = self.same(schema, *steps)
        yield other
        self.take(other)

    def take(self, other: "_Visit") -> None:
        if other.path == self.path:
            self.problems.update(other.problems)
        else:  # the same thing, met elsewhere before
            for each in other.problems.values():
                path = (*self.path, *each.path[len(other.path) :])
                self.add(path, each.place, each.keyword, each.message, each.expected)
        self.seen |= other.seen

    def at(self, part: "Part", schema: "Any", *steps: "Part") -> "_Visit":
        """Compare one property or item with a schema inside this one."""
        return _Visit(self.validator, schema, self.value[part], (*self.path, part), (*self.place, *steps))

    def inside(self, part: "Part", schema: "Any", *steps: "Part") -> "Iterator[_Visit]":
        """Ask that one property or item fits a schema inside this one."""
        self.seen.add(part)
        other = self.at(part, schema, *steps)
        yield other
        self.problems.update(other.problems)


def _asks_what_is_left(keyword: str) -> bool:
    return keyword in ("unevaluatedItems", "unevaluatedProperties")


# Keywords for every value


def _type(visit: _Visit, types: "Any") -> None:
    types = [types] if isinstance(types, str) else types
    kind, value = _kind(visit.value), visit.value
    whole = kind == "number" and (isinstance(value, int) or value.is_integer())
    if kind not in types and not (whole and "integer" in types):
        expected = " or ".join(_WORDS.get(name, f"a {name}") for name in types)
        visit.say("type", f"expected {expected}, found {visit.validator.show(visit.given)}", expected)


def _enum(visit: _Visit, values: "list[Any]") -> None:
    if not any(visit.validator.equal(visit.value, value) for value in values):
        one = "" if len(values) == 1 else "one of "
        more = f" and {len(values) - MOST} more" if len(values) > MOST else ""
        visit.expect("enum", one + ", ".join(map(literal, values[:MOST])) + more)


def _const(visit: _Visit, value: "Any") -> None:
    if not visit.validator.equal(visit.value, value):
        visit.expect("const", literal(value))


def _ref(visit: _Visit, reference: str) -> "Iterator[_Visit]":
    found = visit.validator.found(reference)
    assert found is not None  # unknown_keywords tells
    compared, key = visit.validator.compared, (id(visit.given), found[0])
    if key not in compared:
        compared[key] = None
        other = _Visit(visit.validator, found[1], visit.given, visit.path, found[0])
        yield other
        compared[key] = other
    done = compared[key]
    if done is not None:  # else it leads back to what is being compared
        visit.take(done)


def _all_of(visit: _Visit, schemas: "list[Any]") -> "Iterator[_Visit]":
    for index, schema in enumerate(schemas):
        yield from visit.all_of(schema, "allOf", index)


def _any_of(visit: _Visit, schemas: "list[Any]") -> "Iterator[_Visit]":
    yield from _alternatives(visit, "anyOf", schemas)


def _one_of(visit: _Visit, schemas: "list[Any]") -> "Iterator[_Visit]":
    fitting = yield from _alternatives(visit, "oneOf", schemas)
    if len(fitting) > 1:
        which = " and ".join(str(index + 1) for index in fitting)
        visit.say("oneOf", f"fits several of {len(schemas)} alternatives (numbers {which}) and must fit one only")


def _alternatives(visit: _Visit, keyword: str, schemas: "list[Any]") -> "Generator[_Visit, None, list[int]]":
    """Return which schemas the value fits. If there is none, report what keeps it from the one that it fits best, or of
    several that fit equally badly, what each expected."""
    visits = [visit.same(schema, keyword, index) for index, schema in enumerate(schemas)]
    yield from visits
    fitting = [index for index, other in enumerate(visits) if not other.problems]
    for other in visits:
        if not fitting or not other.problems:
            visit.seen |= other.seen
    if not fitting:
        found = [list(other.problems.values()) for other in visits]
        ranks = [how_far(problems, len(visit.path)) for problems in found]
        best = [problems for problems, rank in zip(found, ranks, strict=True) if rank == max(ranks)]
        if len(best) == 1:
            visit.problems.update(visits[ranks.index(max(ranks))].problems)
        elif all(len(problems) == 1 and problems[0].expected for problems in best):
            expected = " or ".join(dict.fromkeys(problems[0].expected for problems in best))
            visit.say(keyword, f"expected {expected}, found {visit.validator.show(visit.given)}", expected)
        else:
            reasons = list(dict.fromkeys(problems[0].message for problems in best))
            more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
            visit.say(keyword, f"fits none of {len(schemas)} alternatives: {'; or '.join(reasons[:3])}{more}")
    return fitting


def how_far(problems: "list[Problem]", depth: int = 0) -> "tuple[int, int, int]":
    """Return how far a value at a depth got with a schema, to be compared. That a constant in a property is another one
    tells that another object is meant."""
    worst = 9_999_999, 0
    for problem in problems:
        fixed = problem.keyword in ("const", "enum")
        deep = len(problem.path) - depth
        worst = min(worst, (max(deep - fixed, 0), 0 if problem.expected and not deep else 2 - fixed))
    return (*worst, -len(problems))


def _not(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    other = visit.same(schema, "not")
    yield other
    if not other.problems:
        visit.say("not", f"{visit.validator.show(visit.given)} is what the schema excludes here: {literal(schema)}")


def _if(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    condition = visit.same(schema, "if")
    yield condition
    branch = "else" if condition.problems else "then"
    if not condition.problems:
        visit.seen |= condition.seen
    if branch in visit.schema:
        yield from visit.all_of(visit.schema[branch], branch)


# Keywords for numbers


def _limit(keyword: str, words: str, fits: "Callable[[Any, Any], bool]") -> "Check":
    def check(visit: _Visit, limit: float) -> None:
        if not fits(visit.value, limit):
            visit.expect(keyword, f"{words} {limit}")

    return check


def _multiple_of(visit: _Visit, unit: float) -> None:
    from fractions import Fraction

    def exact(number: float) -> Fraction:
        return Fraction(number if isinstance(number, int) else repr(number))

    if visit.value - visit.value or exact(visit.value) % exact(unit):  # inf - inf is NaN, which counts as true
        visit.expect("multipleOf", f"a multiple of {unit}")


# Keywords for text, and lengths of all kinds


def _length(keyword: str, noun: str) -> "Check":
    least = keyword.startswith("min")

    def check(visit: _Visit, limit: float) -> None:
        length = len(visit.value)
        if length < limit if least else length > limit:
            visit.expect(keyword, f"at {'least' if least else 'most'} {counted(int(limit), noun)}", str(length))

    return check


def _pattern(visit: _Visit, pattern: str) -> None:
    if not visit.validator.pattern(pattern).search(visit.value):
        visit.expect("pattern", f"text that matches {quoted(pattern)}")


# Keywords for arrays


def _unique_items(visit: _Visit, unique: bool) -> None:
    first: dict[Any, int] = {}
    for index, item in enumerate(visit.value if unique else ()):
        before = first.setdefault(visit.validator.key(item), index)
        if before != index:
            visit.say("uniqueItems", f"the items at {before} and {index} are equal")
            return


def _prefix_items(visit: _Visit, schemas: "list[Any]") -> "Iterator[_Visit]":
    for index, schema in enumerate(schemas[: len(visit.value)]):
        yield from visit.inside(index, schema, "prefixItems", index)


def _items(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    start = len(visit.schema.get("prefixItems", ()))
    if schema is False and len(visit.value) > start:
        visit.expect("items", f"at most {counted(start, 'item')}", str(len(visit.value)))
        visit.seen.update(range(len(visit.value)))
        return
    for index in range(start, len(visit.value)):
        yield from visit.inside(index, schema, "items")


def _contains(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    least, most = visit.schema.get("minContains", 1), visit.schema.get("maxContains")
    visits = [visit.at(index, schema, "contains") for index in range(len(visit.value))]
    yield from visits
    fitting = [index for index, other in enumerate(visits) if not other.problems]
    visit.seen.update(fitting)
    wanted = f"fit `contains`: {literal(schema)}"
    if len(fitting) < least:
        keyword = "contains" if least == 1 else "minContains"
        visit.expect(keyword, f"at least {counted(int(least), 'item')} that {wanted}", str(len(fitting)))
    if most is not None and len(fitting) > most:
        visit.expect("maxContains", f"at most {counted(int(most), 'item')} that {wanted}", str(len(fitting)))


def _unevaluated_items(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    for index in range(len(visit.value)):
        if index not in visit.seen:
            yield from visit.inside(index, schema, "unevaluatedItems")


# Keywords for objects


def _required(visit: _Visit, names: "list[str]") -> None:
    for name in dict.fromkeys(names):
        if name not in visit.value:
            visit.say("required", f"the property {quoted(name)} is missing")


def _dependent_required(visit: _Visit, required: "dict[str, list[str]]") -> None:
    for name, others in required.items():
        for other in dict.fromkeys(others) if name in visit.value else ():
            if other not in visit.value:
                message = f"the property {quoted(other)} is missing, which goes with {quoted(name)}"
                visit.say("dependentRequired", message)


def _dependent_schemas(visit: _Visit, schemas: "dict[str, Any]") -> "Iterator[_Visit]":
    for name, schema in schemas.items():
        if name in visit.value:
            yield from visit.all_of(schema, "dependentSchemas", name)


def _property_names(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    for name in visit.value:
        other = _Visit(visit.validator, schema, name, visit.path, (*visit.place, "propertyNames"))
        yield other
        named = visit.validator.show(name)
        for each in other.problems.values():
            visit.add(visit.path, each.place, each.keyword, f"the name {named} of a property: {each.message}")


def _properties(visit: _Visit, schemas: "dict[str, Any]") -> "Iterator[_Visit]":
    for name, schema in schemas.items():
        if name in visit.value:
            yield from visit.inside(name, schema, "properties", name)


def _pattern_properties(visit: _Visit, schemas: "dict[str, Any]") -> "Iterator[_Visit]":
    for pattern, schema in schemas.items():
        matches = visit.validator.pattern(pattern).search
        for name in visit.value:
            if matches(name):
                yield from visit.inside(name, schema, "patternProperties", pattern)


def _additional_properties(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    declared = visit.schema.get("properties", {})
    patterns = [visit.validator.pattern(pattern) for pattern in visit.schema.get("patternProperties", {})]
    yield from _others(
        visit,
        "additionalProperties",
        schema,
        [name for name in visit.value if name not in declared and not any(each.search(name) for each in patterns)],
    )


def _unevaluated_properties(visit: _Visit, schema: "Any") -> "Iterator[_Visit]":
    yield from _others(visit, "unevaluatedProperties", schema, [name for name in visit.value if name not in visit.seen])


def _others(visit: _Visit, keyword: str, schema: "Any", names: "list[str]") -> "Iterator[_Visit]":
    if schema is False:
        declared = visit.schema.get("properties", {})
        for number, name in enumerate(names):
            visit.seen.add(name)
            meant = near(name, declared, 1) if number < MOST and len(name) <= LONGEST else ""
            visit.say(keyword, f"the property {quoted(name)} is not allowed{meant}")
    else:
        for name in names:
            yield from visit.inside(name, schema, keyword)


_ANY: "dict[str, Check]" = {
    "type": _type, "enum": _enum, "const": _const, "$ref": _ref, "allOf": _all_of, "anyOf": _any_of, "oneOf": _one_of,
    "not": _not, "if": _if,
}  # fmt: skip
_NUMBER: "dict[str, Check]" = {
    "minimum": _limit("minimum", "at least", lambda value, limit: value >= limit),
    "maximum": _limit("maximum", "at most", lambda value, limit: value <= limit),
    "exclusiveMinimum": _limit("exclusiveMinimum", "more than", lambda value, limit: value > limit),
    "exclusiveMaximum": _limit("exclusiveMaximum", "less than", lambda value, limit: value < limit),
    "multipleOf": _multiple_of,
}
_STRING: "dict[str, Check]" = {
    "minLength": _length("minLength", "character"), "maxLength": _length("maxLength", "character"), "pattern": _pattern,
}  # fmt: skip
_ARRAY: "dict[str, Check]" = {
    "minItems": _length("minItems", "item"), "maxItems": _length("maxItems", "item"), "uniqueItems": _unique_items,
    "prefixItems": _prefix_items, "items": _items, "contains": _contains, "unevaluatedItems": _unevaluated_items,
}  # fmt: skip
_OBJECT: "dict[str, Check]" = {
    "required": _required, "dependentRequired": _dependent_required, "dependentSchemas": _dependent_schemas,
    "minProperties": _length("minProperties", "property"), "maxProperties": _length("maxProperties", "property"),
    "propertyNames": _property_names, "properties": _properties, "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties, "unevaluatedProperties": _unevaluated_properties,
}  # fmt: skip
_CHECKS = {
    "null": _ANY, "boolean": _ANY, "number": _ANY | _NUMBER, "string": _ANY | _STRING, "array": _ANY | _ARRAY,
    "object": _ANY | _OBJECT,
}  # fmt: skip
