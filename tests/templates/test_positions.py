"""Every node of a tree knows line, column and width of the token that it began with."""

from __future__ import annotations

import jinja2
import pytest
from frozenctx_compiler.templates.dialect import CTX, Dialect
from frozenctx_compiler.templates.parse import parse
from frozenctx_compiler.templates.positions import Position
from jinja2 import nodes
from templates.cases import CASES, sources_of
from templates.random_templates import case

TEXTS = [text for name in CASES for text in sources_of(name).values()]
TEXTS += [text for seed in range(60) for text in case(seed)[0].values()]


def names_of(source: str, dialect: Dialect) -> list[tuple[str, Position]]:
    try:
        tree = parse(source, None, dialect)
    except jinja2.TemplateSyntaxError:
        return []
    return [(node.name, node.lineno) for node in tree.find_all(nodes.Name)]  # type: ignore[misc]


def test_column_and_width_of_every_name_point_at_that_name() -> None:
    seen = 0
    for source in TEXTS:
        lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for name, place in names_of(source, CTX):
            if name == "namespace" or name not in source:
                continue
            text = lines[place - 1][place.column - 1 : place.column - 1 + place.width]
            # A name in a `for … in` or a call is the token itself; nothing else makes a Name.
            assert text == name, (source, name, place, place.column)
            seen += 1
    assert seen > 1000


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("a {{ b ; }}", 1, 8),
        ("\n\n  {% nonsense %}", 3, 6),
        ("{% if a %}\n{% endfor %}", 2, 4),
        ("x\ny {# never closed", 2, 5),
        ("{{ 'never closed }}", 1, 4),
        ("日本 {{ a b }}", 1, 9),
        ("{{ (a] }}", 1, 6),
    ],
)
def test_syntax_errors_know_their_column(source: str, line: int, column: int) -> None:
    with pytest.raises(jinja2.TemplateSyntaxError) as caught:
        parse(source, "t", CTX)
    place = caught.value.lineno
    assert isinstance(place, Position)
    assert (int(place), place.column) == (line, column)
