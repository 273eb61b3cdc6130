"""The compiler as a library: `build`, `check` and `load`. One function, `compile_tree`, is the pipeline itself.

In: a path to a tree of `.ctx` packages and an explicit environment. Out: a report, and objects in memory or in a
directory. Nothing here prints or reads the process environment.
"""

import gc
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import frozenctx
from frozenctx.errors import restored
from frozenctx.format import LIMITS

from .check_document import all_of
from .check_environment import check_environment
from .check_evals import check_evals, read_evals
from .check_inputs import Checked, check_inputs
from .check_samples import check_samples
from .check_schema import Schemas, check_schema, read_schemas
from .check_secrets import (
    check_allowed,
    check_defaults,
    check_marks,
    check_objects,
    check_profile,
    check_record,
    check_secrets,
    check_sources,
    defaults_of,
    texts_beside,
)
from .check_settings import check_settings
from .check_skills import check_skills
from .check_system import check_system
from .check_templates import check_templates
from .check_tools import check_tools
from .contracts.tools import DeclaredTool, tools_of
from .diagnostics import Diagnostic, Level, Report, Scope, Span
from .diagnostics.text import closing, render_text
from .discover import discover
from .emit import emit, emitted_files
from .environment import Env, is_name, parse_env_file
from .link import link
from .lower import Cache, lower
from .package import (
    CheckedPackage,
    Emitted,
    EnvUse,
    LinkedPackage,
    LoweredPackage,
    PackageFiles,
    ReadPackage,
    ResolvedPackage,
    SettingsDocument,
)
from .project import FILE, Project, guarded, read_project
from .read import read
from .record import record
from .resolve import resolve
from .secrets import NO_SECRETS, Secrets
from .shapes import without_pasted
from .snapshots import Snapshot, read_snapshot
from .sources import SourceFault, Sources
from .spelling import did_you_mean
from .store import StoreResult, store
from .templates.dialect import CTX

Files = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Compilation:
    """What the pipeline found: the packages that got through each part of it, the findings, and what was read."""

    project: Project
    sources: Sources
    report: Report
    env: Env
    env_files: tuple[str, ...] = ()  # environment files, as findings name them; no text of theirs is ever shown
    files: tuple[PackageFiles, ...] = ()
    resolved: tuple[ResolvedPackage, ...] = ()
    evals: tuple[EnvUse, ...] = ()  # what each eval.yaml asked of the environment, when they are checked
    packages: tuple[LinkedPackage, ...] = ()
    needs: tuple[str, ...] = ()  # features that a runtime must have: FORMAT.md
    secrets: Secrets = NO_SECRETS  # of the environments of all profiles
    hide: Callable[[str], str] = without_pasted  # puts dots for secrets into a text that is shown
    beside: Mapping[str, str] = field(default_factory=dict)  # texts of files that only the search for pasted ones reads
    shown: Collection[str] = ()  # names of secrets that a finding would have shown, so far
    fingerprints: frozenset[str] = frozenset()  # of what has the shape of a secret, in sources and objects
    emitted: Emitted | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """The release of one profile."""

    stored: StoreResult
    release: str  # "sha256:<hex>"
    prompts: tuple[tuple[str, str], ...]  # (key, version), sorted by key


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did. `profiles` is empty when an error stopped it; the output directory is then as it was before.

    `stored`, `release` and `prompts` are those of the only profile; ValueError if there are several.
    """

    compilation: Compilation  # of the first profile; its report is that of all
    profiles: Mapping[str, Built] = field(default_factory=dict)

    @property
    def report(self) -> Report:
        return self.compilation.report

    @property
    def written(self) -> bool:
        return bool(self.profiles)

    @property
    def stored(self) -> StoreResult | None:
        return self._only.stored if self.profiles else None

    @property
    def release(self) -> str | None:
        return self._only.release if self.profiles else None

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        return self._only.prompts if self.profiles else ()

    @property
    def _only(self) -> Built:
        if len(self.profiles) != 1:
            raise ValueError(f"the build made {len(self.profiles)} releases: ask `profiles` for one by its profile")
        return next(iter(self.profiles.values()))


class CompileError(Exception):
    """`load` found errors. The message is the whole report as text; `diagnostics` has the findings as data."""

    def __init__(self, compilation: Compilation) -> None:
        findings = compilation.report.diagnostics
        outcome = closing(findings, len(compilation.files), "nothing was loaded")
        super().__init__("\n" + render_text(findings, text_reader(compilation)) + outcome)
        self.diagnostics: tuple[Diagnostic, ...] = findings

    def __reduce__(self) -> tuple[object, ...]:  # the compilation does not travel with it
        return restored, (type(self), self.args, self.__dict__)


def text_reader(compilation: Compilation) -> Callable[[str], str | None]:
    """A function that answers the text of a file for an excerpt, with dots for what is or looks like a secret; None for
    environment files, which hold them."""

    def text_of(file: str) -> str | None:
        if file in compilation.env_files:
            return None
        try:
            text = compilation.sources.text(file)
        except (SourceFault, OSError):
            return None
        return compilation.hide(guarded(text) if file == FILE else text)

    return text_of


@contextmanager
def _without_collector() -> Iterator[None]:
    """Spare the garbage collector from going through the trees of all templates again and again: a fifth of a build."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@_without_collector()
