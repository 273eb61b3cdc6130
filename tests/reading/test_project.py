"""The root of a tree, what is selected in it, and what its frozenctx.toml says."""

from pathlib import Path

import pytest
from frozenctx_compiler.diagnostics import Report, Span
from frozenctx_compiler.project import Project, read_project, satisfies
from hypothesis import given
from hypothesis import strategies as st
from source_trees import write


def project_of(tmp_path: Path, toml: str, files: dict[str, str | bytes] | None = None) -> tuple[Project, Report]:
    report = Report()
    write(tmp_path, {"root/frozenctx.toml": toml, **(files or {})})
    return read_project(str(tmp_path / "root"), report), report


# -- root and selection -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "root", "selection"),
    [
        ("t", "t", "."),
        ("t/a", "t", "a"),
        ("t/a/b.ctx", "t", "a/b.ctx"),
        ("t/a/b.ctx/prompt.j2", "t", "a/b.ctx/prompt.j2"),
        ("t/a/c.ctx", "t", "a/c.ctx"),
        ("t/inner/x", "t/inner", "x"),
        ("plain", "plain", "."),
        ("plain/d", "plain/d", "."),
        ("plain/d/p.ctx", "plain/d", "p.ctx"),
        ("plain/d/p.ctx/messages", "plain/d", "p.ctx/messages"),
        ("plain/s.ctx", "plain", "s.ctx"),
        ("plain/.ctx", "plain/.ctx", "."),
    ],
)
def test_the_root_is_the_nearest_toml_at_or_above_or_the_path_itself(
    tmp_path: Path, start: str, root: str, selection: str
) -> None:
    write(
        tmp_path,
        {
            "t/frozenctx.toml": "",
            "t/a/b.ctx/prompt.j2": "",
            "t/a/c.ctx": "",
            "t/inner/frozenctx.toml": "",
            "t/inner/x/y": "",
            "plain/d/p.ctx/messages/a.yaml": "",
            "plain/s.ctx": "",
            "plain/.ctx/memory": "",
        },
    )
    report = Report()
    project = read_project(str(tmp_path / start), report)
    assert report.diagnostics == ()
    assert project.root == str((tmp_path / root).resolve())
    assert project.selection == (selection,)


def test_a_path_that_does_not_exist_is_a_fault(tmp_path: Path) -> None:
    report = Report()
    read_project(str(tmp_path / "nowhere"), report)
    assert [finding.code for finding in report.diagnostics] == ["no-such-path"]


def test_a_file_that_is_no_package_is_a_fault(tmp_path: Path) -> None:
    report = Report()
    read_project(str(write(tmp_path, {"a.txt": ""}) / "a.txt"), report)
    assert [finding.code for finding in report.diagnostics] == ["no-packages"]


def test_selected_paths_below_the_root_are_paths_and_all_else_is_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"t/a/b.ctx": "", "other/x": ""})
    monkeypatch.chdir(tmp_path)
    project = read_project("t", Report(), select=("t/a", "briefs/draft", "other"))
    assert (project.selection, project.keys) == (("a",), ("briefs/draft", "other"))


def test_the_path_may_go_through_a_link(tmp_path: Path) -> None:
    write(tmp_path, {"real/frozenctx.toml": "", "real/a/b.ctx": ""})
    (tmp_path / "alias").symlink_to("real")
    project = read_project(str(tmp_path / "alias/a"), Report())
    assert (project.root, project.selection) == (str((tmp_path / "real").resolve()), ("a",))


# -- frozenctx.toml ---------------------------------------------------------------------------------------------------


def test_every_table_is_read(tmp_path: Path) -> None:
    toml = """
required-version = ">=0.1, <2"
[trees]
"prompts" = ""
"services/chat/" = "chat/v1"
[mounts]
shared = "../shared"
[packages]
also = ["reasoners/*"]
[defaults]
model = "openai/gpt-5"
out = "dist"
profile = "prod"
links = "follow"
[env]
files = ["base.env", "more/x.env"]
values = {A = "1", B = ""}
[host]
filters = ["money", "date"]
tests = ["vip"]
globals = ["now"]
[lint]
unknown-file = "error"
shadowed-partial = "note"
"""
    files: dict[str, str | bytes] = {"shared/x": "", "root/prompts/x": "", "root/services/chat/x": ""}
    project, report = project_of(tmp_path, toml, files)
    assert report.diagnostics == ()
    assert project.trees == {"prompts": "", "services/chat": "chat/v1"}
    assert project.mounts == {"shared": str(tmp_path.resolve() / "shared")}
    assert project.also == ("reasoners/*",)
    assert project.defaults == {"model": "openai/gpt-5", "out": "dist", "profile": "prod", "links": "follow"}
    root = tmp_path.resolve() / "root"
    assert project.env_files == (str(root / "base.env"), str(root / "more/x.env"))
    assert project.env == {"A": "1", "B": ""}
    assert (project.host.filters, project.host.tests, project.host.globals) == (("date", "money"), ("vip",), ("now",))
    assert project.lint == {"unknown-file": "error", "shadowed-partial": "note"}
    report.add("unknown-file", "x", Span("x"))
    assert report.has_errors


