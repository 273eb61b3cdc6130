"""Which packages there are, and what their keys are."""

import inspect
import os
import sys
from pathlib import Path

import pytest
from source_trees import SETTINGS, read_tree, write

PACKAGE = "p.ctx/settings.yaml"


def keys(start: Path, **options: object) -> list[str]:
    return [package.key for package in read_tree(start, **options).files]  # type: ignore[arg-type]


def test_packages_are_directories_and_files_sorted_by_key(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "b/two.ctx": "x",
            "b/one.ctx/settings.yaml": SETTINGS,
            "b-side/x.ctx": "x",
            "Z.ctx": "x",
            "a.ctx/prompt.j2": "x",
            "a.ctx/settings.yml": SETTINGS,
            "é.ctx": "x",
            "b/note.txt": "",
            "deep/er/est/p.ctx": "x",
        },
    )
    outcome = read_tree(tmp_path)
    assert [(package.key, package.stem, package.single_file) for package in outcome.files] == [
        ("Z", "Z", True),
        ("a", "a", False),
        ("b-side/x", "x", True),
        ("b/one", "one", False),
        ("b/two", "two", True),
        ("deep/er/est/p", "p", True),
        ("é", "é", True),
    ]
    assert outcome.files[1].entries == ("prompt.j2", "settings.yml")
    assert outcome.found == []


def test_a_key_is_normalised_to_nfc(tmp_path: Path) -> None:
    assert keys(write(tmp_path, {"cafe\u0301/u\u0308.ctx": "x"})) == ["caf\u00e9/\u00fc"]


def test_hidden_things_caches_and_directories_called_ctx_are_not_walked(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.ctx": "x",
            ".hidden/b.ctx": "x",
            ".c.ctx": "x",
            ".d.ctx/settings.yaml": SETTINGS,
            ".ctx/settings.yaml": SETTINGS,
            "__pycache__/e.ctx": "x",
            "sub/.ctx/f.ctx": "x",
        },
    )
    outcome = read_tree(tmp_path)
    assert [package.key for package in outcome.files] == ["a"]
    assert outcome.found == []


def test_nothing_inside_a_package_is_a_package(tmp_path: Path) -> None:
    write(tmp_path, {"a.ctx/settings.yaml": SETTINGS, "a.ctx/b.ctx": "x", "a.ctx/tests/c.ctx/settings.yaml": SETTINGS})
    assert keys(tmp_path) == ["a"]


def test_the_output_directory_is_not_walked(tmp_path: Path) -> None:
    write(tmp_path, {"a.ctx": "x", "dist/prompts/b.ctx": "x", "other/c.ctx": "x"})
    assert keys(tmp_path, output=str(tmp_path / "dist")) == ["a", "other/c"]
    assert keys(tmp_path) == ["a", "dist/prompts/b", "other/c"]
    write(tmp_path, {"frozenctx.toml": '[defaults]\nout = "dist/prompts"\n'})
    assert keys(tmp_path) == ["a", "other/c"]
    assert keys(tmp_path, output=str(tmp_path / "other")) == ["a"]


@pytest.mark.parametrize("out", ["dist", "dist/prompts", "a/dist"])
def test_a_tree_looks_the_same_before_and_after_its_first_build_into_itself(tmp_path: Path, out: str) -> None:
    write(tmp_path, {"frozenctx.toml": f"[defaults]\nout = '{out}'\n", "a/p.ctx": "---\n---\n"})
    before = read_tree(tmp_path)
    write(tmp_path, {f"{out}/objects/x.ctx": "", f"{out}/frozenctx.txt": ""})
    after = read_tree(tmp_path)
    assert [package.key for package in after.files] == ["a/p"]
    assert after.sources.observed() == before.sources.observed()
    assert after.sources.anew().listing(".") == before.sources.listing(".")
    write(tmp_path, {f"{out.rpartition('/')[0] or '.'}/q.ctx": ""})  # what stands beside an output counts
    assert len(read_tree(tmp_path).files) == 2


