"""Identities of packages with something odd in them, written out by hand from CTX-FORMAT §3 and §5.

The expected text is what the version hashes: the identity as JSON, keys sorted at the top. `$system` and `$user` stand
for the sha256 of what the role's renderer name hashes, which is written out too; `$system12` for its first 12 digits.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import frozenctx
import pytest
from frozenctx_compiler import build
from source_trees import write

HASHED = {
    "plain": {"system": "Hello.\n"},
    "tools": {"system": "Hello."},
    "comments": {"system": "{# one #}\n\n{#- two\n  lines -#}You greet.", "user": "Hello {{ name }}"},
    "messages": {"system": "  kept  \n\n", "user": "<<<role:system>>>\n"},
    "captures": {
        "system": "{% include ['partials/gone.j2', 'partials/a.j2'] %}{{ 'partials/t.txt' | import_text }}\n"
        "{% import 'partials/m.j2' as m %}{% include './partials/a.j2' %}"
        "{% include 'partials/lost.j2' ignore missing %}\n"
        "{{ 'partials/d.yaml' | import_yaml }}{{ 'partials/a.j2' | import_text }}{# {% include 'partials/z.j2' %} #}"
        "\n\n# dotctx dependency bundle\n"
        "\n# template: partials/a.j2\nA{% include 'partials/b.j2' %}{{ 'partials/t.txt' | import_text }}"
        "\n# template: partials/b.j2\nB\n"
        "\n# import_text: partials/t.txt\ntext\nmore"
        "\n# template: partials/m.j2\n{% macro hi() %}{% endmacro %}"
        "\n# import_yaml: partials/d.yaml\na: 1\n"
        "\n# import_text: partials/a.j2\nA{% include 'partials/b.j2' %}{{ 'partials/t.txt' | import_text }}",
        "user": "{% include 'partials/b.j2' %}\n\n# dotctx dependency bundle\n\n# template: partials/b.j2\nB\n",
    },
    "above": {
        "system": "{% include 'partials/x.j2' %}{% include '../y.j2' %}{{ '@shared/z.txt' | import_text }}\n"
        "\n\n# dotctx dependency bundle\n"
        "\n# template: partials/x.j2\nX"
        "\n# template: ../y.j2\nY"
        "\n# import_text: @shared/z.txt\nZ"
    },
    "host": {"system": "{{ x | money }}"},
}

FILES = {
    "frozenctx.toml": '[mounts]\nshared = "../shared"\n\n[host]\nfilters = ["money"]\n',
    # Settings
    "zero.ctx/settings.yaml": "model: m\nsystem: x\nmax_tokens: 0\nmax_rounds: '0'\ntemperature: 0\n"
    "output_retries: 0\n",
    "unset.ctx/settings.yaml": "model: m\nsystem: x\ncontext: local\nagent: 'false'\nrequire_tool_call: false\n"
    "tools: []\nskills: []\nmeta: {owner: me}\nx-y: 1\nreply_schema:\n",
    "every.ctx/settings.yaml": "name: one name\nmodel: openai/gpt-5@low\nsystem: é\ntools: [b, a, b]\nsystemRender: s\n"
    "userRender: u\nmaxTokens: ' 1 '\nmax_rounds: 2\ntemperature: '1'\nreasoning_effort: HIGH\noutput_retries: '3'\n"
    "require_tool_call: 'true'\nresponse_format: {type: json_object}\nprompt_cache: 1h\nagent: true\n"
    "sub: {summary_policy: result_only, shape: Agent}\ncontext: summary\ninput_defaults: apply\n"
    "reply_schema: {type: object, properties: {z: {maximum: 1.0}, a: {maximum: 1, const: null}}}\n",
    "order.ctx/settings.yaml": "model: m\nsystem: x\nreply_schema: {properties: {a: {}, z: {}}, type: object}\n",
    "false.ctx/settings.yaml": "model: m\nsystem: x\nreply_schema: false\n",
    # Templates
    "plain.ctx": "---\nmodel: m\n---\nHello.\n",
    "tools.ctx/settings.yaml": "model: m\ntools: [b, a, b]\n",
    "tools.ctx/prompt.j2": "Hello.",
    "comments.ctx": "---\nmodel: m\n---\n{# one #}\n# a note\n\n{#- two\n  lines -#}\n# another\n<<<role:system>>>\n\n"
    "You greet.\n\n<<< role:USER >>>\nHello {{ name }}\n\n",
    "messages.ctx/settings.yaml": "model: m\n",
    "messages.ctx/messages/1.yaml": 'role: system\ncontent: "  kept  \\n\\n"\n',
    "messages.ctx/messages/2.yml": "content: |\n  <<<role:system>>>\nrole: user\n",
    "d/captures.ctx/settings.yaml": "model: m\n",
    "d/captures.ctx/prompt.j2": "<<<role:system>>>\n"
    + HASHED["captures"]["system"].split("\n\n# dotctx")[0]
    + "\n<<<role:user>>>\n{% include 'partials/b.j2' %}\n",
    "d/partials/a.j2": "A{% include 'partials/b.j2' %}{{ 'partials/t.txt' | import_text }}",
    "d/partials/b.j2": "B\n",
    "d/partials/t.txt": "\ufefftext\r\nmore",
    "d/partials/m.j2": "{% macro hi() %}{% endmacro %}",
    "d/partials/d.yaml": "a: 1\n",
    "d/partials/z.j2": "never",
    "e/deep/er/above.ctx": "---\nmodel: m\n---\n" + HASHED["above"]["system"].split("\n\n# dotctx")[0],
    "e/partials/x.j2": "X",
    "y.j2": "Y",
    "../shared/z.txt": "Z",
    "host.ctx": "---\nmodel: m\n---\n{{ x | money }}",
}

ROLES = (
    '"replySchema":null,"sources":{"system":"$system","user":"$user"},"system":"",'
    '"systemRender":"dotctx/$name/system@v$system12","tools":[],"userRender":"dotctx/$name/user@v$user12"}'
)
ROLE = (
    '"replySchema":null,"sources":{"system":"$system"},"system":"",'
    '"systemRender":"dotctx/$name/system@v$system12","tools":[]}'
)
IDENTITIES = {
    "zero": '{"maxRounds":0,"maxTokens":0,"model":"m","name":"zero","replySchema":null,"system":"x","temperature":0.0,'
    '"tools":[]}',
    "unset": '{"model":"m","name":"unset","replySchema":null,"system":"x","tools":[]}',
    "every": '{"agent":true,"context":"summary","inputDefaults":"apply","maxRounds":2,"maxTokens":1,'
    '"model":"openai:gpt-5","name":"one name","outputRetries":3,"promptCache":"1h","reasoningEffort":"high",'
    '"replySchema":{"type":"object","properties":{"z":{"maximum":1.0},"a":{"maximum":1,"const":null}}},'
    '"requireToolCall":true,"responseFormat":"json_object","sub":{"shape":"Agent","summary_policy":"result_only"},'
    '"system":"\\u00e9","systemRender":"s","temperature":1.0,"tools":["b","a","b"],"userRender":"u"}',
    "order": '{"model":"m","name":"order","replySchema":{"properties":{"a":{},"z":{}},"type":"object"},"system":"x",'
    '"tools":[]}',
    "false": '{"model":"m","name":"false","replySchema":false,"system":"x","tools":[]}',
    "plain": '{"model":"m","name":"plain",' + ROLE,
    "tools": '{"model":"m","name":"tools",' + ROLE.replace("[]", '["b","a"]'),
    "comments": '{"model":"m","name":"comments",' + ROLES,
    "messages": '{"model":"m","name":"messages",' + ROLES,
    "captures": '{"model":"m","name":"captures",' + ROLES,
    "above": '{"model":"m","name":"above",' + ROLE,
    "host": '{"hostNames":["filter:money"],"model":"m","name":"host",' + ROLE,
}
DIRECTORIES = {"captures": "d/", "above": "e/deep/er/"}

SLUGS = {
    "gpt-5": ("gpt-5", None),
    " gpt-5 ": ("gpt-5", None),
    "openai/gpt-5": ("openai:gpt-5", None),
    "openai:gpt-5": ("openai:gpt-5", None),
    "openrouter/anthropic/claude:beta": ("openrouter:anthropic/claude:beta", None),
    "openrouter:anthropic/claude": ("openrouter:anthropic/claude", None),
    "vertex_ai/gemini": ("vertexai:gemini", None),
    "google:gemini": ("gemini:gemini", None),
    "google": ("google", None),
    "x/google/gemini": ("x:google/gemini", None),
    "openai/gpt-5@none": ("openai:gpt-5", "none"),
    "openai:gpt-5@minimal": ("openai:gpt-5", "minimal"),
    "gpt-5@xhigh": ("gpt-5", "xhigh"),
    "vertex_ai/claude@20250514": ("vertexai:claude@20250514", None),
    "vertex_ai/claude@20250514@max": ("vertexai:claude@20250514", "max"),
    "gpt-5@highest": ("gpt-5@highest", None),
}


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, frozenctx.Prompt]:
    root = write(tmp_path_factory.mktemp("odd") / "tree", FILES)
    for number, slug in enumerate(SLUGS):
        write(root, {f"slug{number}.ctx/settings.yaml": f"model: '{slug}'\nsystem: x\n"})
    result = build(root, root.parent / "out")
    assert result.written, result.report.diagnostics
    return frozenctx.load(root.parent / "out", filters={"money": str}, renderers={"s": str, "u": str}, verify=True)


@pytest.mark.parametrize("name", IDENTITIES)
def test_the_identity_is_what_the_format_says(name: str, prompts: Mapping[str, frozenctx.Prompt]) -> None:
    expected = IDENTITIES[name].replace("$name", name)
    for role, text in HASHED.get(name, {}).items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        expected = expected.replace(f"${role}12", digest[:12]).replace(f"${role}", digest)
    prompt = prompts[DIRECTORIES.get(name, "") + name]
    assert json.dumps(dict(sorted(prompt.identity.items())), separators=(",", ":")) == expected
    assert prompt.version == f"{prompt.key}@v{hashlib.sha256(expected.encode()).hexdigest()[:12]}"


@pytest.mark.parametrize(("number", "slug"), list(enumerate(SLUGS)))
def test_a_slug_of_every_form_is_in_the_identity_as_model_and_effort(
    number: int, slug: str, prompts: Mapping[str, frozenctx.Prompt]
) -> None:
    model, effort = SLUGS[slug]
    thought = f'"reasoningEffort":"{effort}",' if effort else ""
    expected = f'{{"model":"{model}","name":"slug{number}",{thought}"replySchema":null,"system":"x","tools":[]}}'
    prompt = prompts[f"slug{number}"]
    assert prompt.version == f"slug{number}@v{hashlib.sha256(expected.encode()).hexdigest()[:12]}", prompt.identity


def test_a_file_reached_through_a_link_is_captured_once(tmp_path: Path) -> None:
    """One entry per real file and role; the first path names it. The other path is in `sources` alone."""
    template = "{% include 'partials/x.j2' %}{% include 'partials/y.j2' %}"
    write(tmp_path, {"t/a.ctx": template, "t/partials/x.j2": "X"})
    (tmp_path / "t/partials/y.j2").symlink_to("x.j2")
    assert build(tmp_path / "t", tmp_path / "out").written
    heading = "\n\n# dotctx dependency bundle\n"
    named = hashlib.sha256(f"{template}{heading}\n# template: partials/x.j2\nX".encode()).hexdigest()
    captured = [["template", "partials/x.j2", "X"], ["template", "partials/y.j2", "X"]]
    whole = hashlib.sha256((heading + json.dumps([template, captured])).encode()).hexdigest()
    identity = frozenctx.load(tmp_path / "out")["a"].identity
    assert identity["systemRender"] == f"dotctx/a/system@v{named[:12]}"
    assert identity["sources"] == {"system": whole}
