"""The pass discover: a project → its packages, sorted by key (CTX-FORMAT §1).

In: the project and its sources. Out: one PackageFiles per package. Hidden directories, `__pycache__` and the output
directory are never walked, and nothing inside a package is walked for packages. Invariant: a key depends on where the
package stands in its tree and on nothing else, and no two keys are equal after case folding.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from unicodedata import normalize

from frozenctx.words import listed

from .diagnostics import Related, Report, Span
from .package import PackageFiles
from .project import FILE, Project
from .sources import Entry, SourceFault, Sources, native, utf8
from .spelling import did_you_mean

SETTINGS = ("settings.yaml", "settings.yml")
PROMPTS = ("prompt.j2", "messages")
_SUFFIX = ".ctx"


def discover(
    project: Project, sources: Sources, report: Report, *, output: str | None = None
) -> tuple[PackageFiles, ...]:
    """The selected packages. `output`, a path of the caller's, and `[defaults] out`, relative to the root, are where
    builds write: never walked."""
    outputs = [os.path.join(project.root, native(project.defaults["out"]))] if "out" in project.defaults else []
    if output is not None:
        outputs.append(os.path.abspath(output))
    inside = (_inside(project.root, path) for path in outputs)
    sources.leave_out(path for path in inside if path is not None)
    walk = _Walk(project, sources, report)
    before = len(report.diagnostics)
    try:
        # Looked for before there were sources; here it is recorded.
        for directory in _upwards(project.source):
            with suppress(SourceFault):
                sources.kind(sources.join(directory, FILE))
        if project.has_file:
            sources.text(FILE)
        for tree in sorted(project.trees):
            if walk.related(tree):
                walk.tree(tree)
    except SourceFault as fault:
        fault.add_to(report)
    found = sorted(walk.packages, key=lambda package: package.key)
    project = _narrowed(project, found)
    packages = tuple(package for package in found if _selected(package, project))
    _check_collisions(packages, report)
    if len(report.diagnostics) == before or not report.has_errors:
        _check_found(project, walk, packages, report)
    for pattern in project.also:
        if pattern not in walk.matched and "." in walk.project.selection:
            report.add("unmatched-pattern", f"`{pattern}` under `[packages] also` matches no package", Span(FILE))
    return packages


@dataclass(slots=True)
class _Walk:
    """The walk of one discover."""

    project: Project
    sources: Sources
    report: Report
    packages: list[PackageFiles] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)  # directories that hold settings and are no package
    matched: set[str] = field(default_factory=set)  # patterns of `also` that found something
    waiting: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)  # arguments of `directory`

    def tree(self, tree: str) -> None:
        self.waiting.append((tree, tree, ()))
        while self.waiting:
            self.directory(*self.waiting.pop())

    def directory(self, path: str, tree: str, above: tuple[str, ...]) -> None:
        """Look through one directory of `tree`; `above` are the real directories it lies in."""
        try:
            real = self.sources.real(path)
            if real in above:
                raise SourceFault("link-loop", f"`{path}` leads back to a directory that contains it", path)
            entries = self.sources.entries(path)
        except SourceFault as fault:
            fault.add_to(self.report)
            return
        if any(entry.name in SETTINGS for entry in entries):
            self.settings.append(path)
        for entry in entries:
            below = entry.name if path == "." else f"{path}/{entry.name}"
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if self.related(below):
                self.entry(below, entry, tree, (*above, real))

    def related(self, path: str) -> bool:
        """Whether something at or below this path may be selected. A key says nothing about where its package is."""
        return bool(self.project.keys) or any(_related(path, selected) for selected in self.project.selection)

    def entry(self, path: str, entry: Entry, tree: str, above: tuple[str, ...]) -> None:
        named = entry.name.endswith(_SUFFIX)
        if entry.fault is not None:
            if named or entry.fault.hides_directory or entry.fault.code == "link-loop":
                entry.fault.add_to(self.report)
        elif entry.kind == "directory":
            if not (named or self.is_also(path)):
                if path not in self.project.trees:  # a tree inside a tree is walked for itself
                    self.waiting.append((path, tree, above))
            elif not self.package(path, tree) and not named:
                self.waiting.append((path, tree, above))
        elif named and entry.kind == "file":
            self.add(PackageFiles(self.key(path, tree), _stem(entry.name), path, True))
        elif named:
            what = "is a link to nothing" if entry.kind is None else "is neither a file nor a directory"
            self.report.add("not-a-file", f"`{path}` {what}", Span(path), notes=("a package is a directory or a file",))

    def package(self, path: str, tree: str) -> bool:
        """Take a directory as a package; a leftover without settings and prompt is noted and skipped."""
        try:
            names = self.sources.listing(path)
        except SourceFault as fault:
            fault.add_to(self.report)
            return True
        if not any(name in names for name in (*SETTINGS, *PROMPTS)):
            if path.endswith(_SUFFIX):
                self.note_leftover(path, names)
            return False
        self.matched.update(pattern for pattern in self.project.also if _matches(path, pattern))
        self.add(PackageFiles(self.key(path, tree), _stem(path.rpartition("/")[2]), path, False, names))
        return True

    def note_leftover(self, path: str, names: tuple[str, ...]) -> None:
        near = [name for name in names if name.lower() in (*SETTINGS, *PROMPTS)]
        self.report.add(
            "leftover-package",
            f"`{path}` holds neither settings nor a prompt and is skipped",
            Span(path),
            notes=[f"it holds `{name}`, and names are compared exactly" for name in near],
            help="remove the directory" if not near else f"rename `{near[0]}` to `{near[0].lower()}`",
        )

    def add(self, package: PackageFiles) -> None:
        if not package.key.isprintable():
            bad = next(char for char in package.key if not char.isprintable())
            if bad < " " or "\x7f" <= bad <= "\x9f":
                self.report.add(
                    "bad-key",
                    f"the key of `{ascii(package.path)[1:-1]}` holds the control character U+{ord(bad):04X}",
                    Span(package.path),
                    help="rename the package",
                )
                return
        self.packages.append(package)

    def key(self, path: str, tree: str) -> str:
        prefix = self.project.trees[tree]
        below = path if tree == "." else path[len(tree) + 1 :]
        return normalize("NFC", "/".join(part for part in (prefix, below.removesuffix(_SUFFIX)) if part))

    def is_also(self, path: str) -> bool:
        return any(_matches(path, pattern) for pattern in self.project.also)


def _stem(name: str) -> str:
    return normalize("NFC", name.removesuffix(_SUFFIX))


def _matches(path: str, pattern: str) -> bool:
    """Whether each part of the path fits the pattern's part of the same place (`*`, `?`, `[a-z]`)."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(fnmatchcase(part, want) for part, want in zip(parts, wanted, strict=True))


