"""The pass check_inputs: templates against the `Input` of their package's `schema.pyi` (CTX-FORMAT §5, Inputs).

In: a CheckedPackage, the names its host supplies. Out: findings only. Without `class Input` there are none. Nothing is
said of what is not understood: a template that renders for every value of its types has no error from here.
"""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from frozenctx.words import twin
from jinja2 import nodes

from .check_document import all_of
from .check_schema import defaults_of
from .check_templates import HostNames, span_of, span_of_word, templates_of
from .contracts.annotations import is_optional
from .contracts.inference import Found, Inference, NotIterable
from .contracts.methods import data_of, methods_of
from .contracts.outlines import Outlines
from .contracts.types import Class, Scalar
from .contracts.values import Instance, Kind, Loop, Macro, Method, Mistake, Sequence, Tuple, Types
from .diagnostics import Related, Scope, Span
from .package import CheckedPackage, ReadPackage

MOST_NAMES = 8  # so many are listed in a help


@dataclass(frozen=True, slots=True)
class Finding:
    code: str
    headline: str
    span: Span
    label: str = ""
    related: tuple[Related, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None


@dataclass(slots=True)
class Checked:
    """What one build has found: of each package, for all profiles; and in files that packages share.

    A finding in a shared file is one finding, which shows the declaration of the first package it was found for.
    """

    outlines: Outlines = field(default_factory=Outlines)
    packages: dict[tuple[str, frozenset[str]], tuple[Finding, ...]] = field(default_factory=dict)
    shared: dict[tuple[str, str, Span], Finding] = field(default_factory=dict)


def check_inputs(checked: CheckedPackage, host: HostNames, scope: Scope, before: Checked) -> None:
    """Report uses of what `Input` does not declare, and what it declares and no template uses."""
    declared, read = checked.declared, checked.read
    if declared is None or declared.input is None or not read.roles:
        return
    given = frozenset(checked.input_defaults)
    key = read.files.key, given
    findings = before.packages.get(key)
    if findings is None:
        inference = Inference(read, Types(declared), given, host, before.outlines)
        words = _Words(declared.input, given)
        made = [each for each in map(words.of, inference.run()) if each is not None]
        shared = [before.shared.setdefault((each.code, each.headline, each.span), each) for each in _once(made)]
        findings = before.packages[key] = (*shared, *_unused(declared.input, inference.used, read, before.outlines))
    whole = not scope.failed  # else a template may be missing that uses them
    for each in findings:
        if whole or each.code != "unused-input":
            _report(each, scope)


def _report(finding: Finding, scope: Scope) -> None:
    scope.add(
        finding.code,
        finding.headline,
        finding.span,
        label=finding.label,
        related=finding.related,
        notes=finding.notes,
        help=finding.help,
    )


def _once(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Of each missing guard in a file the first use: one guard mends the others as well, or shows how."""
    first: dict[tuple[object, ...], Finding] = {}
    for each in findings:
        guard = each.code in ("unguarded-attribute", "unguarded-input")
        key = (each.code, each.headline, each.span.file) if guard else (each,)
        if key not in first or each.span < first[key].span:
            first[key] = each
    return first.values()


def _unused(declared: Class, read_before: set[str], read: ReadPackage, outlines: Outlines) -> Iterable[Finding]:
    """`read_before`: names that were read already. What nothing calls may read others."""
    used = read_before
    if any(each.name not in used for each in declared.fields):
        used = used.union(*(outlines.of(template).loads for template in templates_of(read)))
    for each in declared.fields:
        if each.name not in used:
            yield Finding(
                "unused-input",
                f"`{each.name}` is declared by `Input`, and no template uses it",
                each.span,
                label="never used",
                help="take it out of `Input`",
            )


@dataclass(slots=True)
class _Words:
    """Says what was found. `given`: variables that templates are given when they are left out."""

    declared: Class
    given: frozenset[str]

    def of(self, found: Found) -> Finding | None:
        if isinstance(found, NotIterable):
            return self.not_iterable(found)
        words: dict[str, Callable[[Mistake], Finding | None]] = {
            "undeclared": self.undeclared,
            "without-context": self.without_context,
            "attribute": self.attribute,
            "left-out": self.left_out,
            "none": self.none,
            "asked-for": self.asked_for,
            "method": self.method,
        }
        return words[found.kind](found)

    def undeclared(self, found: Mistake) -> Finding:
        known = [each.name for each in self.declared.fields]
        help = _meant(found.name, known) or f"add `{found.name}` to `Input`, with its type"
        return Finding(
            "undeclared-input",
            f"`{found.name}` is not declared by `Input`",
            span_of(found.template, found.node),
            label="no such variable",
            related=(Related(self.declared.span, "`Input` is declared here"),),
            help=help,
        )

    def asked_for(self, found: Mistake) -> Finding | None:
        """What is tested for and never declared, when that looks like a slip."""
        help = _meant(found.name, [each.name for each in self.declared.fields], 0.75)
        if help is None:
            return None
        return Finding(
            "never-given",
            f"`{found.name}` is not declared by `Input`, and never there",
            span_of(found.template, found.node),
            label="always undefined",
            related=(Related(self.declared.span, "`Input` is declared here"),),
            help=help,
        )

    def without_context(self, found: Mistake) -> Finding:
        return Finding(
            "undeclared-input",
            f"`{found.name}` does not reach a template that is imported without context",
            span_of(found.template, found.node),
            label="undefined here",
            help="import it `with context`, or hand the value over as an argument",
        )

    def attribute(self, found: Mistake) -> Finding:
        names = sorted({name for kind in found.owner for name in _attributes(kind)})
        help = _meant(found.name, names)
        owners = list(dict.fromkeys(_called(kind) for kind in found.owner))
        if len(owners) == 1:
            headline = f"{owners[0]} has no attribute `{found.name}`"
        else:
            headline = f"neither {' nor '.join(owners)} has an attribute `{found.name}`"
        text = found.text or "it"
        for kind in found.owner:
            if help is None and isinstance(kind, Sequence) and _has(kind.item, found.name):
                help = f"loop over it, or take one: `({found.text or '…'} | first).{found.name}`"
            elif help is None and isinstance(kind, Instance):
                fields = [each.name for each in kind.of.fields][:MOST_NAMES]
                help = f"it has {all_of(fields)}" if 0 < len(kind.of.fields) <= MOST_NAMES else None
        classes = [kind.of for kind in found.owner if isinstance(kind, Instance)]
        related = tuple(Related(each.span, f"`{each.name}` is declared here") for each in classes)
        if not classes and found.declared is not None:
            related = (Related(found.declared.span, f"`{found.declared.name}` is declared here"),)
        plain = found.text and not classes and owners != [f"`{found.text}`"]
        return Finding(
            "unknown-attribute",
            headline,
            _place(found),
            label=f"`{text}` is {' or '.join(owners)}" if plain else "no such attribute",
            related=related,
            help=help,
        )

    def left_out(self, found: Mistake) -> Finding:
        assert found.declared is not None
        variable = isinstance(found.node, nodes.Name)
        default = defaults_of(Class("", (found.declared,), False, None, found.declared.span)).get(found.name)
        arguments = '"…", true' if is_optional(found.declared.type) else '"…"'
        help = f"test it with `is defined` before, or write `{found.text} | default({arguments})`"
        if variable and default is not None:
            help = "write `input_defaults: apply` in the settings, and it has its default when it is left out"
        return Finding(
            "unguarded-input" if variable else "unguarded-attribute",
            f"`{found.text}` may be left out, and is used without a guard",
            _place(found),
            label="undefined when it is left out",
            related=(Related(found.declared.span, "it need not be given"),),
            help=help,
        )

    def none(self, found: Mistake) -> Finding:
        assert found.declared is not None
        return Finding(
            "unguarded-input" if isinstance(found.node, nodes.Name) else "unguarded-attribute",
            f"`{found.text}` may be none, and is used without a guard",
            _place(found),
            label="may be none",
            related=(Related(found.declared.span, "its type allows none"),),
            help=f'test it with `is not none` before, or write `{found.text} | default("…", true)`',
        )

    def method(self, found: Mistake) -> Finding:
        assert found.declared is not None
        owner = found.text.rpartition(".")[0]
        return Finding(
            "field-or-method",
            f"`{found.text}` is the method `{found.name}` of a mapping, before it is the field",
            _place(found),
            label="a method, when a mapping is given",
            related=(Related(found.declared.span, "the field is declared here"),),
            help=f'write `{owner}["{found.name}"]`, which is the field of mappings and of objects',
        )

    def not_iterable(self, found: NotIterable) -> Finding:
        kinds = " or ".join(dict.fromkeys(_called(kind) for kind in found.kinds))
        method = isinstance(found.kinds[0], Method)
        related = (Related(found.field.span, f"`{found.field.name}` is declared here"),) if found.field else ()
        return Finding(
            "not-iterable",
            f"`{found.text}` is {kinds}, which has no items" if found.text else f"{kinds} has no items",
            _place(found),
            label="not a collection",
            related=related,
            help=f"call it: `{found.text}()`" if method and found.text else None,
        )


def _meant(name: str, known: list[str], cutoff: float = 0.6) -> str | None:
    """The question which known name is meant; what to write when the two only look the same."""
    if not name.isascii() and (same := twin(name, known)) is not None:
        return f"write `{same}`, which is {same!a}: this is {name!a}, which only looks the same"
    near = difflib.get_close_matches(name, sorted(known), 1, cutoff)
    return f"did you mean `{near[0]}`?" if near else None


def _place(found: Found) -> Span:
    node, template = found.node, found.template
    match node:
        case nodes.Getattr():
            return span_of_word(template, node, node.attr)
        case nodes.Getitem():
            return span_of(template, node.arg)
    return span_of(template, node)


_SCALARS = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "a boolean",
    "datetime": "a date with a time",
    "date": "a date",
    "time": "a time",
    "uuid": "a UUID",
}


def _called(kind: Kind) -> str:
    match kind:
        case Scalar():
            return _SCALARS[kind.kind]
        case Instance():
            return f"`{kind.of.name}`"
        case Sequence() | Tuple():
            return f"a {kind.kind}"
        case Loop():
            return "`loop`"
        case Method():
            return "a method"
        case Macro():
            return "a macro"
    return "a mapping"


def _attributes(kind: Kind) -> Iterable[str]:
    if isinstance(kind, Instance):
        return [each.name for each in kind.of.fields]
    if isinstance(kind, Loop):
        return LOOP_NAMES
    return [*methods_of(kind), *data_of(kind)]


LOOP_NAMES = (
    ["changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem"]
    + ["revindex", "revindex0"]
)


def _has(item: tuple[Kind, ...], name: str) -> bool:
    return any(isinstance(kind, Instance) and any(each.name == name for each in kind.of.fields) for kind in item)
