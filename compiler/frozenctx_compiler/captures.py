"""Finds what templates pull in: includes, imports, bases, and the files of literal import filters (CTX-FORMAT §5).

In: a package's role templates and its base directory. Out: the closure of its partials, the captured texts and data,
and per role the dependency bundle in the order that a renderer name hashes. Targets are known at build: a computed one
is an error, and so is a missing one unless `ignore missing` says otherwise.
"""

import posixpath
import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jinja2 import nodes

from .diagnostics import Scope, Span
from .excerpt import Excerpt
from .package import Capture, Role, RoleTemplate, TemplateText
from .sources import SourceFault, Sources
from .spelling import near
from .syntax import report, syntax
from .templates.tree import descendants
from .yamldata import Refused, plain_data

_REFERRING = (nodes.Extends, nodes.FromImport, nodes.Include, nodes.Import)
Kind = Literal["template", "import_yaml", "import_text"]

_PROJECT = "frozenctx.toml"  # what project.FILE says, from which nothing can be imported here
_IMPORT_FILTERS = ("import_text", "import_yaml")
_WORDS: Mapping[type[nodes.Node], str] = {
    nodes.Extends: "extends",
    nodes.FromImport: "from",
    nodes.Import: "import",
    nodes.Include: "include",
}


@dataclass(frozen=True, slots=True)
class Captured:
    """What the templates of one package pull in, all roles together, and the roles with their bundles."""

    base: str  # what targets are relative to
    roles: tuple[RoleTemplate, ...]
    partials: Mapping[str, TemplateText]
    texts: Mapping[str, str]
    data: Mapping[str, Any]
    files: frozenset[str]  # root-relative paths of everything captured


def base_directory(package_directory: str, sources: Sources) -> str:
    """The nearest of the package's directory and its ancestors that holds `partials/`, else the package's directory."""
    for directory in _ancestry(package_directory):
        if sources.kind(sources.join(directory, "partials")) == "directory":
            return directory
    return package_directory


def targets_of(node: nodes.Node) -> tuple[str, ...]:
    """The literal targets of an include, import, from or extends, in source order; () when one is computed."""
    targets = tuple(_literals(node.template, lists=isinstance(node, nodes.Include)))  # type: ignore[attr-defined]
    return () if None in targets else tuple(target.value for target in targets if target is not None)


def capture(
    roles: tuple[tuple[Role, TemplateText], ...], directory: str, base: str, sources: Sources, scope: Scope
) -> Captured:
    """Follow every reference of the templates, depth first. What is wrong is reported; the result is then partial."""
    walk = _Walk(directory, base, sources, scope)
    found = []
    for role, template in roles:
        walk.captures, walk.aliases, walk.seen = [], [], {}
        walk.follow(template, _found_in(template.tree, template.text))
        found.append(RoleTemplate(role, template, tuple(walk.captures), tuple(walk.aliases)))
    return Captured(base, tuple(found), walk.partials, walk.texts, walk.data, frozenset(walk.files))


