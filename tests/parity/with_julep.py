"""Compare packages with what Julep makes of them: identities, schemas, tools, skills, texts, and what is refused.

    make parity                                  # in an environment with that release of Julep
    python tests/parity/with_julep.py --only "types:" --show

Both sides read the trees of the parity tests, the examples, every tree of the corpus, and packages of one form each
(`forms.py`). A difference is explained when `julep_differences.py` says which row of COMPATIBILITY.md it belongs to.
Exit status 1: one is not, or a row is not needed any more. Julep is the installed package; nothing of it stands here.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))
sys.path[1:1] = [str(TESTS.parent / part) for part in ("runtime", "artifacts", "compiler")]

import frozenctx_compiler  # noqa: E402
from frozenctx_compiler.api import Compilation, prompts  # noqa: E402
from frozenctx_compiler.diagnostics import Report  # noqa: E402
from parity.forms import forms  # noqa: E402
from parity.julep_differences import DEFAULTS, RELEASE, explanation, rows  # noqa: E402

EXAMPLES = TESTS.parent / "examples/prompts"
SECONDS = 5
GIVEN = {"GIVEN": "openai:given"}
FULL = {"MODEL": "google/gemini-3-pro@low", "LIMIT": "12", "AGENT": "true", "HEAT": "1", "CACHE": "5m"}
JULEPS = (
    "name", "model", "system", "replySchema", "tools", "systemRender", "userRender", "maxTokens", "reasoningEffort",
    "outputRetries", "requireToolCall", "responseFormat", "promptCache", "skills",
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """A package as either side has it. `parts`: what is compared, as JSON text in its own order."""

    parts: Mapping[str, str]
    prompt: Any  # with `text(role, variables)`


@dataclass
class Outcome:
    """What came of one package. `refused`: the codes here, the words there; `parts`: name → ours and theirs."""

    where: str
    refused_here: tuple[str, ...] = ()
    refused_there: str = ""
    parts: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        if self.refused_here or self.refused_there:
            if self.refused_here and self.refused_there:
                return "refused by both"
            return "refused here" if self.refused_here else "refused there"
        return "differs" if self.parts else "equal"

    def differences(self) -> Iterator[tuple[str, str]]:
        """What there is to explain: a kind, and a code, words of Julep's or a part."""
        if self.kind == "refused here":
            yield from (("refused here", code) for code in self.refused_here)
        elif self.kind == "refused there":
            yield "refused there", self.refused_there
        elif self.kind == "differs":
            yield from (("differs", part) for part in self.parts)


# -- Julep -------------------------------------------------------------------------------------------------------------


class Julep:
    """The installed package. Its registry is emptied before each package, so that none disturbs another."""

    def __init__(self) -> None:
        self.minimal: Any = importlib.import_module("julep.dotctx")
        self.rich: Any = importlib.import_module("julep.dotctx_rich")
        self.deploy: Any = importlib.import_module("julep.deploy")
        self.registry: Any = importlib.import_module("julep.registry").DEFAULT_REGISTRY

    @contextlib.contextmanager
    def overlooking_keys(self) -> Iterator[None]:
        """Let it take settings that it does not know, as it does in minimal packages: those are listed differences."""
        check = self.rich._validate_settings_keys
        self.rich._validate_settings_keys = lambda settings, origin: None
        try:
            yield
        finally:
            self.rich._validate_settings_keys = check

    def read(self, path: Path, env: Mapping[str, str]) -> Reading:
        """Raises whatever Julep raises."""
        for value in vars(self.registry).values():
            if hasattr(value, "clear"):
                value.clear()
        tools: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if path.is_file() or self.minimal.is_rich_dotctx(str(path)):
                loaded = self.rich.load_rich_dotctx(str(path), env=dict(env))
                reasoner = loaded.reasoner
                for key, schema in loaded.expected_tool_schemas.items():
                    tools[key] = {"description": loaded.expected_tool_descriptions[key], "inputSchema": schema}
            else:
                reasoner = self.minimal.load_dotctx(str(path), env=dict(env))
        identity = self.deploy._reasoner_identity(reasoner.name)
        found = {name: identity[name] for name in JULEPS if name in identity}
        assert list(found) == [name for name in JULEPS if name in identity]
        assert {*found} == {*identity}, "Julep's identity has other keys than CTX-FORMAT knows"
        sub, scope = reasoner.sub_contract, reasoner.context_scope.value
        if reasoner.temperature is not None:
            found["temperature"] = reasoner.temperature
        if reasoner.max_rounds is not None:
            found["maxRounds"] = reasoner.max_rounds
        if reasoner.is_agent:
            found["agent"] = True
        if sub is not None:
            found["sub"] = {"shape": sub.shape.value}
            if sub.summary_policy is not None:
                found["sub"]["summary_policy"] = sub.summary_policy.value
        if scope != "local":
            found["context"] = scope
        found |= {f"tool {key}": contract for key, contract in tools.items()}
        for key, skill in self.registry.skills.items():
            found[f"skill {key}"] = [skill.name, skill.description, skill.body]
        renderers = {
            role: self.registry.renderers[name].fn
            for role, name in (("system", reasoner.system_render), ("user", reasoner.user_render))
            if name in self.registry.renderers
        }
        return Reading({part: _json(value) for part, value in found.items()}, JulepsTexts(renderers))


