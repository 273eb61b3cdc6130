"""Random schemas, and values that often nearly fit: few names and numbers, so that keywords meet what they mean."""

from typing import Any

from hypothesis import strategies as st

NAMES = ["a", "b", "ab", "c"]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
PATTERNS = ["^a", "b$", "^[ab]*$", "a.c", r"\d", r"^\w+$", "^(a|b)+$", "(?!a)b"]

names = st.sampled_from(NAMES)
numbers = st.one_of(
    st.integers(-3, 4), st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1.5, 0.1, 0.3, 0.07, 1e3, 1e-7, 2**53 + 1, 1e20])
)
texts = st.one_of(names, st.sampled_from(["", "a\n", "bé", "\U0001f600", "a1", "aXc", "a\nc"]))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=8,
)


def _keyword(inner: st.SearchStrategy[Any], alternatives: bool) -> st.SearchStrategy[dict[str, Any]]:
    count = st.integers(0, 3)
    schemas = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(names, inner, max_size=3)
    several = st.lists(names, max_size=3, unique=True)
    types = st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "type": st.one_of(st.sampled_from(TYPES), types),
        "enum": st.lists(values, min_size=1, max_size=3),
        "const": values,
        "properties": named,
        "required": several,
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b", "c$"]), inner, max_size=2),
        "propertyNames": inner,
        "minProperties": count,
        "maxProperties": count,
        "dependentRequired": st.dictionaries(names, several, max_size=2),
        "dependentSchemas": named,
        "items": inner,
        "prefixItems": schemas,
        "minItems": count,
        "maxItems": count,
        "uniqueItems": st.booleans(),
        "minimum": numbers,
        "maximum": numbers,
        "exclusiveMinimum": numbers,
        "exclusiveMaximum": numbers,
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 0.1, 0.01, 1e-7, 1.0, 1.5]),
        "minLength": count,
        "maxLength": count,
        "pattern": st.sampled_from(PATTERNS),
        "allOf": schemas,
        "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b~1c%25"]),
        "format": st.just("date"),
        "title": st.just("a title"),
    }
    if alternatives:
        kinds |= {
            "contains": inner,
            "minContains": count,
            "maxContains": count,
            "anyOf": schemas,
            "oneOf": schemas,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "unevaluatedProperties": inner,
            "unevaluatedItems": inner,
        }

    def several_of(chosen: list[str]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({name: kinds[name] for name in chosen})

    return st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4, unique=True).flatmap(several_of)


def schemas(*, alternatives: bool = True) -> st.SearchStrategy[Any]:
    """Schemas of 2020-12. Without `alternatives`: every keyword that fails says so for itself."""
    one = st.recursive(
        st.one_of(st.booleans(), st.builds(lambda name: {"type": name}, st.sampled_from(TYPES))),
        lambda inner: _keyword(inner, alternatives),
        max_leaves=8,
    )

    def with_definitions(made: tuple[Any, Any, Any]) -> Any:
        schema, first, second = made
        # A definition refers to nothing but what is inside a value, so that no reference leads in a circle.
        inside = {"properties": {"a": {"$ref": "#/$defs/a"}}, "items": {"$ref": "#"}}
        return {**schema, "$defs": {"a": first, "b/c%": {**second, **inside}}} if isinstance(schema, dict) else schema

    plain = one.filter(lambda schema: isinstance(schema, dict) and "$ref" not in str(schema))
    return st.tuples(one, plain, plain).map(with_definitions)
