"""Constructs by which values make a template do more than its own size, and values that do so or do not.

`BIG` stands for a number in a template's text. With `hostile()` values each construct reaches a cap; with `innocent()`
ones it renders, or raises, as without limits.
"""

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

PARTIALS = {
    "itself.j2": '{% include "partials/itself.j2" %}',
    "letters.j2": "{{ long }}",
    "macros.j2": "{% macro f(x, n) %}{% if n %}{% for i in x %}{{ f(x, n - 1) }}{% endfor %}{% endif %}{% endmacro %}",
}

GROWTH = """
{% set ns = namespace(n=num) %}{% for i in range(times) %}{% set ns.n = ns.n * ns.n %}{% endfor %}{{ ns.n % 7 }}
{% set ns = namespace(n='ab') %}{% for i in range(times) %}{% set ns.n = ns.n ~ ns.n %}{% endfor %}{{ ns.n }}
{% set ns = namespace(n='ab') %}{% for i in range(times) %}{% set ns.n = ns.n + ns.n %}{% endfor %}{{ ns.n }}
{% set ns = namespace(n=[1]) %}{% for i in range(times) %}{% set ns.n = ns.n + ns.n %}{% endfor %}{{ ns.n }}
{% set ns = namespace(n=[1]) %}{% for i in range(times) %}{% set ns.n = [ns.n, ns.n] %}{% endfor %}{{ ns.n }}
{% set n = namespace(n=1) %}{% for i in range(times) %}{% set n.n = {1: n.n, 2: n.n} %}{% endfor %}{{ n.n|tojson }}
{% set ns = namespace(n=(1,)) %}{% for i in range(times) %}{% set ns.n = (ns.n, ns.n) %}{% endfor %}{{ {ns.n: 1} }}
{% set ns = namespace(n=1) %}{% for i in range(times) %}{% set ns.n = namespace(a=ns.n, b=ns.n) %}{% endfor %}{{ ns.n }}
{% set ns = namespace(n='ab') %}{% for i in range(times) %}{% set ns.n %}{{ ns.n }}{{ ns.n }}{% endset %}{% endfor %}
{% set l = [1] %}{% for i in l %}{% if l|length < big %}{% do l.append(1) %}{% endif %}{% endfor %}
{% set l = ['x'] %}{% for i in range(times) %}{% do l.extend(l) %}{% endfor %}
"""

LOOPS = """
{% for x in e %}{% endfor %}
{% for x in e %}{{ loop.index }}{% endfor %}
{% for x in e if false %}{% endfor %}
{% for x in e %}{{ loop.length }}{% endfor %}
{% for x in e %}{{ loop.last }}{% endfor %}
{% for x in e %}{{ loop.changed(d) }}{% endfor %}
{% for i in range(big) %}{% endfor %}
{% for x in e %}{% break %}{% else %}{% endfor %}{% for x in e %}{% continue %}{% endfor %}
{% for x in items %}{% for y in items %}{% endfor %}{% endfor %}
{% for x in [e] recursive %}{{ loop(x) if x is not string }}{% endfor %}
{% macro m(x, n) %}{% if n %}{% for i in x %}{{ m(x, n - 1) }}{% endfor %}{% endif %}{% endmacro %}{{ m(items, 3) }}
{% from "partials/macros.j2" import f %}{{ f(items, 3) }}
{% macro m() %}{{ caller() * 2 }}{% endmacro %}{% call m() %}{% call m() %}{{ 'x' * big }}{% endcall %}{% endcall %}
{% macro m() %}{{ varargs|length }}{% endmacro %}{{ m(*e) }}
{% macro m() %}{{ kwargs|length }}{% endmacro %}{{ m(**keyed) }}
{% filter upper %}{% for x in e %}a{% endfor %}{% endfilter %}
{% block b %}{% for x in e %}{% endfor %}{% endblock %}
{% block b %}{% endblock %}{% for i in range(big) %}{{ self.b() }}{% endfor %}
{% for i in many %}{{ long }}{% endfor %}
{% for i in many %}{% set x %}{{ long }}{% endset %}{% endfor %}
{% for i in many %}{% include "partials/letters.j2" %}{% endfor %}
{% set x = e|list %}
{% set x, y = e|list %}
{% with x = e|list %}{% endwith %}
{% if e|list %}{% endif %}
{% do e|list %}
"""

