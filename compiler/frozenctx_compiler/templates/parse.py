"""From a template's text to jinja2's tree.

In: text, its name for messages, its dialect. Out: `jinja2.nodes.Template` whose line numbers are `positions.Position`s;
a mistake is a `jinja2.TemplateSyntaxError` whose `lineno` is one.
"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.parser import Parser

from .dialect import CTX, Dialect, environment
from .positions import Position, position


def parse(source: str, name: str | None = None, dialect: Dialect = CTX) -> nodes.Template:
    """Parse `source`. Raises `jinja2.TemplateSyntaxError`."""
    return Parser(environment(dialect), source, name).parse()


__all__ = ["Position", "parse", "position"]
