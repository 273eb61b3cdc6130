"""Splits a prompt at its role markers (CTX-FORMAT §2, "Role markers").

In: the text of `prompt.j2` or of a single file's body. Out: one excerpt per role, system first. A marker counts in
template data only: never inside a Jinja comment, a raw block, a tag or an expression, and never inside an open block.
Splitting happens before rendering, so that no value, partial or import can open a role.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jinja2 import TemplateSyntaxError

from .diagnostics import Related, Scope, Span
from .excerpt import Excerpt, report_syntax
from .package import Role
from .sources import line_starts
from .templates.dialect import CTX, environment

_MARKER = re.compile(r"<<<\s*role:(\w+)\s*>>>")
_ORDER: tuple[Role, ...] = ("system", "user")
_OPENING = ("autoescape", "block", "call", "filter", "for", "if", "macro", "with")


@dataclass(frozen=True, slots=True)
class _Piece:
    """One token of the template with its offsets."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Marker:
    role: str
    start: int
    end: int
    inside: tuple[str, int] | None  # the tag of the innermost block that is open here, and its offset


def split(prompt: Excerpt, scope: Scope) -> tuple[tuple[Role, Excerpt], ...] | None:
    """The sections of a prompt. Without a marker the whole text is the system template, as it is.

    Reports markers out of order, in a block, or after text; None when anything was reported.
    """
    if _MARKER.search(prompt.text) is None:
        return (("system", prompt),)
    try:
        pieces = tuple(_pieces(prompt.text))
    except TemplateSyntaxError as error:
        report_syntax(error, prompt, scope)
        return None
    markers = tuple(_markers(prompt.text, pieces))
    if not markers:
        return (("system", prompt),)
    in_block = [_check_block(marker, prompt, scope) for marker in markers]
    if any(in_block) or not in_order([(marker.role, _span(marker, prompt)) for marker in markers], scope):
        return None
    header = _header(prompt, pieces, markers[0].start, scope)
    if header is None:
        return None
    ends = [*(marker.start for marker in markers[1:]), len(prompt.text)]
    sections = [_stripped(prompt, marker.end, end) for marker, end in zip(markers, ends, strict=True)]
    sections[0] = _joined(header, sections[0])
    return tuple(zip(_ORDER[: len(sections)], sections, strict=True))


def _pieces(text: str) -> Iterator[_Piece]:
    """The tokens of a template. What the lexer leaves out between two of them is blank."""
    starts = line_starts(text)
    for line, kind, value in environment(CTX).lexer.tokeniter(text, None):
        start = starts[int(line) - 1] + getattr(line, "column") - 1  # noqa: B009 (a column of ours, unknown to jinja2)
        yield _Piece(kind, start, start + len(value))


def _markers(text: str, pieces: tuple[_Piece, ...]) -> Iterator[_Marker]:
    """Every marker in template data, with the block it stands in."""
    blocks: list[tuple[str, int]] = []
    tag: list[_Piece] | None = None
    raw = False
    for piece in pieces:
        if piece.kind in ("raw_begin", "raw_end"):
            raw = piece.kind == "raw_begin"
        elif piece.kind == "data" and not raw:
            for match in _MARKER.finditer(text, piece.start, piece.end):
                inside = blocks[-1] if blocks else None
                yield _Marker(match[1].lower(), match.start(), match.end(), inside)
        elif piece.kind == "block_begin":
            tag = [piece]
        elif piece.kind == "block_end" and tag is not None:
            _open_or_close(text, tag, blocks)
            tag = None
        elif tag is not None and piece.kind != "whitespace":
            tag.append(piece)


def _open_or_close(text: str, tag: list[_Piece], blocks: list[tuple[str, int]]) -> None:
    words = [text[piece.start : piece.end] for piece in tag]
    name = words[1] if len(words) > 1 else ""
    if name.startswith("end") and blocks:
        blocks.pop()
    elif name in _OPENING or (name == "set" and not _assigns(words)):
        blocks.append((name, tag[0].start))


def _assigns(words: list[str]) -> bool:
    """`set x = …` needs no end; `set x` and `set x | filter(a=1)` do."""
    depth = 0
    for word in words:
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if word == "=" and depth == 0:
            return True
    return False


def _check_block(marker: _Marker, prompt: Excerpt, scope: Scope) -> bool:
    if marker.inside is None:
        return False
    tag, opened = marker.inside
    scope.add(
        "role-marker-in-block",
        f"the role marker `{marker.role}` stands inside an open `{tag}` block",
        _span(marker, prompt),
        label="a role begins outside all blocks",
        related=(Related(prompt.span_at(opened, 2), f"`{tag}` opens here"),),
        help=f"end the block before the marker with `{{% end{tag} %}}`",
    )
    return True


