"""Keywords of classes: those that are read over change no schema of msgspec, pydantic and ours; others are errors."""

import dataclasses
from pathlib import Path
from typing import Any

import msgspec
import pydantic
import pytest
from frozenctx_compiler import check, load
from source_trees import write

HEAD = "from dataclasses import dataclass\nfrom msgspec import Struct\nfrom pydantic import BaseModel\n\n"
BODY = ":\n    some_name: int\n    other: str = 'x'\n"
MADE = {
    "Struct": "class Output(Struct, {})",
    "BaseModel": "class Output(BaseModel, {})",
    "dataclass": "@dataclass({})\nclass Output",
}
SILENT = [
    *(("Struct", f"{name}=True") for name in ("frozen", "order", "eq", "kw_only", "omit_defaults", "gc", "weakref")),
    *(("Struct", f"{name}=False") for name in ("frozen", "eq", "gc", "tag", "array_like", "forbid_unknown_fields")),
    *(("Struct", f"{name}=None") for name in ("rename", "tag", "tag_field")),
    *(("Struct", each) for each in ("dict=True", "repr_omit_defaults=True", "cache_hash=True, frozen=True")),
    *(("BaseModel", f"{name}=True") for name in ("frozen", "validate_assignment", "validate_default", "strict")),
    ("BaseModel", "from_attributes=True"),
    *(("dataclass", f"{name}=True") for name in ("init", "repr", "eq", "order", "frozen", "unsafe_hash", "match_args")),
    *(("dataclass", each) for each in ("kw_only=True", "slots=True", "slots=True, weakref_slot=True")),
]
TELLING = ["rename='camel'", "tag=True", "tag='a'", "tag_field='kind'", "array_like=True", "forbid_unknown_fields=True"]


def theirs(maker: str, keywords: str) -> Any:
    names: dict[str, Any] = {}
    exec(HEAD + MADE[maker].format(keywords) + BODY, names)
    made = names["Output"]
    if maker == "Struct":
        return msgspec.json.schema(made)
    if maker == "BaseModel":
        assert issubclass(made, pydantic.BaseModel)
    assert maker == "BaseModel" or dataclasses.is_dataclass(made)
    return pydantic.TypeAdapter(made).json_schema()


@pytest.mark.parametrize(("maker", "keywords"), SILENT)
def test_what_is_read_over_changes_no_schema_of_anybody(maker: str, keywords: str, tmp_path: Path) -> None:
    assert theirs(maker, keywords) == theirs(maker, "")
    schemas = {}
    for name, given in (("with", keywords), ("without", "")):
        stub = HEAD + MADE[maker].format(given) + BODY
        write(tmp_path / name, {"a.ctx/settings.yaml": "model: m\n", "a.ctx/prompt.j2": "x", "a.ctx/schema.pyi": stub})
        schemas[name] = load(tmp_path / name)["a"].reply_schema
    assert schemas["with"] == schemas["without"]


@pytest.mark.parametrize("keyword", TELLING)
def test_what_changes_the_schema_of_msgspec_is_an_error(keyword: str, tmp_path: Path) -> None:
    assert theirs("Struct", keyword) != theirs("Struct", "")
    stub = HEAD + MADE["Struct"].format(keyword) + BODY
    write(tmp_path, {"a.ctx/settings.yaml": "model: m\n", "a.ctx/prompt.j2": "x", "a.ctx/schema.pyi": stub})
    [found] = check(tmp_path).report.diagnostics
    assert (found.code, found.span and found.span.line) == ("bad-declaration", 5)
    assert keyword in found.headline
