"""The pass check_inputs: templates against the `Input` of their package's `schema.pyi` (CTX-FORMAT §5, Inputs).

In: a CheckedPackage, the names its host supplies. Out: findings only. Without `class Input` there are none. Nothing is
said of what is not understood: a template that renders for every value of its types has no error from here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from frozenctx.words import twin
from jinja2 import nodes

from .check_document import all_of
from .check_schema import defaults_of
from .check_templates import HostNames, span_of, span_of_word, templates_of
from .contracts.annotations import is_optional
from .contracts.expressions import text_of
from .contracts.inference import Found, Inference, NotIterable
from .contracts.methods import data_of, methods_of
from .contracts.outlines import Outlines
from .contracts.types import Array, Class, Described, Either, Field, Named, Row, Scalar, Table
from .contracts.values import Instance, Kind, Loop, Macro, Method, Mistake, Module, Sequence, Tuple, Types
from .diagnostics import Related, Scope, Span
from .package import CheckedPackage, ReadPackage
from .spelling import near

# Filters that are often written like attributes.
_FILTERS_OF_LISTS = ("count", "first", "join", "last", "length", "max", "min", "random", "sort", "sum", "unique")
_FILTERS_OF_TEXT = ("length", "trim", "truncate", "wordcount")
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
        words = _Words(declared.input, given, inference.types, before.outlines)
        made = [each for each in map(words.of, inference.run()) if each is not None]
        shared = [before.shared.setdefault((each.code, each.headline, each.span), each) for each in _once(made)]
        used = inference.used | words.likely
        findings = before.packages[key] = (*shared, *_unused(declared.input, used, read, before.outlines))
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
    """Says what was found. `given`: variables that templates are given when they are left out. `likely`: names
    that were probably meant by others."""

    declared: Class
    given: frozenset[str]
    types: Types
    outlines: Outlines
    likely: set[str] = field(default_factory=set)

    def of(self, found: Found) -> Finding | None:
        if isinstance(found, NotIterable):
            return self.not_iterable(found)
        words: dict[str, Callable[[Mistake], Finding | None]] = {
            "undeclared": self.undeclared,
            "without-context": self.without_context,
            "not-here": self.not_here,
            "attribute": self.attribute,
            "left-out": self.left_out,
            "none": self.none,
            "asked-for": self.asked_for,
            "method": self.method,
        }
        return words[found.kind](found)

    def undeclared(self, found: Mistake) -> Finding:
        fields = [each.name for each in self.declared.fields]
        here = [*fields, *self.outlines.of(found.template).sets]
        inner = self.inside(Instance(self.declared.name, self.declared), found.name)
        help = self.meant(found.name, here, 0.8)
        if inner is not None:
            help = f"{help[:-1]}, or `{inner}`?" if help and help[-1] == "?" else help or f"did you mean `{inner}`?"
        help = help or self.meant(found.name, fields) or f"add `{found.name}` to `Input`, with its type"
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
        help = self.meant(found.name, [each.name for each in self.declared.fields], 0.75)
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

    def meant(self, name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
        meant = _near(name, known, cutoff)
        if meant is not None:
            self.likely.add(meant)
        return _meant(name, known, cutoff)

    def inside(self, kind: Kind, name: str) -> str | None:
        """Where a field of this name is, one or two classes further inside: `customer.email`."""
        waiting = [(kind, "")]
        for _ in range(2):
            below: list[tuple[Kind, str]] = []
            for each, path in waiting:
                members = self.types.members(each.of) if isinstance(each, Instance) else {}
                below += [(one, f"{path}{key}.") for key, member in members.items() for one in member.value]
            for each, path in below:
                if isinstance(each, Instance) and name in self.types.members(each.of):
                    return path + name
            waiting = below
        return None

    def not_here(self, found: Mistake) -> Finding:
        loop = found.name == "loop"
        help = "what is set in a loop, `with`, macro or block ends with it; keep it in a `namespace` made before it"
        if loop:
            help = "what a loop includes sees it if the loop uses it as well; hand macros what they need as arguments"
        return Finding(
            "undeclared-input",
            f"`{found.name}` is only there inside of a loop" if loop else f"`{found.name}` has no value here",
            span_of(found.template, found.node),
            label="undefined here",
            help=self.meant(found.name, [each.name for each in self.declared.fields], 0.8) or help,
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
        classes = [kind.of for kind in found.owner if isinstance(kind, Instance)]
        owners = list(dict.fromkeys(_called(kind) for kind in found.owner))
        if isinstance(found.owner[0], Module):
            headline = f"{owners[0]} exports no `{found.name}`"
        elif len(owners) == 1:
            headline = f"{owners[0]} has no attribute `{found.name}`"
        else:
            headline = f"neither {' nor '.join(owners)} has an attribute `{found.name}`"
        related = tuple(Related(each.span, f"`{each.name}` is declared here") for each in classes)
        if not classes and found.declared is not None:
            related = (Related(found.declared.span, f"`{found.declared.name}` is declared here"),)
        plain = found.text and not classes and owners != [f"`{found.text}`"]
        return Finding(
            "unknown-attribute",
            headline,
            _place(found),
            label=f"`{found.text}` is {' or '.join(owners)}" if plain else "no such attribute",
            related=related,
            help=self.help_of_attribute(found),
        )

    def help_of_attribute(self, found: Mistake) -> str | None:
        text = found.text if found.text.isidentifier() or text_of(found.node) else ""
        lists = [kind for kind in found.owner if isinstance(kind, Sequence)]
        if any(_has(kind.item, found.name) for kind in lists):
            return f"loop over it, or take one: `({text or '…'} | first).{found.name}`"
        names = sorted({name for kind in found.owner for name in _attributes(kind)})
        help = _meant(found.name, names, 0.8)
        if help is None and not isinstance(found.node, nodes.Const) and text:
            word = _near(found.name, _FILTERS_OF_LISTS if lists else _FILTERS_OF_TEXT, 0.8)
            if word is not None and all(isinstance(kind, Sequence) or kind == Scalar("str") for kind in found.owner):
                return f"`{word}` is a filter: `{text} | {word}`"
        for kind in found.owner if help is None else ():
            inner = self.inside(kind, found.name)
            if inner is not None:
                return f"did you mean `{text}.{inner}`?" if text else f"did you mean `{inner}`?"
        for kind in found.owner if help is None else ():
            if isinstance(kind, Instance) and 0 < len(kind.of.fields) <= MOST_NAMES:
                fields = [each.name for each in kind.of.fields]
                return _meant(found.name, names, 0.65) or f"it has {all_of(fields)}"
        return help or _meant(found.name, names)

    def left_out(self, found: Mistake) -> Finding:
        assert found.declared is not None
        variable = isinstance(found.node, nodes.Name)
        default = defaults_of(Class("", (found.declared,), False, None, found.declared.span)).get(found.name)
        nullable = is_optional(found.declared.type)
        help = self.help_of_guard(found, "is defined", nullable)
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
            help=self.help_of_guard(found, "is not none", True),
        )

    def help_of_guard(self, found: Mistake, test: str, nullable: bool) -> str:
        """A test or a default that can be written where the use is. `nullable`: the default is for None as well."""
        assert found.declared is not None
        if isinstance(found.node, nodes.Const):  # a filter is told the attribute's name
            name = _up_to(str(found.node.value), found.name)
            keep = [f'selectattr("{name}", "defined")'] if test == "is defined" else []
            return f"keep those that have it before: `{' | '.join([*keep, *[_NOT_NONE % name] * nullable])}`"
        value, text = _default_of(found.declared), text_of(found.node)
        help = f"test it with `{test}` before"
        if text is not None and test == "is defined" and nullable:
            help = f"test `{text} is defined and {text} is not none` before"
        if value is None:
            return help
        default = f"| default({value}{', true' if nullable else ''})"
        return f"{help}, or write `{text} {default}`" if text is not None else f"{help}, or add `{default}`"

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


def _near(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is probably meant: one that looks the same, that this begins, or that is much alike."""
    names = sorted(set(known))
    if not name.isascii() and (same := twin(name, names)) is not None:
        return same
    longer = [each for each in names if each.startswith(name)] if len(name) > 2 else []
    return longer[0] if len(longer) == 1 else near(name, names, cutoff)


