"""A snapshot of the tools that MCP servers really serve: what `--tools-snapshot` names (CTX-FORMAT §6, drift).

In: the bytes of a JSON file. Out: a Snapshot, or None after findings. The document, `TOOLS_SNAPSHOT` of `documents.py`,
holds by server the result of `tools/list`, all pages of it together. Contracts are compared with it, and no byte of it
gets into an artifact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .check_document import check_document
from .diagnostics import Report, Scope, Span
from .documents import TOOLS_SNAPSHOT
from .jsontree import FAULTY, parse_json
from .package import Located

CODE = "bad-snapshot"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`servers`: server → its tools by name, each as MCP gives it."""

    file: str
    servers: Mapping[str, Mapping[str, Mapping[str, Any]]]


def read_snapshot(file: str, content: bytes, report: Report) -> Snapshot | None:
    """Read and check a snapshot. `file`: what findings call it."""
    scope = report.scoped("")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        scope.add("not-utf-8", f"the snapshot `{file}` is not UTF-8, from byte {error.start} on", Span(file))
        return None
    value = parse_json(text, file, scope)
    if value is FAULTY or not _is_snapshot(value, file, scope):
        return None
    assert isinstance(value, dict)
    servers = {}
    for server, result in value["servers"].items():
        if result.get("nextCursor") is not None:
            headline = f"the snapshot has one page of the tools of `{server}`, and there are more"
            scope.add(CODE, headline, Span(file), help="ask `tools/list` again with `nextCursor`, and join the lists")
        tools = {}
        for tool in result["tools"]:
            if tool["name"] in tools:
                headline = f"the snapshot has the tool `{tool['name']}` of `{server}` twice"
                scope.add(CODE, headline, Span(file), help="keep one of the two")
            tools[tool["name"]] = tool
        servers[server] = tools
    return Snapshot(file, servers)


def _is_snapshot(value: object, file: str, scope: Scope) -> bool:
    located = Located(value, file)
    return check_document(TOOLS_SNAPSHOT.body, located, CODE, "the snapshot", Span(file), scope)