OPERATIONS = """
range(big)|list
range(0, big, 1)
range(w)|list
range(big, 0, -1)|list
'x' * big
big * 'x'
'x' * w
[0] * big
(1, 2) * big
text * big
text[:9] * big
(big ** big) % 7
(big ** bigint) % 7
(bigint ** 30) % 7
'%BIGd' % num
'%.BIGf' % num
'%*d' % (big, 1)
'%(a)BIGs' % {'a': 1}
('%(long)s' * 100) % {'long': long}
('%(long)s' * 100) % asked
'%s' % (d,)
'%s' % d
'%r' % d
d
m
d ~ ''
d == d2
d != d2
t == t2
t in [t2]
t not in [t2]
t < t2
{}[t]
'x' in e
d is eq d2
'x' in stretch
queue
queue == [d]
d is in [d2]
'zz' is in(e)
loop_missing|default(d)|string
{% for i in again %}{% if wide.keys() - none_of.keys() %}{% endif %}{% endfor %}
{% for i in again %}{% if wide.items() - [] %}{% endif %}{% endfor %}
{% for i in again %}{% if [] - wide.keys() %}{% endif %}{% endfor %}
{% set k = wide.keys() - [] %}{% for i in again %}{% if k - none_of.keys() %}{% endif %}{% endfor %}
{% set l = [] %}{% set k = wide.keys() - [] %}{% for i in again %}{% do l.append(k.copy()) %}{% endfor %}
{% if {'a': t}.items() - [] %}{% endif %}
{% if {}.keys() - n %}{% endif %}
{% for i in again %}{{ needle in hay }}{% endfor %}
{% for i in again %}{{ needle is in(hay) }}{% endfor %}
{% for i in again %}{{ hay.count(needle) }}{% endfor %}
{% for i in again %}{{ hay.rfind(needle) }}{% endfor %}
{% for i in again %}{% if hay.rpartition(needle) %}{% endif %}{% endfor %}
{% for i in again %}{% if hay.rsplit(needle) %}{% endif %}{% endfor %}
{% for i in again %}{% if hay|replace(needle, 'x') %}{% endif %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(long.partition('y')) %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(bigint + i) %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(bigint - i) %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(-bigint) %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(bigint // 1) %}{% endfor %}
{% set l = [] %}{% for i in again %}{% do l.append(hex|int(base=16)) %}{% endfor %}
{% for i in again %}{{ range(bigint, bigint + 1)|length }}{% endfor %}
{% for i in again %}{{ bigint is divisibleby(3 ** 9000) }}{% endfor %}
{% for i in again %}{% if huge is odd %}{% endif %}{% endfor %}
{% for i in again %}{% if huge / huge %}{% endif %}{% endfor %}
{% for i in again %}{% if {huge: 1} %}{% endif %}{% endfor %}
"""

CALLS = """
'{:>BIG}'.format(num)
'{:{}}'.format(num, big)
'{:{w}}'.format(num, w=big)
'{!r:>BIG}'.format(num)
'{!r:{}}'.format(num, big)
'{a:>BIG}'.format_map({'a': 1})
('{0}' * 100).format(long)
('{0.real}' * 10 ~ '{0:>BIG}').format(num)
'{[0]:>BIG}'.format([1])
'{}'.format(d)
'{!r}'.format(d)
'{a}'.format_map({'a': d})
('{:>BIG}{0.__cl' ~ 'ass__}').format(num)
('{!r}{0.__cl' ~ 'ass__}').format(d)
('{:>BIG}'|safe).format(num)
('{:{}}'|safe).format(num, big)
('{!r}'|safe).format(d)
('{a}'|safe).format_map({'a': d})
('%s'|safe) % d
('x'|safe).center(big)
('x'|safe).join(e)
('x'|safe) * big
'x'.center(big)
'x'.ljust(w)
'x'.rjust(big)
'7'.zfill(big)
('x'|attr('center'))(big)
'x'['center'](big)
unbound('x', big)
('\\t' * 9).expandtabs(big)
('\\t' * 9).expandtabs(tabsize=big)
text.replace('a', long)
text.replace('', long)
text.join(e)
long.join(items|map('string'))
''.join(e)
('a' * 900).translate({97: long})
dict(ei)
dict(pairs)
dict(**keyed)
namespace(pairs)
dict.fromkeys(e)
{}.update(pairs)
{}.update(keyed)
[].extend(e)
{}.get(t)
[t].index(t2)
stretch.count('x')
[t].count(t2)
cycler(*e).next()
{% do [big].sort(key=lipsum) %}
{% do [big, big].sort(key='x'.center) %}
{% do [big, big].sort(key='x'.ljust) %}
{% do [big, big].sort(key=(7).to_bytes) %}
lipsum(n=big)|length > 1
lipsum(min=big - 1, max=big)|length > 1
num.to_bytes(big, 'big')|length
"""

