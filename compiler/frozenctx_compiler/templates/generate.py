"""The pass `lower`: from a template's tree to the text of its program.

In: jinja2's tree, the template's name and file, its dialect. Out: `Lowered`: Python text that imports nothing and
defines PROGRAM, NAME, FILE, NEEDS, CONSTANT if it holds, `bind` and LINES. Equal trees give equal bytes on every
machine and Python version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from frozenctx.template import SHAPE
from jinja2 import Environment, nodes

from .constancy import is_constant
from .dialect import CTX, Dialect
from .dialect import environment as build_environment
from .kept import Kept
from .lean import Lean
from .limited import Limited
from .literals import literal
from .reference import Reference
from .shape import ProgramGenerator, used_helpers, words_of

Needs = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Lowered:
    """`text`: the program. `needs`: kind → names that the engine must have (kinds: filters, tests, globals).
    `variables`: the other names that the template asks its context for, sorted. `sets`: those that it sets anywhere."""

    text: str
    needs: Needs
    variables: tuple[str, ...]
    sets: frozenset[str]


Kind = Literal["lean", "kept", "limited", "reference"]
KINDS: dict[str, type[ProgramGenerator]] = {
    "lean": Lean,
    "kept": Kept,
    "limited": Limited,
    "reference": Reference,
}


def kind_of(tree: nodes.Template, escapes: bool) -> Kind:
    """Return how to lower a template. `escapes`: one that it extends, or that extends it, may turn autoescape on or
    off. Its blocks are called while that holds then, which lean ones know nothing of."""
    return "kept" if escapes and (tree.find(nodes.Extends) or tree.find(nodes.Block)) else "lean"


def lower(
    tree: nodes.Template,
    *,
    name: str | None,
    file: str,
    dialect: Dialect = CTX,
    lines: Sequence[int] | None = None,
    kind: Kind = "lean",
    environment: Environment | None = None,
) -> Lowered:
    """Return the program of `tree`, which `parse` made and which stays as it is.

    `lines`: for a template that is a part of `file`, the line of `file` for each line of the template's text.
    `environment`: knows the names of filters, tests and globals in the place of the dialect's own (see `adopt_names`).
    Raises `jinja2.TemplateAssertionError` for what parses and can mean nothing.
    """
    generator = KINDS[kind](environment or build_environment(dialect), name, dialect)
    constant = any(isinstance(node, nodes.Macro) for node in tree.body) and is_constant(tree)
    generator.visit(tree)
    body = generator.text.getvalue()
    needs = needs_of(generator)
    further = generator.binding()
    words = words_of("\n".join([*further, body]))
    binding = [
        *used_helpers(words),
        *further,
        *(bound("filters", f, target, generator) for f, target in sorted(generator.filters.items()) if target in words),
        *(bound("tests", f, target, generator) for f, target in sorted(generator.tests.items()) if target in words),
    ]
    head = [
        f"PROGRAM = {SHAPE}",
        f"NAME = {literal(name)}",
        f"FILE = {literal(file)}",
        f"NEEDS = {literal(needs)}",
        *(["CONSTANT = True"] if constant else []),
        "",
        "",
        "def bind(engine, template):",
        *(f"    {line}" for line in binding),
        *([""] if binding else []),
    ]
    table = line_table(generator.debug_info, len(head), lines)
    foot = ["", "", "LINES = (", *(f"    ({emitted}, {source})," for emitted, source in table), ")"]
    variables = tuple(sorted(name for name in generator.resolved if name not in generator.environment.globals))
    return Lowered("\n".join([*head, body, *foot, ""]), needs, variables, frozenset(names_set(generator)))


def names_set(generator: ProgramGenerator) -> Iterator[str]:
    """Yield the names that something in the template sets, parameters left out; some repeatedly."""
    for name in generator.found(nodes.Name):
        if name.ctx == "store":
            yield name.name
    for macro in generator.found(nodes.Macro):
        yield macro.name
    for module in generator.found(nodes.Import):
        yield module.target
    for names in generator.found(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in names.names)


def needs_of(generator: ProgramGenerator) -> Needs:
    known = generator.environment
    return (
        ("filters", tuple(sorted(name for name in generator.filters if name in known.filters))),
        ("tests", tuple(sorted(name for name in generator.tests if name in known.tests))),
        ("globals", tuple(sorted(name for name in generator.resolved if name in known.globals))),
    )


def bound(kind: Literal["filters", "tests"], name: str, target: str, generator: ProgramGenerator) -> str:
    """Return the line that binds a filter or test."""
    known = generator.environment.filters if kind == "filters" else generator.environment.tests
    host = generator.dialect.host_filters if kind == "filters" else generator.dialect.host_tests
    if name in host:
        return f"{target} = engine.from_host({literal(kind)}, {literal(name)})"
    if name in known:
        return f"{target} = engine.{kind}[{literal(name)}]"
    return f"{target} = engine.if_present({literal(kind)}, {literal(name)})"


def line_table(
    debug_info: Sequence[tuple[int, int]], offset: int, lines: Sequence[int] | None
) -> list[tuple[int, int]]:
    """Return (emitted line, source line) pairs: from that emitted line on, the code is of that source line."""
    # What stands before `offset` is no part of the template; functions begin on its first line.
    table = [(offset + 1, 1 if lines is None or not lines else lines[0])]
    for template_line, emitted in debug_info:
        source = int(template_line) if lines is None else lines[template_line - 1]
        if table[-1][1] != source:
            table.append((emitted + offset, source))
    return table
