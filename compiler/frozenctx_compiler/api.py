"""The compiler as a library: `build`, `check` and `load`. One function, `compile_tree`, is the pipeline itself.

In: a path to a tree of `.ctx` packages and an explicit environment. Out: a report, and objects in memory or in a
directory. Nothing here prints or reads the process environment.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import frozenctx
from frozenctx.errors import restored
from frozenctx.format import LIMITS

from .check_environment import check_environment
from .check_settings import check_settings
from .check_templates import check_templates
from .diagnostics import Diagnostic, Level, Report, Span
from .diagnostics.text import closing, render_text
from .discover import discover
from .emit import emit, emitted_files
from .environment import Env, parse_env_file
from .link import link
from .lower import Cache, lower
from .package import LinkedPackage, PackageFiles, ResolvedPackage
from .project import Project, read_project
from .read import read
from .record import record
from .resolve import resolve
from .sources import SourceFault, Sources
from .store import StoreResult, store
from .templates.dialect import CTX


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
    packages: tuple[LinkedPackage, ...] = ()
    needs: tuple[str, ...] = ()  # features that a runtime must have: FORMAT.md


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did. `stored` is None when an error stopped it; the output directory is then as it was before."""

    compilation: Compilation
    stored: StoreResult | None = None
    release: str | None = None  # "sha256:<hex>"
    prompts: tuple[tuple[str, str], ...] = ()  # (key, version), sorted by key

    @property
    def report(self) -> Report:
        return self.compilation.report

    @property
    def written(self) -> bool:
        return self.stored is not None


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
    """A function that answers the text of a file for an excerpt; None for environment files, which hold secrets."""

    def text_of(file: str) -> str | None:
        if file in compilation.env_files:
            return None
        try:
            return compilation.sources.text(file)
        except (SourceFault, OSError):
            return None

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
    env_files: Sequence[str | os.PathLike[str]] = (),
    profile: str = "default",
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    pythons: Sequence[str] = (),
    vendor_runtime: bool = False,
    prune: bool = False,
    links: Literal["inside", "follow"] = "inside",
    limits: bool = False,
) -> BuildResult:
    """Compile the packages at `src` into the directory `out` and let `profile` point to the new release.

    `env` is what `$env` reads, over the NAME=value lines of `env_files` (the later stronger); nothing else is.
    `select` names packages by path or key. `lint_levels` moves lints. `pythons`: other interpreters that packs are made
    for, and by. `vendor_runtime` puts the runtime into `out` as well. `prune` removes old releases afterwards.
    `limits`: programs that count, for `frozenctx.load(…, max_steps=…, max_output=…)`.
    With an error in the report nothing is written. Raises `StoreError` if `out` is no directory of ours; OSError.
    """
    out = os.fspath(out)
    compilation = compile_tree(
        src,
        env=env,
        env_files=env_files,
        select=select,
        lint_levels=lint_levels,
        links=links,
        output=out,
        limits=limits,
    )
    if compilation.report.has_errors:
        return BuildResult(compilation)
    emitted = emit(compilation.packages, compilation.needs)
    observed = compilation.sources.observed()
    seen = record(
        emitted, compilation.packages, compilation.env, compilation.project, observed, compilation.report
    )
    stored = store(emitted, seen, out, profile=profile, pythons=pythons, vendor_runtime=vendor_runtime, prune=prune)
    return BuildResult(compilation, stored, f"sha256:{emitted.release}", emitted.prompts)


def check(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    env_files: Sequence[str | os.PathLike[str]] = (),
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    links: Literal["inside", "follow"] = "inside",
    output: str | None = None,
    limits: bool = False,
) -> Compilation:
    """Find everything that `build` would find, and write nothing."""
    return compile_tree(
        src,
        env=env,
        env_files=env_files,
        select=select,
        lint_levels=lint_levels,
        links=links,
        output=output,
        limits=limits,
    )


def load(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None = None,
    env_files: Sequence[str | os.PathLike[str]] = (),
    select: Sequence[str] = (),
    lint_levels: Mapping[str, Level] | None = None,
    links: Literal["inside", "follow"] = "inside",
    limits: bool = False,
    reload: bool = False,
    **host: Any,
) -> Mapping[str, frozenctx.Prompt]:
    """Compile in memory and return what `frozenctx.load` would after a build: for unit tests and the edit loop.

    `reload=True` compiles again when a prompt is asked for after a source file, listing or probe has changed. `host`:
    what `frozenctx.load` takes besides (`filters=`, `renderers=`, …; `max_steps=` with `limits=True`). Raises
    CompileError with the whole report.
    """

    def compiled() -> Compilation:
        return check(
            src, env=env, env_files=env_files, select=select, lint_levels=lint_levels, links=links, limits=limits
        )

    if reload:
        from .reloading import ReloadingPrompts

        return ReloadingPrompts(compiled, lambda compilation: prompts(compilation, **host))
    return prompts(compiled(), **host)


def prompts(compilation: Compilation, **host: Any) -> frozenctx.Prompts:
    """The prompts of a compilation, loaded from memory. Raises CompileError if there are errors."""
    if compilation.report.has_errors:
        raise CompileError(compilation)
    return frozenctx.load(emitted_files(emit(compilation.packages, compilation.needs)), **host)


@_without_collector()
def compile_tree(
    src: str | os.PathLike[str],
    *,
    env: Mapping[str, str] | None,
    env_files: Sequence[str | os.PathLike[str]],
    select: Sequence[str],
    lint_levels: Mapping[str, Level] | None,
    links: Literal["inside", "follow"],
    output: str | None,
    limits: bool,
) -> Compilation:
    """The pipeline, from paths to linked packages. A package that fails a pass drops out; the others go on."""
    report = Report(lint_levels)
    project = read_project(os.fspath(src), report, select=select)
    sources = Sources(project.root, project.mounts, links)
    named = _env_files(project, env_files)
    environment = _environment(project, named, env, report)
    shown = tuple(name for name, _ in named)
    found = Compilation(project, sources, report, environment, shown, needs=(LIMITS,) if limits else ())
    if report.has_errors:
        return found
    files = discover(project, sources, report, output=output)
    dialect = replace(
        CTX,
        host_filters=project.host.filters,
        host_tests=project.host.tests,
        host_globals=project.host.globals,
    )
    lowered_partials: Cache = {}
    sound_partials: set[str] = set()
    resolved: list[ResolvedPackage] = []
    packages: list[LinkedPackage] = []
    for package in files:
        scope = report.scoped(package.key)
        parsed = read(package, project, sources, scope)
        if parsed is None:
            continue
        check_templates(parsed, project.host, scope, sound_partials)
        plain = resolve(parsed, environment, sources, scope)
        if plain is None:
            continue
        resolved.append(plain)
        checked = check_settings(plain, project, sources, scope)
        if checked is None or scope.failed:
            continue
        lowered = lower(checked, dialect, lowered_partials, scope, "limited" if limits else "lean")
        linked = lowered and link(lowered, scope)
        if linked:
            packages.append(linked)
    if len(resolved) == len(files):  # else nobody knows what the others would have read
        check_environment(environment, resolved, report)
    return replace(found, files=files, resolved=tuple(resolved), packages=tuple(packages))


def _env_files(project: Project, given: Sequence[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    """The environment files, the strongest last: what findings call each, and where it is."""
    own = [(os.path.relpath(path, project.root).replace(os.sep, "/"), path) for path in project.env_files]
    return own + [(os.fspath(path), os.fspath(path)) for path in given]


def _environment(
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