@dataclass(slots=True)
class _Walk:
    """One package's captures as they are found. `captures`, `aliases` and `seen` belong to one role, the rest to all.

    `seen`: category and real file → the labels that it was captured by.
    """

    directory: str
    base: str
    sources: Sources
    scope: Scope
    captures: list[Capture] = field(default_factory=list)
    aliases: list[Capture] = field(default_factory=list)
    seen: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    partials: dict[str, TemplateText] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def follow(self, template: TemplateText, found: "_Found") -> None:
        """Capture what a template pulls in, and what that does, depth first. Chains of any length need no stack."""
        waiting = [self._captured_by(template, found)]
        while waiting:
            below = next(waiting[-1], None)
            if below is None:
                waiting.pop()
            else:
                waiting.append(self._captured_by(*below))

    def _captured_by(self, template: TemplateText, found: "_Found") -> Iterator["_Below"]:
        """Capture what one template names, in bundle order; yields each template to be followed at that point."""
        excerpt = Excerpt(template.file, template.text, template.lines, template.columns)
        for reference in found.references:
            yield from self._reference(reference, excerpt)
        for node in found.imports:
            self._import(node, excerpt)

    def _reference(self, node: nodes.Node, excerpt: Excerpt) -> Iterator["_Below"]:
        word = _WORDS[type(node)]
        if not _is_target(node.template, lists=isinstance(node, nodes.Include)):  # type: ignore[attr-defined]
            self.scope.add(
                "computed-target",
                f"the target of `{word}` is not a literal",
                _span(node.template, excerpt),  # type: ignore[attr-defined]
                label="known only at render",
                notes=("what a template pulls in is captured at build",),
                help='name the template, or choose between names: `"a.j2" if x else "b.j2"`',
            )
            return
        optional = isinstance(node, nodes.Include) and node.ignore_missing
        for choice in _choices(node.template):  # type: ignore[attr-defined]
            present = False
            for target in choice:
                there = yield from self._target(target.value, _span(target, excerpt))
                present = present or there
            if not present and not optional:
                self._absent("template", choice, excerpt)

    def _target(self, target: str, at: Span) -> Generator["_Below", None, bool]:
        """Capture one target as a template; yields it the first time. False when nothing is there."""
        try:
            path = self.sources.join(self.base, target)
            if self.sources.kind(path) is None:
                return False
            self._check_shadowed(target, path, at)
            text = self.sources.text(path)
            found = self.sources.derived(path, "template", syntax)
        except SourceFault as fault:
            self._refuse(fault, target, at)
            return True
        report(found.mistakes, Excerpt(path, text), self.scope)
        tree = found.tree
        if tree is None:
            return True
        template = self.partials.setdefault(target, TemplateText(target, path, text, tree))
        if self._capture("template", path, text):
            yield template, self.sources.derived(path, "references", lambda text: _found_in(tree, text))
        return True

    def _absent(self, what: str, choice: tuple[nodes.Const, ...], excerpt: Excerpt) -> None:
        for target in choice:
            path = self.sources.join(self.base, target.value)
            fault = self.sources.missing(path)
            self.scope.add(
                "missing-file",
                f"the {what} `{target.value}` does not exist",
                _span(target, excerpt),
                notes=(f"looked for `{path}`: targets are relative to {self._shown_base()}", *fault.notes),
                help=self._seen_from_elsewhere(target.value, excerpt.file)
                or self._near(target.value, path)
                or self._above_the_root(),
            )

    def _above_the_root(self) -> str | None:
        """What to do if partials lie further up than anything was looked for."""
        partials = self.sources.join(self.base, "partials")
        if self.sources.kind(_PROJECT) is not None or self.sources.kind(partials) is not None:
            return None
        top = f"put a `{_PROJECT}`, which may be empty, at the top of the tree"
        return f"if `partials/` lies further up, {top}: without one the root is what was named"

    def _refuse(self, fault: SourceFault, target: str, at: Span) -> None:
        meant = self._seen_from_elsewhere(target, at.file) if fault.code == "outside-root" else None
        if meant is not None:
            note = f"targets are relative to {self._shown_base()}"
            self.scope.add(fault.code, fault.headline, at, notes=(*fault.notes, note), help=meant)
        else:
            fault.add_to(self.scope, at)

    def _seen_from_elsewhere(self, target: str, file: str) -> str | None:
        """What to write if the target is given as seen from the file that names it, or from the package."""
        inside = re.sub(r"^/|^(\.\./)+", "", target)
        directories = (file.rpartition("/")[0] or ".", self.directory)
        for directory, written in (*((directory, target) for directory in directories), (self.base, inside)):
            path = self._file(directory, written)
            if path is not None:
                return f"write `{posixpath.relpath(f'/{path}', f'/{self.base}')}`"
        return None

    def _near(self, target: str, path: str) -> str | None:
        """What to write if the name is misspelt: a file beside it, of the same kind."""
        folder, slash, name = target.rpartition("/")
        suffix = posixpath.splitext(name)[1]
        beside = [other for other in self.sources.neighbours(path) if other.endswith(suffix)]
        meant = near(name, beside)
        return f"did you mean `{folder}{slash}{meant}`?" if meant else None

    def _file(self, directory: str, target: str) -> str | None:
        """The path of the file that a target is, if there is one."""
        try:
            path = self.sources.join(directory, target)
            return path if self.sources.kind(path) == "file" else None
        except SourceFault:
            return None

    def _import(self, node: nodes.Filter, excerpt: Excerpt) -> None:
        path_node = node.node
        if node.name == "map":
            name = node.args[0].as_const()
            self.scope.add(
                "computed-target",
                f"`{name}` does not work through `map`",
                _span(node, excerpt),
                label="files are captured at build",
                help=f'write each path in quotes: `"partials/example.txt" | {name}`',
            )
            return
        if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            self.scope.add("computed-target", f"`{node.name}` takes no arguments", _span(node, excerpt))
            return
        if not isinstance(path_node, nodes.Const) or not isinstance(path_node.value, str):
            self.scope.add(
                "computed-target",
                f"the path of `{node.name}` is not a literal",
                _span(node, excerpt),
                label="the file is captured at build",
                help=f'write the path in quotes: `"partials/example.txt" | {node.name}`',
            )
            return
        target, at = path_node.value, _span(path_node, excerpt)
        try:
            path = self.sources.join(self.base, target)
            if self.sources.kind(path) is None:
                self._absent("file", (path_node,), excerpt)
                return
            self._check_shadowed(target, path, at)
            text = self.sources.text(path)
        except SourceFault as fault:
            self._refuse(fault, target, at)
            return
        if node.name == "import_text":
            self.texts[target] = text
        elif target not in self.data and not self._load(target, path, text):
            return
        self._capture("import_text" if node.name == "import_text" else "import_yaml", path, text)

    def _load(self, target: str, path: str, text: str) -> bool:
        try:
            self.data[target] = self.sources.derived(path, "data", lambda text: plain_data(text, path, self.scope))
        except Refused:  # not kept, so that every package that uses the file reports it
            return False
        return True

    def _capture(self, kind: Kind, path: str, text: str) -> bool:
        """Add an entry, unless this role has one of the same real file as a template, or as an import."""
        self.files.add(path)
        label = self._label(path)
        labels = self.seen.setdefault(("template" if kind == "template" else "import", self.sources.identity(path)), [])
        if label not in labels:
            (self.aliases if labels else self.captures).append(Capture(kind, label, path, text))
            labels.append(label)
            return len(labels) == 1
        return False

    def _label(self, path: str) -> str:
        """What `os.path.relpath(base/target, base)` with `/` gives; a mount is a name of its own everywhere."""
        return path if path.startswith("@") else posixpath.relpath(f"/{path}", f"/{self.base}")

    def _shown_base(self) -> str:
        return "the root" if self.base == "." else f"`{self.base}`"

    def _check_shadowed(self, target: str, path: str, at: Span) -> None:
        """Warn when the target would also be found from another directory that could have been the base."""
        if target.startswith("@") or ".." in target.split("/"):
            return
        for directory in _ancestry(self.directory):
            if directory == self.base:
                continue
            other = self.sources.join(directory, target)
            if other != path and self.sources.kind(other) == "file":
                has_partials = self.sources.kind(self.sources.join(self.base, "partials")) == "directory"
                reason = "the nearest directory with `partials/`" if has_partials else "the directory of the package"
                self.scope.add(
                    "shadowed-partial",
                    f"`{target}` exists twice, and `{path}` is taken",
                    at,
                    label=f"`{other}` exists too",
                    notes=(f"targets are relative to {self._shown_base()}, {reason}",),
                    help="rename one of them",
                )
                return


