"""Several profiles from one reading of the sources: a release each, written and switched together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx_compiler import api
from frozenctx_compiler import build as build_tree
from frozenctx_compiler.differences import differences


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "draft.ctx").mkdir(parents=True)
    (root / "draft.ctx" / "settings.yaml").write_text(
        'model: !? $env.get("MODEL", "openai/gpt-5")\nmax_tokens: !? $env.get("LIMIT", 100)\n'
    )
    (root / "draft.ctx" / "prompt.j2").write_text("{% include 'p.j2' %} {{ x }}")
    (root / "draft.ctx" / "p.j2").write_text("partial")
    (root / "same.ctx").write_text("---\nmodel: openai/gpt-5\n---\nthe same")
    (tmp_path / "prod.env").write_text("MODEL=anthropic/claude-sonnet-4\nLIMIT=200\n")
    (tmp_path / "failover.env").write_text("MODEL=openai/gpt-5-mini\nLIMIT=200\n")
    return root


def build(tree: Path, **options: Any) -> api.BuildResult:
    profiles = {"prod": [tree.parent / "prod.env"], "prod-failover": [tree.parent / "failover.env"]}
    return build_tree(tree, tree.parent / "out", **{"profiles": profiles, **options})


def test_each_profile_is_what_a_build_with_its_file_alone_makes(tree: Path, tmp_path: Path) -> None:
    built = build(tree)
    assert list(built.profiles) == ["prod", "prod-failover"]
    for profile, file in (("prod", "prod.env"), ("prod-failover", "failover.env")):
        alone = build_tree(tree, tmp_path / profile, env_files=[tmp_path / file])
        assert built.profiles[profile].release == alone.release
        prompts = frozenctx.load(tmp_path / "out", profile=profile, verify=True, pack="require")
        assert prompts.digest == alone.release
        assert prompts["draft"].user({"x": 1}) is None
        assert prompts["draft"].system({"x": 1}) == "partial 1"
    with pytest.raises(ValueError, match="2 releases"):
        _ = built.release


def test_a_service_switches_by_the_profile_that_it_loads(tree: Path, tmp_path: Path) -> None:
    build(tree)
    models = {name: frozenctx.load(tmp_path / "out", profile=name)["draft"].model for name in ("prod", "prod-failover")}
    assert models == {"prod": "anthropic:claude-sonnet-4", "prod-failover": "openai:gpt-5-mini"}


def test_sources_are_read_and_templates_lowered_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, str]] = []

    def counted(name: str, key: Callable[[Any], str]) -> None:
        real = getattr(api, name)

        def call(first: Any, *rest: Any) -> Any:
            calls.append((name, key(first)))
            return real(first, *rest)

        monkeypatch.setattr(api, name, call)

    counted("read", lambda package: package.key)
    counted("lower", lambda checked: checked.read.files.key)
    build(tree)
    assert calls == [("read", "draft"), ("read", "same"), ("lower", "draft"), ("lower", "same")]


def test_what_is_the_same_is_there_once(tree: Path, tmp_path: Path) -> None:
    both = build(tree).profiles
    objects = len(list((tmp_path / "out" / "objects").rglob("*.*")))
    alone = len(build_tree(tree, tmp_path / "alone", env_files=[tmp_path / "prod.env"]).compilation.packages)
    assert alone == 2
    assert objects == len(list((tmp_path / "alone" / "objects").rglob("*.*"))) + 2  # a release, and `draft`
    again = build(tree, profiles={"a": [tmp_path / "prod.env"], "b": [tmp_path / "prod.env"]}).profiles
    assert again["a"].release == again["b"].release == both["prod"].release
    assert len(list((tmp_path / "out" / "packs").iterdir())) == 2


def test_an_error_of_one_profile_stops_all_and_says_which(tree: Path, tmp_path: Path) -> None:
    build(tree)
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    (tmp_path / "failover.env").write_text("MODEL=openai/gpt-5-mini\nLIMIT=many\n")
    (tmp_path / "prod.env").write_text("MODEL=openai/gpt-4\n")
    failed = build(tree)
    assert not failed.written
    (finding,) = failed.report.diagnostics
    assert (finding.code, finding.notes[-1]) == ("bad-value", "with the profile `prod-failover`")
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before


def test_what_every_profile_finds_is_said_once(tree: Path) -> None:
    (tree / "same.ctx").write_text("---\nmodel: openai/gpt-5\nmax_tokens: many\n---\n{{ x | uper }}")
    found = [(finding.code, finding.notes) for finding in build(tree).report.diagnostics]
    assert sorted(code for code, _notes in found) == ["bad-value", "unknown-filter"]
    assert not any("profile" in note for _code, notes in found for note in notes)


def test_differences_say_which_profile_has_what(tree: Path, tmp_path: Path) -> None:
    build(tree)
    releases = {name: frozenctx.load(tmp_path / "out", profile=name) for name in ("prod", "prod-failover")}
    (found,) = differences(releases)
    assert (found.key, found.part) == ("draft", "model")
    assert found.values == {"prod": "anthropic:claude-sonnet-4", "prod-failover": "openai:gpt-5-mini"}
    (tree / "same.ctx").unlink()
    build(tree, profiles={"prod-failover": [tmp_path / "failover.env"]})
    releases["prod-failover"] = frozenctx.load(tmp_path / "out", profile="prod-failover")
    assert [(each.key, each.part) for each in differences(releases)] == [("draft", "model"), ("same", "prompt")]
