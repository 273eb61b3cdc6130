"""docs/expressions.md, the table of the code and yaql's library name the same functions; overloads have one order."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import yaql_engine, yaql_functions  # the first is what can import yaql
from frozenctx_compiler.limits import Budget, Exceeded
from frozenctx_compiler.yaql_engine import Unreadable
from frozenctx_compiler.yaql_functions import REFUSED, REFUSED_FUNCTIONS, REFUSED_OPERATORS

PAGE = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text("utf-8")
ALLOWED_TABLE, REFUSED_TABLE = PAGE[PAGE.index("<!-- functions") :].split("Refused, with the reason")


def stock() -> Iterator[tuple[str, Any]]:
    """(name, definition) of everything in yaql's library."""
    import yaql

    context: Any = yaql.create_context(delegates=True, yaqlized=False)
    while context is not None:
        for name, definitions in context._functions.items():
            for definition in definitions:
                yield name, definition
        context = context.parent


def names_in(table: str) -> set[str]:
    rows = "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    return set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", rows))))


def test_every_function_that_may_be_called_stands_in_the_document() -> None:
    operators = {"and", "or", "not", "in", "mod"}
    properties = {name.removeprefix("#property#") for name, _ in stock() if name.startswith("#property#")}
    assert names_in(ALLOWED_TABLE) - operators - properties == set(yaql_engine.known())


def test_every_refused_function_stands_in_the_document_with_its_reason() -> None:
    reasons = {**REFUSED, **REFUSED_FUNCTIONS, **REFUSED_OPERATORS}
    for line in REFUSED_TABLE.splitlines():
        if line.startswith("| `"):
            _, functions, reason, _ = line.split("|")
            for name in re.findall(r"`(.*?)(?:\(…\))?`", functions):
                assert reasons.pop(name) == reason.strip()
    assert reasons == {}


def test_every_function_of_yaql_is_allowed_or_refused_with_a_reason() -> None:
    refused = {name for name, definition in stock() if yaql_functions.overload(name, definition) is None}
    allowed = {name for name, definition in stock() if yaql_functions.overload(name, definition) is not None}
    for name in refused - allowed:
        word = name.rpartition("operator_")[2] if name.startswith("#operator_") else name
        assert word in REFUSED or word in REFUSED_OPERATORS or name in ("#iter", "#finalize"), name


def test_what_is_refused_beside_something_allowed_takes_sets_or_patterns() -> None:
    """The other overloads of names that may be called: no value of their kinds can come into being."""
    left_out = {
        yaql_functions.key_of(name, definition)
        for name, definition in stock()
        if yaql_functions.overload(name, definition) is None and name not in REFUSED and name[0].isalpha()
    }
    assert left_out == {
        "collections.set_",
        "regex.replace",
        "regex.replace_string",
        "regex.split",
        "regex.split_string",
    }


def test_every_row_of_the_table_is_a_function_of_yaql() -> None:
    keys = {yaql_functions.key_of(name, definition) for name, definition in stock()}
    assert keys >= yaql_functions._KEYS
    assert keys >= set(yaql_functions.GUARDS)


def test_overloads_are_tried_in_one_order() -> None:
    level: Any = yaql_engine._standard
    while level is not None:
        for name, definitions in level._functions.items():
            keys = [(d.payload.__module__, d.payload.__qualname__) for d in definitions]
            assert isinstance(definitions, list), (name, keys)
        level = level.parent


def value(text: str) -> Any:
    result = yaql_engine.value(yaql_engine.parse(text), yaql_engine.context(Budget(), {}))
    return list(result) if hasattr(result, "__next__") else result


def in_yaql(text: str) -> Any:
    """The same with yaql as it comes."""
    import yaql

    context = yaql.create_context(delegates=True)
    engine = yaql.factory.YaqlFactory(allow_delegates=True).create(options={"yaql.convertOutputData": False})
    result = engine(text).evaluate(context=context)
    return list(result) if hasattr(result, "__next__") else result


