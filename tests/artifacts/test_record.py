"""The record of a build: every input, names of the environment and no value of it, the same each time."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import build

SECRET = "hunter2-and-more"
SETTINGS = """\
model: !? $env.get("MODEL", $env.get("FALLBACK", "openai/gpt-5"))
max_tokens: !? $env.get("LIMIT", 100)
meta: {owner: !? '$env.get("OWNER", "nobody")'}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "a.ctx").mkdir(parents=True)
    (root / "a.ctx" / "settings.yaml").write_text(SETTINGS)
    (root / "a.ctx" / "prompt.j2").write_bytes("\ufeffone\r\n{% include 'p.j2' %}".encode())
    (root / "a.ctx" / "p.j2").write_text("two")
    (root / "b.ctx").write_text("text")
    return root


def built(tree: Path, out: Path, **options: Any) -> dict[str, Any]:
    result = build(tree, out, **options)
    assert result.written
    assert result.release is not None
    record: dict[str, Any] = json.loads((out / "records" / f"{result.release[7:]}.json").read_text("utf-8"))
    assert record["release"] == result.release
    return record


def test_every_file_is_there_with_the_digest_of_its_normalised_text(tree: Path, tmp_path: Path) -> None:
    files = {file["path"]: file for file in built(tree, tmp_path / "out")["files"]}
    assert set(files) >= {"a.ctx/settings.yaml", "a.ctx/prompt.j2", "a.ctx/p.j2", "b.ctx"}
    expected = hashlib.sha256(b"one\n{% include 'p.j2' %}").hexdigest()
    assert files["a.ctx/prompt.j2"] == {"path": "a.ctx/prompt.j2", "sha256": expected, "form": "text"}


def test_listings_and_probes_found_and_absent_are_there_sorted(tree: Path, tmp_path: Path) -> None:
    record = built(tree, tmp_path / "out")
    assert {"a.ctx"} <= {listing["path"] for listing in record["listings"]}
    probes = {probe["path"]: probe["found"] for probe in record["probes"]}
    assert probes["partials"] is None
    assert probes["a.ctx/p.j2"] == "file"
    for part in ("files", "listings", "probes"):
        paths = [entry["path"] for entry in record[part]]
        assert paths == sorted(set(paths))


def test_names_of_the_environment_are_recorded_and_no_value_is(tree: Path, tmp_path: Path) -> None:
    record = built(tree, tmp_path / "out", env={"MODEL": f"openai/{SECRET}", "OWNER": SECRET, "UNUSED": SECRET})
    package = next(package for package in record["packages"] if package["key"] == "a")
    assert package["env"]["found"] == ["MODEL", "OWNER"]
    assert package["env"]["defaulted"]["LIMIT"] == "100"
    text = json.dumps(record)
    assert SECRET not in text
    assert "UNUSED" not in text
    for value in (SECRET, f"openai/{SECRET}", f"openai:{SECRET}"):
        assert hashlib.sha256(value.encode()).hexdigest()[:12] not in text


def test_findings_are_recorded_without_words_that_may_quote_a_value(tree: Path, tmp_path: Path) -> None:
    record = built(tree, tmp_path / "out")
    finding = next(finding for finding in record["findings"] if finding["code"] == "default-model")
    assert finding["level"] == "warning"
    assert finding["packages"] == ["b"]
    assert {key for found in record["findings"] for key in found} <= {
        "code", "level", "file", "line", "column", "packages",
    }  # fmt: skip


def test_the_same_inputs_give_the_same_record_whatever_lies_in_the_output(tree: Path, tmp_path: Path) -> None:
    first = built(tree, tmp_path / "out")
    assert built(tree, tmp_path / "out") == first
    assert built(tree, tmp_path / "elsewhere" / "out") == first


def test_how_it_was_looked_at_is_recorded_without_a_path_of_the_machine(tree: Path, tmp_path: Path) -> None:
    (tree / "frozenctx.toml").write_text('[mounts]\nnear = "../near"\n')
    (tmp_path / "near").mkdir()
    plain = built(tree, tmp_path / "out")
    assert {name: plain[name] for name in ("source", "links", "leftOut", "mounts")} == {
        "source": ".", "links": "inside", "leftOut": [], "mounts": {"near": "../near"},
    }  # fmt: skip
    other = built(tree / "a.ctx", tree / "dist" / "here", links="follow")
    assert (other["source"], other["links"], other["leftOut"]) == ("a.ctx", "follow", ["dist/here"])
    for record in (plain, other):
        assert str(tmp_path) not in json.dumps(record)


def test_a_listing_has_the_names_and_their_kinds_without_what_builds_write(tree: Path, tmp_path: Path) -> None:
    (tree / "away").symlink_to("nothing")
    listings = {listing["path"]: listing["names"] for listing in built(tree, tree / "dist")["listings"]}
    assert listings["."] == {"a.ctx": "directory", "away": None, "b.ctx": "file"}
    assert listings["a.ctx"] == {"p.j2": "file", "prompt.j2": "file", "settings.yaml": "file"}


def test_versions_of_what_had_a_say_are_recorded(tree: Path, tmp_path: Path) -> None:
    record = built(tree, tmp_path / "out")
    assert record["dependencies"]["jinja2"] == "3.1.6"
    assert all(record["dependencies"].values())
    assert record["compiler"].count(".") == 2