def test_a_directory_at_the_root_that_looks_like_a_mount_is_a_fault(tmp_path: Path) -> None:
    """Its paths would be the mount's, if there is one, and nobody's, if there is none."""
    write(tmp_path, {"t/frozenctx.toml": '[mounts]\nteam = "../other"\n', "t/ok.ctx": "---\n---\n"})
    write(tmp_path, {"t/@team/a.ctx": "ours", "other/a.ctx": "theirs", "t/@file.txt": "x", "t/b/@team/c.ctx": "fine"})
    outcome = read_tree(tmp_path / "t")
    assert outcome.only.code == "unknown-mount"
    assert "`@team`" in outcome.only.headline
    assert [package.key for package in outcome.files] == ["b/@team/c", "ok"]


def test_a_file_that_is_called_like_a_role_is_answered_with_where_the_text_of_a_role_stands(tmp_path: Path) -> None:
    content = "---\nrole: system\ncontent: x\n"
    write(tmp_path, {f"p.ctx/{name}": "x\n" for name in ("prompt.j2", "system.j2", "User.md", "user.json", "users.md")})
    write(tmp_path, {"q.ctx/messages/1.yaml": content, "q.ctx/system.j2": "x\n"})
    write(tmp_path, {f"{key}.ctx/settings.yaml": "model: openai/gpt-5\n" for key in "pq"})
    assert {(found.headline, found.help) for found in read_tree(tmp_path).report.diagnostics} == {
        ("`p.ctx/system.j2` is not read", "write it into `prompt.j2`, below a line `<<<role:system>>>`"),
        ("`p.ctx/User.md` is not read", "write it into `prompt.j2`, below a line `<<<role:user>>>`"),
        ("`p.ctx/user.json` is not read", None),
        ("`p.ctx/users.md` is not read", None),
        ("`q.ctx/system.j2` is not read", "a message is a `.yaml` file in `messages/`"),
    }


def test_a_directory_whose_name_is_not_utf8_is_a_fault_for_it_may_hold_packages(tmp_path: Path) -> None:
    write(tmp_path, {"ok.ctx": "---\n---\n", "p.ctx/settings.yaml": "model: openai/gpt-5\n"})
    for name in (b"\xff", b"p.ctx/\xfe"):
        os.makedirs(os.path.join(os.fsencode(tmp_path), name))
    outcome = read_tree(tmp_path)
    assert [(found.code, found.headline) for found in outcome.report.diagnostics] == [
        ("not-utf-8", r"the name `\xff` is not UTF-8"),
        ("unknown-file", r"`p.ctx/\xfe` is not read"),
    ]


def test_an_output_directory_is_relative_to_where_the_caller_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.ctx": "x", "sub/dist/b.ctx": "x", "dist/c.ctx": "x"})
    monkeypatch.chdir(tmp_path / "sub")
    assert keys(tmp_path, output="dist") == ["a", "dist/c"]


def test_a_leftover_directory_is_noted_and_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"a.ctx": "x", "old.ctx/schema.pyi": "", "gone.ctx/.keep": "", "case.ctx/Settings.yaml": ""})
    outcome = read_tree(tmp_path)
    assert [package.key for package in outcome.files] == ["a"]
    notes = [
        (finding.code, finding.level, finding.span and finding.span.file) for finding in outcome.report.diagnostics
    ]
    assert notes == [("leftover-package", "note", f"{name}.ctx") for name in ("case", "gone", "old")]
    assert outcome.report.diagnostics[0].help == "rename `Settings.yaml` to `settings.yaml`"


@pytest.mark.parametrize(
    "names", [("a.ctx", "A.ctx"), ("straße.ctx", "STRASSE.ctx"), ("d/x.ctx", "D/x.ctx"), ("ﬁ.ctx", "fi.ctx")]
)
def test_keys_that_differ_in_case_only_are_a_fault(tmp_path: Path, names: tuple[str, str]) -> None:
    write(tmp_path, dict.fromkeys(names, "x"))
    if len(list(tmp_path.rglob("*.ctx"))) < 2:
        pytest.skip("this file system folds case")
    assert read_tree(tmp_path).found == ["key-collision"]


def test_a_directory_and_a_file_of_one_stem_cannot_both_be_also_packages(tmp_path: Path) -> None:
    toml = '[packages]\nalso = ["r/*"]\n'
    write(tmp_path, {"frozenctx.toml": toml, "r/a/settings.yaml": SETTINGS, "r/a.ctx": "x"})
    assert read_tree(tmp_path).found == ["key-collision"]


def test_a_control_character_in_a_key_is_a_fault(tmp_path: Path) -> None:
    assert read_tree(write(tmp_path, {"a\nb.ctx": "x", "c.ctx": "x"})).found == ["bad-key"]


