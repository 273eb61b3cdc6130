"""Smaller cases that still differ.

In: a case, and a question about cases (does it still show what is looked for?). Out: a case from which nothing more can
be taken away: statements, branches and arguments go, expressions become one of their parts or a literal, variables
become simpler. A smaller case that no longer parses does not show anything, so sense need not be kept by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fuzz.pieces import NOTHING, Piece, replaced, walk, without
from fuzz.sides import MAIN
from fuzz.templates import Case

LITERALS = ("1", "'a'", "a", "[1]", "{}", "true")


def shrunk(case: Case, shows: Callable[[Case], bool], patience: int = 4000) -> Case:
    """Return the smallest case found for which `shows` holds, as it does for `case`; ask at most `patience` times."""
    asked = 0
    while True:
        size = weight(case)
        for smaller in candidates(case):
            if asked >= patience:
                return case
            if weight(smaller) >= size:
                continue
            asked += 1
            if shows(smaller):
                case = smaller
                break
        else:
            return case


def weight(case: Case) -> int:
    return sum(map(len, case.sources.values())) + len(repr(case.variables))


def candidates(case: Case) -> Iterator[Case]:
    """Yield smaller cases, those that lose most first."""
    for name in case.trees:
        if name != MAIN:
            yield replace(case, trees={other: tree for other, tree in case.trees.items() if other != name})
            yield replace(case, trees={**case.trees, MAIN: case.trees[name], name: NOTHING})
    for name in case.variables:
        yield replace(case, variables={other: value for other, value in case.variables.items() if other != name})
    for name, tree in case.trees.items():
        for smaller in smaller_trees(tree):
            yield replace(case, trees={**case.trees, name: smaller})
    for name, value in case.variables.items():
        for simpler in simpler_values(value):
            yield replace(case, variables={**case.variables, name: simpler})


def smaller_trees(tree: Piece) -> Iterator[Piece]:
    pieces = list(walk(tree))
    for path, piece in pieces:
        if piece.sort in ("option", "statement", "body") and path:
            yield replaced(tree, path, NOTHING)
        if piece.sort == "series":
            for index in range(len(piece.parts)):
                yield without(tree, (*path, index))
        if piece.sort in ("statement", "body"):
            for _, inner in walk(piece):
                if inner.sort in ("statement", "body") and inner is not piece:
                    yield replaced(tree, path, inner) if path else inner
        if piece.sort == "expression":
            for _, inner in walk(piece):
                if inner.sort == "expression" and inner is not piece:
                    yield replaced(tree, path, inner)
            for literal in LITERALS:
                yield replaced(tree, path, literal)
        for index, part in enumerate(piece.parts):
            if isinstance(part, str) and part.strip(" "):
                yield replaced(tree, (*path, index), "")
                if len(part) > 3:
                    half = len(part) // 2
                    yield replaced(tree, (*path, index), part[:half])
                    yield replaced(tree, (*path, index), part[half:])
                for sign in ("-", "+"):
                    if sign in part:
                        yield replaced(tree, (*path, index), part.replace(sign, ""))


def simpler_values(value: Any) -> Iterator[Any]:
    """Yield tagged values that are simpler than `value`."""
    match value:
        case dict():
            if len(value) == 1:
                yield from value.values()
            for key, inner in value.items():
                if len(value) > 1:
                    yield {other: kept for other, kept in value.items() if other != key}
                for simpler in simpler_values(inner):
                    yield {**value, key: simpler}
        case list():
            for index, inner in enumerate(value):
                yield value[:index] + value[index + 1 :]
                for simpler in simpler_values(inner):
                    yield [*value[:index], simpler, *value[index + 1 :]]
        case str() if len(value) > 1:
            yield "a"
            yield value[: len(value) // 2]
            yield value[len(value) // 2 :]
        case int() | float() if len(repr(value)) > 1 and not isinstance(value, bool):
            yield 1
