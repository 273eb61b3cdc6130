"""Finds the root of a source tree and reads its `frozenctx.toml` (CTX-FORMAT §1).

In: the path that the user named. Out: a Project: the root, which part of it is selected, and the file's settings with
every value checked. Invariant: what is selected changes no key, no base directory and no byte of a package.

Tables of `frozenctx.toml`, all optional:

    required-version = ">=0.1,<2"      # checked before any other key
    [trees]     directory = "key prefix"
    [mounts]    name = "directory outside the root"
    [packages]  also = ["reasoners/*"]
    [defaults]  model, out, profile = "…"; links = "inside" | "follow"
    [env]       files = ["base.env"]; values = {NAME = "text"}    # the files are stronger
                secret, public = ["NAME"]
    [secrets]   allow = {fingerprint = "why it is none"}
    [profiles]  name = ["prod.env"]    # environment files of its own
    [host]      filters, tests, globals = ["name"]
    [lint]      code = "error" | "warning" | "note"
"""

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast
from unicodedata import normalize

from frozenctx.format import VERSION, is_profile_name

from .check_document import all_of, nearest, one_of
from .check_templates import HostNames
from .diagnostics import CODES, Level, Report, Span
from .documents import LEVEL, PROJECT
from .keys import Key
from .shapes import DOT
from .sources import SourceFault, Sources, native, utf8
from .spelling import did_you_mean
from .tomlplaces import Path, toml_places

FILE = "frozenctx.toml"

_LEVELS = LEVEL.choices
_NUL = "expected text without NUL characters"
_WITHOUT_NUL = "remove the NUL"
_IN_QUOTES = 'put it in "quotes"'
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Project:
    """`root` is absolute and real; every other path is root-relative, `mounts` and `env_files` excepted (absolute).

    `defaults` holds those of the keys model, out, profile, links that the file sets, as strings.
    """

    root: str
    source: str = "."  # the path that was named, which the root is at or above
    selection: tuple[str, ...] = (".",)  # directories and packages below the root
    keys: tuple[str, ...] = ()  # keys of packages, or the beginnings of keys, that are selected besides
    has_file: bool = False
    trees: Mapping[str, str] = field(default_factory=lambda: {".": ""})  # directory → key prefix
    mounts: Mapping[str, str] = field(default_factory=dict)  # name → directory
    mounted: Mapping[str, str] = field(default_factory=dict)  # name → directory, as the file writes it
    also: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Span] = field(default_factory=dict)  # where each of `defaults` stands
    env_files: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    secret: tuple[str, ...] = ()  # names whose values are secrets
    public: tuple[str, ...] = ()  # names whose values are none
    marks: tuple[tuple[str, Span], ...] = ()  # the names of both, and where they stand
    allowed: Mapping[str, Span] = field(default_factory=dict)  # fingerprint of what looks like a secret and is none
    profiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # name → environment files, absolute
    host: HostNames = HostNames()
    lint: Mapping[str, Level] = field(default_factory=dict)
    required_version: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all packages are selected."""
        return "." in self.selection and not self.keys


def read_project(start_path: str, report: Report, *, select: Sequence[str] = ()) -> Project:
    """The project that `start_path` (a directory, or a package) belongs to; its lint levels are given to `report`.

    `select` narrows what is selected: paths, or keys of packages and their beginnings; without it, `start_path` does.
    Mistakes are reported, and what they name is left unset; a `frozenctx.toml` that cannot be read or requires
    another version gives a Project with nothing but a root.
    """
    start = os.path.abspath(start_path)
    if not os.path.exists(start):
        report.add("no-such-path", f"`{start_path}` does not exist", Span(start_path))
        return Project(os.path.realpath(start))
    above = _root_of(start)
    root = os.path.realpath(above)
    # Followed here, because a build system may hand the file over as a link; discover reads it as any source.
    sources = Sources(root, links="follow")
    try:
        text = sources.text(FILE) if sources.kind(FILE) is not None else None
    except SourceFault as fault:
        fault.add_to(report)
        return Project(root)
    project = Project(root)
    if text is not None:
        table = _parsed(text, report)
        if table is None:
            return project
        reader = _Reader(text, root, sources, report)
        if not reader.version_fits(table):
            return project
        project = reader.project(table)
        report.move(project.lint)
    elif os.path.isfile(start) and ".ctx" not in start:
        report.add(
            "no-packages",
            f"`{start_path}` is no package",
            Span(start_path),
            help="name a directory, or a file that ends in `.ctx`",
        )
    project = replace(project, source=_below(start, above))
    return _selecting(project, above, select if select else [start_path])


def _root_of(start: str) -> str:
    """The nearest directory at or above with a `frozenctx.toml`, else the path itself; a package's is what holds it."""
    directory = start if os.path.isdir(start) else os.path.dirname(start)
    above = list(_upwards(directory))
    for candidate in above:
        if os.path.isfile(os.path.join(candidate, FILE)):
            return candidate
    for candidate in above:
        name = os.path.basename(candidate)
        if name.endswith(".ctx") and name != ".ctx":
            return os.path.dirname(candidate)
    return directory