FILTERS = """
'%BIGs'|format(text)
('%(long)s' * 100)|format(long=long)
'%s'|format(d)
d|string
d|upper
d|e
d|as_xml
d|tojson
m|to_json
m|to_json(indent=2)
m|tojson(2)
m|pprint
{'a': 1}|tojson(indent=big)
{'a': 1}|to_json(indent=big)
ei|tojson
ei|to_json
ei|xmlattr
ei|dictsort
ei|items|list
ei|urlencode
[t, t2]|sort
[t, t2]|unique|list
[t, t2]|max
[t, t2]|groupby(0)
e|list
e|join
items|join('x' * big)
[d]|join
[{'a': d}]|join(attribute='a')
e|map('upper')|list
e|map(attribute='x')|map('default', '')|list
e|select('none')|list
e|reject('string')|list
e|selectattr(0, 'none')|list
e|rejectattr(0, 'string')|list
e|sort
e|unique|list
e|groupby(0)
[cycle]|map(attribute='a.' * big ~ 'a')|map('length')|list
([{'a': 1}] * big)|sort(attribute='a,' * times ~ 'a')|length
n|sum
([[1, 2]] * big)|sum(start=[])
e|min
e|max
n|batch(10)|list
[1]|batch(big, 'x')|list
n|slice(3)|list
[1]|slice(big)|list
pairs|urlencode
e|bulleted_list
e|numbered_list
items|bulleted_list('x' * big)
e|reverse|list
'zz' in n|map('string')
'x'|center(big)
text|indent(big)
text|indent(long)
text|replace('', long)
text|replace('a', long)
text|wordwrap(1, wrapstring=long)
word|wordwrap(1)
2|round(big)
5|round(-big)
text|urlize(target=long)|length
[d]|map('string')|list
[1]|map('center', big)|list
['%BIGs']|map('format', 1)|list
[d]|map('tojson')|list
{% autoescape true %}{{ d }}{% endautoescape %}
{% autoescape true %}{{ text|replace('a', long) }}{% endautoescape %}
{% autoescape true %}{{ 'x'|center(big) ~ '<' }}{% endautoescape %}
{% autoescape true %}{{ items|join('<' * big) }}{% endautoescape %}
"""

ALL = [line for part in (LOOPS, GROWTH, OPERATIONS, CALLS, FILTERS) for line in part.strip().split("\n")]


def template(construct: str, hostile: bool) -> str:
    text = construct.replace("BIG", "999999999" if hostile else "9")
    return text if "{%" in text else "{{ " + text + " }}"


class Map(dict[str, Any]):
    """Its items never end."""

    def keys(self) -> Any:
        return (f"k{number}" for number in itertools.count())

    def items(self) -> Any:
        return ((f"k{number}", number) for number in itertools.count())


class Keyed:
    """A mapping with as many keys as `numbers`."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def keys(self) -> Iterator[str]:
        return (f"k{number}" for number in self.numbers)

    def __getitem__(self, key: str) -> int:
        return 1


class Wide:
    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Asked:
    def __getitem__(self, key: str) -> str:
        return "x" * 10_000


def in_itself() -> dict[str, Any]:
    own: dict[str, Any] = {"b": 1}
    own["a"] = own
    return own


def doubled(make: Any, start: Any, times: int) -> Any:
    """A value that is small and, written out, twice as large for each of `times`."""
    for _ in range(times):
        start = make(start)
    return start


def values(size: int, times: int) -> dict[str, Any]:
    return {
        "big": size, "times": times, "w": Wide(size), "num": 7, "unbound": str.center,
        "d": doubled(lambda a: [a, a], ["x"], times), "d2": doubled(lambda a: [a, a], ["x"], times),
        "t": doubled(lambda a: (a, a), ("x",), times), "t2": doubled(lambda a: (a, a), ("x",), times),
        "m": doubled(lambda a: {"l": a, "r": a}, {"k": "x"}, times), "asked": Asked(),
        "cycle": in_itself(), "stretch": range(size), "queue": deque([doubled(lambda a: [a, a], ["x"], times)]),
    }  # fmt: skip


def hostile() -> dict[str, Any]:
    return values(10**9, 60) | {
        "e": itertools.repeat("ab"), "n": itertools.count(), "pairs": itertools.repeat(("a", 1)), "ei": Map(a=1),
        "keyed": Keyed(itertools.count()), "items": list(range(200)), "many": range(10_000), "text": "a b\n" * 1000,
        "long": "x" * 10_000, "word": "a" * 1_000_000, "bigint": 3**20_000,
        "again": range(19_000), "huge": 3**1_000_000, "none_of": {},
        "wide": {f"k{number}": number for number in range(1000)},
        "hay": "a" * 2400, "needle": "b" + "a" * 1200, "hex": "f" * 10_000,
    }  # fmt: skip


def innocent() -> dict[str, Any]:
    return values(3, 3) | {
        "e": iter(["ab", "", "ß"]), "n": iter([2, 0, 1]), "pairs": iter([("a", 1), ("b", "ä")]), "ei": {"b": 1, "A": 2},
        "keyed": Keyed(range(2)), "items": [3, 1], "many": [1, 2], "text": "a b\n" * 2, "long": "<x>", "word": "aaa",
        "bigint": 3**3, "again": range(2), "huge": 9, "wide": {"a": 1, "b": 2}, "none_of": {"a": 1}, "hay": "abcabc",
        "needle": "bc", "hex": "ff",
    }  # fmt: skip
