"""The official test suite of JSON Schema 2020-12 gives its verdicts through our interpreter.

The suite is in the source distribution of the package `jsonschema`, which is fetched once and never copied into this
repository. Where that is not possible these tests are skipped, unless FROZENCTX_CONFORMANCE=required.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conformance import suite
from frozenctx.keywords import unknown_keywords
from frozenctx.validation import Validator

VERSION = "4.26.0"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
# Schemas with a `$ref` to other documents or resources, `$dynamicRef`, or a dialect of their own are refused.
REFUSED_IN = {
    "anchor", "defs", "dynamicRef", "ref", "refRemote", "unevaluatedItems", "unevaluatedProperties", "vocabulary",
}  # fmt: skip
# Of the optional ones: `format` is a remark here, as it may be.
OPTIONAL = ("bignum", "ecmascript-regex", "float-overflow", "no-schema", "non-bmp-regex")
PATTERNS = ("bad escape \\c", "bad escape \\p")  # that `re` does not read: docs/replies.md


@pytest.fixture(scope="module")
def folder() -> Path:
    try:
        return suite.fetched("jsonschema", VERSION, SHA256) / "json" / "tests" / "draft2020-12"
    except suite.SuiteUnavailable as error:
        if os.environ.get("FROZENCTX_CONFORMANCE") == "required":
            raise
        pytest.skip(f"the suite could not be fetched: {error}")


def groups(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def test_every_schema_that_is_taken_gives_the_verdicts_of_the_suite(folder: Path) -> None:
    wrong, right = [], 0
    for file in sorted(folder.glob("*.json")):
        for group in groups(file):
            if unknown_keywords(group["schema"]):
                assert file.stem in REFUSED_IN, f"{file.stem}: {group['description']}"
                continue
            validator = Validator(group["schema"])
            for test in group["tests"]:
                right += 1
                if (not validator.problems(test["data"])) != test["valid"]:
                    wrong.append((file.stem, group["description"], test["description"]))
    assert not wrong
    assert right > 1100


def test_the_optional_tests_of_numbers_and_patterns_too(folder: Path) -> None:
    wrong = []
    for name in OPTIONAL:
        for group in groups(folder / "optional" / f"{name}.json"):
            unknown = unknown_keywords(group["schema"])
            if unknown:
                assert all(any(words in each.reason for words in PATTERNS) for each in unknown), group["description"]
                continue
            for test in group["tests"]:
                found = Validator(group["schema"]).problems(test["data"])
                if "format" not in group["schema"] and (not found) != test["valid"]:
                    wrong.append((name, group["description"], test["description"]))
    assert not wrong
