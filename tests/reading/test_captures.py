"""What templates pull in: the closure, the dependency bundle and its order, the base directory, and mistakes."""

import os
import sys
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import pytest
from frozenctx_compiler.captures import base_directory, targets_of
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.templates.parse import parse
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes
from source_trees import Outcome, read_files, read_tree, write

HEAD = "a.ctx/settings.yaml"


def capture(tmp_path: Path, prompt: str, **files: str) -> Outcome:
    """A package `a` with this prompt, at a root that holds `partials/`; `x_j2="…"` is `partials/x.j2`."""
    partials: dict[str, str | bytes] = {f"partials/{name.replace('_', '.')}": text for name, text in files.items()}
    return read_files(tmp_path, {HEAD: "", "a.ctx/prompt.j2": prompt, "partials/.keep": "", **partials})


def bundle(outcome: Outcome, role: int = 0) -> list[tuple[str, str]]:
    return [(entry.kind, entry.label) for entry in outcome["a"].roles[role].captures]


def only(outcome: Outcome) -> tuple[str, str, int, int]:
    finding = outcome.only
    assert finding.span is not None
    return finding.code, finding.span.file, finding.span.line, finding.span.column


def test_a_chain_of_templates_may_be_longer_than_the_stack(tmp_path: Path) -> None:
    last = 2 * sys.getrecursionlimit()
    links = {f"c{n}_j2": f"{{% include 'partials/c{n + 1}.j2' %}}" for n in range(last)}
    outcome = capture(tmp_path, "{% include 'partials/c0.j2' %}", **links, **{f"c{last}_j2": "end"})
    assert bundle(outcome) == [("template", f"partials/c{n}.j2") for n in range(last + 1)]


# -- the bundle ---------------------------------------------------------------------------------------------------


def test_the_bundle_is_depth_first_with_import_filters_after_targets(tmp_path: Path) -> None:
    outcome = capture(
        tmp_path,
        "{{ 'partials/t.txt' | import_text }}{% include 'partials/a.j2' %}{% import 'partials/b.j2' as b %}",
        a_j2="{{ 'partials/y.yaml' | import_yaml }}{% from 'partials/c.j2' import z %}",
        b_j2="{% extends 'partials/c.j2' %}{{ 'partials/t.txt' | import_text }}{{ 'partials/u.txt' | import_text }}",
        c_j2="C",
        t_txt="T",
        u_txt="U",
        y_yaml="a: 1",
    )
    assert outcome.found == []
    assert bundle(outcome) == [
        ("template", "partials/a.j2"),
        ("template", "partials/c.j2"),
        ("import_yaml", "partials/y.yaml"),
        ("template", "partials/b.j2"),
        ("import_text", "partials/t.txt"),
        ("import_text", "partials/u.txt"),
    ]
    package = outcome["a"]
    assert [entry.content for entry in package.roles[0].captures][1:3] == ["C", "a: 1"]
    assert package.texts == {"partials/t.txt": "T", "partials/u.txt": "U"}
    assert package.data == {"partials/y.yaml": {"a": 1}}
    assert {name: (text.name, text.file) for name, text in package.partials.items()} == {
        f"partials/{name}.j2": (f"partials/{name}.j2",) * 2 for name in "abc"
    }


def test_each_role_has_its_own_bundle(tmp_path: Path) -> None:
    prompt = "<<<role:system>>>{% include 'partials/a.j2' %}<<<role:user>>>{% include 'partials/b.j2' %}"
    outcome = capture(tmp_path, prompt, a_j2="{% include 'partials/b.j2' %}", b_j2="B")
    assert bundle(outcome) == [("template", "partials/a.j2"), ("template", "partials/b.j2")]
    assert bundle(outcome, 1) == [("template", "partials/b.j2")]


