"""The tag `generation` of chat templates: what a model is trained to say.

In: `{% generation %} … {% endgeneration %}`. Out: a filter block with a filter of a name that no template can write,
which the generator of programs knows: jinja2's classes of nodes cannot be added to. Its body is a scope, as the body of
the call block is that transformers makes of it.
"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

GENERATION = "{% generation %}"


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.FilterBlock:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.FilterBlock(body, nodes.Filter(None, GENERATION, [], [], None, None, lineno=line), lineno=line)


def is_generation(node: nodes.FilterBlock) -> bool:
    return node.filter.name == GENERATION
