"""What a build leaves in the output directory, what prune takes away, and what builds at once do to each other."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx import errors
from frozenctx.format import interpreter
from frozenctx.switch import history, rollback
from frozenctx_compiler.store import Pruned, StoreError, prune_releases
from handmade import emitted, files, package, stored

A = package("a", "Hello {{ name }}")
B = package("b", literal="b")


def tree(out: Path) -> dict[str, bytes]:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def numbered(number: int) -> Any:
    return package("n", f"release {number} {{{{ x }}}}")


def test_what_is_stored_is_what_emit_made_and_nothing_else(tmp_path: Path) -> None:
    result = stored(tmp_path / "deep" / "out", A, B)
    content = tree(tmp_path / "deep" / "out")
    release = f"sha256:{result.release}\n".encode()
    expected = files(A, B) | {f"records/{result.release}.json": b'{"format":1}', "releases/default": release}
    others = content.keys() - expected.keys()
    assert {name: content[name] for name in expected} == expected
    assert others == {"frozenctx.txt", "releases/.lock", f"packs/{result.release}.{interpreter()}.pack"}
    assert (result.written, result.switched, result.pruned) == (4, True, None)


def test_storing_the_same_again_writes_nothing(tmp_path: Path) -> None:
    stored(tmp_path, A, B)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    result = stored(tmp_path, A, B)
    assert (result.written, result.switched) == (0, False)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_build_mends_damaged_objects(tmp_path: Path) -> None:
    stored(tmp_path, A, B)
    whole = tree(tmp_path)
    for path in (tmp_path / "objects").rglob("*"):
        if path.is_file():
            path.write_bytes(b"")
    assert stored(tmp_path, A, B).written == 4
    assert tree(tmp_path) == whole


def test_a_directory_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match="is not empty and was not written by frozenctx \\(it holds `letter.txt`\\)"):
        stored(tmp_path, A)
    assert tree(tmp_path) == {"letter.txt": b"dear"}
    with pytest.raises(StoreError, match="is a file"):
        stored(tmp_path / "letter.txt", A)
    with pytest.raises(StoreError, match="is a file"):
        stored(tmp_path / "letter.txt" / "out", A)
    with pytest.raises(StoreError, match="is no output directory"):
        prune_releases(str(tmp_path))


@pytest.mark.parametrize("profile", ["", "../up", "a/b", ".hidden", "-x", "a b", "ä", "x" * 101])
def test_a_name_that_cannot_be_a_profile_is_refused_before_anything_is_written(tmp_path: Path, profile: str) -> None:
    with pytest.raises(StoreError, match="cannot be a profile"):
        stored(tmp_path / "out", A, profile=profile)
    assert not (tmp_path / "out").exists()


def test_a_damaged_profile_line_or_history_stops_a_build_with_a_way_out(tmp_path: Path) -> None:
    stored(tmp_path, A)
    for name in ("profiles/default", "releases/default"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(b"garbage\n")
        with pytest.raises(StoreError, match="is damaged.*remove that file"):
            stored(tmp_path, B)
        (tmp_path / name).write_bytes(whole)


def test_each_profile_has_its_release_and_its_history(tmp_path: Path) -> None:
    a, b = stored(tmp_path, A, profile="prod").release, stored(tmp_path, B, profile="test").release
    assert stored(tmp_path, B, profile="prod").written == 0
    assert (history(str(tmp_path), "prod"), history(str(tmp_path), "test")) == ([a, b], [b])
    assert list(frozenctx.load(tmp_path, profile="prod")) == ["b"]


def test_history_lists_each_release_once_the_latest_switch_last(tmp_path: Path) -> None:
    one, two, three = (stored(tmp_path, numbered(n)).release for n in (1, 2, 3))
    rollback(str(tmp_path), f"sha256:{one}")
    assert history(str(tmp_path), "default") == [two, three, one]
    stored(tmp_path, numbered(2))
    assert history(str(tmp_path), "default") == [three, one, two]
    (tmp_path / "releases" / "default").unlink()
    stored(tmp_path, numbered(3))
    assert history(str(tmp_path), "default") == [two, three]


def test_prune_keeps_the_current_and_the_last_two_others_of_each_profile(tmp_path: Path) -> None:
    made = [stored(tmp_path, numbered(n)).release for n in range(5)]
    other = stored(tmp_path, numbered(0), profile="other").release
    assert other == made[0]
    pruned = prune_releases(str(tmp_path))
    assert pruned.releases == (made[1],)
    for release in (made[0], *made[2:]):
        assert frozenctx.load(tmp_path, release=f"sha256:{release}", verify=True)
    with pytest.raises(errors.ReleaseGone):
        frozenctx.load(tmp_path, release=f"sha256:{made[1]}")
    assert history(str(tmp_path), "default") == made[2:]
    assert {path.stem for path in (tmp_path / "records").iterdir()} == {made[0], *made[2:]}
    assert prune_releases(str(tmp_path)) == Pruned()


def test_prune_after_rollback_keeps_what_ran_last(tmp_path: Path) -> None:
    made = [stored(tmp_path, numbered(n)).release for n in range(4)]
    rollback(str(tmp_path), f"sha256:{made[0]}")
    prune_releases(str(tmp_path), keep=1)
    assert history(str(tmp_path), "default") == [made[3], made[0]]
    assert frozenctx.load(tmp_path, verify=True)["n"].system(x=1) == "release 0 1"


def test_store_with_prune_and_keep_nothing_leaves_the_current_release_alone(tmp_path: Path) -> None:
    for number in range(3):
        result = stored(tmp_path, numbered(number), prune=True, keep=0)
    left = tree(tmp_path)
    assert result.pruned is not None
    assert len(result.pruned.releases) == 1
    assert left.keys() == tree_of_one(tmp_path).keys()


def tree_of_one(out: Path) -> dict[str, bytes]:
    fresh = out.parent / "fresh"
    stored(fresh, numbered(2))
    return tree(fresh)


def test_prune_leaves_objects_that_kept_releases_share(tmp_path: Path) -> None:
    stored(tmp_path, A, B)
    stored(tmp_path, A)
    prune_releases(str(tmp_path), keep=0)
    prompts = frozenctx.load(tmp_path, verify=True)
    assert prompts["a"].system(name="x") == "Hello x"


def test_prune_of_a_directory_with_a_broken_kept_release_removes_nothing(tmp_path: Path) -> None:
    stored(tmp_path, numbered(0))
    stored(tmp_path, numbered(1))
    content = json.loads(emitted(numbered(1)).objects[emitted(numbered(1)).release])
    digest = content["prompts"][0]["prompt"][7:]
    (tmp_path / "objects" / digest[:2] / f"{digest[2:]}.json").unlink()
    before = tree(tmp_path)
    with pytest.raises(StoreError, match="nothing is pruned.*is missing"):
        prune_releases(str(tmp_path), keep=0)
    assert tree(tmp_path) == before


def test_prune_keeps_what_a_later_versions_prompt_refers_to(tmp_path: Path) -> None:
    from frozenctx.objects import sha256_hex
    from frozenctx_compiler.package import Emitted
    from frozenctx_compiler.store import store

    resource = b"raw bytes of a resource"
    prompt = json.dumps(
        {"key": "k", "name": "n", "version": "v", "identity": {}, "settings": {"model": "m"}}
        | {"messages": [{"role": "system", "text": "x"}]}
        | {"later": {"resources": [f"sha256:{sha256_hex(resource)}"]}}
    ).encode()
    entry = {"key": "k", "name": "n", "version": "v", "prompt": f"sha256:{sha256_hex(prompt)}"}
    release = json.dumps({"format": 1, "needs": [], "prompts": [entry]}, separators=(",", ":")).encode()
    objects = {sha256_hex(data): data for data in (resource, prompt, release)}
    store({"default": (Emitted(sha256_hex(release), objects, (("k", "v"),)), b"{}")}, str(tmp_path))
    before = tree(tmp_path)
    prune_releases(str(tmp_path))
    assert tree(tmp_path) == before


def test_a_reader_of_old_objects_gets_their_text_or_release_gone(tmp_path: Path) -> None:
    packages = [package(f"p{n}", f"old {n} {{{{ x }}}}") for n in range(3)]
    stored(tmp_path, *packages)
    prompts = frozenctx.load(tmp_path, pack="never")
    seen = prompts["p0"]
    assert seen.system(x=1) == "old 0 1"
    stored(tmp_path, *[package(f"p{n}", f"new {n}") for n in range(3)])
    assert prompts["p1"].system(x=1) == "old 1 1"
    loaded_not_rendered = prompts["p2"]
    prune_releases(str(tmp_path), keep=0)
    assert seen.system(x=2) == "old 0 2"
    with pytest.raises(errors.ReleaseGone, match="pruned"):
        loaded_not_rendered.system(x=1)
    assert prompts["p1"].system(x=2) == "old 1 2"
    assert not prompts.is_current()


def test_a_reader_of_an_old_pack_keeps_it_when_it_is_pruned(tmp_path: Path) -> None:
    stored(tmp_path, *[package(f"p{n}", f"old {n} {{{{ x }}}}") for n in range(200)])
    prompts = frozenctx.load(tmp_path, pack="require")
    stored(tmp_path, A)
    prune_releases(str(tmp_path), keep=0)
    left = [path.name.partition(".")[0] for path in (tmp_path / "packs").iterdir()]
    assert left == [frozenctx.load(tmp_path).digest[7:]]
    assert [prompts[f"p{n}"].system(x=n) for n in range(200)] == [f"old {n} {n}" for n in range(200)]
    assert not prompts.is_current()


def test_readers_among_builds_and_prunes_get_the_text_of_their_release_or_release_gone(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(8)]

    def release(number: int) -> list[Any]:
        return [package(name, f"{number} {name} {{{{ x }}}}") for name in names]

    stored(tmp_path, *release(0))
    done = threading.Event()
    failed: list[BaseException] = []
    seen: dict[str, int] = {"text": 0, "gone": 0}

    def read(pack: Any) -> None:
        try:
            while not done.is_set():
                prompts = frozenctx.load(tmp_path, pack=pack)
                number = None
                for name in names:
                    try:
                        text = prompts[name].system(x=1)
                    except errors.ReleaseGone:
                        seen["gone"] += 1
                        continue
                    number = number or text.partition(" ")[0]
                    assert text == f"{number} {name} 1"
                    seen["text"] += 1
        except BaseException as error:
            failed.append(error)

    readers = [threading.Thread(target=read, args=(pack,)) for pack in (None, "never")]
    for reader in readers:
        reader.start()
    for number in range(1, 25):
        stored(tmp_path, *release(number), prune=True, keep=0)
    done.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert seen["text"] > 0


def test_leftovers_of_killed_builds_are_removed_by_the_next_build_and_by_prune(tmp_path: Path) -> None:
    stored(tmp_path, A)
    for act in (lambda: stored(tmp_path, A), lambda: prune_releases(str(tmp_path))):
        (tmp_path / "tmp" / "4711-0").write_bytes(b"half an obj")
        act()
        assert list((tmp_path / "tmp").iterdir()) == []


def test_leftovers_are_not_touched_while_another_build_runs(tmp_path: Path) -> None:
    import fcntl

    stored(tmp_path, A)
    (tmp_path / "tmp" / "4711-0").write_bytes(b"of a running build")
    with open(tmp_path / "frozenctx.txt") as marker:
        fcntl.flock(marker, fcntl.LOCK_SH)
        stored(tmp_path, B)
        assert (tmp_path / "tmp" / "4711-0").exists()


def test_prune_waits_for_builds_and_builds_wait_for_prune(tmp_path: Path) -> None:
    import fcntl

    stored(tmp_path, A)
    for kind, act in (
        (fcntl.LOCK_SH, lambda: prune_releases(str(tmp_path))),
        (fcntl.LOCK_EX, lambda: stored(tmp_path, B)),
    ):
        with open(tmp_path / "frozenctx.txt") as marker:
            fcntl.flock(marker, kind)
            worker = threading.Thread(target=act)
            worker.start()
            worker.join(0.2)
            assert worker.is_alive()
        worker.join(10)
        assert not worker.is_alive()


def test_threads_that_build_at_once_all_end_in_a_whole_release_and_one_history(tmp_path: Path) -> None:
    made: list[str] = []
    failed: list[BaseException] = []

    def build(number: int) -> None:
        try:
            made.append(stored(tmp_path, numbered(number), prune=number % 3 == 0, keep=100).release)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=build, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    releases = history(str(tmp_path), "default")
    assert sorted(releases) == sorted(made)
    assert frozenctx.load(tmp_path, verify=True).digest == f"sha256:{releases[-1]}"
    for release in releases:
        frozenctx.load(tmp_path, release=f"sha256:{release}", verify=True)


def test_processes_that_build_at_once_into_a_new_directory_all_succeed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from handmade import package, stored\n"
        "for n in range(4): stored(Path(sys.argv[1]), package('n', f'{sys.argv[2]} {n}'))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    builds = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "out"), str(n)], env=environment) for n in range(4)
    ]
    assert [build.wait() for build in builds] == [0] * 4
    assert len(history(str(tmp_path / "out"), "default")) == 16
    assert frozenctx.load(tmp_path / "out", verify=True)


def test_files_can_be_read_by_others_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        stored(tmp_path / "out", A)
    finally:
        os.umask(before)
    for path in (tmp_path / "out").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_prune_leaves_alone_what_is_no_file_of_ours(tmp_path: Path) -> None:
    stored(tmp_path, A)
    litter = ["objects/.DS_Store", "objects/ab/.DS_Store", "records/notes", "packs/x.pack", "tmp/mine"]
    for name in litter:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / "tmp" / "folder").mkdir()
    stored(tmp_path, B, prune=True, keep=0)
    assert all((tmp_path / name).read_bytes() == b"mine" for name in litter)
    assert len(list((tmp_path / "packs").iterdir())) == 2


def test_a_directory_with_a_marker_that_is_not_ours_is_refused_and_untouched(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "mine").write_bytes(b"mine")
    (tmp_path / "frozenctx.txt").write_bytes(b"notes")
    before = tree(tmp_path)
    with pytest.raises(StoreError, match="was not written by frozenctx"):
        stored(tmp_path, A)
    assert tree(tmp_path) == before
