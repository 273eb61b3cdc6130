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
from .package import Emitted, LinkedPackage
from .sources import Observations

_DEPENDENCIES = ("jinja2", "msgspec", "pyyaml", "yaql", "yglu")  # whatever has a say in what is written


def record(emitted: Emitted, linked: Sequence[LinkedPackage], observed: Observations, report: Report) -> bytes:
    """Return the record of the release. `linked`: the packages it was emitted from."""
    linked_of = {package.lowered.checked.read.files.key: package for package in linked}
    packages = []
    for key, identity_version in emitted.prompts:
        checked = linked_of[key].lowered.checked
        env = {
            "found": sorted(checked.env.found),
            "defaulted": dict(sorted(checked.env.defaulted.items())),
            "missing": sorted(checked.env.missing),
        }
        built: dict[str, Any] = {
            "key": key,
            "version": identity_version,
            "file": checked.read.files.path,
            "env": env,
            "variables": linked_of[key].variables,
        }
        packages.append(built)
    value = {
        "format": FORMAT,
        "release": DIGEST + emitted.release,
        "compiler": VERSION,
        "dependencies": {name: _version(name) for name in _DEPENDENCIES},
        "packages": packages,
        "files": [{"path": file.path, "sha256": file.digest, "form": file.form} for file in observed.files],
        "listings": [{"path": path, "sha256": digest} for path, digest in observed.listings],
        "probes": [{"path": path, "found": kind} for path, kind in observed.probes],
        "findings": [_finding(diagnostic) for diagnostic in report.diagnostics],
    }
    return encode(msgspec.convert(value, Record))


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
