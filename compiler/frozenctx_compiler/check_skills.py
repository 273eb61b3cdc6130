"""The skills of a package: what `skills` of its settings names, against the directories there are (CTX-FORMAT §7).

In: a ResolvedPackage and the sources. Out: the active skills in the order of the settings, which may come from the
environment. Once one is active, every directory below `skills/` is read and checked; until then nothing there is.
"""

import re
from collections.abc import Mapping
from typing import Any

import yaml
from frozenctx.skill_block import LOAD_SKILL
from frozenctx.words import listed
from frozenctx_artifacts.codec import NotJson, require_json
from frozenctx_artifacts.identity import skill_key

from .check_document import dotted, found_words, short
from .diagnostics import Report, Scope, Span
from .package import Located, ResolvedPackage, Skill, SkillDirectory
from .read_skills import SKILL_FILE, read_skills
from .scalars import Meanings
from .skill_lines import add_mended, as_text, character
from .sources import SourceFault, Sources
from .spelling import near
from .yamltree import UNSETTLED, Path, tree

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # for the display of text from right to left
_NO_WIRE = re.compile(r"[^A-Za-z0-9_-]")


def check_skills(resolved: ResolvedPackage, sources: Sources, scope: Scope) -> tuple[Skill, ...]:
    """The active skills. What is wrong with them, or with others of the package once one is active, is reported."""
    files, settings = resolved.read.files, resolved.settings
    _check_tools(settings, scope)
    if files.single_file:  # that `skills` does not belong there is said with the other settings
        return ()
    path = f"{files.path}/skills"
    present = "skills" in files.entries
    if "skills" not in settings.value:
        if present and not _is_named(resolved):
            _report_unlisted(path, sources, settings, scope)
        return ()
    names = settings.value["skills"]
    if not isinstance(names, list) or not names:  # anything but a list is reported with the other settings
        return ()
    directories = read_skills(files.path, sources, scope) if present else ()
    found = {directory.name: _skill(directory, scope) for directory in directories}
    active = []
    names = [name.strip() if isinstance(name, str) else name for name in names]
    for index, name in enumerate(names):
        if not isinstance(name, str) or not name or name in names[:index]:
            continue  # reported with the other settings
        if name not in found:
            _report_unknown(index, name, list(found), path, settings, scope)
        elif (skill := found[name]) is not None:
            active.append(skill)
    return tuple(active)


def _check_tools(settings: Located, scope: Scope) -> None:
    """No tool of a package may be called like the one that loads skills."""
    tools = settings.value.get("tools")
    for index, key in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(key, str) and _NO_WIRE.sub("_", key)[:64] == LOAD_SKILL:
            origin = settings.origins.get(("tools", index))
            named = f"the value of the environment variable `{origin}`" if origin is not None else f"`{key}`"
            scope.add(
                "reserved-tool",
                f"no tool can be called {named}",
                settings.spans.get(("tools", index), Span(settings.file)),
                notes=("models load skills with a tool of this name",),
                help="give it another name",
            )


def _is_named(resolved: ResolvedPackage) -> bool:
    """Whether the settings speak of skills, though an expression answered null."""
    node = resolved.read.settings.node
    return node is not None and any(key.value == "skills" for key, _ in node.value)


def _report_unlisted(path: str, sources: Sources, settings: Located, scope: Scope) -> None:
    try:
        if sources.kind(path) != "directory":
            return
        entries = sources.entries(path)
    except SourceFault as fault:
        fault.add_to(scope)
        return
    names = [entry.name for entry in entries if entry.kind == "directory" and _NAME.match(entry.name)]
    scope.add(
        "unlisted-skills",
        f"`{path}` is there, and no skill is listed",
        Span(settings.file),
        notes=("a skill is active only when `skills` lists it",),
        help=f"write `skills: [{', '.join(names[:5])}]`, or `skills: []`" if names else "write `skills: []`",
    )