def _meant(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The question which known name is meant; what to write when the two only look the same."""
    if not name.isascii() and (same := twin(name, sorted(set(known)))) is not None:
        return f"write `{same}`, which is {same!a}: this is {name!a}, which only looks the same"
    meant = _near(name, known, cutoff)
    return f"did you mean `{meant}`?" if meant else None


def _up_to(path: str, name: str) -> str:
    """The part of what a filter is told that ends with the attribute `name`: `author` of `"author.login,date"`."""
    for part in path.split(","):
        steps = part.split(".")
        if name in steps:
            return ".".join(steps[: steps.index(name) + 1])
    return path


_NOT_NONE = 'rejectattr("%s", "none")'


def _default_of(declared: Field) -> str | None:
    """A default that is of a field's type, as a template writes it; none of a class has all of its attributes."""
    if isinstance(declared.default, int | float):
        return str(declared.default).lower()
    of = declared.type
    while isinstance(of, Described | Either):
        of = of.type if isinstance(of, Described) else next(each for each in of.members if each != Scalar("none"))
    match of:
        case Array() | Row():
            return "[]"
        case Table():
            return "{}"
        case Named():
            return None
        case Scalar(kind="int" | "float"):
            return "0"
        case Scalar(kind="bool"):
            return "false"
    return '"…"'


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
        case Module():
            return f"`{kind.scope.frame.template.name}`"
    return "a mapping"


def _attributes(kind: Kind) -> Iterable[str]:
    if isinstance(kind, Instance):
        return [each.name for each in kind.of.fields]
    if isinstance(kind, Loop):
        return LOOP_NAMES
    if isinstance(kind, Module):
        return list(kind.scope.own)
    return [*methods_of(kind), *data_of(kind)]


LOOP_NAMES = (
    ["changed", "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem"]
    + ["revindex", "revindex0"]
)


def _has(item: tuple[Kind, ...], name: str) -> bool:
    return any(isinstance(kind, Instance) and any(each.name == name for each in kind.of.fields) for kind in item)
