"""A small tree in which everything stands that could make two builds differ, and every layout.

Recent Unicode (assigned in 15.0, 15.1 and 16.0: interpreters disagree about it), no-break spaces, form feeds, line
separators, names of two normal forms, partials shared through many levels, constants that a compiler may fold.
"""

from collections.abc import Mapping
from typing import Any

SHAKING, DESCRIPTION, BAGS = "\U0001fae8", "\u2ffc", "\U0001fae9"  # of Unicode 15.0, 15.1 and 16.0
NEW_LETTERS = "\U0001e4d0\U0001e4d1 \U00010d70 \ua7db"  # letters since 15.0; with upper case since 16.0
RECENT = f"{SHAKING}{DESCRIPTION}{BAGS} {NEW_LETTERS}"
BLANKS = "a\u00a0b\u2007c\u202fd\u3000e\x0cf\x0bg\u2028h\u2029i\x85j\x1ck\ufeffl"
DEPTH = 18

_CONSTANTS = [
    f'["{SHAKING}", "{NEW_LETTERS}"]',
    f'{{"{BAGS}": 1.0}}',
    f'("{BAGS}",) | string',
    *(
        f'"{RECENT}" | {name}'
        for name in ("upper", "title", "pprint", "capitalize", "wordcount", "tojson", "urlencode")
    ),
    *(f'"{NEW_LETTERS}" is {name}' for name in ("upper", "lower", "string")),
    f'"{NEW_LETTERS}" | list | sort | join',
    f'"{BLANKS}" | trim',
    f'"{BLANKS}" | replace("\u00a0", "_")',
    f'"%s %r" | format("{SHAKING}", "{DESCRIPTION}")',
    f'"{RECENT}" ~ 1e16 ~ 0.1 ~ -0.0',
    f'"{RECENT}" | center(40)',
    f'"{RECENT} {BLANKS}" | wordwrap(7)',
    f'["b", "A", "{BAGS}"] | unique | list',
    '{"b": 1, "a": 2} | dictsort',
]
_FOLDABLE = "".join(f"{{{{ {constant} }}}}\n" for constant in _CONSTANTS)

_PARTIALS = {
    f"tree/partials/level{level}.j2": (
        f"{'  ' * level}level {level} {{{{ word }}}}\n"
        f'{{% if word %}}{{% include "partials/level{level + 1}.j2" %}}{{% endif %}}\n'
        f'{{% include "partials/level{min(level + 2, DEPTH)}.j2" %}}\n'
    )
    for level in range(DEPTH - 1)
}

