"""Packages as authors write them render, have no finding but those written beside them; each mistake is found."""

from datetime import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
import yaml
from frozenctx_compiler.diagnostics import Diagnostic

AUTHORED = Path(__file__).parent / "authored"


class Loader(yaml.SafeLoader):
    """`!object` is an object with attributes, `!time` a time."""


def _object(loader: Loader, node: yaml.MappingNode) -> SimpleNamespace:
    return SimpleNamespace(**{str(key): value for key, value in loader.construct_mapping(node, deep=True).items()})


def _time(loader: Loader, node: yaml.ScalarNode) -> time:
    return time.fromisoformat(str(loader.construct_scalar(node)))


Loader.add_constructor("!object", _object)
Loader.add_constructor("!time", _time)
PACKAGES: dict[str, dict[str, Any]] = {
    path.stem: yaml.load(path.read_text("utf-8"), Loader) for path in sorted(AUTHORED.glob("*.yaml"))
}
MISTAKES = [(name, number) for name, package in PACKAGES.items() for number in range(len(package["mistakes"]))]


def write(files: dict[str, str], root: Path) -> Path:
    for name, text in files.items():
        path = root / "p.ctx" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def shown(found: Diagnostic) -> str:
    assert found.span is not None
    return f"{found.span.file.removeprefix('p.ctx/')}:{found.span.line}:{found.span.column} {found.code}"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_renders_and_has_the_findings_that_are_written_down(name: str, tmp_path: Path) -> None:
    package = PACKAGES[name]
    result = frozenctx_compiler.build(write(package["files"], tmp_path / "src"), tmp_path / "out")
    assert [shown(each) for each in result.report.diagnostics] == package["warnings"]
    prompt = frozenctx.load(tmp_path / "out")["p"]
    for sample in package["samples"]:
        assert prompt.messages(sample)


@pytest.mark.parametrize(("name", "number"), MISTAKES)
def test_a_mistake_is_found_at_its_place_and_alone(name: str, number: int, tmp_path: Path) -> None:
    """`§` in what is written stands before the place of the finding."""
    package = PACKAGES[name]
    mistake = package["mistakes"][number]
    files, changed = dict(package["files"]), mistake["in"]
    text = files[changed].replace(mistake["instead of"], mistake["write"], 1)
    place = ""
    if "§" in text:
        at = text.index("§")
        place = f"{changed}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)} "
    files[changed] = text.replace("§", "")
    before = frozenctx_compiler.check(write(package["files"], tmp_path / "before")).report.diagnostics
    after = frozenctx_compiler.check(write(files, tmp_path / "after")).report.diagnostics
    known = {(each.code, each.headline) for each in before}
    found = [shown(each) for each in after if (each.code, each.headline) not in known]
    assert [each for each in found if each.startswith(place)], (found, [each.headline for each in after])
    assert {each.rpartition(" ")[2] for each in found} == {mistake["finds"]}