def _header(prompt: Excerpt, pieces: tuple[_Piece, ...], end: int, scope: Scope) -> Excerpt | None:
    """What is kept of the text before the first marker: its comments, without the lines that begin with `#`."""
    starts = line_starts(prompt.text[:end])
    seen = _without_comments(prompt.text, pieces, end)
    comments = _comments(prompt.text, pieces)
    kept: list[tuple[str, int, int]] = []  # text of a line, its line and shift in the file
    fine = True
    for index, start in enumerate(starts):
        stop = starts[index + 1] - 1 if index + 1 < len(starts) else end
        visible = seen[start:stop].replace("\0", "").strip()
        span = prompt.span(index + 1)
        if not visible:
            kept.append((prompt.text[start:stop], span.line, span.column - 1))
        elif not visible.startswith("#"):
            offset = start + seen[start:stop].find(visible[0])
            width = len(seen[offset:stop].rstrip("\0 \t"))
            scope.add(
                "text-before-role",
                "there is text before the first role marker",
                prompt.span_at(offset, width),
                label="belongs to no role",
                notes=(
                    "before the first marker only blank lines, Jinja comments and lines that begin with `#` may stand",
                ),
            )
            fine = False
        elif any(begin < start < until or begin < stop < until for begin, until in comments):
            scope.add(
                "text-before-role",
                "a line that begins with `#` holds a part of a Jinja comment",
                prompt.span_at(start + seen[start:stop].find("#"), 1),
                label="this line is dropped, the rest of the comment would become text",
            )
            fine = False
    if not fine:
        return None
    return _assembled(prompt.file, kept)


def _comments(text: str, pieces: tuple[_Piece, ...]) -> list[tuple[int, int]]:
    """Where each comment begins and ends, without the blanks and line ends that its end swallows."""
    begins = [piece.start for piece in pieces if piece.kind == "comment_begin"]
    ends = [
        piece.start + len(text[piece.start : piece.end].rstrip()) for piece in pieces if piece.kind == "comment_end"
    ]
    return list(zip(begins, ends, strict=True))


def _without_comments(text: str, pieces: tuple[_Piece, ...], end: int) -> str:
    """The text up to `end`, every character of a comment (not its line ends) replaced by NUL, which no source holds."""
    parts: list[str] = []
    at = 0
    for piece in pieces:
        if piece.start >= end:
            break
        if piece.kind.startswith("comment"):
            parts.append(text[at : piece.start])
            parts.append(re.sub(r"[^\n]", "\0", text[piece.start : piece.end]))
            at = piece.end
    return "".join([*parts, text[at:end]])[:end]


def _assembled(file: str, kept: list[tuple[str, int, int]]) -> Excerpt:
    """Lines joined by LF and stripped, with the way back."""
    text = "\n".join(line for line, _, _ in kept)
    lines = tuple(line for _, line, _ in kept)
    columns = tuple(column for _, _, column in kept)
    whole = Excerpt(file, text, lines, columns)
    return _stripped(whole, 0, len(text))


def _stripped(excerpt: Excerpt, start: int, end: int) -> Excerpt:
    part = excerpt.text[start:end]
    start += len(part) - len(part.lstrip())
    return excerpt.cut(start, max(start, start + len(part.strip())))


def _joined(header: Excerpt, section: Excerpt) -> Excerpt:
    """The header immediately before the section. The line they share is mapped to the section's line."""
    if not header.text:
        return section
    last = len(header.text) - (header.text.rfind("\n") + 1)
    section_lines = section.lines or tuple(range(1, section.text.count("\n") + 2))
    section_columns = section.columns or (0,) * len(section_lines)
    return Excerpt(
        section.file,
        header.text + section.text,
        header.lines[:-1] + section_lines,
        header.columns[:-1] + (section_columns[0] - last, *section_columns[1:]),
    )


def _span(marker: _Marker, prompt: Excerpt) -> Span:
    line_end = prompt.text.find("\n", marker.start)
    end = marker.end if line_end < 0 else min(marker.end, line_end)
    return prompt.span_at(marker.start, end - marker.start)


def in_order(roles: Sequence[tuple[str, Span]], scope: Scope) -> bool:
    """Whether the roles are one system, optionally one user; the first that breaks this is reported at its span."""
    for index, (role, span) in enumerate(roles):
        wanted = _ORDER[index] if index < len(_ORDER) else None
        if role != wanted:
            scope.add(
                "role-order" if role in _ORDER else "unknown-role",
                f"expected {f'the role `{wanted}`' if wanted else 'no further role'}, found `{role}`",
                span,
                notes=("a prompt has one `system` section, optionally followed by one `user` section",),
            )
            return False
    return True
