"""What is made from the tables of keys is what is committed, and editors are led to it."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from frozenctx_compiler.documents import DOCUMENTS
from frozenctx_compiler.keys import Document

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = ["settings.md", *(f"schemas/{document.kind}.schema.json" for document in DOCUMENTS)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location("tables", ROOT / "tools" / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    directory = tmp_path_factory.mktemp("docs")
    module.main(directory)
    return directory


@pytest.mark.parametrize("name", MADE)
def test_documents_are_what_the_tables_say(name: str, made: Path) -> None:
    assert (DOCS / name).read_bytes() == (made / name).read_bytes(), "run python tools/tables.py"


def test_nothing_else_is_kept_beside_the_schemas() -> None:
    assert sorted(path.name for path in (DOCS / "schemas").iterdir()) == sorted(name[8:] for name in MADE[1:])


def test_the_committed_modeline_leads_to_the_schema_of_settings() -> None:
    settings = ROOT / "examples" / "prompts" / "briefs" / "draft.ctx" / "settings.yaml"
    first = settings.read_text("utf-8").split("\n")[0]
    target = first.removeprefix("# yaml-language-server: $schema=")
    assert target != first
    schema = json.loads((settings.parent / target).read_text("utf-8"))
    assert schema["$id"] == "urn:frozenctx:schema:settings"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.kind)
def test_editors_are_told_which_files_each_schema_is_for(document: Document) -> None:
    text = (DOCS / "editors.md").read_text("utf-8")
    (example,) = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    bound = json.loads(example)["yaml.schemas"].get(f"schemas/{document.kind}.schema.json", [])
    assert bound == [file for file in document.files if not file.endswith(".toml")]
    assert document.kind in text


def test_editors_are_told_of_every_tag() -> None:
    from frozenctx_compiler.yamltree import YGLU_TAGS

    (example,) = re.findall(r"^```json\n(.*?)^```$", (DOCS / "editors.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert {tag.split(" ")[0] for tag in json.loads(example)["yaml.customTags"]} == set(YGLU_TAGS)
