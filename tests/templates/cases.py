"""Templates that together say what the language means; each is (sources, variables).

A single text stands for {"main": text}. The same table is rendered in process, in a bare interpreter, with and without
the guard.
"""

# ruff: noqa: E501
# One case a line reads better than short lines.

from __future__ import annotations

import copy
from typing import Any

LIBRARY = """\
{% macro field(label, value='none', unit='') -%}
{{ label }}: {{ value }}{{ unit }}
{%- endmacro %}
{% macro box(title) %}[{{ title }}|{{ caller() }}]{% endmacro %}
{% macro _private() %}p{% endmacro %}
{% macro who() %}{{ name }}{% endmacro %}
{% set version = 3 %}
{% set _hidden = 4 %}
text of the library
"""
BASE = """\
{% block head %}base head{% endblock %}
{% for row in rows %}{% block row scoped %}<{{ row }}>{% endblock %}{% endfor %}
{% block foot %}{{ note|default('no note') }}{% endblock %}
{{ self.head() }}
"""

CASES: dict[str, tuple[str | dict[str, str], dict[str, Any]]] = {
    # Output and data
    "nothing": ("", {}),
    "data": ("a { b } }} \\n 'q' \"q\" '''x''' \"\"\" %s {x} é \u2028 \U0001fae8 \x0c\n\ttab", {}),
    "quotes in holes": ("'{{ a['k'] }}' \"{{ a[\"k\"] }}\" {{ a['it\\'s'] }} '''{{ a['k'] }}\"\"\"", {"a": {"k": "v"}}),
    "all quotes in a hole": ("{{ a['k'] }}{{ b[\"'''\"] }}{{ b['\"\"\"'] }} {{ b[\"'''\"] ~ b['\"\"\"'] }}x{{ a[\"k\"] }}", {"a": {"k": "v"}, "b": {"'''": 1, '"""': 2}}),
    "marks of f-strings in a hole": ("{{ d['#'] }}{{ d['!r'] }}{{ d['a:b'] }}{{ d['{'] }}{{ d['}'] }}{{ 1 != d['#'] }}{{ d|length == 5 }}", {"d": {"#": 1, "!r": 2, "a:b": 3, "{": 4, "}": 5}}),
    "backslash in a hole": ("a{{ 'x\\ny' ~ a }}b{{ a|replace('a', '\\\\') }}c", {"a": "banana"}),
    "braces in a hole": ("{{ {'a': 1} }}{{ {'a': a}['a'] }}{{ '{}' }}{{ a|format }}", {"a": "{x}"}),
    "formats itself": ("{{ a }}{{ b }}", {"a": 1.50, "b": 10**25}),
    "whitespace control": ("a  {%- if true %}  b  {%- endif -%}  c\n  {%+ if true %}d{% endif +%}\ne\n\n", {}),
    "trim and lstrip": ("  {% if true %}\n  x\n  {% endif %}\n  {# c #}\n  y\n", {}),
    "raw": ("{% raw %}{{ x }}{% if %}{# #}{% endraw %}\nend", {}),
    "comments": ("a{# {{ x }} #}b{#- trimmed -#}   c", {}),
    "line ends": ("a\r\nb\rc\n", {}),
    "constants": ("{{ 1 }}{{ 'a' }}{{ 2.0 }}{{ true }}{{ none }}{{ 1e3 }}{{ 1_000 }}{{ 0x1f }}{{ [1, 'é'] }}{{ (1,) }}", {}),
    # Expressions
    "arithmetic": ("{{ a + 2 * b - -a }}{{ a / b }}{{ a // b }}{{ a % b }}{{ 2 ** 3 ** 2 }}{{ -a ** 2 }}", {"a": 7, "b": 2}),
    "comparison": ("{{ 1 < a <= 7 != b }}{{ a == 7 }}{{ a in [7] }}{{ a not in [7] }}{{ not a }}", {"a": 7, "b": 2}),
    "logic": ("{{ a and b }}{{ a or b }}{{ b or a }}{{ not (a and b) }}{{ 'x' if a else 'y' }}{{ 'x' if b }}", {"a": 0, "b": [1]}),
    "concatenation": ("{{ a ~ 1 ~ none ~ b }}{{ 'x' ~ 'y' ~ 1 }}", {"a": "s", "b": [1]}),
    "literals": ("{{ [a, 'b'] }}{{ (a, 'b') }}{{ {'k': a, a: 1} }}{{ {}.get('x', a) }}", {"a": 1}),
    "items and attributes": (
        "{{ d.k }}{{ d['k'] }}{{ d.items }}|{{ d['items'] }}{{ d.keys()|list }}{{ l[0] }}{{ l[-1] }}{{ d[1] }}{{ s.0 }}",
        {"d": {"k": "v", "items": 1, 1: "one"}, "l": [1, 2], "s": "str"},
    ),
    "slices": ("{{ l[1:] }}{{ l[:2] }}{{ l[::2] }}{{ l[-2:-1] }}{{ s[1:3] }}{{ l[a:] }}", {"l": [1, 2, 3], "s": "text", "a": 1}),
    "calls": ("{{ f(1, *l, k=2, **d) }}{{ s.upper() }}{{ s.split(',') }}{{ f() }}", {"s": "a,b", "l": [3], "d": {"z": 1}, "f": dict}),
    "keyword that is a keyword": ("{{ f(**{'class': 1}) }}{{ f(class=1, if=2) }}", {"f": dict}),
    "names that are not ASCII": ("{% set ñ = é ~ 'ü' %}{{ ñ }}{{ größe|default('x') }}{{ f(é=1) }}", {"é": "E", "f": dict}),
    "names that look alike": ("{% block é %}1{% endblock %}{% block _e9_ %}2{% endblock %}{% set _e9_ = 3 %}{% set é = 4 %}{{ _e9_ }}{{ é }}{{ self.é() }}{{ self._e9_() }}", {}),
    "names that are keywords": ("{{ class }}{{ def }}{{ self_ }}{{ out }}{{ write }}{{ context }}{{ missing }}{{ resolve }}",
        dict.fromkeys(["class", "def", "self_", "out", "write", "context", "missing", "resolve"], "v")),
    "filters": ("{{ a|upper|lower|title }}{{ l|join(', ') }}{{ l|map('string')|list }}{{ 'x'|default('y') }}", {"a": "aB", "l": [1, 2]}),
    "filter by name": ("{{ l|map(f)|list }}{{ l|select('gt', 1)|list }}", {"l": [1, 2], "f": "string"}),
    "tests": ("{{ a is odd }}{{ a is not divisibleby 3 }}{{ b is defined }}{{ a is in [1] }}{{ a is eq 1 }}{{ u is undefined }}", {"a": 1, "b": 2}),
    "default and defined": ("{{ u|default('d') }}{{ u is defined }}{{ a.b is defined }}{{ (a.b)|default(1) }}{{ ''|d('e', true) }}", {"a": {}}),
    # Undefined values
    "undefined printed": ("{{ u }}", {}),
    "undefined attribute": ("{{ a.u }}", {"a": {"x": 1}}),
    "undefined item": ("{{ a[3] }}{{ a['u'] }}", {"a": [1]}),
    "undefined attribute of undefined": ("{{ u.v }}", {}),
    "undefined called": ("{{ u() }}", {}),
    "undefined iterated": ("{% for x in u %}{% endfor %}", {}),
    "undefined in a condition": ("{% if u %}{% endif %}", {}),
    "undefined compared": ("{{ u == 1 }}", {}),
    "undefined with text": ("{{ 'a' ~ u }}", {}),
    "undefined of none": ("{{ a.b }}", {"a": None}),
    "undefined after text": ("text before\n\n{{ a }}\n{{ u.v }}", {"a": 1}),
    "missing else": ("[{{ 'x' if false }}]", {}),
    "missing else used": ("{{ ('x' if false) + 1 }}", {}),
    # Names and scopes
    "set": ("{% set a = 1 %}{% set b, c = 2, [3] %}{{ a }}{{ b }}{{ c }}{{ d }}", {"a": 0, "d": 4}),
    "set in a branch": ("{% if a %}{% set b = 1 %}{% else %}{% set c = 2 %}{% endif %}{{ b }}{{ c is defined }}", {"a": 1, "b": 0}),
    "set in a loop stays there": ("{% set a = 0 %}{% for x in [1, 2] %}{% set a = x %}{{ a }}{% endfor %}{{ a }}", {}),
    "read, then set, in a loop": ("{% for x in [1, 2] %}{{ a }}{% set a = x %}{{ a }}{% endfor %}{{ a }}", {"a": "A"}),
    "set block": ("{% set a %}x{{ b }}{% endset %}{{ a }}{% set c | upper | trim %} q {% endset %}{{ c }}", {"b": 1}),
    "with": ("{% with a = 1, b = a %}{{ a }}{{ b }}{% set c = 3 %}{{ c }}{% endwith %}{{ a }}{{ c is defined }}", {"a": 0}),
    "namespace": ("{% set ns = namespace(n=0, _p=1) %}{% for x in l %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}{{ ns._p }}{{ ns }}", {"l": [1, 2]}),
    "not a namespace": ("{% set a.b = 1 %}", {"a": {}}),
    "do": ("{% do l.append(2) %}{{ l }}", {"l": [1]}),
    # Conditions and loops
    "elif": ("{% if a == 1 %}one{% elif a == 2 %}two{% elif a %}more{% else %}none{% endif %}", {"a": 2}),
    "empty branches": ("{% if a %}{% elif b %}{% else %}{% endif %}{% for x in [] %}{% else %}{% endfor %}|", {"a": 0, "b": 1}),
    "loop": ("{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}"
        "{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.depth }}{{ loop.depth0 }}{{ loop }}\n{% endfor %}", {"l": "abc"}),
    "loop neighbours": ("{% for x in l %}{{ loop.previtem|default('-') }}{{ x }}{{ loop.nextitem|default('-') }} {% endfor %}", {"l": [1, 2, 3]}),
    "loop undefined neighbour": ("{% for x in l %}{{ loop.previtem }}{% endfor %}", {"l": [1, 2, 3]}),
    "loop cycle and changed": ("{% for x in l %}{{ loop.cycle('a', 'b', 'c') }}{{ loop.changed(x) }}{% endfor %}", {"l": [1, 1, 2, 2]}),
    "loop cycle of nothing": ("{% for x in l %}{{ loop.cycle() }}{% endfor %}", {"l": [1]}),
    "loop unknown": ("{% for x in l %}{{ loop.nonsense }}{% endfor %}", {"l": [1]}),
    "loop over pairs": ("{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for a, (b, c) in p %}{{ a }}{{ b }}{{ c }}{% endfor %}",
        {"d": {"a": 1, "b": 2}, "p": [(1, (2, 3))]}),
    "loop else": ("{% for x in l %}{{ x }}{% else %}empty{{ y }}{% endfor %}{% for x in m %}{{ x }}{% else %}no{% endfor %}", {"l": [], "m": [1], "y": 1}),
    "loop if": ("{% for x in l if x is odd %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% else %}none{% endfor %}", {"l": [1, 2, 3]}),
    "loop if on outer loop": ("{% for x in l %}{% for y in l if loop.index > 1 %}{{ y }}{% endfor %}{% endfor %}", {"l": [1, 2]}),
    "nested loops": ("{% for x in l %}{% for y in x %}{{ loop.index }}{{ y }}{% endfor %}{{ loop.index }}{% endfor %}", {"l": [[1, 2], [3]]}),
    "outer loop kept": ("{% for x in l %}{% set outer = loop %}{% for y in x %}{{ outer.index }}{{ loop.last }}{% endfor %}{% endfor %}", {"l": [[1, 2], [3]]}),
    "recursive loop": ("{% for x in t recursive %}{{ loop.depth }}{{ x.n }}{% if x.c %}({{ loop(x.c) }}){% endif %}{% else %}none{% endfor %}",
        {"t": [{"n": 1, "c": [{"n": 2, "c": [{"n": 3}]}]}, {"n": 4}]}),
    "loop called but not recursive": ("{% for x in l %}{{ loop(l) }}{% endfor %}", {"l": [1]}),
    "break and continue": ("{% for x in l %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 4 %}{% break %}{% endif %}{{ x }}{% else %}e{% endfor %}", {"l": [1, 2, 3, 4, 5]}),
    "loop variable after": ("{% for x in [1] %}{% endfor %}{{ x }}", {"x": "X"}),
    "loop over what cannot": ("{% for x in 5 %}{% endfor %}", {}),
    "unpacking fails": ("{% for a, b in [[1]] %}{% endfor %}", {}),
    "a loop in a loop's iterable": ("{% for x in (l|map('upper')) %}{{ loop.length }}{{ x }}{% endfor %}", {"l": ["a", "b"]}),
    # Macros
    "macro": ("{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(1, c=4) }}{{ m(b=1, a=0) }}", {}),
    "macro without argument": ("{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}", {}),
    "macro default is undefined": ("{% macro m(a, b=b) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}", {"b": 5}),
    "macro with too many": ("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", {}),
    "macro with unknown": ("{% macro m(a) %}{% endmacro %}{{ m(q=2) }}", {}),
    "macro with varargs": ("{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}", {}),
    "macro attributes": ("{% macro m(a, b=1) %}{{ caller() }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_kwargs }}{{ m.catch_varargs }}{{ m.caller }}{{ m }}", {}),
    "macro sees globals": ("{% macro m() %}{{ a }}{{ b }}{% endmacro %}{% set b = 2 %}{{ m() }}", {"a": 1}),
    "macro sees later sets": ("{% macro m() %}{{ b }}{% endmacro %}{{ m() }}{% set b = 2 %}{{ m() }}", {}),
    "macro in a loop": ("{% for x in [1, 2] %}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}{% endfor %}", {}),
    "macro with a set": ("{% macro m() %}{% set a = 1 %}{{ a }}{% endmacro %}{{ m() }}{{ a is defined }}", {}),
    "recursive macro": ("{% macro m(n) %}{{ n }}{% if n %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}", {}),
    "macro in macro": ("{% macro o(a) %}{% macro i(b) %}{{ a }}{{ b }}{% endmacro %}{{ i(1) }}{{ i(2) }}{% endmacro %}{{ o('x') }}", {}),
    "call": ("{% macro m(a) %}{{ a }}[{{ caller() }}]{% endmacro %}{% call m(1) %}body{{ x }}{% endcall %}", {"x": "X"}),
    "call with arguments": ("{% macro m(l) %}{% for x in l %}{{ caller(x, loop.index) }}{% endfor %}{% endmacro %}{% call(x, i=0) m([7, 8]) %}{{ i }}:{{ x }} {% endcall %}", {}),
    "no caller": ("{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}", {}),
    "caller that is optional": ("{% macro m(caller=none) %}{{ caller() if caller else 'none' }}{% endmacro %}{{ m() }}{% call m() %}c{% endcall %}", {}),
    "call of a function": ("{% call f(1) %}{% endcall %}", {"f": dict}),
    "filter block": ("{% filter upper|replace('B', 'x') %}ab{{ c }}{% endfilter %}", {"c": "c"}),
    # Other templates
    "include": ({"main": "{% set a = 1 %}[{% include 'part' %}][{% include 'part' without context %}]", "part": "{{ a|default('-') }}{{ b|default('-') }}"}, {"b": 2}),
    "include of a list": ({"main": "{% include ['no', 'part'] %}{% include ('part',) %}{% include l %}{% include n %}", "part": "p"}, {"l": ["x", "part"], "n": "part"}),
    "include without context in a set block": ({"main": "{% set a %}x{% include 'part' without context %}y{% endset %}|{{ a }}{% filter upper %}a{% include 'part' without context %}{% endfilter %}"
        "{% for i in [1] %}{% include 'part' without context %}{% endfor %}{% block b %}{% set c %}{% include 'part' without context %}{% endset %}{{ c }}.{% endblock %}", "part": "p"}, {}),
    "include missing": ({"main": "{% include 'no' %}"}, {}),
    "include missing, ignored": ({"main": "{% include 'no' ignore missing %}{% include ['no', 'nor'] ignore missing with context %}end"}, {}),
    "include of none": ({"main": "{% include [] %}"}, {}),
    "include of several missing": ({"main": "{% include ['no', u, 'nor'] %}"}, {}),
    "include of undefined": ({"main": "{% include u %}"}, {}),
    "include in a loop": ({"main": "{% for x in [1, 2] %}{% include 'part' %}{% endfor %}", "part": "{{ x }}{{ loop.index }}{{ loop.last }}"}, {}),
    "include in a macro": ({"main": "{% macro m(x) %}{% include 'part' %}{% endmacro %}{{ m(1) }}", "part": "{{ x }}"}, {}),
    "include that fails": ({"main": "{% include 'part' %}", "part": "\n{{ u }}"}, {}),
    "import": ({"main": "{% import 'lib' as lib %}{{ lib.field('a') }}{{ lib.field('b', 1, unit='m') }}{{ lib.version }}{% call lib.box('t') %}c{% endcall %}{{ lib }}", "lib": LIBRARY}, {}),
    "import of what is not there": ({"main": "{% import 'lib' as lib %}{{ lib.nothing }}", "lib": LIBRARY}, {}),
    "import without context": ({"main": "{% import 'lib' as lib %}{{ lib.who() }}", "lib": LIBRARY}, {"name": "N"}),
    "import with context": ({"main": "{% import 'lib' as lib with context %}{{ lib.who() }}", "lib": LIBRARY}, {"name": "N"}),
    "import of private names": ({"main": "{% import 'lib' as lib %}{{ lib._hidden }}", "lib": LIBRARY}, {}),
    "from import": ({"main": "{% from 'lib' import field, version as v with context %}{{ field('x', v) }}", "lib": LIBRARY}, {}),
    "from import of what is not there": ({"main": "{% from 'lib' import nope, field %}{{ field(1) }}{{ nope is defined }}\n{{ nope }}", "lib": LIBRARY}, {}),
    "from import as a name with braces": ({"main": "{% from '{lib}' import nope %}{{ nope }}", "{lib}": LIBRARY}, {}),
    "import in a macro": ({"main": "{% macro m() %}{% from 'lib' import field %}{{ field(1) }}{% endmacro %}{{ m() }}", "lib": LIBRARY}, {}),
    "import missing": ({"main": "{% import 'no' as lib %}"}, {}),
    "extends": ({"main": "{% extends 'base' %}{% block head %}my {{ super() }}{% endblock %}", "base": BASE}, {"rows": [1, 2]}),
    "extends twice deep": ({"main": "{% extends 'mid' %}{% block head %}1{{ super() }}{{ super.super() }}{% endblock %}",
        "mid": "{% extends 'base' %}{% block head %}2{{ super() }}{% endblock %}{% block foot %}{{ self.head() }}{% endblock %}", "base": BASE}, {"rows": []}),
    "scoped block": ({"main": "{% extends 'base' %}{% block row %}{{ row }}{{ loop.index }}{% endblock %}", "base": BASE}, {"rows": "ab"}),
    "child's sets": ({"main": "{% extends 'base' %}{% set note = 'from the child' %}text{{ u }}{% block head %}{{ note }}{% endblock %}", "base": BASE}, {"rows": []}),
    "required block": ({"main": "{% extends 'base' %}", "base": "{% block b required %}{% endblock %}"}, {}),
    "required block given": ({"main": "{% extends 'base' %}{% block b %}given{% endblock %}", "base": "{% block b required %}{% endblock %}"}, {}),
    "no parent block": ({"main": "{% block b %}{{ super() }}{% endblock %}"}, {}),
    "block of a parent that has none": ({"main": "{% extends 'base' %}{% block new %}{{ super() }}{% endblock %}{% block head %}{{ self.new() }}{% endblock %}", "base": BASE}, {"rows": []}),
    "extends by condition": ({"main": "{% if a %}{% extends 'base' %}{% endif %}text{% block head %}mine{% endblock %}", "base": BASE}, {"a": 1, "rows": []}),
    "extends not, by condition": ({"main": "{% if a %}{% extends 'base' %}{% endif %}text{{ a }}{% block head %}mine{% endblock %}", "base": BASE}, {"a": 0, "rows": []}),
    "extends twice": ({"main": "{% extends 'base' %}{% extends 'base' %}", "base": BASE}, {"rows": []}),
    "extends a variable": ({"main": "{% extends parent %}{% block head %}{{ self }}{% endblock %}", "base": BASE}, {"parent": "base", "rows": []}),
    "blocks with macros and imports": ({"main": "{% extends 'base' %}{% from 'lib' import field %}{% macro m() %}M{% endmacro %}{% block head %}{{ field('f') }}{{ m() }}{% endblock %}",
        "base": BASE, "lib": LIBRARY}, {"rows": []}),
    "block sets": ({"main": "{% block a %}{% set x = 1 %}{{ x }}{% for i in [1] %}{% set y = i %}{{ y }}{% endfor %}{% endblock %}{{ x }}"}, {"x": 0}),
    # Autoescape
    "autoescape on": ("{% autoescape true %}{{ a }}{{ a|safe }}{{ a|e }}{{ '<' ~ a }}{{ ('<'|safe) ~ a }}{{ a|upper }}{% set b %}<i>{{ a }}</i>{% endset %}{{ b }}{% endautoescape %}{{ b }}", {"a": "<b>&\"'"}),
    "autoescape by value": ("{% autoescape a %}<{{ b }}{{ b ~ '<' }}{% filter upper %}{{ b }}{% endfilter %}{% set c %}{{ b }}{% endset %}{{ c }}{% endautoescape %}", {"a": True, "b": "<b>"}),
    "autoescape in macros": ("{% macro m(x) %}<{{ x }}>{% endmacro %}{% autoescape true %}{{ m('<') }}{% endautoescape %}{{ m('<') }}", {}),
    "markup under no autoescape": ("{{ a|safe ~ '<' }}{{ a|e }}{{ (a|e)|e }}{{ a|escape|upper }}", {"a": "<"}),
    # Exceptions of other kinds
    "division by zero": ("{{ 1 / a }}", {"a": 0}),
    "filter that raises": ("{{ a|int|round('x') }}", {"a": 1}),
    "types that do not add": ("{{ a + 1 }}", {"a": "x"}),
    "a call that raises": ("{{ a.index(5) }}", {"a": [1]}),
    "an unhashable key": ("{{ {a: 1} }}", {"a": []}),
    # Errors of the compile step
    "unknown filter": ("{{ a|nonsense }}", {"a": 1}),
    "unknown test": ("{{ a is nonsense }}", {"a": 1}),
    "unknown tag": ("{% nonsense %}", {}),
    "unclosed": ("{% if a %}", {}),
    "block twice": ("{% block a %}{% endblock %}{% block a %}{% endblock %}", {}),
    "assignment to loop": ("{% for loop in [1] %}{% endfor %}", {}),
    "extends in a loop": ("{% for x in [1] %}{% extends 'a' %}{% endfor %}", {}),
    "stray character": ("{{ a ; }}", {}),
    "caller as an argument": ("{% macro m(caller, b) %}{{ caller() }}{% endmacro %}", {}),
}  # fmt: skip


def sources_of(name: str) -> dict[str, str]:
    sources = CASES[name][0]
    return {"main": sources} if isinstance(sources, str) else sources


def variables_of(name: str) -> dict[str, Any]:
    """Return fresh variables: a template may change what it is given."""
    return copy.deepcopy(CASES[name][1])
