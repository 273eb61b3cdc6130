"""Trees of source files for tests of the passes discover and read, and short ways to run them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from frozenctx_compiler.diagnostics import Diagnostic, Report
from frozenctx_compiler.discover import discover
from frozenctx_compiler.package import PackageFiles, ReadPackage
from frozenctx_compiler.project import Project, read_project
from frozenctx_compiler.read import read
from frozenctx_compiler.sources import Links, Sources

SETTINGS = "model: openai/gpt-5\n"


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files byte for byte; `{path: content}`, directories come into being as needed."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


@dataclass
class Outcome:
    """What discover and read made of a tree."""

    project: Project
    sources: Sources
    report: Report
    files: tuple[PackageFiles, ...]
    packages: dict[str, ReadPackage]  # without those that have faults

    @property
    def found(self) -> list[str]:
        """The codes of all findings, in the report's order."""
        return [diagnostic.code for diagnostic in self.report.diagnostics]

    @property
    def only(self) -> Diagnostic:
        """The one finding there is."""
        (diagnostic,) = self.report.diagnostics
        return diagnostic

    def __getitem__(self, key: str) -> ReadPackage:
        assert key in self.packages, self.report.diagnostics
        return self.packages[key]


def read_tree(
    start: Path, *, output: str | None = None, links: Links = "inside", select: tuple[str, ...] = ()
) -> Outcome:
    """Run project, discover and read on what is at `start`."""
    report = Report()
    project = read_project(str(start), report, select=select)
    sources = Sources(project.root, project.mounts, links)
    files: tuple[PackageFiles, ...] = ()
    if not report.has_errors:
        files = discover(project, sources, report, output=output)
    packages = {}
    for package in files:
        scope = report.scoped(package.key)
        parsed = read(package, project, sources, scope)
        if parsed is not None and not scope.failed:
            packages[package.key] = parsed
    return Outcome(project, sources, report, files, packages)


def read_files(root: Path, files: Mapping[str, str | bytes]) -> Outcome:
    """Write a tree and read it."""
    return read_tree(write(root, files))
