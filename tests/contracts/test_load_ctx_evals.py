"""`load_ctx_evals`: what it gives, what it leaves behind, and what it says when it cannot."""

import asyncio
import importlib
import importlib.util
import json
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from frozenctx_compiler.evals import DatasetSpec, EvalConfig, EvalError, ModelSpec, load_ctx_evals, process, stand_ins
from frozenctx_compiler.evals import replies as llm
from frozenctx_compiler.evals import vocabulary as types

ROOT = Path(__file__).parents[2]
FUNCTIONS = "def sample(limit): return [limit]\ndef score(input, output, expected): return 1.0\n"
NAMES = [
    "Input", "Output", "Score", "Turn", "StopFn", "stop_after_turns", "stop_when_terminal_tool", "stop_when_non_tool",
    "any_stop", "all_stop", "ExpectedToolCall", "Expected", "Sample", "MockToolConfig",
]  # fmt: skip
HELPERS = ["strip_markdown_codeblock", "extract_llm_content", "parse_llm_json"]


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """A package directory to write into. Afterwards nothing may be left of what stood in."""
    directory = tmp_path / "x.ctx"
    directory.mkdir()
    before = sys.modules.copy()
    finders = list(sys.meta_path)
    yield directory
    assert finders == sys.meta_path
    left = [name for name in sys.modules if name not in before]
    assert not [name for name in left if name.startswith(("dotctx", "ctx_evals"))]
    assert all(sys.modules[name] is module for name, module in before.items())


def write(package: Path, **files: str) -> Path:
    for name, text in files.items():
        package.joinpath(name.replace("_", ".")).write_text(text, "utf-8")
    return package


def refused(package: Path, *arguments: Any, **options: Any) -> EvalError:
    with pytest.raises(EvalError) as caught:
        load_ctx_evals(package, *arguments, **options)
    assert caught.value.package == str(package)
    return caught.value


# -- what it gives --


def test_both_files_give_functions_and_a_config(package: Path) -> None:
    write(
        package,
        eval_py=FUNCTIONS,
        eval_yaml="""
models: [openai/gpt-5, {id: !? $env.JUDGE, tags: cheap}, {id: b, tags: [x, "y"]}]
datasets: [data/a.jsonl, {file: ../b.txt, format: csv, tags: nightly}, /abs/c]
threshold: !? $env.get("PASSES", 0.25)
concurrency: "7"
scoring: {weights: {tone: 2}}
agent: {max_turns: 3}
""",
    )
    evals = load_ctx_evals(package, {"JUDGE": "a/judge"})
    assert evals.sample is not None
    assert evals.score is not None
    assert evals.sample(3) == [3]
    assert evals.score({}, None, None) == 1.0
    assert evals.file == str(package / "eval.py")
    assert evals.env.found == ("JUDGE",)
    assert dict(evals.env.defaulted) == {"PASSES": "0.25"}
    assert evals.config == EvalConfig(
        file=str(package / "eval.yaml"),
        models=(ModelSpec("openai/gpt-5"), ModelSpec("a/judge", ("cheap",)), ModelSpec("b", ("x", "y"))),
        datasets=(
            DatasetSpec(f"{package}/data/a.jsonl", "jsonl"),
            DatasetSpec(f"{package}/../b.txt", "csv", ("nightly",)),
            DatasetSpec("/abs/c", ""),
        ),
        threshold=0.25,
        concurrency=7,
        scoring={"weights": {"tone": 2}},
        agent={"max_turns": 3},
    )


def test_nothing_of_it_can_be_set(package: Path) -> None:
    evals = load_ctx_evals(write(package, eval_py=FUNCTIONS))
    for frozen in (evals, evals.config):
        with pytest.raises(FrozenInstanceError):
            frozen.file = "x"  # type: ignore[misc]


def test_either_file_may_be_absent(package: Path) -> None:
    nothing = load_ctx_evals(package)
    assert (nothing.sample, nothing.score, nothing.file) == (None, None, None)
    assert nothing.config == EvalConfig(None, threshold=0.5, concurrency=5)
    assert load_ctx_evals(write(package, eval_yml="")).config == EvalConfig(str(package / "eval.yml"))
    (package / "eval.yml").unlink()
    assert load_ctx_evals(write(package, eval_py=FUNCTIONS)).config == EvalConfig()