def build(
    src: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    env_files: Files = (),
    secret_env: Collection[str] = (),
    require_env: bool = False,
    profile: str | None = None,
    profiles: Mapping[str, Files] | None = None,
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    pythons: Sequence[str] = (),
    vendor_runtime: bool = False,
    prune: bool = False,
    links: Literal["inside", "follow"] = "inside",
    limits: bool = False,
    tools_snapshot: str | os.PathLike[str] | None = None,
) -> BuildResult:
    """Compile the packages at `src` into the directory `out` and let `profile` point to the new release.

    `env` is what `$env` reads, over the NAME=value lines of `env_files` (the later stronger); nothing else is.
    `secret_env`: names whose values must not be frozen, beside those that say so themselves (docs/secrets.md).
    `require_env`: a default that is used is an error.
    `profiles`: name → environment files of its own, between the two: one release for each, of sources that are read
    once; for a name without files, those that frozenctx.toml has for it. Without `profiles`: `profile`, or all of
    `[profiles]` in frozenctx.toml, or `profile` of its `[defaults]`, or "default".
    `select` names packages by path or key. `lint_levels` moves lints. `pythons`: other interpreters that packs are made
    for, and by. `vendor_runtime` puts the runtime into `out` as well. `prune` removes old releases afterwards.
    `limits`: programs that count, for `frozenctx.load(…, max_steps=…, max_output=…)`.
    `tools_snapshot`: a file of what MCP servers serve, that the packages' tools are compared with (docs/tools.md).
    With an error in the report nothing is written. Raises `StoreError` if `out` is no directory of ours or one of
    `pythons` makes no pack; OSError.
    """
    out = os.fspath(out)
    compilations = compile_tree(
        src,
        env=env,
        env_files=env_files,
        secret_env=secret_env,
        require_env=require_env,
        profile=profile,
        profiles=profiles,
        select=select,
        lint_levels=lint_levels,
        links=links,
        output=out,
        limits=limits,
        tools_snapshot=tools_snapshot,
    )
    together = _together(compilations)
    if together.report.has_errors:
        return BuildResult(together)
    observed = together.sources.observed()
    releases = {}
    for name, each in compilations.items():
        emitted = each.emitted or emit(each.packages, each.needs)
        seen = record(emitted, each.packages, each.env, each.project, observed, each.report)
        check_record(seen, each.secrets, together.report)
        releases[name] = emitted, seen
    if together.report.has_errors:
        return BuildResult(together)
    stored = store(releases, out, pythons=pythons, vendor_runtime=vendor_runtime, prune=prune)
    built = {
        name: Built(stored[name], f"sha256:{emitted.release}", emitted.prompts)
        for name, (emitted, _record) in releases.items()
    }
    return BuildResult(together, built)


def check(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    env_files: Files = (),
    secret_env: Collection[str] = (),
    require_env: bool = False,
    profile: str | None = None,
    profiles: Mapping[str, Files] | None = None,
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    links: Literal["inside", "follow"] = "inside",
    output: str | None = None,
    limits: bool = False,
    evals: bool = False,
    tools_snapshot: str | os.PathLike[str] | None = None,
) -> Compilation:
    """Find everything that `build` would find, and write nothing. The packages are those of the first profile.

    `evals`: check each package's `eval.yaml` as well, and that `eval.py` is Python; nothing of it is run.
    """
    return _together(
        compile_tree(
            src,
            env=env,
            env_files=env_files,
            secret_env=secret_env,
            require_env=require_env,
            profile=profile,
            profiles=profiles,
            select=select,
            lint_levels=lint_levels,
            links=links,
            output=output,
            limits=limits,
            evals=evals,
            tools_snapshot=tools_snapshot,
        )
    )


