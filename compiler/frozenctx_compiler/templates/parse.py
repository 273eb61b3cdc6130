"""From a template's text to jinja2's tree.

In: text, its name for messages, its dialect. Out: `jinja2.nodes.Template` whose line numbers are `positions.Position`s;
a mistake is a `jinja2.TemplateSyntaxError` whose `lineno` is one.
"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.parser import Parser

from .dialect import CTX, Dialect, environment
from .positions import Position, position


class TreeParser(Parser):
    """jinja2's parser, without its second walk that tells each node the environment: nothing here asks a node."""

    def parse(self) -> nodes.Template:
        return nodes.Template(self.subparse(), lineno=1)


def parse(source: str, name: str | None = None, dialect: Dialect = CTX) -> nodes.Template:
    """Parse `source`. Raises `jinja2.TemplateSyntaxError`."""
    return TreeParser(environment(dialect), source, name).parse()


__all__ = ["Position", "parse", "position"]
