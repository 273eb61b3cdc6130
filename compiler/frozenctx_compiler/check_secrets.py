"""The pass check_secrets: no secret in what is about to be frozen, none in what was read.

In: objects and record, the texts of the sources, the secrets of the environment. Out: findings that name variable and
place, never a value. Nothing is stored when there is an error among them.
"""

import ast
import json
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import Any

from frozenctx.objects import decode_json

from .diagnostics import Report, Span
from .package import Emitted, LinkedPackage, PackageFiles, ReadPackage, ResolvedPackage
from .secrets import Secrets
from .shapes import Pasted, may_hold_pasted, pasted
from .sources import SourceFault, Sources, line_of, line_starts
from .spelling import near

_FILE = re.compile(r"^FILE = (.*)$", re.MULTILINE)
# Where objects and the record hold digests that the compiler works out itself.
_DIGEST = re.compile(
    r"(?:/packages/\d+)?/version|/release|/messages/\d+/program|/prompts/\d+/(?:prompt|version)|/templates/.*"
    r"|/identity/(?:sources|toolContracts|skillResources)/.*|/files/\d+/sha256|/skills/\d+/skill|/resources/.*"
)
_NAMED = re.compile(r"/identity/(?:(?:system|user)Render|skills/\d+)|/skills/\d+/key|/key")
_NAME_DIGEST = re.compile(r"@v[0-9a-f]{12}\Z")  # of a renderer or a skill
# What may stand in a package for others than the compiler to read, and is searched for pasted secrets all the same.
_BESIDE = re.compile(r"(?:schema\.pyi|tools\.pyi|eval\.(?:py|ya?ml)|README.*|OWNERS|skills|samples|partials|tests)\Z")
_MOST_BYTES = 64 << 20  # of a file that nothing but this pass reads
_MOST_BITS = 4096  # of a number that is searched as a text: Python refuses to write much longer ones in digits


# -- what stands in sources ----------------------------------------------------------------------------------------


def texts_beside(packages: Iterable[PackageFiles], sources: Sources) -> dict[str, str]:
    """Files of packages that no pass has read, with their texts: evals, resources of skills, readmes. They have no say
    in what is written, so they are read apart, and are no inputs that the record names. Without those too large to be
    held."""
    apart = sources.anew()
    read = dict(sources.texts())
    paths = [f"{package.path}/{name}" for package in packages for name in package.entries if _BESIDE.match(name)]
    return {file: text for path in paths if path not in read for file, text in _texts_at(path, apart, read)}


