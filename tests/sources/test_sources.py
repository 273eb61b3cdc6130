"""Sources opens nothing but regular files below the root, and says what it looked at."""

import hashlib
import os
from pathlib import Path

import pytest
from frozenctx_compiler.diagnostics import Report, Span
from frozenctx_compiler.sources import SourceFault, Sources
from source_trees import write


def fault_of(sources: Sources, path: str, method: str = "text") -> SourceFault:
    with pytest.raises(SourceFault) as caught:
        getattr(sources, method)(path)
    return caught.value


# -- text ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\xef\xbb\xbfa", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa"),
        (b"a\xef\xbb\xbf", "a\ufeff"),
        (b"\r\r\n\n", "\n\n\n"),
        (b"", ""),
        (b"a\x0cb\xc2\x85c\xe2\x80\xa8d", "a\x0cb\x85c\u2028d"),
    ],
)
def test_text_drops_one_leading_bom_and_makes_line_ends_lf_and_changes_nothing_else(
    tmp_path: Path, stored: bytes, text: str
) -> None:
    sources = Sources(str(write(tmp_path, {"a.txt": stored})))
    assert sources.text("a.txt") == text
    assert sources.digest("a.txt") == hashlib.sha256(text.encode()).hexdigest()
    assert sources.raw("a.txt") == stored


def test_line_ends_and_bom_do_not_change_the_digest(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": b"x\ny\n", "b": b"\xef\xbb\xbfx\r\ny\r"})))
    assert sources.digest("a") == sources.digest("b")


def test_the_digest_of_a_file_read_raw_is_of_its_bytes(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": b"x\r\n\xff"})))
    sources.raw("a")
    assert sources.digest("a") == hashlib.sha256(b"x\r\n\xff").hexdigest()


@pytest.mark.parametrize(
    ("stored", "offset", "line", "column"),
    [(b"ab\xff", 2, 1, 3), ("é\r\nü".encode() + b"\x80", 6, 2, 2), (b"\xef\xbb\xbf\xc3", 3, 1, 1)],
)
def test_bytes_that_are_not_utf8_are_a_fault_with_offset_and_place(
    tmp_path: Path, stored: bytes, offset: int, line: int, column: int
) -> None:
    fault = fault_of(Sources(str(write(tmp_path, {"a": stored}))), "a")
    assert (fault.code, fault.line, fault.column) == ("not-utf-8", line, column)
    assert f"at offset {offset} " in fault.notes[0]


def test_a_nul_is_a_fault_with_offset_and_place(tmp_path: Path) -> None:
    fault = fault_of(Sources(str(write(tmp_path, {"a": "ü\r\nb\0".encode()}))), "a")
    assert (fault.code, fault.line, fault.column, fault.notes) == ("nul-character", 2, 2, ("at offset 5",))


def test_a_file_is_read_once_and_stays_as_it_was_read(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": "first"})))
    assert sources.text("a") == "first"
    write(tmp_path, {"a": "second"})
    assert sources.text("a") == "first"


def test_a_file_that_vanishes_after_it_was_listed_is_a_fault(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": "x"})))
    assert sources.kind("a") == "file"
    (tmp_path / "a").unlink()
    fault = fault_of(sources, "a")
    assert (fault.code, fault.notes) == ("unreadable-file", ("it vanished while it was being read",))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, {"a": "x"})
    (tmp_path / "a").chmod(0)
    assert fault_of(Sources(str(tmp_path)), "a").code == "unreadable-file"


# -- what a path leads to -----------------------------------------------------------------------------------------


def test_kind_tells_files_directories_and_nothing(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"d/a": ""})))
    assert [sources.kind(path) for path in (".", "d", "d/a", "d/b", "d/a/b", "x/y")] == [
        "directory",
        "directory",
        "file",
        None,
        None,
        None,
    ]


def test_names_match_exactly_as_they_are_written(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"Partials/Header.j2": ""})))
    assert sources.kind("partials/Header.j2") is None
    fault = fault_of(sources, "Partials/header.j2")
    assert fault.code == "missing-file"
    assert "`Header.j2`" in fault.notes[0]


def test_a_name_matches_in_any_unicode_normalisation(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"cafe\u0301.j2": "x"})))
    assert sources.text(sources.join(".", "caf\u00e9.j2")) == "x"
    assert sources.text(sources.join(".", "cafe\u0301.j2")) == "x"
    assert sources.listing(".") == ("caf\u00e9.j2",)


def test_two_names_of_one_normalisation_are_a_fault(tmp_path: Path) -> None:
    write(tmp_path, {"cafe\u0301": "x", "caf\u00e9": "y"})
    if len(os.listdir(tmp_path)) < 2:
        pytest.skip("this file system holds one of them")
    assert fault_of(Sources(str(tmp_path)), ".", "listing").code == "name-collision"


