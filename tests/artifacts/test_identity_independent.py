"""Identities against a second, plain implementation (identity_by_hand.py): of functions, and of whole builds."""

import json
from typing import Any

import frozenctx
import jinja2
import pytest
import yaml
from frozenctx.verify import identity_digest as at_runtime
from frozenctx_artifacts.identity import Identity, identity_digest, identity_of, version_of
from frozenctx_compiler import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from artifacts import identity_by_hand as by_hand

PARSER = jinja2.Environment(extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"])
PARSER.filters.update(import_text=str, import_yaml=str)

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
NAME = st.from_regex(r"[a-z][a-z0-9 é-]{0,9}[a-z0-9]", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SETTINGS = st.fixed_dictionaries(
    {"name": NAME, "model": st.sampled_from(["gpt-5", "openai:gpt-5", "anthropic:claude-sonnet-4@x"])},
    optional={
        "reply_schema": st.dictionaries(TEXT, JSON, max_size=3),
        "tools": st.lists(TEXT, max_size=3),
        "max_tokens": st.integers(0, 10**6),
        "max_rounds": st.integers(0, 9),
        "temperature": st.floats(0, 2) | st.integers(0, 2),
        "reasoning_effort": st.sampled_from(by_hand.EFFORTS),
        "output_retries": st.integers(0, 3),
        "require_tool_call": st.booleans(),
        "prompt_cache": st.sampled_from(["5m", "1h"]),
        "agent": st.booleans(),
        "sub": st.just({"summary_policy": "result_only", "shape": "Agent"}),
        "context": st.sampled_from(["none", "local", "summary", "whole_session"]),
        "input_defaults": st.just("apply"),
    },
)


@given(SETTINGS, st.dictionaries(st.sampled_from(["system", "user"]), TEXT), st.lists(TEXT, max_size=2, unique=True))
@settings(max_examples=300, deadline=None)
def test_identity_digest_and_version_equal_the_second_implementation(
    values: dict[str, Any], roles: dict[str, str], host_names: list[str]
) -> None:
    expected = by_hand.identity("stem", values, {role: (source, []) for role, source in roles.items()}, host_names)
    renderers: dict[Any, str] = {role: expected[f"{role}Render"] for role in roles}
    sources: dict[Any, str] = {role: by_hand.hashed(source, []) for role, source in roles.items()}
    found = identity_of(values, renderers=renderers, sources=sources, host_names=host_names)
    assert found == expected
    assert json.dumps(dict(sorted(found.items()))) == json.dumps(dict(sorted(expected.items())))
    assert identity_digest(found) == at_runtime(found) == by_hand.digest(expected)
    assert version_of("a/b", identity_digest(found)) == by_hand.version("a/b", expected)


def test_an_unset_setting_leaves_nothing_behind_and_a_false_one_neither() -> None:
    bare = identity_of({"name": "n", "model": "m"})
    assert bare == {"name": "n", "model": "m", "system": "", "replySchema": None, "tools": []}
    unset = dict.fromkeys(Identity.__struct_fields__)
    unset |= {"name": "n", "model": "m", "agent": False, "require_tool_call": False, "output_retries": 0}
    assert identity_of({**unset, "context": "local", "tools": (), "skills": ("names are no keys",)}) == bare


def test_explicit_zeros_count_and_numbers_have_the_type_of_their_setting() -> None:
    found = identity_of({"name": "n", "model": "m", "max_tokens": 0, "max_rounds": 0, "temperature": 0})
    assert json.dumps(found).endswith('"maxTokens": 0, "maxRounds": 0, "temperature": 0.0}')


def test_only_the_top_level_is_sorted_for_the_digest() -> None:
    one = identity_of({"name": "n", "model": "m", "reply_schema": {"b": 1, "a": 2}})
    other = identity_of({"name": "n", "model": "m", "reply_schema": {"a": 2, "b": 1}})
    assert one == other
    assert identity_digest(one) != identity_digest(other)
    assert identity_digest(dict(reversed(one.items()))) == identity_digest(one)


def test_what_contracts_add_is_in_the_identity_when_there_is_any() -> None:
    found = identity_of(
        {"name": "n", "model": "m"},
        skill_keys=["skill/a@v1"],
        tool_contracts={"t": "00"},
        skill_resources={"skill/a@v1": "11"},
        input_default_values={"tone": None},
    )
    assert found["skills"] == ["skill/a@v1"]
    assert (found["toolContracts"], found["skillResources"]) == ({"t": "00"}, {"skill/a@v1": "11"})
    assert found["inputDefaultValues"] == {"tone": None}


# Whole builds


TEMPLATES = [
    "plain",
    "{{ x }} é {# c #}",
    "{% include 'partials/a.j2' %}",
    "{% from 'partials/b.j2' import m %}{{ m(1) }}{% include ['partials/no.j2', 'partials/a.j2'] ignore missing %}",
    "{% raw %}{% include 'partials/no.j2' %}{% endraw %}{{ 'partials/t.txt' | import_text }}",
    "{{ 'partials/d.yaml' | import_yaml }}{% include 'partials/a.j2' %}{{ 'partials/t.txt' | import_text }}",
    "{% extends 'partials/base.j2' %}{% block x %}{{ 'partials/t.txt' | import_text }}{% endblock %}",
]
PARTIALS = {
    "a.j2": "A{% include 'partials/c.j2' %}",
    "b.j2": "{% macro m(x) %}{{ x }}{{ 'partials/t.txt' | import_text }}{% endmacro %}",
    "c.j2": "C",
    "base.j2": "{% include 'partials/a.j2' %}{% block x %}{% endblock %}",
    "t.txt": "text\r\nmore",
    "d.yaml": "a: [1, two]\n",
}
SPELLED = st.fixed_dictionaries(
    {},
    optional={
        "name": NAME,
        "model": st.sampled_from(["gpt-5@high", "google/gemini-2.5", "vertex_ai:g", "openai/x/y:z", " a:b@unknown "]),
        "tools": st.lists(st.sampled_from(["a/b", "c", "d_e"]), max_size=3, unique=True),
        "maxTokens": st.integers(0, 99) | st.just(" 12 "),
        "max_rounds": st.integers(0, 9),
        "temperature": st.sampled_from([0, 1, 0.5, "0.25", "1"]),
        "reasoningEffort": st.sampled_from([" High ", "none", "xhigh"]),
        "output_retries": st.integers(0, 2),
        "require_tool_call": st.sampled_from([True, False, "true", "false"]),
        "response_format": st.just({"type": "json_object"}),
        "promptCache": st.sampled_from(["5m", "1h"]),
        "agent": st.booleans(),
        "sub": st.just({"shape": "Agent", "summary_policy": "result_only"}),
        "context": st.sampled_from(["none", "local", "summary"]),
        "input_defaults": st.just("apply"),
        "reply_schema": st.just({"type": "object", "properties": {"z": {"maximum": 1.0}, "a": {"maximum": 1}}}),
        "meta": st.just({"owner": "x"}),
        "x-anchors": st.just(["ignored"]),
    },
)


PACKAGES = st.tuples(SPELLED, st.sampled_from(TEMPLATES), st.sampled_from([*TEMPLATES, None]))


@given(st.lists(PACKAGES, min_size=1, max_size=6))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_packages_of_every_kind_have_the_identity_that_the_second_implementation_finds(
    tmp_path_factory: pytest.TempPathFactory, packages: list[tuple[dict[str, Any], str, str | None]]
) -> None:
    tree = tmp_path_factory.mktemp("tree")
    (tree / "partials").mkdir()
    for name, text in PARTIALS.items():
        (tree / "partials" / name).write_bytes(text.encode())
    expected: dict[str, str] = {}
    for number, (values, system, user) in enumerate(packages):
        stem = f"p{number}"
        spelled = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        templates = {"system": system} if user is None else {"system": system, "user": user}
        if number % 3 == 0:
            directory = tree / f"{stem}.ctx"
            (directory / "messages").mkdir(parents=True)
            (directory / "settings.yaml").write_text(spelled, "utf-8")
            for index, (role, source) in enumerate(templates.items()):
                message = yaml.safe_dump({"role": role, "content": source}, allow_unicode=True)
                (directory / "messages" / f"{index}.yaml").write_text(message, "utf-8")
        else:
            text = "".join(f"<<<role:{role}>>>\n{source}\n" for role, source in templates.items())
            if number % 3 == 1:
                (tree / f"{stem}.ctx").write_text(f"---\n{spelled}---\n{text}", "utf-8")
            else:
                (tree / f"{stem}.ctx").mkdir()
                (tree / f"{stem}.ctx" / "settings.yml").write_text(spelled, "utf-8")
                (tree / f"{stem}.ctx" / "prompt.j2").write_text(text, "utf-8")
        roles = {role: (source, by_hand.captures(source, tree, PARSER)) for role, source in templates.items()}
        expected[stem] = by_hand.version(stem, by_hand.identity(stem, values, roles))
    result = build(tree, tree / "out")
    assert [d.headline for d in result.report.diagnostics if d.level == "error"] == []
    assert {key: prompt.version for key, prompt in frozenctx.load(tree / "out").items()} == expected
