"""How transformers renders chat templates, from what it is known to do: the judge of the `hf` profile.

In: a template's text, variables, a time. Out: text, and where its generation blocks are; or the exception. Nothing of
transformers is needed: an immutable sandbox of jinja2, `loopcontrols`, three functions, and an extension that notes how
much text there is before and after a generation block while the template's pieces come in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Tracker(Extension):
    """Makes a call block of a generation block, and knows what was written before it."""

    tags = {"generation"}

    def __init__(self, environment: jinja2.Environment) -> None:
        super().__init__(environment)
        environment.extend(tracker=self)
        self.pieces: list[str] = []
        self.spans: list[tuple[int, int]] = []

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("noted"), [], [], body).set_lineno(line)

    def noted(self, caller: Any) -> Any:
        text = caller()
        start = sum(map(len, self.pieces))
        self.spans.append((start, start + len(text)))
        return text

    def collected(self, pieces: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
        self.pieces, self.spans = [], []
        for piece in pieces:
            self.pieces.append(piece)
        return "".join(self.pieces), self.spans


def equip(environment: jinja2.Environment, now: datetime) -> None:
    """Give an environment what chat templates find there."""

    def raise_exception(message: str) -> None:
        raise jinja2.TemplateError(message)

    def tojson(
        x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def strftime_now(format: str) -> str:
        return now.strftime(format)

    environment.add_extension(Tracker)
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = strftime_now
    for function in (raise_exception, tojson, strftime_now):
        function.__qualname__ = function.__name__  # messages show it


def rendered(source: str, variables: dict[str, Any], now: datetime) -> tuple[str, list[tuple[int, int]]]:
    judge = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    equip(judge, now)
    return judge.tracker.collected(judge.from_string(source).generate(variables))  # type: ignore[attr-defined,no-any-return]
