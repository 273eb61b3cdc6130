"""No command and no function of the library executes code of a package: `load_ctx_evals` alone does, when it is called.

The trees are full of traps: Python that writes a file when it is executed or imported, in every file that a package or
the directories around it may have, by the names of modules that frozenctx itself imports. The commands are those that
there are: a new one fails here until it is tried too.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx import commands as runtime
from frozenctx_compiler import api, cli
from frozenctx_compiler.evals import EvalError, load_ctx_evals
from frozenctx_compiler.trials import try_samples
from source_trees import write

BESIDE = (
    "__init__.py", "conftest.py", "sitecustomize.py", "usercustomize.py", "trap.py", "typing.py", "enum.py", "json.py",
    "yaml.py", "jinja2.py", "yglu.py", "msgspec.py", "click.py", "frozenctx.py", "dotctx.py", "dotctx/__init__.py",
    "dotctx/eval_types.py", "setup.py", "schema.py", "tools.py",
)  # fmt: skip
SETTINGS = 'model: !? $env.get("MODEL", "openai/gpt-5")\nskills: [review]\n'
SOUND = {
    "schema.pyi": '''from typing import Any, Literal
{import_}

class Input:
    """Of the prompt."""
    title: str
    n: int = 3

class Output:
    answer: Literal["yes", "no"]
''',
    "tools.pyi": '''{import_}
__server__ = "crm"

def look_up(name: str, limit: int = 3) -> str:
    """Look something up."""
''',
}
RUDE = {
    "schema.pyi": '''{trap}

def now(): {trap}

@now()
class Input(now()):
    title: now() = now()
    n: "now()" = [now() for _ in range(3)]
    x: str = f"{{now()}}"
    {trap}

class Output(metaclass=now()):
    answer: Literal[now()]
    if now(): other: int

if __name__: {trap}
''',
    "tools.pyi": '''{trap}
__server__ = open({path!r}, "w").name

@open({path!r}, "w")
def look_up(name: open({path!r}, "w") = open({path!r}, "w"), *, x: "open({path!r}, 'w')" = 1) -> open({path!r}, "w"):
    """Look something up."""
    {trap}

class Tools({trap}): {trap}
''',
}


def tree(root: Path, stubs: Mapping[str, str]) -> Path:
    """A tree with one package, `p`, whose every Python file writes `sprung` beside the tree when it is executed."""
    path = str(root / "sprung")
    trap = f"open({path!r}, 'w')"
    words = {"trap": trap, "path": path, "import_": "import trap\nfrom trap import *"}
    package = {
        "settings.yaml": SETTINGS,
        "prompt.j2": "Hello {{ title }}{{ n }}.\n",
        "samples/one.yaml": "variables: {title: x, n: 1}\nexpect: {system: {contains: [Hello x1.]}}\n",
        "skills/review/SKILL.md": "---\nname: review\ndescription: Review it.\n---\nReview.\n",
        "skills/review/scripts/run.py": trap,
        "tests/test_it.py": trap,
        "eval.yaml": "models: [openai/gpt-5]\n",
        "eval.py": f"{trap}\nimport trap\ndef sample(limit): {trap}\ndef score(input, output, expected): {trap}\n",
        **{name: text.format(**words) for name, text in stubs.items()},
    }
    files = {f"p.ctx/{name}": text for name, text in package.items()}
    for directory in ("", "p.ctx/", "../beside/"):
        files |= {directory + name: trap for name in BESIDE if (directory, name) != ("p.ctx/", "__init__.py")}
    files["frozenctx.toml"] = ""
    files["../snapshot.json"] = '{"crm": {"tools": []}}'
    return write(root / "tree", files)


SOURCE: Mapping[str, Sequence[Sequence[str]]] = {
    "build": [["{tree}", "-o", "{out}", "--limits", "--vendor-runtime"], ["{tree}/p.ctx", "-o", "{out}", "--prune"]],
    "check": [["{tree}"], ["{tree}", "--evals"], ["{tree}/p.ctx", "--tools-snapshot", "{root}/snapshot.json"]],
    "render": [["{tree}/p.ctx", "--sample", "one"], ["p", "--src", "{tree}", "--var", "title=x", "--var", "n:=1"]],
    "env": [["{tree}"]],
    "test": [["{tree}"], ["{tree}", "--format", "json"], ["{tree}", "--format", "junit"]],
}
ARTIFACTS: Mapping[str, Sequence[Sequence[str]]] = {
    "ls": [["{out}"], ["{out}", "--json"]],
    "show": [["{out}", "p"]],
    "verify": [["{out}"]],
    "pack": [["{out}"]],
    "profiles": [["{out}"]],
    "stubs": [["{out}"]],
    "tools": [["{out}"]],
    "explain": [[], ["bad-eval"]],
    "schema": [[], ["eval"]],
    "render": [["p", "--from", "{out}", "--var", "title=x", "--var", "n:=1"]],
}
RUNTIME: Mapping[str, Sequence[Sequence[str]]] = {
    "ls": [["{out}"]],
    "show": [["{out}", "p"]],
    "render": [["{out}", "p", "--var", "title=x", "--var", "n:=1"]],
    "verify": [["{out}"]],
    "pack": [["{out}"]],
    "fresh": [["{tree}", "{out}"]],
    "releases": [["{out}"]],
    "rollback": [["{out}", "--to", "{release}"]],
    "tools": [["{out}"]],
}


@pytest.fixture(params=["the tree", "its directory", "the package", "elsewhere"])
def where(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run where the traps are on `sys.path`, last, so that nothing but what a package names can find them."""
    places = {"the tree": "tree", "its directory": "beside", "the package": "tree/p.ctx", "elsewhere": "."}
    directory = tmp_path / places[request.param]
    directory.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(directory)
    monkeypatch.setattr(sys, "path", [*sys.path, str(directory)])
    yield
    sys.modules.pop("trap", None)