@pytest.mark.parametrize(
    "text",
    [
        "'ab' * 3",
        "3 * 'ab'",
        "'ab' * 0",
        "'ab' * -1",
        "[1, 2] * 2",
        "2 * [1, 2]",
        "[1] * -2",
        "pow(2, 10)",
        "pow(2, -1)",
        "pow(2.5, 2)",
        "pow(-2, 3)",
        "pow(7, 5, 3)",
        "pow(1, 1000000)",
        "pow(0, 0)",
        "shiftBitsLeft(3, 4)",
        "shiftBitsLeft(0, 4)",
        "int('12')",
        "int(' -12 ')",
        "int(2.9)",
        "int(null)",
        "int(true)",
        "round(2.5)",
        "round(2.567, 2)",
        "round(1234, -2)",
        "str(1.50)",
        "str('a')",
        "str([1, 'a', [null]])",
        "str({a => 1})",
        "str(timespan(hours => 1))",
        "concat('a', 'b', 'c')",
        "'a' + 'b'",
        "','.join([1, null, true, 'x'])",
        "[1, 'x'].join('; ')",
        "[].join(',')",
        "'banana'.replace('an', 'x')",
        "'banana'.replace('an', 'x', 1)",
        "'banana'.replace('', '-')",
        "'banana'.replace('z', 'x')",
        "'banana'.replace({a => b, n => 1})",
        "'{} {}'.format(1, 2)",
        "'{0} {1:>5} {x:.2f} {{}}'.format(1, 'a', x => 2.345)",
        "'{:,}'.format(1234567)",
        "'{:*^7}'.format('a')",
        "'{:08.3f}'.format(3.14159)",
        "format('{} {}', 1, true)",
        "'  a '.trim()",
        "'xay'.trim('xy')",
        "'xay'.trimLeft('x')",
        "'xay'.trimRight('y')",
        "'  '.norm()",
        "'xax'.norm('x')",
        "isEmpty('  ')",
        "'xx'.isEmpty(true, 'x')",
        "'  '.isEmpty(false)",
        "'banana'.lastIndexOf('an')",
        "'banana'.lastIndexOf('an', 4)",
        "'banana'.lastIndexOf('an', 0, 3)",
        "'a b c'.rightSplit(' ', 1)",
        "'a b c'.rightSplit()",
        "datetime('2024-02-29').year",
        "datetime('2024-02-29T12:30:15.5Z').microsecond",
        "datetime('2024-02-29 12:30+02:00').hour",
        "datetime('29/02/2024', '%d/%m/%Y').day",
        "datetime(2024, 2, 29).format('%Y-%j')",
        "datetime('2024-02-29T12:30:00+02:00').utc.hour",
        "{a => 1}.get(a)",
        "{a => 1}.get(b)",
        "{a => 1}.get(b, null)",
        "{a => 1}.get(b, default => {c => 2}.get(c, 3))",
        "call(get, [b, 5], {}, {a => 1})",
        "call(get, [b, null], {}, {a => 1})",
        "[1, 2].select({a => 1}.get(b, $))",
        "{a => 1, b => 2}.keys().len()",
        "{a => 1}.get(b, 5)",
        "{a => null}.get(a, 5)",
        "[1, 2].memorize().select($ + 1).toList()",
        "let(m => [1, 2].select($).memorize()) -> [$m.sum(), $m.sum()]",
        "[[1, 2], [3]].selectMany($).toList()",
        "[3, 1, 2].orderBy($).thenBy(-$).toList()",
        "[1, 2, 3].groupBy($ > 1).toList()",
        "[].defaultIfEmpty([1]).toList()",
        "list([1, 2].select($), 3)",
        "[1, 2].cycle().take(3).toList()",
    ],
)
def test_a_function_that_looks_before_it_leaps_gives_what_yaql_gives(text: str) -> None:
    ours, theirs = value(text), in_yaql(text)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(
    "text",
    [
        "'{0.real}'.format(1)",
        "'{0[0]}'.format('a')",
        "'{!r}'.format('a')",
        "'{:{}}'.format('a', 5)",
        "'{:n}'.format(5)",
        "'{:c}'.format(55296)",
        "'{}'.format([1])",
        "str(range(3))",
        "str(lambda($))",
        "datetime('10:30')",
        "datetime('2024')",
        "datetime('yesterday')",
        "datetime('2024-01-01 CET')",
        "datetime(2024, 1, 1).format('%B')",
        "datetime(2024, 1, 1).format('%c')",
        "datetime('Jan', '%b')",
        "datetime(900, 1, 1).format('%Y')",
        "pow(-8, 0.5)",
    ],
)
def test_what_depends_on_the_machine_or_leads_into_python_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "'x' * 200001",
        "[0] * 50001",
        "pow(2, 5000)",
        "pow(10, 10000000)",
        "pow(pow(2, 600), 2, 3)",
        "shiftBitsLeft(1, 5000)",
        "('a' * 100000).replace('a', 'bb') + 'x'",
        "('a' * 1000).replace({a => 'bb'}).replace({b => 'c' * 500})",
        "','.join(['x' * 150000, 'y' * 150000])",
        "concat('x' * 150000, 'y' * 150000)",
        "'{:>1001}'.format(1)",
        "('a' * 2000).trim('b' * 2000)",
        "('a' * 2000).lastIndexOf('b' * 2000)",
        "range(10000000).toList()",
        "sequence().last()",
        "[1].cycle().len()",
        "range(100).aggregate([$1], [])",
    ],
)
def test_a_large_result_is_refused_before_it_is_made(text: str) -> None:
    with pytest.raises(Exceeded):
        value(text)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 0),
        ("   ", 3),
        ("1 +", 3),
        ("1 + + )", 6),
        ("(1", 2),
        ("a b", 2),
        ("1 § 2", 2),
        ("'\\N{no such}'", 1),
        ("'\\N{BULLET}'", 1),
        ("`\\N{a}` + 'é\\\\\\ud800'", 14),
        ('"a" + "\\ud83d\\ude00"', 7),
        ("'\\x+1'", 1),
        ("'\\400'", 1),
        ("'\\U00110000'", 1),
        ("a + '\ud800'", 5),
        ("1" * 500, 0),
        ("x" * 30000, 0),
        ("(" * 200 + ")" * 200, 200),
        ("(" * 200 + "1" + ")" * 200, 80),
        ("len([" * 60 + "1" + "])" * 60, 200),
        ("1 + " * 200 + "1", 0),
    ],
)
def test_what_is_not_yaql_is_told_with_its_place(text: str, at: int) -> None:
    with pytest.raises(Unreadable) as problem:
        yaql_engine.parse(text)
    assert problem.value.at == at
