"""The same sources give the same objects, wherever and by whomever they are built.

One tree holds the examples and everything nasty (`nasty_tree`). It is built once plainly; every other build differs
in one respect and must come to the same set of objects, byte for byte, and to the same record where that is promised.
"""

import os
import shutil
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler.api import check
from pipeline import interpreters
from pipeline.nasty_tree import FILES, HOST, VARIABLES
from pipeline.outputs import built, objects, packs, records
from source_trees import write
from template_corpus.example_tree import TREE

RAW = ("/references/",)
"""Parts of names of files that are captured as bytes: line ends and BOMs count in them."""


def everything() -> dict[str, bytes]:
    """The files of the tree and of what it mounts."""
    examples = {
        f"tree/examples/{path.relative_to(TREE).as_posix()}": path.read_bytes()
        for path in TREE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    nasty = {name: text.encode() for name, text in FILES.items()}
    return dict(sorted((nasty | examples).items()))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of the build that all others are compared with."""
    home = write(tmp_path_factory.mktemp("plain"), everything())
    return built(home / "tree", home / "out")


def assert_same(out: Path, plain: Path, *, record: bool = True, pack: bool = True) -> None:
    ours, theirs = objects(out), objects(plain)
    assert ours.keys() == theirs.keys(), _first_difference(out, plain)
    assert ours == theirs
    if record:
        assert records(out) == records(plain)
    if pack:
        assert packs(out) == packs(plain)


def _first_difference(out: Path, plain: Path) -> str:
    here, there = frozenctx.load(out, **HOST), frozenctx.load(plain, **HOST)
    if list(here) != list(there):
        return f"other packages: {set(here) ^ set(there)}"
    return f"other prompts: {[key for key in here if here[key].digest != there[key].digest]}"


def test_the_plain_build_renders(plain: Path) -> None:
    prompts = frozenctx.load(plain, verify=True, **HOST)
    assert len(prompts) >= 30
    assert prompts["nested/bare"].system(VARIABLES).endswith("wörd")
    assert prompts["other/é/tree"].system(VARIABLES).endswith("second wörd\n")


def test_one_byte_of_a_shared_partial_changes_the_packages_that_use_it(tmp_path: Path, plain: Path) -> None:
    """The comparison can fail."""
    changed = everything()
    changed["shared/deep/er.j2"] += b"!"
    write(tmp_path, changed)
    before, after = (frozenctx.load(path, **HOST) for path in (plain, built(tmp_path / "tree", tmp_path / "out")))
    assert [key for key in before if before[key].version != after[key].version] == ["other/é/tree", "rich"]
    assert [key for key in before if before[key].digest != after[key].digest] == ["other/é/tree", "rich"]


# -- other sources that mean the same --

Maker = Callable[[Path], Path]


def rewritten(change: Callable[[bytes], bytes]) -> Maker:
    """Every text file changed."""

    def make(home: Path) -> Path:
        files = everything()
        write(home, {name: data if any(part in name for part in RAW) else change(data) for name, data in files.items()})
        return home / "tree"

    return make


def in_reverse_order(home: Path) -> Path:
    write(home, dict(reversed(everything().items())))
    return home / "tree"


def with_other_modes_and_times(home: Path) -> Path:
    write(home, everything())
    for number, path in enumerate(sorted(home.rglob("*"))):
        path.chmod(stat.S_IRWXU if path.is_dir() or number % 2 else stat.S_IRUSR)
        os.utime(path, (number * 86_400, 2_000_000_000 - number))
    return home / "tree"


def with_decomposed_names(home: Path) -> Path:
    files = {unicodedata.normalize("NFD", name): data for name, data in everything().items()}
    assert files.keys() != everything().keys()
    write(home, files)
    if not (home / "tree" / unicodedata.normalize("NFD", "Ünïcode")).is_dir():
        pytest.skip("this file system does not keep decomposed names")
    return home / "tree"


def behind_a_linked_parent(home: Path) -> Path:
    write(home / "real" / "place", everything())
    (home / "link").symlink_to(home / "real")
    return home / "link" / "place" / "tree"


def in_a_folder_with_an_odd_name(home: Path) -> Path:
    folder = home / "a b" / "日本.ctx" / "%2e{x}"
    write(folder, everything())
    return folder / "tree"


def with_litter(home: Path) -> Path:
    """What editors, Python and operating systems leave is never walked or read."""
    write(home, everything())
    litter: dict[str, str | bytes] = {
        "tree/.git/prompt.ctx": "{{ broken",
        "tree/__pycache__/x.ctx": "{{ broken",
        "tree/.hidden/settings.yaml": "a: [",
        "tree/nested/.DS_Store": b"\0\0",
        "tree/.ctx/memory.md": "another tool's",
        "tree/notes.txt": b"\xff\xfe",
    }
    write(home, litter)
    return home / "tree"


OTHER_SOURCES: Mapping[str, Maker] = {
    "CRLF": rewritten(lambda data: data.replace(b"\n", b"\r\n")),
    "CR": rewritten(lambda data: data.replace(b"\n", b"\r")),
    "BOM": rewritten(lambda data: b"\xef\xbb\xbf" + data),
    "BOM and CRLF": rewritten(lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")),
    "files made in reverse order": in_reverse_order,
    "other modes and times": with_other_modes_and_times,
    "decomposed names": with_decomposed_names,
    "a linked parent": behind_a_linked_parent,
    "a folder with an odd name": in_a_folder_with_an_odd_name,
    "litter": with_litter,
}


@pytest.mark.parametrize("make", OTHER_SOURCES.values(), ids=OTHER_SOURCES.keys())
def test_sources_that_mean_the_same_give_the_same_objects(make: Maker, tmp_path: Path, plain: Path) -> None:
    src = make(tmp_path)
    result = frozenctx_compiler.build(src, tmp_path / "out")
    assert result.written, result.report.diagnostics
    # A record lists every name beside the packages; litter is among them.
    assert_same(tmp_path / "out", plain, record=make is not with_litter)


def test_a_forest_of_links_gives_the_same_objects_when_links_are_followed(tmp_path: Path, plain: Path) -> None:
    """What Bazel and Nix hand over: real directories, every file a link to somewhere else."""
    (tmp_path / "store").mkdir()
    for number, (name, data) in enumerate(everything().items()):
        blob = tmp_path / "store" / f"{number:04}"
        blob.write_bytes(data)
        place = tmp_path / "forest" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(blob)
    result = frozenctx_compiler.build(tmp_path / "forest" / "tree", tmp_path / "out", links="follow")
    assert result.written, result.report.diagnostics
    assert_same(tmp_path / "out", plain, record=False)
    # The record says that they were followed, and is the same beside.
    followed = {name: data.replace(b'"follow"', b'"inside"') for name, data in records(tmp_path / "out").items()}
    assert followed == records(plain)


class _Reversed:
    """`os.scandir` with its entries in another order."""

    def __init__(self, scan: Any, order: Callable[[list[Any]], list[Any]]) -> None:
        self.scan, self.order = scan, order

    def __enter__(self) -> Iterator[Any]:
        return iter(self.order(list(self.scan.__enter__())))

    def __exit__(self, *reason: object) -> None:
        self.scan.__exit__(*reason)


@pytest.mark.parametrize("step", [-1, 7], ids=["backwards", "shuffled"])
def test_the_order_in_which_directories_list_their_names_does_not_show(
    step: int, tmp_path: Path, plain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir, listdir = os.scandir, os.listdir
    write(tmp_path, everything())

    def order(names: list[Any]) -> list[Any]:
        return names[::-1] if step < 0 else [name for start in range(step) for name in names[start::step]][::-1]

    monkeypatch.setattr(os, "scandir", lambda path=".": _Reversed(scandir(path), order))
    monkeypatch.setattr(os, "listdir", lambda path=".": order(listdir(path)))
    frozenctx_compiler.build(tmp_path / "tree", tmp_path / "out")
    monkeypatch.undo()
    assert_same(tmp_path / "out", plain)


def test_a_second_build_into_the_same_output_changes_no_file(tmp_path: Path, plain: Path) -> None:
    """Also when the output lies in the tree: it is never walked."""
    write(tmp_path, everything())
    out = tmp_path / "tree" / "dist"
    first = frozenctx_compiler.build(tmp_path / "tree", out)
    before = objects(out), records(out)
    second = frozenctx_compiler.build(tmp_path / "tree", out)
    assert first.release == second.release
    assert second.stored is not None
    assert (second.stored.written, second.stored.switched) == (0, False)
    assert (objects(out), records(out)) == before
    assert_same(out, plain, record=False)


# -- other surroundings --

POISON = "pöison"
UMASK = ("sh", "-c", 'umask 077; exec "$0" "$@"', sys.executable)
SURROUNDINGS: Mapping[str, dict[str, Any]] = {
    "hash seed 0": {"environment": {"PYTHONHASHSEED": "0"}},
    "hash seed 1, C locale, Kiritimati": {
        "environment": {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"}
    },
    "hash seed 4242, tr_TR, Tokyo": {
        "environment": {"PYTHONHASHSEED": "4242", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"}
    },
    "an ASCII file system encoding": {
        "environment": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    },
    "umask 077": {"interpreter": UMASK},
    "-OO": {"interpreter": (sys.executable, "-OO")},
    "development mode": {"interpreter": (sys.executable, "-X", "dev")},
    "other environment variables": {
        "environment": dict.fromkeys(
            (
                "FILES_MODEL",
                "DRAFT_MODEL",
                "FAST_MODEL",
                "MODEL",
                "HOME",
                "USER",
                "TMPDIR",
                "COLUMNS",
                "SOURCE_DATE_EPOCH",
            )
            + ("YGLU_ENABLE_ENV", "YGLU_IMPORT_ALLOW", "FROZENCTX_PROFILE", "FROZENCTX_OUT", "FORCE_COLOR", "NO_COLOR"),
            POISON,
        )
    },
}


@pytest.mark.parametrize("surroundings", SURROUNDINGS.values(), ids=SURROUNDINGS.keys())
def test_other_surroundings_give_the_same_objects(surroundings: dict[str, Any], tmp_path: Path, plain: Path) -> None:
    write(tmp_path, everything())
    assert_same(built(tmp_path / "tree", tmp_path / "out", **surroundings), plain)


def test_another_working_directory_gives_the_same_objects(tmp_path: Path, plain: Path) -> None:
    write(tmp_path, everything())
    built(Path("tree"), Path("out"), cwd=tmp_path)
    assert_same(tmp_path / "out", plain)
    built(Path("."), Path("../out2"), cwd=tmp_path / "tree")
    assert_same(tmp_path / "out2", plain)


@pytest.mark.parametrize("version", [v for v in interpreters.SUPPORTED if v != interpreters.HERE])
def test_another_interpreter_gives_the_same_objects(version: str, tmp_path: Path, plain: Path) -> None:
    reason = interpreters.missing(version)
    if reason:
        pytest.skip(reason)
    write(tmp_path, everything())
    path, _ = interpreters.found()[version]
    # Other versions of the dependencies may be installed there, and a record names them.
    assert_same(built(tmp_path / "tree", tmp_path / "out", interpreter=(path,)), plain, record=False, pack=False)


# -- selection, and what nothing reads --


@pytest.fixture(scope="module")
def shared_imports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packages whose common partial imports what each has under the same name."""
    own = {
        f"{name}/partials/own.{suffix}": text.format(name)
        for name in "ab"
        for suffix, text in (("txt", "of {}"), ("yaml", '["of {}"]'))
    }
    return write(
        tmp_path_factory.mktemp("shared-imports"),
        {
            "tree/frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n[mounts]\ntop = "../mounted"\n',
            **{f"tree/{name}": text for name, text in own.items()},
            "tree/common/text.j2": '{{ "partials/own.txt" | import_text }}',
            "mounted/data.j2": '{{ "partials/own.yaml" | import_yaml }}',
            "tree/a/p.ctx": '{% include "../common/text.j2" %} {% include "@top/data.j2" %}',
            "tree/b/p.ctx": '{% include "../common/text.j2" %} {% include "@top/data.j2" %}',
        },
    )


def test_a_shared_partial_imports_what_each_package_has(shared_imports: Path) -> None:
    prompts = frozenctx_compiler.load(shared_imports / "tree")
    assert [prompts[key].system() for key in ("a/p", "b/p")] == ["of a ['of a']", "of b ['of b']"]


def prompt_objects(home: Path, src: Path, *select: str) -> dict[str, str]:
    """Key → digest of the prompt object, which names every program."""
    out = home / f"selected-{len(list(home.iterdir()))}"
    result = frozenctx_compiler.build(src, out, select=select)
    assert result.written, result.report.diagnostics
    return {key: prompt.digest for key, prompt in frozenctx.load(out, **HOST).items()}


def test_selecting_by_key_or_path_changes_no_byte_of_what_is_selected(tmp_path: Path, shared_imports: Path) -> None:
    write(tmp_path, everything())
    (tmp_path / "outs").mkdir()
    for tree in (tmp_path / "tree", shared_imports / "tree"):
        whole = prompt_objects(tmp_path / "outs", tree)
        for key, digest in whole.items():
            assert prompt_objects(tmp_path / "outs", tree, key) == {key: digest}
        for path in ("nested", "nested/deeper/single.ctx", "rich.ctx", "examples/support", "b"):
            if (tree / path).exists():
                part = prompt_objects(tmp_path / "outs", tree, str(tree / path))
                assert part
                assert part.items() <= whole.items()
                if not path.startswith("examples"):  # where another frozenctx.toml makes another root
                    assert prompt_objects(tmp_path / "outs", tree / path) == part


def test_what_no_package_reads_changes_nothing(tmp_path: Path, plain: Path) -> None:
    """Removed or rewritten, file by file: everything that the record does not list."""
    write(tmp_path, everything())
    first = check(tmp_path / "tree")
    read = {file.path for file in first.sources.observed().files}
    unread = [name for name in everything() if name.removeprefix("tree/") not in read and name.startswith("tree/")]
    assert any(name.endswith("eval.py") for name in unread)
    assert any(name.endswith("README.md") for name in unread)
    for name in unread:
        (tmp_path / name).write_bytes(b"\xff\0{{ {% '\n")
    result = frozenctx_compiler.build(tmp_path / "tree", tmp_path / "out")
    assert result.written, result.report.diagnostics
    assert_same(tmp_path / "out", plain)


def test_every_file_that_is_read_is_looked_at(tmp_path: Path) -> None:
    """Each rewritten to nonsense in turn; literal text and what is imported as text may be nonsense."""
    write(tmp_path, everything())
    read = [file.path for file in check(tmp_path / "tree").sources.observed().files]
    texts = [name for name in read if name.endswith((".md", ".txt"))]
    assert len(read) > 100
    assert len(texts) > 5
    for name in [name for name in read if name not in texts][::17]:
        path = tmp_path / (name[1:] if name.startswith("@") else f"tree/{name}")
        before = path.read_bytes()
        path.write_bytes(b"[: {{ %}")
        assert check(tmp_path / "tree").report.has_errors, name
        path.write_bytes(before)


def test_the_output_may_be_copied_anywhere(tmp_path: Path, plain: Path) -> None:
    shutil.copytree(plain, tmp_path / "elsewhere")
    here, there = frozenctx.load(tmp_path / "elsewhere", **HOST), frozenctx.load(plain, **HOST)
    assert here["nested/bare"].messages(VARIABLES) == there["nested/bare"].messages(VARIABLES)