def filled(arguments: Sequence[str], root: Path, release: str = "") -> list[str]:
    words = {"tree": str(root / "tree"), "out": str(root / "out"), "root": str(root), "release": release}
    return [argument.format(**words) for argument in arguments]


def test_every_command_there_is_is_tried() -> None:
    assert {*SOURCE, *ARTIFACTS} == set(cli.frozenctx.commands)
    taking_sources = {
        name
        for name, command in cli.frozenctx.commands.items()
        if any(parameter.name in ("sources", "src") for parameter in command.params)
    }
    assert taking_sources == set(SOURCE)
    (subcommands,) = (action.choices for action in runtime._parser()._actions if action.choices)
    assert set(subcommands or ()) == set(RUNTIME)


def test_nothing_of_the_compiler_but_the_evals_imports_what_executes() -> None:
    """Neither `importlib` nor `exec` nor the evals themselves: a command could not execute anything if it tried."""
    compiler = Path(str(frozenctx_compiler.__file__)).parent
    importing = {
        compiler / "templates/__init__.py",  # modules of its own
        compiler / "host_module.py",  # what the user names behind `--host` of `render` and `test`
    }
    for module in sorted(compiler.rglob("*.py")):
        if module.parent.name == "evals":
            continue
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            source = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            for name in [source, *names]:
                assert name.partition(".")[0] not in ("evals", "runpy", "imp"), module
                assert not name.startswith("importlib") or name == "importlib.metadata" or module in importing, module
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            assert called not in ("exec", "eval", "__import__"), module


@pytest.mark.usefixtures("where")
@pytest.mark.parametrize("stubs", [SOUND, RUDE], ids=["sound", "rude"])
def test_no_command_executes_code_of_a_package(
    stubs: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(tmp_path, stubs)
    for name, each in SOURCE.items():
        for arguments in each:
            code = cli.run([name, *filled(arguments, tmp_path)])
            said = capsys.readouterr()
            assert not (tmp_path / "sprung").exists(), (name, arguments)
            assert code in (0, 1), said.err
            drifted = "--tools-snapshot" in arguments
            assert stubs is RUDE or code == int(drifted), (name, said.err)
    if stubs is RUDE:
        return
    for name, each in ARTIFACTS.items():
        for arguments in each:
            code = cli.run([name, *filled(arguments, tmp_path)])
            assert (code, (tmp_path / "sprung").exists()) == (0, False), (name, capsys.readouterr().err)
    release = frozenctx.load(tmp_path / "out").digest
    for name, each in RUNTIME.items():
        for arguments in each:
            code = runtime.main([name, *filled(arguments, tmp_path, release)])
            assert (code, (tmp_path / "sprung").exists()) == (0, False), (name, capsys.readouterr().err)


@pytest.mark.usefixtures("where")
@pytest.mark.parametrize("stubs", [SOUND, RUDE], ids=["sound", "rude"])
def test_no_function_of_the_library_does(stubs: Mapping[str, str], tmp_path: Path) -> None:
    source = tree(tmp_path, stubs)
    package = str(source / "p.ctx")
    out = tmp_path / "out"
    entries: Mapping[str, Callable[[str], Any]] = {
        "build": lambda src: frozenctx_compiler.build(src, out, profiles={"a": [], "b": []}),
        "check": lambda src: frozenctx_compiler.check(src, evals=True),
        "load": lambda src: frozenctx_compiler.load(src)["p"].messages(title="x", n=1),
        "reload": lambda src: frozenctx_compiler.load(src, reload=True)["p"].messages(title="x", n=1),
        "try_samples": lambda src: try_samples(frozenctx_compiler.check(src)),
        "use": lambda src: used(frozenctx.load(out, profile="a")["p"]),
        "CompileError": lambda src: None,
    }
    assert set(frozenctx_compiler.__all__) <= set(entries)
    for src in (str(source), package):
        for name, call in entries.items():
            try:
                call(src)
            except (api.CompileError, frozenctx.errors.LoadError):
                assert stubs is RUDE, name
            assert not (tmp_path / "sprung").exists(), name


def used(prompt: frozenctx.Prompt) -> None:
    """Everything of a prompt that comes from files with code in them."""
    assert prompt.messages(title="x", n=1)[0]["content"].endswith("Hello x1.\n")
    assert prompt.input_schema["required"] == ["title"]
    assert prompt.parse('{"answer": "yes"}') == {"answer": "yes"}
    assert prompt.tools
    assert prompt.skills["review"].read("scripts/run.py").startswith("open(")


@pytest.mark.parametrize("file", ["eval.py", "trap.py"])
def test_the_traps_work(file: str, tmp_path: Path) -> None:
    """The control: what is loaded as an evaluation is executed, and so is what it imports."""
    package = tree(tmp_path, SOUND) / "p.ctx"
    text = "from .trap import *\n" if file == "trap.py" else (package / "eval.py").read_text().split("\n")[0] + "\n"
    (package / "eval.py").write_text(text + "def sample(limit): ...\ndef score(i, o, e): ...\n")
    assert not (tmp_path / "sprung").exists()
    load_ctx_evals(package)
    assert (tmp_path / "sprung").exists()


def test_stubs_are_not_even_executed_by_evals(tmp_path: Path) -> None:
    package = tree(tmp_path, RUDE) / "p.ctx"
    (package / "eval.py").write_text("def sample(limit): ...\ndef score(i, o, e): ...\n")
    load_ctx_evals(package)
    (package / "eval.py").write_text("def sample(limit): ...\n")
    with pytest.raises(EvalError):
        load_ctx_evals(package)
    assert not (tmp_path / "sprung").exists()
