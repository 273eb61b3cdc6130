"""The data that travels between the passes, in the order of the pipeline. Frozen, slotted, without behaviour.

discover → PackageFiles · read → ReadPackage · resolve → ResolvedPackage · check → CheckedPackage ·
lower → LoweredPackage · link → LinkedPackage · emit → Emitted
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from .diagnostics import Span

if TYPE_CHECKING:
    import ast

    import yaml
    from jinja2 import nodes

    from .contracts.types import Declarations

Layout = Literal["minimal", "rich", "single"]
Role = Literal["system", "user"]


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """One package as found on disk. `path` is root-relative (directory, or the file of a single-file package)."""

    key: str
    stem: str
    path: str
    single_file: bool
    entries: tuple[str, ...] = ()  # names directly inside the package directory, sorted; () for a single file


@dataclass(frozen=True, slots=True)
class TemplateText:
    """One template as Jinja sees it.

    `name` is the template name of jinja2's messages (a label relative to the base directory; None for a package's
    own role templates). `lines[i]` is the line of `file` that line i + 1 of `text` came from, `columns[i]` how far
    its text is shifted to the right there; both empty when the text is the file.
    """

    name: str | None
    file: str
    text: str
    tree: "nodes.Template"
    lines: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Capture:
    """One entry of a template's dependency bundle (CTX-FORMAT §5, renderer name), in bundle order."""

    kind: Literal["template", "import_yaml", "import_text"]
    label: str
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class RoleTemplate:
    """A package's own template for one role, and what it captures, depth first, in bundle order.

    A file is captured once; `aliases` are the other names, through links, that the templates call such a file by.
    """

    role: Role
    template: TemplateText
    captures: tuple[Capture, ...] = ()
    aliases: tuple[Capture, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingsDocument:
    """The settings as one composed YAML mapping with marks; `node` is None when there is none or it is empty.

    `text` is the YAML alone; of `file` there are `lines_above` lines above it (the fence of front matter).
    """

    file: str
    text: str
    node: "yaml.nodes.MappingNode | None"
    lines_above: int = 0


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A sample as read: name, its file, and its composed node."""

    name: str
    file: str
    node: "yaml.nodes.Node"


@dataclass(frozen=True, slots=True)
class StubFile:
    """A `.pyi` file as read: its text, and the syntax tree of it."""

    file: str
    text: str
    tree: "ast.Module"


@dataclass(frozen=True, slots=True)
class SkillDirectory:
    """One directory under `skills/` as read. `front`: the front matter of its SKILL.md, None when there is none;
    `body`: what follows, which begins on line `body_line`. `resources`: the other files, path below the directory →
    bytes, sorted."""

    name: str
    path: str
    file: str
    front: SettingsDocument | None
    body: str
    body_line: int
    resources: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadPackage:
    """Everything a package consists of, parsed, nothing interpreted. Of a package with faults, what could be read."""

    files: PackageFiles
    layout: Layout
    settings: SettingsDocument
    base: str = "."  # the directory that targets of templates are relative to
    roles: tuple[RoleTemplate, ...] = ()  # empty for the minimal layout; system first
    partials: Mapping[str, TemplateText] = field(default_factory=dict)  # target as written → template, whole closure
    texts: Mapping[str, str] = field(default_factory=dict)  # literal path of import_text → content
    data: Mapping[str, Any] = field(default_factory=dict)  # literal path of import_yaml → plain data
    samples: tuple[SampleFile, ...] = ()
    schema: StubFile | None = None  # schema.pyi
    tools: StubFile | None = None  # tools.pyi


@dataclass(frozen=True, slots=True)
class EnvUse:
    """Which environment names one package asked for. Values are never kept."""

    found: tuple[str, ...] = ()
    defaulted: Mapping[str, str] = field(default_factory=dict)  # name → its default, as the source writes it
    missing: tuple[str, ...] = ()  # asked for without a default and not given
    unused: Mapping[str, str] = field(default_factory=dict)  # of `found`: name → the default that was not needed
    complete: bool = True  # when an expression is faulty, nobody knows what it would have asked


@dataclass(frozen=True, slots=True)
class Located:
    """Plain data and where each part of it stands. `spans[path]` is the value's span, `keys[path]` its key's.

    `origins[path]` is the environment variable a value came from, or several: `A, B`. Such a value is never shown in a
    message.
    """

    value: Any
    file: str
    spans: Mapping[tuple[str | int, ...], Span] = field(default_factory=dict)
    keys: Mapping[tuple[str | int, ...], Span] = field(default_factory=dict)
    origins: Mapping[tuple[str | int, ...], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResolvedPackage:
    read: ReadPackage
    settings: Located  # value: dict of plain data (str, int, float, bool, None, list, dict)
    env: EnvUse = EnvUse()


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings (CTX-FORMAT §3). None and empty mean "not set" where the identity omits them."""

    name: str
    model: str  # provider:model, or a bare model name
    system: str = ""  # minimal layout only
    reply_schema: Any = None
    tools: tuple[str, ...] = ()
    system_render: str | None = None  # minimal layout only: a renderer of the host
    user_render: str | None = None
    max_tokens: int | None = None
    max_rounds: int | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    output_retries: int | None = None
    require_tool_call: bool | None = None
    response_format: str | None = None
    prompt_cache: str | None = None
    agent: bool | None = None
    sub: Mapping[str, str] | None = None
    context: str | None = None
    skills: tuple[str, ...] = ()
    input_defaults: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """`located`: where its parts stand, from the sample down: `("variables", "title")`."""

    name: str
    variables: Mapping[str, Any]
    description: str = ""
    expect: Mapping[str, Any] = field(default_factory=dict)
    located: Located = field(default=Located({}, ""), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A contract from `tools.pyi` (CTX-FORMAT §6). `input_schema`: JSON Schema of an object, in source order."""

    key: str
    wire_name: str
    server: str | None
    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Skill:
    """An active skill (CTX-FORMAT §7). `file`: its SKILL.md. `extra`: its other front-matter keys. `resources`: path →
    bytes, sorted."""

    key: str  # skill/<name>@v<12 hex>
    name: str
    description: str  # on one line; "" when there is none
    body: str
    file: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    resources: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckedPackage:
    """`settings.reply_schema` and `settings.tools` hold what the stubs add to them. `declared`: what `schema.pyi` says;
    `input_schema`: of its `Input`. `input_defaults`: variable → default, when templates are given them."""

    read: ReadPackage
    settings: Settings
    env: EnvUse
    samples: tuple[Sample, ...] = ()
    declared: "Declarations | None" = None
    input_schema: Mapping[str, Any] | None = None
    input_defaults: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    skills: tuple[Skill, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A lowered template: its Python text, the host-supplied names it needs (`filter:money`, sorted), the names that it
    asks its context for, and those that it sets anywhere. `code`: what the running interpreter compiles the text to,
    for its pack."""

    text: str
    host_names: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    sets: frozenset[str] = frozenset()
    code: CodeType | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LoweredPackage:
    checked: CheckedPackage
    roles: Mapping[Role, Program] = field(default_factory=dict)
    partials: Mapping[str, Program] = field(default_factory=dict)  # template name → program


@dataclass(frozen=True, slots=True)
class LinkedPackage:
    """A package ready to be frozen: programs bound to names, renderer names and sources digests worked out."""

    lowered: LoweredPackage
    renderers: Mapping[Role, str] = field(default_factory=dict)  # role → renderer name
    sources: Mapping[Role, str] = field(default_factory=dict)  # role → full sha256 hex of what the renderer name hashes
    host_names: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()  # what the templates want to be given, inferred, for information


@dataclass(frozen=True, slots=True)
class Emitted:
    """All objects of one release in memory: `objects` maps sha256 hex → bytes; `codes`, of programs, → their code.
    `resources`: the raw objects, sha256 hex → bytes. `files`: of skills and resources, hex → where one stands."""

    release: str  # sha256 hex of the release object
    objects: Mapping[str, bytes]
    prompts: tuple[tuple[str, str], ...]  # (key, version), sorted by key
    programs: tuple[str, ...] = ()  # hex digests that are programs, stored with the `.py` suffix
    codes: Mapping[str, CodeType] = field(default_factory=dict, compare=False, repr=False)
    resources: Mapping[str, bytes] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
