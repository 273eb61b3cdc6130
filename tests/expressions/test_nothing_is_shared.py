"""Evaluating a document reads nothing but what it is given, and leaves nothing behind: not in the process, not in
other documents, builds or threads. The commonest expressions need neither Yglu nor YAQL."""

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from frozenctx_compiler import check, yaql_engine
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import Env
from frozenctx_compiler.package import EnvUse, SettingsDocument
from frozenctx_compiler.resolve import evaluated
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.yamltree import compose

ROOT = Path(__file__).parents[2]
PATHS = [str(ROOT / part) for part in ("compiler", "artifacts", "runtime")]


def value_of(text: str, env: Mapping[str, str], root: Path) -> tuple[object, EnvUse, list[str]]:
    report = Report()
    scope = report.scoped("document")
    document = SettingsDocument("document.yaml", text, compose(text, "document.yaml", scope))  # type: ignore[arg-type]
    located, use = evaluated(document, Env(env), Sources(str(root)), scope)
    return located.value, use, [found.code for found in report.diagnostics]


EVERYTHING = (
    'a: !? $env.get("NAME", "none") + "!"\n'
    'b: !? $env.keys().toList().orderBy($).toList()\n'
    'c: !? $env.get("YGLU_ENABLE_ENV", null)\n'
    'd: !? $import("other.yaml").x\n'
    'e: !? \'datetime("2024-01-01T12:00:00").format("%H:%M %z")\'\n'
    'f: !? $env.containsKey("HOME") or $env.containsKey("PATH")\n'
)  # fmt: skip


def test_no_variable_of_the_process_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.yaml").write_text('x: !? $env.get("NAME", 1)\n')
    before = value_of(EVERYTHING, {"NAME": "given"}, tmp_path)
    for name, value in {
        "NAME": "of the process",
        "YGLU_ENABLE_ENV": "1",
        "YGLU_IMPORT_ALLOW": "/",
        "HOME": "/",
        "PATH": "/",
        "TZ": "Asia/Tokyo",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "1",
    }.items():
        monkeypatch.setenv(name, value)
    time.tzset()
    try:
        after = value_of(EVERYTHING, {"NAME": "given"}, tmp_path)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert after == before
    assert before[0] == {"a": "given!", "b": ["NAME"], "d": "given", "e": "12:00 +0000", "f": False}


