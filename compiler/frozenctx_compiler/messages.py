"""Reads a `messages/` directory: one YAML mapping of `role` and `content` per message (CTX-FORMAT §2, "messages/").

In: the directory's listing and files. Out: one template per role, system first. Content is neither split nor stripped.
"""

import yaml

from .diagnostics import Scope, Span
from .excerpt import Excerpt
from .package import Role
from .roles import Templates, in_order, templates_of
from .sources import SourceFault, Sources
from .yamltree import compose, is_empty, plain, span_of

_SUFFIXES = (".yaml", ".yml")


def read_messages(directory: str, sources: Sources, scope: Scope) -> Templates | None:
    """The messages in name order, as templates. None when one is no message or roles are out of order (reported)."""
    found: list[tuple[str, Span, Excerpt]] = []
    fine = True
    for name in sources.listing(directory):
        path = f"{directory}/{name}"
        if not name.endswith(_SUFFIXES):
            if not name.startswith("."):
                scope.add("unknown-file", f"`{path}` is not read", Span(path), notes=("a message is a `.yaml` file",))
            continue
        try:
            message = _message(path, sources.text(path), scope)
        except SourceFault as fault:
            fault.add_to(scope)
            message = None
        if message is None:
            fine = False
        else:
            found.append(message)
    if not fine or not in_order([(role, span) for role, span, _ in found], scope):
        return None
    if not found:
        scope.add(
            "bad-message",
            f"`{directory}` holds no message",
            Span(directory),
            help="add `1-system.yaml` with `role: system` and `content:`",
        )
        return None
    roles: tuple[Role, ...] = ("system", "user")
    return templates_of([(role, excerpt) for role, (_, _, excerpt) in zip(roles, found, strict=False)], scope)


def _message(path: str, text: str, scope: Scope) -> tuple[str, Span, Excerpt] | None:
    """(role, its span, content) of one file. Reports every way in which it is not `role` and `content`, as strings."""
    node = compose(text, path, scope)
    if not isinstance(node, yaml.MappingNode):
        if node is not None or is_empty(text):
            at = Span(path) if node is None else span_of(node, path)
            scope.add("bad-message", "a message is a mapping of `role` and `content`", at, help="write `role: system`")
        return None
    if plain(node, path, scope) is None:
        return None
    values: dict[str, yaml.ScalarNode] = {}
    fine = True
    for key, value in node.value:
        name = key.value
        if name not in ("role", "content"):
            scope.add("bad-message", f"a message has no key `{name}`", span_of(key, path), notes=(_KEYS,))
            fine = False
        elif not isinstance(value, yaml.ScalarNode) or value.tag != "tag:yaml.org,2002:str":
            scope.add(
                "bad-message", f"`{name}` of a message is a string", span_of(value, path), help="put it in quotes"
            )
            fine = False
        else:
            values[name] = value
    for name in ("role", "content"):
        if name not in values and fine:
            scope.add("bad-message", f"the message has no `{name}`", Span(path), notes=(_KEYS,))
            fine = False
    if not fine:
        return None
    return values["role"].value, span_of(values["role"], path), _content(path, text, values["content"])


_KEYS = "a message has exactly the keys `role` and `content`"


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
