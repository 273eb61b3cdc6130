"""Where artifacts must load and render: read-only, without home, environment or site, vendored, linked, from many."""

import os
import stat
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import frozenctx
import pytest
from handmade import files, package, stored

A = package("briefs/draft", "Hello {{ name | upper }}{% include 'p.j2' %}", partials={"p.j2": "!"})
RENDER = "print(frozenctx.load({out!r}, pack='require')['briefs/draft'].system(name='x'), frozenctx.__name__)"


def run(path: str, out: str, *flags: str, name: str = "frozenctx", before: str = "") -> str:
    code = f"import sys; sys.path.insert(0, {path!r})\n{before}\nimport {name} as frozenctx\n" + RENDER.format(out=out)
    command = [sys.executable, "-I", "-S", *flags, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env={}, timeout=60)
    assert done.stderr == ""
    return done.stdout


def read_only(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)


@pytest.mark.parametrize("flags", [(), ("-B",), ("-O",), ("-B", "-OO")])
def test_the_vendored_runtime_renders_from_a_read_only_folder_and_writes_nothing(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    stored(out, A, vendor_runtime=True)
    read_only(out)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in out.rglob("*"))
    assert run(str(out / "runtime"), str(out), *flags) == "Hello X! frozenctx\n"
    assert sorted((str(path), path.stat().st_mtime_ns) for path in out.rglob("*")) == before


def test_bytecode_of_the_vendored_runtime_is_there_for_every_level_unchecked_and_the_same_everywhere(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        stored(tmp_path / name, A, vendor_runtime=True)
    found = {}
    for name in ("one", "two"):
        folder = tmp_path / name / "runtime"
        there = [path for path in folder.rglob("*") if path.is_file()]
        found[name] = {path.relative_to(folder).as_posix(): path.read_bytes() for path in there}
    assert found["one"] == found["two"]
    tag = sys.implementation.cache_tag
    for level in ("", ".opt-1", ".opt-2"):
        data = found["one"][f"frozenctx/__pycache__/prompts.{tag}{level}.pyc"]
        assert int.from_bytes(data[4:8], "little") == 1  # by hash, and not checked
    original = Path(frozenctx.__file__).parent
    for path in original.rglob("*.py"):
        assert found["one"][f"frozenctx/{path.relative_to(original).as_posix()}"] == path.read_bytes()


def test_a_changed_runtime_is_replaced_and_an_unchanged_one_stays(tmp_path: Path) -> None:
    stored(tmp_path, A, vendor_runtime=True)
    target = tmp_path / "runtime" / "frozenctx"
    inode = target.stat().st_ino
    stored(tmp_path, A, vendor_runtime=True)
    assert target.stat().st_ino == inode
    (target / "words.py").write_text("broken")
    (target / "stale.py").write_text("")
    stored(tmp_path, A, vendor_runtime=True)
    assert not (target / "stale.py").exists()
    assert run(str(tmp_path / "runtime"), str(tmp_path)) == "Hello X! frozenctx\n"
    assert [path.name for path in (tmp_path / "runtime").iterdir()] == ["frozenctx"]


def test_under_another_package_name(tmp_path: Path) -> None:
    stored(tmp_path, A, vendor_runtime=True)
    (tmp_path / "runtime" / "app").mkdir()
    (tmp_path / "runtime" / "app" / "__init__.py").write_text("")
    (tmp_path / "runtime" / "frozenctx").rename(tmp_path / "runtime" / "app" / "_prompts")
    assert run(str(tmp_path / "runtime"), str(tmp_path), name="app._prompts") == "Hello X! app._prompts\n"


def test_artifacts_and_runtime_in_one_zip(tmp_path: Path) -> None:
    stored(tmp_path / "out", A, vendor_runtime=True)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "app.zip", "w", method) as archive:
            for path in sorted((tmp_path / "out").rglob("*")):
                name = path.relative_to(tmp_path / "out").as_posix()
                archive.write(path, name.removeprefix("runtime/") if name.startswith("runtime/") else f"prompts/{name}")
        zipped = str(tmp_path / "app.zip")
        assert run(zipped, f"{zipped}/prompts") == "Hello X! frozenctx\n"


def test_behind_the_links_of_a_kubernetes_volume_also_when_they_are_switched(tmp_path: Path) -> None:
    stored(tmp_path / "..2026_1", A)
    stored(tmp_path / "..2026_2", package("briefs/draft", "Bye {{ name }}"))
    data = tmp_path / "..data"
    data.symlink_to("..2026_1")
    for name in ("profiles", "objects", "packs"):
        (tmp_path / name).symlink_to(f"..data/{name}")
    prompts = frozenctx.load(tmp_path, pack="require")
    assert prompts.is_current()
    (tmp_path / "..new").symlink_to("..2026_2")
    os.replace(tmp_path / "..new", data)
    assert not prompts.is_current()
    assert prompts["briefs/draft"].system(name="x") == "Hello X!"
    assert frozenctx.load(tmp_path, pack="require")["briefs/draft"].system(name="x") == "Bye x"


def test_a_relative_path_means_the_same_after_a_change_of_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(tmp_path / "out", A)
    monkeypatch.chdir(tmp_path)
    from_pack, from_objects = frozenctx.load("out", pack="require"), frozenctx.load("out", pack="never")
    monkeypatch.chdir("/")
    assert from_pack["briefs/draft"].system(name="x") == from_objects["briefs/draft"].system(name="x") == "Hello X!"
    assert from_pack.is_current()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_of_a_fork_and_many_processes_at_once_render(tmp_path: Path) -> None:
    stored(tmp_path, *[package(f"p{n}", f"{n} {{{{ x }}}}") for n in range(300)])
    prompts = frozenctx.load(tmp_path, pack="require")
    assert prompts["p0"].system(x=1) == "0 1"
    children = []
    for number in range(64):
        child = os.fork()
        if child == 0:
            right = all(prompts[f"p{n}"].system(x=n) == f"{n} {n}" for n in range(number, 300, 7))
            os._exit(0 if right else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 64


def test_many_threads_share_one_open_pack(tmp_path: Path) -> None:
    stored(tmp_path, *[package(f"p{n}", f"{n} {{{{ x }}}}") for n in range(300)])
    prompts = frozenctx.load(tmp_path, pack="require")
    wrong: list[str] = []

    def render(start: int) -> None:
        for n in [*range(start, 300), *range(start)]:
            text = prompts[f"p{n}"].system(x=n)
            if text != f"{n} {n}":
                wrong.append(text)

    threads = [threading.Thread(target=render, args=(start * 17,)) for start in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_than_the_builder_reads_it(tmp_path: Path) -> None:
    stored(tmp_path, A, vendor_runtime=True)
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            pytest.skip("another user cannot reach the directory of the tests")
    before = "import os; os.setgid(65534); os.setuid(65534)"
    assert run(str(tmp_path / "runtime"), str(tmp_path), before=before) == "Hello X! frozenctx\n"


def test_files_are_not_needed_in_memory_of_a_pack_removed_underneath(tmp_path: Path) -> None:
    stored(tmp_path, A)
    prompts = frozenctx.load(tmp_path, pack="require")
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert prompts["briefs/draft"].system(name="x") == "Hello X!"
    assert frozenctx.load(files(A))["briefs/draft"].system(name="x") == "Hello X!"
