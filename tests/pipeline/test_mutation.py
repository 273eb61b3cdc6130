"""The law of identity, by changing sources at random: what a provider receives moves only when the identity does.

A small tree uses every layout, shared partials, imports of text and data, and samples. One of its files is damaged or
edited; then either the build fails with a report, and with nothing but a report, or every package that still has its
old version gives what it gave before: texts, exceptions, model, settings, tools, schemas.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler.api import CompileError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from source_trees import write

FILES: Mapping[str, str] = {
    "tree/frozenctx.toml": """\
required-version = ">=0.1"
[defaults]
model = "openai/gpt-5@low"
[trees]
"." = ""
"chat" = "talk"
[mounts]
house = "../house"
[host]
filters = ["money"]
""",
    "house/voice.j2": "Be {{ tone | default('plain') }}.{% if strict %} No jokes.{% endif %}\n",
    "house/words.txt": "one\ntwo\n",
    "tree/partials/macros.j2": (
        "{% macro item(x, mark='-') %}{{ mark }} {{ x.name }}{% if x.tags %} ({{ x.tags | join(', ') }}){% endif %}\n"
        "{% endmacro %}\n{% set limit = 3 %}\n"
    ),
    "tree/partials/base.j2": "{% block head %}Head{% endblock %}\n{% block body required %}{% endblock %}Foot\n",
    "tree/partials/terms.md": "# Terms\n\n- a\n- b\n",
    "tree/partials/scale.yaml": "high: {rank: 3, words: [now, today]}\nlow: {rank: 1, words: []}\n",
    "tree/minimal.ctx/settings.yaml": (
        "name: minimal\nmodel: anthropic/claude-sonnet-4\nsystem: |\n  Literal {{ text }}\n\n  more\n"
        "tools: [search, web/open]\nmax_tokens: 100\ntemperature: 0.5\nreplySchema:\n  type: object\n"
        "  properties: {b: {type: string}, a: {type: integer}}\nmeta: {owner: me}\n"
    ),
    "tree/files.ctx/settings.yml": (
        'model: !? $env.get("MODEL", "google/gemini-2.5-pro")\nsystem_file: system.md\nschema_file: reply.json\n'
        "reasoning_effort: High\noutput_retries: 2\nrequire_tool_call: true\nprompt_cache: 5m\n"
        "sub: {shape: Agent, summary_policy: result_only}\ncontext: summary\nresponse_format: {type: json_object}\n"
    ),
    "tree/files.ctx/system.md": "# System\n\nText of a file.\n",
    "tree/files.ctx/reply.json": '{"type": "object", "properties": {"z": {}, "a": {}}}\n',
    "tree/rich.ctx/settings.yaml": "max_rounds: 4\ntools: [web/open]\nagent: true\nx-a: &a [1]\nmeta: {list: *a}\n",
    "tree/rich.ctx/prompt.j2": """\
{# The task #}
# a remark
<<<role:system>>>
{% include "@house/voice.j2" %}
{% from "partials/macros.j2" import item with context %}
{% for x in items %}{{ item(x, loop.index ~ ".") }}{% else %}nothing{% endfor %}
{{ "partials/terms.md" | import_text }}
<<<role:user>>>
{% set scale = "partials/scale.yaml" | import_yaml %}
{% for name, level in scale.items() %}{{ name }}={{ level.rank }} {{ level.words | join("/") }};{% endfor %}
{{ total | money }} {{ note | upper if note else "-" }}
""",
    "tree/rich.ctx/samples/one.yaml": "variables: {items: [{name: a, tags: [x, y]}, {name: b}], total: 3, note: hi}\n",
    "tree/rich.ctx/samples/two.yaml": "variables: {items: [], total: 0, note: ''}\nexpect: {user: {contains: ['-']}}\n",
    "tree/extending.ctx/settings.yaml": "{}\n",
    "tree/extending.ctx/messages/1.yaml": (
        'role: system\ncontent: |\n  {% extends "partials/base.j2" %}\n  {% block body %}{{ super.x is defined }}'
        "{{ tone }}{% endblock %}\n"
    ),
    "tree/extending.ctx/messages/2.yaml": "role: user\ncontent: \"{{ note }} \\u2028 {# c #}{{ '{{' }}\"\n",
    "tree/chat/title.ctx": (
        "---\nname: title\ntools: []\nmeta: {a: 1}\n---\n{% include ['partials/none.j2', 'partials/macros.j2'] %}\n"
        "{% include 'partials/maybe.j2' ignore missing %}{{ note | truncate(5) }}{% raw %}{{ raw }}{% endraw %}\n"
    ),
    "tree/chat/title.samples.yaml": "short: {variables: {note: a}}\nlong: {variables: {note: abcdefghij}}\n",
    "tree/chat/bare.ctx": "{%- for x in items if x.tags %}{{ loop.first }}{{ x.name }}{% endfor -%}\n  {{ note }}\n",
}
SUPPLIED: dict[str, Any] = {"filters": {"money": lambda value: f"{value} €"}}
VARIABLES: list[dict[str, Any]] = [
    {"items": [{"name": "a", "tags": ["x", "y"]}, {"name": "b"}], "total": 3, "note": "hi there", "tone": "warm"},
    {"items": [], "total": 0, "note": "", "strict": True},
    {},
]


def received(prompt: frozenctx.Prompt) -> str:
    """Everything that a provider can receive of a prompt, for three sets of variables."""
    messages: list[Any] = []
    for variables in VARIABLES:
        try:
            messages.append(prompt.messages(variables))
        except Exception as error:
            messages.append([type(error).__name__, str(error)])
    stored = {name: getattr(prompt.settings, name) for name in dir(prompt.settings)}
    return json.dumps([messages, prompt.model, stored, prompt.tools, prompt.reply_schema, prompt.input_schema])


def outcomes(home: Path) -> dict[str, tuple[str, str]] | None:
    """Key → version and what a provider receives; None when the build fails with a report (of errors)."""
    try:
        prompts = frozenctx_compiler.load(home / "tree", **SUPPLIED)
    except CompileError as error:
        return None if any(finding.level == "error" for finding in error.diagnostics) else {}
    return {key: (prompt.version, received(prompt)) for key, prompt in prompts.items()}


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        yield write(Path(directory), FILES)


@pytest.fixture(scope="module")
def before(home: Path) -> dict[str, tuple[str, str]]:
    result = outcomes(home)
    assert result is not None
    return result


@contextmanager
def replaced(path: Path, content: bytes) -> Iterator[None]:
    original = path.read_bytes()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(original)


SNIPPETS = [
    "{{", "}}", "{%", "%}", "{#", "#}", "-", "+", "{{ note }}", "{% if x %}", "{% endif %}", "{% raw %}",
    "{% endraw %}", "{% else %}", "{% break %}", "<<<role:user>>>", "<<<role:system>>>", "---\n", "\n---\n",
    "# x\n", "\n", "\n\n", " ", "  ", "\t", ":", ": ", "- ", ", ", "[", "]", "{", "}", "'", '"', "\\", "&a ", "*a",
    "<<: *a\n", "!? ", "!!set ", "!x ", "!? $env.get('X', 1)", "|", ">", "%", "null", "~", "yes", "012", "1e3",
    "2020-01-01", "true", "0", "999999999999999999999999999999", ".5", "name: x\n", "model: x\n", "tools: [a]\n",
    "user_render: r\n", "ignore missing", " with context", "not ", "_x", ".__class__", "é", "日本", "\u2028",
    "\u00a0", "\x0c", "\r", "\r\n", "\ufeff", "\0", "\x1b", "\x7f", "😀", "{{ '", " | upper", " | x",
    '"partials/macros.j2"', "../", "@house/", "@no/", "/", "include", "import", "loop", "self", "super()",
    "caller()",
]  # fmt: skip


@st.composite
def edits(draw: st.DrawFn, content: bytes) -> bytes:
    """One to three edits of a file: bytes or snippets put in, bytes taken out or replaced, lines swapped or doubled."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        until = min(len(content), at + draw(st.sampled_from([0, 0, 0, 1, 1, 2, 5, 20, 1000])))
        lines = content.split(b"\n")
        one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        kind = draw(st.sampled_from(["put", "put", "put", "take", "swap", "double", "digit"]))
        if kind == "put":
            new = draw(st.one_of(st.sampled_from(SNIPPETS).map(str.encode), st.binary(max_size=3)))
            content = content[:at] + new + content[until:]
        elif kind == "take":
            content = content[:at] + content[max(until, at + 1) :]
        elif kind == "swap":
            lines[one], lines[other] = lines[other], lines[one]
            content = b"\n".join(lines)
        elif kind == "double":
            content = b"\n".join([*lines[:one], lines[other], *lines[one:]])
        else:
            content = content[:at] + bytes([draw(st.sampled_from(b"0123456789abcxyz_"))]) + content[at + 1 :]
    return content


def assert_lawful(before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]] | None) -> None:
    """Whoever kept the version gives what it gave. `after` is empty only if there was a failure without an error."""
    assert after != {}
    for key, (version, text) in (after or {}).items():
        if key in before and version == before[key][0]:
            assert text == before[key][1], f"{version} gives something else"


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(name=st.sampled_from(sorted(FILES)), data=st.data())
def test_an_edit_fails_with_a_report_or_moves_the_identity_of_all_that_it_changes(
    home: Path, before: dict[str, tuple[str, str]], name: str, data: st.DataObject
) -> None:
    with replaced(home / name, data.draw(edits(FILES[name].encode()), label="content")):
        after = outcomes(home)
    assert_lawful(before, after)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_removed_file_fails_with_a_report_or_moves_the_identity_of_all_that_it_changes(
    name: str, home: Path, before: dict[str, tuple[str, str]]
) -> None:
    path = home / name
    content = path.read_bytes()
    path.unlink()
    try:
        after = outcomes(home)
    finally:
        path.write_bytes(content)
    assert_lawful(before, after)