def _texts_at(
    path: str, sources: Sources, read: Container[str], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """The texts at or below a path, without those that were `read`; `above` are the real directories it lies in, to
    which no link is followed."""
    with suppress(SourceFault):  # what cannot be read is reported by whoever wants to use it
        kind = sources.kind(path)
        if kind == "directory":
            real = sources.real(path)
            for entry in () if real in above else sources.entries(path):
                below = f"{path}/{entry.name}"
                if below not in read and not entry.name.startswith(".") and entry.name != "__pycache__":
                    yield from _texts_at(below, sources, read, (*above, real))
        elif kind == "file" and sources.size(path) <= _MOST_BYTES:
            try:
                text = sources.text(path)
            except SourceFault:  # no text: an image, say, which may hold one still
                text = sources.raw(path).decode("utf-8", "replace")
            yield path, text


def check_sources(
    sources: Sources, beside: Mapping[str, str], allowed: Container[str], report: Report
) -> frozenset[str]:
    """Report what somebody pasted into a source file, and no reviewer allowed; return the fingerprints of all that was
    found. `beside`: texts besides those of `sources`; `allowed`: fingerprints."""
    texts = {**beside, **dict(sources.texts())}
    held = {text: tuple(pasted(text)) for text in dict.fromkeys(texts.values())}  # many files are copies
    seen = set()
    for file, text in sorted(texts.items()):
        for found in held[text]:
            seen.add(found.fingerprint)
            if found.fingerprint not in allowed:
                _report_pasted(found, "the file holds", place_in(file, text, found.start, found.end), report)
    return frozenset(seen)


def check_allowed(allowed: Mapping[str, Span], found: Collection[str], report: Report) -> None:
    """Report what is allowed and was found nowhere. `found`: the fingerprints in all sources and objects."""
    for fingerprint, span in allowed.items():
        if fingerprint not in found:
            report.add(
                "unmatched-fingerprint",
                f"nothing has the fingerprint `{fingerprint}` any more",
                span,
                help="remove it from `[secrets] allow`",
            )


def place_in(file: str, text: str, start: int, end: int) -> Span:
    """The place of a stretch of a text, as far as its first line goes."""
    starts = line_starts(text)
    line = line_of(starts, start)
    line_end = text.find("\n", start)
    end = end if line_end < 0 else min(end, line_end)
    return Span.at(file, line + 1, start - starts[line] + 1, end - start)


def _report_pasted(found: Pasted, where: str, span: Span, report: Report) -> None:
    report.add(
        "pasted-secret",
        f"{where} what looks like {found.what}",
        span,
        notes=(f"its fingerprint is `{found.fingerprint}`",),
        help="take it out and revoke it; if it is none, put its fingerprint and the reason under"
        " `[secrets] allow` in frozenctx.toml",
    )


@dataclass(frozen=True, slots=True)
class Default:
    """A text that settings use when a variable is not given."""

    name: str
    value: str
    span: Span


_DEFAULT = re.compile(
    r"\$env\s*\.\s*get\(\s*\\?(['\"])([A-Za-z_]\w*)\\?\1\s*,\s*(\\?)(['\"])((?:(?!\3\4)(?:[^\\\n]|\\.))*)\3\4", re.ASCII
)


def defaults_of(packages: Sequence[ReadPackage], sources: Sources) -> tuple[Default, ...]:
    """The defaults that are literal texts, of all settings and of all YAML that was read with them."""
    settings = {package.settings.file for package in packages}
    return tuple(
        Default(found[2], found[5], place_in(file, text, *found.span(5)))
        for file, text in sources.texts()
        if "$env" in text and (file in settings or file.endswith((".yaml", ".yml")))
        for found in _DEFAULT.finditer(text)
    )


def check_defaults(defaults: Iterable[Default], secrets: Secrets, report: Report) -> None:
    """Report each secret that is written down as the default of its variable."""
    for default in defaults:
        if secrets.judge(default.name, default.value):
            report.add(
                "secret-default",
                f"the secret `{default.name}` has a default that is written down",
                default.span,
                help="write `null` as its default, and let the service read it when it runs"
                + _if_public(default.name, secrets),
            )


# -- names that are marked -----------------------------------------------------------------------------------------


def check_marks(
    options: Collection[str], in_file: Sequence[tuple[str, Span]], given: Collection[str], report: Report
) -> None:
    """Report names that were marked as secret or public and that nothing gives or reads. A file speaks of all builds:
    of the names there (with their places) those are reported that nearly are another one."""
    folded = {name.casefold(): name for name in sorted(given, reverse=True)}
    marks: list[tuple[str, Span | None]] = [*((name, None) for name in options), *in_file]
    for name, span in marks:
        if name in given:
            continue
        meant = near(name.casefold(), folded, 0.6 if span is None else 0.8)
        if meant is None and span is not None:
            continue
        report.add(
            "unknown-mark",
            f"`{name}` is marked, and no such variable is given or read",
            span,
            notes=() if span is not None else ("it is marked by `--secret-env`, or `secret_env=`",),
            help=f"did you mean `{folded[meant]}`?" if meant else "remove it, or give the variable",
        )


# -- what is about to be frozen ------------------------------------------------------------------------------------


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
                _frozen(name, f"`{'.'.join(map(str, path))}` would hold it", span, secrets, report, key)
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
    sources: Sources,
    secrets: Secrets,
    known: frozenset[tuple[str, str]],
    seen: Collection[str],
    report: Report,
) -> frozenset[str]:
    """Report every secret that an object would hold, by its value or by its shape; return the fingerprints of all that
    has one. `known`: what `check_secrets` found already; `seen`: fingerprints found in sources, or allowed."""
    programs = frozenset(emitted.programs)
    held = {
        digest: tuple(held_texts(digest, emitted, digest in programs, bool(secrets)))
        for digest in {**emitted.objects, **emitted.resources}
    }
    files = {package.lowered.checked.read.files.key: package.lowered.checked.read.settings.file for package in linked}
    everything = list(dict.fromkeys(text for texts in held.values() for text in texts))
    hidden = bool(secrets.among(everything))
    pasted_in: frozenset[str] = frozenset()
    if any(pasted("\0".join(everything))):
        pasted_in = frozenset(each.fingerprint for text in everything for each in pasted(text))
    for digest, texts in held.items() if hidden or pasted_in else ():
        names = secrets.among(texts) if hidden else ()
        shapes = [
            each
            for text in (texts if pasted_in else ())
            for each in pasted(text)
            if each.fingerprint not in seen and not secrets.in_text(text[each.start : each.end])
        ]
        if not names and not shapes:
            continue
        if digest in emitted.files:
            file, key = emitted.files[digest], None
            what = f"the {'skill' if digest in emitted.objects else 'file of a skill'} would hold it"
        elif digest in programs:
            found = _FILE.search(emitted.objects[digest].decode())
            file, key, what = ast.literal_eval(found[1]) if found else "", None, "the template would hold it"
        else:
            prompt = decode_json(emitted.objects[digest])
            key = prompt.get("key")
            file, what = files.get(key, ""), "the prompt object would hold it"
        for name in names:
            if key is not None and (name, key) in known:
                continue
            if key is not None:
                pointers = [pointer for pointer, text in _texts(prompt) if name in secrets.in_text(text)]
                what = ", ".join(f"`{pointer}`" for pointer in pointers[:3]) + " would hold it" if pointers else what
            if file or key is not None:  # the release repeats what its prompts hold
                _frozen(name, what, _place_of(name, file, secrets, sources), secrets, report, key)
        for each in {each.fingerprint: each for each in shapes}.values():
            holder = "the skill" if digest in emitted.files else "the template" if key is None else "the prompt"
            _report_pasted(each, f"{holder} would hold", Span(file), report)
    return pasted_in


