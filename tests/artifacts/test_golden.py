"""No identity and no byte of an object moves: against the golden corpus, and with every stored Struct grown."""

import json
from pathlib import Path
from typing import Any, get_args

import frozenctx
import msgspec
import pytest
from frozenctx.format import object_name
from frozenctx.objects import sha256_hex
from frozenctx_artifacts import identity as identity_module
from frozenctx_artifacts import objects as objects_module
from frozenctx_artifacts.objects import Stored
from frozenctx_artifacts.record import Record
from frozenctx_compiler import emit as emit_module
from frozenctx_compiler.package import Emitted
from handmade import emitted
from msgspec import UNSET, UnsetType

from artifacts import golden_cases

GOLDEN = Path(__file__).parent / "golden"


def emitted_now() -> Emitted:
    return emitted(*golden_cases.packages())


def identities(made: Emitted) -> dict[str, dict[str, str]]:
    """Version and text of every identity, by key. The text is what the digest is of."""
    found = {}
    for data in made.objects.values():
        if data.startswith(b'{"key"'):
            prompt = json.loads(data)
            text = json.dumps(dict(sorted(prompt["identity"].items())), separators=(",", ":"))
            found[prompt["key"]] = {"version": prompt["version"], "identity": text}
    return dict(sorted(found.items()))


def objects(made: Emitted) -> dict[str, Any]:
    """Every object by digest; JSON ones with their bytes."""
    return {
        digest: "program" if digest in made.programs else data.decode() for digest, data in sorted(made.objects.items())
    }


def test_identities_are_the_golden_ones() -> None:
    assert identities(emitted_now()) == json.loads((GOLDEN / "identities.json").read_text("utf-8"))


def test_objects_are_the_golden_ones_byte_for_byte() -> None:
    made = emitted_now()
    golden = json.loads((GOLDEN / "objects.json").read_text("utf-8"))
    assert (made.release, objects(made)) == (golden["release"], golden["objects"])
    assert {digest: sha256_hex(data) for digest, data in made.objects.items()} == {d: d for d in made.objects}


def test_golden_objects_load_and_render() -> None:
    golden = json.loads((GOLDEN / "objects.json").read_text("utf-8"))
    made = emitted_now()
    files = {
        object_name(digest, ".py" if text == "program" else ".json"): made.objects[digest]
        for digest, text in golden["objects"].items()
    }
    prompts = frozenctx.load(
        {**files, "profiles/default": f"frozenctx 1 sha256:{golden['release']}\n".encode()},
        filters={"money": str},
        tests={"vip": bool},
        renderers={"corp/system": lambda variables: "s", "corp/user": lambda variables: "u"},
        verify=True,
    )
    assert [m["content"] for m in prompts["templates/both"].messages()] == ["golden 1", "golden 2"]
    assert prompts["literal/floats"].settings.max_tokens == 2**70
    assert prompts["literal/everything"].meta == {"owner": "ünit", "z": [1, 2.0, None, True], "a": {}}


STRUCTS = [value for value in vars(objects_module).values() if isinstance(value, type) and issubclass(value, Stored)]
STRUCTS = [*(struct for struct in STRUCTS if struct is not Stored), identity_module.Identity]


def grown(struct: type[Stored], by: dict[type[Stored], type[Stored]]) -> type[Stored]:
    """The Struct with an optional field more, and with the Structs in its fields replaced by grown ones."""
    fields: list[Any] = []
    for field in msgspec.structs.fields(struct):
        kind = field.type
        for old, new in by.items():
            if kind is old:
                kind = new
            elif get_args(kind) == (old,):
                kind = list[new]  # type: ignore[valid-type]
        fields.append((field.name, kind) if field.required else (field.name, kind, field.default))
    fields.append(("added_later", int | UnsetType, UNSET))
    name = f"{struct.__name__}Grown"
    made = msgspec.defstruct(name, fields, bases=(Stored,), frozen=True, kw_only=True, rename="camel")
    assert issubclass(made, Stored)
    return made


def test_growing_every_stored_struct_by_an_optional_field_moves_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    before = emitted_now()
    by: dict[type[Stored], type[Stored]] = {}
    for struct in STRUCTS:
        by[struct] = grown(struct, by)
    identity = by[identity_module.Identity]
    monkeypatch.setattr(identity_module, "Identity", identity)
    for struct in (objects_module.PromptObject, objects_module.Release):
        monkeypatch.setattr(emit_module, struct.__name__, by[struct])
    assert emitted_now() == before
    # The grown Structs were really used: a set field does show.
    value: dict[str, Any] = {"name": "n", "model": "m", "system": "", "replySchema": None, "tools": [], "addedLater": 1}
    assert msgspec.to_builtins(msgspec.convert(value, identity)) == value


def test_growing_a_struct_by_a_subclass_moves_no_identity() -> None:
    class Grown(identity_module.Identity, frozen=True, kw_only=True):
        added_later: str | UnsetType = UNSET

    given = {"name": "n", "model": "m", "system": "", "replySchema": {}, "tools": [], "maxTokens": 0}
    both = [msgspec.json.encode(msgspec.convert(given, struct)) for struct in (identity_module.Identity, Grown)]
    assert both[0] == both[1]


@pytest.mark.parametrize("struct", [*STRUCTS, Record])
def test_optional_fields_of_stored_structs_are_unset_and_never_a_default_value(struct: type[Stored]) -> None:
    assert not struct.__struct_config__.omit_defaults
    for field in msgspec.structs.fields(struct):
        assert field.required or field.default is UNSET, field.name