def test_a_fifo_called_like_a_package_is_a_fault(tmp_path: Path) -> None:
    os.mkfifo(write(tmp_path, {"a.ctx": "x"}) / "b.ctx")
    assert read_tree(tmp_path).found == ["not-a-file"]


def test_the_depth_of_a_tree_needs_no_stack(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 250)
    write(tmp_path, {f"{deep}/a.ctx": "x"})
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        assert keys(tmp_path) == [f"{deep}/a"]
    finally:
        sys.setrecursionlimit(before)


# -- trees --------------------------------------------------------------------------------------------------------


def test_trees_give_prefixes_and_bound_the_walk(tmp_path: Path) -> None:
    toml = '[trees]\n"prompts" = ""\n"services/chat/prompts" = "chat"\n"services/x" = "x/y"\n'
    write(
        tmp_path,
        {
            "frozenctx.toml": toml,
            "prompts/a.ctx": "x",
            "services/chat/prompts/b/c.ctx": "x",
            "services/x/d.ctx": "x",
            "elsewhere/e.ctx": "x",
        },
    )
    assert keys(tmp_path) == ["a", "chat/b/c", "x/y/d"]


def test_a_package_belongs_to_the_nearest_tree(tmp_path: Path) -> None:
    toml = '[trees]\n"." = ""\n"sub" = "s"\n'
    write(tmp_path, {"frozenctx.toml": toml, "sub/a.ctx": "x", "b.ctx": "x"})
    assert keys(tmp_path) == ["b", "s/a"]


def test_two_trees_cannot_give_one_key(tmp_path: Path) -> None:
    toml = '[trees]\n"one" = ""\n"two" = ""\n'
    write(tmp_path, {"frozenctx.toml": toml, "one/a.ctx": "x", "two/a.ctx": "x"})
    assert read_tree(tmp_path).found == ["key-collision"]


def test_packages_without_the_suffix_are_named_by_patterns(tmp_path: Path) -> None:
    toml = '[packages]\nalso = ["reasoners/*", "x/[ab]/p?", "nothing/*"]\n'
    write(
        tmp_path,
        {
            "frozenctx.toml": toml,
            "reasoners/planner/settings.yaml": SETTINGS,
            "reasoners/shared/partials/x.j2": "",
            "reasoners/shared/deep/p.ctx": "x",
            "reasoners/both.ctx/settings.yaml": SETTINGS,
            "x/a/p1/prompt.j2": "x",
            "x/a/p1/settings.yaml": "",
            "x/c/p1/settings.yaml": SETTINGS,
        },
    )
    outcome = read_tree(tmp_path)
    assert [package.key for package in outcome.files] == [
        "reasoners/both",
        "reasoners/planner",
        "reasoners/shared/deep/p",
        "x/a/p1",
    ]
    assert outcome["reasoners/planner"].files.stem == "planner"
    assert outcome.found == ["unmatched-pattern"]
    assert "`nothing/*`" in outcome.only.headline


# -- selection ----------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "frozenctx.toml": '[trees]\n"prompts" = "p"\n',
            "prompts/partials/x.j2": "X",
            "prompts/a/one.ctx/settings.yaml": "",
            "prompts/a/one.ctx/prompt.j2": '{% include "partials/x.j2" %}',
            "prompts/a/two.ctx": "x",
            "prompts/a-b/three.ctx": "x",
            "prompts/four.ctx": "x",
        },
    )


ALL = ["p/a-b/three", "p/a/one", "p/a/two", "p/four"]


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (".", ALL),
        ("prompts", ALL),
        ("prompts/a", ALL[1:3]),
        ("prompts/a/one.ctx", ALL[1:2]),
        ("prompts/a/one.ctx/prompt.j2", ALL[1:2]),
        ("prompts/a/two.ctx", ALL[2:3]),
    ],
)
def test_naming_a_part_selects_packages_and_changes_nothing_else(tree: Path, start: str, found: list[str]) -> None:
    whole, part = read_tree(tree), read_tree(tree / start)
    assert [package.key for package in part.files] == found
    assert part.found == []
    for key in found:
        assert part[key].files == whole[key].files
        assert [role.captures for role in part[key].roles] == [role.captures for role in whole[key].roles]