FILES: Mapping[str, str] = {
    "tree/frozenctx.toml": """\
required-version = ">=0.1"

[defaults]
model = "openai/gpt-5"

[trees]
"." = ""
"second" = "other/é"

[mounts]
shared = "../shared"

[packages]
also = ["plain/*"]

[host]
filters = ["money"]
globals = ["site"]
""",
    "shared/house.j2": f'House {RECENT} {BLANKS}\n{{% include "@shared/deep/er.j2" %}}\n',
    "shared/deep/er.j2": '{{ "@shared/notes.txt" | import_text }}\x0c\n',
    "shared/notes.txt": f"notes\x0c{BLANKS}\n\n",
    **_PARTIALS,
    f"tree/partials/level{DEPTH - 1}.j2": f'last but one {SHAKING}\n{{% include "partials/level{DEPTH}.j2" %}}',
    f"tree/partials/level{DEPTH}.j2": f"bottom\x0c {BLANKS} {RECENT}\n",
    "tree/partials/macros.j2": (
        "{% macro row(cells, mark='-') %}{{ mark }}{% for cell in cells %} {{ loop.index }}:{{ cell }}{% endfor %}\n"
        "{% endmacro %}{% set heading = 'Überschrift' %}"
    ),
    "tree/partials/layout.j2": "{% block head %}Head{% endblock %}\n{% block body %}{% endblock %}\n",
    "tree/partials/text.md": f"# Text\n\n{BLANKS}\n{RECENT}\n\n\n",
    "tree/partials/data.yaml": (
        f'{{b: 1, a: [1.5, null, true], "{SHAKING}": "{RECENT}", z: {{y: 1, x: 2}}, "no-break": "\u00a0"}}\n'
    ),
    "tree/minimal.ctx/settings.yaml": (
        f'name: "minimal {SHAKING}"\nsystem: |\n  first {RECENT}\n  a\u00a0b {{{{ literal }}}}\n\n'
        'tools: [b, a, "b"]\ntemperature: 1\nreply_schema: {type: object, properties: {zulu: {type: string}, '
        f'alpha: {{const: "{BAGS}"}}, mike: {{multipleOf: 0.10}}}}, required: [zulu]}}\nmeta: {{b: 1, a: 2}}\n'
    ),
    "tree/files.ctx/settings.yml": (
        'model: !? $env.get("FILES_MODEL", "google/gemini-2.5-pro@high")\nsystem_file: text/sÿstem.md\n'
        "schema_file: reply.json\nx-anchor: &a {y: 1}\nmeta: {<<: *a, z: 2}\n"
    ),
    "tree/files.ctx/text/sÿstem.md": f"Literal \x0c{BLANKS}\n{{% nothing %}}\n\n",
    "tree/files.ctx/reply.json": f'{{"type": "object", "properties": {{"{SHAKING}": {{"maximum": 1e2}}, "a": true}}}}',
    "tree/rich.ctx/settings.yaml": "max_tokens: 100\ntools: [x/y]\nagent: true\n",
    "tree/rich.ctx/prompt.j2": (
        f"{{# comment {RECENT} #}}\n# dropped {BAGS}\n<<<role:system>>>\n{_FOLDABLE}"
        '{% include "partials/level0.j2" %}\n{% include "@shared/house.j2" %}\n'
        '{% from "partials/macros.j2" import row, heading with context %}\n{{ row(items, mark="*") }}{{ heading }}\n'
        '{{ "partials/text.md" | import_text }}|{{ "partials/data.yaml" | import_yaml }}\n'
        f"<<<role:USER>>>\n{BLANKS}\n"
        "{{ 3 | money }} {{ site }} {{ items | map('upper') | join(', ') }}\x0c\n"
    ),
    "tree/rich.ctx/samples/one.yaml": f'variables: {{word: "{RECENT}", items: ["ä", "\u00a0"]}}\ndescription: ""\n',
    "tree/rich.ctx/samples/two.yaml": 'variables:\n  word: ""\n  items: []\nexpect: {user: {max_chars: 1000}}\n',
    "tree/rich.ctx/README.md": f"{RECENT}\n",
    "tree/messages.ctx/settings.yaml": "{}\n",
    "tree/messages.ctx/messages/1.yaml": f'role: system\ncontent: "{RECENT}  \\x0c {{{{ word }}}} "\n',
    "tree/messages.ctx/messages/2.yml": (
        'content: |\n  {% extends "partials/layout.j2" %}\n  {% block body %}{{ super() }}'
        '{{ word ~ "\u00a0" }}{% endblock %}\nrole: user\n'
    ),
    "tree/nested/deeper/single.ctx": (
        f'---\nname: single\nmodel: "anthropic:claude-sonnet-4"\nmeta: {{mark: "{RECENT}"}}\n---\n'
        '<<<role:system>>>\n{% import "partials/macros.j2" as macros %}'
        "{{ macros.row([1, 2.50, none]) }}\x0c<<< no marker >>>\n"
        '{% include ["partials/absent.j2", "partials/level9.j2"] %}{% include "partials/absent.j2" ignore missing %}\n'
    ),
    "tree/nested/deeper/single.samples.yaml": 'plain: {variables: {word: w}}\n"zwei\u00a0": {variables: {word: ""}}\n',
    "tree/nested/bare.ctx": f"{RECENT}\n{BLANKS}\n{{{{ word }}}}",
    "tree/Ünïcode/Ångström.ctx": (
        "{% set ns = namespace(n=0) %}{% for c in word %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}\n"
    ),
    "tree/plain/suffixless/settings.yaml": "name: suffixless\n",
    "tree/plain/suffixless/prompt.j2": '{% include "partials/level3.j2" %}{{ "partials/text.md" | import_text }}',
    "tree/second/tree.ctx": '{% include "@shared/house.j2" %} second {{ word }}\n',
}
"""Everything by path: the root is `tree`, beside it stands what it mounts."""

VARIABLES = {"word": "wörd", "items": ["a", "b", "ä"]}
HOST: dict[str, Any] = {"filters": {"money": lambda value: f"€ {value}"}, "globals": {"site": "example"}}
