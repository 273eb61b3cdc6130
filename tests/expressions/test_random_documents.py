"""Random documents: what Yglu gives a value, we give the same value; where it fails, we report and do not raise."""

from pathlib import Path
from typing import Any

import pytest
from expressions.test_yglu_documents import as_written, stand_in_for_pkg_resources
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import Env
from frozenctx_compiler.package import SettingsDocument
from frozenctx_compiler.resolve import evaluated
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.yamltree import compose
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c", "items", "f"])
LEAVES = (
    st.integers(-9, 99).map(lambda number: str(number) if number >= 0 else f"({number})")
    | st.sampled_from(["'x'", "'a b'", "''", "1.5", "true", "false", "null", "$", "$_.a", "$_.b", "$_.items", "$_.c.d"])
    | st.sampled_from(["[1, 2, 3]", "[]", "{x => 1, y => 2}", "{}", "$_.f", "range(3)"])
)


def larger(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.sampled_from(["+", "-", "*", "/", "mod", "and", "or", "=", "!=", "<", "<=", ">", ">=", "in"])
    method = st.sampled_from(
        [
            "len()", "first()", "last()", "toList()", "sum()", "distinct().toList()", "reverse().toList()",
            "keys().toList()",
            "values().toList()", "toUpper()", "trim()", "split(' ')", "select($ + 1).toList()", "where($ > 1).toList()",
            "orderBy($).toList()", "any()", "all()", "get(x)", "get(x, 5)", "skip(1).toList()", "take(2).toList()",
            "join(',')", "replace('x', 'y')", "x", "y", "indexOf(2)", "isEmpty()", "toDict($)", "count()", "max()",
            "min()",
            "set(z, 1)", "delete(0).toList()", "flatten().toList()", "zip([7, 8]).toList()", "memorize().toList()",
        ]
    )  # fmt: skip
    return (
        st.tuples(part, binary, part).map(lambda it: f"({it[0]} {it[1]} {it[2]})")
        | st.tuples(part, method).map(lambda it: f"{it[0]}.{it[1]}")
        | st.tuples(part, part).map(lambda it: f"[{it[0]}, {it[1]}]")
        | st.tuples(part, part).map(lambda it: f"{{k => {it[0]}, l => {it[1]}}}")
        | st.tuples(part, part, part).map(lambda it: f"switch({it[0]} => {it[1]}, true => {it[2]})")
        | st.tuples(part, part).map(lambda it: f"coalesce({it[0]}, {it[1]})")
        | part.map(lambda it: f"not {it}")
        | part.map(lambda it: f"str({it})")
        | part.map(lambda it: f"int({it})")
        | part.map(lambda it: f"isList({it})")
        | part.map(lambda it: f"({it})[0]")
        | part.map(lambda it: f"let(v => {it}) -> $v")
        | part.map(lambda it: f"{it}?.x")
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=5)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


PARTS = st.one_of(
    EXPRESSIONS.map(lambda it: f"!? {quoted(it)}"),
    EXPRESSIONS.map(lambda it: f"!- {quoted(it)}"),
    st.sampled_from(["5", "'text'", "[1, 2]", "{d: 1}", "{d: {e: 2}}"]),
    EXPRESSIONS.map(lambda it: f"{{d: !? {quoted(it)}, e: 1}}"),
    EXPRESSIONS.map(lambda it: f"[1, !? {quoted(it)}, !- 3]"),
    EXPRESSIONS.map(lambda it: f"{{? !if {quoted(it)} : {{d: 1}}, e: 2}}"),
    EXPRESSIONS.map(lambda it: f"{{? !? {quoted(it)} : 1}}"),
    st.tuples(EXPRESSIONS, EXPRESSIONS).map(
        lambda it: f"{{? !for {quoted(it[0])} : !() {{? !? 'str($)' : !? {quoted(it[1])}}}}}"
    ),
)
DOCUMENTS = st.dictionaries(NAMES, PARTS, min_size=1, max_size=4).map(
    lambda parts: "".join(f"{name}: {part}\n" for name, part in parts.items()) + "g: !() $\n"
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(DOCUMENTS)
def test_what_yglu_gives_a_value_we_give_the_same(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    value, codes = ours(text)
    theirs, failed = yglu(text, monkeypatch)
    if codes and not failed:
        # What we refuse, and Yglu writes out: the text of an iterator or a function, or one itself.
        assert "str(" in text or "join(" in text or "<" in repr(theirs), text
    elif not failed:
        assert value == theirs, text
    else:
        assert codes, text


def ours(text: str) -> tuple[Any, list[str]]:
    report = Report()
    scope = report.scoped("d")
    document = SettingsDocument("d.yaml", text, compose(text, "d.yaml", scope))  # type: ignore[arg-type]
    located, _ = evaluated(document, Env(), Sources(str(Path(__file__).parent)), scope)
    return located.value, [found.code for found in report.diagnostics]


def yglu(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, bool]:
    stand_in_for_pkg_resources(monkeypatch)
    import io

    import yglu.expression
    from yglu.builder import build

    yglu.expression.contexts.clear()
    yglu.expression.stack.clear()
    yglu.expression.scopes.clear()
    try:
        return as_written(build(io.StringIO(text))), False
    except Exception:
        return None, True


WORDS = (
    "$ $_ $env $import $this . ?. ( ) [ ] { } , => -> + - * / mod and or not in = != < =~ 1 2.5 'a' `b` true null name"
    " x def( let( lambda( switch( call( str( int( list( dict( set( range( len( format( get( select( $.a .b .first() @ §"
    " \\ ' \" 99999999999"
)
TOKENS = st.sampled_from(WORDS.split())


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TOKENS, max_size=12).map(" ".join), st.sampled_from(["!? ", "!- ", "!() "]))
def test_any_text_has_a_value_or_is_told_what_is_wrong(text: str, tag: str) -> None:
    value, codes = ours(f"a: {tag}{quoted(text)}\nb: !? 1 + 1\n")
    assert codes or value["b"] == 2