def test_import_filters_come_in_source_order_wherever_they_stand(tmp_path: Path) -> None:
    prompt = """\
{% macro m(x='partials/1.txt' | import_text) %}{{ 'partials/2.txt' | import_text }}{% endmacro %}
{% for a in ('partials/3.txt' | import_text) if ('partials/4.txt' | import_text) %}{{ 'partials/5.txt' | import_text }}
{% else %}{% block b %}{{ ('partials/6.txt' | import_text) if 'partials/7.txt' | import_text else '8' }}{% endblock %}
{% endfor %}{% set x %}{{ 'partials/8.txt' | import_text | upper }}{% endset %}
{# {{ 'partials/no.txt' | import_text }} #}{% raw %}{{ 'partials/no.txt' | import_text }}{% endraw %}
"""
    outcome = capture(tmp_path, prompt, **{f"{n}_txt": "x" for n in range(1, 9)})
    assert outcome.found == []
    assert bundle(outcome) == [("import_text", f"partials/{n}.txt") for n in range(1, 9)]


def test_one_entry_per_file_and_use_and_the_first_wins(tmp_path: Path) -> None:
    prompt = (
        "{% include 'partials/./a.j2' %}{% include 'partials/a.j2' %}{% include 'x/../partials//a.j2' %}"
        "{{ 'partials/a.j2' | import_text }}{{ './partials/a.j2' | import_yaml }}"
    )
    outcome = capture(tmp_path, prompt, a_j2="A")
    assert bundle(outcome) == [("template", "partials/a.j2"), ("import_text", "partials/a.j2")]
    package = outcome["a"]
    assert sorted(package.partials) == ["partials/./a.j2", "partials/a.j2", "x/../partials//a.j2"]
    assert all(name == text.name and text.file == "partials/a.j2" for name, text in package.partials.items())
    assert (package.texts, package.data) == ({"partials/a.j2": "A"}, {"./partials/a.j2": "A"})


def test_a_link_and_its_file_are_one_entry_unless_links_are_followed(tmp_path: Path) -> None:
    prompt = "{% include 'partials/b.j2' %}{% include 'partials/a.j2' %}"
    write(tmp_path, {HEAD: "", "a.ctx/prompt.j2": prompt, "partials/a.j2": "A"})
    (tmp_path / "partials/b.j2").symlink_to("a.j2")
    assert bundle(read_tree(tmp_path)) == [("template", "partials/b.j2")]
    both = [("template", "partials/b.j2"), ("template", "partials/a.j2")]
    assert bundle(read_tree(tmp_path, links="follow")) == both


def test_templates_that_include_each_other_are_read_once(tmp_path: Path) -> None:
    outcome = capture(
        tmp_path,
        "{% include 'partials/a.j2' %}",
        a_j2="{% if x %}{% include 'partials/b.j2' %}{% endif %}",
        b_j2="{% if y %}{% include 'partials/a.j2' %}{% include 'partials/b.j2' %}{% endif %}",
    )
    assert bundle(outcome) == [("template", "partials/a.j2"), ("template", "partials/b.j2")]


def test_what_stands_in_comments_and_raw_blocks_is_not_captured(tmp_path: Path) -> None:
    outcome = capture(tmp_path, "{# {% include 'x' %} #}{% raw %}{% include 'y' %}{% endraw %}{{ '{% include z %}' }}")
    assert (bundle(outcome), outcome.found) == ([], [])


# -- targets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "labels"),
    [
        ("{% include ['partials/gone.j2', 'partials/a.j2', 'partials/b.j2'] %}", ["a", "b"]),
        ("{% include ('partials/b.j2', 'partials/a.j2') %}", ["b", "a"]),
        ("{% include 'partials/a.j2' if x else 'partials/b.j2' %}", ["a", "b"]),
        ("{% include 'partials/a.j2' if x else ('partials/b.j2' if y else 'partials/c.j2') %}", ["a", "b", "c"]),
        ("{% include ['partials/gone.j2', 'partials/c.j2'] if x else 'partials/b.j2' %}", ["c", "b"]),
        ("{% include 'partials/a.j2' if x %}", ["a"]),
        ("{% extends 'partials/a.j2' if x else 'partials/b.j2' %}", ["a", "b"]),
        ("{% from 'partials/a.j2' if x else 'partials/b.j2' import y %}", ["a", "b"]),
        ("{% include 'partials/gone.j2' ignore missing %}", []),
        ("{% include ['partials/gone.j2', 'partials/gone2.j2'] ignore missing %}", []),
        ("{% include 'partials/a.j2' ignore missing with context %}", ["a"]),
        ("{% include 'partials/gone.j2' if x else 'partials/a.j2' ignore missing %}", ["a"]),
    ],
)
def test_literal_targets_lists_and_choices_are_captured(tmp_path: Path, tag: str, labels: list[str]) -> None:
    outcome = capture(tmp_path, tag, a_j2="A", b_j2="B", c_j2="C")
    assert outcome.found == []
    assert bundle(outcome) == [("template", f"partials/{label}.j2") for label in labels]


