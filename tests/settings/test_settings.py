"""Every key of CTX-FORMAT §3: what it takes, what it refuses and in which words, per layout."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from frozenctx_compiler.package import Layout
from frozenctx_compiler.settings import KEYS, SPELLINGS
from hypothesis import given
from hypothesis import strategies as st
from settings.one_package import PLACES, outcome

LAYOUTS: tuple[Layout, ...] = get_args(Layout)

ACCEPTED: list[tuple[str, str, Any]] = [
    ("name: a b", "name", "a b"),
    ('name: "012"', "name", "012"),
    ("model: gpt-5", "model", "gpt-5"),
    ("max_tokens: 0", "max_tokens", 0),
    ("maxTokens: 12", "max_tokens", 12),
    ("max_tokens: ' 1200 '", "max_tokens", 1200),
    ("max_tokens: '012'", "max_tokens", 12),
    ("max_tokens: null", "max_tokens", None),
    ("max_rounds: '+3'", "max_rounds", 3),
    ("maxRounds: 3", "max_rounds", 3),
    ("temperature: 1", "temperature", 1.0),
    ("temperature: '0.5'", "temperature", 0.5),
    ("temperature: '1e-3'", "temperature", 0.001),
    ("temperature: -1.5", "temperature", -1.5),
    ("reasoning_effort: ' High '", "reasoning_effort", "high"),
    ("reasoningEffort: none", "reasoning_effort", "none"),
    ("output_retries: 0", "output_retries", 0),
    ("outputRetries: 2", "output_retries", 2),
    ("require_tool_call: 'true'", "require_tool_call", True),
    ("requireToolCall: false", "require_tool_call", False),
    ("response_format: {type: json_object}", "response_format", "json_object"),
    ("responseFormat: {type: json_object}", "response_format", "json_object"),
    ("prompt_cache: 5m", "prompt_cache", "5m"),
    ("promptCache: 1h", "prompt_cache", "1h"),
    ("agent: true", "agent", True),
    ("agent: 'false'", "agent", False),
    ("sub: {summary_policy: result_only, shape: Agent}", "sub", {"shape": "Agent", "summary_policy": "result_only"}),
    ("sub: {shape: Staged}", "sub", {"shape": "Staged"}),
    ("context: none", "context", "none"),
    ("context: whole_session", "context", "whole_session"),
    ("input_defaults: apply", "input_defaults", "apply"),
    ("inputDefaults: apply", "input_defaults", "apply"),
    ("tools: [b, a/c]", "tools", ("b", "a/c")),
    ("tools: []", "tools", ()),
    ("tools: ~", "tools", ()),
    ("reply_schema: {x-b: 1, x-a: {x: ~}}", "reply_schema", {"x-b": 1, "x-a": {"x": None}}),
    ("replySchema: true", "reply_schema", True),
    ("meta: {owner: me, since: 2024}", "meta", {"owner": "me", "since": 2024}),
    ("meta: {}", "meta", {}),
    ("x-anchors: {a: &a 5}\nmax_tokens: *a", "max_tokens", 5),
    ("x-anything: [yes, 012, 2024-01-01, !? $env.NOPE]", "max_tokens", None),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("text", "name", "value"), ACCEPTED)
def test_a_value_is_taken(text: str, name: str, value: object, layout: Layout, tmp_path: Path) -> None:
    result = outcome(text, tmp_path, layout=layout)
    assert result.codes == []
    got = getattr(result.settings, name)
    assert (got, type(got)) == (value, type(value))


REFUSED: list[tuple[str, str]] = [
    ("name: 5", "`name` must be a string, found `5`"),
    ("name: []", "`name` must be a string, found a list"),
    ("name: ''", "`name` is empty"),
    ("name: ' '", "`name` is empty"),
    ("name: a@b", "`name` holds `@`"),
    ("name: a/b", "`name` holds `/`"),
    ('name: "a,b"', "`name` holds `,`"),
    ('name: "a\\tb"', "`name` holds a control character"),
    ('name: "a\\x85b"', "`name` holds a control character"),
    ("model: 5", "`model` must be a string, found `5`"),
    ("model: ''", "`model` must be `provider/model` or a bare name, without an empty half, found an empty string"),
    ("model: /x", "`model` must be `provider/model` or a bare name, without an empty half, found `/x`"),
    ("model: 'x:'", "`model` must be `provider/model` or a bare name, without an empty half, found `x:`"),
    ("max_tokens: -1", "`max_tokens` must be an integer of 0 or more, found `-1`"),
    ("max_tokens: 1.0", "`max_tokens` must be an integer, found `1.0`"),
    ("max_tokens: '1_000'", "`max_tokens` must be an integer, found `1_000`"),
    ("max_tokens: '1.0'", "`max_tokens` must be an integer, found `1.0`"),
    ("max_tokens: true", "`max_tokens` must be an integer, found true"),
    ("max_tokens: many", "`max_tokens` must be an integer, found `many`"),
    ("max_tokens: ''", "`max_tokens` must be an integer, found an empty string"),
    ("max_tokens: [1]", "`max_tokens` must be an integer, found a list"),
    ("max_tokens: 9223372036854775808", "`max_tokens` must be a smaller integer, found `9223372036854775808`"),
    ("max_tokens: '١٢'", "`max_tokens` must be an integer, found `١٢`"),
    ("max_tokens: .inf", "`max_tokens` must be an integer, found `.inf`"),
    ("maxTokens: x", "`maxTokens` must be an integer, found `x`"),
    ("max_rounds: -1", "`max_rounds` must be an integer of 0 or more, found `-1`"),
    ("output_retries: -1", "`output_retries` must be an integer of 0 or more, found `-1`"),
    ("temperature: .nan", "`temperature` must be a finite number, found `.nan`"),
    ("temperature: -.inf", "`temperature` must be a finite number, found `-.inf`"),
    ("temperature: 'nan'", "`temperature` must be a finite number, found `nan`"),
    ("temperature: 'inf'", "`temperature` must be a finite number, found `inf`"),
    ("temperature: '1e999'", "`temperature` must be a finite number, found `1e999`"),
    ("temperature: false", "`temperature` must be a finite number, found false"),
    ("temperature: warm", "`temperature` must be a finite number, found `warm`"),
    ("temperature: '1_0'", "`temperature` must be a finite number, found `1_0`"),
    ("temperature: '0x1'", "`temperature` must be a finite number, found `0x1`"),
    ("agent: 1", "`agent` must be `true` or `false`, found `1`"),
    ("agent: 'True'", "`agent` must be `true` or `false`, found `True`"),
    ("agent: 'yes'", "`agent` must be `true` or `false`, found `yes`"),
    ("agent: ' true'", "`agent` must be `true` or `false`, found ` true`"),
    ("require_tool_call: 0", "`require_tool_call` must be `true` or `false`, found `0`"),
    (
        "reasoning_effort: hihg",
        "`reasoning_effort` must be `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`, found `hihg`",
    ),
    (
        "reasoning_effort: 1",
        "`reasoning_effort` must be `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`, found `1`",
    ),
    ("response_format: json_object", "`response_format` must be a mapping with `type`, found `json_object`"),
    ("response_format: {type: text}", "`response_format.type` must be `json_object`, found `text`"),
    ("response_format: {type: json_object, x: 1}", "`response_format` has no key `x`"),
    ("response_format: {}", "`response_format` has no `type`"),
    ("prompt_cache: 10m", "`prompt_cache` must be `5m` or `1h`, found `10m`"),
    ("prompt_cache: true", "`prompt_cache` must be `5m` or `1h`, found true"),
    ("sub: Agent", "`sub` must be a mapping with `shape` and `summary_policy`, found `Agent`"),
    ("sub: {summary_policy: result_only}", "`sub` has no `shape`"),
    (
        "sub: {shape: agent}",
        "`sub.shape` must be `Pipeline`, `Dataflow`, `Branching`, `Feedback`, `Staged` or `Agent`, found `agent`",
    ),
    (
        "sub: {shape: Agent, summary_policy: x}",
        "`sub.summary_policy` must be `result_only`, `compressed_trace` or `full_child_ref`, found `x`",
    ),
    ("sub: {shape: Agent, shapes: x}", "`sub` has no key `shapes`"),
    ("context: Local", "`context` must be `none`, `local`, `summary` or `whole_session`, found `Local`"),
    ("input_defaults: document", "`input_defaults` must be `apply`, found `document`"),
    ("tools: a", "`tools` must be a list of tool keys, found `a`"),
    ("tools: {a: 1}", "`tools` must be a list of tool keys, found a mapping"),
    ("tools: [a, 1]", "`tools[1]` must be a string that is not blank, found `1`"),
    ("tools: [' ']", "`tools[0]` must be a string that is not blank, found ` `"),
    ("reply_schema: x", "`reply_schema` must be a JSON Schema, found `x`"),
    ("reply_schema: {a: .nan}", "`reply_schema.a` must be a finite number, found `.nan`"),
    ("reply_schema: {1: a}", "the key `1` must be a string"),
    (
        "reply_schema: {a: [99999999999999999999]}",
        "`reply_schema.a[0]` must be a number of at most 64 bits, found `99999999999999999999`",
    ),
    ("meta: x", "`meta` must be a mapping, found `x`"),
    ("meta: [a]", "`meta` must be a mapping, found a list"),
    ("meta: {true: a}", "the key `true` must be a string"),
    ("sections: []", "`sections` is not supported yet"),
    ("layers: []", "`layers` is not supported yet"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("text", "headline"), REFUSED)
def test_a_value_is_refused(text: str, headline: str, layout: Layout, tmp_path: Path) -> None:
    result = outcome(text, tmp_path, layout=layout)
    assert [found.headline for found in result.found] == [headline]
    assert result.checked is None
    span = result.found[0].span
    assert span is not None
    assert span.line == 1
    assert span.column >= 1


@pytest.mark.parametrize("line", ["max_tokens: x", "temperature: true", "max_rounds: !? $env.N", "temperature: .inf"])
def test_a_refused_number_says_what_the_environment_must_give(line: str, tmp_path: Path) -> None:
    found = outcome(line, tmp_path, env={"N": "hunter2"}).finding("bad-value")
    assert line.split(":")[0] in found.headline
    assert any("numeric strings" in note for note in found.notes)


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("reasoning_effort: hihg", "high"),
        ("context: sumary", "summary"),
        ("sub: {shape: pipeline}", "Pipeline"),
        ("sub: {shaep: Agent, shape: Agent}", "shape"),
    ],
)
def test_a_near_choice_is_offered(line: str, near: str, tmp_path: Path) -> None:
    assert outcome(line, tmp_path).finding("bad-value").help == f"did you mean `{near}`?"


@pytest.mark.parametrize(
    ("layout", "code"), [("minimal", "unknown-key"), ("rich", "unknown-setting"), ("single", "unknown-setting")]
)
def test_an_unknown_key_is_named_with_the_nearest_one(layout: Layout, code: str, tmp_path: Path) -> None:
    found = outcome("max_token: 5\n", tmp_path, layout=layout).finding(code)
    assert found.headline == "there is no setting `max_token`"
    assert found.help == "did you mean `max_tokens`?"
    assert found.level == "error"


@pytest.mark.parametrize(
    ("key", "near"), [("MaxTokens", "maxTokens"), ("max-tokens", "max_tokens"), ("Model", "model")]
)
def test_an_unknown_key_finds_its_neighbour_in_other_writings(key: str, near: str, tmp_path: Path) -> None:
    assert outcome(f"{key}: 5\n", tmp_path).finding("unknown-setting").help == f"did you mean `{near}`?"


def test_an_unknown_key_like_none_is_told_where_to_go(tmp_path: Path) -> None:
    found = outcome("owner: me\n1: 2\n", tmp_path).found
    assert [f.code for f in found] == ["unknown-setting"] * 2
    assert "`meta`" in str(found[0].help)


def test_both_spellings_are_one_lint_at_the_second(tmp_path: Path) -> None:
    found = outcome("maxTokens: 1\nmax_tokens: 2\n", tmp_path).finding("both-spellings")
    assert found.level == "error"
    assert found.span is not None
    assert found.span.line == 2
    assert [r.span.line for r in found.related] == [1]


@pytest.mark.parametrize("key", ["system", "system_file", "system_render", "systemRender", "user_render", "userRender"])
@pytest.mark.parametrize("layout", ["rich", "single"])
def test_keys_of_packages_without_templates_are_refused_elsewhere(key: str, layout: Layout, tmp_path: Path) -> None:
    found = outcome(f"{key}: x\n", tmp_path, layout=layout).finding("setting-in-layout")
    assert f"`{key}`" in found.headline


@pytest.mark.parametrize("value", ["[]", "~", "x", "[a]", "{}"])
def test_skills_in_a_single_file_are_refused_in_any_form(value: str, tmp_path: Path) -> None:
    assert outcome(f"skills: {value}\n", tmp_path, layout="single").codes == ["setting-in-layout"]


@pytest.mark.parametrize("value", ["~", "a", "[a, a]", "{a: 1}", "[1]", "['']"])
@pytest.mark.parametrize("layout", ["minimal", "rich"])
def test_skills_are_a_list_of_names_without_repeats(value: str, layout: Layout, tmp_path: Path) -> None:
    assert outcome(f"skills: {value}\n", tmp_path, layout=layout).codes == ["bad-value"]
    assert outcome("skills: [b, a]\n", tmp_path, layout=layout).settings.skills == ("b", "a")
    assert outcome("skills: []\n", tmp_path, layout=layout).settings.skills == ()


def test_minimal_keeps_repeated_tools_and_the_others_do_not(tmp_path: Path) -> None:
    assert outcome("tools: [a, b, a]\n", tmp_path, layout="minimal").settings.tools == ("a", "b", "a")
    assert outcome("tools: [a, b, a]\n", tmp_path, layout="rich").settings.tools == ("a", "b")


def test_render_names_belong_to_minimal(tmp_path: Path) -> None:
    settings = outcome("system_render: s\nuserRender: u\n", tmp_path, layout="minimal").settings
    assert (settings.system_render, settings.user_render) == ("s", "u")


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("openai/gpt-5@high", "", ("openai:gpt-5", "high")),
        ("openai/gpt-5@high", "low", ("openai:gpt-5", "low")),
        (" gpt-5 ", "", ("gpt-5", None)),
        ("gpt-5@HIGH", "", ("gpt-5", "high")),
        ("vertex_ai/gemini-2.5", "", ("vertexai:gemini-2.5", None)),
        ("google:gemini-2.5", "", ("gemini:gemini-2.5", None)),
        ("openrouter/anthropic/claude:beta", "", ("openrouter:anthropic/claude:beta", None)),
        ("bedrock:us.anthropic/claude@v2", "", ("bedrock:us.anthropic/claude@v2", None)),
        ("claude-sonnet-4@20250514", "", ("claude-sonnet-4@20250514", None)),
        ("a/b@20250514@max", "", ("a:b@20250514", "max")),
    ],
)
def test_a_model_slug_is_normalised(model: str, effort: str, expected: tuple[str, str | None], tmp_path: Path) -> None:
    text = f'model: "{model}"\n' + (f"reasoning_effort: {effort}\n" if effort else "")
    settings = outcome(text, tmp_path).settings
    assert (settings.model, settings.reasoning_effort) == expected


@pytest.mark.parametrize("model", ["", " ", "/", ":", "a/", ":b", "@high", "a/@low", " : b", "a: "])
def test_a_slug_with_an_empty_half_is_refused(model: str, tmp_path: Path) -> None:
    assert outcome(f'model: "{model}"\n', tmp_path).codes == ["bad-model"]


@given(st.text(st.sampled_from(list("ab:/@ ")), max_size=8), st.sampled_from(["", "@high", "@none", "@v1"]))
def test_a_normalised_slug_stays_as_it_is(text: str, suffix: str) -> None:
    from frozenctx_compiler.models import parse_slug

    slug = parse_slug(text + suffix)
    if slug is not None and slug.effort is None:
        assert parse_slug(slug.model) == slug


def test_without_a_model_the_default_of_the_project_is_used_silently(tmp_path: Path) -> None:
    result = outcome("", tmp_path, default_model="google/gemini-2.5@low")
    assert (result.codes, result.settings.model, result.settings.reasoning_effort) == ([], "gemini:gemini-2.5", "low")


def test_without_any_model_the_built_in_one_is_a_warning(tmp_path: Path) -> None:
    result = outcome("name: n\n", tmp_path, default_model=None)
    assert result.settings.model == "claude-sonnet-4"
    assert result.finding("default-model").level == "warning"


def test_a_bad_default_model_is_found_in_the_project_file(tmp_path: Path) -> None:
    found = outcome("", tmp_path, default_model="x/").finding("bad-model")
    assert found.span == PLACES["model"]


@pytest.mark.parametrize("stem", ["a@b", "a,b", "a\tb", " "])
def test_a_stem_that_is_no_name_asks_for_one(stem: str, tmp_path: Path) -> None:
    assert outcome("model: m\n", tmp_path, stem=stem).codes == ["bad-name"]
    assert outcome("model: m\nname: n\n", tmp_path, stem=stem).settings.name == "n"


def test_the_name_is_the_stem_unless_given(tmp_path: Path) -> None:
    assert outcome("model: m\n", tmp_path, stem="draft").settings.name == "draft"


def test_everything_wrong_in_a_file_is_said_in_one_run(tmp_path: Path) -> None:
    text = (
        'name: a@b\nmodel: "x:"\nmax_tokens: -1\ntemperature: hot\nagent: 2\ncontext: x\ncolour: red\n'
        "tools: [1, 012]\nmeta: {a: yes}\nreply_schema: !? 1 + 1\nskills: ~\nmax_rounds: !? $env.N\nsections: []\n"
    )
    lines = [found.span.line for found in outcome(text, tmp_path).found if found.span]
    assert lines == [1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13]


def test_settings_that_are_no_mapping_are_refused(tmp_path: Path) -> None:
    assert outcome("- a\n", tmp_path).codes == ["bad-value"]
    assert outcome("text\n", tmp_path).codes == ["bad-value"]


def test_empty_settings_are_fine(tmp_path: Path) -> None:
    assert outcome("# nothing\n", tmp_path).codes == []


# -- files that settings name ---------------------------------------------------------------------------------------


def test_system_and_reply_schema_may_stand_in_files(tmp_path: Path) -> None:
    package = tmp_path / "stem.ctx"
    package.mkdir()
    (package / "system.md").write_bytes(b"\xef\xbb\xbfHello {{ no template }}\r\n")
    (tmp_path / "reply.json").write_text('{"type": "object", "x-b": 1, "x-a": [1.0, true, null]}')
    settings = outcome("system_file: system.md\nschema_file: ../reply.json\n", tmp_path, layout="minimal").settings
    assert settings.system == "Hello {{ no template }}\n"
    assert settings.reply_schema == {"type": "object", "x-b": 1, "x-a": [1.0, True, None]}
    assert list(settings.reply_schema) == ["type", "x-b", "x-a"]


@pytest.mark.parametrize("key", ["system_file", "schema_file"])
@pytest.mark.parametrize("target", ["missing.md", "../../outside", "/etc/passwd", "."])
def test_a_named_file_must_exist_inside_the_root(key: str, target: str, tmp_path: Path) -> None:
    (tmp_path / "stem.ctx").mkdir()
    result = outcome(f"model: m\n{key}: {target}\n", tmp_path, layout="minimal")
    assert result.checked is None
    [found] = result.found
    assert found.span is not None
    assert (found.span.line, found.span.column) == (2, len(key) + 3)


@pytest.mark.parametrize(
    ("first", "second"),
    [("system: x", "system_file: y"), ("reply_schema: {}", "schema_file: y"), ("replySchema: {}", "schema_file: y")],
)
def test_a_text_and_a_file_exclude_each_other(first: str, second: str, tmp_path: Path) -> None:
    found = outcome(f"{first}\n{second}\n", tmp_path, layout="minimal").finding("setting-conflict")
    assert found.span is not None
    assert found.span.line == 2
    assert outcome(f"{first.split(':')[0]}: ~\n{second}\n", tmp_path, layout="minimal").codes == ["missing-file"]


def test_a_literal_system_prompt_is_kept_to_the_letter(tmp_path: Path) -> None:
    text = "system: |2\n    {{ x }}\n  <<<role:user>>> \n\n"
    assert outcome(text, tmp_path, layout="minimal").settings.system == "  {{ x }}\n<<<role:user>>> \n"


# -- the table ------------------------------------------------------------------------------------------------------


def test_the_table_names_each_key_once_with_a_meaning() -> None:
    names = [key.name for key in KEYS]
    assert len(names) == len(set(names))
    assert all(key.meaning and not key.meaning.endswith(".") for key in KEYS)
    assert all(key.instead for key in KEYS if set(key.layouts) != set(LAYOUTS))
    assert all(key.type.choices for key in KEYS if key.type.kind == "choice")


def test_the_twins_are_those_of_the_format() -> None:
    twins = {key.twin for key in KEYS} - {None}
    assert twins == {
        "replySchema",
        "systemRender",
        "userRender",
        "maxTokens",
        "maxRounds",
        "reasoningEffort",
        "outputRetries",
        "requireToolCall",
        "responseFormat",
        "promptCache",
        "inputDefaults",
    }
    assert set(SPELLINGS) == {key.name for key in KEYS} | twins


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", " ", "x", "true", "12", "1e3", "nan", "a/b", "@high", "json_object", "Agent", "\x00", "𝒳"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "shape", "a", "x-a", ""]) | st.integers(), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(sorted(SPELLINGS)), ANYTHING, max_size=5), st.sampled_from(LAYOUTS))
def test_no_value_of_any_key_breaks_the_check(settings: dict[str, Any], layout: Layout) -> None:
    """Every package either has settings or an error, whatever stands in the file."""
    text = yaml.safe_dump(settings, sort_keys=False)
    result = outcome(text, Path(__file__).parent, layout=layout)
    errors = [found for found in result.found if found.level == "error"]
    assert (result.checked is None) == bool(errors)
    assert all(found.span is not None for found in errors)


# -- keys that expressions make -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'sub: !? dict($env.get("N") => 1, shape => Agent)',
        '? !? $env.get("N")\n: 5',
        'meta:\n  ? !? $env.get("N")\n  : .inf',
        'meta: !? dict($env.get("N") => 99999999999999999999999)',
        'meta: !? dict($env.get("N") => dict(1 => 2))',
        'meta:\n  ? !? $env.get("N")\n  : $env.get("X")',
    ],
)
@pytest.mark.parametrize("value", ["hunter2", "max_token", "shapp", "a: b\nc"])
def test_a_key_that_came_from_the_environment_is_never_shown(text: str, value: str, tmp_path: Path) -> None:
    result = outcome(f"model: m\n{text}\n", tmp_path, env={"N": value})
    assert result.checked is None
    assert value not in result.words
    assert "did you mean" not in result.words


def test_a_key_is_shown_as_it_is_written(tmp_path: Path) -> None:
    result = outcome('model: m\n"ma\\x78_token": 5\nmeta: {"q\\x71": .inf}\n', tmp_path)
    assert [found.headline for found in result.found] == [
        "there is no setting `max_token`",
        "`meta.qq` must be a finite number, found `.inf`",
    ]
    assert result.found[0].help == "did you mean `max_tokens`?"
