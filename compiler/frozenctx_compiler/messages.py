"""Reads a `messages/` directory: one YAML mapping of `role` and `content` per message (CTX-FORMAT §2, "messages/").

In: the directory's listing and files. Out: one template per role, system first. Content is neither split nor stripped.
Everything that is wrong in any of the files is reported in one run.
"""

from dataclasses import dataclass

import yaml

from .check_document import check_document
from .diagnostics import Scope, Span
from .documents import MESSAGE
from .excerpt import Excerpt
from .roles import ROLES, Templates, in_order, templates_of
from .sources import SourceFault, Sources
from .yamlnodes import children
from .yamltree import compose, is_empty, plain, span_of

_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class _Message:
    """What could be read of one message."""

    role: str | None = None
    span: Span | None = None  # of the role
    content: Excerpt | None = None


def read_messages(directory: str, sources: Sources, scope: Scope) -> Templates | None:
    """The messages in name order, as templates. None when one is no message or roles are out of order (reported)."""
    messages: list[_Message] = []
    for name in sources.listing(directory):
        path = f"{directory}/{name}"
        if not name.endswith(_SUFFIXES):
            if not name.startswith("."):
                scope.add("unknown-file", f"`{path}` is not read", Span(path), notes=("a message is a `.yaml` file",))
            continue
        try:
            messages.append(_message(path, sources.text(path), scope))
        except SourceFault as fault:
            fault.add_to(scope)
            messages.append(_Message())
    if not messages:
        scope.add(
            "bad-message",
            f"`{directory}` holds no message",
            Span(directory),
            help="add `1-system.yaml` with `role: system` and `content:`",
        )
        return None
    roles = [(message.role, message.span) for message in messages if message.role and message.span]
    # While a role is missing, the order of the others says nothing.
    ordered = len(roles) == len(messages) and in_order(roles, scope)
    contents = [message.content for message in messages if message.content is not None]
    templates = templates_of(list(zip(ROLES, contents, strict=False)), scope)
    return templates if ordered and len(contents) == len(messages) else None


def _message(path: str, text: str, scope: Scope) -> _Message:
    """One file. Reports every way in which it is not `role` and `content`, as strings."""
    node = compose(text, path, scope)
    if not isinstance(node, yaml.MappingNode):
        if node is not None or is_empty(text):
            at = Span(path) if node is None else span_of(node, path)
            scope.add("bad-message", "a message is a mapping of `role` and `content`", at, help="write `role: system`")
        return _Message()
    located = plain(node, path, scope)
    if located is None:
        return _Message()
    start = span_of(node, path)
    check_document(MESSAGE.body, located, "bad-message", "the message", start, scope, {"role": "unknown-role"})
    role = located.value.get("role")
    content = _at(located.spans[("content",)], node) if isinstance(located.value.get("content"), str) else None
    return _Message(
        role if role in ROLES else None,
        located.spans.get(("role",)),
        _content(path, text, content) if content is not None else None,
    )


def _at(span: Span, node: yaml.Node) -> yaml.ScalarNode | None:
    """The scalar that stands at a place, be it brought in by `<<`."""
    for child in children(node):
        found = _at(span, child)
        if found is None and isinstance(child, yaml.ScalarNode) and span_of(child, span.file) == span:
            found = child
        if found is not None:
            return found
    return None


def _content(path: str, text: str, node: yaml.ScalarNode) -> Excerpt:
    """The content with its way back: exact for a literal block and for a plain or quoted text on one line.

    For other styles (folded, several lines in quotes) every line is shown at the line the value begins on.
    """
    content: str = node.value
    count = content.count("\n") + 1
    line, column = node.start_mark.line, node.start_mark.column
    if node.style == "|":
        source = text.split("\n")
        first = line + 1
        indent = _indent(source, first, content)
        return Excerpt(path, content, tuple(range(first + 1, first + 1 + count)), (indent,) * count)
    shift = column + (1 if node.style in ("'", '"') else 0)
    return Excerpt(path, content, (line + 1,) * count, (shift,) + (0,) * (count - 1))


def _indent(source: list[str], first: int, content: str) -> int:
    """How far a literal block is indented: by what its first line with text has in the file but not in the content."""
    for index, line in enumerate(content.split("\n")):
        if line and first + index < len(source):
            return max(len(source[first + index]) - len(line), 0)
    return 0