def _upwards(directory: str) -> Iterator[str]:
    yield directory
    while os.path.dirname(directory) != directory:
        directory = os.path.dirname(directory)
        yield directory


def _selecting(project: Project, above: str, select: Sequence[str]) -> Project:
    """Paths that exist below the root are taken as paths, everything else as keys."""
    paths: set[str] = set()
    keys: set[str] = set()
    for item in select:
        absolute = os.path.abspath(item)
        below = _below(absolute, above)
        if os.path.exists(absolute) and below != ".." and not below.startswith("../"):
            paths.add(below)
        else:
            keys.add(normalize("NFC", utf8(item).strip("/")))
    return replace(project, selection=tuple(sorted(paths)), keys=tuple(sorted(keys)))


def _below(path: str, above: str) -> str:
    return normalize("NFC", utf8(os.path.relpath(path, above)).replace(os.sep, "/"))


_HEADING = re.compile(r"\s*\[{1,2}\s*([\w.-]+)\s*\]{1,2}\s*(?:#.*)?")
_GUARDED = re.compile(r"\s*['\"]?(?:env|secrets)['\"]?\s*[.=]")  # at the top: `env.values = …`
_VALUE = re.compile(r"[^\s\[\]{},]")


def guarded(text: str) -> str:
    """The text of a frozenctx.toml with dots for what stands in `[env]` and `[secrets]`, but the keys. It need not be
    TOML: what is shown beside a mistake in these tables must not be a secret either."""
    inside = False
    lines = []
    for line in text.split("\n"):
        if heading := _HEADING.fullmatch(line):
            inside = heading[1].partition(".")[0] in ("env", "secrets")
        elif inside or _GUARDED.match(line):
            inside = True
            key = re.match(r"\s*(?:[\w.-]+\s*=)?", line)
            end = key.end() if key else 0
            line = line[:end] + _VALUE.sub(DOT, line[end:])
        lines.append(line)
    return "\n".join(lines)


_TOML_HELP = (  # part of tomllib's message · help
    ("Invalid value", 'put text in "quotes"'),
    ("twice", "put what belongs together under one heading"),
    ("overwrite", "remove one of the two"),
    ("mutable", "put its keys in one place"),
    ("Unclosed", "close it"),
    ("Unterminated", "close the quote"),
    ("Expected ']'", "close it with `]`"),
    ("escape", "write `\\\\` for a backslash, or use 'single quotes'"),
    ("Illegal character", "remove it, or write it as an escape"),
)
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _parsed(text: str, report: Report) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _TOML_PLACE.search(message)
        headline = _TOML_PLACE.sub("", message)
        if place is None or place[1] is None:
            lines = text.split("\n")
            span = Span.at(FILE, len(lines), len(lines[-1]) + 1)
        else:
            span = Span.at(FILE, int(place[1]), int(place[2]))
        help = next((help for part, help in _TOML_HELP if part in headline), "write it as `key = value`")
        report.add("toml-syntax", headline[:1].lower() + headline[1:], span, help=help)
    except RecursionError:
        report.add("toml-syntax", "the file is nested too deeply", Span(FILE), help="write it flat")
    except ValueError:  # of Python's int(), which has a limit against long conversions
        report.add("toml-syntax", "a number has too many digits", Span(FILE), help=_IN_QUOTES)
    return None