def test_what_was_looked_for_and_absent_is_recorded(tmp_path: Path) -> None:
    outcome = capture(tmp_path, "{% include 'partials/gone.j2' ignore missing %}")
    assert ("partials/gone.j2", None) in outcome.sources.observed().probes


@pytest.mark.parametrize(
    "tag",
    [
        "{% include x %}",
        "{% include 'a' ~ x %}",
        "{% include ['partials/a.j2', x] %}",
        "{% include 'partials/a.j2' if x else y %}",
        "{% include [] %}",
        "{% include 5 %}",
        "{% extends x.y %}",
        "{% import x as y %}",
        "{% from x import y %}",
        "{% extends ['partials/a.j2'] %}",
        "{{ x | import_text }}",
        "{{ ('a' ~ 'b') | import_yaml }}",
        "{{ 'partials/a.j2' | import_text(x) }}",
        "{{ 'partials/a.j2' | upper | import_text }}",
        "{% filter import_text %}partials/a.j2{% endfilter %}",
        "{% set x | import_yaml %}partials/a.j2{% endset %}",
        "{{ ['partials/a.j2'] | map('import_text') | join }}",
    ],
)
def test_a_computed_target_is_a_fault_at_its_place(tmp_path: Path, tag: str) -> None:
    outcome = capture(tmp_path, f"line\n  {tag}", a_j2="A")
    code, file, line, column = only(outcome)
    assert (code, file, line) == ("computed-target", "a.ctx/prompt.j2", 2)
    assert 5 < column < len(tag) + 3


@pytest.mark.parametrize(
    ("tag", "word", "code"),
    [
        ("{% include 'partials/gone.j2' %}", "'partials/gone.j2'", "missing-file"),
        ("{% include 'a.ctx/settings.yaml/x' %}", "'a.ctx/settings.yaml/x'", "missing-file"),
        ("{% include 'partials/a.j2' if x else 'gone' %}", "'gone'", "missing-file"),
        ("{% import 'gone' as g %}", "'gone'", "missing-file"),
        ("{% from 'gone' import g %}", "'gone'", "missing-file"),
        ("{% extends 'gone' %}", "'gone'", "missing-file"),
        ("{{ 'gone' | import_text }}", "'gone'", "missing-file"),
        ("{{ 'gone' | import_yaml }}", "'gone'", "missing-file"),
        ("{% include 'partials' %}", "'partials'", "not-a-file"),
        ("{% include '' %}", "''", "not-a-file"),
        ("{% include '/etc/passwd' %}", "'/etc/passwd'", "outside-root"),
        ("{% include '../x' %}", "'../x'", "outside-root"),
        ("{% include '../x' ignore missing %}", "'../x'", "outside-root"),
        ("{{ 'partials/../../x' | import_text }}", "'partials/../../x'", "outside-root"),
        ("{% include '@shared/x' %}", "'@shared/x'", "unknown-mount"),
        ("{% include 'partials/Ａ.j2' %}", "'partials/Ａ.j2'", "missing-file"),
    ],
)
def test_a_target_that_cannot_be_read_is_a_fault_at_its_place(tmp_path: Path, tag: str, word: str, code: str) -> None:
    outcome = capture(tmp_path, f"\n {tag}", a_j2="A")
    assert only(outcome) == (code, "a.ctx/prompt.j2", 2, 2 + tag.index(word))
    assert outcome.packages == {}


def test_all_of_a_list_missing_is_reported_once_per_name(tmp_path: Path) -> None:
    assert capture(tmp_path, "{% include ['gone', 'lost'] %}").found == ["missing-file", "missing-file"]


def test_a_name_in_other_case_is_pointed_out(tmp_path: Path) -> None:
    outcome = capture(tmp_path, "{% include 'partials/A.j2' %}", a_j2="A")
    assert outcome.only.notes[-1] == "there is `a.j2`, and names are compared exactly on every file system"


