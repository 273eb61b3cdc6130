"""Columns for jinja2's line numbers.

In: the text of a template. Out: jinja2's token stream, in which each line number is an `int` that also carries the
column and the width of its token. The stock parser hands it on to every node (STYLE.md, "Positions").

The rules are jinja2's own, and so is what its lexer makes of a token. Walking over the text is done here: jinja2 keeps
no offsets, tries up to seven expressions for each token, and looks for the next tag character by character.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, cast

from jinja2 import Environment, TemplateSyntaxError
from jinja2.lexer import Lexer, Token, newline_re, operators, whitespace_re

from ..character_names import unknown_in

BRACKETS = {"{": "}", "(": ")", "[": "]"}
CLOSING = frozenset(BRACKETS.values())
AS_THEY_ARE = frozenset(["block_begin", "block_end", "variable_begin", "variable_end"])
TAG_ENDS = frozenset(["block_end", "variable_end", "linestatement_end"])
FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}


class Position(int):
    """A line number, from 1. `column`: from 1, in characters. `width`: in characters, at least 1, within the line."""

    column: int
    width: int


def position(line: int, column: int, width: int) -> Position:
    result = Position(line)
    result.column = column
    result.width = max(width, 1)
    return result


def place(text: str, offset: int) -> Position:
    """Return where an offset into a text is."""
    return position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), 1)


Piece = tuple[str, int, int]


class PositionLexer(Lexer):
    """jinja2's lexer with positions for lines, and without the blanks inside tags, which mean nothing."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        starts = (environment.block_start_string, environment.variable_start_string, environment.comment_start_string)
        self.next_tag: re.Pattern[str] | None = re.compile("|".join(map(re.escape, starts)))
        if environment.line_statement_prefix is not None or environment.line_comment_prefix is not None:
            self.next_tag = None  # a tag may begin with anything
        # Kind of tag → what comes next in it, and what comes next while a bracket is open, so that it cannot end.
        self.in_tags: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {}
        for state, rules in self.rules.items():
            if len(rules) > 2:
                ends, *others = rules
                # Where a line break ends a tag, blanks are a token like others.
                passes_blanks = state != "linestatement_begin" and not re.match(r"\s", environment.block_end_string)
                if passes_blanks:
                    others = [rule for rule in others if rule.pattern is not whitespace_re]
                blanks = r"\s*+" if passes_blanks else ""
                self.in_tags[state] = (one_of([ends, *others], blanks), one_of(others, blanks))

    def tokeniter(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> Iterator[tuple[int, str, str]]:
        lines = newline_re.split(source)[::2]
        if not self.keep_trailing_newline and lines[-1] == "":
            del lines[-1]
        text = "\n".join(lines)
        line, line_start = 1, 0
        line_end = len(lines[0]) if lines else 0
        kind = "root" if state is None or state == "root" else f"{state}_begin"
        for token, start, end in self.pieces(text, kind, name, filename):
            if start > line_end:
                line += text.count("\n", line_end, start)
                line_start = text.rfind("\n", line_end, start) + 1
                line_end = text.find("\n", start)
                if line_end < 0:
                    line_end = len(text)
            here = Position(line)
            here.column = start - line_start + 1
            here.width = ((end if end < line_end else line_end) - start) or 1
            yield here, token, text[start:end]

    def wrap(
        self, stream: Iterable[tuple[int, str, str]], name: str | None = None, filename: str | None = None
    ) -> Iterator[Token]:
        """What jinja2's does, which is left to it for tokens whose text is converted. The line breaks of `stream` are
        those of `tokeniter`."""
        make = tuple.__new__  # Token(…) is a function that calls this
        keeps_breaks = self.newline_sequence == "\n"
        as_they_are = AS_THEY_ARE | {"data"} if keeps_breaks else AS_THEY_ARE
        for line, token, text in stream:
            if token == "operator":
                yield make(Token, (line, operators[text], text))
            elif token in as_they_are or (token == "name" and text.isidentifier()):
                yield make(Token, (line, token, text))
            elif token == "string" and keeps_breaks and "\\" not in text:
                yield make(Token, (line, token, text[1:-1]))
            elif token == "string" and (escape := unknown_in(text)) is not None:
                message = f"`{escape}` is no character that every Python knows by name"
                raise TemplateSyntaxError(message, line, name, filename)
            else:
                yield from super().wrap(((line, token, text),), name, filename)

    def pieces(self, text: str, state: str, name: str | None, filename: str | None) -> Iterator[Piece]:
        """Yield the type of each token, as the rules call it, and where it begins and ends."""
        at = 0
        begins_line = True
        while at < len(text) or state != "root":
            if state in self.in_tags:
                at = yield from self.pieces_of_tag(text, at, state, name, filename)
                if at < 0:
                    return
                token = ""
            else:
                rule, *failing = self.rules[state]
                begin = at
                if state == "root" and self.next_tag is not None:
                    found = self.next_tag.search(text, at)
                    begin = found.start() if found else len(text)
                match = rule.pattern.match(text, begin)
                if match is None:
                    if state == "root":
                        yield "data", at, len(text)
                    elif at < len(text):
                        failure: Any = failing[0].tokens[0]
                        failure(place(text, at), filename)  # raises that the comment, or so, has no end
                    return
                before, token = cast("tuple[str, str]", rule.tokens)
                if state == "root":
                    token = match.lastgroup or ""
                start, end = match.span(token if state == "root" else 2)
                data_end = start
                if before == "data":
                    assert match.lastindex is not None
                    data_end = self.data_end(text, at, start, match[match.lastindex + 1], token, begins_line)
                if at < data_end:
                    yield before, at, data_end
                yield token, start, end
                at = end
            state = token if token in self.rules else "root"
            begins_line = text[at - 1 : at] == "\n"

    def pieces_of_tag(
        self, text: str, at: int, state: str, name: str | None, filename: str | None
    ) -> Generator[Piece, None, int]:
        """Yield the tokens of a tag from `at` to its end; return where that is, -1 where the text ends within."""
        can_end, cannot_end = self.in_tags[state]
        open_brackets: list[str] = []
        token = ""
        while token not in TAG_ENDS:
            match = (cannot_end if open_brackets else can_end).match(text, at)
            if match is None:
                blanks = whitespace_re.match(text, at)
                at = blanks.end() if blanks else at
                if at == len(text):
                    return -1
                raise TemplateSyntaxError(f"unexpected char {text[at]!r} at {at}", place(text, at), name, filename)
            token = match.lastgroup or ""
            start, at = match.span(token)
            if token == "whitespace":
                continue
            if token == "operator":
                value = text[start:at]
                if value in BRACKETS:
                    open_brackets.append(BRACKETS[value])
                elif value in CLOSING and (not open_brackets or open_brackets[-1] != value):
                    wanted = f", expected '{open_brackets[-1]}'" if open_brackets else ""
                    raise TemplateSyntaxError(f"unexpected '{value}'{wanted}", place(text, start), name, filename)
                elif value in CLOSING:
                    open_brackets.pop()
            yield token, start, at
        return at

    def data_end(self, text: str, start: int, end: int, sign: str, tag: str, begins_line: bool) -> int:
        """Where the data before a tag ends when the blanks are gone that the tag, or its sign, says to drop."""
        if sign == "-":
            return start + len(text[start:end].rstrip())
        if sign != "+" and self.lstrip_blocks and tag != "variable_begin":
            line_start = text.rfind("\n", start, end) + 1 or (start if begins_line else end)
            if text[line_start:end].isspace():
                return line_start
        return end


def one_of(rules: Sequence[Any], before: str) -> re.Pattern[str]:
    """Return the expression that finds what the first of jinja2's rules finds; the group is the rule's token."""
    alternatives = []
    for rule in rules:
        flags = "".join(letter for flag, letter in FLAGS.items() if rule.pattern.flags & flag)
        # The line break ends a comment, if there is one.
        pattern = rule.pattern.pattern + "\n" * ("x" in flags)
        alternatives.append(f"(?P<{rule.tokens}>(?{flags}:{pattern}))")
    return re.compile(f"{before}(?:{'|'.join(alternatives)})")
