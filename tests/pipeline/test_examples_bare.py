"""`examples/prompts`, built and then rendered by a bare interpreter, says what plain jinja2 says of the sources.

Nothing is compared with the compiler's own reading: the sources are read a second time by
`template_corpus.example_tree`, and rendered by jinja2 with the flags of CTX-FORMAT §5.
"""

import copy
import re
import typing
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import frozenctx_compiler
import pytest
import yaml
from pipeline.bare import Job, render_bare
from template_corpus.example_tree import TREE, Package, packages
from template_corpus.oracle import Outcome

DOCUMENT = (TREE.parents[1] / "docs" / "skills.md").read_text("utf-8")
PACKAGES = {package.key: package for package in packages()}
TEMPLATES = [package for package in PACKAGES.values() if package.templates]
PACKS: tuple[Literal["require", "never"], ...] = ("require", "never")
STRANGERS: list[Any] = [None, True, 7, -0.5, "", "ordinary <text>", [], ["a", "b"], [[1], {"x": 2}], {}, {"x": [1]}]
"""Values that no variable of the examples expects all of: each exposes another branch, or another exception."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("bare") / "out"
    built = frozenctx_compiler.build(TREE, directory)
    assert built.written, built.report.diagnostics
    assert [key for key, _ in built.prompts] == sorted(PACKAGES)
    return directory


def by_jinja2(jobs: list[Job]) -> Iterator[Outcome]:
    """What jinja2 makes of the same jobs, and what is said of those that lack a declared variable."""
    compiled = {
        (package.key, role): package.environment().from_string(text)
        for package in TEMPLATES
        for role, text in package.templates.items()
    }
    inputs = {package.key: declared(package) for package in TEMPLATES}
    for key, role, variables in jobs:
        required, defaults = inputs[key]
        if missing := [f"`{name}`" for name in required if name not in variables]:
            yield Outcome("VariablesError", f"`{key}` needs {', '.join(missing)}")
            continue
        if PACKAGES[key].settings.get("input_defaults") == "apply":
            variables = {**copy.deepcopy(defaults), **variables}
        try:
            yield Outcome("", compiled[key, role].render(variables))
        except Exception as error:
            yield Outcome(type(error).__name__, str(error))


def declared(package: Package) -> tuple[list[str], dict[str, Any]]:
    """The variables that the package's `Input` requires, and the defaults of others, as the executed stub has them."""
    names: dict[str, Any] = {}
    if (package.path / "schema.pyi").exists():
        exec((package.path / "schema.pyi").read_text("utf-8"), names)
    input = names.get("Input")
    if input is None:
        return [], {}
    if typing.is_typeddict(input):
        return sorted(input.__required_keys__), {}
    defaults = {name: getattr(input, name) for name in input.__annotations__ if hasattr(input, name)}
    optional = [name for name, type in input.__annotations__.items() if None.__class__ in typing.get_args(type)]
    return [name for name in input.__annotations__ if name not in (*defaults, *optional)], defaults


def samples(package: Package) -> Iterator[dict[str, Any]]:
    for sample in package.samples.values():
        yield sample["variables"]


def without_addresses(outcome: Outcome) -> Outcome:
    """A method that is printed shows where in memory its object is."""
    return Outcome(outcome.error, re.sub(r"(?<= at 0x)[0-9a-f]+", "…", outcome.text))


def assert_same(out: Path, jobs: list[Job]) -> list[Outcome]:
    """Served from the pack and from the objects, every job has jinja2's outcome. Returns those."""
    expected = list(by_jinja2(jobs))
    different = [
        (pack, job, ours, theirs)
        for pack in PACKS
        for job, ours, theirs in zip(jobs, render_bare(out, jobs, pack=pack), expected, strict=True)
        if ours != theirs and without_addresses(ours) != without_addresses(theirs)
    ]
    assert not different, f"{len(different)} of {len(PACKS) * len(jobs)} differ, the first: {different[0]}"
    return expected


def test_every_sample_of_every_example_renders_as_jinja2_does(out: Path) -> None:
    jobs = [(p.key, role, variables) for p in TEMPLATES for variables in samples(p) for role in p.templates]
    outcomes = assert_same(out, jobs)
    assert {outcome.error for outcome in outcomes} == {""}
    assert sum(len(outcome.text) for outcome in outcomes) > 20_000


def test_leaving_out_any_variable_gives_jinja2s_text_or_exception(out: Path) -> None:
    jobs = [
        (p.key, role, {name: value for name, value in variables.items() if name != left_out})
        for p in TEMPLATES
        for variables in samples(p)
        for left_out in variables
        for role in p.templates
    ]
    jobs += [(p.key, role, {}) for p in TEMPLATES for role in p.templates]
    raised = Counter(outcome.error for outcome in assert_same(out, jobs))
    assert raised["VariablesError"] > 100
    assert raised["UndefinedError"] > 20


def test_a_variable_of_any_other_type_gives_jinja2s_text_or_exception(out: Path) -> None:
    jobs = [
        (p.key, role, {**variables, name: stranger})
        for p in TEMPLATES
        for variables in samples(p)
        for name in variables
        for stranger in STRANGERS
        for role in p.templates
    ]
    raised = Counter(outcome.error for outcome in assert_same(out, jobs))
    assert raised["TypeError"] > 10
    assert raised[""] > 100


def test_a_minimal_example_gives_its_text_verbatim(out: Path) -> None:
    minimal = [package for package in PACKAGES.values() if not package.templates]
    assert len(minimal) >= 3
    rendered = render_bare(out, [(package.key, "system", {}) for package in minimal], pack="never")
    for package, outcome in zip(minimal, rendered, strict=True):
        settings = package.settings
        file = settings.get("system_file")
        expected = (package.path / file).read_text(encoding="utf-8") if file else settings["system"]
        assert outcome == Outcome("", expected), package.key


def block(package: Package) -> str:
    """What stands before the system text, as docs/skills.md shows it."""
    lines = []
    for name in package.settings.get("skills", []):
        text = (package.path / "skills" / name / "SKILL.md").read_text("utf-8")
        lines.append(f"- {name}: {yaml.safe_load(text.split('---')[1])['description']}")
    if not lines:
        return ""
    shown = re.search(r"```\n(<skills>\n[^\n]*\n)(?:- [^\n]*\n)+(When [^\n]*\n</skills>)\n```", DOCUMENT)
    assert shown is not None
    return shown[1] + "\n".join([*lines, shown[2]]) + "\n\n"


def test_every_package_has_the_messages_of_its_roles_in_order(out: Path) -> None:
    """`messages` is `system` and `user`, whatever the layout, and begins with the names of the skills."""
    jobs = [(p.key, name, next(samples(p), {})) for p in PACKAGES.values() for name in ("messages", "system", "user")]
    outcomes = iter(render_bare(out, jobs, pack="require"))
    for package in PACKAGES.values():
        parts: list[Any] = [next(outcomes).text for _ in range(3)]
        messages, system, user = parts
        expected = [{"role": "system", "content": block(package) + system}]
        if "user" in package.templates:
            expected.append({"role": "user", "content": user})
        assert messages == expected, package.key
        assert (user is None) == ("user" not in package.templates), package.key
    assert [key for key, package in PACKAGES.items() if block(package)] == ["agents/researcher", "support/reply"]
