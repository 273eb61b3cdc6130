"""`python -m frozenctx fresh` says what differs from the record and nothing else, and does when a rebuild would."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx import commands
from frozenctx.elsewhere import Memory
from frozenctx.fresh import WrongPlace, differences, read_record
from frozenctx_compiler import api
from frozenctx_compiler.emit import emit
from frozenctx_compiler.sources import SourceFault, Sources
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline.test_mutation import FILES
from source_trees import write

RUNTIME = Path(__file__).parents[2] / "runtime"


class Home:
    """A tree with mounts and every layout beside its output."""

    def __init__(self, directory: Path) -> None:
        self.directory = write(directory, FILES)
        self.tree, self.out = directory / "tree", directory / "out"
        result = frozenctx_compiler.build(self.tree, self.out)
        assert result.release is not None
        self.release = result.release
        name = f"{self.release[7:]}.json"
        self.record: dict[str, Any] = json.loads((self.out / "records" / name).read_text("utf-8"))

    def place(self, path: str) -> Path:
        return self.directory / path[1:] if path.startswith("@") else self.tree / path

    def listed(self, path: str) -> str | None:
        """The recorded listing that a path is in."""
        parent = path.rpartition("/")[0] or ("." if not path.startswith("@") else "")
        return parent if any(listing["path"] == parent for listing in self.record["listings"]) else None

    def rebuilt(self) -> str | None:
        """What a build would make of the sources now: its release, or None when there are errors."""
        compilation = api.check(self.tree)
        return None if compilation.report.has_errors else f"sha256:{emit(compilation.packages).release}"


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory() as directory:
        yield Home(Path(directory))


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[str], str]:
    status = commands.main(["fresh", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err


def lines(home: Home, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `fresh` says differs. A rebuild that gives another release, or none, and `fresh` said so, or this fails."""
    status, said, err = run(capsys, home.tree, home.out)
    assert err == ""
    assert status == (1 if len(said) > 1 else 0)
    assert said[-1].startswith("profile `default`: ")
    if home.rebuilt() != home.release:
        assert status == 1
    return said[:-1]


