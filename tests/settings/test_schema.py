"""`frozenctx schema`: each schema is one, says what the table says, and accepts what the check accepts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from frozenctx_compiler.check_evals import check_evals, read_evals
from frozenctx_compiler.cli import run
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.documents import DOCUMENTS, EVAL, MESSAGE, PROJECT, SAMPLE, SAMPLES_OF_FILE, SKILL
from frozenctx_compiler.environment import Env
from frozenctx_compiler.keys import Document, Key, Type
from frozenctx_compiler.messages import read_messages
from frozenctx_compiler.package import Layout, PackageFiles
from frozenctx_compiler.project import read_project
from frozenctx_compiler.samples import check_samples
from frozenctx_compiler.schema import DIFFERENCES, described, documents, evaluated, schema, text
from frozenctx_compiler.settings import FRONT_MATTER, SETTINGS
from frozenctx_compiler.sources import Sources
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from settings.one_package import evaluated_outcome, flow, sample_file

EACH = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.kind)


# -- what a schema is -----------------------------------------------------------------------------------------------


@EACH
def test_every_schema_passes_the_meta_schema(document: Document) -> None:
    written = schema(document)
    assert written["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert written["$id"] == f"urn:frozenctx:schema:{document.kind}"
    assert jsonschema_rs.meta.is_valid(written)
    assert jsonschema_rs.meta.is_valid(evaluated(document))


@EACH
def test_every_key_of_the_table_is_described(document: Document) -> None:
    written = schema(document)
    assert written["title"]
    assert written["description"].endswith(".")
    for key in document.body.keys:
        for spelling in key.spellings:
            assert written["properties"][spelling]["description"].endswith(".")
        assert described(key).count(". ") <= 2


@EACH
def test_the_same_bytes_are_printed_and_written(document: Document, tmp_path: Path, capsys: Any) -> None:
    assert run(["schema", document.kind]) == 0
    printed = capsys.readouterr().out
    assert run(["schema", "-o", str(tmp_path)]) == 0
    assert (tmp_path / f"{document.kind}.schema.json").read_bytes() == printed.encode()
    assert printed == text(document)
    assert json.loads(printed) == schema(document)


def test_the_kinds_are_listed_and_an_unknown_one_is_named(capsys: Any) -> None:
    assert run(["schema", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(documents())
    assert run(["schema", "setings"]) == 2
    assert "did you mean `settings`?" in capsys.readouterr().err


# -- what an editor sees --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [key for key in SETTINGS.body.keys if not key.later], ids=lambda key: key.name)
def test_an_editor_may_see_an_expression_in_every_place(key: Key) -> None:
    """It hands the text of `!? …` to the schema, without the tag."""
    seen = jsonschema_rs.Draft202012Validator(schema(SETTINGS))
    for spelling in key.spellings:
        assert seen.is_valid({spelling: '$env.get("NAME", 5)'})
    assert seen.is_valid({'$env.get("NAME", "max_tokens")': 5})
    assert seen.is_valid({"tools": ["a", "$env.get('TOOL')"], "sub": {"shape": "$env.SHAPE"}})


def test_the_content_of_a_file_is_no_expression() -> None:
    content = jsonschema_rs.Draft202012Validator(evaluated(SETTINGS))
    assert not content.is_valid({"max_tokens": "$env.N"})
    assert not content.is_valid({"$env.N": 5})


@pytest.mark.parametrize(
    "settings",
    [
        {"max_token": 5},
        {"max_tokens": -1},
        {"max_tokens": "many"},
        {"maxTokens": 1, "max_tokens": 1},
        {"temperature": True},
        {"agent": "yes"},
        {"context": "Local"},
        {"sub": {}},
        {"system": "a", "system_file": "b"},
        {"sections": []},
        {"model": "openai/"},
        {"name": "a/b"},
        {"skills": None},
    ],
)
def test_an_editor_shows_a_mistake(settings: Any) -> None:
    assert not jsonschema_rs.is_valid(schema(SETTINGS), settings)


# -- the schema accepts what the check accepts ----------------------------------------------------------------------

# Left out of what is tried, as the schemas say (`DIFFERENCES`): numbers such as 1.0 and nan, characters that engines
# disagree about, large numbers in text, keys that are no strings.
FLOATS = st.sampled_from([0.5, -1.5, 0.001, 99.75])
BLANKS = [" ", "\t", "\n", "\u00a0", "\u3000"]
CHARACTERS = st.sampled_from([*"ab1:/@,.-+eE0$_", *BLANKS, "\x00", "\x7f", "é", "١", "𝒳"])
TEXTS = st.text(CHARACTERS, max_size=6) | st.sampled_from(
    ["", "true", "false", "True", "12", " 7 ", "-0", "+3", "-1", "1.5", "1e3", ".5", "5.", "nan", "inf", "0x1", "1_0"]
)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | FLOATS | TEXTS
NAMES = st.sampled_from(["type", "shape", "a", "x-a", "", "role", "$a"])
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)
INTEGERS = st.integers(-2, 5) | st.sampled_from([2**63 - 1, 2**63, 2**64, -(2**63)])
SLUGS = st.lists(
    st.sampled_from(["openai", "gpt-5", ":", "/", "@", "high", "NONE", "v1", " ", "\t", "\x01", "\u00a0"]), max_size=7
).map("".join)


def near(type: Type) -> st.SearchStrategy[Any]:
    """Values of a type, and values that nearly are of it."""
    match type.kind:
        case "string":
            return {"model": SLUGS}.get(type.rule, TEXTS) | TEXTS
        case "integer":
            return INTEGERS | st.sampled_from(["0", "00", " 12\n", "-0", "+1", "-1", "1.0", "", "a", "0" * 1200])
        case "number":
            return INTEGERS | FLOATS | TEXTS
        case "boolean":
            return st.booleans() | st.sampled_from(["true", "false", "True", " true", "yes", 0, 1])
        case "choice":
            words = [word for choice in type.choices for word in (choice, choice.upper(), f" {choice}\n", choice[1:])]
            return st.sampled_from(words)
        case "list":
            return st.lists(st.one_of(*map(near, type.of)) | LEAVES, max_size=3)
        case "record":
            return mappings(type)
        case "table":
            return st.dictionaries(TEXTS, near(type.of[0]) | LEAVES, max_size=3)
        case "either":
            return st.one_of(*map(near, type.of))
        case _:
            return ANYTHING


def mappings(type: Type) -> st.SearchStrategy[dict[str, Any]]:
    """Few keys of a record, now and then one that it has not; required keys as a rule, so that most values count."""
    wanted = {key.name: near(key.type) for key in type.keys if key.required}
    entry = st.sampled_from(type.keys).flatmap(
        lambda key: st.tuples(st.sampled_from(key.spellings), near(key.type) | near(key.type) | ANYTHING)
    )
    known = st.lists(entry, max_size=3).map(dict)
    odd = st.dictionaries(st.sampled_from(["x-a", "x-$", "maxtokens", "Model", "$a", ""]), LEAVES, max_size=1)
    parts = st.tuples(st.fixed_dictionaries(wanted), known, st.just({}) | st.just({}) | odd)
    return parts.map(lambda found: found[0] | found[1] | found[2]) | known


def agree(document: Document, accepted: Callable[[Any], bool], value: Any) -> None:
    validator = jsonschema_rs.Draft202012Validator(evaluated(document))
    assert validator.is_valid(value) == accepted(value), value


@pytest.mark.parametrize(("document", "layout"), [(SETTINGS, "minimal"), (FRONT_MATTER, "single")])
@given(data=st.data())
@hypothesis_settings(deadline=None)
def test_settings_are_accepted_by_both_or_neither(document: Document, layout: Layout, data: st.DataObject) -> None:
    found = data.draw(mappings(document.body) | st.dictionaries(NAMES, ANYTHING, max_size=3))
    agree(document, lambda value: evaluated_outcome(value, layout) == [], found)


@given(value=mappings(MESSAGE.body) | ANYTHING)
@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_messages_are_accepted_by_both_or_neither(value: Any, tmp_path: Path) -> None:
    if isinstance(value, dict) and isinstance(value.get("content"), str):
        value["content"] = value["content"].replace("{", "")

    def accepted(value: Any) -> bool:
        (tmp_path / "messages").mkdir(exist_ok=True)
        first = {"role": "system", "content": ""}
        others = [first, value] if isinstance(value, dict) and value.get("role") == "user" else [value]
        for index in range(2):
            file = tmp_path / "messages" / f"{index}.yaml"
            file.unlink(missing_ok=True)
            if index < len(others):
                file.write_text(flow(others[index]), "utf-8")
        report = Report()
        read_messages("messages", Sources(str(tmp_path)), report.scoped("p"))
        return not report.has_errors

    agree(MESSAGE, accepted, value)


def _sample_accepted(content: Any) -> bool:
    report = Report()
    files = sample_file(content)
    check_samples(files, report.scoped("p"))
    return not report.has_errors


@given(value=mappings(SAMPLE.body) | ANYTHING)
@hypothesis_settings(deadline=None)
def test_samples_are_accepted_by_both_or_neither(value: Any) -> None:
    agree(SAMPLE, _sample_accepted, value)
    agree(SAMPLES_OF_FILE, lambda value: _sample_accepted(value["name"]), {"name": value})


@given(value=mappings(EVAL.body) | ANYTHING)
@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_evaluations_are_accepted_by_both_or_neither(value: Any, tmp_path: Path) -> None:
    def accepted(value: Any) -> bool:
        (tmp_path / "p.ctx").mkdir(exist_ok=True)
        (tmp_path / "p.ctx/eval.yaml").write_text(flow(value), "utf-8")
        report, sources = Report(), Sources(str(tmp_path))
        scope = report.scoped("p")
        document = read_evals(PackageFiles("p", "p", "p.ctx", False, ("eval.yaml",)), sources, scope)
        if document is not None:
            check_evals(document, Env(), sources, scope, False)
        return not report.has_errors

    if value is not None:  # an empty file is no mistake
        agree(EVAL, accepted, value)


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_nulls(below) for name, below in value.items() if below is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return value


@given(value=mappings(PROJECT.body))
@hypothesis_settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_project_files_are_accepted_by_both_or_neither(value: dict[str, Any], tmp_path: Path) -> None:
    value = without_nulls(value)
    for name in ("trees", "required-version"):  # directories and versions are the check's alone
        value.pop(name, None)
    if isinstance(value.get("defaults"), dict):  # a model is looked at when a package names none
        value["defaults"].pop("model", None)
    if isinstance(value.get("mounts"), dict):
        value["mounts"] = {name: "." if isinstance(path, str) else path for name, path in value["mounts"].items()}
    if isinstance(value.get("packages"), dict) and isinstance(value["packages"].get("also"), list):
        also = value["packages"]["also"]
        value["packages"]["also"] = ["a/*" if isinstance(item, str) else item for item in also]

    def accepted(value: dict[str, Any]) -> bool:
        lines = [flow(name) + " = " + flow(below, " = ") + "\n" for name, below in value.items()]
        (tmp_path / "frozenctx.toml").write_text("".join(lines), "utf-8")
        report = Report()
        read_project(str(tmp_path), report)
        return not report.has_errors

    agree(PROJECT, accepted, value)


# -- what a schema cannot say ---------------------------------------------------------------------------------------


def test_the_differences_are_what_they_say() -> None:
    """Each is a value that the schema accepts and the check refuses."""
    content = jsonschema_rs.Draft202012Validator(evaluated(SETTINGS))
    for value in (
        {"max_tokens": 1.0},
        {"temperature": "1e999"},
        {"temperature": 10**400},
        {"max_tokens": str(2**63)},
        {"meta": {"a": 2**70}},
    ):
        assert content.is_valid(value)
        assert evaluated_outcome(value, "minimal") == ["bad-value"]
    assert evaluated_outcome({"temperature": float("nan")}, "minimal") == ["bad-value"]
    assert evaluated_outcome({"meta": {1: 2}}, "minimal") == ["bad-value"]
    assert len(DIFFERENCES) == 5


# -- files as an editor sees them -----------------------------------------------------------------------------------


class _Editor(yaml.SafeLoader):
    """Reads YAML as yaml-language-server does with the custom tags of docs/editors.md: a tagged scalar is its text."""


def _text(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None


for tag in ("!?", "!-", "!()", "!if", "!for", "!apply"):
    _Editor.add_constructor(tag, _text)

EXAMPLES = Path(__file__).parents[2] / "examples" / "prompts"
IN_FILES = [
    (document, file)
    for document in DOCUMENTS
    for pattern in document.files
    if pattern.endswith(("yaml", "yml"))
    for file in sorted(EXAMPLES.glob(pattern))
]


@pytest.mark.parametrize(("document", "file"), IN_FILES, ids=lambda part: getattr(part, "kind", None) or part.stem)
def test_an_editor_accepts_every_example(document: Document, file: Path) -> None:
    seen = yaml.load(file.read_text("utf-8"), _Editor)
    jsonschema_rs.validate(schema(document), {} if seen is None else seen)


def test_an_editor_accepts_the_front_matter_of_every_example() -> None:
    files = [file for file in sorted(EXAMPLES.rglob("*.ctx")) if file.is_file()]
    blocks = [file.read_text("utf-8").split("\n---\n")[0] for file in files]
    matter = [yaml.load(block.removeprefix("---\n"), _Editor) for block in blocks if block.startswith("---\n")]
    assert matter
    for seen in matter:
        jsonschema_rs.validate(schema(FRONT_MATTER), seen)


def test_the_examples_hold_most_kinds_of_files() -> None:
    assert {document.kind for document, _ in IN_FILES} >= {"settings", "messages", "samples", "eval"}


# Evals and skills have no check yet; their schemas say what CTX-FORMAT §7 and §8 say.
@pytest.mark.parametrize(
    ("content", "fits"),
    [
        ({}, True),
        ({"models": ["openai/gpt-5@high", {"id": "m", "tags": ["a"]}, "$env.get('M')"]}, True),
        ({"datasets": ["a.jsonl", {"file": "b", "format": "csv", "tags": "x"}]}, True),
        ({"threshold": 0.5, "concurrency": "5", "scoring": {"a": 1}, "agent": {}}, True),
        ({"profiles": {"ci": {"concurrency": 1}, "$env.NAME": {}}}, True),
        ({"profiles": {"ci": {"concurency": 1}}}, False),
        ({"profiles": {"ci": 5}}, False),
        ({"model": "m"}, False),
        ({"models": [5]}, False),
        ({"models": [{"tags": []}]}, False),
        ({"datasets": [{"format": "csv"}]}, False),
        ({"concurrency": 0}, False),
        ({"threshold": "high"}, False),
    ],
)
def test_evals_are_what_the_format_says(content: Any, fits: bool) -> None:
    assert jsonschema_rs.is_valid(schema(EVAL), content) == fits


@pytest.mark.parametrize(
    ("content", "fits"),
    [
        ({"name": "a-b.c_1"}, True),
        ({"name": "a", "description": "x", "license": 5, "allowed-tools": ["b"], "metadata": {}}, True),
        ({"name": "a", "description": None}, True),
        ({"description": "x"}, False),
        ({"name": "-a"}, False),
        ({"name": ""}, False),
        ({"name": "a b"}, False),
        ({"name": 5}, False),
        ({"name": "a", "description": ["x"]}, False),
    ],
)
def test_skills_are_what_the_format_says(content: Any, fits: bool) -> None:
    assert jsonschema_rs.is_valid(schema(SKILL), content) == fits