def held_texts(digest: str, emitted: Emitted, is_program: bool, all_texts: bool) -> Iterator[str]:
    """Every text that an object holds, as a program or a reader of JSON has it. Digests are left out: they are nobody's
    secret, and hold any short one. Without `all_texts`, only those of an object that may hold something pasted."""
    if digest in emitted.resources:
        yield emitted.resources[digest].decode("utf-8", "replace")
        if digest not in emitted.objects:
            return
    if not is_program:
        # No word of a shape is written otherwise in JSON.
        if all_texts or may_hold_pasted(emitted.objects[digest].decode()):
            yield from dict.fromkeys(text for _, text in _texts(decode_json(emitted.objects[digest])))
        return
    parts: list[tuple[list[str], list[str]]] = []  # of each function: texts, names
    for code in _codes(emitted.codes.get(digest) or compile(emitted.objects[digest], "<template>", "exec")):
        texts: list[str] = []
        _add_texts_of(code.co_consts, texts)
        parts.append((texts, [*code.co_names, *code.co_varnames, *code.co_freevars]))
    if all_texts or may_hold_pasted("\0".join(["".join(texts) + "\0".join(names) for texts, names in parts])):
        for texts, names in parts:
            yield "\0".join([*texts, *names])
            yield "".join(texts)  # a text in parts that stand side by side


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _add_texts_of(constants: Iterable[object], found: list[str]) -> None:
    for constant in constants:
        if type(constant) is str:
            found.append(constant)
        elif isinstance(constant, float) or (isinstance(constant, int) and constant.bit_length() < _MOST_BITS):
            found.append(str(constant))
        elif isinstance(constant, tuple):
            _add_texts_of(constant, found)
        elif isinstance(constant, frozenset):
            _add_texts_of(sorted(constant, key=repr), found)


def _texts(value: Any) -> list[tuple[str, str]]:
    """Every text of JSON data, with the JSON pointer to it: keys, strings and numbers, digests excepted."""
    found: list[tuple[str, str]] = []
    _add_texts(value, "", found)
    return found


def _add_texts(value: Any, pointer: str, found: list[tuple[str, str]]) -> None:
    if type(value) is str:
        if not _DIGEST.fullmatch(pointer):
            found.append((pointer, _NAME_DIGEST.sub("", value) if _NAMED.fullmatch(pointer) else value))
    elif isinstance(value, dict):
        names_resources = pointer == "/identity/skillResources"
        for key, item in value.items():
            below = f"{pointer}/{key}"
            found.append((below, _NAME_DIGEST.sub("", key) if names_resources else key))
            _add_texts(item, below, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _add_texts(item, f"{pointer}/{index}", found)
    elif value is not None and not isinstance(value, bool):
        found.append((pointer, json.dumps(value)))


def _place_of(name: str, file: str, secrets: Secrets, sources: Sources) -> Span:
    """Where a source holds what an object would hold: in the file itself, else in what it may have drawn in. A file
    that was not read as text draws nothing in."""
    texts = sources.texts()
    if file and all(path != file for path, _ in texts):
        return Span(file)
    for path, text in sorted(texts, key=lambda each: each[0] != file):
        found = secrets.place(name, text)
        if found is not None:
            return place_in(path, text, *found)
    return Span(file)


def check_record(record: bytes, secrets: Secrets, report: Report) -> None:
    """Report every secret that the record would hold."""
    texts = (text for _, text in _texts(decode_json(record))) if secrets else ()
    for name in secrets.among(texts):
        _frozen(name, "the record of the build would hold it", None, secrets, report)


def check_profile(profile: str, secrets: Secrets, report: Report) -> None:
    """Report every secret that the name of a profile holds, which is written too."""
    for name in secrets.in_text(profile):
        _frozen(name, "the name of a profile would hold it", None, secrets, report)


def _if_public(name: str, secrets: Secrets) -> str:
    if name in secrets.marked:
        return "; if it is no secret, take its mark away"
    return "; if it is no secret, name it under `[env] public` in frozenctx.toml"


def _frozen(
    name: str, what: str, span: Span | None, secrets: Secrets, report: Report, package: str | None = None
) -> None:
    report.add(
        "secret-frozen",
        f"the secret `{name}` would be frozen",
        span,
        notes=(what,),
        help=f"let the service read `{name}` when it runs{_if_public(name, secrets)}",
        package=package,
    )