def _related(path: str, selected: str) -> bool:
    """Whether the path is selected, leads to what is selected, or is the package around it."""
    if "." in (path, selected) or path == selected:
        return True
    return path.startswith(f"{selected}/") or selected.startswith(f"{path}/")


def _selected(package: PackageFiles, project: Project) -> bool:
    if any(_related(package.path, path) for path in project.selection):
        return True
    return any(
        name == key or name.startswith(f"{key}/") for key in project.keys for name in (package.key, package.path)
    )


def _narrowed(project: Project, found: Sequence[PackageFiles]) -> Project:
    """The project without the directories in which a key selects something: such a directory says where the key is, and
    would make it mean nothing."""
    named = [package for package in found if _selected(package, replace(project, selection=()))]
    selection = tuple(
        path for path in project.selection if not any(path == "." or _is_in(each.path, path) for each in named)
    )
    return replace(project, selection=selection)


def _is_in(path: str, directory: str) -> bool:
    return path.startswith(f"{directory}/")


def _upwards(path: str) -> Iterator[str]:
    """The path and all directories around it, up to the root."""
    while path != ".":
        yield path
        path = path.rpartition("/")[0] or "."
    yield path


def _inside(root: str, directory: str) -> str | None:
    """A directory of the file system as a root-relative path; None when it lies elsewhere. It need not exist."""
    real = os.path.realpath(directory)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        return None
    return normalize("NFC", utf8(os.path.relpath(real, root)).replace(os.sep, "/"))


def _check_collisions(packages: tuple[PackageFiles, ...], report: Report) -> None:
    first: dict[str, PackageFiles] = {}
    for package in packages:
        folded = normalize("NFC", package.key.casefold())
        other = first.setdefault(folded, package)
        if other is not package:
            same = other.key == package.key
            report.add(
                "key-collision",
                f"two packages have the key `{package.key}`"
                if same
                else f"the keys `{other.key}` and `{package.key}` differ in case only",
                Span(package.path),
                related=[Related(Span(other.path), "the other one")],
                help="rename one of the packages",
                package=package.key,
            )


def _check_found(project: Project, walk: _Walk, packages: tuple[PackageFiles, ...], report: Report) -> None:
    """Report each selected path and key that no package answers to."""
    for path in project.selection:
        if not any(_related(package.path, path) for package in packages):
            _report_none(project, walk, path, report)
    known = sorted(package.key for package in walk.packages)
    for key in project.keys:
        if not any(_selected(package, replace(project, selection=(), keys=(key,))) for package in packages):
            report.add("no-packages", f"there is no package with the key `{key}`", help=_meant(key, known))


def _meant(key: str, known: Sequence[str]) -> str | None:
    """What may have been meant by a key that is not there: those with the same last part, else a near one, else any."""
    last = key.rpartition("/")[2]
    if meant := [other for other in known if other.rpartition("/")[2] == last][:3]:
        return f"did you mean {' or '.join(f'`{other}`' for other in meant)}?"
    return did_you_mean(key, known, f"the keys are {listed(list(known))}" if known else None)


def _report_none(project: Project, walk: _Walk, selected: str, report: Report) -> None:
    where = "below the root" if selected == "." else f"at `{selected}`"
    trees = [tree for tree in sorted(project.trees) if _related(tree, selected)]
    found = sorted(path for path in walk.settings if _related(path, selected))
    notes = [f"`{_shown(path, project)}` holds settings, but its name does not end in `.ctx`" for path in found[:5]]
    if len(found) > 5:
        notes.append(f"and {len(found) - 5} more such directories")
    if not trees:
        notes.append(f"trees are {', '.join(f'`{tree}`' for tree in sorted(project.trees))}")
    help = "a package is a directory or a file whose name ends in `.ctx`"
    if found:
        path = _shown(found[0], project)
        help = f"rename it to `{path}.ctx`"
        if found[0] != ".":
            help += f", or list `{path}` in `also` under `[packages]` of frozenctx.toml"
    report.add("no-packages", f"there is no package {where}", Span(selected), notes=notes, help=help)


def _shown(path: str, project: Project) -> str:
    return os.path.basename(project.root) if path == "." else path
