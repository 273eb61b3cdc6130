"""The pass check_tools: which tools a package has, what they are called, and whether servers serve them as declared.

In: a CheckedPackage, the contracts of its `tools.pyi`, and a snapshot if there is one. Out: the package with the stub's
keys behind those of the settings, and its contracts. CTX-FORMAT §6 says what is checked: two tools never share a wire
name, none has a reserved one, and a schema that a server serves otherwise is a finding with both sides.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from frozenctx.skill_block import LOAD_SKILL
from frozenctx.tools import wire_name_of

from .contracts.drift import Difference, TooLarge, compared
from .contracts.tools import DeclaredTool
from .diagnostics import Related, Scope, Span
from .diagnostics.text import columns
from .package import CheckedPackage, Located, Tool
from .snapshots import Snapshot
from .spelling import did_you_mean, near

_UNSAYABLE = ("title", "examples", "$schema")  # no stub can say these


def check_tools(
    checked: CheckedPackage,
    settings: Located,
    declared: Sequence[DeclaredTool],
    snapshot: Snapshot | None,
    scope: Scope,
) -> CheckedPackage:
    """The package with its tools; what is wrong with them is reported. `settings`: where the list of tools stands."""
    listed = checked.settings.tools
    if not listed and not declared:
        return checked
    places = _places(listed, settings, declared)
    _check_names(places, settings, {each.tool.key for each in declared}, scope)
    if snapshot is not None:
        _check_served(places, {each.tool.key: each for each in declared}, settings, snapshot, scope)
    if not declared:
        return checked
    keys = tuple(dict.fromkeys([*listed, *(each.tool.key for each in declared)]))
    tools = tuple(sorted((each.tool for each in declared), key=lambda tool: keys.index(tool.key)))
    return replace(checked, settings=replace(checked.settings, tools=keys), tools=tools)


def _places(listed: Sequence[str], settings: Located, declared: Sequence[DeclaredTool]) -> dict[str, Span]:
    """Where each tool stands: its function, or else the first item of the settings' list that names it."""
    whole = settings.keys.get(("tools",), Span(settings.file))
    places = {each.tool.key: each.span for each in declared}
    for index, key in enumerate(listed):
        places.setdefault(key, settings.spans.get(("tools", index), whole))
    return places


def _shown(key: str, places: Mapping[str, Span], settings: Located) -> str:
    """A key as messages may show it: not, when it came from the environment."""
    for path, origin in settings.origins.items():
        if path[:1] == ("tools",) and settings.spans.get(path) == places[key]:
            return f"the value of the environment variable `{origin}`"
    return f"`{key}`"


def _check_names(places: Mapping[str, Span], settings: Located, declared: Collection[str], scope: Scope) -> None:
    """No two tools have one wire name, and none of the stub has a reserved one (check_skills looks at the settings)."""
    by_wire: dict[str, str] = {}
    for key, span in places.items():
        wire = wire_name_of(key)
        shown = _shown(key, places, settings)
        if wire == LOAD_SKILL and key in declared:
            notes = ("models load skills with a tool of this name",)
            scope.add("reserved-tool", f"no tool can be called {shown}", span, notes=notes, help="give it another name")
        elif wire in by_wire:
            other = by_wire[wire]
            known = f": `{wire}`" if shown.startswith("`") else ""
            scope.add(
                "tool-name",
                f"{shown} and {_shown(other, places, settings)} have the same wire name{known}",
                span,
                related=[Related(places[other], "the other one")],
                notes=("a wire name is the key with `_` for what is no letter, digit, `_` or `-`, cut after 64",),
                help="rename one of the two",
            )
        by_wire.setdefault(wire, key)


# -- what servers serve --


