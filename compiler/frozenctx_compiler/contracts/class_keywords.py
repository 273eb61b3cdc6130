"""What stands beside the bases of a class, and in the call of its decorator: `frozen=True`, `total=False`.

In: one keyword, and what the class is. Out: nothing where it leaves the schema as it is, else one thing to do. The
invariant: what msgspec's own schema of a `Struct` takes from a keyword is never passed over.
"""

import ast
from collections.abc import Collection

STRUCT, MODEL, DATACLASS = "msgspec.Struct", "pydantic.BaseModel", "dataclasses.dataclass"

# By what a class is made: keywords that say how it behaves in Python and nothing of its data.
_SILENT: dict[str, frozenset[str]] = {
    STRUCT: frozenset(
        ["frozen", "order", "eq", "kw_only", "omit_defaults", "repr_omit_defaults", "gc", "weakref", "dict"]
        + ["cache_hash"]
    ),
    MODEL: frozenset(["frozen", "validate_assignment", "validate_default", "from_attributes", "strict"]),
    DATACLASS: frozenset(
        ["init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot"]
    ),
}
_INSTEAD = {  # of a Struct: what changes its schema, unless it is None or False → how a stub says it
    "rename": "name the fields as they are in the data",
    "tag": "declare the field that tells it from others, with a `Literal`",
    "tag_field": "declare the field that tells it from others, with a `Literal`",
    "array_like": "take it away, or write a `tuple[…]` where the class is used",
    "forbid_unknown_fields": "take it away: a schema of a stub lets other fields be",
}


def fault_of(keyword: ast.keyword, makers: Collection[str]) -> str | None:
    """What to do about a keyword of a class that `makers` have made (STRUCT and the like); None when it says nothing of
    the schema."""
    name, value = keyword.arg, keyword.value
    if name is not None and any(name in _SILENT.get(maker, ()) for maker in makers):
        return None
    if name in _INSTEAD and STRUCT in makers:
        is_off = isinstance(value, ast.Constant) and (value.value is None or value.value is False)
        return None if is_off else _INSTEAD[name]
    return "take it away"


def total(keyword: ast.keyword) -> bool | None:
    """What `total=` of a TypedDict says; None for anything else."""
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    return value if keyword.arg == "total" and isinstance(value, bool) else None