@pytest.mark.parametrize("method", ["text", "raw"])
def test_a_fifo_is_refused_without_being_opened(tmp_path: Path, method: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    sources = Sources(str(tmp_path))
    assert sources.kind("pipe") == "other"
    assert fault_of(sources, "pipe", method).code == "not-a-file"


def test_a_file_replaced_by_a_fifo_after_it_was_listed_does_not_block(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": "x"})))
    sources.kind("a")
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    assert fault_of(sources, "a").code == "not-a-file"


def test_a_directory_is_no_file_and_a_file_no_directory(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"d/a": ""})))
    assert fault_of(sources, "d").code == "not-a-file"
    assert fault_of(sources, "d/a", "listing").code == "not-a-file"


def test_a_device_is_refused_by_links_that_are_followed(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    assert fault_of(Sources(str(tmp_path), links="follow"), "null").code == "not-a-file"
    assert fault_of(Sources(str(tmp_path)), "null").code == "outside-root"


# -- links --------------------------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root beside files that nobody may read."""
    write(tmp_path, {"outside/secret": "s", "outside/d/a": "s", "tree/d/a": "a", "tree/e/b": "b"})
    return tmp_path / "tree"


def test_links_that_stay_inside_are_followed(root: Path) -> None:
    (root / "file").symlink_to("d/a")
    (root / "dir").symlink_to("e")
    (root / "d/up").symlink_to("../e/b")
    (root / "twice").symlink_to("dir/b")
    (root / "absolute").symlink_to(root.resolve() / "d")
    sources = Sources(str(root))
    texts = [sources.text(path) for path in ("file", "dir/b", "d/up", "twice", "absolute/a")]
    assert texts == ["a", "b", "b", "b", "a"]
    assert sources.identity("twice") == "e/b"
    assert sources.identity("absolute/a") == "d/a"


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("l", "../outside/secret", "l"),
        ("l", "../outside", "l/secret"),
        ("l", "../outside/d", "l/a"),
        ("l", "d/../../outside/secret", "l"),
        ("l", "/etc", "l/passwd"),
        ("l", "/etc/passwd", "l"),
        ("l", "../tree/d/a", "l"),  # comes back in, but by way of the outside
        ("l", "..", "l/outside/secret"),
    ],
)
def test_links_that_leave_are_refused(root: Path, link: str, target: str, path: str) -> None:
    (root / link).symlink_to(target)
    sources = Sources(str(root))
    assert fault_of(sources, path).code == "outside-root"
    assert fault_of(sources, path, "kind").code == "outside-root"


def test_a_link_that_leaves_through_another_link_is_refused(root: Path) -> None:
    (root / "e/out").symlink_to("../../outside")
    (root / "l").symlink_to("e/out/secret")
    assert fault_of(Sources(str(root)), "l").code == "outside-root"


def test_a_directory_whose_name_begins_like_the_roots_is_outside(tmp_path: Path) -> None:
    write(tmp_path, {"tree/a": "a", "tree-2/secret": "s"})
    (tmp_path / "tree/l").symlink_to(tmp_path.resolve() / "tree-2/secret")
    assert fault_of(Sources(str(tmp_path / "tree")), "l").code == "outside-root"


def test_link_loops_are_faults(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "self").symlink_to("self/x")
    for links in ("inside", "follow"):
        sources = Sources(str(root), links=links)
        assert fault_of(sources, "one").code == "link-loop"
    assert fault_of(Sources(str(root)), "self").code == "link-loop"


def test_a_link_to_nothing_is_nothing(root: Path) -> None:
    (root / "l").symlink_to("gone")
    assert Sources(str(root)).kind("l") is None
    assert Sources(str(root), links="follow").kind("l") is None


def test_followed_links_count_at_their_logical_path(root: Path) -> None:
    (root / "l").symlink_to("../outside/secret")
    (root / "dir").symlink_to("../outside/d")
    sources = Sources(str(root), links="follow")
    assert (sources.text("l"), sources.text("dir/a"), sources.identity("dir/a")) == ("s", "s", "dir/a")


def test_the_root_itself_may_be_a_link(root: Path) -> None:
    (root.parent / "alias").symlink_to("tree")
    assert Sources(str(root.parent / "alias")).text("d/a") == "a"


