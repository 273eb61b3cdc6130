"""FORMAT.md is true: its digests are recomputed, its files are loaded, and its fields are those of the Structs."""

import hashlib
import json
import re
from pathlib import Path

import frozenctx
import msgspec
from frozenctx_artifacts.codec import encode
from frozenctx_artifacts.identity import Identity, identity_digest, version_of
from frozenctx_artifacts.objects import PromptObject, Release, SkillObject, StoredSettings
from frozenctx_artifacts.record import Record

DOCUMENT = (Path(__file__).parents[2] / "artifacts" / "frozenctx_artifacts" / "FORMAT.md").read_text("utf-8")
BLOCKS = re.findall(r"^`([^`\n]+)`:\n\n```(\w*)\n(.*?)\n```$", DOCUMENT, re.MULTILINE | re.DOTALL)


def files() -> dict[str, bytes]:
    """Each file of the example with its stored bytes."""
    stored = {}
    for name, language, text in BLOCKS:
        if language == "json":
            text = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
        else:
            text += "\n"
        stored[name] = text.encode()
    return stored


def one(ending: str) -> bytes:
    return next(data for name, data in files().items() if name.endswith(ending) or name.startswith(ending))


def release() -> bytes:
    return next(data for data in files().values() if data.startswith(b'{"format":1,"needs"'))


def prompt() -> bytes:
    return next(data for data in files().values() if data.startswith(b'{"key"'))


def test_the_document_shows_every_kind_of_file() -> None:
    kinds = [re.sub(r"/.*(\.\w+)$", r"\1", name) if "/" in name else name for name in files()]
    objects = ["objects.json", "objects.json", "objects.py"]
    assert kinds == ["profiles/default", "releases/default", *objects, "records.json"]


def test_every_object_has_the_digest_that_it_is_named_by() -> None:
    for name, data in files().items():
        if name.startswith("objects/"):
            assert name.replace("/", "").removeprefix("objects").split(".")[0] == hashlib.sha256(data).hexdigest()


def test_the_example_loads_and_renders() -> None:
    readable = {name: data for name, data in files().items() if not name.startswith(("records", "releases"))}
    prompts = frozenctx.load(readable, verify=True)
    assert prompts["greet"].messages(name="Ada") == [{"role": "system", "content": "Greet Ada."}]
    assert f"releases/default`:\n\n```\n{prompts.digest}\n" in DOCUMENT
    assert f"records/{prompts.digest[7:]}.json" in files()


def test_the_bytes_are_those_that_the_structs_make() -> None:
    assert encode(msgspec.json.decode(release(), type=Release)) == release()
    assert encode(msgspec.json.decode(prompt(), type=PromptObject)) == prompt()
    assert encode(msgspec.json.decode(one("records/"), type=Record)) == one("records/")


def test_identity_text_digest_and_version_are_recomputed() -> None:
    identity = json.loads(prompt())["identity"]
    text = re.search(r"^Text:\n\n```\n(.*)\n```$", DOCUMENT, re.MULTILINE)
    assert text is not None
    assert json.dumps(dict(sorted(identity.items())), separators=(",", ":")) == text[1]
    digest = hashlib.sha256(text[1].encode()).hexdigest()
    assert digest == identity_digest(identity)
    assert f"Digest: `{digest}`, so the version is `{version_of('greet', digest)}`." in DOCUMENT
    assert list(identity) == [name for name in Identity.__struct_encode_fields__ if name in identity]
    assert identity["sources"]["system"] == hashlib.sha256(b"Greet {{ name }}.").hexdigest()


def test_the_tables_name_every_field() -> None:
    for heading, struct in (("Release", Release), ("Prompt", PromptObject), ("Skill", SkillObject), ("Record", Record)):
        section = re.search(rf"^## {heading}\n(.*?)^## ", DOCUMENT, re.MULTILINE | re.DOTALL)
        assert section is not None
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", section[1], re.MULTILINE)
        assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(struct.__struct_encode_fields__)
    settings = re.search(r"\(`model` always\): `([^`]+)`", DOCUMENT)
    assert settings is not None
    assert settings[1].split() == list(StoredSettings.__struct_encode_fields__)[1:]
