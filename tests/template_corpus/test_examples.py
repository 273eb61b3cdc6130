"""Every sample of `examples/prompts` renders under plain jinja2 and says what its `expect` promises."""

import ast
from collections import Counter
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import pytest
from jinja2 import nodes
from template_corpus.example_tree import Package, packages

PACKAGES = packages()
WITH_TEMPLATES = [package for package in PACKAGES if package.templates]
SAMPLES = [(package, name) for package in WITH_TEMPLATES for name in package.samples]


def render(package: Package, role: str, variables: dict[str, Any]) -> str:
    return package.environment().from_string(package.templates[role]).render(variables)


@pytest.mark.parametrize(("package", "name"), SAMPLES, ids=[f"{package.key}-{name}" for package, name in SAMPLES])
def test_a_sample_renders_and_meets_its_expectations(package: Package, name: str) -> None:
    sample = package.samples[name]
    assert set(sample) <= {"variables", "description", "expect"}
    assert set(sample.get("expect", {})) <= set(package.templates)
    for role in package.templates:
        text = render(package, role, sample["variables"])
        expect = sample.get("expect", {}).get(role, {})
        assert set(expect) <= {"contains", "not_contains", "max_chars"}
        for part in expect.get("contains", []):
            assert part in text
        for part in expect.get("not_contains", []):
            assert part not in text
        assert len(text) <= expect.get("max_chars", len(text))


def test_every_package_with_templates_has_a_sample() -> None:
    assert [package.key for package in WITH_TEMPLATES if not package.samples] == []


def test_the_tree_shows_every_layout_and_no_name_twice() -> None:
    assert len(PACKAGES) >= 18
    assert {package.layout for package in PACKAGES} == {"minimal", "prompt", "messages", "file"}
    names = Counter(str(package.settings.get("name", package.path.stem)) for package in PACKAGES)
    assert [name for name, count in names.items() if count > 1] == []


def test_the_sample_that_make_build_shows_fits_a_terminal() -> None:
    draft = next(package for package in PACKAGES if package.key == "briefs/draft")
    variables = draft.samples["acme"]["variables"]
    lines = [line for role in draft.templates for line in render(draft, role, variables).splitlines()]
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 160


def _classes(stub: Path) -> dict[str, dict[str, bool]]:
    """Class → field → whether it must be given."""
    classes: dict[str, dict[str, bool]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            inherited = {k: v for b in node.bases if isinstance(b, ast.Name) for k, v in classes.get(b.id, {}).items()}
            own = {
                field.target.id: field.value is None and "NotRequired" not in ast.unparse(field.annotation)
                for field in node.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            }
            classes[node.name] = inherited | own
    return classes


def _names_used(env: jinja2.Environment, source: str, seen: set[str]) -> set[str]:
    """Variables a template reads, its includes and layouts counted with it (imports see no context)."""
    tree = env.parse(source)
    # What a template sets or imports at its top is visible in its blocks, which jinja2's analysis takes one by one.
    own = {node.target.name for node in tree.find_all(nodes.Assign) if isinstance(node.target, nodes.Name)}
    for imported in tree.find_all(nodes.FromImport):
        own |= {name if isinstance(name, str) else name[1] for name in imported.names}
    used = jinja2.meta.find_undeclared_variables(tree) - set(env.globals) - own
    targets = [node.template for node in tree.find_all(nodes.Include)]
    targets += [node.template for node in tree.find_all(nodes.Extends)]
    for name in (target.value for target in targets if isinstance(target, nodes.Const)):
        if name not in seen:
            seen.add(name)
            assert env.loader is not None
            used |= _names_used(env, env.loader.get_source(env, name)[0], seen)
    return used


WITH_INPUT = [
    p for p in WITH_TEMPLATES if (p.path / "schema.pyi").exists() and "Input" in _classes(p.path / "schema.pyi")
]


@pytest.mark.parametrize("package", WITH_INPUT, ids=[package.key for package in WITH_INPUT])
def test_templates_and_samples_use_what_input_declares(package: Package) -> None:
    declared = _classes(package.path / "schema.pyi")["Input"]
    required = {name for name, must in declared.items() if must}
    used: set[str] = set()
    for source in package.templates.values():
        used |= _names_used(package.environment(), source, set())
    assert used == set(declared)
    for sample in package.samples.values():
        assert required <= set(sample["variables"]) <= set(declared)
