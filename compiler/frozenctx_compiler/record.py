"""The pass record: what a build looked at → the bytes of its record. Same inputs, same versions: same bytes.

Environment names are recorded, never their values. Diagnostics are recorded without their words, which may quote one.
"""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec
from frozenctx.format import DIGEST, FORMAT, VERSION
from frozenctx_artifacts.codec import encode
from frozenctx_artifacts.record import Record

from .diagnostics import Diagnostic, Report
from .environment import Env
from .package import Emitted, LinkedPackage
from .project import Project
from .sources import FileSeen, Observations

_DEPENDENCIES = ("jinja2", "msgspec", "pyyaml", "yaql", "yglu")  # whatever has a say in what is written


def record(
    emitted: Emitted,
    linked: Sequence[LinkedPackage],
    env: Env,
    project: Project,
    observed: Observations,
    report: Report,
) -> bytes:
    """Return the record of the release. `linked`: the packages it was emitted from; `observed`: what they were read
    from; `env`: what they were given. What is absolute (a mount, as frozenctx.toml may write it) names a machine, and
    is not recorded."""
    linked_of = {package.lowered.checked.read.files.key: package for package in linked}
    packages = []
    for key, identity_version in emitted.prompts:
        checked = linked_of[key].lowered.checked
        asked = {
            "found": sorted(checked.env.found),
            "defaulted": dict(sorted(checked.env.defaulted.items())),
            "missing": sorted(checked.env.missing),
        }
        built: dict[str, Any] = {
            "key": key,
            "version": identity_version,
            "file": checked.read.files.path,
            "env": asked,
            "variables": linked_of[key].variables,
        }
        packages.append(built)
    given = sorted({name for package in packages for name in package["env"]["found"]})
    value = {
        "format": FORMAT,
        "release": DIGEST + emitted.release,
        "compiler": VERSION,
        "dependencies": {name: _version(name) for name in _DEPENDENCIES},
        "packages": packages,
        "environment": {name: _place(env.origin(name)) for name in given},
        "source": project.source,
        "links": observed.links,
        "leftOut": list(observed.left_out),
        "mounts": {name: None if _is_absolute(place) else place for name, place in sorted(project.mounted.items())},
        "files": [_file(file) for file in observed.files],
        "listings": [
            {"path": path, "names": {entry.name: entry.kind for entry in entries}}
            for path, entries in observed.listings
        ],
        "probes": [{"path": path, "found": kind} for path, kind in observed.probes],
        "findings": [_finding(diagnostic) for diagnostic in report.diagnostics],
    }
    return encode(msgspec.convert(value, Record))


def _file(file: FileSeen) -> dict[str, Any]:
    seen = {"path": file.path, "sha256": file.digest, "form": file.form}
    return seen if file.leads_to is None else {**seen, "leadsTo": file.leads_to}


def _place(origin: str) -> str:
    """An origin as it may be recorded: the path of a file outside of the root says something of a machine."""
    outside = _is_absolute(origin) or origin.startswith("..")
    return origin.replace("\\", "/").rpartition("/")[2] if outside else origin


def _is_absolute(place: str) -> bool:
    return place.startswith(("/", "\\")) or place[1:2] == ":"


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    finding: dict[str, Any] = {"code": diagnostic.code, "level": diagnostic.level}
    if diagnostic.span is not None:
        finding |= {"file": diagnostic.span.file, "line": diagnostic.span.line, "column": diagnostic.span.column}
    return {**finding, "packages": list(diagnostic.packages)}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:  # put on the path by hand, as zipapps do
        return "unknown"