def test_a_mistake_in_a_shared_partial_is_reported_once_with_its_packages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"p{n}.ctx": "{% include 'partials/a.j2' %}" for n in range(3)}
    outcome = read_files(tmp_path, {**files, "partials/a.j2": "line\n{% if %}"})
    assert only(outcome)[:3] == ("template-syntax", "partials/a.j2", 2)
    assert outcome.only.packages == ("p0", "p1", "p2")
    assert outcome.packages == {}


def test_shared_partials_are_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str, *args: Any) -> nodes.Template:
        parsed.append(text)
        return parse(text, *args)

    monkeypatch.setattr("frozenctx_compiler.syntax.parse", counted)
    files: dict[str, str | bytes] = {f"p{n}.ctx": "{% include 'partials/a.j2' %}" for n in range(3)}
    outcome = read_files(tmp_path, {**files, "partials/a.j2": "{% include 'partials/b.j2' %}", "partials/b.j2": "B"})
    assert len(outcome.packages) == 3
    assert sorted(parsed) == sorted(["B", "{% include 'partials/b.j2' %}", *["{% include 'partials/a.j2' %}"] * 3])


def test_targets_of_a_tag_are_its_literals_in_source_order() -> None:
    def targets(tag: str) -> tuple[str, ...]:
        return targets_of(next(parse(tag).find_all((nodes.Include, nodes.Import))))

    assert targets("{% include ['a', 'b'] if x else 'c' %}") == ("a", "b", "c")
    assert targets("{% import 'a' as b %}") == ("a",)
    assert targets("{% include x %}") == ()


# -- imported data ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: [1, 2.5, yes, null, x]\n1: {b: c}\n", {"a": [1, 2.5, True, None, "x"], 1: {"b": "c"}}),
        ("", None),
        ("# nothing\n", None),
        ("just text", "just text"),
        ("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}\n", {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}}),
        ("a: 012\n", {"a": 10}),
    ],
)
def test_yaml_is_read_as_pyyaml_reads_it_safely(tmp_path: Path, text: str, data: Any) -> None:
    outcome = capture(tmp_path, "{{ 'partials/d.yaml' | import_yaml }}", d_yaml=text)
    assert outcome.found == []
    assert outcome["a"].data == {"partials/d.yaml": data}


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 2024-01-01\n", "not-plain-data", 1, 4),
        ("a:\n  - 2024-01-01T00:00:00Z\n", "not-plain-data", 2, 5),
        ("2024-01-01: x\n", "not-plain-data", 1, 1),
        ("a: !!set {b, c}\n", "not-plain-data", 1, 4),
        ("a: !!binary aGk=\n", "not-plain-data", 1, 4),
        ("a: !!omap [b: 1]\n", "not-plain-data", 1, 4),
        ("a: !!pairs [b: 1]\n", "not-plain-data", 1, 4),
        ("a: !!python/name:os.system x\n", "not-plain-data", 1, 4),
        ("a: !? $env.get('x')\n", "not-plain-data", 1, 4),
        ("a: !!int x\n", "not-plain-data", 1, 4),
        ("a: !!int ''\n", "not-plain-data", 1, 4),
        ("a: !!bool maybe\n", "not-plain-data", 1, 4),
        ("a: 1" + "0" * 5000, "not-plain-data", 1, 4),
        ("<<: 5\n", "not-plain-data", 1, 5),
        ("<<: [{a: 1}, 5]\n", "not-plain-data", 1, 5),
        ("- <<\n", "not-plain-data", 1, 3),
        ("a: =\n", "not-plain-data", 1, 4),
        ("? [a, b]\n: c\n", "not-plain-data", 1, 1),
        ("a: 1\na: 2\n", "duplicate-key", 2, 1),
        ("a: [\n", "yaml-syntax", 1, 4),
        ("--- a\n--- b\n", "yaml-syntax", 2, 1),
    ],
)
def test_data_that_is_not_plain_is_a_fault_in_the_file(
    tmp_path: Path, text: str, code: str, line: int, column: int
) -> None:
    outcome = capture(tmp_path, "{{ 'partials/d.yaml' | import_yaml }}", d_yaml=text)
    assert only(outcome) == (code, "partials/d.yaml", line, column)
    assert outcome.packages == {}


