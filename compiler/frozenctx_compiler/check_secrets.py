"""The pass check_secrets: no secret in what is about to be frozen, none in what was read.

In: objects and record as bytes, the texts of the sources, the secrets of the environment. Out: findings that name
variable and place, never a value. Nothing is stored when there is one.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from frozenctx.objects import decode_json

from .diagnostics import Report, Span
from .package import Emitted, LinkedPackage, ResolvedPackage
from .secrets import Secrets, pasted
from .sources import Sources

_FILE = re.compile(r"^FILE = (.*)$", re.MULTILINE)


def check_sources(sources: Sources, allowed: Mapping[str, str], report: Report) -> None:
    """Report what somebody pasted into a source file, and no reviewer allowed. `allowed`: fingerprint → reason."""
    for file, text in sources.texts():
        for found in pasted(text):
            if found.fingerprint in allowed:
                continue
            line = text.count("\n", 0, found.start) + 1
            column = found.start - (text.rfind("\n", 0, found.start) + 1) + 1
            end = min(found.end, len(text[: found.start]) + len(text[found.start :].partition("\n")[0]))
            report.add(
                "pasted-secret",
                f"the file holds what looks like {found.what}",
                Span.at(file, line, column, end - found.start),
                notes=(f"its fingerprint is `{found.fingerprint}`",),
                help="take it out and revoke it; if it is none, put its fingerprint and the reason under"
                " `[secrets] allow` in frozenctx.toml",
            )


def check_secrets(
    secrets: Secrets, resolved: Sequence[ResolvedPackage], report: Report
) -> frozenset[tuple[str, str]]:
    """Report settings that a secret gave, whatever became of it there, and secrets that nobody could find again.
    Return what was found: names, and keys of packages."""
    found = set()
    for package in resolved:
        settings = package.settings
        for path, names in settings.origins.items():
            for name in [name for name in secrets.names if name in names.split(", ")]:
                span = settings.spans.get(path) or Span(settings.file)
                key = package.read.files.key
                _frozen(name, f"`{'.'.join(map(str, path))}` would hold it", span, report, key)
                found.add((name, key))
    for name in secrets.too_short:
        report.add(
            "short-secret",
            f"the value of the secret `{name}` is too short to be looked for",
            help="give it a value of four characters or more, or none",
        )
    return frozenset(found)


def check_objects(
    emitted: Emitted,
    linked: Sequence[LinkedPackage],
    secrets: Secrets,
    known: frozenset[tuple[str, str]],
    report: Report,
) -> None:
    """Report every secret that an object would hold. `known`: what `check_secrets` found already."""
    if not secrets.in_bytes(b"\0".join(emitted.objects.values())):
        return
    programs = frozenset(emitted.programs)
    files = {package.lowered.checked.read.files.key: package.lowered.checked.read.settings.file for package in linked}
    for digest, data in emitted.objects.items():
        for name in secrets.in_bytes(data):
            if digest in programs:
                file = _FILE.search(data.decode())
                place = ast.literal_eval(file[1]) if file else ""
                _frozen(name, "the template would hold it", Span(place), report)
                continue
            prompt = decode_json(data)
            if "key" in prompt and (name, prompt["key"]) not in known:
                pointers = [pointer for pointer, text in _texts(prompt, "") if name in secrets.in_text(text)]
                where = ", ".join(f"`{secrets.hidden(pointer)}`" for pointer in pointers[:3]) or "the prompt object"
                span = Span(files.get(prompt["key"], prompt["key"]))
                _frozen(name, f"{where} would hold it", span, report, prompt["key"])


def check_record(record: bytes, secrets: Secrets, report: Report) -> None:
    """Report every secret that the record would hold."""
    for name in secrets.in_bytes(record):
        _frozen(name, "the record of the build would hold it", None, report)


def _frozen(name: str, what: str, span: Span | None, report: Report, package: str | None = None) -> None:
    report.add(
        "secret-frozen",
        f"the secret `{name}` would be frozen",
        span,
        notes=(what,),
        help=f"let the service read `{name}` when it runs; if it is no secret, name it under `[env] public`"
        " in frozenctx.toml",
        package=package,
    )


def _texts(value: Any, pointer: str) -> list[tuple[str, str]]:
    """Every text of JSON data, keys included, with the JSON pointer to it."""
    if isinstance(value, str):
        return [(pointer, value)]
    if isinstance(value, dict):
        return [
            found
            for key, item in value.items()
            for found in [(f"{pointer}/{key}", key), *_texts(item, f"{pointer}/{key}")]
        ]
    if isinstance(value, list):
        return [found for index, item in enumerate(value) for found in _texts(item, f"{pointer}/{index}")]
    return []
