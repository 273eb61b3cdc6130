"""The pass link: a lowered package → renderer names, source digests, host names; endless cycles refused.

Includes, imports and extends are bound by name inside one package: a program asks for `partials/header.j2`, the
prompt object says which program that is.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from jinja2 import nodes

from .captures import targets_of
from .check_templates import span_of
from .diagnostics import Scope
from .package import LinkedPackage, LoweredPackage, ReadPackage, Role, RoleTemplate
from .templates.tree import children

_BUNDLE_HEADING = "\n\n# dotctx dependency bundle\n"
_ENTRY = re.compile(r"\n# (?:template|import_yaml|import_text): ")


def link(lowered: LoweredPackage, scope: Scope) -> LinkedPackage | None:
    """Bind the package's templates to each other. None when including or inheriting could never end."""
    checked = lowered.checked
    read = checked.read
    _refuse_endless_cycles(read, scope)
    if scope.failed:
        return None
    renderers: dict[Role, str] = {}
    sources: dict[Role, str] = {}
    for role in read.roles:
        named = hashed_source(role)
        digest = hashlib.sha256(named.encode()).hexdigest()
        renderers[role.role] = f"dotctx/{checked.settings.name}/{role.role}@v{digest[:12]}"
        whole = identified_source(role, named)
        sources[role.role] = digest if whole is named else hashlib.sha256(whole.encode()).hexdigest()
    programs = [*lowered.roles.values(), *lowered.partials.values()]
    host_names = sorted({name for program in programs for name in program.host_names})
    return LinkedPackage(lowered, renderers, sources, tuple(host_names), inferred_variables(lowered))


def inferred_variables(lowered: LoweredPackage) -> tuple[str, ...]:
    """The names that the templates want to be given (CTX-FORMAT §5, Inputs), for information.

    What a role's own template asks for, it does not set. A partial's names may be set by who includes it: there, a name
    that any template of the package sets does not count.
    """
    roles, partials = lowered.roles.values(), lowered.partials.values()
    asked = {name for program in partials for name in program.variables}
    asked.difference_update(*(program.sets for program in (*roles, *partials)))
    asked.update(name for program in roles for name in program.variables)
    return tuple(sorted(asked - {"self", "super"}))


def hashed_source(role: RoleTemplate) -> str:
    """What a renderer name hashes (CTX-FORMAT §5): the role's source, and the bundle of what it captures."""
    if not role.captures:
        return role.template.text
    entries = "".join(f"\n# {capture.kind}: {capture.label}\n{capture.content}" for capture in role.captures)
    return f"{role.template.text}{_BUNDLE_HEADING}{entries}"


def identified_source(role: RoleTemplate, named: str) -> str:
    """What `sources` of the identity hashes: `named`, unless other templates with other texts could have the same.

    They could when a text looks like a heading or an entry of a bundle, or when two names lead to one file, of which a
    bundle lists the first alone. Then everything is spelled out, in a form that is never a source with a bundle.
    """
    entry_count = len(_ENTRY.findall(named, len(role.template.text)))
    heading = named.find(_BUNDLE_HEADING)
    if (
        not role.aliases
        and heading == (len(role.template.text) if role.captures else -1)
        and entry_count == len(role.captures)
        and not any("\n" in capture.label for capture in role.captures)
    ):
        return named
    captured = [[capture.kind, capture.label, capture.content] for capture in (*role.captures, *role.aliases)]
    return _BUNDLE_HEADING + json.dumps([role.template.text, captured])


def _refuse_endless_cycles(read: ReadPackage, scope: Scope) -> None:
    """A cycle that every rendering runs into never ends; one behind an `if`, a loop or a macro may be recursion."""
    edges: dict[str, tuple[tuple[str, nodes.Node], ...]] = {}
    for name in sorted(read.partials):
        template = read.partials[name]
        refers = any(word in template.text for word in ("include", "import", "extends"))  # else not worth a walk
        edges[name] = tuple(_unconditional_targets(template.tree, read.partials)) if refers else ()
    settled: set[str] = set()
    for start in sorted(edges):
        _walk_cycles(start, edges, settled, read, scope)


def _walk_cycles(
    start: str,
    edges: Mapping[str, tuple[tuple[str, nodes.Node], ...]],
    settled: set[str],
    read: ReadPackage,
    scope: Scope,
) -> None:
    """Go along all edges from `start`, depth first, and report each that leads back. Long chains need no stack."""
    if start in settled:
        return
    path, waiting = [start], [iter(edges[start])]
    while path:
        target, node = next(waiting[-1], (None, None))
        if target is None or node is None:
            settled.add(path.pop())
            waiting.pop()
        elif target in path:
            cycle = [*path[path.index(target) :], target]
            scope.add(
                "template-cycle",
                f"`{target}` always comes back to itself",
                span_of(read.partials[path[-1]], node),
                label="rendering this never ends",
                notes=(f"the cycle: {' → '.join(f'`{step}`' for step in cycle)}",),
                help="put the recursive include behind a condition, or take it out",
            )
        elif target not in settled:
            path.append(target)
            waiting.append(iter(edges[target]))


def _unconditional_targets(tree: nodes.Node, partials: Mapping[str, object]) -> Iterator[tuple[str, nodes.Node]]:
    for child in children(tree):
        if isinstance(child, (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
            targets = targets_of(child)
            if len(targets) == 1 and targets[0] in partials:
                yield targets[0], child
        elif not isinstance(child, (nodes.If, nodes.For, nodes.Macro, nodes.CallBlock, nodes.Block, nodes.CondExpr)):
            yield from _unconditional_targets(child, partials)