@pytest.mark.parametrize(
    ("select", "found"),
    [
        (("p/a/one",), ALL[1:2]),
        (("p/a",), ALL[1:3]),
        (("prompts/a/two.ctx", "p/four"), ALL[2:]),
        (("p/a/one", "p/a/one"), ALL[1:2]),
    ],
)
def test_keys_and_their_beginnings_select_packages(
    tree: Path, monkeypatch: pytest.MonkeyPatch, select: tuple[str, ...], found: list[str]
) -> None:
    monkeypatch.chdir(tree)
    outcome = read_tree(tree, select=select)
    assert [package.key for package in outcome.files] == found
    assert outcome.found == []


def test_a_key_that_no_package_has_is_a_fault_with_the_nearest(tree: Path) -> None:
    outcome = read_tree(tree, select=("p/a/one", "p/fuor"))
    assert outcome.only.code == "no-packages"
    assert outcome.only.help == "did you mean `p/four`?"


# -- nothing found --------------------------------------------------------------------------------------------------


def test_no_package_found_names_directories_that_lack_the_suffix(tmp_path: Path) -> None:
    outcome = read_tree(write(tmp_path, {"a/settings.yaml": "", "b/c/settings.yml": "", "d/x": ""}))
    assert outcome.only.code == "no-packages"
    assert outcome.only.notes == (
        "`a` holds settings, but its name does not end in `.ctx`",
        "`b/c` holds settings, but its name does not end in `.ctx`",
    )
    assert outcome.only.help is not None
    assert "`a.ctx`" in outcome.only.help


def test_a_directory_with_settings_and_without_the_suffix_says_how_to_rename_itself(tmp_path: Path) -> None:
    outcome = read_tree(write(tmp_path / "planner", {"settings.yaml": ""}))
    assert outcome.only.help == "rename it to `planner.ctx`"


def test_an_empty_selection_is_a_fault(tree: Path) -> None:
    write(tree, {"docs/x": ""})
    assert read_tree(tree / "docs").found == ["no-packages"]
    assert read_tree(tree / "prompts/partials").found == ["no-packages"]


# -- links --------------------------------------------------------------------------------------------------------


def test_linked_directories_and_files_are_walked_inside_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.ctx": "x", "real/b.ctx/settings.yaml": ""})
    (tmp_path / "alias").symlink_to("real")
    (tmp_path / "c.ctx").symlink_to("real/a.ctx")
    assert keys(tmp_path) == ["alias/a", "alias/b", "c", "real/a", "real/b"]


def test_links_that_leave_are_faults_when_packages_may_be_behind_them(tmp_path: Path) -> None:
    write(tmp_path, {"out/a.ctx": "x", "out/plain.txt": "", "root/b.ctx": "x"})
    (tmp_path / "root/dir").symlink_to("../out")
    (tmp_path / "root/c.ctx").symlink_to("../out/a.ctx")
    (tmp_path / "root/harmless").symlink_to("../out/plain.txt")
    (tmp_path / "root/dangling").symlink_to("../gone")
    outcome = read_tree(tmp_path / "root")
    assert [(finding.code, finding.span and finding.span.file) for finding in outcome.report.diagnostics] == [
        ("outside-root", "c.ctx"),
        ("outside-root", "dir"),
    ]
    assert [package.key for package in read_tree(tmp_path / "root", links="follow").files] == ["b", "c", "dir/a"]


@pytest.mark.parametrize("links", ["inside", "follow"])
def test_a_directory_that_contains_itself_is_a_fault(tmp_path: Path, links: str) -> None:
    write(tmp_path, {"a/b/p.ctx": "x"})
    (tmp_path / "a/b/up").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    outcome = read_tree(tmp_path, links=links)  # type: ignore[arg-type]
    assert outcome.found == ["link-loop", "link-loop"]
    assert [package.key for package in outcome.files] == ["a/b/p"]


def test_a_package_that_is_a_link_to_nothing_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, {"a.ctx": "x"})
    (tmp_path / "b.ctx").symlink_to("gone")
    assert read_tree(tmp_path).found == ["not-a-file"]


def test_frozenctx_toml_is_recorded_as_an_input(tmp_path: Path) -> None:
    write(tmp_path, {"frozenctx.toml": "", "a.ctx": "x"})
    assert [file.path for file in read_tree(tmp_path).sources.observed().files] == ["a.ctx", "frozenctx.toml"]
