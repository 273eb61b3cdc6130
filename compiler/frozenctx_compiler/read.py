"""The pass read: a package's files → YAML nodes with marks and Jinja trees, interpreted no further (CTX-FORMAT §2).

In: one PackageFiles, the project and its sources. Out: a ReadPackage, or None when anything of it could not be read;
every such thing is reported. Invariant: what the package pulls in (partials, imported texts and data) is all here, so
no later pass opens a template. `eval.py`, `eval.yaml` and `eval.yml` are never read.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

import yaml

from . import frontmatter, roles
from .captures import Captured, base_directory, capture
from .diagnostics import Related, Scope, Span
from .diagnostics.text import visible
from .discover import SETTINGS
from .excerpt import Excerpt
from .messages import read_messages
from .package import Layout, PackageFiles, ReadPackage, SampleFile, SettingsDocument, StubFile
from .project import Project
from .read_stub import read_stub
from .roles import Templates
from .scalars import NULL
from .sources import SourceFault, Sources
from .yamltree import compose, is_empty, span_of

_RICH = ("prompt.j2", "messages", "schema.pyi", "tools.pyi")
_EVALS = ("eval.py", "eval.yaml", "eval.yml")
_KNOWN = (*SETTINGS, *_RICH, "skills", "samples", "partials", *_EVALS, "OWNERS", "tests")
_KNOWN_PATTERNS = ("README*", ".*", "__pycache__")
_OF_TEXTS = ("j2", "jinja", "jinja2", "md", "txt")
_OF_EVALS = ("data", "datasets", "*.jsonl", "*.csv", "*.tsv")  # beside an eval.py or eval.yaml


def read(files: PackageFiles, project: Project, sources: Sources, scope: Scope) -> ReadPackage | None:
    """Everything one package consists of. Shared partials are parsed once per `sources`."""
    try:
        return _single_file(files, sources, scope) if files.single_file else _directory(files, sources, scope)
    except SourceFault as fault:
        fault.add_to(scope)
        return None


def _single_file(files: PackageFiles, sources: Sources, scope: Scope) -> ReadPackage | None:
    text = sources.text(files.path)
    parts = frontmatter.split(text)
    if not parts.closed:
        scope.add(
            "unclosed-front-matter",
            "the front matter is never closed",
            Span.at(files.path, 1, 1, 3),
            label="opens here",
            help="put a line `---` after the settings",
        )
        return None
    settings = _settings(files.path, parts.settings or "", 1, scope)
    body = Excerpt(files.path, parts.body)
    if parts.settings is not None:
        count = parts.body.count("\n") + 1
        body = Excerpt(files.path, parts.body, tuple(range(parts.body_line, parts.body_line + count)), (0,) * count)
    templates = roles.split(body, scope)
    directory = files.path.rpartition("/")[0] or "."
    captured = _captured(templates, directory, sources, scope)
    samples = _samples_of_file(files, directory, sources, scope)
    return _finished(files, "single", settings, captured, samples)


def _directory(files: PackageFiles, sources: Sources, scope: Scope) -> ReadPackage | None:
    present = [name for name in SETTINGS if name in files.entries]
    if len(present) > 1:
        other = Related(Span(f"{files.path}/{present[1]}"), "the other one")
        scope.add(
            "two-settings",
            f"`{files.path}` holds both `settings.yaml` and `settings.yml`",
            Span(f"{files.path}/{present[0]}"),
            related=[other],
            help="keep one of them",
        )
    if not present:
        scope.add(
            "missing-settings",
            f"`{files.path}` has a prompt and no settings",
            Span(files.path),
            help=f"add `{files.path}/settings.yaml`; it may be empty",
        )
    if "prompt.j2" in files.entries and "messages" in files.entries:
        scope.add(
            "two-prompts",
            f"`{files.path}` holds both `prompt.j2` and `messages/`",
            Span(f"{files.path}/prompt.j2"),
            related=[Related(Span(f"{files.path}/messages"), "the other one")],
            help="keep one of them",
        )
    settings = None
    for name in present[:1]:
        path = f"{files.path}/{name}"
        settings = _settings(path, sources.text(path), 0, scope)
    templates: Templates | None = ()
    if "prompt.j2" in files.entries:
        path = f"{files.path}/prompt.j2"
        templates = roles.split(Excerpt(path, sources.text(path)), scope)
    elif "messages" in files.entries:
        templates = read_messages(f"{files.path}/messages", sources, scope)
    captured = _captured(templates, files.path, sources, scope)
    samples = _samples_of_directory(files, sources, scope)
    layout: Layout = "rich" if _is_rich(files, settings) else "minimal"
    if settings is not None and captured is not None:
        _note_unknown(files, settings, captured, sources, scope)
    schema, tools = (
        read_stub(f"{files.path}/{name}", sources, scope) if name in files.entries else None
        for name in ("schema.pyi", "tools.pyi")
    )
    return _finished(files, layout, settings, captured, samples, schema, tools)


def _finished(
    files: PackageFiles,
    layout: Layout,
    settings: SettingsDocument | None,
    captured: Captured | None,
    samples: tuple[SampleFile, ...],
    schema: StubFile | None = None,
    tools: StubFile | None = None,
) -> ReadPackage | None:
    if settings is None:
        return None
    if captured is None:  # the templates cannot be used, and that was said; the settings may have faults of their own
        captured = Captured(files.path, (), {}, {}, {}, frozenset())
    return ReadPackage(
        files,
        layout,
        settings,
        captured.base,
        captured.roles,
        captured.partials,
        captured.texts,
        captured.data,
        samples,
        schema,
        tools,
    )


def _settings(path: str, text: str, line_offset: int, scope: Scope) -> SettingsDocument | None:
    node = compose(text, path, scope, line_offset=line_offset, repeated=True)
    if node is None:
        return SettingsDocument(path, text, None, line_offset) if is_empty(text) else None
    if node.tag == NULL:  # a bare `---`, or `null`
        return SettingsDocument(path, text, None, line_offset)
    if not isinstance(node, yaml.MappingNode):
        scope.add("bad-value", "the settings must be a mapping of keys", span_of(node, path), help="write `key: value`")
        return None
    return SettingsDocument(path, text, node, line_offset)


def _is_rich(files: PackageFiles, settings: SettingsDocument | None) -> bool:
    if any(name in files.entries for name in _RICH):
        return True
    node = settings.node if settings is not None else None
    return node is not None and any(key.value == "sections" for key, _ in node.value)


def _captured(templates: Templates | None, directory: str, sources: Sources, scope: Scope) -> Captured | None:
    """Follow what the templates pull in; None when there is a prompt and nothing of it can be used."""
    if templates is None:
        return None
    if not templates:
        return Captured(directory, (), {}, {}, {}, frozenset())
    return capture(templates, directory, base_directory(directory, sources), sources, scope)


def _samples_of_directory(files: PackageFiles, sources: Sources, scope: Scope) -> tuple[SampleFile, ...]:
    """`samples/<name>.yaml`, by name."""
    directory = f"{files.path}/samples"
    if "samples" not in files.entries:
        return ()
    try:
        names = sources.listing(directory)
    except SourceFault as fault:
        fault.add_to(scope)
        return ()
    samples = []
    for name in names:
        path = f"{directory}/{name}"
        if name.startswith("."):
            continue
        if not name.endswith(".yaml"):
            scope.add("unknown-file", f"`{path}` is not read", Span(path), notes=("a sample is a `.yaml` file",))
            continue
        if not _is_name(name, Span(path), scope):
            continue
        try:
            text = sources.text(path)
        except SourceFault as fault:
            fault.add_to(scope)
            continue
        node = compose(text, path, scope, repeated=True)
        if node is None:
            if is_empty(text):
                scope.add("bad-sample", "the sample is empty", Span(path), help="write `variables: {}`")
        else:
            samples.append(SampleFile(name.removesuffix(".yaml"), path, node))
    return tuple(samples)


def _samples_of_file(files: PackageFiles, directory: str, sources: Sources, scope: Scope) -> tuple[SampleFile, ...]:
    """`<stem>.samples.yaml` beside a single file: name → sample."""
    path = sources.join(directory, f"{files.stem}.samples.yaml")
    if sources.kind(path) is None:
        return ()
    node = compose(sources.text(path), path, scope, repeated=True)
    if node is None:
        return ()
    if not isinstance(node, yaml.MappingNode):
        scope.add(
            "bad-sample", "samples are a mapping of names", span_of(node, path), help="write `name: {variables: …}`"
        )
        return ()
    samples = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            scope.add("bad-sample", "the name of a sample is a string", span_of(key, path), help="write one name")
        elif _is_name(key.value, span_of(key, path), scope):
            samples.append(SampleFile(key.value, path, value))
    return tuple(samples)


def _is_name(name: str, at: Span, scope: Scope) -> bool:
    """Whether a sample's name can stand in a line; reported when not."""
    if name.strip() and visible(name) == name:
        return True
    what = "holds what no line shows" if name.strip() else "is blank"
    scope.add("bad-sample", f"the name of a sample {what}", at, help="write letters, digits and `-`")
    return False