ADDED = {
    "tree/partials/none.j2": "{{ note }} first choice",
    "tree/partials/maybe.j2": "optional",
    "tree/chat/partials/x.txt": "a nearer base directory",
    "tree/rich.ctx/partials/x.txt": "a nearer base directory",
    "tree/rich.ctx/partials/terms.md": "another text",
    "tree/chat/new.ctx": "a new package",
    "tree/rich.ctx/notes.md": "an unknown file",
    "tree/rich.ctx/eval.py": "raise SystemExit",
    "tree/minimal.ctx/prompt.j2": "now it has a template",
    "tree/minimal.ctx/tools.pyi": "def f() -> None: ...",
    "tree/files.ctx/messages/1.yaml": "{role: system, content: x}",
    "tree/rich.ctx/messages/1.yaml": "{role: system, content: x}",
    "tree/rich.ctx/settings.yml": "{}",
    "tree/extending.ctx/messages/0.yaml": "{role: system, content: x}",
}


@pytest.mark.parametrize("name", ADDED)
def test_an_added_file_fails_with_a_report_or_moves_the_identity_of_all_that_it_changes(
    name: str, home: Path, before: dict[str, tuple[str, str]]
) -> None:
    path = home / name
    made = [parent for parent in path.parents if not parent.exists()]
    write(home, {name: ADDED[name]})
    try:
        after = outcomes(home)
    finally:
        path.unlink()
        for parent in made:
            parent.rmdir()
    assert_lawful(before, after)


