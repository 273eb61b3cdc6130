"""Random templates, to be rendered by jinja2 and by programs.

In: a seed. Out: the texts of several templates that include, import and extend each other, and variables. Most of them
render; the rest fail in the middle, which has to happen in the same way. Run as a script with a number of templates
(and a first seed) for a longer search.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random
from typing import Any

import jinja2
from frozenctx_compiler.templates.dialect import CTX, Dialect
from templates.oracle import by_jinja, by_program, jinja_environment

NAMES = ["a", "b", "c", "x", "y", "user", "items", "loop", "nope", "é"]
FILTERS = [
    "upper", "lower", "trim", "length", "default('d')", "default('d', true)", "first", "last", "list", "join('-')",
    "string", "replace('a', 'b')", "sort", "reverse|list", "title", "abs", "int", "float", "round", "batch(2)|list",
    "map('upper')|list", "map(attribute='n')|list", "select|list", "reject('odd')|list", "tojson", "e", "safe",
    "indent(2)", "truncate(5)", "wordcount", "unique|list", "sum", "min", "max", "items|list", "dictsort",
    "groupby('n')|list|length", "attr('n')", "format(1)", "center(7)", "capitalize", "count", "slice(2)|list",
    "selectattr('n')|list|length", "xmlattr", "urlencode", "pprint", "striptags",
]  # fmt: skip
TESTS = ["defined", "undefined", "none", "odd", "even", "string", "number", "mapping", "sequence", "iterable",
    "divisibleby(2)", "sameas(a)", "in([1, 2])", "eq(1)", "gt(1)", "upper", "callable", "true", "boolean"]  # fmt: skip
TEXTS = ["text ", "<b>", "{ }", "it's \"q\" ", "\n", "  ", "line\n  more\n", "\\n", "日本", "é", "'''", "%", "#"]


class Obj:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def method(self, *args: Any, **kwargs: Any) -> str:
        return f"method{args}{sorted(kwargs.items())}"

    def __str__(self) -> str:
        return "obj"

    __repr__ = __str__


def variables(random: Random) -> dict[str, Any]:
    values: list[Any] = [
        0, 1, 5, -3, 2.5, True, None, "", "text", "<é>", "  Mixed Case  ", [], [1, 2, 3], ["x", "y"], (4, 5), {},
        {"n": 1, "k": "v", "items": "shadow"}, [{"n": 1}, {"n": 2, "k": [1]}], Obj(n=7, k=[1, 2]), [Obj(n=1), Obj(n=2)],
        "%s-", {"a": {"b": {"c": 1}}}, [[1, 2], [3, 4]], range(3),
    ]  # fmt: skip
    return {name: random.choice(values) for name in NAMES if name not in ("nope", "loop") and random.random() < 0.9}


class Writer:
    def __init__(self, random: Random, others: list[str]) -> None:
        self.random = random
        self.others = others
        self.macros: list[str] = []

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def constant(self) -> str:
        return str(self.pick("1", "0", "2", "1.5", "'s'", '"it\'s"', "'\\n'", "true", "none", "'é'", "[]", "[1, 2]",
            "{'n': 1}", "(1, 2)", "'<'", "'%s'"))  # fmt: skip

    def expression(self, depth: int = 3) -> str:
        if depth == 0:
            return self.name() if self.random.random() < 0.7 else self.constant()

        def e() -> str:
            return self.expression(depth - 1)

        kind = self.random.randrange(20)
        if kind < 3:
            return self.name()
        if kind < 5:
            return self.constant()
        if kind < 7:
            return f"{self.name()}.{self.pick('n', 'k', 'items', 'x', 'a', 'method')}"
        if kind == 7:
            # Slices of names only: jinja2 makes undefined values of constants that cannot be sliced, when it folds.
            sliced = f"{self.name()}[{self.pick('1:', ':2', '::2')}]"
            return str(self.pick(f"{e()}[{self.pick('0', '1', '-1', repr('n'), e())}]", sliced))
        if kind < 11:
            return f"{e()}|{self.random.choice(FILTERS)}"
        if kind == 11:
            return f"({e()} is {self.pick('', 'not ')}{self.random.choice(TESTS)})"
        if kind == 12:
            operator = self.pick("+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", ">=", "in", "not in")
            return f"({e()} {operator} {e()})"
        if kind == 13:
            return f"({e()} {self.pick('and', 'or')} {e()})"
        if kind == 14:
            return f"({self.pick('not ', '-', '+')}{e()})"
        if kind == 15:
            return f"({e()} if {e()}{self.pick('', f' else {e()}')})"
        if kind == 16:
            return f"({e()} ~ {e()} ~ {e()})"
        if kind == 17 and self.macros:
            return f"{self.random.choice(self.macros)}({self.pick('', e(), f'{e()}, {e()}', f'q={e()}', f'*{e()}')})"
        if kind == 18:
            attribute = self.pick(
                "index", "index0", "first", "last", "length", "revindex", "previtem", "nextitem", "depth",
                "cycle('o', 'e')", "changed(a)",
            )  # fmt: skip
            return f"loop.{attribute}"
        return f"{self.name()}.method({self.pick('', e(), f'k={e()}')})"

    def target(self) -> str:
        return str(self.pick("a", "b", "c", "x", "y", "é", "x, y"))

    def body(self, depth: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def statement(self, depth: int) -> str:
        kind = self.random.randrange(26)
        e = self.expression
        if depth == 0 or kind < 5:
            return str(self.random.choice(TEXTS))
        if kind < 12:
            return f"{{{{ {e()} }}}}"

        def body() -> str:
            return self.body(depth - 1)

        if kind == 12:
            return f"{{% if {e()} %}}{body()}{{% elif {e()} %}}{body()}{{% else %}}{body()}{{% endif %}}"
        if kind == 13:
            return f"{{% if {e()} %}}{body()}{{% endif %}}"
        if kind < 17:
            condition = self.pick("", "", f" if {e(1)}")
            other = self.pick("", f"{{% else %}}{body()}")
            stop = self.pick("", "", f"{{% if {e(1)} %}}{{% {self.pick('break', 'continue')} %}}{{% endif %}}")
            recursive = self.pick("", "", "", " recursive")
            again = "{% if loop.depth < 3 %}{{ loop(" + e(0) + ") }}{% endif %}" if recursive else ""
            loop = f"{{% for {self.target()} in {e(2)}{condition}{recursive} %}}{body()}{again}{stop}{other}"
            return loop + "{% endfor %}"
        if kind == 17:
            return f"{{% set {self.pick('a', 'b', 'x', '_p', 'é')} = {e()} %}}"
        if kind == 18:
            return f"{{% set {self.pick('a', 'b', 'x')}{self.pick('', ' | upper')} %}}{body()}{{% endset %}}"
        if kind == 19:
            name = self.pick("m", "m2", "_m")
            arguments = self.pick("", "p", "p, q=1", "p=a, q=p")
            text = f"{{% macro {name}({arguments}) %}}{self.pick('', '{{ caller() }}', '{{ varargs }}{{ kwargs }}')}"
            text += f"{self.pick('{{ p }}', '{{ q }}', '')}{body()}{{% endmacro %}}"
            self.macros.append(name)
            return text
        if kind == 20 and self.macros:
            return f"{{% call {self.random.choice(self.macros)}({e(1)}) %}}{body()}{{% endcall %}}"
        if kind == 21:
            return f"{{% filter {self.pick('upper', 'trim', 'replace(1, 2)')} %}}{body()}{{% endfilter %}}"
        if kind == 22:
            return f"{{% with {self.pick('a', 'x')} = {e()}, b = a %}}{body()}{{% endwith %}}"
        if kind == 23:
            set_ = self.pick(f"{{% set ns.v = {e()} %}}", "")
            return f"{{% set ns = namespace(v=1) %}}{body()}{set_}{{{{ ns.v }}}}"
        if kind == 24 and self.others:
            other = self.random.choice(self.others)
            return str(self.pick(
                f"{{% include '{other}'{self.pick('', ' ignore missing')} %}}",
                f"{{% include ['none', '{other}'] %}}",
                f"{{% import '{other}' as lib{self.pick('', ' with context')} %}}{{{{ lib.m(1) }}}}{{{{ lib.a }}}}",
                f"{{% from '{other}' import m as other, a as oa %}}{{{{ other(1) }}}}{{{{ oa }}}}",
            ))  # fmt: skip
        return f"{{% autoescape {self.pick('true', 'false', 'a')} %}}{body()}{{% endautoescape %}}"

    def child(self, parent: str, depth: int) -> str:
        sets = "".join(f"{{% set {self.pick('a', 'x')} = {self.expression()} %}}" for _ in range(2))
        inner = self.pick("", "{{ super() }}", "{{ self.two() }}")
        return (
            f"{{% extends '{parent}' %}}{sets}{{% block one %}}{inner}{self.body(depth)}{{% endblock %}}"
            f"{self.pick('', 'dropped{{ 1 / 0 }}')}{{% block two %}}{self.body(depth)}{{% endblock %}}"
        )

    def parent(self, depth: int) -> str:
        scoped = self.pick("", " scoped")
        return (
            f"{self.body(depth)}{{% block one %}}{self.body(depth)}{{% endblock %}}"
            f"{{% for x in [1, 2] %}}{{% block two{scoped} %}}{self.body(1)}{{{{ x }}}}{{% endblock %}}{{% endfor %}}"
            f"{self.body(depth)}"
        )


def case(seed: int) -> tuple[dict[str, str], dict[str, Any]]:
    """Return sources and variables."""
    random = Random(seed)
    writer = Writer(random, [])
    sources = {"lib": "{% macro m(p) %}<{{ p }}>{% endmacro %}{% set a = 'lib a' %}" + writer.body(2)}
    writer = Writer(random, ["lib"])
    sources["part"] = writer.body(2)
    writer = Writer(random, ["lib", "part"])
    if random.random() < 0.25:
        sources["base"] = writer.parent(2)
        sources["main"] = writer.child("base", 3)
    else:
        sources["main"] = "".join(writer.statement(3) for _ in range(4))
    return sources, variables(random)


# Strict undefined values end most random templates early; the lenient ones let them run.
DIALECTS = [CTX, *(replace(Dialect(), undefined=name, extensions=("loopcontrols", "do")) for name in (
    "Undefined", "ChainableUndefined", "DebugUndefined"))]  # fmt: skip
DIALECTS[1] = replace(DIALECTS[1], autoescape=True)


def fails_to_fold(sources: dict[str, str], dialect: Dialect) -> bool:
    """Whether jinja2 fails when it compiles, because a constant expression does; programs fail if they get there."""
    environment = jinja_environment(sources, dialect)
    for name, source in sources.items():
        try:
            environment.compile(source, name)
        except jinja2.TemplateSyntaxError:
            pass
        except Exception:
            return True
    return False


def differences(first: int, count: int, kinds: tuple[str, ...] = ("lean", "kept", "reference")) -> list[str]:
    found = []
    for seed in range(first, first + count):
        sources, values = case(seed)
        dialect = replace(DIALECTS[seed % len(DIALECTS)], strict_names=False)
        if fails_to_fold(sources, dialect):
            continue
        want = by_jinja(sources, values, dialect)
        for kind in kinds:
            got = by_program(sources, values, dialect, kind=kind)
            if got != want:
                found.append(f"seed {seed}, {kind}\n  {sources}\n  {values}\n  jinja2:  {want!r}\n  program: {got!r}")
    return found


if __name__ == "__main__":
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    report = differences(first, count)
    print("\n".join(report[:20]))
    print(f"{count} templates, {len(report)} differences")
