"""`--host MODULE:NAME`: what it brings to `render` and `test`, and what is said when it cannot."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from frozenctx_compiler import cli
from source_trees import write

PAGE = (Path(__file__).parents[2] / "docs/commands.md").read_text("utf-8")
TREE = {
    "frozenctx.toml": (
        '[defaults]\nmodel = "openai/gpt-5"\n[host]\nfilters = ["money"]\ntests = ["dear"]\nglobals = ["shop"]\n'
    ),
    "price.ctx": "{{ shop }}: {{ 350 | money }}{% if 350 is dear %}!{% endif %}\n",
    "price.samples.yaml": "one: {variables: {}, expect: {system: {contains: ['Lumen: 3.50 €!']}}}\n",
    "legal.ctx/settings.yaml": "system_render: legal.text\n",
    "legal.ctx/samples/one.yaml": "variables: {name: Ada}\n",
    "hosts_of_a_test.py": (
        "filters = {'money': lambda cents: f'{cents / 100:.2f} €'}\n"
        "tests = {'dear': lambda cents: cents > 300}\n"
        "globals = {'shop': 'Lumen'}\n"
        "renderers = {'legal.text': lambda variables: f\"For {variables['name']}.\"}\n"
        "table = {'filters': filters, 'tests': tests, 'globals': globals}\n"
        "class Host:\n    filters, tests, globals, renderers = filters, tests, globals, renderers\n"
        "wrong = {'filter': filters}\nodd = {'filters': [1]}\n"
        "raising = {**table, 'filters': {'money': lambda n: 1 / 0}}\n"
    ),
    "raising_host_of_a_test.py": "raise ValueError('not here')\n",
    "importing_host_of_a_test.py": "import there_is_no_such_module\n",
}


class Done(NamedTuple):
    out: str
    err: str
    code: int


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    write(tmp_path, TREE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}

    def run(*arguments: str) -> Done:
        code = cli.run(arguments)
        return Done(*capsys.readouterr(), code)

    yield run
    for name in {*sys.modules} - before:
        if "host" in name:
            del sys.modules[name]


@pytest.mark.parametrize("name", ["", ":Host"])
def test_samples_are_rendered_with_what_the_module_supplies(name: str, run: Run) -> None:
    done = run("test", "--host", f"hosts_of_a_test{name}")
    assert [line.split() for line in done.out.splitlines()] == [["passed", "legal", "one"], ["passed", "price", "one"]]
    assert done.code == 0


def test_a_mapping_may_supply_some_and_the_rest_is_skipped(run: Run) -> None:
    done = run("test", "--host", "hosts_of_a_test:table")
    assert done.code == 0
    assert [line.split()[:2] for line in done.out.splitlines()] == [["skipped", "legal"], ["passed", "price"]]
    assert "it needs the renderer `legal.text`" in done.out


def test_prompts_are_rendered_from_source_and_from_artifacts(run: Run) -> None:
    host = ("--host", "hosts_of_a_test")
    assert run("render", "price", *host).out == "--- system ---\nLumen: 3.50 €!\n"
    assert run("build", ".", "-o", "../out").code == 0
    for key, text in (("price", "Lumen: 3.50 €!"), ("legal", "For Ada.")):
        done = run("render", key, "--from", "../out", "--role", "system", "--var", "name=Ada", *host)
        assert done == (text, "", 0)


def test_a_failure_of_the_host_is_told_like_one_of_a_template(run: Run) -> None:
    done = run("render", "price", "--host", "hosts_of_a_test:raising")
    assert done.code == 1
    assert "error: ZeroDivisionError" in done.err
    assert "price.ctx" in done.err


def test_without_the_option_it_is_named(run: Run) -> None:
    done = run("render", "price")
    assert done.code == 1
    assert "the filter `money`" in done.err
    assert "`--host MODULE:NAME`" in done.err


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("no_such_module_at_all:x", "there is no module `no_such_module_at_all`"),
        ("hosts_of_a_test.inner:x", "there is no module `hosts_of_a_test.inner`"),
        ("importing_host_of_a_test", "imports `there_is_no_such_module`, which there is not"),
        ("raising_host_of_a_test", "cannot be imported: ValueError: not here"),
        ("hosts_of_a_test:tabel", "has no `tabel`; did you mean `table`?"),
        ("hosts_of_a_test:filters", "has the key `money`; it may have `filters`, `tests`"),
        ("hosts_of_a_test:wrong", "has the key `filter`; did you mean `filters`?"),
        ("hosts_of_a_test:odd", "`filters` of `hosts_of_a_test:odd` must be a mapping of names, found list"),
        ("json", "`json` has none of `filters`, `tests`"),
        ("hosts_of_a_test:", "expected MODULE:NAME"),
        ("../hosts:x", "expected MODULE:NAME"),
    ],
)
def test_what_is_no_host_is_a_wrong_argument(named: str, words: str, run: Run) -> None:
    for command in (("test",), ("render", "price")):
        done = run(*command, "--host", named)
        assert (done.code, done.out) == (2, "")
        assert words in re.sub(r"\s+", " ", done.err)


@pytest.mark.parametrize("command", [("build", ".", "-o", "../out"), ("check",)])
def test_nothing_else_takes_one(command: tuple[str, ...], run: Run) -> None:
    assert run(*command, "--host", "hosts_of_a_test").code == 2
    assert run(*command).code == 0
    assert "hosts_of_a_test" not in sys.modules


def test_the_example_of_the_page_works(tmp_path: Path, run: Run) -> None:
    section = PAGE.split("## What a host program supplies")[1].split("\n## ")[0]
    [module] = re.findall(r"```python\n# (\S+)\n(.*?)```", section, re.DOTALL)
    [command] = re.findall(r"```sh\nfrozenctx (.*?)\n```", section)
    settings = '[defaults]\nmodel = "openai/gpt-5"\n[host]\nfilters = ["money"]\nglobals = ["shop"]\n'
    sample = "a: {variables: {}, expect: {system: {contains: [Lumen 0.05 €]}}}"
    files = {"prompts/frozenctx.toml": settings, "prompts/a.ctx": "{{ shop }} {{ 5 | money }}"}
    write(tmp_path, {**files, "prompts/a.samples.yaml": sample, module[0]: module[1]})
    done = run(*command.split())
    assert done.code == 0
    assert "1 passed" in done.err