def test_edits_that_change_a_text_do_move_its_identity(home: Path, before: dict[str, tuple[str, str]]) -> None:
    """The property can fail: an edit of each kind of file is seen by the packages that it concerns, and no other."""
    seen = {
        ("house/voice.j2", b"Be", b"Do be"): {"rich"},
        ("tree/partials/macros.j2", b"mark }} ", b"mark }}  "): {"rich", "talk/title"},
        ("tree/partials/terms.md", b"- a", b"- A"): {"rich"},
        ("tree/partials/scale.yaml", b"rank: 3", b"rank: 4"): {"rich"},
        ("tree/partials/base.j2", b"Foot", b"foot"): {"extending"},
        ("tree/files.ctx/system.md", b"Text", b"text"): {"files"},
        ("tree/files.ctx/reply.json", b'"z": {}, "a": {}', b'"a": {}, "z": {}'): {"files"},
        ("tree/minimal.ctx/settings.yaml", b"0.5", b"0.25"): {"minimal"},
        ("tree/frozenctx.toml", b"gpt-5@low", b"gpt-5@high"): {"extending", "rich", "talk/bare", "talk/title"},
        ("tree/rich.ctx/settings.yaml", b"list: *a", b"list: [2]"): set(),
        ("tree/rich.ctx/samples/one.yaml", b"total: 3", b"total: 4"): set(),
    }  # fmt: skip
    for (name, old, new), concerned in seen.items():
        content = FILES[name].encode()
        assert old in content, (name, old)
        with replaced(home / name, content.replace(old, new)):
            after = outcomes(home)
        assert after is not None
        assert {key for key in before if after[key][0] != before[key][0]} == concerned, name
        assert {key for key in before if after[key][1] != before[key][1]} <= concerned, name