@dataclass(frozen=True)
class JulepsTexts:
    renderers: Mapping[str, Any]

    def text(self, role: str, variables: Mapping[str, Any]) -> str | None:
        return self.renderers[role](variables) if role in self.renderers else None


# -- here --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OurTexts:
    prompt: Any

    def text(self, role: str, variables: Mapping[str, Any]) -> str | None:
        return getattr(self.prompt, role)(variables)  # type: ignore[no-any-return]


def ours(prompt: Any) -> Reading:
    found = {key: prompt.identity[key] for key in JULEPS if key in prompt.identity}
    for key in ("temperature", "maxRounds", "agent", "sub", "context"):
        if key in prompt.identity:
            found[key] = prompt.identity[key]
    for tool in prompt.tool_contracts:
        found[f"tool {tool.key}"] = {"description": tool.description, "inputSchema": tool.input_schema}
    for skill in prompt.skills.values():
        found[f"skill {skill.key}"] = [skill.name, skill.description, skill.body]
    return Reading({part: _json(value) for part, value in found.items()}, OurTexts(prompt))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def checked(root: Path, **options: Any) -> Compilation:
    return frozenctx_compiler.check(root, lint_levels={"default-model": "note"}, **options)


def loaded(compilation: Compilation) -> Mapping[str, Any]:
    """The packages without errors, with a host that has whatever they name."""
    host = compilation.project.host
    renderers: dict[str, Any] = {}
    for package in compilation.packages:
        settings = package.lowered.checked.settings
        renderers |= {name: _nothing for name in (settings.system_render, settings.user_render) if name is not None}
    given: dict[str, Any] = {
        kind: dict.fromkeys(getattr(host, kind), _nothing) for kind in ("filters", "tests", "globals")
    }
    return prompts(replace(compilation, report=Report()), renderers=renderers, **given)


def _nothing(*arguments: Any, **named: Any) -> str:
    return ""


# -- both --------------------------------------------------------------------------------------------------------------


Compared = tuple[Outcome, Reading | None, Reading | None]


def compare(where: str, compilation: Compilation, julep: Julep) -> Iterator[Compared]:
    """Every package of a compilation, in the order of keys, with both readings of those that nobody refused."""
    root = Path(compilation.project.root)
    env = {name: value for layer in compilation.env.layers for name, value in layer.items()}
    readings = loaded(compilation)
    for files in compilation.files:
        outcome = Outcome(f"{where}: {files.key}" if files.key != "p" else where)
        found = compilation.report.diagnostics
        errors = [each for each in found if each.level == "error" and files.key in each.packages]
        outcome.refused_here = tuple(dict.fromkeys(each.code for each in errors))
        theirs = None
        try:
            with _within(SECONDS):
                theirs = julep.read(root / files.path, env)
        except Exception as error:  # whatever it is, Julep does not take the package
            outcome.refused_there = f"{type(error).__name__}: {error}".replace(str(root), "").replace("\n", " ")
        mine = ours(readings[files.key]) if not outcome.refused_here and files.key in readings else None
        if mine is not None and theirs is not None:
            for part in dict.fromkeys([*mine.parts, *theirs.parts]):
                pair = mine.parts.get(part, "-"), theirs.parts.get(part, "-")
                if pair[0] != pair[1]:
                    outcome.parts[part] = pair
        yield outcome, mine, theirs