def test_a_profile_replaces_the_keys_it_gives_and_no_others(package: Path) -> None:
    write(
        package,
        eval_yaml="""
models: [a, b]
threshold: 0.9
scoring: {rubric: short, strict: true}
profiles:
  nightly: {models: [c], concurrency: 20, scoring: {rubric: long}, threshold: null, datasets: [d.jsonl]}
  hourly: {}
""",
    )
    config = load_ctx_evals(package).config
    nightly = config.with_profile("nightly")
    assert nightly == load_ctx_evals(package, profile="nightly").config
    assert (nightly.models, nightly.concurrency, nightly.threshold) == ((ModelSpec("c"),), 20, 0.9)
    assert (nightly.scoring, nightly.datasets[0].file) == ({"rubric": "long"}, f"{package}/d.jsonl")
    assert nightly.profile == "nightly"
    assert (config.profile, config.concurrency) == (None, 5)
    assert config.with_profile("hourly").models == config.models
    error = refused(package, profile="nightli")
    assert (error.message, error.note) == ("there is no profile `nightli`", "did you mean `nightly`?")


def test_the_environment_is_what_is_given_and_that_of_the_project(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSES", "0.1")
    write(package, eval_yaml='threshold: !? $env.get("PASSES", 0.2)\n')
    assert load_ctx_evals(package).config.threshold == 0.2
    (tmp_path / "frozenctx.toml").write_text('[env]\nvalues = {PASSES = "0.3"}\n')
    assert load_ctx_evals(package).config.threshold == 0.3
    (tmp_path / "a.env").write_text("PASSES=0.4\n")
    assert load_ctx_evals(package, env_files=[tmp_path / "a.env"]).config.threshold == 0.4
    assert load_ctx_evals(package, {"PASSES": "0.5"}, env_files=[tmp_path / "a.env"]).config.threshold == 0.5
    assert "env-default" in str(refused(write(package, eval_yaml='threshold: !? $env.get("P", 1)'), require_env=True))


def test_the_directory_may_be_relative_and_anything_else_may_be_in_it(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(package, eval_py=f"place = __file__\n{FUNCTIONS}def where(): return place\n", settings_yaml="nonsense: [")
    monkeypatch.chdir(package.parent)
    evals = load_ctx_evals("x.ctx")
    assert evals.package == "x.ctx"
    assert evals.file == str(package / "eval.py")
    monkeypatch.chdir(package)
    assert load_ctx_evals(".").file == str(package / "eval.py")
    assert evals.sample is not None
    assert evals.sample.__globals__["place"] == str(package / "eval.py")


def test_the_example_agrees_with_people_as_it_says() -> None:
    evals = load_ctx_evals(ROOT / "examples/prompts/evals/judges/groundedness.ctx")
    assert evals.sample is not None
    assert evals.score is not None
    (first,) = evals.sample(1)
    assert evals.score(first.input, {"score": 3}, first.expected) == 0.5
    assert (evals.config.threshold, evals.config.concurrency) == (0.8, 4)


def test_the_example_of_the_page_works(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/evals.md").read_text("utf-8")
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(example, {})
    assert [name for name in [*NAMES, *HELPERS] if f"`{name}`" not in page and f"`{name}(" not in page] == []


# -- what may be imported --


def test_all_names_are_offered_by_the_modules_they_belong_to(package: Path) -> None:
    lines = [f"from dotctx import {', '.join([*NAMES, *HELPERS])}", f"from dotctx.eval_types import {', '.join(NAMES)}"]
    lines += [f"from dotctx.llm_utils import {', '.join(HELPERS)}", "import dotctx, dotctx.eval_types as t"]
    lines += ["assert dotctx.eval_types is t and dotctx.llm_utils.parse_llm_json is parse_llm_json"]
    load_ctx_evals(write(package, eval_py="\n".join([*lines, FUNCTIONS])))


def test_samples_of_two_packages_are_of_one_class(package: Path, tmp_path: Path) -> None:
    text = "from dotctx import Sample\ndef sample(limit): return Sample({})\ndef score(i, o, e): return 0\n"
    other = tmp_path / "y.ctx"
    other.mkdir()
    one, two = (load_ctx_evals(write(each, eval_py=text)).sample for each in (package, other))
    assert one is not None
    assert two is not None
    assert type(one(1)) is type(two(1)) is types.Sample
    assert one(1) == two(1)


def test_a_real_module_is_found_first_each_by_itself(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "site/dotctx"
    real.mkdir(parents=True)
    (real / "__init__.py").write_text("Context = 'real'\n")
    (real / "llm_utils.py").write_text("parse_llm_json = 'real'\n")
    monkeypatch.syspath_prepend(str(real.parent))
    text = "import dotctx, dotctx.eval_types\nfrom dotctx import Context\nfrom dotctx.eval_types import Sample\n"
    text += f"from dotctx.llm_utils import parse_llm_json\nused = dotctx\n{FUNCTIONS}"
    evals = load_ctx_evals(write(package, eval_py=text))
    seen = evals.sample.__globals__  # type: ignore[union-attr]
    assert (seen["Context"], seen["parse_llm_json"], seen["Sample"]) == ("real", "real", types.Sample)
    assert sys.modules["dotctx"] is seen["used"]
    assert "dotctx.eval_types" not in sys.modules
    assert not hasattr(seen["used"], "eval_types")
    for name in ("dotctx", "dotctx.llm_utils"):
        del sys.modules[name]


@pytest.mark.parametrize("imported", [False, True])
def test_a_real_module_without_modules_below_it_keeps_its_place(
    imported: bool, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, dotctx_py="Context = 'real'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    if imported:
        importlib.import_module("dotctx")
    text = "from dotctx import Context\nfrom dotctx.eval_types import Sample\nimport dotctx.llm_utils as llm\n"
    try:
        seen = load_ctx_evals(write(package, eval_py=text + FUNCTIONS)).sample.__globals__  # type: ignore[union-attr]
        assert (seen["Context"], seen["Sample"]) == ("real", types.Sample)
        assert seen["llm"].parse_llm_json is llm.parse_llm_json
        assert [name for name in sys.modules if name.startswith("dotctx")] == ["dotctx"]
    finally:
        sys.modules.pop("dotctx", None)


def test_a_directory_that_is_called_so_is_no_real_module(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site/dotctx/prompts").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    load_ctx_evals(write(package, eval_py=f"from dotctx import Sample\n{FUNCTIONS}"))


def test_what_stood_in_sys_modules_stands_there_again(package: Path) -> None:
    mark: Any = None
    sys.modules["dotctx"] = mark  # nobody may import it
    try:
        text = "import sys, json, dotctx\nsys.modules['json'] = sys.modules['dotctx.more'] = dotctx\n" + FUNCTIONS
        load_ctx_evals(write(package, eval_py=text))
        assert sys.modules["json"] is json
        assert sys.modules["dotctx"] is None
    finally:
        del sys.modules["dotctx"]


@pytest.mark.parametrize("end", ["1 / 0", "raise SystemExit(3)", "import dotctx.more", "raise KeyboardInterrupt"])
def test_nothing_is_left_however_it_ends(end: str, package: Path) -> None:
    write(package, eval_py=f"import dotctx.eval_types, dotctx.llm_utils\n{end}\n{FUNCTIONS}")
    with pytest.raises((EvalError, KeyboardInterrupt)):
        load_ctx_evals(package)


def test_threads_take_turns(tmp_path: Path) -> None:
    text = "import sys, time\nfrom dotctx import Sample\ntime.sleep(0.002)\n"
    text += f"from dotctx.llm_utils import parse_llm_json\nassert 'dotctx' in sys.modules\n{FUNCTIONS}"
    done: list[object] = []

    def work(number: int) -> None:
        directory = tmp_path / f"p{number}.ctx"
        directory.mkdir()
        write(directory, eval_py=f"NUMBER = {number}\n{text}")
        for _ in range(5):
            sample = load_ctx_evals(directory).sample
            assert sample.__globals__["NUMBER"] == number  # type: ignore[union-attr]
        done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done, key=str) == list(range(8))
    assert not [name for name in sys.modules if name.startswith(("dotctx", "ctx_evals"))]


def test_an_eval_may_load_another_one(package: Path, tmp_path: Path) -> None:
    inner = tmp_path / "y.ctx"
    inner.mkdir()
    write(inner, eval_py=f"from dotctx import Sample\n{FUNCTIONS}")
    text = f"from frozenctx_compiler.evals import load_ctx_evals\ninner = load_ctx_evals({str(inner)!r})\n"
    load_ctx_evals(write(package, eval_py=f"{text}from dotctx.eval_types import Sample\n{FUNCTIONS}"))


def test_a_file_beside_it_is_imported_relatively_and_nothing_is_written(package: Path) -> None:
    (package / "cases").mkdir()
    (package / "cases/__init__.py").write_bytes(b"\xef\xbb\xbffrom .more import CASES\r\n")
    (package / "cases/more.py").write_text("from dotctx import Sample\nCASES = [Sample({})]\n")
    before = sorted(path for path in package.rglob("*"))
    path = list(sys.path)
    evals = load_ctx_evals(write(package, eval_py="from .cases import CASES\nfrom . import cases\n" + FUNCTIONS))
    assert len(evals.sample.__globals__["CASES"]) == 1  # type: ignore[union-attr]
    assert sorted([*before, package / "eval.py"]) == sorted(package.rglob("*"))
    assert sys.path == path


def test_stand_ins_serve_functions_that_import_when_they_are_called(package: Path) -> None:
    text = "def sample(limit):\n    from dotctx import Sample\n    return Sample({})\ndef score(i, o, e): return 0\n"
    sample = load_ctx_evals(write(package, eval_py=text)).sample
    assert sample is not None
    with pytest.raises(ModuleNotFoundError):
        sample(1)
    with stand_ins():
        assert sample(1) == types.Sample({})


# -- what it leaves behind --

SIBLING = "import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\nfrom cases import CASES\n"


def test_packages_that_put_themselves_on_the_path_share_no_modules(tmp_path: Path) -> None:
    path, search = list(sys.path), sys.path
    for name in ("a", "b", "a"):
        directory = tmp_path / f"{name}.ctx"
        (directory / "more").mkdir(parents=True, exist_ok=True)
        write(directory, eval_py=SIBLING + "from more.deep import DEEP\n" + FUNCTIONS, cases_py=f"CASES = {name!r}\n")
        (directory / "more/deep.py").write_text(f"DEEP = {name!r}\n")
        seen = load_ctx_evals(directory).sample.__globals__  # type: ignore[union-attr]
        assert (seen["CASES"], seen["DEEP"]) == (name, name)
        assert not [known for known in sys.modules if known in ("cases", "more", "more.deep")]
        assert sys.path is search
        assert sys.path == path
        assert not list(directory.rglob("__pycache__"))


@pytest.mark.parametrize(
    "text",
    [
        "import sys; sys.meta_path.clear()",
        "import sys; sys.meta_path = []",
        "import sys; sys.path.clear()",
        "import sys; sys.path = ['/nowhere']",
        "import sys; sys.path_hooks.clear(); sys.path_importer_cache.clear()",
        "import os; os.chdir('/')",
        "import sys; sys.dont_write_bytecode = not sys.dont_write_bytecode",
        "import os, sys; os.chdir('/'); sys.path.append('x'); 1 / 0",
    ],
)
def test_how_modules_are_found_and_where_the_process_stands_are_as_before(
    text: str, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lists = (sys.path, sys.meta_path, sys.path_hooks)
    contents = [list(each) for each in lists]
    writes = sys.dont_write_bytecode
    write(package, eval_py=f"{text}\n{FUNCTIONS}")
    if "1 / 0" in text:
        refused(package)
    else:
        load_ctx_evals(package)
    assert all(now is then for now, then in zip((sys.path, sys.meta_path, sys.path_hooks), lists, strict=True))
    assert [list(each) for each in lists] == contents
    assert Path.cwd() == tmp_path
    assert sys.dont_write_bytecode is writes
    sys.modules.pop("this", None)
    assert importlib.util.find_spec("this") is not None


LATER = """
import pickle, typing
class Case:
    other: "Case"
def sample(limit):
    from .cases import CASES
    from .later import LATER
    import dotctx
    return CASES + LATER, typing.get_type_hints(Case), pickle.loads(pickle.dumps(Case()))
def score(i, o, e): return 0
"""


def test_functions_find_their_files_and_themselves_again_when_they_are_called(package: Path) -> None:
    write(package, eval_py="from .cases import CASES\nOURS = CASES" + LATER, cases_py="CASES = [1]\n")
    write(package, later_py="from .cases import CASES\nLATER = CASES\n")
    evals = load_ctx_evals(package)
    assert evals.sample is not None
    with pytest.raises(ModuleNotFoundError):
        evals.sample(1)
    for _ in range(2):
        with stand_ins(evals):
            cases, hints, case = evals.sample(1)
        assert cases == [1, 1]
        seen = evals.sample.__globals__
        assert hints == {"other": seen["Case"]}
        assert type(case) is seen["Case"]
    assert not list(package.rglob("__pycache__"))


def test_contexts_that_overlap_leave_nothing_and_end_when_the_last_one_does(package: Path) -> None:
    text = "async def score(i, o, e):\n    import asyncio\n    from dotctx import Score\n    from .cases import CASES\n"
    text += "    await asyncio.sleep(i)\n    from dotctx.llm_utils import parse_llm_json\n    return CASES\n"
    evals = load_ctx_evals(write(package, eval_py=text + "def sample(limit): return []\n", cases_py="CASES = 1\n"))

    async def scored(seconds: float, wait: float) -> Any:
        await asyncio.sleep(wait)
        with stand_ins(evals):
            return await evals.score(seconds, None, None)  # type: ignore[misc]

    async def all_of_them() -> list[Any]:
        return list(await asyncio.gather(scored(0.02, 0), scored(0.02, 0.01), scored(0, 0.01), scored(0.04, 0)))

    assert asyncio.run(all_of_them()) == [1, 1, 1, 1]


def test_a_load_that_waits_for_a_load_of_another_thread_is_refused(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "PATIENCE", 0.1)
    inner = tmp_path / "y.ctx"
    inner.mkdir()
    write(inner, eval_py=FUNCTIONS)
    text = "from concurrent.futures import ThreadPoolExecutor\nfrom frozenctx_compiler.evals import load_ctx_evals\n"
    text += f"with ThreadPoolExecutor(1) as pool: pool.submit(load_ctx_evals, {str(inner)!r}).result()\n"
    error = refused(write(package, eval_py=text + FUNCTIONS))
    assert "another thread has executed an eval.py for more than 0.1 seconds" in error.message
    assert load_ctx_evals(inner).sample is not None


def test_an_exception_that_ends_the_program_or_a_test_comes_through_as_it_is(package: Path) -> None:
    write(package, eval_py="class Skipped(BaseException): ...\nraise Skipped('not today')\n" + FUNCTIONS)
    with pytest.raises(BaseException, match="not today") as caught:
        load_ctx_evals(package)
    assert type(caught.value).__name__ == "Skipped"


# -- what it says when it cannot --


def test_an_exception_names_file_and_line_and_is_the_cause(package: Path) -> None:
    write(package, eval_py="from .cases import x\n" + FUNCTIONS, cases_py="def f():\n    return {}['x']\n\nx = f()\n")
    error = refused(package)
    assert (error.file, error.line) == (str(package / "cases.py"), 2)
    assert str(error) == f"{package}/cases.py:2: KeyError: 'x'"
    assert isinstance(error.__cause__, KeyError)
    shown = "".join(traceback.format_exception(error))
    assert f'File "{package}/eval.py", line 1' in shown
    assert "return {}['x']" in shown


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("return\n", 1, "'return' outside function"),
        ("raise SystemExit\n", 1, "SystemExit"),
        ("x = 1\nfrom dotctx import Context\n", 2, "cannot import name 'Context' from 'dotctx'"),
        ("import dotctx.registry\n", 1, "No module named 'dotctx.registry'"),
        ("import cases\n", 1, "No module named 'cases'"),
        ("from .absent import x\n", 1, "absent"),
        ("from .. import x\n", 1, "beyond top-level package"),
        ("from .broken import x\n", 1, "is not UTF-8"),
        ("from .wrong import x\n", 1, "invalid syntax"),
    ],
)
def test_what_cannot_be_executed_is_told(text: str, line: int, words: str, package: Path) -> None:
    write(package, eval_py=text + FUNCTIONS, cases_py="", wrong_py="x = =\n")
    (package / "broken.py").write_bytes(b"\xff")
    error = refused(package)
    assert words in str(error)
    assert error.line == line
    assert error.file == str(package / ("wrong.py" if "wrong" in text else "eval.py"))


def test_an_import_that_fails_is_told_what_it_may_have_meant(package: Path) -> None:
    assert "from .cases import …" in refused(write(package, cases_py="", eval_py=f"import cases\n{FUNCTIONS}")).note
    note = refused(write(package, eval_py=f"from dotctx import Context\n{FUNCTIONS}")).note
    assert note.startswith("frozenctx stands in for `dotctx`, which is not installed, with Input, Output")
    error = refused(write(package, eval_py=f"import dotctx.cli\n{FUNCTIONS}"))
    assert "install the real `dotctx`" in error.note
    assert error.__notes__ == [error.note]


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ("globals().update(sample=1)\nfrom os import *\n", "`sample` of eval.py is not callable"),
        ("from os import *\ndef sample(limit): ...\n", "eval.py has no `score(input, output, expected)`"),
        ("sample = lambda: []\nscore = max\n", "`sample` cannot be called as `sample(limit)`: too many positional"),
    ],
)
def test_functions_are_looked_at_again_once_they_are_there(functions: str, words: str, package: Path) -> None:
    assert words in str(refused(write(package, eval_py=functions)))


def test_findings_are_raised_before_anything_is_executed(package: Path) -> None:
    sprung = package / "sprung"
    trap = f"open({str(sprung)!r}, 'w').close()\n"
    write(package, eval_py=trap + FUNCTIONS, eval_yaml="models: [a]\ntreshold: 2\nconcurrency: 0\n")
    error = refused(package)
    assert [found.code for found in error.diagnostics] == ["bad-eval", "bad-eval"]
    assert (error.file, error.line) == (str(package / "eval.yaml"), 2)
    assert "2 | treshold: 2" in str(error)
    write(package, eval_py=trap + "def sample(): ...\n", eval_yaml="")
    assert [found.code for found in refused(package).diagnostics] == ["eval-signature", "eval-signature"]
    write(package, eval_yml="", eval_py=trap + FUNCTIONS)
    assert "holds both" in str(refused(package))
    assert not sprung.exists()
    (package / "eval.yml").unlink()
    load_ctx_evals(package)
    assert sprung.exists()


def test_a_warning_stops_nothing_and_is_kept(package: Path) -> None:
    evals = load_ctx_evals(write(package, eval_yaml="threshold: 1e-1\n"))
    assert [found.code for found in evals.findings] == ["yaml-1-1"]
    assert evals.config.threshold == 0.1


def test_no_secret_is_shown(package: Path) -> None:
    write(package, eval_yaml="threshold: !? $env.API_KEY\nmodels: [!? $env.API_KEY + 1]\n")
    error = refused(package, {"API_KEY": "hunter2hunter2"})
    assert "hunter2" not in str(error) + repr(error.diagnostics)


def test_a_single_file_and_what_is_not_there_have_no_evals(tmp_path: Path) -> None:
    (tmp_path / "one.ctx").write_text("Hello.")
    single = refused(tmp_path / "one.ctx")
    assert (single.message, single.file) == ("it is a single file", None)
    assert single.note.startswith("a package that is a single file has no evals")
    assert refused(tmp_path / "two.ctx").message == "there is no such directory"


def test_a_directory_that_is_no_package_is_refused(package: Path, tmp_path: Path) -> None:
    write(package, eval_py=FUNCTIONS)
    above = refused(tmp_path)
    assert (above.message, above.file) == ("it is no package", None)
    assert above.note == "it holds the packages `x.ctx`"
    (tmp_path / "empty").mkdir()
    note = "its name does not end in `.ctx`, and it has no settings, prompt or evals"
    assert refused(tmp_path / "empty").note == note
    package.rename(tmp_path / "another-name")
    assert load_ctx_evals(tmp_path / "another-name").sample is not None


def test_a_path_may_be_bytes_as_anywhere(package: Path) -> None:
    assert load_ctx_evals(os.fsencode(write(package, eval_py=FUNCTIONS))).package == str(package)


def test_eval_py_must_lie_below_the_root(package: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    outside.write_text(FUNCTIONS)
    os.symlink(outside, package / "eval.py")
    assert [found.code for found in refused(package).diagnostics] == ["outside-root"]
    assert load_ctx_evals(package, links="follow").sample is not None


# -- the vocabulary --


def turn(*calls: dict[str, Any], content: str | None = None) -> types.Turn:
    return types.Turn("out", list(calls), [], content, None)


def test_stop_functions_look_at_the_turn_and_its_number() -> None:
    three = types.stop_after_turns(3)
    assert [three(turn(), number) for number in (1, 2, 3, 4)] == [False, False, True, True]
    assert three.max_turns == 3  # type: ignore[attr-defined]
    done = types.stop_when_terminal_tool("done", ok=True, tool_name="x")
    call = {"name": "done", "args": {"ok": True, "tool_name": "x", "more": 1}}
    assert done(turn({"name": "other"}, call), 1)
    assert done(turn({"name": "done", "arguments": '{"ok": true, "tool_name": "x"}'}), 1)
    for wrong in ({}, {"args": None}, {"args": {"ok": True}}, {"args": "{"}, {"args": {"ok": 0, "tool_name": "x"}}):
        assert not done(turn({"name": "done", **wrong}), 1)
    assert types.stop_when_terminal_tool("done")(turn({"name": "done"}), 1)
    assert not types.stop_when_terminal_tool("done", x=None)(turn({"name": "done", "args": {}}), 1)
    lenient, strict = types.stop_when_non_tool(), types.stop_when_non_tool(allow_text_with_tools=False)
    assert [lenient(each, 1) for each in (turn(), turn(call), turn(call, content="x"))] == [True, False, False]
    assert [strict(each, 1) for each in (turn(), turn(call), turn(call, content="x"))] == [True, False, True]
    assert [types.any_stop(three, lenient)(turn(call), number) for number in (1, 3)] == [False, True]
    assert [types.all_stop(three, lenient)(turn(), number) for number in (1, 3)] == [False, True]
    assert types.any_stop()(turn(), 9) is False
    assert types.all_stop()(turn(), 1) is True


def test_samples_have_their_fields_in_order_and_share_nothing() -> None:
    sample = types.Sample({"a": 1}, types.Expected("x", [types.ExpectedToolCall("t", {})], None), {"t": 1})
    assert sample.expected == types.Expected(content="x", tool_calls=[types.ExpectedToolCall("t", {})])
    assert types.Sample(types.Input(a=1)).stop_on(turn(), 1)
    one, two = types.Sample({}), types.Sample({})
    assert one == two
    one.tags.append("x")
    one.mock_tools["t"] = types.MockToolConfig([({"a": 1}, "one")], "none", ["r"])
    assert (two.tags, two.mock_tools) == ([], {})
    assert types.Score(0.5) == 0.5


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("  plain \n", "plain"),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('```\n{"a": 1}\n```\n', '{"a": 1}'),
        ('```json\n{"a": 1}\n```\nI hope this helps.\nBye.', '{"a": 1}'),
        ('```json\n{"a": 1,\n "b": 2}', '{"a": 1,\n "b": 2}'),
        ('```json\n{"a": 1}```', '{"a": 1}'),
        ('```{"a": 1}```', '{"a": 1}'),
        ('```json {"a": 1}```', '{"a": 1}'),
        ('```{"a":\n1}\n```', '{"a":\n1}'),
        ("````markdown\n```json\n1\n```\n````", "```json\n1\n```"),
        ("```", ""),
        ("", ""),
        ("text ```x```", "text ```x```"),
    ],
)
def test_a_fence_is_taken_off(text: str, inside: str) -> None:
    assert llm.strip_markdown_codeblock(text) == inside


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("text", "text"),
        (None, None),
        ({"content": "a"}, "a"),
        ({"choices": [{"message": {"content": "a"}}]}, "a"),
        (SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="a"))]), "a"),
        (SimpleNamespace(content=[SimpleNamespace(type="text", text="a"), {"type": "text", "text": "b"}]), "ab"),
        (SimpleNamespace(content=[{"type": "tool_use", "input": {}}]), None),
        (SimpleNamespace(output={"content": "a"}), "a"),
        ({"choices": []}, None),
        ({"choices": [{"message": {"content": None}}]}, None),
        (5, None),
    ],
)
def test_the_text_of_a_reply_is_found_in_the_usual_shapes(response: object, text: str | None) -> None:
    assert llm.extract_llm_content(response) == text


def test_json_is_parsed_with_or_without_a_fence() -> None:
    assert llm.parse_llm_json('```json\n{"a": [1]}\n```') == llm.parse_llm_json('{"a": [1]}') == {"a": [1]}
    with pytest.raises(json.JSONDecodeError):
        llm.parse_llm_json("no")
