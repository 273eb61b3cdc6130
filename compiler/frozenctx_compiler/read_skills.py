"""Reads `skills/`: a directory for each skill, with its SKILL.md and its other files (CTX-FORMAT §7).

In: the `skills` directory of a package in which a skill is active. Out: one SkillDirectory for each directory in it,
sorted, its front matter as a composed YAML node, the other files as bytes. Everything that cannot be read is reported.
Invariants: nothing outside of the package is read, through no link; a skill has the same files on every file system.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import yaml

from . import frontmatter
from .check_document import short
from .diagnostics import Report, Scope, Span
from .package import SettingsDocument, SkillDirectory
from .skill_lines import add_mended, character, mended
from .sources import Entry, SourceFault, Sources
from .yamltree import compose, is_empty, span_of

SKILL_FILE = "SKILL.md"
LARGE = 1 << 20  # bytes of a file, from which on it is a remark: every release that has it holds it
MOST_FILES = 1000  # of a skill, besides SKILL.md
MOST_BYTES = 64 << 20  # of all these together
_HELD = "each release that has the skill holds its files, and so does each of its packs"
_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"] + [port + n for port in ("COM", "LPT") for n in "123456789¹²³"]
)
_LITTER = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "__macosx", "__pycache__"})


def read_skills(package: str, sources: Sources, scope: Scope) -> tuple[SkillDirectory, ...]:
    """The skills of the package at `package`. One that could not be read whole is there as far as it could."""
    skills = []
    directory = f"{package}/skills"
    for entry in _entries(directory, sources, scope):
        path = f"{directory}/{entry.name}"
        if not _is_usable(path, entry, package, sources, scope):
            continue
        if entry.kind == "directory":
            skills.append(_skill(path, entry.name, package, sources, scope))
        else:
            note = "a skill is a directory with a file `SKILL.md`"
            scope.add("unknown-file", f"`{path}` is not read", Span(path), notes=(note,))
    return tuple(skills)


def _skill(path: str, name: str, package: str, sources: Sources, scope: Scope) -> SkillDirectory:
    file = f"{path}/{SKILL_FILE}"
    resources = _resources(path, package, file, sources, scope)
    try:
        text = sources.text(file)
    except SourceFault as fault:
        if fault.code == "missing-file":
            near = [name for name in sources.neighbours(file) if name.lower() == SKILL_FILE.lower()]
            fault.help = f"rename `{near[0]}` to `{SKILL_FILE}`" if near else "add it, or remove the directory"
        fault.add_to(scope)
        return SkillDirectory(name, path, file, None, "", 0, resources)
    parts = frontmatter.split(text)
    if not parts.closed:
        scope.add(
            "unclosed-front-matter",
            "the front matter is never closed",
            Span.at(file, 1, 1, 3),
            label="opens here",
            help=_closing(text) or "put a line `---` before the instructions",
        )
        return SkillDirectory(name, path, file, None, "", 0, resources)
    front = None
    if parts.settings is None:
        _no_front_matter(name, file, text, scope)
    else:
        front = _front_matter(file, parts.settings, scope)
    return SkillDirectory(name, path, file, front, parts.body, parts.body_line, resources)


def _no_front_matter(name: str, file: str, text: str, scope: Scope) -> None:
    help = f"begin it with the lines `---`, `name: {name}`, `description: …` and `---`"
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if first == "---":
        around = _around(text.split("\n", 1)[0])
        help = f"remove the {around} from the first line" if around else "let `---` be the very first line"
    elif set(first) == {"-"}:
        help = "write `---`, three hyphens, in the first line"
    scope.add("bad-skill", f"`{file}` has no front matter", Span.at(file, 1, 1), help=help)


def _closing(text: str) -> str | None:
    """The help when a line nearly closes the front matter."""
    for number, line in enumerate(text.split("\n")[1:], 2):
        around = _around(line)
        if around is not None:
            return f"remove the {around} from line {number}"
    return None


def _around(line: str) -> str | None:
    """What keeps a line with nothing else than `---` from being one."""
    if line.strip() != "---" or line.startswith("---") and not line[3:].strip(" \t"):
        return None
    return next((character(char) for char in line if char not in "- \t"), "blanks before `---`")


def _front_matter(file: str, text: str, scope: Scope) -> SettingsDocument | None:
    """The front matter, composed; None when it is no mapping, which is reported with the line that would be right."""
    tried = Report()
    node = compose(text, file, tried.scoped(scope.package), line_offset=1, repeated=True)
    add_mended(tried, lambda line: mended(text, line - 2), scope)
    if node is None:
        return SettingsDocument(file, text, None, 1) if is_empty(text) else None
    if not isinstance(node, yaml.MappingNode):
        span = span_of(node, file)
        help = mended(text, span.line - 2) or "write `name: …` and `description: …`"
        scope.add("bad-skill", "the front matter must be a mapping of keys", span, help=help)
        return None
    return SettingsDocument(file, text, node, 1)


# -- the files of a skill ------------------------------------------------------------------------------------------


def _resources(skill: str, package: str, file: str, sources: Sources, scope: Scope) -> dict[str, bytes]:
    """The files of a skill but SKILL.md: path below the skill → bytes, sorted. None is read beyond what is allowed."""
    found: dict[str, bytes] = {}
    sizes: dict[str, int] = {}
    for path in _files(skill, package, (file,), sources, scope):
        try:
            sizes[path[len(skill) + 1 :]] = size = sources.size(path)
            if len(sizes) > MOST_FILES or sum(sizes.values()) > MOST_BYTES:
                _report_too_large(skill, sizes, scope)
                break
            found[path[len(skill) + 1 :]] = sources.raw(path)
        except SourceFault as fault:
            fault.add_to(scope)
            continue
        if size > LARGE:
            headline = f"`{path}` has {size / LARGE:.1f} MiB"
            scope.add("large-resource", headline, Span(path), notes=(_HELD,))
    return dict(sorted(found.items()))


def _report_too_large(skill: str, sizes: Mapping[str, int], scope: Scope) -> None:
    many = len(sizes) > MOST_FILES
    what = f"{MOST_FILES} files" if many else f"{MOST_BYTES // LARGE} MiB of files"
    weights: Counter[str] = Counter()
    for path, size in sizes.items():
        weights[path.partition("/")[0]] += 1 if many else size
    largest = max(sorted(weights), key=weights.__getitem__)
    scope.add(
        "skill-too-large",
        f"`{skill}` has more than {what}",
        Span(skill),
        notes=(_HELD,),
        help=f"keep what a model is to read, and move the rest to where tools get it, `{short(largest)}` first",
    )


def _files(directory: str, package: str, above: tuple[str, ...], sources: Sources, scope: Scope) -> Iterator[str]:
    """Every file below a directory of a skill but SKILL.md. `above`: the SKILL.md, and the directories on the way."""
    real = sources.real(directory)
    if real in above:
        headline = f"`{directory}` leads back to a directory that contains it"
        scope.add("link-loop", headline, Span(directory), help="remove the link")
        return
    for entry in _entries(directory, sources, scope):
        path = f"{directory}/{entry.name}"
        if not _is_usable(path, entry, package, sources, scope):
            continue
        if entry.kind == "directory":
            yield from _files(path, package, (*above, real), sources, scope)
        elif path != above[0]:
            yield path


def _entries(directory: str, sources: Sources, scope: Scope) -> Iterator[Entry]:
    """What a directory holds but for hidden names and what operating systems and interpreters leave behind."""
    try:
        entries = sources.entries(directory)
    except SourceFault as fault:
        fault.add_to(scope)
        return
    kept = [each for each in entries if not each.name.startswith(".") and each.name.lower() not in _LITTER]
    folded: dict[str, str] = {}
    for entry in kept:
        other = folded.setdefault(entry.name.casefold(), entry.name)
        if other != entry.name:
            scope.add(
                "bad-resource",
                f"the names `{short(other)}` and `{short(entry.name)}` differ in case only",
                Span(f"{directory}/{entry.name}"),
                notes=("they are one name on macOS and Windows, where one of the two would be missing",),
                help="rename one of them",
            )
    yield from kept


def _is_usable(path: str, entry: Entry, package: str, sources: Sources, scope: Scope) -> bool:
    """Whether an entry is a file or directory of this package, with a name that can be stored; else it is reported."""
    if entry.fault is not None:
        entry.fault.add_to(scope)
    elif entry.kind not in ("file", "directory"):
        what = "is a link to nothing" if entry.kind is None else "is neither a file nor a directory"
        scope.add("not-a-file", f"`{path}` {what}", Span(path), help="remove it")
    elif not _is_below(sources.identity(path), sources.identity(package)):
        scope.add(
            "outside-package",
            f"the link `{path}` leads out of the package",
            Span(path),
            notes=("a skill is what lies in its directory, so that the package can be moved and copied as a whole",),
            help="put the files themselves there, or build with `--links=follow`",
        )
    elif unfit := _unfit(entry.name):
        name = path if entry.name.isprintable() else path[: -len(entry.name)] + ascii(entry.name)[1:-1]
        scope.add("bad-resource", f"the name `{name}` {unfit}", Span(path), help="rename it")
    else:
        return True
    return False


def _unfit(name: str) -> str | None:
    """Why not every system can hold a file or directory of this name; None when they can."""
    for char in name:
        if char < " " or "\x7f" <= char <= "\x9f":
            return f"holds the control character U+{ord(char):04X}"
        if char == "\\":
            return "holds a backslash"
        if char in '<>:"|?*':
            return f"holds `{char}`, which no name on Windows can"
    if name[-1] in ". ":
        return f"ends with a {'dot' if name[-1] == '.' else 'blank'}, which Windows takes off"
    if name.partition(".")[0].rstrip().upper() in _DEVICES:
        return "is that of a device on Windows"
    return None


def _is_below(path: str, directory: str) -> bool:
    return directory == "." or path == directory or path.startswith(f"{directory}/")