def _report_unknown(
    index: int, name: str, known: list[str], path: str, settings: Located, scope: Scope
) -> None:
    place: Path = ("skills", index)
    origin = settings.origins.get(place)
    meant = near(name, known, 0.7) or next((other for other in known if other.casefold() == name.casefold()), None)
    help: str | None = None
    if origin is not None:
        headline = f"there is no skill of the name that the environment variable `{origin}` gives"
        help = f"give it another value: {listed(known)}" if known else f"give it another value, with `--env {origin}=…`"
    else:
        headline = f"there is no skill `{short(name)}`"
        if meant or known:
            help = f"did you mean `{meant}`?" if meant else f"there is {listed(known)}"
        elif _NAME.match(name):
            help = f"add `{path}/{name}/{SKILL_FILE}`"
    scope.add("unknown-skill", headline, settings.spans.get(place, Span(settings.file)), help=help)


# -- one skill -----------------------------------------------------------------------------------------------------


def _skill(directory: SkillDirectory, scope: Scope) -> Skill | None:
    """The skill of a directory, if nothing is wrong with it."""
    sound = True
    if not _NAME.match(directory.name):
        sound = False
        note = "letters, digits, `.`, `_` and `-`, a letter or a digit first"
        help = "rename the directory, and `name` with it"
        scope.add(
            "bad-skill",
            f"a skill cannot be called `{short(directory.name)}`",
            Span(directory.path),
            notes=(f"names of skills are {note}",),
            help=help,
        )
    if directory.front is None:
        return None
    located = _front_matter(directory, scope)
    body = directory.body.strip()
    if not body:
        sound = False
        scope.add(
            "bad-skill",
            "the skill has no instructions",
            Span.at(directory.file, max(directory.body_line - 1, 1), 1, 3),
            label="nothing follows",
            help="write them below the front matter",
        )
    if located is None:
        return None
    for odd in [key for key in located.value if isinstance(key, str) and key != key.strip()]:
        sound = False
        blank = character(odd[0] if odd[0].isspace() else odd[-1])
        headline = f"the {blank} belongs to the key `{short(odd.strip())}`"
        scope.add("bad-skill", headline, located.keys[(odd,)], help="indent with spaces, and write the key alone")
    name = _name(directory, located, scope)
    description = _description(directory, located, scope)
    extra = {key: value for key, value in located.value.items() if key not in ("name", "description")}
    try:
        require_json(extra)
    except NotJson as error:
        sound = False
        at = error.path
        what = f"`{dotted(at)}`" if at else "the front matter"
        span = _key_that_is_no_text(extra, at, located) or located.spans.get(at, Span(directory.file))
        scope.add("bad-skill", f"{what} holds what cannot be kept: {error}", span, help='put it in "quotes"')
    if name is None or description is None or not sound:
        return None
    key = skill_key(name, description, body)
    return Skill(key, name, description, body, directory.file, extra, directory.resources)


def _front_matter(directory: SkillDirectory, scope: Scope) -> Located | None:
    """The front matter as plain data. Other keys than ours are unchecked: of a value there that YAML 1.1 and 1.2 read
    differently, such as a date, the text is kept."""
    assert directory.front is not None
    if directory.front.node is None:
        return Located({}, directory.file)

    def settle(node: yaml.ScalarNode, path: Path, meanings: Meanings) -> object:
        return UNSETTLED if not path or path[0] in ("name", "description") else node.value

    tried = Report()
    read = tree(directory.front.node, directory.file, tried.scoped(scope.package), settle=settle)
    ours = {read.located.keys[path].line for path in read.located.keys if path in (("name",), ("description",))}
    first, text = directory.front.lines_above + 1, directory.front.text
    add_mended(tried, lambda line: as_text(text, line - first) if line in ours else None, scope)
    return None if read.faulty else read.located


def _key_that_is_no_text(value: Any, path: Path, located: Located) -> Span | None:
    """Where a mapping at `path` has such a key."""
    for part in path:
        value = value[part]
    found = [key for key in value if not isinstance(key, str)] if isinstance(value, dict) else []
    return located.keys.get((*path, found[0])) if found else None