# -- join ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directory", "target", "path"),
    [
        (".", "a", "a"),
        ("d", "a", "d/a"),
        ("d/e", "../a", "d/a"),
        ("d", "./x//y/./z", "d/x/y/z"),
        ("d", "x/../../e/b", "e/b"),
        ("d", "..", "."),
        ("d", "@shared/a", "@shared/a"),
        ("@shared/x", "../a", "@shared/a"),
        ("@shared", "@shared", "@shared"),
        ("d", "@shared/x/../y", "@shared/y"),
    ],
)
def test_join_is_lexical(root: Path, directory: str, target: str, path: str) -> None:
    assert Sources(str(root), {"shared": str(root.parent / "outside")}).join(directory, target) == path


@pytest.mark.parametrize(
    ("directory", "target", "code"),
    [
        (".", "/etc/passwd", "outside-root"),
        (".", "C:\\x", "outside-root"),
        (".", "c:/x", "outside-root"),
        (".", "..", "outside-root"),
        ("d", "../../tree/a", "outside-root"),
        ("@shared/x", "../../a", "outside-root"),
        (".", "@shared/../x", "outside-root"),
        (".", "@other/a", "unknown-mount"),
        (".", "@", "unknown-mount"),
    ],
)
def test_join_refuses_what_leaves(root: Path, directory: str, target: str, code: str) -> None:
    with pytest.raises(SourceFault) as caught:
        Sources(str(root), {"shared": str(root.parent / "outside")}).join(directory, target)
    assert caught.value.code == code
    assert f"`{target.partition('/')[0] if code == 'unknown-mount' else target}`" in caught.value.headline


def test_mounts_are_read_as_their_name_and_are_confined_too(root: Path) -> None:
    (root.parent / "outside/l").symlink_to("../tree/d/a")
    sources = Sources(str(root), {"shared": str(root.parent / "outside")})
    assert sources.text("@shared/d/a") == "s"
    assert sources.listing("@shared") == ("d", "l", "secret")
    assert fault_of(sources, "@shared/l").code == "outside-root"
    assert fault_of(sources, "@elsewhere/a").code == "unknown-mount"


# -- what was looked at -------------------------------------------------------------------------------------------


def test_everything_that_was_looked_at_is_recorded_sorted(root: Path) -> None:
    sources = Sources(str(root))
    sources.raw("e/b")
    sources.text("d/a")
    sources.kind("e")
    sources.kind("nothing")
    sources.listing("d")
    sources.listing(".")
    seen = sources.observed()
    assert [(file.path, file.form, file.digest) for file in seen.files] == [
        ("d/a", "text", hashlib.sha256(b"a").hexdigest()),
        ("e/b", "raw", hashlib.sha256(b"b").hexdigest()),
    ]
    assert [path for path, _ in seen.listings] == [".", "d"]
    assert seen.probes == (("e", "directory"), ("nothing", None))


def test_a_missing_file_that_was_asked_for_is_recorded(root: Path) -> None:
    sources = Sources(str(root))
    fault_of(sources, "nothing")
    assert sources.observed().probes == (("nothing", None),)


def test_a_recorded_listing_tells_names_and_kinds_apart_and_nothing_else(tmp_path: Path) -> None:
    def listed(files: dict[str, str | bytes]) -> object:
        directory = tmp_path / str(len(os.listdir(tmp_path)))
        sources = Sources(str(write(directory, files)))
        sources.listing(".")
        return sources.observed().listings

    same = listed({"a": "1", "b": "2"})
    assert same == listed({"b": "other", "a": "content"})
    assert same != listed({"a": "1"})
    assert same != listed({"a": "1", "b/c": "2"})


def test_where_links_lead_is_recorded_of_a_file_that_is_read_through_them(root: Path) -> None:
    (root / "twice").symlink_to("e/b")
    sources = Sources(str(root))
    assert (sources.text("twice"), sources.text("e/b")) == ("b", "b")
    assert [(file.path, file.leads_to) for file in sources.observed().files] == [("e/b", None), ("twice", "e/b")]


def test_what_is_derived_from_a_file_is_worked_out_once(root: Path) -> None:
    sources = Sources(str(root))
    calls: list[str] = []

    def length(text: str) -> int:
        calls.append(text)
        return len(text)

    assert [sources.derived("d/a", "length", length) for _ in range(3)] == [1, 1, 1]
    assert calls == ["a"]


def test_a_fault_in_the_content_is_reported_there_and_any_other_at_the_reference(tmp_path: Path) -> None:
    sources = Sources(str(write(tmp_path, {"a": b"\xff"})))
    report, reference = Report(), Span.at("x.j2", 3, 4)
    fault_of(sources, "a").add_to(report, reference)
    fault_of(sources, "b").add_to(report, reference)
    fault_of(sources, "c").add_to(report)
    assert [finding.span for finding in report.diagnostics] == [Span.at("a", 1, 1), Span("c"), reference]
