"""On machines that hold an interpreter and the output and nothing else, and with many processes that start at once."""

import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import frozenctx
import pytest
from frozenctx_compiler.store import store
from handmade import emitted, package, stored
from shipping.machine import NOBODY, ROOT, assembled, files_of, run

HELLO = "Hello {{ name | upper }}{% include 'p.j2' %} {{ items | join(', ') }}"
A = package("briefs/draft", HELLO, partials={"p.j2": "!"})
RENDER = """
import sys
sys.path.insert(0, sys.argv[1])
import frozenctx
prompts = frozenctx.load(sys.argv[2], pack=sys.argv[3] or None)
text = prompts["briefs/draft"].system(name="x", items=["a", "\\xe9"])
sys.stdout.buffer.write(f"{prompts.source}: {text}\\n".encode())
"""
TEXT = "Hello X! a, é\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine: `/out` is an output with runtime, `/app.zip` both in one file, `/ü/x.pack` a pack alone."""
    machine = assembled(tmp_path_factory.mktemp("machine") / "root")
    stored(machine / "out", A, vendor_runtime=True)
    (machine / "ü").mkdir()
    (pack,) = (machine / "out" / "packs").iterdir()
    shutil.copy(pack, machine / "ü" / "x.pack")
    with zipfile.ZipFile(machine / "app.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((machine / "out").rglob("*")):
            name = path.relative_to(machine / "out").as_posix()
            archive.write(path, name.removeprefix("runtime/") if name.startswith("runtime/") else f"prompts/{name}")
    return machine


PLACES = {
    "directory": ("/out/runtime", "/out"),
    "zip": ("/app.zip", "/app.zip/prompts"),
    "pack alone": ("/out/runtime", "/ü/x.pack"),
}


def rendered(root: Path, place: str, *flags: str, pack: str = "require", **how: object) -> str:
    done = run(root, "/usr/bin/python3", *flags, "-c", RENDER, *PLACES[place], pack, **how)  # type: ignore[arg-type]
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("flags", [("-I", "-S", "-B"), ("-I", "-S", "-B", "-OO"), ("-O",), ("-X", "utf8=0")])
def test_it_renders_where_there_is_nothing_else_and_writes_nothing(
    root: Path, place: str, flags: tuple[str, ...]
) -> None:
    before = files_of(root)
    environment = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    assert rendered(root, place, *flags, environment=environment) == f"pack: {TEXT}"
    assert files_of(root) == before


@pytest.mark.parametrize("place", PLACES)
def test_it_renders_from_a_root_that_nobody_can_write_to(root: Path, place: str) -> None:
    assert rendered(root, place, "-I", "-S", read_only=True) == f"pack: {TEXT}"
    code = "open('/out/x', 'w')"
    assert "Read-only file system" in run(root, "/usr/bin/python3", "-c", code, read_only=True).stderr


@pytest.mark.parametrize("place", PLACES)
def test_it_renders_for_another_user_than_the_builder(root: Path, place: str) -> None:
    before = files_of(root)
    assert rendered(root, place, "-I", "-S", user=NOBODY) == f"pack: {TEXT}"
    assert files_of(root) == before


@pytest.mark.parametrize("place", ["directory", "zip"])
def test_objects_give_the_same_there(root: Path, place: str) -> None:
    before = files_of(root)
    assert rendered(root, place, "-I", "-S", "-B", pack="never", user=NOBODY) == f"objects: {TEXT}"
    assert files_of(root) == before


def test_the_commands_work_there(root: Path) -> None:
    environment = {"PYTHONPATH": "/out/runtime"}
    for arguments in (["verify", "/out"], ["ls", "/out"], ["show", "/out", "briefs/draft"], ["releases", "/out"]):
        done = run(root, "/usr/bin/python3", "-m", "frozenctx", *arguments, environment=environment, read_only=True)
        assert (done.returncode, done.stderr) == (0, ""), arguments
    there = run(root, "/usr/bin/python3", "-m", "frozenctx", "pack", "/out", environment=environment, read_only=True)
    assert (there.returncode, "already" in there.stdout) == (0, True), there
    back = ["rollback", "/out", "--to", f"sha256:{'0' * 64}"]
    done = run(root, "/usr/bin/python3", "-m", "frozenctx", *back, environment=environment, read_only=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


# Without a machine of their own


@pytest.mark.parametrize("how", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {}])
def test_paths_that_are_not_ascii_are_found_without_a_locale(tmp_path: Path, how: dict[str, str]) -> None:
    out = tmp_path / "prömpts ☃"
    stored(out, A, vendor_runtime=True)
    command = [sys.executable, "-S", "-B", "-c", RENDER, str(out / "runtime"), str(out), "require"]
    done = subprocess.run(command, env=how, cwd="/", capture_output=True, timeout=60)
    assert (done.stderr, done.stdout.decode()) == (b"", f"pack: {TEXT}")


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes are Linux's")
def test_paths_that_are_not_utf_8_are_found(tmp_path: Path) -> None:
    stored(tmp_path / "out", A)
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    os.rename(tmp_path / "out", odd)
    for prompts in (frozenctx.load(odd), frozenctx.load(odd, pack="never")):
        assert prompts["briefs/draft"].system(name="x", items=[]) == "Hello X! "


def test_a_relative_path_is_taken_where_the_process_was(tmp_path: Path) -> None:
    stored(tmp_path / "out", A, vendor_runtime=True)
    code = RENDER.replace("text =", "import os; os.chdir('/'); text =")
    for pack in ("require", "never"):
        command = [sys.executable, "-I", "-S", "-B", "-c", code, str(tmp_path / "out/runtime"), "out", pack]
        done = subprocess.run(command, env={}, cwd=tmp_path, capture_output=True, timeout=60)
        assert (done.stderr, done.stdout.decode().partition(": ")[2]) == (b"", TEXT)


def started(runtime: Path, out: Path, count: int) -> "list[subprocess.Popen[bytes]]":
    """So many interpreters, started one after another without waiting for any."""
    command = [sys.executable, "-I", "-S", "-B", "-c", NUMBERED, str(runtime), str(out)]
    return [
        subprocess.Popen([*command, str(number)], env={}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for number in range(count)
    ]


NUMBERED = """
import sys
sys.path.insert(0, sys.argv[1])
import frozenctx
number = int(sys.argv[3])
prompts = frozenctx.load(sys.argv[2], pack="never" if number % 4 == 3 else None)
try:
    texts = [prompts[f"p{n}"].system(x=number) for n in range(number % 7, 40, 7)]
except frozenctx.errors.ReleaseGone:
    texts = ["gone"]
print(prompts.digest, prompts.source, *texts)
"""


def test_64_processes_that_start_at_once_all_render(tmp_path: Path) -> None:
    stored(tmp_path / "out", *[package(f"p{n}", f"{n}-{{{{ x }}}}") for n in range(40)], vendor_runtime=True)
    before = files_of(tmp_path)
    processes = started(tmp_path / "out" / "runtime", tmp_path / "out", 64)
    for number, process in enumerate(processes):
        said, wrong = process.communicate(timeout=120)
        assert (process.returncode, wrong) == (0, b"")
        _release, source, *texts = said.decode().split()
        assert source == ("objects" if number % 4 == 3 else "pack")
        assert texts == [f"{n}-{number}" for n in range(number % 7, 40, 7)]
    assert files_of(tmp_path) == before


def test_64_processes_among_builds_and_prunes_render_the_release_that_they_loaded_or_say_it_is_gone(
    tmp_path: Path,
) -> None:
    """Every build makes another release than the last and removes all but that one; they go on till all have ended."""
    out = tmp_path / "out"
    made = [emitted(*[package(f"p{n}", f"{n}-{version}-{{{{ x }}}}") for n in range(40)]) for version in range(5)]
    versions = {f"sha256:{each.release}": version for version, each in enumerate(made)}
    store({"default": (made[0], b"{}")}, str(out))
    done = threading.Event()
    builds: list[str] = []

    def build() -> None:
        while not done.is_set():
            release = {"default": (made[len(builds) % 5], b"{}")}
            builds.append(store(release, str(out), prune=True, keep=1)["default"].release)

    builder = threading.Thread(target=build)
    builder.start()
    ended = []
    try:
        while len(builds) < 5:
            ended += [(*process.communicate(timeout=120), process) for process in started(ROOT / "runtime", out, 64)]
    finally:
        done.set()
        builder.join()
    whole = 0
    for each, (said, wrong, process) in enumerate(ended):
        assert (process.returncode, wrong) == (0, b"")
        release, source, *texts = said.decode().split()
        number = each % 64
        if texts == ["gone"]:
            assert source == "objects"  # an open pack holds everything
            continue
        whole += 1
        assert texts == [f"{n}-{versions[release]}-{number}" for n in range(number % 7, 40, 7)]
    assert whole >= len(ended) // 2
