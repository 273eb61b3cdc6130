"""Identities of packages of every layout and type form, and of the examples, against a second reading of CTX-FORMAT."""

import json
from pathlib import Path
from typing import Any

import frozenctx_compiler
import pytest
from parity import julep_differences, second_reading

from artifacts import identity_by_hand as by_hand

MADE = Path(__file__).parent / "packages"
EXAMPLES = Path(__file__).parents[2] / "examples/prompts"
FULL = {"MODEL": "google/gemini-3-pro@low", "LIMIT": "12", "AGENT": "true", "HEAT": "1", "CACHE": "5m"}
TREES: dict[str, tuple[Path, dict[str, str], str]] = {
    "made": (MADE, {}, "claude-sonnet-4"),
    "made, with an environment": (MADE, FULL, "claude-sonnet-4"),
    "examples": (EXAMPLES, {}, "anthropic/claude-sonnet-4"),
}
PACKAGES = [(tree, key) for tree, (root, _, _) in TREES.items() for key in second_reading.packages(root)]


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    renderers = {name: lambda variables: "" for name in ("legal.system", "legal.user")}
    loaded = {}
    for tree, (root, env, _model) in TREES.items():
        loaded[tree] = frozenctx_compiler.load(root, env=env, renderers=renderers)
    return loaded


def read(tree: str, key: str) -> dict[str, Any]:
    root, env, model = TREES[tree]
    return second_reading.read(second_reading.packages(root)[key], root, env, model)


def test_there_are_enough_packages_and_all_are_compiled(compiled: dict[str, Any]) -> None:
    assert len(second_reading.packages(MADE)) >= 40
    assert [(tree, key) for tree in TREES for key in compiled[tree]] == [
        (tree, key) for tree in TREES for key in sorted(second_reading.packages(TREES[tree][0]))
    ]


@pytest.mark.parametrize(("tree", "key"), PACKAGES)
def test_the_identity_is_what_the_format_says(tree: str, key: str, compiled: dict[str, Any]) -> None:
    expected, found = read(tree, key)["identity"], compiled[tree][key]
    assert found.identity == expected
    # Below the top, the order of keys counts: it reaches the model.
    assert json.dumps(dict(sorted(found.identity.items()))) == json.dumps(dict(sorted(expected.items())))
    assert found.version == by_hand.version(key, expected)


@pytest.mark.parametrize(("tree", "key"), PACKAGES)
def test_schemas_tools_and_skills_are_what_the_format_says(tree: str, key: str, compiled: dict[str, Any]) -> None:
    expected, found = read(tree, key), compiled[tree][key]
    assert json.dumps(found.input_schema) == json.dumps(expected["input_schema"])
    contracts = {
        tool.key: {"description": tool.description, "inputSchema": tool.input_schema} for tool in found.tool_contracts
    }
    assert {*contracts} == {*expected["tools"]}
    assert json.dumps(contracts) == json.dumps({each: expected["tools"][each] for each in contracts})
    skills = [(name, skill.key, skill.description, skill.body) for name, skill in found.skills.items()]
    wanted = [(name, each["key"], each["description"], each["body"]) for name, each in expected["skills"].items()]
    assert skills == wanted


def test_every_difference_from_julep_that_is_known_has_a_row_in_the_page() -> None:
    page = (Path(__file__).parents[2] / "COMPATIBILITY.md").read_text("utf-8")
    cells = {line[2:].split(" | ")[0] for line in page.splitlines() if line.startswith("| ")}
    assert [row for row in julep_differences.rows() if row not in cells] == []
    assert f"Julep {julep_differences.RELEASE}" in page