def load(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    env_files: Files = (),
    secret_env: Collection[str] = (),
    require_env: bool = False,
    profile: str | None = None,
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    links: Literal["inside", "follow"] = "inside",
    limits: bool = False,
    reload: bool = False,
    **host: Any,
) -> Mapping[str, frozenctx.Prompt]:
    """Compile in memory and return what `frozenctx.load` would after a build: for unit tests and the edit loop.

    `profile`: which of `[profiles]` in frozenctx.toml; without it, none of their files is read. `reload=True` compiles
    again when a prompt is asked for after a source file, listing or probe has changed. `host`: what `frozenctx.load`
    takes besides (`filters=`, `renderers=`, …; `max_steps=` with `limits=True`). Raises CompileError with the whole
    report.
    """

    def compiled() -> Compilation:
        return check(
            src,
            env=env,
            env_files=env_files,
            secret_env=secret_env,
            require_env=require_env,
            profile=profile,
            profiles={"default": ()} if profile is None else None,
            select=select,
            lint_levels=lint_levels,
            links=links,
            limits=limits,
        )

    if reload:
        from .reloading import ReloadingPrompts

        return ReloadingPrompts(compiled, lambda compilation: prompts(compilation, **host))
    return prompts(compiled(), **host)


def prompts(compilation: Compilation, **host: Any) -> frozenctx.Prompts:
    """The prompts of a compilation, loaded from memory. Raises CompileError if there are errors."""
    if compilation.report.has_errors:
        raise CompileError(compilation)
    emitted = compilation.emitted or emit(compilation.packages, compilation.needs)
    return frozenctx.load(emitted_files(emitted), **host)


@_without_collector()
def compile_tree(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None,
    env_files: Files,
    secret_env: Collection[str],
    require_env: bool,
    profile: str | None,
    profiles: Mapping[str, Files] | None,
    select: Sequence[str],
    lint_levels: Mapping[str, Level] | None,
    links: Literal["inside", "follow"],
    output: str | None,
    limits: bool,
    evals: bool = False,
    tools_snapshot: str | os.PathLike[str] | None = None,
) -> dict[str, Compilation]:
    """The pipeline, from paths to linked packages, for each profile. A package that fails a pass drops out; the others
    go on. What does not depend on the environment is done once."""
    report = Report(lint_levels)
    report.conceal(without_pasted)
    if not_names := sorted(name for name in secret_env if not is_name(name)):
        raise ValueError(f"`secret_env` takes names of variables; {len(not_names)} of those given can be none")
    project = read_project(os.fspath(src), report, select=select)
    snapshot = _snapshot(tools_snapshot, report)
    sources = Sources(project.root, project.mounts, links)
    needs = (LIMITS,) if limits else ()
    compilations: dict[str, Compilation] = {}
    for name, files_of_profile in _profiles(project, profile, profiles, report).items():
        named = [*env_files_of(project, env_files), *env_files_of(project, files_of_profile, own=False)]
        shown = tuple(file for file, _ in named)
        environment = environment_of(project, named, env, report)
        compilations[name] = Compilation(project, sources, report, environment, shown, needs=needs)
    # What is secret in one profile must not be in the release of another.
    layers = [layer for found in compilations.values() for layer in found.env.layers]
    marked = {*project.secret, *secret_env}
    secrets = Secrets(layers, marked, project.public)
    compilations = {name: replace(found, secrets=secrets) for name, found in compilations.items()}
    would_show: set[str] = set()
    compilations = _concealing(compilations, secrets, secrets, would_show, report)
    if report.has_errors:
        return compilations
    files = discover(project, sources, report, output=output)
    parsed = []
    for package in files:
        scope = report.scoped(package.key)
        read_package = read(package, project, sources, scope)
        if read_package is not None:
            parsed.append(read_package)
    if defaults := defaults_of(parsed, sources):
        written = Secrets([*layers, *({each.name: each.value} for each in defaults)], marked, project.public)
        compilations = _concealing(compilations, written, secrets, would_show, report)
        check_defaults(defaults, secrets, report)
    sound_partials: set[str] = set()
    for read_package in parsed:
        check_templates(read_package, project.host, report.scoped(read_package.files.key), sound_partials)
    schemas = {each.files.key: read_schemas(each, report.scoped(each.files.key)) for each in parsed}
    contracts = {
        each.files.key: tools_of(each.tools, report.scoped(each.files.key)) for each in parsed if each.tools is not None
    }
    evaluations = {each.key: read_evals(each, sources, report.scoped(each.key)) for each in files if evals}
    beside = texts_beside(files, sources)
    compilations = {name: replace(found, beside=beside) for name, found in compilations.items()}
    lower_package = _lowering(project, limits)
    inputs = Checked()
    settled = {}
    for name, found in compilations.items():
        found = replace(found, files=files, report=report.copy())
        settled[name] = _settled(
            found, parsed, schemas, inputs, contracts, snapshot, evaluations, lower_package, require_env
        )
    uses = [use for found in settled.values() for use in (*(each.env for each in found.resolved), *found.evals)]
    asked = [name for use in uses for name in (*use.found, *use.defaulted, *use.missing)]
    known = {*asked, *(name for layer in layers for name in layer)}
    fingerprints = {each for found in settled.values() for each in found.fingerprints}
    # Else nobody knows what the other packages hold.
    everything = project.is_whole and not any(found.report.has_errors for found in settled.values())
    for name, found in settled.items():
        check_profile(name, secrets, found.report)
        check_marks(secret_env, project.marks, known, found.report)
        if everything:
            check_allowed(project.allowed, fingerprints, found.report)
        for secret in sorted(found.shown):
            headline = f"a finding would show the secret `{secret}`"
            found.report.add("secret-frozen", headline, notes=("dots stand for it",))
    return settled


