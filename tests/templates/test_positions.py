"""Every node of a tree knows line, column and width of the token that it began with."""

from __future__ import annotations

import random

import jinja2
import pytest
from frozenctx_compiler.templates.dialect import CTX, Dialect, environment
from frozenctx_compiler.templates.parse import TreeParser, parse
from frozenctx_compiler.templates.positions import Position
from jinja2 import nodes
from jinja2.lexer import Lexer
from jinja2.parser import Parser
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


DIALECTS = [
    CTX,
    Dialect(),
    Dialect(line_statement_prefix="#", line_comment_prefix="##", lstrip_blocks=True),
    Dialect(line_statement_prefix="%", trim_blocks=True),
    Dialect(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<%=",
        variable_end_string="%>",
        comment_start_string="<%#",
        comment_end_string="%>",
    ),
    Dialect(block_start_string="{", block_end_string="}", lstrip_blocks=True),
    Dialect(block_start_string="<!-- ", block_end_string=" -->", lstrip_blocks=True),
]
BITS = [
    "{%", "%}", "{{", "}}", "{#", "#}", "-", "+", "\n", "\r\n", "\r", " ", "\t", "\u2028", "a", "é", "'c\\'", '"b"',
    "'", "1.5", "1e3", "0x1f", "1_0", "1.", "(", ")", "[", "]", "{", "}", "|", ".", "==", "!", "?", "~", "//", "\\",
    "#", "##", "%", "<%", "<%=", "%>", "<!-- ", " -->", "{% raw %}", "{%- endraw -%}", "{%+ endraw +%}",
    "\n   {#- c -#}  \n", "\n  {% if x %}\n", "\n# for x in y\n", "\n  ## c\n", "  {{- x -}}  ",
]  # fmt: skip


def tokens_of(lexer: Lexer, source: str) -> list[tuple[object, ...]]:
    """Line, type and text of all tokens but blanks inside tags, then what ends them."""
    found: list[tuple[object, ...]] = []
    try:
        for line, token, text in lexer.tokeniter(source, "name", "file"):
            if token != "whitespace":
                found.append((int(line), token, text))
    except jinja2.TemplateSyntaxError as error:
        found.append((int(error.lineno), error.message, error.name, error.filename))
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_tokens_and_errors_of_any_text_are_those_of_jinja2s_lexer(dialect: Dialect) -> None:
    known = environment(dialect)
    theirs, ours = Lexer(known), known.lexer
    draw = random.Random(7)
    texts = list(TEXTS)
    for _ in range(1500):
        texts.append("".join(draw.choices(BITS, k=draw.randint(1, 20))))
        text = draw.choice(TEXTS)
        start, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        texts.append(text[:start] + draw.choice(BITS) + text[end:])
    for text in texts:
        assert tokens_of(ours, text) == tokens_of(theirs, text), text


WORDS = [
    "not", "and", "or", "in", "is", "if", "else", "+", "-", "*", "**", "~", "==", "<", "a", "b.c", "(", ")", "[", "]",
    "|", "upper", "1", "'s'", ",", "defined", "{", "}", ":", "//", "loop.index", "f(x)", "x[1:2]", "none",
]  # fmt: skip


def outcome(parser: type[Parser], source: str) -> str:
    """The tree with all positions, or what is wrong and where."""
    try:
        tree = parser(environment(CTX), source, "name").parse()
    except jinja2.TemplateSyntaxError as error:
        return f"{error.message} {error.lineno} {getattr(error.lineno, 'column', None)}"
    places = [(node.lineno, getattr(node.lineno, "column", None)) for node in tree.find_all(nodes.Node)]
    return f"{tree} {places}"


def test_trees_are_those_of_jinja2s_parser() -> None:
    draw = random.Random(3)
    expressions = ["{{ " + " ".join(draw.choices(WORDS, k=draw.randint(1, 9))) + " }}" for _ in range(5000)]
    assert len([text for text in expressions if outcome(TreeParser, text).startswith("Template(")]) > 300
    for text in [*TEXTS, *expressions]:
        assert outcome(TreeParser, text) == outcome(Parser, text), text
