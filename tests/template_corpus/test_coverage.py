"""The corpus covers the language: counted from parsed trees, at least twice each, and every gap is named.

What is counted: node classes of `jinja2.nodes` that a parser with loopcontrols and do can yield; built-in filters,
tests and globals of jinja2; the filters of CTX-FORMAT §5.
"""

import inspect
from collections import Counter
from collections.abc import Iterator

import jinja2
import pytest
from jinja2 import nodes
from template_corpus import oracle
from template_corpus.cases import load_cases

AT_LEAST = 2

ABSTRACT = {
    nodes.Node,
    nodes.Stmt,
    nodes.Helper,
    nodes.Expr,
    nodes.Literal,
    nodes.BinExpr,
    nodes.UnaryExpr,
    nodes._FilterTestCommon,
}

NEVER_PARSED: dict[type[nodes.Node], str] = {
    nodes.ContextReference: "made by extensions (debug) only",
    nodes.DerivedContextReference: "made by extensions only",
    nodes.EnvironmentAttribute: "made by extensions only",
    nodes.EvalContextModifier: "made by extensions only; the parser yields its scoped child class",
    nodes.ExtensionAttribute: "made by extensions only",
    nodes.ImportedName: "made by extensions only",
    nodes.InternalName: "made by extensions only, through Parser.free_identifier",
    nodes.MarkSafe: "made by the i18n extension only",
    nodes.MarkSafeIfAutoescape: "made by the i18n extension only",
    nodes.OverlayScope: "made by extensions only",
}


def trees() -> Iterator[nodes.Template]:
    """The tree of every template of the corpus that has one."""
    env = oracle.environment()
    for case in load_cases():
        for source in (case.main, *case.extras.values()):
            try:
                yield env.parse(source)
            except jinja2.TemplateSyntaxError:
                assert case.id.startswith("syntax/")


def all_nodes() -> Iterator[nodes.Node]:
    for tree in trees():
        yield tree
        yield from tree.find_all(nodes.Node)


ALL = list(all_nodes())


def too_rare(counted: Counter[str], wanted: set[str]) -> list[str]:
    return sorted(f"{name} ({counted[name]})" for name in wanted if counted[name] < AT_LEAST)


def test_every_node_class_that_a_parser_yields_occurs_twice() -> None:
    classes = {
        value for value in vars(nodes).values() if inspect.isclass(value) and issubclass(value, nodes.Node)
    } - ABSTRACT
    counted = Counter(type(node) for node in ALL)
    by_name = Counter({cls.__name__: count for cls, count in counted.items()})
    assert too_rare(by_name, {cls.__name__ for cls in classes - set(NEVER_PARSED)}) == []
    assert {cls.__name__ for cls in NEVER_PARSED if counted[cls]} == set()
    assert classes >= set(NEVER_PARSED)


def test_every_filter_occurs_twice() -> None:
    counted = Counter(node.name for node in ALL if isinstance(node, nodes.Filter))
    assert len(jinja2.filters.FILTERS) == 54
    assert too_rare(counted, set(jinja2.filters.FILTERS) | set(oracle.CTX_FILTERS)) == []


def test_every_test_occurs_twice() -> None:
    """By `is`, or, as the operators need it, named to a filter: `select("<", 2)`, `selectattr("n", "<", 2)`."""
    counted = Counter(node.name for node in ALL if isinstance(node, nodes.Test))
    for node in ALL:
        if isinstance(node, nodes.Filter) and node.name in ("select", "reject", "selectattr", "rejectattr"):
            place = 1 if node.name.endswith("attr") else 0
            for name in node.args[place : place + 1]:
                if isinstance(name, nodes.Const):
                    counted[str(name.value)] += 1
    assert len(jinja2.tests.TESTS) == 39
    assert too_rare(counted, set(jinja2.tests.TESTS)) == []


def test_every_global_occurs_twice() -> None:
    counted = Counter(node.name for node in ALL if isinstance(node, nodes.Name) and node.ctx == "load")
    wanted = set(oracle.environment().globals)
    assert len(wanted) == 6
    assert too_rare(counted, wanted) == []


@pytest.mark.parametrize("area", ["undefined", "loops", "macros", "imports", "inheritance", "escaping", "errors"])
def test_the_areas_of_the_traps_are_well_filled(area: str) -> None:
    assert sum(case.id.startswith(area + "/") for case in load_cases()) >= 20


def test_what_is_missing_is_named() -> None:
    assert too_rare(Counter({"a": 2, "b": 1}), {"a", "b", "c"}) == ["b (1)", "c (0)"]
