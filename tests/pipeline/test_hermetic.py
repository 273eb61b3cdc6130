"""A build is a function of its arguments and of the files below its root: nothing else is read, asked or started.

Each build runs in a process of its own under an audit hook that writes down every file opened, directory listed,
process started, socket made and code object executed; and with an `os.environ` that raises when it is looked at.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pipeline.nasty_tree import FILES
from pipeline.outputs import ROOTS, built, command, files
from source_trees import write
from template_corpus.example_tree import TREE

_WATCHED = """
import json, os, sys
roots, src, out, options = json.loads(sys.argv[1])
sys.path[:0] = roots
from frozenctx_compiler import api
import frozenctx_compiler.yglu_tree  # dateutil asks where time zones are while it is imported; no zone is ever used

FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "ctypes.",
             "urllib.", "webbrowser.", "os.putenv", "os.unsetenv", "shutil.", "tempfile.")
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")
seen = {"open": [], "list": [], "write": [], "run": [], "forbidden": []}

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path, mode, flags = arguments
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        seen["write" if writes else "open"].append(os.path.abspath(os.fsdecode(path)))
    elif event in ("os.listdir", "os.scandir"):
        if isinstance(arguments[0], (str, bytes)):
            seen["list"].append(os.path.abspath(os.fsdecode(arguments[0])))
    elif event in CHANGES:
        seen["write"].append(os.path.abspath(os.fsdecode(arguments[1 if event == "os.rename" else 0])))
    elif event == "exec":
        seen["run"].append(getattr(arguments[0], "co_filename", ""))
    elif event.startswith(FORBIDDEN):
        seen["forbidden"].append(f"{event} {arguments!r}")

class Environment:
    def __getattribute__(self, name):
        raise AssertionError("os.environ was looked at")
    __getitem__ = __contains__ = __iter__ = __len__ = lambda *arguments: Environment.__getattribute__(None, "")

os.environ = os.environb = Environment()
os.getenv = os.getenvb = lambda *arguments: Environment.__getattribute__(None, "")
sys.addaudithook(watch)
result = api.build(src, out, **options) if out else api.load(src, **options)
seen = {name: sorted(set(paths)) for name, paths in seen.items()}
errors = [finding.code for finding in result.report.diagnostics if finding.level == "error"] if out else []
print(json.dumps([seen, errors]))
"""


@dataclass(frozen=True)
class Watched:
    """What one build did. Paths are absolute."""

    seen: dict[str, list[str]]
    errors: list[str]

    def outside(self, kind: str, allowed: Iterable[Path]) -> list[str]:
        """Paths of one kind that are below none of the allowed directories."""
        roots = [path.resolve() for path in allowed]
        return [
            path for path in self.seen[kind] if not any(Path(path).resolve().is_relative_to(root) for root in roots)
        ]


INTERPRETER = [Path(path) for path in {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *ROOTS} if path]
"""Where code is imported from. Imports are reads of the compiler, not of the build."""


def watched(src: Path, out: Path | None, environment: Mapping[str, str] | None = None, **options: Any) -> Watched:
    arguments = json.dumps([ROOTS, str(src), str(out) if out else None, options])
    done = subprocess.run(
        [sys.executable, "-B", "-c", _WATCHED, arguments],
        env=dict(environment or {}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return Watched(*json.loads(done.stdout))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The nasty tree with its mount, and the examples as a second tree; beside them what no build may touch."""
    home = tmp_path_factory.mktemp("hermetic")
    write(home, FILES)
    examples = {path.relative_to(TREE).as_posix(): path.read_bytes() for path in TREE.rglob("*") if path.is_file()}
    write(home / "examples", examples)
    return write(home, {"outside/partials/secret.j2": "secret", "frozenctx.env": "MODEL=x\n"})