def test_data_with_a_mistake_is_reported_for_every_package_that_uses_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"p{n}.ctx": "{{ 'partials/a.yaml' | import_yaml }}" for n in range(3)}
    outcome = read_files(tmp_path, {**files, "partials/a.yaml": "2024-01-01"})
    assert outcome.only.packages == ("p0", "p1", "p2")
    assert outcome.packages == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("!foo x", "the tag `!foo` is not known"),
        ("? [a]\n: 1", "a list or a mapping cannot be a key"),
        ("<<: 5", "`<<` takes a mapping or a list of mappings"),
        ("- =", "`=` is not plain data unless it is quoted"),
        ("!!int ''", "`!!int` does not fit the value after it"),
        ("1" + "0" * 5000, "a number of so many digits is not plain data"),
        ("0x" + "f" * 5000, "a number of so many digits is not plain data"),
    ],
)
def test_what_no_value_can_be_made_of_is_said_in_plain_words(tmp_path: Path, text: str, words: str) -> None:
    outcome = capture(tmp_path, "{{ 'partials/d.yaml' | import_yaml }}", d_yaml=text)
    assert outcome.only.headline == words


# -- the base directory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directories", "package", "base"),
    [
        ([], "a/b/p.ctx", "a/b/p.ctx"),
        (["partials"], "a/b/p.ctx", "."),
        (["partials", "a/partials"], "a/b/p.ctx", "a"),
        (["partials", "a/b/p.ctx/partials"], "a/b/p.ctx", "a/b/p.ctx"),
        (["a/b/partials"], "a/b", "a/b"),
        (["a/c/partials", "x"], "a/b", "a/b"),
    ],
)
def test_the_base_is_the_nearest_directory_with_partials(
    tmp_path: Path, directories: list[str], package: str, base: str
) -> None:
    for directory in [*directories, package]:
        (tmp_path / directory).mkdir(parents=True, exist_ok=True)
    assert base_directory(package, Sources(str(tmp_path))) == base


def test_a_file_called_partials_makes_no_base(tmp_path: Path) -> None:
    write(tmp_path, {"a/partials": "", "partials/x": "", "a/p.ctx": "x"})
    assert base_directory("a", Sources(str(tmp_path))) == "."


def test_partials_above_the_root_are_not_seen(tmp_path: Path) -> None:
    write(tmp_path, {"partials/x.j2": "", "root/a/p.ctx": "{% include 'partials/x.j2' %}"})
    assert read_tree(tmp_path / "root").found == ["missing-file"]


def test_all_targets_are_relative_to_one_base_and_not_to_the_including_file(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "team/p.ctx": "{% include 'partials/deep/a.j2' %}",
        "team/partials/deep/a.j2": "{% include 'partials/b.j2' %}{% include '../shared/c.j2' %}",
        "team/partials/b.j2": "B",
        "shared/c.j2": "C",
    }
    outcome = read_files(tmp_path, files)
    assert outcome.found == []
    captures = outcome["team/p"].roles[0].captures
    assert [(entry.label, entry.path) for entry in captures] == [
        ("partials/deep/a.j2", "team/partials/deep/a.j2"),
        ("partials/b.j2", "team/partials/b.j2"),
        ("../shared/c.j2", "shared/c.j2"),
    ]


def test_mounts_are_captured_under_their_own_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "root/frozenctx.toml": '[mounts]\nshared = "../shared"\n',
        "root/p.ctx": "{% include '@shared/a.j2' %}{{ '@shared/x/../t.txt' | import_text }}",
        "root/local.j2": "L",
        "shared/a.j2": "{% include 'local.j2' %}{% include '@shared/b.j2' %}",
        "shared/b.j2": "B",
        "shared/t.txt": "T",
    }
    outcome = read_tree(write(tmp_path, files) / "root")
    assert outcome.found == []
    captures = outcome["p"].roles[0].captures
    assert [(entry.label, entry.path) for entry in captures] == [
        ("@shared/a.j2", "@shared/a.j2"),
        ("local.j2", "local.j2"),
        ("@shared/b.j2", "@shared/b.j2"),
        ("@shared/t.txt", "@shared/t.txt"),
    ]
    assert outcome["p"].texts == {"@shared/x/../t.txt": "T"}