def _concealing(
    compilations: Mapping[str, Compilation], secrets: Secrets, given: Secrets, shown: set[str], report: Report
) -> dict[str, Compilation]:
    """The compilations with `secrets` kept out of all that they show. `shown`: hears which of the `given` ones a
    finding would have shown."""

    def hide(text: str) -> str:
        return without_pasted(secrets.hidden(text))

    def notice(text: str) -> str:
        hidden = secrets.hidden(text)
        if hidden != text:
            shown.update(given.in_text(text))
        return without_pasted(hidden)

    report.conceal(notice)
    return {name: replace(found, hide=hide, shown=shown) for name, found in compilations.items()}


def _lowering(project: Project, limits: bool) -> Callable[[CheckedPackage, Scope], LoweredPackage | None]:
    """Return `lower` for this project. Programs do not depend on the environment: profiles share them."""
    dialect = replace(
        CTX,
        host_filters=project.host.filters,
        host_tests=project.host.tests,
        host_globals=project.host.globals,
    )
    partials: Cache = {}
    done: dict[str, LoweredPackage] = {}

    def lowered(checked: CheckedPackage, scope: Scope) -> LoweredPackage | None:
        key = checked.read.files.key
        if key in done:
            return replace(done[key], checked=checked)
        made = lower(checked, dialect, partials, scope, "limited" if limits else "lean")
        if made is not None:
            done[key] = made
        return made

    return lowered


