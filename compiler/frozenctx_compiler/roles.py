"""Splits a prompt at its role markers (CTX-FORMAT §2, "Role markers").

In: the text of `prompt.j2` or of a single file's body. Out: one template per role, system first. A marker counts in
template data only: never inside a Jinja comment, a raw block, a tag or an expression, and never inside an open block.
Splitting happens before rendering, so that no value, partial or import can open a role.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from jinja2 import TemplateSyntaxError

from .diagnostics import Related, Report, Scope, Span
from .excerpt import Excerpt
from .mistakes import mended, report_mistake
from .package import Role, TemplateText
from .sources import line_starts
from .spelling import did_you_mean
from .syntax import MOST, parsed
from .tags import Block, Token, tokens, with_blocks

_MARKER = re.compile(r"<<<\s*role:(\w+)\s*>>>")
# At the very end of a text jinja2 forgives a comment and a raw block that are not closed.
_FORGIVEN = re.compile(r"(?:\{#[-+]?|\{%[-+]?\s*raw\s*-?%\})\s*\Z")
ROLES: tuple[Role, ...] = ("system", "user")
_SECTIONS = "a prompt has one `system` section, optionally followed by one `user` section"


@dataclass(frozen=True, slots=True)
class _Marker:
    role: str
    start: int
    end: int
    inside: Block | None  # the innermost block that is open here


Templates = tuple[tuple[Role, TemplateText], ...]


def split(prompt: Excerpt, scope: Scope) -> Templates | None:
    """The templates of a prompt by role. Without a marker the whole text is the system template, as it is.

    Reports markers out of order, in a block, or after text, and templates that cannot be parsed, which are left out;
    None when nothing is left.
    """
    matches = tuple(_MARKER.finditer(prompt.text))
    if not matches:
        return templates_of((("system", prompt),), scope)
    return _plainly(prompt, matches) or _carefully(prompt, scope)


def templates_of(sections: Sequence[tuple[Role, Excerpt]], scope: Scope) -> Templates | None:
    """The sections that can be parsed; the others are reported. None when that leaves nothing."""
    found = [(role, parsed(excerpt, None, scope)) for role, excerpt in sections]
    return tuple((role, template) for role, template in found if template is not None) or None


def _plainly(prompt: Excerpt, matches: Sequence[re.Match[str]]) -> Templates | None:
    """Split at every marker, if that is right; None when it is not, or anything is wrong.

    A marker is template data outside all blocks exactly when the text before it is a template by itself. So when all
    parts can be parsed every marker was one, and nothing has to be looked at twice.
    """
    if tuple(match[1].lower() for match in matches) != ROLES[: len(matches)]:
        return None
    if any(_FORGIVEN.search(prompt.text, 0, match.start()) for match in matches):
        return None
    quiet = Report().scoped("prompt")
    try:
        header = _header(prompt, tuple(tokens(prompt.text[: matches[0].start()])), matches[0].start(), quiet)
    except TemplateSyntaxError:
        return None
    if header is None:
        return None
    sections = _sections(prompt, header, [match.span() for match in matches])
    templates = templates_of(sections, quiet)
    return None if quiet.failed else templates


def _carefully(prompt: Excerpt, scope: Scope) -> Templates | None:
    """Split at the markers that the lexer finds in template data, and report what is wrong with them."""
    lexed = _lexed(prompt, scope)
    if lexed is None:
        return None
    prompt, stream = lexed
    markers = tuple(_markers(prompt.text, stream))
    if not markers:
        return templates_of((("system", prompt),), scope)
    in_block = [_check_block(marker, prompt, scope) for marker in markers]
    if any(in_block) or not in_order([(marker.role, _span(marker, prompt)) for marker in markers], scope):
        return None
    header = _header(prompt, stream, markers[0].start, scope)
    sections = _sections(
        prompt, header or Excerpt(prompt.file, ""), [(marker.start, marker.end) for marker in markers]
    )
    templates = templates_of(sections, scope)
    return None if header is None else templates


def _lexed(prompt: Excerpt, scope: Scope) -> tuple[Excerpt, tuple[Token, ...]] | None:
    """The tokens of a prompt, which is returned without the tags that have none: those are reported."""
    for _ in range(MOST):
        try:
            return prompt, tuple(tokens(prompt.text))
        except TemplateSyntaxError as error:
            report_mistake(error, prompt, scope)
            rest = mended(prompt.text, error)
            if rest is None:
                return None
            prompt = replace(prompt, text=rest)
    return None


def _sections(prompt: Excerpt, header: Excerpt, markers: Sequence[tuple[int, int]]) -> list[tuple[Role, Excerpt]]:
    ends = [*(start for start, _ in markers[1:]), len(prompt.text)]
    sections = [_stripped(prompt, start, end) for (_, start), end in zip(markers, ends, strict=True)]
    sections[0] = _joined(header, sections[0])
    return list(zip(ROLES[: len(sections)], sections, strict=True))


def _markers(text: str, stream: tuple[Token, ...]) -> Iterator[_Marker]:
    """Every marker in template data, with the block it stands in."""
    for token, blocks in with_blocks(text, stream):
        if token.kind == "data":
            for match in _MARKER.finditer(text, token.start, token.end):
                yield _Marker(match[1].lower(), match.start(), match.end(), blocks[-1] if blocks else None)


def _check_block(marker: _Marker, prompt: Excerpt, scope: Scope) -> bool:
    block = marker.inside
    if block is None:
        return False
    scope.add(
        "role-marker-in-block",
        f"the role marker `{marker.role}` stands inside an open `{block.word}` block",
        _span(marker, prompt),
        label="a role begins outside all blocks",
        related=(Related(prompt.span_at(block.start, block.end - block.start), f"`{block.word}` opens here"),),
        help=f"end the block before the marker with `{{% end{block.word} %}}`",
    )
    return True


def _header(prompt: Excerpt, stream: tuple[Token, ...], end: int, scope: Scope) -> Excerpt | None:
    """What is kept of the text before the first marker: its comments, without the lines that begin with `#`."""
    starts = line_starts(prompt.text[:end])
    seen = _without_comments(prompt.text, stream, end)
    comments = _comments(prompt.text, stream)
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
                help="move it below the marker, or make it a comment with `{# … #}`",
            )
            fine = False
        elif any(begin < start < until or begin < stop < until for begin, until in comments):
            scope.add(
                "text-before-role",
                "a line that begins with `#` holds a part of a Jinja comment",
                prompt.span_at(start + seen[start:stop].find("#"), 1),
                label="this line is dropped, the rest of the comment would become text",
                help="put the comment on lines of its own",
            )
            fine = False
    if not fine:
        return None
    return _assembled(prompt.file, kept)


def _comments(text: str, stream: tuple[Token, ...]) -> list[tuple[int, int]]:
    """Where each comment begins and ends, without the blanks and line ends that its end swallows."""
    begins = [token.start for token in stream if token.kind == "comment_begin"]
    ends = [
        token.start + len(text[token.start : token.end].rstrip()) for token in stream if token.kind == "comment_end"
    ]
    ends += [len(text)] * (len(begins) - len(ends))  # jinja2 forgives a last one that is not closed
    return list(zip(begins, ends, strict=True))


def _without_comments(text: str, stream: tuple[Token, ...], end: int) -> str:
    """The text up to `end`, every character of a comment (not its line ends) replaced by NUL, which no source holds."""
    parts: list[str] = []
    at = 0
    for token in stream:
        if token.start >= end:
            break
        if token.kind.startswith("comment"):
            parts.append(text[at : token.start])
            parts.append(re.sub(r"[^\n]", "\0", text[token.start : token.end]))
            at = token.end
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
    """Whether the roles are one system, optionally one user. Each unknown role is reported, or else the first that is
    out of order."""
    unknown = [(role, span) for role, span in roles if role not in ROLES]
    for role, span in unknown:
        help = did_you_mean(role, ROLES, "write `system` or `user`")
        scope.add("unknown-role", f"there is no role `{role}`", span, notes=(_SECTIONS,), help=help)
    for index, (role, span) in enumerate(roles if not unknown else ()):
        wanted = ROLES[index] if index < len(ROLES) else None
        if role != wanted:
            scope.add(
                "role-order",
                f"expected {f'the role `{wanted}`' if wanted else 'no further role'}, found `{role}`",
                span,
                notes=(_SECTIONS,),
                help="begin with `system`"
                if index == 0
                else f"join it with what stands before, or make it `{wanted}`"
                if wanted
                else "join it with what stands before",
            )
            return False
    return not unknown