def test_nothing_differs_after_a_build_and_the_last_line_says_what_was_not_compared(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said, err = run(capsys, home.tree, home.out)
    counts = [len(home.record[part]) for part in ("files", "listings", "probes")]
    assert (status, err) == (0, "")
    assert said == [
        f"profile `default`: fresh: {counts[0]} files, {counts[1]} listings and {counts[2]} probes are as they were;"
        " values of the environment of the 1 name it asks for are not compared"
    ]
    assert min(counts) > 5


def test_an_edit_of_each_file_is_said_and_nothing_else(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for file in home.record["files"]:
        place = home.place(file["path"])
        before = place.read_bytes()
        for after in (before + b"#", before[1:], b"\xff\0", b""):
            place.write_bytes(after)
            assert lines(home, capsys) == [f"{file['path']}: changed"]
        place.write_bytes(before)
    assert lines(home, capsys) == []


def test_line_ends_and_a_byte_order_mark_are_no_change_of_text(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for file in home.record["files"]:
        assert file["form"] == "text"
        place = home.place(file["path"])
        before = place.read_bytes()
        changed = [b"\xef\xbb\xbf" + before, before.replace(b"\n", b"\r\n"), before.replace(b"\n", b"\r")]
        for after in changed:
            place.write_bytes(after)
            assert lines(home, capsys) == []
            assert home.rebuilt() == home.release
        place.write_bytes(b"\xef\xbb\xbf" * 2 + before)
        assert lines(home, capsys) == [f"{file['path']}: changed"]
        place.write_bytes(before)


def test_a_removal_of_each_file_is_said_with_the_listing_it_is_missed_in(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in sorted({file["path"] for file in home.record["files"]}):
        place = home.place(path)
        before = place.read_bytes()
        place.unlink()
        expected = {f"{path}: removed"}
        if (parent := home.listed(path)) is not None:
            expected.add(f"{parent}: listing lost `{place.name}`")
        assert set(lines(home, capsys)) == expected
        place.mkdir()
        expected = {f"{path}: is a directory, was a file"}
        if parent is not None:
            expected.add(f"{parent}: listing `{place.name}` is a directory, was a file")
        assert set(lines(home, capsys)) == expected
        place.rmdir()
        place.write_bytes(before)


def test_what_appears_in_each_listing_is_said(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for listing in home.record["listings"]:
        place = home.place(listing["path"])
        (place / "zz").write_text("")
        (place / "a\nb").mkdir()
        assert lines(home, capsys) == [f"{listing['path']}: listing gained `a\\nb`, gained `zz`"]
        (place / "zz").unlink()
        (place / "a\nb").rmdir()
    assert lines(home, capsys) == []


def test_a_removal_of_each_directory_is_said_of_everything_in_it(
    home: Home, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seen = {entry["path"] for part in ("files", "listings", "probes") for entry in home.record[part]}
    there = {path for path in seen if home.place(path).exists()}
    for listing in home.record["listings"]:
        path = listing["path"]
        if path == ".":
            continue
        os.rename(home.place(path), tmp_path / "away")
        gone = {f"{inside}: removed" for inside in there if f"{inside}/".startswith(f"{path}/")}
        parent = home.listed(path)
        expected = gone | ({f"{parent}: listing lost `{home.place(path).name}`"} if parent is not None else set())
        assert set(lines(home, capsys)) == expected
        os.rename(tmp_path / "away", home.place(path))


def test_each_path_that_was_absent_is_said_when_it_appears(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    absent = [probe["path"] for probe in home.record["probes"] if probe["found"] is None]
    assert len(absent) > 10
    created = 0
    for path in absent:
        place = home.place(path)
        above = [parent for parent in place.parents if not parent.exists()]
        if not (above[-1] if above else place).parent.is_dir():
            continue  # a name below a file
        created += 1
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("")
        made = [path]
        for _ in above:
            made.append(made[-1].rpartition("/")[0])
        expected = {f"{new}: appeared" for new in made if new in absent}
        parent = home.listed(made[-1])
        if parent is not None:
            expected.add(f"{parent}: listing gained `{made[-1].rpartition('/')[2]}`")
        assert set(lines(home, capsys)) == expected
        place.unlink()
        for directory in above:
            directory.rmdir()
    assert created > 10
    assert lines(home, capsys) == []


def test_several_changes_are_said_sorted_one_line_for_each_path(
    home: Home, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copytree(home.directory, tmp_path, dirs_exist_ok=True)
    (tmp_path / "tree/rich.ctx/prompt.j2").write_text("other")
    (tmp_path / "tree/rich.ctx/samples/one.yaml").unlink()
    (tmp_path / "tree/rich.ctx/samples/three.yaml").write_text("variables: {}\n")
    (tmp_path / "house/words.txt").unlink()
    (tmp_path / "house/voice.j2").write_text("")
    status, said, _ = run(capsys, tmp_path / "tree", tmp_path / "out")
    assert status == 1
    assert said[:-1] == [
        "@house/voice.j2: changed",
        "rich.ctx/prompt.j2: changed",
        "rich.ctx/samples: listing gained `three.yaml`, lost `one.yaml`",
        "rich.ctx/samples/one.yaml: removed",
    ]
    assert said[-1].startswith("profile `default`: 4 differences in ")


def test_a_bare_interpreter_says_the_same_from_anywhere(home: Home) -> None:
    start = f"import sys, runpy; sys.path.insert(0, {str(RUNTIME)!r}); runpy.run_module('frozenctx', None, '__main__')"
    command = [sys.executable, "-I", "-S", "-c", start, "fresh", str(home.tree), str(home.out)]
    done = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C"}, cwd="/", timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("profile `default`: fresh: ")


# -- how it was built ---------------------------------------------------------------------------------------------


def build(tree: Path, out: Path, **options: Any) -> str:
    result = frozenctx_compiler.build(tree, out, **options)
    assert result.release is not None, result.report.diagnostics
    return result.release


def test_an_output_below_the_root_is_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.ctx": "a"})
    for _ in range(2):
        build(tmp_path, tmp_path / "dist" / "prompts")
        assert run(capsys, tmp_path, tmp_path / "dist" / "prompts")[0] == 0
    shutil.copytree(tmp_path / "dist" / "prompts", tmp_path.parent / f"{tmp_path.name}-out")
    shutil.rmtree(tmp_path / "dist")
    assert run(capsys, tmp_path, tmp_path.parent / f"{tmp_path.name}-out")[0] == 0
    write(tmp_path, {"dist/b.ctx": "b"})
    status, said, _ = run(capsys, tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert (status, said[:-1]) == (1, [".: listing gained `dist`"])


def test_outputs_below_one_root_do_not_make_each_other_stale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"a.ctx": "a", "deep/b.ctx": "b"})
    outs = [tmp_path / name for name in ("one", "deep/two", "dist/three", "dist/four")]
    for out in outs:
        build(tmp_path, out)
    for out in outs:
        assert run(capsys, tmp_path, out)[0] == 0, out
    shutil.rmtree(tmp_path / "dist")
    shutil.rmtree(outs[0])
    assert run(capsys, tmp_path, outs[1])[0] == 0
    # What only looks a little like an output is a directory like any other.
    write(tmp_path, {"dist/frozenctx.txt": ""})
    assert run(capsys, tmp_path, outs[1])[1][0] == ".: listing gained `dist`"


def test_a_part_of_a_tree_is_named_as_it_was_for_the_build_or_by_the_root(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = write(
        tmp_path / "tree",
        {"frozenctx.toml": "", "a/b/one.ctx": "{% include 'p.j2' %}", "a/b/p.j2": "p", "c/two.ctx": "2"},
    )
    build(tree / "a" / "b", tmp_path / "out")
    assert run(capsys, tree / "a" / "b", tmp_path / "out")[0] == 0
    assert run(capsys, tree, tmp_path / "out")[0] == 0
    monkeypatch.chdir(tree / "a" / "b")
    assert run(capsys, ".", "../../../out")[0] == 0
    status, _, err = run(capsys, tree / "c", tmp_path / "out")
    assert (status, "that was `a/b` below a root" in err) == (2, True)
    # A root nearer by would be another one.
    (tree / "a" / "frozenctx.toml").write_text("")
    status, said, _ = run(capsys, ".", tmp_path / "out")
    assert status == 1
    assert "a/frozenctx.toml: appeared" in said


def test_a_project_file_that_appears_is_a_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"tree/a.ctx": "a"})
    build(tmp_path / "tree", tmp_path / "out")
    (tmp_path / "tree/frozenctx.toml").write_text('[trees]\n"." = "p"\n')
    _, said, _ = run(capsys, tmp_path / "tree", tmp_path / "out")
    assert said[:-1] == [".: listing gained `frozenctx.toml`", "frozenctx.toml: appeared"]


def test_a_project_file_above_the_root_is_a_difference_as_a_rebuild_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"g/trees/src/a.ctx": "a", "g/trees/src/b.ctx": "b"})
    source = tmp_path / "g" / "trees" / "src"
    release = build(source, tmp_path / "out")
    (tmp_path / "g" / "frozenctx.toml").mkdir()
    assert run(capsys, source, tmp_path / "out")[0] == 0
    (tmp_path / "g" / "frozenctx.toml").rmdir()
    write(tmp_path, {"g/frozenctx.toml": '[trees]\n"trees/src" = "p"\n'})
    status, said, _ = run(capsys, source, tmp_path / "out")
    what = "../../frozenctx.toml: appeared, which makes its directory the root"
    assert (status, said[:-1]) == (1, [what])
    assert build(source, tmp_path / "out") != release
    assert run(capsys, source, tmp_path / "out")[0] == 0  # now it is the root's own
    # A root with a project file is the nearest: what lies above is not looked for.
    write(tmp_path, {"frozenctx.toml": ""})
    assert run(capsys, source, tmp_path / "out")[0] == 0


def test_a_place_that_was_never_the_source_is_said_to_be_none_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"proj/frozenctx.toml": "", "proj/p/a.ctx": "a", "proj/p/b.ctx": "b"})
    build(tmp_path / "proj", tmp_path / "out")
    for place in (tmp_path / "proj" / "p", tmp_path, tmp_path / "out"):
        status, said, err = run(capsys, place, tmp_path / "out")
        assert (status, said) == (2, [])
        assert err == f"error: `{place}` is not what the release was built from: none of the 3 files is there\n"


def test_a_root_that_cannot_be_read_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"tree/a.ctx": "a", "tree/b.ctx": "b"})
    build(tmp_path / "tree", tmp_path / "out")
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if os.fsdecode(path) == str(tmp_path / "tree"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    expected: tuple[int, list[str], str] = (1, [], f"error: `{tmp_path / 'tree'}` cannot be read: Permission denied\n")
    assert run(capsys, tmp_path / "tree", tmp_path / "out") == expected


def test_mounts_are_found_as_the_project_file_names_them_or_as_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absolute = str(tmp_path / "far").replace("\\", "/")
    toml = f'[mounts]\nnear = "../near"\nfar = "{absolute}"\n'
    text = "{% include '@near/a.j2' %}{% include '@far/a.j2' %}"
    tree = write(
        tmp_path, {"tree/frozenctx.toml": toml, "tree/a.ctx": text, "near/a.j2": "n", "far/a.j2": "f"}
    ) / "tree"  # fmt: skip
    release = build(tree, tmp_path / "out")
    record = (tmp_path / "out" / "records" / f"{release[7:]}.json").read_bytes()
    assert b'"mounts":{"far":null,"near":"../near"}' in record
    assert str(tmp_path).encode() not in record
    status, _, err = run(capsys, tree, tmp_path / "out")
    assert status == 2
    assert "the mount `far` has an absolute path in frozenctx.toml; say where it is: --mount far=DIR" in err
    assert run(capsys, tree, tmp_path / "out", "--mount", f"far={absolute}")[0] == 0
    write(tmp_path, {"moved/a.j2": "other"})
    moved = ("--mount", f"far={absolute}", "--mount", f"near={tmp_path / 'moved'}")
    assert run(capsys, tree, tmp_path / "out", *moved)[1][0] == "@near/a.j2: changed"
    shutil.rmtree(tmp_path / "near")
    assert run(capsys, tree, tmp_path / "out", "--mount", f"far={absolute}")[1][0] == "@near/a.j2: removed"
    assert run(capsys, tree, tmp_path / "out", "--mount", "far")[0] == 2
    assert run(capsys, tree, tmp_path / "out", "--mount", "other=x")[0] == 2
    nowhere = run(capsys, tree, tmp_path / "out", "--mount", f"far={absolute}/no")
    assert nowhere == (2, [], f"error: --mount far: `{absolute}/no` is no directory\n")
    twice = run(capsys, tree, tmp_path / "out", "--mount", f"far={absolute}/no", "--mount", f"far={absolute}")
    assert twice == (2, [], "error: --mount: a mount is given twice\n")


def test_links_are_taken_as_the_build_took_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = write(tmp_path / "tree", {"a.ctx": "{% include 'partials/p.j2' %}", "partials/q.j2": "p"})
    write(tmp_path, {"store/p": "p"})
    link = tree / "partials/p.j2"

    def said(out: str) -> list[str]:
        return [line.removeprefix("partials/p.j2: ") for line in run(capsys, tree, tmp_path / out)[1][:-1]]

    link.symlink_to("q.j2")
    build(tree, tmp_path / "inside")
    assert said("inside") == []
    link.unlink()
    link.symlink_to("../../store/p")
    listing = "partials: listing `p.j2` is a link to nothing that may be read, was a file"
    assert said("inside") == [listing, "is a link that leaves where it may lead"]
    build(tree, tmp_path / "follow", links="follow")
    assert said("follow") == []
    link.unlink()
    link.write_text("p")  # the same text, but one file under two names is something else to a build
    assert said("follow") == []
    assert said("inside") == ["leads to `partials/p.j2`, led to `partials/q.j2`"]
    link.unlink()
    link.symlink_to("p.j2")
    assert said("inside") == said("follow") == [listing, "is a link that leads back to itself"]


def test_every_profile_is_compared_unless_one_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = write(tmp_path / "tree", {"a.ctx": "---\nmodel: !? $env.get('M', 'openai/a')\n---\na"})
    old = build(tree, tmp_path / "out", profile="dev")
    build(tree, tmp_path / "out", profile="prod", env={"M": "openai/b"})
    status, said, _ = run(capsys, tree, tmp_path / "out")
    assert (status, [line.partition(": ")[0] for line in said]) == (0, ["profile `dev`", "profile `prod`"])
    (tree / "a.ctx").write_text("changed")
    build(tree, tmp_path / "out", profile="dev")
    assert run(capsys, tree, tmp_path / "out", "--profile", "dev")[0] == 0
    assert run(capsys, tree, tmp_path / "out", "--profile", "prod")[0] == 1
    status, said, _ = run(capsys, tree, tmp_path / "out", "--release", old)
    assert (status, said[0], said[-1].partition(": ")[0]) == (1, "a.ctx: changed", old)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_in_the_place_of_a_file_is_not_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"tree/a.ctx": "a"})
    build(tmp_path / "tree", tmp_path / "out")
    (tmp_path / "tree/a.ctx").unlink()
    os.mkfifo(tmp_path / "tree/a.ctx")
    assert run(capsys, tmp_path / "tree", tmp_path / "out")[1][:-1] == [
        ".: listing `a.ctx` is neither file nor directory, was a file",
        "a.ctx: is neither file nor directory, was a file",
    ]