@pytest.mark.parametrize("tree", ["tree", "examples"])
def test_a_build_reads_its_root_and_mounts_and_writes_its_output_alone(tree: str, home: Path, tmp_path: Path) -> None:
    did = watched(home / tree, tmp_path / "out")
    assert did.errors == []
    mounted = [home / "shared"] if tree == "tree" else []
    assert did.outside("open", [home / tree, *mounted, tmp_path / "out", *INTERPRETER]) == []
    assert did.outside("list", [home / tree, *mounted, tmp_path / "out", *INTERPRETER]) == []
    assert did.outside("write", [tmp_path / "out"]) == []
    assert did.seen["forbidden"] == []
    assert len(did.outside("open", INTERPRETER)) > 20
    assert did.outside("write", []) != []


def test_loading_in_memory_writes_nothing(home: Path) -> None:
    did = watched(home / "examples", None)
    assert did.seen["write"] == []
    assert did.seen["forbidden"] == []
    assert did.outside("open", [home / "examples", *INTERPRETER]) == []


def test_a_selection_reads_no_other_package(home: Path, tmp_path: Path) -> None:
    did = watched(home / "examples", tmp_path / "out", select=["briefs/draft"])
    opened = [
        Path(path).relative_to(home / "examples").as_posix()
        for path in did.outside("open", INTERPRETER)
        if "examples" in path
    ]
    packages = {path.partition(".ctx")[0] for path in opened if ".ctx" in path}
    assert packages == {"briefs/draft"}
    assert not [path for path in opened if path.startswith("evals/")]


@pytest.mark.parametrize("kind", ["partial", "package", "settings", "directory"])
def test_a_link_out_of_the_root_is_refused_and_its_target_never_opened(kind: str, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tree/frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n',
            "outside/file": "name: SECRET",
            "outside/p.ctx/prompt.j2": "SECRET",
            "outside/p.ctx/settings.yaml": "",
            "tree/fine.ctx": "Fine.",
        },
    )
    links = {
        "partial": ("tree/partials/x.j2", "outside/file"),
        "package": ("tree/linked.ctx", "outside/p.ctx"),
        "settings": ("tree/q.ctx/settings.yaml", "outside/file"),
        "directory": ("tree/below", "outside"),
    }
    link, target = links[kind]
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / target)
    if kind == "partial":
        write(tmp_path, {"tree/uses.ctx": '{% include "partials/x.j2" %}'})
    did = watched(tmp_path / "tree", tmp_path / "out")
    assert did.errors == ["outside-root"]
    assert did.outside("open", [tmp_path / "tree", *INTERPRETER]) == []
    assert did.outside("list", [tmp_path / "tree", *INTERPRETER]) == []


def test_no_code_of_a_package_is_executed(tmp_path: Path) -> None:
    """Neither executed nor imported: these files would write one if they were."""
    trap = f"from pathlib import Path\nPath({str(tmp_path / 'sprung')!r}).write_text('x')\n"
    traps = (
        "eval.py",
        "schema.pyi",
        "tools.pyi",
        "tests/test_it.py",
        "conftest.py",
        "__init__.py",
        "frozenctx.py",
        "json.py",
    )
    write(
        tmp_path / "tree",
        {
            "frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n',
            "p.ctx/settings.yaml": "",
            "p.ctx/prompt.j2": "Hello.",
            **{f"p.ctx/{name}": trap for name in traps},
            "p.ctx/schema.pyi": (
                "import conftest\nfrom conftest import *\n\nclass Input:\n    x: int = 1\n\nclass Output:\n    y: str\n"
            ),
            "p.ctx/tools.pyi": "import conftest\n\ndef look(x: int = 1) -> str: ...\n",
            **dict.fromkeys(("conftest.py", "sitecustomize.py", "jinja2.py", "yaml.py"), trap),
            "p.ctx/eval.yaml": "!!python/object/apply:os.system ['touch sprung']\n",
        },
    )
    did = watched(tmp_path / "tree", tmp_path / "out")
    assert did.errors == []
    assert [path for path in did.seen["run"] if str(tmp_path) in path] == []
    searched = ("eval.py", "schema.pyi", "tools.pyi", "test_it.py")  # as text, for pasted secrets
    assert [path for path in did.seen["open"] if Path(path).name in set(traps) - {*searched}] == []
    # Started where the files are, as a user would.
    done = command("build", ".", "-o", "../out2", cwd=tmp_path / "tree", environment={"PYTHONSAFEPATH": "1"})
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "sprung").exists()