def _note_unknown(
    files: PackageFiles, settings: SettingsDocument, captured: Captured, sources: Sources, scope: Scope
) -> None:
    """Note entries that mean nothing here and that neither the templates nor the settings name."""
    for name in _unknown(files.entries):
        path = f"{files.path}/{name}"
        if _names(settings.text, name) or any(file == path or file.startswith(f"{path}/") for file in captured.files):
            continue
        if _is_of_evals(name, files, sources):
            continue
        scope.add("unknown-file", f"`{path}` is not read", Span(path), help=_meant(name, files.entries))


def _meant(name: str, entries: tuple[str, ...]) -> str | None:
    """The help for a file that is not read, if it is called much like one that would be."""
    name = name.lower()
    near = [known for known in _KNOWN if name in (known.lower(), known.lower().removesuffix("i"))]
    if near:
        return f"did you mean `{near[0]}`?"
    role, _, ending = name.partition(".")
    if role not in roles.ROLES or ending not in _OF_TEXTS:
        return None
    if "messages" in entries:
        return "a message is a `.yaml` file in `messages/`"
    return f"write it into `prompt.j2`, below a line `<<<role:{role}>>>`"


def _is_of_evals(name: str, files: PackageFiles, sources: Sources) -> bool:
    """Whether something may be what evals work with (docs/evals.md). What `eval.yaml` names is not known here."""
    if any(file in files.entries for file in _EVALS) and any(fnmatchcase(name, pattern) for pattern in _OF_EVALS):
        return True
    if "eval.py" not in files.entries:
        return False
    if name.endswith(".py"):
        return f"{name.lower()}i" not in _KNOWN
    try:
        return sources.kind(f"{files.path}/{name}/__init__.py") is not None
    except SourceFault:  # of a link that leads away: nothing of it is read
        return False


def _names(text: str, name: str) -> bool:
    """Whether a text speaks of a file, be it in an expression or as the beginning of a path."""
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None


def _unknown(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if name not in _KNOWN and not any(fnmatchcase(name, pattern) for pattern in _KNOWN_PATTERNS):
            yield name