def test_an_empty_file_leaves_everything_at_its_default(tmp_path: Path) -> None:
    project, report = project_of(tmp_path, "")
    assert project == Project(project.root, has_file=True)
    assert report.diagnostics == ()


@pytest.mark.parametrize(
    ("toml", "code", "line", "column", "words"),
    [
        ("a = \n", "toml-syntax", 1, 5, "invalid value"),
        ('[lint]\n"a" = 1\n"a" = 2\n', "toml-syntax", 3, 8, "overwrite"),
        ("[lint", "toml-syntax", 1, 6, "]"),
        ("[tree]\n", "unknown-option", 1, 1, "`tree`"),
        ("colour = 1\n", "unknown-option", 1, 1, "`colour`"),
        ("[lint]\n[packages]\n# c\n  alos = []\n", "unknown-option", 4, 3, "`packages.alos`"),
        ("lint = 3\n", "bad-option", 1, 8, "expected a table, found a number"),
        ("[trees]\nx = 1\n", "bad-option", 2, 5, "expected a string, the prefix of the tree's keys, found a number"),
        ("[trees]\n'.' = '/a'\n", "bad-option", 2, 7, "`/a` is no key prefix"),
        ("[trees]\n'.' = 'a/../b'\n", "bad-option", 2, 7, "`a/../b`"),
        ("[trees]\nx = ''\n", "no-such-path", 2, 1, "the tree `x`"),
        ("[trees]\n'..' = ''\n", "outside-root", 2, 1, "`..`"),
        ("[trees]\n'.' = ''\n'./' = 'x'\n", "bad-option", 3, 1, "named twice"),
        ("[mounts]\nx = 'nowhere'\n", "no-such-path", 2, 5, "the mount `nowhere`"),
        ("[mounts]\n'a/b' = '.'\n", "bad-option", 2, 1, "`a/b`"),
        ("[mounts]\nx = []\n", "bad-option", 2, 5, "found a list"),
        ("[packages]\nalso = 'x'\n", "bad-option", 2, 8, "expected a list of strings, found a string"),
        ("[packages]\nalso = ['/x']\n", "bad-option", 2, 9, "`/x`"),
        ("[packages]\nalso = ['../x']\n", "bad-option", 2, 9, "`../x`"),
        ("[defaults]\nmodel = 1\n", "bad-option", 2, 9, "found a number"),
        ("[defaults]\nmodel = ' '\n", "bad-option", 2, 9, "expected a string that is not blank"),
        ("[defaults]\nout = ''\n", "bad-option", 2, 7, "expected a string that is not empty"),
        ("[host]\nglobals = ['a', 5]\n", "bad-option", 2, 17, "found one that holds a number"),
        ("x = 1" + "0" * 5000, "toml-syntax", 0, 0, "a number has too many digits"),
        ('[mounts]\nx = "\\u0000"\n', "bad-option", 2, 5, "without NUL"),
        ('[defaults]\nout = "\\u0000"\n', "bad-option", 2, 7, "without NUL"),
        ('[env]\nfiles = ["\\u0000"]\n', "bad-option", 2, 10, "without NUL"),
        ("[defaults]\nlinks = 'all'\n", "bad-option", 2, 9, "`all`"),
        ("[env]\nvalues = {A = 1}\n", "bad-option", 2, 15, "expected a string, as every environment value is"),
        ("[env.values]\nA = 1\n", "bad-option", 2, 5, "expected a string, as every environment value is"),
        ("[env.values]\n'1A' = ''\n", "bad-option", 2, 1, "`1A`"),
        ("[host]\nfilters = ['a b']\n", "bad-option", 2, 12, "`a b`"),
        ("[lint]\nshadowed-partials = 'note'\n", "bad-option", 2, 1, "`shadowed-partials`"),
        ("[lint]\nmissing-file = 'note'\n", "bad-option", 2, 1, "`missing-file` is always an error"),
        ("[lint]\nunknown-file = 'off'\n", "bad-option", 2, 16, "`off`"),
        ("required-version = '>=99'\nnonsense = 1\n", "required-version", 1, 20, "`>=99`"),
        ("required-version = 'new'\n", "bad-option", 1, 20, "`new`"),
        ("required-version = 1\n", "bad-option", 1, 20, "expected a string"),
    ],
)
def test_a_mistake_is_reported_where_it_stands(
    tmp_path: Path, toml: str, code: str, line: int, column: int, words: str
) -> None:
    _, report = project_of(tmp_path, toml)
    (finding,) = report.diagnostics
    assert finding.span is not None
    assert (finding.code, finding.span.file, finding.span.line, finding.span.column) == (
        code,
        "frozenctx.toml",
        line,
        column,
    )
    assert words.lower() in finding.headline.lower()


