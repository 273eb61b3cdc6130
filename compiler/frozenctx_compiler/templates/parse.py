"""From a template's text to jinja2's tree.

In: text, its name for messages, its dialect. Out: `jinja2.nodes.Template` whose line numbers are `positions.Position`s;
a mistake is a `jinja2.TemplateSyntaxError` whose `lineno` is one.
"""

from __future__ import annotations

from typing import cast

from jinja2 import TemplateSyntaxError, nodes
from jinja2.lexer import Token
from jinja2.parser import Parser

from .dialect import CTX, Dialect, environment
from .positions import Position, position

# How deep expressions, and blocks, may stand in each other. The parser calls itself for each; what Python has room for
# differs with the interpreter and with who calls, this does not.
DEEPEST = 50
NESTED_TOO_DEEPLY = "an expression is nested too deeply"

# What can follow an operand in an expression; words among it are names to the lexer.
OPERATORS = frozenset(
    ["name", "add", "sub", "mul", "div", "floordiv", "mod", "pow", "tilde", "eq", "ne", "lt", "lteq", "gt", "gteq"]
)
OPERAND = "operand"


class TreeParser(Parser):
    """jinja2's parser, with a limit to nesting, and without its second walk that tells each node the environment:
    nothing here asks a node."""

    _expressions = 0
    _blocks = 0

    def parse(self) -> nodes.Template:
        return nodes.Template(self.subparse(), lineno=1)

    def parse_expression(self, with_condexpr: bool = True) -> nodes.Expr:
        if self._expressions == DEEPEST:
            self.fail(f"an expression is nested {DEEPEST} deep")
        self._expressions += 1
        found = super().parse_expression(with_condexpr)
        self._expressions -= 1
        return found

    def parse_or(self) -> nodes.Expr:
        """Go down through the eight levels of operators only where an operator follows the first operand, which most
        expressions have none of. The levels then find that operand in the place of a token."""
        first = self.stream.current
        if first.type == "name" and first.value == "not":
            return super().parse_or()
        operand = self.parse_unary()
        if self.stream.current.type not in OPERATORS:
            return operand
        self.stream._pushed.appendleft(self.stream.current)
        self.stream.current = Token(first.lineno, OPERAND, operand)  # type: ignore[arg-type]
        return super().parse_or()

    def parse_unary(self, with_filter: bool = True) -> nodes.Expr:
        if self.stream.current.type is OPERAND:
            return cast(nodes.Expr, next(self.stream).value)
        return super().parse_unary(with_filter)

    def parse_statements(self, end_tokens: tuple[str, ...], drop_needle: bool = False) -> list[nodes.Node]:
        if self._blocks == DEEPEST:
            self.fail(f"blocks are nested {DEEPEST} deep")
        self._blocks += 1
        found = super().parse_statements(end_tokens, drop_needle)
        self._blocks -= 1
        return found


def parse(source: str, name: str | None = None, dialect: Dialect = CTX) -> nodes.Template:
    """Parse `source`. Raises `jinja2.TemplateSyntaxError`."""
    known = environment(dialect)
    try:
        parser = TreeParser(known, source, name)
    except ValueError:  # of the first number, by Python's limit against long conversions
        raise _long_number(source, dialect) from None
    try:
        return parser.parse()
    except ValueError:
        raise _long_number(source, dialect) from None
    except RecursionError:  # `not not not …`
        raise TemplateSyntaxError(NESTED_TOO_DEEPLY, parser.stream.current.lineno) from None


def _long_number(source: str, dialect: Dialect) -> TemplateSyntaxError:
    for line, token, value in environment(dialect).lexer.tokeniter(source, None):
        if token == "integer":
            try:
                int(value.replace("_", ""), 0)
            except ValueError:
                return TemplateSyntaxError("a number has too many digits", line)
    raise AssertionError("a number was said to be too long, and none is")


__all__ = ["Position", "parse", "position"]