class _Reader:
    """Checks the tables of one `frozenctx.toml`; reports what is wrong and leaves it out."""

    def __init__(self, text: str, root: str, sources: Sources, report: Report) -> None:
        self.places = toml_places(text)
        self.root = root
        self.sources = sources
        self.report = report

    # -- the file as a whole ---------------------------------------------------------------------------------------

    def version_fits(self, table: Mapping[str, Any]) -> bool:
        wanted = table.get("required-version")
        if wanted is None:
            return True
        span = self.places.value(("required-version",), FILE)
        try:
            fits = isinstance(wanted, str) and satisfies(VERSION, wanted)
        except ValueError as error:
            self.report.add(
                "bad-option", f"`required-version` is no version specifier: {error}", span, help='write `">=0.1,<2"`'
            )
            return False
        if not isinstance(wanted, str):
            self.wrong(("required-version",), "a string", wanted)
            return False
        if not fits:
            self.report.add(
                "required-version",
                f"this project requires frozenctx `{wanted}`, and this is {VERSION}",
                span,
                help="install a version that fits, or change `required-version`",
            )
        return fits

    def project(self, table: Mapping[str, Any]) -> Project:
        tables = {key.name: key.type for key in PROJECT.body.keys}
        found: dict[str, dict[str, Any]] = {name: {} for name in tables}
        for name, value in table.items():
            if name == "required-version":
                continue
            if name not in tables:
                self.unknown((name,), list(tables))
            elif not isinstance(value, dict):
                self.wrong((name,), "a table", value)
            else:
                found[name] = value
                known = [key.name for key in tables[name].keys]
                for key in value if known and name != "lint" else ():
                    if key not in known:
                        self.unknown((name, key), known)
        required = table.get("required-version")
        mounts = dict(self.mounts(found["mounts"]))
        secret, public = (
            self.strings(("env", kind), found["env"].get(kind, []), self.variable) for kind in ("secret", "public")
        )
        return Project(
            self.root,
            has_file=True,
            trees=self.trees(found["trees"]) if "trees" in table else {".": ""},
            mounts=mounts,
            mounted={name: found["mounts"][name] for name in mounts},
            also=self.strings(("packages", "also"), found["packages"].get("also", []), self.pattern),
            defaults=dict(self.defaults(found["defaults"])),
            places={name: self.places.value(("defaults", name), FILE) for name in found["defaults"]},
            env_files=self.env_files(("env", "files"), found["env"].get("files", [])),
            env=dict(self.env(found["env"].get("values", {}))),
            secret=secret,
            public=public,
            marks=tuple(self.marks(found["env"], {*secret, *public})),
            allowed=dict(self.allowed(found["secrets"].get("allow", {}))),
            profiles=dict(self.profiles(found["profiles"])),
            host=HostNames(*(self.names(kind, found["host"]) for kind in ("filters", "tests", "globals"))),
            lint=dict(self.lint(found["lint"])),
            required_version=required,
        )

    # -- tables ----------------------------------------------------------------------------------------------------

    def trees(self, table: Mapping[str, Any]) -> dict[str, str]:
        trees: dict[str, str] = {}
        for directory, prefix in table.items():
            key: Path = ("trees", directory)
            if not isinstance(prefix, str):
                self.wrong(key, "a string, the prefix of the tree's keys", prefix)
                continue
            parts = prefix.split("/")
            if prefix and ("" in parts or "." in parts or ".." in parts or not prefix.isprintable()):
                self.bad(key, f"`{prefix}` is no key prefix", 'write it like `"chat"` or `"chat/v2"`')
                continue
            try:
                path = self.sources.join(".", directory)
                kind = self.sources.kind(path)
            except SourceFault as fault:
                fault.add_to(self.report, self.places.key(key, FILE))
                continue
            if path.startswith("@"):
                help = "put its packages below the root, or build it for itself"
                self.bad(key, "a tree lies below the root, not in a mount", help, at_key=True)
            elif kind != "directory":
                self.missing(f"the tree `{directory}` is not a directory", self.places.key(key, FILE))
            elif path in trees:
                self.bad(key, f"the tree `{path}` is named twice", "remove one of the two", at_key=True)
            else:
                trees[path] = normalize("NFC", prefix)
        return trees

    def mounts(self, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, directory in table.items():
            key: Path = ("mounts", name)
            if not isinstance(directory, str):
                self.wrong(key, "a string, the mounted directory", directory)
            elif not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
                help = "use letters, digits, `_`, `-` and `.`"
                self.bad(key, f"`{name}` is no name for a mount", help, at_key=True)
            elif "\0" in directory:
                self.bad(key, _NUL, _WITHOUT_NUL)
            else:
                path = os.path.realpath(os.path.join(self.root, native(directory)))
                if os.path.isdir(path):
                    yield name, path
                else:
                    self.missing(f"the mount `{directory}` is not a directory", self.places.value(key, FILE))

    def defaults(self, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for key in _keys("defaults"):
            name, value, path = key.name, table.get(key.name), ("defaults", key.name)
            if value is None:
                continue
            if not isinstance(value, str):
                self.wrong(path, "a string", value)
            elif not value.strip():
                blank = "blank" if value else "empty"
                self.bad(path, f"expected a string that is not {blank}", f"write a value, or remove `{name}`")
            elif "\0" in value:
                self.bad(path, _NUL, _WITHOUT_NUL)
            elif key.type.choices and value not in key.type.choices:
                self.bad(
                    path, f"expected {one_of(key.type.choices)}, found `{value}`", nearest(value, key.type.choices)
                )
            else:
                yield name, value

    def env(self, table: Any) -> Iterator[tuple[str, str]]:
        if not isinstance(table, dict):
            self.wrong(("env", "values"), "a table", table)
            return
        for name, value in table.items():
            if not _NAME.fullmatch(name):
                help = "use letters, digits and `_`, a digit not at first"
                path = ("env", "values", name)
                self.bad(path, f"`{name}` is no name of an environment variable", help, at_key=True)
            elif not isinstance(value, str):
                self.wrong(("env", "values", name), "a string, as every environment value is", value)
            else:
                yield name, value

    def variable(self, path: Path, name: str) -> bool:
        if _NAME.fullmatch(name):
            return True
        self.bad(path, "this is no name of an environment variable", "use letters, digits and `_`, and no value")
        return False

    def marks(self, table: Mapping[str, Any], sound: Collection[str]) -> Iterator[tuple[str, Span]]:
        for kind in ("secret", "public"):
            names = table.get(kind)
            for index, name in enumerate(names if isinstance(names, list) else ()):
                if isinstance(name, str) and name in sound:
                    yield name, self.places.value(("env", kind, index), FILE)

    def allowed(self, table: Any) -> Iterator[tuple[str, Span]]:
        if not isinstance(table, dict):
            self.wrong(("secrets", "allow"), "a table", table)
            return
        for fingerprint, reason in table.items():
            path = ("secrets", "allow", fingerprint)
            if not re.fullmatch(r"[0-9a-f]{16}", fingerprint):
                help = "copy it from the finding `pasted-secret`"
                self.bad(path, "the key is no fingerprint", help, at_key=True)
            elif not isinstance(reason, str):
                self.wrong(path, "a string, the reason", reason)
            elif not reason.strip():
                self.bad(path, "the reason is empty", "say why this is no secret")
            else:
                yield fingerprint, self.places.key(path, FILE)

    def env_files(self, path: Path, value: Any) -> tuple[str, ...]:
        files = self.strings(path, value, self.below_root)
        return tuple(os.path.normpath(os.path.join(self.root, native(file))) for file in files)

    def below_root(self, path: Path, file: str) -> bool:
        real = os.path.realpath(os.path.join(self.root, native(file)))
        if file.strip() and os.path.commonpath([self.root, real]) == self.root:
            return True
        help = "put it below the root, or give it to the command with `--env-file`"
        self.bad(path, "the environment file is not below the root", help)
        return False

    def profiles(self, table: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, files in table.items():
            path = ("profiles", name)
            if is_profile_name(name):
                yield name, self.env_files(path, files)
            else:
                help = "use letters, digits, `.`, `_`, `-`, a letter or digit at first"
                self.bad(path, f"`{name}` is no name for a profile", help, at_key=True)

    def lint(self, table: Mapping[str, Any]) -> Iterator[tuple[str, Level]]:
        lints = sorted(name for name, code in CODES.items() if code.kind == "lint")
        for name, level in table.items():
            path = ("lint", name)
            if name not in CODES:
                help = did_you_mean(name, lints, "`frozenctx explain` lists the lints")
                self.bad(path, f"there is no lint `{name}`", help, at_key=True)
            elif CODES[name].kind == "fault":
                self.bad(path, f"`{name}` is always an error", "remove the line", at_key=True)
            elif level not in _LEVELS:
                found = f"`{level}`" if isinstance(level, str) else _kind_of(level)
                self.bad(path, f"expected {one_of(_LEVELS)}, found {found}", nearest(level, _LEVELS))
            else:
                yield name, cast(Level, level)

    # -- values ----------------------------------------------------------------------------------------------------

    def strings(self, path: Path, value: Any, check: Callable[[Path, str], bool] | None = None) -> tuple[str, ...]:
        if not isinstance(value, list):
            self.wrong(path, "a list of strings", value)
            return ()
        sound = []
        for index, item in enumerate(value):
            here = (*path, index)
            if not isinstance(item, str):
                self.bad(here, f"expected a list of strings, found one that holds {_kind_of(item)}", _IN_QUOTES)
            elif "\0" in item:
                self.bad(here, _NUL, _WITHOUT_NUL)
            elif check is None or check(here, item):
                sound.append(item)
        return tuple(sound)

    def names(self, kind: str, table: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(sorted(set(self.strings(("host", kind), table.get(kind, []), self.identifier))))

    def identifier(self, path: Path, name: str) -> bool:
        if name.isidentifier() and name.isascii():
            return True
        help = "use letters, digits and `_`, a digit not at first"
        self.bad(path, f"`{name}` is no name that a template can use", help)
        return False

    def pattern(self, path: Path, pattern: str) -> bool:
        parts = pattern.split("/")
        if pattern and not pattern.startswith("/") and not {"", ".", ".."} & set(parts):
            return True
        self.bad(path, f"`{pattern}` is no pattern of directories below the root", 'write it like `"reasoners/*"`')
        return False

    def unknown(self, path: Path, known: list[str]) -> None:
        self.report.add(
            "unknown-option",
            f"frozenctx.toml has no key `{'.'.join(map(str, path))}`",
            self.places.key(path, FILE),
            help=did_you_mean(str(path[-1]), known, f"it knows {all_of(known)}"),
        )

    def missing(self, headline: str, span: Span) -> None:
        self.report.add("no-such-path", headline, span, help="name a directory that there is, relative to this file")

    def wrong(self, path: Path, expected: str, found: Any) -> None:
        """A value of the wrong kind, and how to write the right one."""
        help = _IN_QUOTES if isinstance(found, bool | int | float) else 'write it in "quotes", as one value'
        if "list" in expected:
            help = "write `[…]` around it"
        elif "table" in expected:
            help = f"write `{path[-1]} = {{…}}`" if len(path) > 1 else f"write `[{path[-1]}]` and its keys below"
        self.bad(path, f"expected {expected}, found {_kind_of(found)}", help)

    def bad(self, path: Path, headline: str, help: str, *, at_key: bool = False) -> None:
        """A fault of a value, or of the key's name."""
        place = self.places.key if at_key else self.places.value
        self.report.add("bad-option", headline, place(path, FILE), help=help)


def _keys(table: str) -> tuple[Key, ...]:
    """The keys that a table of the file has."""
    return next(key.type.keys for key in PROJECT.body.keys if key.name == table)


def _kind_of(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


# -- versions --------------------------------------------------------------------------------------------------------

_VERSION = re.compile(r"(\d+(?:\.\d+)*)(?:\.?(a|b|rc|dev)(\d+))?")
_CLAUSE = re.compile(r"(==|!=|>=|<=|~=|>|<|)\s*(.+)")


def satisfies(version: str, specifier: str) -> bool:
    """Whether a version fits comma-separated comparisons as PEP 440 writes them: `>=0.2,<1`, `==0.2.*`, `~=0.2.1`.

    A bare version means `==`. Raises ValueError, with the part that cannot be read, for anything else.
    """
    fits = [_fits(version, clause.strip()) for clause in specifier.split(",")]  # every clause is read, fitting or not
    return all(fits)


def _fits(version: str, clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        raise ValueError("a comparison is empty")
    operator, wanted = match[1] or "==", match[2]
    if wanted.endswith(".*") and operator in ("==", "!="):
        release = _ordered(wanted[:-2])[0]
        same = _padded(_ordered(version)[0], len(release))[: len(release)] == release
        return same == (operator == "==")
    here, there = _comparable(version), _comparable(wanted)
    if operator == "~=":
        release = _ordered(wanted)[0]
        if len(release) < 2:
            raise ValueError(f"`~={wanted}` needs two numbers at least")
        return here >= there and _padded(_ordered(version)[0], len(release))[: len(release) - 1] == release[:-1]
    results = {
        "==": here == there,
        "!=": here != there,
        ">=": here >= there,
        "<=": here <= there,
        ">": here > there,
        "<": here < there,
    }
    return results[operator]


def _ordered(version: str) -> tuple[tuple[int, ...], tuple[int, int]]:
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        raise ValueError(f"`{version}` is no version")
    stage = {"dev": 0, "a": 1, "b": 2, "rc": 3, None: 4}[match[2]]
    return tuple(int(part) for part in match[1].split(".")), (stage, int(match[3] or 0))


def _comparable(version: str) -> tuple[tuple[int, ...], tuple[int, int]]:
    release, stage = _ordered(version)
    while release and release[-1] == 0:
        release = release[:-1]
    return release, stage


def _padded(release: tuple[int, ...], length: int) -> tuple[int, ...]:
    return release + (0,) * (length - len(release))