def _settled(
    found: Compilation,
    parsed: Sequence[ReadPackage],
    schemas: Mapping[str, Schemas | None],
    inputs: Checked,
    contracts: Mapping[str, Sequence[DeclaredTool]],
    snapshot: Snapshot | None,
    evaluations: Mapping[str, SettingsDocument | None],
    lower_package: Callable[[CheckedPackage, Scope], LoweredPackage | None],
    require_env: bool,
) -> Compilation:
    """The part of the pipeline that depends on the environment."""
    resolved: list[ResolvedPackage] = []
    packages: list[LinkedPackage] = []
    for read_package in parsed:
        scope = found.report.scoped(read_package.files.key)
        plain = resolve(read_package, found.env, found.sources, scope, require_env)
        if plain is None:
            continue
        resolved.append(plain)
        checked = check_settings(plain, found.project, found.sources, scope)
        skills = check_skills(plain, found.sources, scope)
        if checked is not None:
            checked = check_schema(checked, plain.settings, schemas[read_package.files.key], scope)
            checked = replace(checked, skills=skills)
            declared = contracts.get(read_package.files.key, ())
            checked = check_tools(checked, plain.settings, declared, snapshot, scope)
            check_system(checked, scope)
            check_samples(checked, scope)
        failed = scope.failed
        if checked is not None:
            check_inputs(checked, found.project.host, scope, inputs)
        if checked is None or failed:
            continue
        lowered = lower_package(checked, scope)
        linked = lowered and link(lowered, scope)
        if linked and not scope.failed:
            packages.append(linked)
    evals = tuple(
        check_evals(document, found.env, found.sources, found.report.scoped(key), require_env)[1]
        for key, document in evaluations.items()
        if document is not None
    )
    if len(resolved) == len(found.files) and len(evals) == len(evaluations):
        # Else nobody knows what the others would have read.
        check_environment(found.env, [*(package.env for package in resolved), *evals], found.report)
    seen = check_sources(found.sources, found.beside, found.project.allowed, found.report)
    known = check_secrets(found.secrets, resolved, found.report)
    emitted = emit(packages, found.needs)
    seen |= check_objects(
        emitted, packages, found.sources, found.secrets, known, {*seen, *found.project.allowed}, found.report
    )
    return replace(
        found,
        resolved=tuple(resolved),
        evals=evals,
        packages=tuple(packages),
        emitted=emitted,
        fingerprints=seen,
    )


def _together(compilations: Mapping[str, Compilation]) -> Compilation:
    """The first of them, with the report and the environment files of all."""
    first = next(iter(compilations.values()))
    if len(compilations) == 1:
        return first
    report = Report.merged({name: each.report for name, each in compilations.items()})
    shown = tuple(dict.fromkeys(file for each in compilations.values() for file in each.env_files))
    return replace(first, report=report, env_files=shown)


def _profiles(
    project: Project, profile: str | None, profiles: Mapping[str, Files] | None, report: Report
) -> Mapping[str, Files]:
    """The profiles to build, each with the environment files of its own. Where frozenctx.toml names profiles, another
    one brings files or is "default", which stands for no profile; else it is a fault."""
    if profiles is not None and (profile is not None or not profiles):
        raise ValueError("give `profile`, or `profiles` with one entry at least")
    named = profiles if profiles is not None else {profile: ()} if profile is not None else {}
    for name, files in named.items():
        if project.profiles and not files and name not in (*project.profiles, "default"):
            report.add(
                "unknown-profile",
                f"frozenctx.toml has no profile `{name}`",
                help=did_you_mean(name, project.profiles, f"it has {all_of(list(project.profiles))}"),
            )
    if profiles is not None:
        return {name: files or project.profiles.get(name, ()) for name, files in profiles.items()}
    if profile is not None:
        return {profile: project.profiles.get(profile, ())}
    return project.profiles or {project.defaults.get("profile", "default"): ()}


def env_files_of(project: Project, given: Files, own: bool = True) -> list[tuple[str, str]]:
    """Environment files, the strongest last: what findings call each, and where it is. `own`: after the project's."""
    paths = project.env_files if own else ()
    files = [(os.path.relpath(path, project.root).replace(os.sep, "/"), path) for path in paths]
    files += [(os.fspath(path), os.fspath(path)) for path in given]
    return [(_without_value(shown), path) for shown, path in files]


def _snapshot(path: str | os.PathLike[str] | None, report: Report) -> Snapshot | None:
    """The snapshot that the caller names; None when there is none, or after a finding."""
    if path is None:
        return None
    shown = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return read_snapshot(shown, file.read(), report)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        report.add("missing-file", f"the snapshot `{shown}` cannot be read: {reason}", Span(shown))
        return None


def _without_value(path: str) -> str:
    """A path as findings may call it: `NAME=value` in the place of a path tells the name alone."""
    name, equals, _ = path.partition("=")
    return f"{name}=…" if equals else path


def environment_of(
    project: Project, files: Sequence[tuple[str, str]], env: Mapping[str, str] | None, report: Report
) -> Env:
    """What `$env` reads, the strongest last: `[env] values` of frozenctx.toml, environment files, `env`."""
    result = Env(project.env, "frozenctx.toml")
    for shown, path in files:
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            report.add("missing-file", f"the environment file `{shown}` cannot be read: {reason}", Span(shown))
            continue
        values = parse_env_file(content, shown, report)
        if values is not None:
            result = result.with_values(values, shown)
    return result.with_values(env or {}, "env=")