# -- records that are missing, damaged, hostile -------------------------------------------------------------------


def test_arguments_that_mean_nothing_exit_2(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, home.tree / "nowhere", home.out)[0] == 2
    assert run(capsys, home.tree, home.directory / "nowhere")[0] == 2
    assert run(capsys, home.tree, home.out, "--profile", "none")[0] == 2
    assert run(capsys, home.tree, home.out, "--release", "sha256:12")[0] == 2
    (pack,) = (home.out / "packs").iterdir()
    assert run(capsys, home.tree, pack)[0] == 2
    with pytest.raises(SystemExit) as caught:
        commands.main(["fresh", str(home.tree)])
    assert caught.value.code == 2


def test_a_release_without_a_record_is_an_error_that_says_where_to_look(
    home: Home, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copytree(home.out, tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "records")
    status, said, err = run(capsys, home.tree, tmp_path / "out")
    assert (status, said) == (1, [])
    assert f"has no record of release {home.release}, which says what it was built from" in err


WRONG_PATHS = ["/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "a\0b", "", "..", "a/", "@no/x", "@", "@../x"]


def hostile() -> list[tuple[str, dict[str, Any]]]:
    digest = "0" * 64
    changes: list[tuple[str, dict[str, Any]]] = []
    for path in WRONG_PATHS:
        file = {"path": path, "sha256": digest, "form": "text"}
        changes += [
            ("file", {"files": [file]}),
            ("listing", {"listings": [{"path": path, "names": {}}]}),
            ("probe", {"probes": [{"path": path, "found": None}]}),
        ]
        if not path.startswith("@"):
            leads = {"path": "a", "sha256": digest, "form": "raw", "leadsTo": path}
            changes += [("file", {"files": [leads]}), ("left out", {"leftOut": [path]}), ("source", {"source": path})]
    changes += [
        ("mount", {"mounts": {"house": "/etc"}}),
        ("mount", {"mounts": {"house": "a\0b"}}),
        ("mount", {"mounts": {"house": 1}}),
        ("mount", {"mounts": []}),
        ("links", {"links": "anywhere"}),
        ("form", {"files": [{"path": "a", "sha256": digest, "form": "html"}]}),
        ("kind", {"probes": [{"path": "a", "found": "socket"}]}),
        ("kind", {"probes": [{"path": "a"}]}),
        ("names", {"listings": [{"path": "a", "names": ["b"]}]}),
        ("packages", {"packages": [{"env": {"found": [1], "defaulted": {}, "missing": []}}]}),
        ("packages", {"packages": [None]}),
        ("release", {"release": f"sha256:{digest}"}),
        ("format", {"format": 99}),
    ]
    shapes: list[Any] = [None, {}, "x", [1], [None]]
    return changes + [(part, {part: value}) for part in ("files", "listings", "probes") for value in shapes]


def replayed(home: Home, data: bytes) -> list[str]:
    files = {f"records/{home.release[7:]}.json": data}
    return differences(str(home.tree), read_record(Memory(files), home.release[7:]), {})


@pytest.mark.parametrize(("what", "changes"), hostile())
def test_a_hostile_record_is_refused_before_anything_is_opened(
    home: Home, what: str, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("something was opened")

    data = json.dumps({**home.record, **changes}).encode()
    for name in ("open", "scandir", "stat", "readlink"):
        monkeypatch.setattr(os, name, opened)
    with pytest.raises(frozenctx.errors.LoadError):
        replayed(home, data)


def test_names_that_lead_nowhere_are_differences_and_nothing_more(home: Home) -> None:
    odd = ["C:\\x", "a" * 5000, "/".join("a" * 4000), "\ud800", "rich.ctx/prompt.j2/x", "\\\\host\\x", "~", "\u202e"]
    for path in odd:
        file = {"path": path, "sha256": "0" * 64, "form": "text"}
        (line,) = replayed(home, json.dumps({**home.record, "listings": [], "probes": [], "files": [file]}).encode())
        assert line.endswith(": removed")
        assert line.isprintable()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"format":1}', b"{} {}"])
def test_a_damaged_record_is_refused(home: Home, data: bytes) -> None:
    with pytest.raises(frozenctx.errors.Damaged):
        replayed(home, data)


def test_every_flipped_byte_and_every_truncation_of_a_record_ends_in_our_error_or_in_an_answer(home: Home) -> None:
    whole = json.dumps(home.record, separators=(",", ":")).encode()
    assert replayed(home, whole) == []
    for index in range(0, len(whole), 7):
        for data in (whole[:index] + bytes([whole[index] ^ 1 << index % 8]) + whole[index + 1 :], whole[:index]):
            try:
                assert all(isinstance(line, str) for line in replayed(home, data))
            except frozenctx.errors.LoadError:
                pass


# -- against the compiler's Sources -------------------------------------------------------------------------------

NAMES = ["a", "b", "A", "é", "e\u0301", "..", "@m", "x y"]
PLACES = ["tree", "tree/a", "tree/b", "tree/a/b", "mount", "mount/a"]
ASKED = ["a", "b", "a/a", "a/b", "b/a", "a/b/a", "A", "é", "@m/a", "@m/a/b", "a/x y", "b/b/b", ".", "@m", "out"]
LINKS = ["a", "b", "../a", "../../mount/a", "..", ".", "../tree/b", "{absolute}/tree/a"]
Step = tuple[str, str, str]
steps = st.lists(
    st.tuples(
        st.sampled_from(["write", "directory", "link", "remove", "crlf", "output"]),
        st.tuples(st.sampled_from(PLACES), st.sampled_from(NAMES)).map("/".join),
        st.sampled_from(["", "x\n", "x\r\n", *LINKS]),
    ),
    max_size=12,
)


def shape(directory: Path, changes: list[Step]) -> None:
    """Do to a tree what the steps say, as far as it can be done."""
    for what, name, text in changes:
        path = directory / name
        try:
            if what == "write":
                path.write_text(text, newline="")
            elif what == "directory":
                path.mkdir(parents=True)
            elif what == "output":
                (path / "objects").mkdir(parents=True)
                (path / "frozenctx.txt").touch()
            elif what == "link":
                path.symlink_to(text.format(absolute=directory.resolve()) or "a")
            elif what == "crlf":
                path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
            elif path.is_symlink() or path.is_file():
                path.unlink()
            elif path.is_dir() and ".." not in name:
                shutil.rmtree(path)
        except OSError:
            pass


def look(sources: Sources, asked: list[tuple[str, str]]) -> None:
    for method, path in asked:
        try:
            getattr(sources, method)(path)
        except SourceFault:
            pass


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps,
    steps,
    st.sampled_from(["inside", "follow"]),
    st.lists(st.tuples(st.sampled_from(["kind", "listing", "text", "raw"]), st.sampled_from(ASKED)), max_size=20),
)
def test_random_trees_look_the_same_to_fresh_exactly_when_they_do_to_the_compiler(
    first: list[Step], then: list[Step], links: Any, asked: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        for name in ("tree", "mount"):
            (directory / name).mkdir()
        shape(directory, first)
        if not (directory / "tree").is_dir() or not (directory / "mount").is_dir():
            return

        def looked() -> Sources:
            sources = Sources(str(directory / "tree"), {"m": str(directory / "mount")}, links)
            sources.leave_out(["out", "a/out"])
            look(sources, asked)
            return sources

        before = looked().observed()
        record = {
            "format": 1,
            "release": f"sha256:{'0' * 64}",
            "packages": [],
            "source": ".",
            "links": before.links,
            "leftOut": list(before.left_out),
            "mounts": {"m": "../mount"},
            "files": [
                {"path": file.path, "sha256": file.digest, "form": file.form}
                | ({"leadsTo": file.leads_to} if file.leads_to else {})
                for file in before.files
            ],
            "listings": [
                {"path": path, "names": {entry.name: entry.kind for entry in entries}}
                for path, entries in before.listings
            ],
            "probes": [{"path": path, "found": kind} for path, kind in before.probes],
        }
        data = json.dumps(record).encode()

        def said() -> list[str]:
            read = read_record(Memory({f"records/{'0' * 64}.json": data}), "0" * 64)
            try:
                return differences(str(directory / "tree"), read, {})
            except WrongPlace as error:
                return [str(error)]

        assert said() == []
        shape(directory, then)
        now = Sources(str(directory / "tree"), {"m": str(directory / "mount")}, links)
        now.leave_out(before.left_out)
        # Only what the record names is asked again.
        again = [("kind", path) for path, _ in before.probes] + [("listing", path) for path, _ in before.listings]
        look(now, again + [("raw" if file.form == "raw" else "text", file.path) for file in before.files])
        assert (said() == []) == (now.observed() == before), said()


def test_a_file_recorded_raw_is_compared_byte_for_byte(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"x\ny\n"})
    files = [{"path": "a", "sha256": hashlib.sha256(b"x\ny\n").hexdigest(), "form": form} for form in ("text", "raw")]
    for form, expected in ((files[:1], []), (files[1:], ["a: changed"]), (files, ["a: changed"])):
        record = {"format": 1, "release": f"sha256:{'0' * 64}", "packages": [], "source": ".", "links": "inside"}
        record |= {"leftOut": [], "mounts": {}, "files": form, "listings": [], "probes": []}
        memory = Memory({f"records/{'0' * 64}.json": json.dumps(record).encode()})
        write(tmp_path, {"a": b"x\r\ny\r\n"})
        assert differences(str(tmp_path), read_record(memory, "0" * 64), {}) == expected
