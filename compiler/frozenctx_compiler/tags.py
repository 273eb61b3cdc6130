"""Where the tokens of a template stand, and which blocks are open at a place.

In: the text of a template. Out: jinja2's token stream with offsets into the text. Invariant: a token's text is
`text[start:end]`; what lies between two tokens is blank (jinja2's lexer drops what `-` and `lstrip_blocks` strip).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .sources import line_starts
from .templates.dialect import CTX, environment

_OPENING = ("autoescape", "block", "call", "filter", "for", "if", "macro", "with")


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is jinja2's, except that the data of a raw block is "raw"."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block that a tag has opened: the tag's word, and where the tag begins and ends."""

    word: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a template of CTX-FORMAT §5. Raises jinja2.TemplateSyntaxError."""
    starts = line_starts(text)
    raw = False
    for line, kind, value in environment(CTX).lexer.tokeniter(text, None):
        raw = kind == "raw_begin" or (raw and kind != "raw_end")
        start = starts[int(line) - 1] + getattr(line, "column") - 1  # noqa: B009 (jinja2 knows no columns)
        yield Token("raw" if raw and kind == "data" else kind, start, start + len(value))


def with_blocks(text: str, stream: Iterable[Token]) -> Iterator[tuple[Token, tuple[Block, ...]]]:
    """Each token with the blocks that are open there, the innermost last."""
    blocks: tuple[Block, ...] = ()
    tag: list[Token] = []
    for token in stream:
        yield token, blocks
        if token.kind == "block_begin":
            tag = [token]
        elif token.kind == "block_end" and tag:
            blocks = _after(text, [*tag, token], blocks)
            tag = []
        elif tag and token.kind != "whitespace":
            tag.append(token)


def open_at_end(text: str) -> tuple[Block, ...]:
    """The blocks that are still open where the text ends."""
    blocks: tuple[Block, ...] = ()
    for token, open_blocks in with_blocks(text, [*tokens(text), Token("end", len(text), len(text))]):
        if token.kind == "end":
            blocks = open_blocks
    return blocks


def _after(text: str, tag: list[Token], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    words = [text[token.start : token.end] for token in tag]
    if words[1].startswith("end"):
        return blocks[:-1]
    if words[1] in _OPENING or (words[1] == "set" and not _assigns(words)):
        end = tag[-1].start + len(words[-1].rstrip())
        return (*blocks, Block(words[1], tag[0].start, end))
    return blocks


def _assigns(words: list[str]) -> bool:
    """`set x = …` needs no end; `set x` and `set x | filter(a=1)` do."""
    depth = 0
    for word in words:
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if word == "=" and depth == 0:
            return True
    return False
