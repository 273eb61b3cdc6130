"""The benchmarks run, and what they compare is equal. How fast anything is, no test says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CATEGORIES = {
    "tiny", "prompt-5kb", "transcripts", "objects", "dict-subclasses", "tools", "macros", "filter-chains",
    "conditionals", "includes", "static-50kb", "integer-tables", "chat-templates", "packages",
}  # fmt: skip


def bench(name: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", f"bench.{name}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def results(name: str, *arguments: str) -> Any:
    done = bench(name, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["default", "reference"])
def test_every_case_is_rendered_to_the_text_of_jinja2(kind: str) -> None:
    """The run ends with an error when a text differs; here it has to get through all categories."""
    found = results("render", "--quick", "--rounds=1", *([] if kind == "default" else [f"--kind={kind}"]))
    assert found["categories"].keys() == CATEGORIES
    cases = [case["case"] for case in found["cases"]]
    assert len(cases) == len(set(cases))
    assert all(sum(case.startswith(f"{category}/") for case in cases) >= 2 for category in CATEGORIES)
    assert all({"jinja2", "frozenctx"} <= case["seconds"].keys() for case in found["cases"])
    assert found["overall"]["jinja2"] > 0


def test_a_text_that_differs_ends_the_run(tmp_path: Path) -> None:
    broken = (
        "from bench import cases, render\n"
        "sources = cases.sources()\n"
        "render.engines.jinja2_renderers = lambda *_: lambda name: lambda context: 'another text'\n"
        "raise SystemExit(render.main(['--quick', '--only', 'tiny/welcome']))\n"
    )
    done = subprocess.run([sys.executable, "-c", broken], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: not the text of jinja2:\n  tiny/welcome: 'Write a welcome")


def test_a_choice_that_leaves_nothing_is_an_error() -> None:
    done = bench("render", "--only", "no such case")
    assert (done.returncode, done.stderr) == (2, "error: no case holds `no such case`\n")


def test_a_small_build_is_measured_with_its_passes() -> None:
    found = results("build", "--packages=30", "--rounds=1", "--passes")
    assert found["ratio"] > 0
    ours, peers = found["best"]["ours"], found["best"]["peers"]
    assert 0 < sum(ours["passes"][name] for name in ("read", "lower", "emit", "store")) <= ours["cpu"]
    assert peers["templates"] > 40
    assert peers["documents"] > 40


def test_generated_packages_are_the_same_in_every_run_and_share_no_text(tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT))
    try:
        from bench.packages import write_tree
    finally:
        sys.path.remove(str(ROOT))
    trees = [tmp_path / "one", tmp_path / "two"]
    for tree in trees:
        tree.mkdir()
        assert len(set(write_tree(tree, 60))) == 60
    contents = [{p.relative_to(tree): p.read_bytes() for p in tree.rglob("*") if p.is_file()} for tree in trees]
    assert contents[0] == contents[1]
    prompts = [text for path, text in contents[0].items() if path.name == "prompt.j2" or path.suffix == ".ctx"]
    assert len(prompts) == len(set(prompts)) > 30


def test_a_small_cold_start_is_measured_and_gives_the_texts_that_the_peers_give() -> None:
    (found,) = results("cold", "--sizes=33", "--prompts=3", "--rounds=1")["sizes"]
    assert found["source"] in ("objects", "pack")
    assert {"frozenctx", "frozenctx -B -OO", "jinja2 + PyYAML", "jinja2 precompiled"} <= found["one"].keys()
    assert found["one"]["frozenctx"]["prompts"] == 3
    assert found["all rendered"]["frozenctx"]["CPU ms"] > 0