def test_yaml_and_templates_cannot_run_anything_either(tmp_path: Path) -> None:
    hostile = {
        "a.ctx/settings.yaml": "system: !!python/object/apply:os.system ['touch sprung']\n",
        "b.ctx": "{{ ''.__class__.__mro__ }}",
        "c.ctx": "{{ cycler.__init__.__globals__.os.system('touch sprung') }}",
        "d.ctx": "{{ {'a': 1} | import_text }}",
        "e.ctx/settings.yaml": "system: !? $env.get('X', os.system('touch sprung'))\n",
    }
    write(tmp_path / "tree", {"frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n', **hostile})
    did = watched(tmp_path / "tree", tmp_path / "out")
    assert len(did.errors) >= len(hostile)
    assert did.seen["forbidden"] == []
    assert not list(tmp_path.rglob("sprung"))


def test_expressions_read_what_they_import_and_nothing_else(tmp_path: Path) -> None:
    corpus = Path(__file__).parents[1] / "corpus"
    env = {"REGION": "eu", "SIZE": "3", "MODEL": "m"}
    did = watched(corpus / "yglu" / "tree", tmp_path / "out", env=env)
    assert did.errors == []
    assert did.outside("open", [corpus / "yglu", tmp_path, *INTERPRETER]) == []
    assert (corpus / "yglu" / "tree" / "shared" / "models.yaml").as_posix() in did.seen["open"]
    assert did.seen["forbidden"] == []
    for case in ("imports-of-expressions", "functions-refused-and-unknown", "expressions-without-a-value"):
        did = watched(corpus / case / "tree", tmp_path / "out", env={"SECRET": "s"})
        assert did.errors != []
        assert did.outside("open", [corpus / case, tmp_path, *INTERPRETER]) == []
        assert did.seen["forbidden"] == []


def test_no_value_of_the_process_environment_shows_in_any_file(home: Path, tmp_path: Path) -> None:
    sentinel = "sentinel-3f9a"
    names = ["HOME", "USER", "LOGNAME", "HOSTNAME", "MODEL", "DRAFT_MODEL", "FILES_MODEL", "JUDGE_MODEL", "TERM"]
    names += ["YGLU_ENABLE_ENV", "YGLU_IMPORT_ALLOW", "FROZENCTX_ENV", "PWD", "TMPDIR", "PATH", "LANG", "EDITOR"]
    for tree in ("tree", "examples"):
        out = built(home / tree, tmp_path / tree, environment=dict.fromkeys(names, sentinel))
        written = files(out)
        assert len(written) > 20
        for forbidden in (sentinel, str(home), str(tmp_path)):
            assert [name for name, data in written.items() if forbidden.encode() in data] == []


def test_a_value_given_for_env_shows_where_it_ends_up_and_nowhere_else(tmp_path: Path) -> None:
    """The record names the variable and holds neither its value nor a hash of it."""
    write(
        tmp_path / "tree",
        {
            "p.ctx/settings.yaml": (
                'model: !? $env.get("MODEL", "a/b")\nsystem: x\nmeta:\n  n: !? $env.get("UNUSED", "d")\n'
            ),
            "values.env": "OTHER=other-sentinel\n",
        },
    )
    given = (
        "--env",
        "MODEL=openai/model-sentinel",
        "--env",
        "NEVER=never-sentinel",
        "--env-file",
        str(tmp_path / "tree/values.env"),
    )
    written = files(built(tmp_path / "tree", tmp_path / "out", *given))
    holding = {name for name, data in written.items() if b"model-sentinel" in data}
    assert {name.partition("/")[0] for name in holding} <= {"objects", "packs"}
    assert len([name for name in holding if name.startswith("objects/")]) == 1
    assert not [name for name, data in written.items() if b"never-sentinel" in data or b"other-sentinel" in data]
    record = next(data for name, data in written.items() if name.startswith("records/"))
    assert b'"found":["MODEL"]' in record
    assert b'"UNUSED"' in record
