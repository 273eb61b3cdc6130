"""`frozenctx_compiler.load`: what a unit test and an edit loop see is what the service will get after a build."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler.api import CompileError
from pipeline.outputs import ROOTS
from source_trees import write
from template_corpus.example_tree import TREE, packages

CONFIG = '[defaults]\nmodel = "openai/gpt-5"\n'
README = Path(__file__).parents[2] / "README.md"


def everything(prompt: frozenctx.Prompt) -> dict[str, Any]:
    """All that a prompt says of itself without being rendered."""
    names = (
        "key name version digest identity model provider model_name meta input_schema reply_schema tools skills parts"
    )
    return {name: getattr(prompt, name) for name in (*names.split(), "host_names")} | {
        "settings": repr(prompt.settings)
    }


def test_every_example_is_the_same_loaded_from_memory_and_from_a_build(tmp_path: Path) -> None:
    env = {"DRAFT_MODEL": "mistral/large", "REPLY_MAX_TOKENS": "7"}
    built = frozenctx_compiler.build(TREE, tmp_path, env=env)
    there = frozenctx.load(tmp_path, verify=True)
    here = frozenctx_compiler.load(TREE, env=env)
    assert isinstance(here, frozenctx.Prompts)
    assert here.digest == there.digest == built.release
    assert list(here) == list(there)
    assert here["briefs/draft"].model == "mistral:large"
    samples = {package.key: package.samples for package in packages()}
    for key, prompt in here.items():
        assert everything(prompt) == everything(there[key])
        for sample in samples[key].values():
            assert prompt.messages(sample["variables"]) == there[key].messages(sample["variables"])


def test_loading_twice_gives_equal_and_independent_prompts() -> None:
    one, other = (frozenctx_compiler.load(TREE, select=["chat/title"]) for _ in range(2))
    assert list(one) == list(other) == ["chat/title"]
    assert one["chat/title"] is one["chat/title"]
    assert one["chat/title"] is not other["chat/title"]
    assert one["chat/title"].version == other["chat/title"].version


def test_what_the_host_supplies_is_handed_on(tmp_path: Path) -> None:
    write(tmp_path, {"frozenctx.toml": f'{CONFIG}[host]\nfilters = ["money"]\n', "p.ctx": "{{ 3 | money }}"})
    with pytest.raises(frozenctx.errors.HostNamesMissing):
        frozenctx_compiler.load(tmp_path)
    assert frozenctx_compiler.load(tmp_path, filters={"money": "€{}".format})["p"].system() == "€3"


def test_errors_raise_the_whole_report_and_leave_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path, {"frozenctx.toml": CONFIG, "a.ctx": "{{ x | upcase }}", "b.ctx": "{% if %}", "c.ctx": "fine"})
    with pytest.raises(CompileError) as caught:
        frozenctx_compiler.load(tmp_path)
    assert [finding.code for finding in caught.value.diagnostics] == ["unknown-filter", "template-syntax"]
    words = str(caught.value)
    assert "error[unknown-filter]: there is no filter `upcase`\n --> a.ctx:1:8\n" in words
    assert words.endswith("2 errors, no warnings in 2 of 3 packages; nothing was loaded")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ctx", "b.ctx", "c.ctx", "frozenctx.toml"]


def test_a_lint_raises_when_it_is_denied(tmp_path: Path) -> None:
    write(tmp_path, {"p.ctx": "fine"})
    assert list(frozenctx_compiler.load(tmp_path)) == ["p"]
    with pytest.raises(CompileError, match="default-model"):
        frozenctx_compiler.load(tmp_path, lint_levels={"default-model": "error"})


# -- reload=True --


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "frozenctx.toml": CONFIG,
            "partials/voice.j2": "Be plain.",
            "partials/notes.txt": "notes",
            "partials/data.yaml": "[1, 2]",
            "p.ctx/settings.yaml": "max_tokens: 1\nmodel: !? $env.get('M', 'a/b')\n",
            "p.ctx/prompt.j2": (
                '{% include "partials/voice.j2" %} {{ "partials/notes.txt" | import_text }} '
                '{{ "partials/data.yaml" | import_yaml }}{% include "partials/later.j2" ignore missing %}'
            ),
            "q.ctx": "q {{ x }}",
        },
    )


def rewrite(path: Path, content: str) -> None:
    """Write, and make sure that neither size nor time of the file gives the change away."""
    before = path.stat() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    if before is not None:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_reload_follows_every_kind_of_edit(tree: Path) -> None:
    prompts = frozenctx_compiler.load(tree, reload=True)
    assert prompts["p"].system() == "Be plain. notes [1, 2]"
    first = prompts["p"]
    assert prompts["p"] is first  # nothing changed, nothing was compiled
    rewrite(tree / "partials/voice.j2", "Be brief.")
    assert prompts["p"].system() == "Be brief. notes [1, 2]"
    rewrite(tree / "partials/notes.txt", "other")
    assert prompts["p"].system() == "Be brief. other [1, 2]"
    rewrite(tree / "partials/data.yaml", "[1, 3]")
    assert prompts["p"].system() == "Be brief. other [1, 3]"
    rewrite(tree / "p.ctx/settings.yaml", "max_tokens: 2\n")
    assert (prompts["p"].settings.max_tokens, prompts["p"].model) == (2, "openai:gpt-5")
    rewrite(tree / "frozenctx.toml", CONFIG.replace("5", "6"))
    assert prompts["p"].model == "openai:gpt-6"
    rewrite(tree / "p.ctx/prompt.j2", "{% include 'partials/later.j2' ignore missing %}!")
    assert prompts["p"].system() == "!"
    rewrite(tree / "partials/later.j2", "late")
    assert prompts["p"].system() == "late!"
    rewrite(tree / "p.ctx/partials/later.j2", "nearer")  # a nearer base directory
    assert prompts["p"].system() == "nearer!"
    assert first.system() == "Be plain. notes [1, 2]"  # what was handed out never changes


def test_reload_follows_packages_that_come_and_go(tree: Path) -> None:
    prompts = frozenctx_compiler.load(tree, reload=True)
    assert list(prompts) == ["p", "q"]
    rewrite(tree / "deep/er/new.ctx", "new")
    assert (list(prompts), prompts["deep/er/new"].system()) == (["deep/er/new", "p", "q"], "new")
    assert prompts.named("new").key == "deep/er/new"  # type: ignore[attr-defined]
    (tree / "q.ctx").unlink()
    assert "q" not in prompts
    assert len(prompts) == 2
    with pytest.raises(KeyError):
        prompts["q"]
    (tree / "deep/er/new.ctx").rename(tree / "deep/er/newer.ctx")
    assert list(prompts) == ["deep/er/newer", "p"]


def test_reload_raises_while_the_sources_are_broken_and_works_once_they_are_mended(tree: Path) -> None:
    prompts = frozenctx_compiler.load(tree, reload=True)
    for path, broken in {
        "partials/voice.j2": "{{",
        "p.ctx/settings.yaml": "max_tokens: many",
        "p.ctx/prompt.j2": "{% include 'partials/gone.j2' %}",
        "frozenctx.toml": "[nonsense",
        "q.ctx": "---\n",
    }.items():
        whole = (tree / path).read_text(encoding="utf-8")
        rewrite(tree / path, broken)
        for _ in range(2):  # the error stays as long as its cause
            with pytest.raises(CompileError) as caught:
                prompts["p"]
            assert [finding.span and finding.span.file for finding in caught.value.diagnostics] == [path]
        rewrite(tree / path, whole)
        assert prompts["p"].system() == "Be plain. notes [1, 2]"
    (tree / "partials/voice.j2").unlink()
    with pytest.raises(CompileError, match="missing-file"):
        prompts["p"]
    rewrite(tree / "partials/voice.j2", "Be back.")
    assert prompts["p"].system().startswith("Be back.")


def test_reload_of_broken_sources_raises_at_once(tree: Path) -> None:
    rewrite(tree / "q.ctx", "{{")
    with pytest.raises(CompileError):
        frozenctx_compiler.load(tree, reload=True)


def test_reload_follows_a_tree_that_vanishes_and_comes_back(tree: Path) -> None:
    prompts = frozenctx_compiler.load(tree, reload=True)
    away = tree.with_name(f"{tree.name}-away")
    tree.rename(away)
    with pytest.raises(CompileError):
        prompts["p"]
    away.rename(tree)
    assert prompts["p"].system() == "Be plain. notes [1, 2]"


def test_reload_follows_a_link_that_is_turned(tree: Path) -> None:
    write(tree, {"versions/one.j2": "one", "versions/two.j2": "two", "l.ctx": '{% include "partials/link.j2" %}'})
    link = tree / "partials/link.j2"
    link.symlink_to("../versions/one.j2")
    prompts = frozenctx_compiler.load(tree, reload=True)
    assert prompts["l"].system() == "one"
    link.unlink()
    link.symlink_to("../versions/two.j2")
    assert prompts["l"].system() == "two"


def test_reload_keeps_its_environment_and_its_host(tree: Path) -> None:
    rewrite(tree / "frozenctx.toml", f'{CONFIG}[host]\nfilters = ["money"]\n')
    rewrite(tree / "q.ctx", "{{ 3 | money }}")
    prompts = frozenctx_compiler.load(tree, env={"M": "x/y"}, reload=True, filters={"money": "€{}".format})
    assert (prompts["q"].system(), prompts["p"].model) == ("€3", "x:y")
    rewrite(tree / "q.ctx", "{{ 4 | money }}")
    assert (prompts["q"].system(), prompts["p"].model) == ("€4", "x:y")


# -- the README --


def test_the_pytest_example_of_the_readme_passes(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    code = next(part.partition("```")[0] for part in text.split("```python\n") if "import pytest" in part)
    (tmp_path / "test_readme.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=README.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(ROOTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_loading_sources_with_the_runtime_names_both_ways_out() -> None:
    with pytest.raises(frozenctx.errors.NotArtifacts) as caught:
        frozenctx.load(TREE)
    assert "frozenctx build" in str(caught.value)
    assert "frozenctx_compiler.load" in str(caught.value)