def test_a_partial_that_exists_under_two_candidates_is_a_warning(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "team/p.ctx": "{% include 'partials/a.j2' %}\n"
        "{% include 'partials/b.j2' %}{{ 'partials/c.txt' | import_text }}",
        "team/partials/a.j2": "A",
        "team/partials/b.j2": "B",
        "team/partials/c.txt": "C",
        "partials/a.j2": "other",
        "partials/c.txt": "other",
    }
    outcome = read_files(tmp_path, files)
    findings = [(f.code, f.level, f.span and (f.span.line, f.span.column), f.label) for f in outcome.report.diagnostics]
    assert findings == [
        ("shadowed-partial", "warning", (1, 12), "`partials/a.j2` exists too"),
        ("shadowed-partial", "warning", (2, 33), "`partials/c.txt` exists too"),
    ]
    assert outcome["team/p"].partials["partials/a.j2"].text == "A"


def test_a_file_in_the_package_that_the_base_shadows_is_a_warning(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"p.ctx/settings.yaml": "", "p.ctx/prompt.j2": "{% include 'x.j2' %}"}
    outcome = read_files(tmp_path, {**files, "p.ctx/x.j2": "near", "x.j2": "far", "partials/y": ""})
    assert outcome.found == ["shadowed-partial", "unknown-file"]
    assert outcome["p"].partials["x.j2"].text == "far"


# -- against an independent reading -------------------------------------------------------------------------------

_NAMES = ["partials/a.j2", "partials/b.j2", "partials/c.j2", "partials/d/e.j2"]
_TAGS = st.one_of(
    st.sampled_from(_NAMES).map(lambda name: f"{{% include '{name}' %}}"),
    st.sampled_from(_NAMES).map(lambda name: f"{{% include '{name}' ignore missing %}}"),
    st.sampled_from(_NAMES).map(lambda name: f"{{% if x %}}{{% import './{name}' as y %}}{{% endif %}}"),
    st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3).map(lambda names: f"{{% include {names!r} %}}"),
    st.sampled_from(_NAMES).map(lambda name: f"{{{{ '{name}' | import_text }}}}"),
    st.sampled_from(_NAMES).map(lambda name: f'{{{{ "{name}" | import_yaml }}}}'),
    st.sampled_from(["{# {% include 'x' %} #}", "text\n", "{% include 'gone' ignore missing %}"]),
)
_TEXT = st.lists(_TAGS, max_size=4).map("".join)


def bundle_of(source: str, base: Path, seen: set[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """The same from the definition in CTX-FORMAT §5, with jinja2's meta and nodes."""
    tree = jinja2.Environment().parse(source)
    entries = []
    for target in jinja2.meta.find_referenced_templates(tree):
        assert target is not None
        path = base / target
        key = ("template", os.path.realpath(path))
        if not path.exists() or key in seen:
            continue
        seen.add(key)
        label = os.path.relpath(path, base)
        entries.append(("template", label, path.read_text("utf-8")))
        entries += bundle_of(path.read_text("utf-8"), base, seen)
    for node in tree.find_all(nodes.Filter):
        if node.name in ("import_text", "import_yaml"):
            assert isinstance(node.node, nodes.Const)
            path = base / node.node.value
            if ("import", os.path.realpath(path)) not in seen:
                seen.add(("import", os.path.realpath(path)))
                entries.append((node.name, os.path.relpath(path, base), path.read_text("utf-8")))
    return entries


@settings(max_examples=150, deadline=None)
@given(prompt=_TEXT, partials=st.tuples(*[_TEXT] * len(_NAMES)))
def test_the_bundle_equals_its_definition(
    tmp_path_factory: pytest.TempPathFactory, prompt: str, partials: tuple[str, ...]
) -> None:
    # YAML of these texts would be a mapping or an error: quoted, it is a string, and to Jinja it is text.
    texts = [f"'{text.replace(chr(39), chr(39) * 2)}'" if "{%" in text or "{{" in text else text for text in partials]
    texts = [text.replace("''", '"') for text in texts]
    root = tmp_path_factory.mktemp("tree")
    files: dict[str, str | bytes] = dict(zip(_NAMES, texts, strict=True))
    outcome = read_files(root, {"p.ctx": prompt, **files})
    assert outcome.found == []
    found = [(entry.kind, entry.label, entry.content) for entry in outcome["p"].roles[0].captures]
    assert found == bundle_of(prompt, root, set())
