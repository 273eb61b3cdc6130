"""One package's settings through compose, resolve and check, with what was reported."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from frozenctx_compiler.check_settings import check_settings
from frozenctx_compiler.diagnostics import Diagnostic, Report, Span
from frozenctx_compiler.environment import Env
from frozenctx_compiler.package import (
    CheckedPackage,
    Layout,
    Located,
    PackageFiles,
    ReadPackage,
    ResolvedPackage,
    SampleFile,
    Settings,
    SettingsDocument,
)
from frozenctx_compiler.project import Project, read_project
from frozenctx_compiler.resolve import resolve
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.yamltree import compose

FILE = "stem.ctx/settings.yaml"
PLACES = {"model": Span.at("frozenctx.toml", 2, 1, 5)}


@dataclass(frozen=True)
class Outcome:
    """What the passes answered. `checked` is None when there was an error."""

    found: tuple[Diagnostic, ...]
    resolved: ResolvedPackage | None
    checked: CheckedPackage | None

    @property
    def settings(self) -> Settings:
        assert self.checked is not None, self.words
        return self.checked.settings

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.found]

    @property
    def words(self) -> str:
        """Every headline, label, note and help, one a line: nothing of a value may stand here."""
        lines = [[f.headline, f.label, *(r.label for r in f.related), *f.notes, f.help or ""] for f in self.found]
        return "\n".join(" | ".join(line) for line in lines)

    def finding(self, code: str) -> Diagnostic:
        [finding] = [f for f in self.found if f.code == code]
        return finding


def outcome(
    text: str,
    root: Path,
    *,
    layout: Layout = "rich",
    env: Mapping[str, str] | None = None,
    default_model: str | None = "default-model",
    samples: Mapping[str, str] | None = None,
    stem: str = "stem",
) -> Outcome:
    """Run the passes over settings text that stands in a package of `root` (which need not hold it)."""
    report = Report()
    scope = report.scoped(stem)
    project = project_at(root, report, default_model)
    node = compose(text, FILE, scope)
    if scope.failed:
        return Outcome(report.diagnostics, None, None)
    sample_files = []
    for name, content in (samples or {}).items():
        file = f"stem.ctx/samples/{name}.yaml"
        composed = compose(content, file, scope)
        if composed is not None:
            sample_files.append(SampleFile(name, file, composed))
    files = PackageFiles(stem, stem, "stem.ctx", layout == "single")
    document = SettingsDocument(FILE, text, node)  # type: ignore[arg-type]  # resolve is to refuse what is no mapping
    read = ReadPackage(files, layout, document, samples=tuple(sample_files))
    sources = Sources(str(root))
    resolved = resolve(read, Env(env or {}), sources, scope)
    checked = check_settings(resolved, project, sources, scope) if resolved is not None else None
    return Outcome(report.diagnostics, resolved, checked)


def project_at(root: Path, report: Report, default_model: str | None) -> Project:
    project = read_project(str(root), report)
    assert project is not None
    return replace(project, defaults={} if default_model is None else {"model": default_model}, places=PLACES)


def evaluated_outcome(value: object, layout: Layout) -> list[str]:
    """The codes of the errors that check finds in evaluated content, which stands nowhere."""
    report = Report()
    scope = report.scoped("stem")
    if not isinstance(value, dict):
        return ["bad-value"]
    files = PackageFiles("stem", "stem", "stem.ctx", layout == "single")
    resolved = ResolvedPackage(ReadPackage(files, layout, SettingsDocument(FILE, "", None)), Located(value, FILE))
    check_settings(resolved, Project(str(Path(__file__).parent)), _Named(), scope)
    return [found.code for found in report.diagnostics if found.level == "error"]


class _Named(Sources):
    """Sources in which every file that is named exists, and holds a schema."""

    def __init__(self) -> None:
        super().__init__(str(Path(__file__).parent))

    def join(self, directory: str, target: str) -> str:
        return target

    def text(self, path: str) -> str:
        return "{}"


def sample_file(content: object) -> list[SampleFile]:
    """Plain data as a sample that was read."""
    report = Report()
    node = compose(flow(content), "samples/s.yaml", report.scoped("stem"))
    assert node is not None
    return [SampleFile("s", "samples/s.yaml", node)]


def flow(value: object, between: str = ": ") -> str:
    """Plain data in flow style, every character escaped: YAML, or with ` = ` between keys and values TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(name)}{between}{flow(below, between)}" for name, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item, between) for item in value) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(char):08x}" for char in value) + '"'
    return json.dumps(value)