def test_the_nearest_name_is_suggested(tmp_path: Path) -> None:
    _, report = project_of(tmp_path, "[tree]\n[lint]\nunknown-fil = 'note'\n[host]\nfilter = []\n")
    helps = [finding.help for finding in report.diagnostics]
    assert helps == ["did you mean `trees`?", "did you mean `unknown-file`?", "did you mean `filters`?"]


def test_all_mistakes_are_found_in_one_run(tmp_path: Path) -> None:
    _, report = project_of(tmp_path, "x = 1\ny = 2\n[lint]\nz = 'note'\n[trees]\nnowhere = ''\n")
    assert len(report.diagnostics) == 4


def test_a_file_that_is_not_utf8_is_a_fault(tmp_path: Path) -> None:
    report = Report()
    read_project(str(write(tmp_path, {"frozenctx.toml": b"\xff"})), report)
    assert [finding.code for finding in report.diagnostics] == ["not-utf-8"]


def test_line_ends_and_bom_do_not_matter(tmp_path: Path) -> None:
    report = Report()
    project = read_project(str(write(tmp_path, {"frozenctx.toml": b"\xef\xbb\xbf[trees]\r\n'.' = 'x'\r\n"})), report)
    assert (report.diagnostics, project.trees) == ((), {".": "x"})


# -- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "specifier", "fits"),
    [
        ("0.1.0", "0.1.0", True),
        ("0.1.0", "==0.1", True),
        ("0.1.0", ">=0.1,<0.2", True),
        ("0.2.0", ">=0.1,<0.2", False),
        ("0.10.0", ">0.9", True),
        ("0.1.0", "!=0.1.0", False),
        ("0.1.5", "==0.1.*", True),
        ("0.2", "==0.1.*", False),
        ("0.2", "!=0.1.*", True),
        ("0.1.5", "~=0.1.2", True),
        ("0.2.0", "~=0.1.2", False),
        ("0.1.1", "~=0.1.2", False),
        ("1.9", "~=1.2", True),
        ("1.0rc1", "<1.0", True),
        ("1.0a2", "<1.0b1", True),
        ("1.0.dev3", "<1.0a1", True),
        ("1.0rc1", ">=1.0rc1 , <1.0", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, specifier: str, fits: bool) -> None:
    assert satisfies(version, specifier) == fits


@pytest.mark.parametrize("specifier", ["", ">=", "=>1", "1,", "one", ">=1.x", "~=1", "^1", "1.*.2", "*"])
def test_what_is_no_specifier_is_refused(specifier: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        satisfies("0.1.0", specifier)


_RELEASES = st.lists(st.integers(0, 12), min_size=1, max_size=4)


@given(_RELEASES, _RELEASES, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
def test_releases_compare_as_lists_padded_with_zeros(here: list[int], there: list[int], operator: str) -> None:
    width = max(len(here), len(there))
    left, right = (numbers + [0] * (width - len(numbers)) for numbers in (here, there))
    expected = eval(f"{left} {operator} {right}")
    assert satisfies(".".join(map(str, here)), operator + ".".join(map(str, there))) == expected


# -- the document -----------------------------------------------------------------------------------------------------


def test_the_example_of_the_document_is_accepted_whole(tmp_path: Path) -> None:
    document = (Path(__file__).parents[2] / "docs/frozenctx-toml.md").read_text("utf-8")
    example = document.split("```toml\n")[1].split("```")[0]
    files: dict[str, str | bytes] = {"shared/x": "", "root/prompts/x": "", "root/services/chat/prompts/x": ""}
    project, report = project_of(tmp_path, example, files)
    assert report.diagnostics == ()
    assert set(project.defaults) == {"model", "out", "profile", "links"}
    assert all((project.trees, project.mounts, project.also, project.env, project.env_files, project.lint))
    assert project.host.filters == ("money",)