def _name(directory: SkillDirectory, located: Located, scope: Scope) -> str | None:
    name: object = located.value.get("name")
    span = located.spans.get(("name",), Span.at(directory.file, 1, 1, 3))
    right = f"write `name: {directory.name}`"
    if not isinstance(name, str) and name is not None:
        help = _in_quotes(directory, ("name",), located) or right
        scope.add("bad-skill", f"`name` must be a string, found {found_words(name)}", span, help=help)
    elif name is None or not name.strip():
        headline = "`name` is blank" if "name" in located.value else "the skill has no `name`"
        key = near("name", [key for key in located.value if isinstance(key, str)], 0.7)
        help = right
        if key is not None and "name" not in located.value:
            help, span = f"write `name` for `{key}`", located.keys[(key,)]
        scope.add("bad-skill", headline, span, help=help)
    elif name.strip() != directory.name:  # blanks around it do not count, as in Julep
        scope.add(
            "bad-skill",
            f"`name` is `{short(name)}` in the directory `{short(directory.name)}`",
            span,
            notes=("a skill has the name of its directory",),
            help=right if _NAME.match(directory.name) else None,
        )
    else:
        return directory.name
    return None


def _description(directory: SkillDirectory, located: Located, scope: Scope) -> str | None:
    """The description on one line; "" when there is none."""
    description: object = located.value.get("description")
    _look_at_description(directory, located, scope)
    if description is None:
        return ""
    span = located.spans.get(("description",), Span.at(directory.file, 1, 1, 3))
    if isinstance(description, str):
        line = " ".join(description.split())
        bad = next((char for char in line if char < " " or "\x7f" <= char <= "\x9f"), None)
        if bad is not None:
            scope.add("bad-skill", f"`description` holds the control {character(bad)}", span, help="remove it")
        turning = _TURNING.search(line)
        if turning is not None:
            headline = f"`description` holds the {character(turning[0])}, which turns the direction of what follows"
            help = "remove it: reviewers see another text than models read"
            scope.add("skill-description", headline, span, help=help)
        return line if bad is None else None
    help = _in_quotes(directory, ("description",), located) or "write one text"
    scope.add("bad-skill", f"`description` must be a string, found {found_words(description)}", span, help=help)
    return None


def _look_at_description(directory: SkillDirectory, located: Located, scope: Scope) -> None:
    """Report what was probably meant to be description: what stands behind ` #`, a key of nearly its name."""
    assert directory.front is not None
    front = directory.front.node.value if directory.front.node is not None else []
    node = next((value for key, value in front if key.value == "description"), None)
    if node is None:
        names = {key.casefold(): key for key in located.value if isinstance(key, str) and key == key.strip()}
        if (found := near("description", names, 0.8)) is not None:
            key = names[found]
            headline = f"the skill has no `description`, and a key `{short(key)}`, which no model gets to see"
            help = f"write `description` for `{short(key)}`"
            scope.add("skill-description", headline, located.keys[(key,)], help=help)
        return
    line = directory.front.text.split("\n")[node.end_mark.line - directory.front.lines_above]
    is_plain = isinstance(node, yaml.ScalarNode) and not node.style
    if is_plain and line[node.end_mark.column :].lstrip(" \t")[:1] == "#":
        is_one = node.start_mark.line == node.end_mark.line
        quoted = _in_quotes(directory, ("description",), located) if is_one else None
        help = quoted or "write `description: >-`, and the whole text below it, indented"
        scope.add(
            "skill-description",
            "the description ends before ` #`, which begins a comment",
            located.spans[("description",)],
            help=f"{help}, or put the comment on a line of its own",
        )


def _in_quotes(directory: SkillDirectory, path: Path, located: Located) -> str | None:
    """The help for a value that should be text."""
    span: Mapping[Any, Span] = located.keys
    if directory.front is None or path not in span or span[path].line != located.spans[path].line:
        return None
    return as_text(directory.front.text, span[path].line - 1 - directory.front.lines_above)