def _check_served(
    places: Mapping[str, Span],
    declared: Mapping[str, DeclaredTool],
    settings: Located,
    snapshot: Snapshot,
    scope: Scope,
) -> None:
    unknown: set[str] = set()
    for key, span in places.items():
        server, slash, name = key.partition("/")
        if not slash:  # a tool of the host itself
            continue
        if server not in snapshot.servers:
            if server not in unknown and _shown(key, places, settings).startswith("`"):
                headline = f"the snapshot has no server `{server}`, so its tools are not compared"
                help = did_you_mean(server, snapshot.servers, f"add `{server}` to `{snapshot.file}`")
                scope.add("server-not-in-snapshot", headline, span, help=help)
            unknown.add(server)
            continue
        served = snapshot.servers[server].get(name)
        if served is None:
            shown = _shown(key, places, settings)
            meant = near(name, snapshot.servers[server])
            help = f"did you mean `{server}/{meant}`?" if meant else "remove it, or make the snapshot anew"
            scope.add("tool-not-served", f"{shown} is no tool that `{server}` serves", span, help=help)
        elif key in declared:
            _compare(declared[key].tool, served, span, snapshot, scope)


def _compare(tool: Tool, served: Mapping[str, Any], span: Span, snapshot: Snapshot, scope: Scope) -> None:
    schema = served["inputSchema"]
    try:
        drift, texts = compared(tool.input_schema, schema)
    except TooLarge as error:
        headline = f"`{tool.server}` serves `{tool.name}` with too large a schema: {error}"
        scope.add("tool-schema-drift", headline, span, help="compare the two by hand")
        return
    if drift:
        scope.add(
            "tool-schema-drift",
            f"`{tool.server}` serves `{tool.name}` with another input schema than `tools.pyi` declares",
            span,
            label="declared here",
            notes=(_table(drift, snapshot.file),),
            help="change the stub to what is served, or the server to what is declared",
        )
    described = (tool.description, str(served.get("description") or ""))
    if described[0] != described[1]:
        texts = [Difference("description", *map(_first_words, _apart(*described))), *texts]
    told = [each for each in texts if not _is_unsayable(each)]
    if told:
        scope.add(
            "tool-text-drift",
            f"`{tool.server}` describes `{tool.name}` in other words than `tools.pyi`",
            span,
            notes=(_table(told, snapshot.file), *_unsayable(texts)),
            help="take over the words that are better",
        )
    elif texts:
        headline = f"`{tool.server}` serves `{tool.name}` with texts that a stub cannot have"
        scope.add("tool-text-drift", headline, span, notes=tuple(_unsayable(texts)))


def _is_unsayable(difference: Difference) -> bool:
    return difference.where.rpartition(" ")[2] in _UNSAYABLE


def _unsayable(texts: Sequence[Difference]) -> Iterator[str]:
    """What only the server says, counted."""
    for keyword in _UNSAYABLE:
        places = [each.where.rpartition(" ")[0] for each in texts if each.where.rpartition(" ")[2] == keyword]
        if places:
            named = ", ".join(f"`{place}`" for place in places[:5] if place)
            more = f" and {len(places) - 5} more" if len(places) > 5 else ""
            yield f"`{keyword}` is served" + (f" for {named}{more}" if named else "")


def _apart(one: str, other: str) -> tuple[str, str]:
    """Two texts from shortly before the word where they begin to differ."""
    ours, theirs = one.split(), other.split()
    same = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    start = max(0, (min(len(ours), len(theirs)) if same is None else same) - 2)
    dots = ["…"] if start else []
    return " ".join([*dots, *ours[start:]]), " ".join([*dots, *theirs[start:]])


def _first_words(text: str) -> str:
    text = text or "-"
    return text if len(text) <= 44 else text[:43] + "…"


def _table(rows: Sequence[Difference], file: str) -> str:
    """Three columns: which argument, and what each side says of it."""
    cells = [("argument", "tools.pyi", "served"), *((row.where, row.declared, row.served) for row in rows)]
    widths = [max(columns(row[column]) for row in cells) for column in (0, 1)]
    lines = [f"`tools.pyi` and `{file}` differ:"]
    for row in cells:
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=False)]
        lines.append("  " + "  ".join([*padded, row[2]]))
    return "\n".join(lines)