@contextlib.contextmanager
def _within(seconds: int) -> Iterator[None]:
    """TimeoutError after this time: Julep waits for ever at a pipe."""

    def stop(signum: int, frame: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def trees() -> Iterator[tuple[str, Path, dict[str, Any]]]:
    yield "made", TESTS / "parity/packages", {}
    yield "made, with an environment", TESTS / "parity/packages", {"env": FULL}
    yield "examples", EXAMPLES, {}


@contextlib.contextmanager
def corpus() -> Iterator[Iterator[tuple[str, Path, dict[str, Any]]]]:
    """The trees of the corpus, those that a checkout would damage made for the moment."""
    from corpus_cases import CORPUS, MADE, MADE_CASES, Tree, written_cases

    for module in sorted(MADE.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"corpus_made.{module.stem}", module)
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    with tempfile.TemporaryDirectory() as directory:

        def cases() -> Iterator[tuple[str, Path, dict[str, Any]]]:
            for case in written_cases():
                place = Path(directory) / case.name
                shutil.copytree(CORPUS / case.name / "tree", place / "tree", symlinks=True)
                yield case.name, place, _options(case.args, case.select)
            for name, (case, make) in MADE_CASES.items():
                place = Path(directory) / f"made-{name}"
                (place / "tree").mkdir(parents=True)
                make(Tree(place / "tree"))
                yield name, place, _options(case.args, case.select)

        yield cases()


def _options(args: Sequence[str], select: str) -> dict[str, Any]:
    """What `check` is given, as far as it changes packages."""
    options: dict[str, Any] = {"path": f"tree/{select}" if select else "tree"}
    pairs = list(zip(args, args[1:], strict=False))
    options["env"] = dict(value.split("=", 1) for name, value in pairs if name == "--env" and "=" in value)
    options["env_files"] = [value for name, value in pairs if name == "--env-file"]
    if any(name == "--links" for name, _ in pairs):
        options["links"] = "follow"
    return options


def compared(only: str, julep: Julep) -> Iterator[tuple[str, Outcome]]:
    """(group, outcome) of everything."""
    for name, root, options in trees():
        with julep.overlooking_keys():
            for outcome, mine, theirs in compare(name, checked(root, **options), julep):
                yield "packages", outcome
                if mine is not None and theirs is not None:
                    yield from (("texts", each) for each in texts(outcome.where, root, mine, theirs))
    with corpus() as cases:
        for name, place, options in cases:
            before = Path.cwd()
            os.chdir(place)
            try:
                compilation = checked(Path(options.pop("path")), **options)
                yield from (("corpus", outcome) for outcome, _, _ in compare(name, compilation, julep))
            finally:
                os.chdir(before)
    with tempfile.TemporaryDirectory() as directory:
        for number, (name, found) in enumerate(forms()):
            if only in name:
                root = Path(directory) / str(number)
                for path, text in found.items():
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    (root / path).write_bytes(text.encode())
                for outcome, _, _ in compare(name, checked(root, env=GIVEN), julep):
                    yield "forms", outcome


def texts(where: str, root: Path, mine: Reading, theirs: Reading) -> Iterator[Outcome]:
    """What both render of the samples of a package, with what `input_defaults` adds given to both."""
    prompt = mine.prompt.prompt
    for name, variables in samples(root, where.partition(": ")[2]):
        outcome = Outcome(f"{where}, sample {name}")
        for role in ("system", "user"):
            found = []
            for side in (mine, theirs):
                try:
                    text = side.prompt.text(role, {**_defaults(prompt), **variables})
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"
                found.append(_json(text))
            if found[0] != found[1]:
                outcome.parts[f"{role} text"] = (found[0], found[1])
        yield outcome


def _defaults(prompt: Any) -> dict[str, Any]:
    values: dict[str, Any] = prompt.identity.get("inputDefaultValues", {})
    return values


def samples(root: Path, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    import yaml

    package = root / f"{key}.ctx"
    if package.is_dir():
        for path in sorted((package / "samples").glob("*.y*ml")):
            yield path.stem, yaml.safe_load(path.read_text("utf-8"))["variables"] or {}
    elif (path := root / f"{key}.samples.yaml").exists():
        for name, sample in yaml.safe_load(path.read_text("utf-8")).items():
            yield name, sample["variables"] or {}


def main() -> int:
    parser = argparse.ArgumentParser(description=f"compare packages with Julep {RELEASE}")
    parser.add_argument("--only", default="", help="only forms whose name holds this")
    parser.add_argument("--show", action="store_true", help="show explained differences too")
    options = parser.parse_args()
    try:
        julep = Julep()
    except ImportError as error:
        print(f"Julep is not here ({error}): `make parity` makes an environment with it", file=sys.stderr)
        return 2
    counts: dict[str, Counter[str]] = {}
    seen: Counter[str] = Counter()
    unexplained = 0
    for group, outcome in compared(options.only, julep):
        found = [
            (kind, what, explanation(outcome.where, kind, what, *outcome.parts.get(what, ())))
            for kind, what in outcome.differences()
        ]
        told = outcome.kind if {row for _, _, row in found} - DEFAULTS else "equal but for a default"
        counts.setdefault(group, Counter())[told if found else outcome.kind] += 1
        for kind, what, row in found:
            if row is not None:
                seen[row] += 1
            else:
                unexplained += 1
            if row is None or options.show:
                print(f"{outcome.where}\n  {kind}: {what}" + (f"  [{row}]" if row else ""))
                if kind == "differs":
                    here, there = outcome.parts[what]
                    print(f"    here  {here}\n    Julep {there}")
    for group, counted in counts.items():
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))
        print(f"{group}: {counted.total()} compared: {kinds}")
    print(f"{sum(seen.values())} differences of {len(seen)} rows of COMPATIBILITY.md, {unexplained} unexplained")
    gone = [] if options.only else [row for row in rows() if row not in seen]
    for row in gone:
        print(f"no package shows any more: {row}")
    return 1 if unexplained or gone else 0


if __name__ == "__main__":
    sys.exit(main())