def _ancestry(directory: str) -> Iterator[str]:
    """A directory and its ancestors up to the root."""
    while directory != ".":
        yield directory
        directory = directory.rpartition("/")[0] or "."
    yield "."


@dataclass(frozen=True, slots=True)
class _Found:
    """References in the order of `jinja2.meta.find_referenced_templates`, import filters in source order."""

    references: tuple[nodes.Node, ...]
    imports: tuple[nodes.Filter, ...]


_Below = tuple[TemplateText, _Found]  # a template that was captured, and what it pulls in


_MAY_REFER = re.compile(r"\{%[-+]?\s*(?:include|from|extends)\b|import(?![a-z])")


def _found_in(tree: nodes.Template, text: str) -> _Found:
    if _MAY_REFER.search(text) is None:
        return _Found((), ())  # most templates: not worth a walk over the tree
    references: list[nodes.Node] = []
    imports: list[nodes.Filter] = []
    for node in descendants(tree):
        if isinstance(node, _REFERRING):
            references.append(node)
        elif not isinstance(node, nodes.Filter):
            continue
        elif node.name in _IMPORT_FILTERS or (node.name == "map" and _maps_import(node)):
            imports.append(node)
    imports.sort(key=lambda node: (int(node.lineno), getattr(node.lineno, "column", 0)))
    return _Found(tuple(references), tuple(imports))


def _maps_import(node: nodes.Filter) -> bool:
    return bool(node.args) and isinstance(node.args[0], nodes.Const) and node.args[0].value in _IMPORT_FILTERS


def _choices(target: nodes.Expr) -> Iterator[tuple[nodes.Const, ...]]:
    """The targets, grouped: of each group one must exist."""
    if isinstance(target, nodes.CondExpr):
        yield from _choices(target.expr1)
        if target.expr2 is not None:
            yield from _choices(target.expr2)
    else:
        yield tuple(_literals(target, lists=True))  # type: ignore[arg-type]


def _is_target(target: nodes.Expr, *, lists: bool) -> bool:
    return None not in tuple(_literals(target, lists=lists))


def _literals(target: nodes.Expr, *, lists: bool) -> Iterator[nodes.Const | None]:
    """The literals of a target in source order, None for each part that is computed."""
    if isinstance(target, nodes.CondExpr):
        yield from _literals(target.expr1, lists=lists)
        if target.expr2 is not None:
            yield from _literals(target.expr2, lists=lists)
    elif lists and isinstance(target, nodes.List | nodes.Tuple):
        if not target.items:
            yield None
        for item in target.items:
            yield from _literals(item, lists=False)
    elif isinstance(target, nodes.Const) and isinstance(target.value, str):
        yield target
    else:
        yield None


def _span(node: nodes.Node, excerpt: Excerpt) -> Span:
    return excerpt.span(int(node.lineno), getattr(node.lineno, "column", 1), getattr(node.lineno, "width", 1))