@pytest.mark.parametrize("read", ["environ", "getenv"])
def test_the_process_environment_is_not_even_looked_at(
    read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.yaml").write_text("x: 1\n")
    value_of(EVERYTHING, {}, tmp_path)  # what is imported first may look

    class Closed(dict[str, str]):
        def __getattribute__(self, name: str) -> object:
            raise AssertionError(f"the process environment is asked for `{name}`")

        def __getitem__(self, name: str) -> str:
            raise AssertionError(f"the process environment is asked for `{name}`")

        def __contains__(self, name: object) -> bool:
            raise AssertionError(f"the process environment is asked for `{name}`")

    def closed(*args: object) -> None:
        raise AssertionError(f"the process environment is asked for {args}")

    monkeypatch.setattr(os, read, Closed() if read == "environ" else closed)
    try:
        result = value_of(EVERYTHING, {}, tmp_path)
    finally:
        monkeypatch.undo()
    assert result[2] == []


def test_the_same_document_with_two_environments_gives_two_values(tmp_path: Path) -> None:
    text = 'a: !? $env.get("N", 1) + ""\nb: !? $_.a\n'
    for value in ("x", "y", "x"):
        assert value_of(text, {"N": value}, tmp_path)[0] == {"a": value, "b": value}


def test_documents_whose_roots_have_one_address_do_not_meet(tmp_path: Path) -> None:
    """Yglu keeps a context for each `id()` of a root, and never drops one: the next root at that address got it."""
    for number in range(100):
        text = f'own: {number}\na: !? $_.own * 2\nb: !? $env.get("N", none) + str($_.own)\n'
        env = {"N": f"n{number}-"}
        assert value_of(text, env, tmp_path)[0] == {"own": number, "a": number * 2, "b": f"n{number}-{number}"}
        gc.collect()


def test_what_one_document_defines_no_other_one_sees(tmp_path: Path) -> None:
    assert value_of("a: !? def(helper, $ * 2) -> helper(4)\n", {}, tmp_path)[0] == {"a": 8}
    assert value_of("a: !? let(x => 5) -> $x\n", {}, tmp_path)[0] == {"a": 5}
    assert value_of("a: !? \"def('#operator_+', 7) -> 1 + 1\"\n", {}, tmp_path)[0] == {"a": 7}
    assert value_of("a: !? 1 + 1\nb: !? $x\n", {}, tmp_path)[0] == {"a": 2}
    assert value_of("a: !? helper(4)\n", {}, tmp_path)[2] == ["unknown-function"]


def test_a_document_that_fails_leaves_the_next_one_alone(tmp_path: Path) -> None:
    for text in ("a: !? 1 / 0\n", "a: !? '[1'\n", "a: !? $_.a\n", "a: !? range(100000000).len()\n", "a: !? now()\n"):
        assert value_of(text, {}, tmp_path)[2]
        assert value_of("f: !() $ + 1\na: !? ($_.f)(1)\n", {}, tmp_path) == ({"a": 2}, EnvUse(), [])


def test_an_evaluation_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    limit, size, threads = sys.getrecursionlimit(), threading.stack_size(), threading.active_count()
    value_of("a: !? def(f, f($)) -> f(1)\n", {}, tmp_path)
    assert (sys.getrecursionlimit(), threading.stack_size(), threading.active_count()) == (limit, size, threads)


def in_threads(work: Callable[[int], object], count: int = 8) -> list[object]:
    results: list[object] = [None] * count
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = work(number)
        except BaseException as error:  # compared below
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_threads_never_see_each_others_documents_or_environments(tmp_path: Path) -> None:
    def work(number: int) -> object:
        found = []
        for turn in range(10):
            text = (
                f"own: {number}\nf: !()\n  n: !? $\n  own: !? $_.own\n  env: !? $env.N\n"
                f"a: !? ($_.f)({turn})\nb: !? $_.own + {turn} + {number}\n"
            )
            value = value_of(text, {"N": f"thread {number}"}, tmp_path)[0]
            expected = {"n": turn, "own": number, "env": f"thread {number}"}
            found.append(value == {"own": number, "a": expected, "b": 2 * number + turn})
        return found

    assert in_threads(work) == [[True] * 10] * 8


def test_threads_that_read_expressions_at_once_do_not_mix_them_up() -> None:
    def work(number: int) -> object:
        trees = [str(yaql_engine.parse(f"a{number}b{turn} + [{turn}, {number}]").tree) for turn in range(50)]
        return trees == [
            f"#operator_+(a{number}b{turn}, #list({turn}, {number}))".replace(f"a{number}", f"'a{number}").replace(
                ", #list", "', #list"
            )
            for turn in range(50)
        ]

    assert in_threads(work) == [True] * 8


def test_it_ends_at_the_same_place_however_deep_the_caller_is(tmp_path: Path) -> None:
    lines = [f"a{n}: !? $_.a{n + 1}" for n in range(20)]
    fits = "\n".join([*lines, "a20: 1\n"])
    too_deep = "a: !? def(f, f($)) -> f(1)\n"

    def deep(levels: int, text: str) -> object:
        return deep(levels - 1, text) if levels else value_of(text, {}, tmp_path)

    room = sys.getrecursionlimit() - 250
    assert deep(0, fits) == deep(room, fits)
    assert deep(0, too_deep) == deep(room, too_deep)
    assert in_threads(lambda number: value_of(too_deep, {}, tmp_path), 2) == [deep(0, too_deep)] * 2


def in_a_new_process(program: str, environment: Mapping[str, str] | None = None) -> str:
    head = f"import sys\nsys.path[:0] = {PATHS}\n"
    command = [sys.executable, "-c", head + program]
    environment = {**os.environ, **(environment or {})}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def tree(root: Path, settings: str) -> Path:
    package = root / "p.ctx"
    package.mkdir()
    (package / "settings.yaml").write_text(settings)
    (package / "prompt.j2").write_text("Hello.\n")
    return root


CHECK = (
    "from frozenctx_compiler import check\nfound = check({path!r}, env={{'A': 'openai/x'}}).report.diagnostics\n"
    "print([f.code for f in found], sorted({{name.partition('.')[0] for name in sys.modules}} & "
    "{{'yglu', 'yaql', 'ply', 'ruamel', 'dateutil', 'pkg_resources', 'setuptools'}}))\n"
)


def test_the_commonest_expressions_import_neither_yglu_nor_yaql(tmp_path: Path) -> None:
    settings = (
        'model: !? $env.get("M", $env.get("A", "x"))\nmax_tokens: !? $env.get("N", 5)\nname: !? $env.get("NAME", "n")\n'
        'agent: !? $env.get("AGENT", True)\ntemperature: !? $env.get("T", null)\nmeta: {a: !? $env.A}\n'
    )
    path = str(tree(tmp_path, settings))
    assert in_a_new_process(CHECK.format(path=path)) == "[] []"


def test_the_examples_import_neither_yglu_nor_yaql() -> None:
    program = CHECK.format(path=str(ROOT / "examples" / "prompts"))
    assert in_a_new_process(program).endswith(" []")


def test_values_do_not_depend_on_the_order_of_sets() -> None:
    """yaql keeps overloads in sets, and their order changes with addresses and hash seeds."""
    program = (
        f"sys.path[:0] = [{str(ROOT / 'tests')!r}]\n"
        "from expressions.test_yglu_documents import DOCUMENTS, NAMES, ours\n"
        "print([ours(DOCUMENTS / f'{name}.yaml') for name in NAMES])\n"
    )
    outputs = {in_a_new_process(program, {"PYTHONHASHSEED": str(seed)}) for seed in range(3)}
    assert len(outputs) == 1


def test_everything_else_works_without_setuptools(tmp_path: Path) -> None:
    path = str(tree(tmp_path, 'model: !? $env.A + "-b"\nmeta:\n  !if 1 = 1: {a: !? 1 + 1}\n'))
    blocked = (
        "class Blocked:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('pkg_resources', 'setuptools', '_distutils_hack'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Blocked())\n"
    )
    assert in_a_new_process(blocked + CHECK.format(path=path)) == "[] ['dateutil', 'ply', 'yaql', 'yglu']"


def test_a_stand_in_for_pkg_resources_is_not_left_behind(tmp_path: Path) -> None:
    path = str(tree(tmp_path, "model: !? \"'a/' + 'b'\"\n"))
    assert "pkg_resources" not in in_a_new_process(CHECK.format(path=path))


HOSTILE = {
    "range": "range(100000000).toList().len()",
    "pow": "pow(10, 10000000)",
    "pattern": "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'.matches('(a+)+$')",
    "replace": "(a * 100000).replace(a, b * 100000).replace(b, c * 100000)",
    "generate": "generateMany(1, [$, $, $]).last()",
    "recursion": "def(f, f($) + f($)) -> f(1)",
    "repetition": "a * 1000000000000",
    "lists": "[1, 2, 3] * 1000000000000",
    "doubling": "generate(a, true, $ + $).last()",
    "nesting": "[" * 70 + "1" + "]" * 70,
    "written too deep": "(" * 5000 + "1" + ")" * 5000,
    "products": "range(1000).select(range(1000).select(range(1000).select($).len()).sum()).sum()",
}
ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_expressions_end_in_an_error_in_bounded_time_and_memory(text: str, tmp_path: Path) -> None:
    assert_ends(f"model: a/b\nmeta:\n  x: !? '{text.replace(chr(39), chr(39) * 2)}'\n", tmp_path)


def test_hostile_documents_end_in_an_error_in_bounded_time_and_memory(tmp_path: Path) -> None:
    chain = "".join(f"  a{n}: [{', '.join([f'!? $_.meta.a{n - 1}'] * 10)}]\n" for n in range(1, 9))
    assert_ends(f"model: a/b\nmeta:\n  a0: [x, x]\n{chain}", tmp_path / "chain")
    assert_ends(f"model: a/b\n{ALIASES}meta: !? $_.a8.len()\n", tmp_path / "aliases")
    blocks = "meta:\n  f: !()\n" + "".join(f"    {n}: !? ($_.meta.f)($)\n" for n in range(5))
    assert_ends(f"model: a/b\n{blocks}  x: !? ($_.meta.f)(1)\n", tmp_path / "blocks")


def assert_ends(settings: str, root: Path) -> None:
    """An error within ten seconds of CPU and 200 MB over what the imports take, far above what it needs: a bomb, let
    loose, passes both at once. The limits are the kernel's, and only of this test."""
    root.mkdir(exist_ok=True)
    program = (
        "import resource, frozenctx_compiler.yglu_tree\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 200_000_000,) * 2)\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n"
        "from frozenctx_compiler import check\n"
        f"print(check({str(tree(root, settings))!r}).report.has_errors)\n"
    )
    assert in_a_new_process(program) == "True"


def test_limits_are_counted_so_that_a_verdict_is_the_same_at_every_speed(tmp_path: Path) -> None:
    """As slow as ten times: a trace function is called for every line."""
    text = "a: !? range(200).select($ * $).sum()\nb: !? range(100000).len()\n"
    fast = value_of(text, {}, tmp_path)
    threading.settrace(lambda frame, event, arg: None)
    try:
        slow = value_of(text, {}, tmp_path)
    finally:
        threading.settrace(None)
    assert fast == slow
    assert fast[2] == ["expression-too-large"]


def test_builds_in_threads_have_their_own_environments(tmp_path: Path) -> None:
    path = str(tree(tmp_path, 'model: !? $env.get("M", "a") + "/b"\nmeta: {n: !? $env.N + "!"}\n'))

    def work(number: int) -> object:
        compilation = check(path, env={"N": str(number), "M": f"m{number}"})
        return compilation.resolved[0].settings.value

    expected = [{"model": f"m{n}/b", "meta": {"n": f"{n}!"}} for n in range(6)]
    assert in_threads(work, 6) == expected
