"""What a package consists of, in each layout, and what is wrong with it."""

from pathlib import Path

import pytest
from source_trees import SETTINGS, Outcome, read_files, read_tree, write


def only(outcome: Outcome) -> tuple[str, str, int, int]:
    """(code, file, line, column) of the one finding, and that it cost the package."""
    finding = outcome.only
    assert outcome.packages == {} or finding.level != "error"
    assert finding.span is not None
    return finding.code, finding.span.file, finding.span.line, finding.span.column


# -- layouts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "layout", "roles"),
    [
        ({"settings.yaml": "system: hi\n"}, "minimal", []),
        ({"settings.yml": ""}, "minimal", []),
        ({"settings.yml": "# nothing\n---\n"}, "minimal", []),
        ({"settings.yml": "null\n"}, "minimal", []),
        ({"settings.yaml": "", "skills/x/SKILL.md": ""}, "minimal", []),
        ({"settings.yaml": "", "prompt.j2": "x"}, "rich", ["system"]),
        ({"settings.yaml": "", "prompt.j2": ""}, "rich", ["system"]),
        ({"settings.yaml": "", "prompt.j2": "<<<role:system>>>a<<<role:user>>>b"}, "rich", ["system", "user"]),
        ({"settings.yaml": "", "messages/1.yaml": "role: system\ncontent: x\n"}, "rich", ["system"]),
        ({"settings.yaml": "", "schema.pyi": ""}, "rich", []),
        ({"settings.yaml": "", "tools.pyi": ""}, "rich", []),
        ({"settings.yaml": "sections: []\n"}, "rich", []),
    ],
)
def test_the_layout_of_a_directory_follows_from_its_files(
    tmp_path: Path, files: dict[str, str | bytes], layout: str, roles: list[str]
) -> None:
    outcome = read_files(tmp_path, {f"a.ctx/{name}": content for name, content in files.items()})
    assert outcome.found == []
    assert outcome["a"].layout == layout
    assert [role.role for role in outcome["a"].roles] == roles


def test_stubs_are_parsed_and_evaluations_never_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"settings.yaml": "", "schema.pyi": "class Output: ...\n", "tools.pyi": "x = 1\n"}
    files |= {"eval.py": b"\xff\0", "eval.yaml": b"\xff\0"}
    outcome = read_files(tmp_path, {f"a.ctx/{name}": content for name, content in files.items()})
    assert outcome.found == []
    schema, tools = outcome["a"].schema, outcome["a"].tools
    assert schema is not None
    assert tools is not None
    assert [schema.file, schema.text, tools.file] == ["a.ctx/schema.pyi", "class Output: ...\n", "a.ctx/tools.pyi"]
    read = [file.path for file in outcome.sources.observed().files]
    assert read == ["a.ctx/schema.pyi", "a.ctx/settings.yaml", "a.ctx/tools.pyi"]


def test_a_single_file_is_front_matter_and_a_template(tmp_path: Path) -> None:
    package = read_files(tmp_path, {"a.ctx": "---\nmodel: m\n---\n\nHello {{ x }}\n"})["a"]
    assert package.layout == "single"
    assert package.settings.node is not None
    assert package.settings.node.value[0][1].start_mark.line == 1
    assert package.roles[0].template.text == "\nHello {{ x }}\n"
    assert package.roles[0].template.lines == (4, 5, 6)
    assert package.roles[0].template.name is None


@pytest.mark.parametrize("text", ["Hello", "---\n---\nHello", "---\n# nothing\n---\nHello"])
def test_front_matter_may_be_missing_or_empty(tmp_path: Path, text: str) -> None:
    package = read_files(tmp_path, {"a.ctx": text})["a"]
    assert package.settings.node is None
    assert package.roles[0].template.text == "Hello"


def test_a_prompt_without_markers_is_the_system_template_as_it_is(tmp_path: Path) -> None:
    package = read_files(tmp_path, {"a.ctx/settings.yaml": "", "a.ctx/prompt.j2": "\n  Hello \n\n"})["a"]
    template = package.roles[0].template
    assert (template.text, template.lines, template.columns, template.file) == (
        "\n  Hello \n\n",
        (),
        (),
        "a.ctx/prompt.j2",
    )


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        ({"a.ctx/prompt.j2": "x"}, ("missing-settings", "a.ctx", 0, 0)),
        ({"a.ctx/messages/1.yaml": "role: system\ncontent: x"}, ("missing-settings", "a.ctx", 0, 0)),
        (
            {"a.ctx/settings.yaml": "", "a.ctx/prompt.j2": "x", "a.ctx/messages/1.yaml": ""},
            ("two-prompts", "a.ctx/prompt.j2", 0, 0),
        ),
        ({"a.ctx/settings.yaml": "", "a.ctx/settings.yml": ""}, ("two-settings", "a.ctx/settings.yaml", 0, 0)),
        ({"a.ctx/settings.yaml": "- a\n"}, ("bad-value", "a.ctx/settings.yaml", 1, 1)),
        ({"a.ctx/settings.yaml/x": ""}, ("not-a-file", "a.ctx/settings.yaml", 0, 0)),
        ({"a.ctx": "---\nmodel: m\n"}, ("unclosed-front-matter", "a.ctx", 1, 1)),
        ({"a.ctx": "---\nx: [\n---\n"}, ("yaml-syntax", "a.ctx", 2, 4)),
        ({"a.ctx": "---\njust text\n---\n"}, ("bad-value", "a.ctx", 2, 1)),
        ({"a.ctx": b"---\n---\na\n\xff"}, ("not-utf-8", "a.ctx", 4, 1)),
        ({"a.ctx": b"a\0"}, ("nul-character", "a.ctx", 1, 2)),
        ({"a.ctx": "---\nmodel: m\n---\na\n {% if x %}\n"}, ("template-syntax", "a.ctx", 5, 2)),
        ({"a.ctx": "<<<role:system>>>\n\n  {{ x \n"}, ("template-syntax", "a.ctx", 3, 6)),
        ({"a.ctx": "<<<role:system>>> a {% nonsense %}"}, ("template-syntax", "a.ctx", 1, 24)),
        ({"a.ctx": "<<<role:user>>>a"}, ("role-order", "a.ctx", 1, 1)),
        ({"a.ctx": "{{ " + "(" * 900 + "1" + ")" * 900 + " }}"}, ("template-syntax", "a.ctx", 1, 54)),
    ],
)
def test_a_mistake_is_reported_where_it_stands_and_costs_the_package(
    tmp_path: Path, files: dict[str, str | bytes], finding: tuple[str, str, int, int]
) -> None:
    assert only(read_files(tmp_path, files)) == finding


def test_crlf_and_bom_hide_no_front_matter(tmp_path: Path) -> None:
    plain = "---\nmodel: m\n---\nHello\n{{ x }}\n"
    lf = read_files(tmp_path / "lf", {"a.ctx": plain})["a"]
    crlf = read_files(tmp_path / "crlf", {"a.ctx": b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode()})["a"]
    assert crlf.roles[0].template.text == lf.roles[0].template.text == "Hello\n{{ x }}\n"
    assert crlf.settings.text == lf.settings.text


def test_every_package_is_read_whatever_became_of_the_others(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"broken{n}.ctx": "{% if %}" for n in range(9)}
    outcome = read_files(tmp_path, {**files, "fine.ctx": "x"})
    assert list(outcome.packages) == ["fine"]
    assert len(outcome.report.diagnostics) == 9


# -- unknown files ----------------------------------------------------------------------------------------------------


def test_known_files_are_not_noted(tmp_path: Path) -> None:
    known = (
        "README",
        "README.md",
        "README.de.txt",
        "OWNERS",
        "tests/x",
        "eval.py",
        "eval.yml",
        ".gitkeep",
        "samples/a.yaml",
    )
    files = {f"a.ctx/{name}": "variables: {}" for name in known}
    assert read_files(tmp_path, {**files, "a.ctx/settings.yaml": ""}).found == []


def test_files_that_nothing_names_are_noted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.ctx/settings.yaml": 'system_file: told.md  # not older\nschema_file: !? $env.get("S", "schema.json")\n',
        "a.ctx/told.md": "",
        "a.ctx/schema.json": "",
        "a.ctx/notes.txt": "",
        "a.ctx/old": "",
        "a.ctx/Prompt.j2": "",
        "b.ctx/settings.yaml": "",
        "b.ctx/prompt.j2": "{% include 'extra/x.j2' %}{{ 'text.md' | import_text }}",
        "b.ctx/extra/x.j2": "",
        "b.ctx/text.md": "",
        "b.ctx/unused.j2": "",
    }
    outcome = read_files(tmp_path, files)
    noted = [
        (finding.code, finding.level, finding.span and finding.span.file) for finding in outcome.report.diagnostics
    ]
    assert noted == [
        ("unknown-file", "note", path)
        for path in ("a.ctx/Prompt.j2", "a.ctx/notes.txt", "a.ctx/old", "b.ctx/unused.j2")
    ]
    assert outcome.report.diagnostics[0].help == "did you mean `prompt.j2`?"


# -- messages ---------------------------------------------------------------------------------------------------------


def messages(tmp_path: Path, **files: str) -> Outcome:
    named: dict[str, str | bytes] = {f"a.ctx/messages/{name.replace('_', '.')}": text for name, text in files.items()}
    return read_files(tmp_path, {"a.ctx/settings.yaml": "", **named})


def test_messages_are_read_in_name_order_and_taken_as_they_are(tmp_path: Path) -> None:
    outcome = messages(
        tmp_path,
        b_yml="role: user\ncontent: |+\n  <<<role:system>>>\n\n    {{ x }}\n\n",
        a_yaml="content: '  kept  '\nrole: system\n",
    )
    system, user = outcome["a"].roles
    assert (system.role, system.template.text) == ("system", "  kept  ")
    assert (user.role, user.template.text) == ("user", "<<<role:system>>>\n\n  {{ x }}\n\n")
    assert user.template.lines[2] == 5
    assert user.template.columns[2] == 2


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        ("content: |\n  a\n\n   {% if %}\n", 4, 6),
        ("content: |2\n\n    {% if %}\n", 3, 7),
        ("content: |-\n\n\n      {% if %}\n", 4, 9),
        ("content: a {% if %}\n", 1, 14),
        ('content: "a {% if %}"\n', 1, 15),
        ("content: 'a {% if %}'\n", 1, 15),
    ],
)
def test_a_place_in_a_message_is_its_place_in_the_file(tmp_path: Path, content: str, line: int, column: int) -> None:
    outcome = messages(tmp_path, a_yaml=content + "role: system\n")
    code, file, found_line, found_column = only(outcome)
    assert (code, file) == ("template-syntax", "a.ctx/messages/a.yaml")
    text = content.split("\n")[line - 1]
    assert found_line == line
    assert text[found_column - 1 :].startswith("%}"), (found_column, column)


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        ({"a_yaml": ""}, ("bad-message", "a.yaml", 0, 0)),
        ({"a_yaml": "# nothing\n"}, ("bad-message", "a.yaml", 0, 0)),
        ({"a_yaml": "- a"}, ("bad-message", "a.yaml", 1, 1)),
        ({"a_yaml": "role: system"}, ("bad-message", "a.yaml", 1, 1)),
        ({"a_yaml": "content: x"}, ("bad-message", "a.yaml", 1, 1)),
        ({"a_yaml": "role: system\ncontent: 1"}, ("bad-message", "a.yaml", 2, 10)),
        ({"a_yaml": "role: system\ncontent:"}, ("bad-message", "a.yaml", 2, 9)),
        ({"a_yaml": "role: system\ncontent: [a]"}, ("bad-message", "a.yaml", 2, 10)),
        ({"a_yaml": "role: system\ncontent: x\nname: y"}, ("bad-message", "a.yaml", 3, 1)),
        ({"a_yaml": "role: system\nrole: user\ncontent: x"}, ("duplicate-key", "a.yaml", 2, 1)),
        ({"a_yaml": "role: system\ncontent: 12:30"}, ("ambiguous-scalar", "a.yaml", 2, 10)),
        ({"a_yaml": "role: system\ncontent: !? $env.get('x')"}, ("misplaced-tag", "a.yaml", 2, 10)),
        ({"a_yaml": "role: System\ncontent: x"}, ("unknown-role", "a.yaml", 1, 7)),
        ({"a_yaml": "role: user\ncontent: x"}, ("role-order", "a.yaml", 1, 7)),
        ({"a_yaml": "role: system\ncontent: x", "b_yaml": "role: system\ncontent: x"}, ("role-order", "b.yaml", 1, 7)),
        (
            {
                "a_yaml": "role: system\ncontent: x",
                "b_yaml": "role: user\ncontent: x",
                "c_yaml": "role: user\ncontent: x",
            },
            ("role-order", "c.yaml", 1, 7),
        ),
    ],
)
def test_a_mistake_in_a_message_names_its_file(
    tmp_path: Path, files: dict[str, str], finding: tuple[str, str, int, int]
) -> None:
    code, file, line, column = finding
    assert only(messages(tmp_path, **files)) == (code, f"a.ctx/messages/{file}", line, column)


def test_a_directory_without_messages_is_a_fault(tmp_path: Path) -> None:
    outcome = read_files(tmp_path, {"a.ctx/settings.yaml": "", "a.ctx/messages/.keep": ""})
    assert only(outcome) == ("bad-message", "a.ctx/messages", 0, 0)


def test_messages_that_is_a_file_is_a_fault(tmp_path: Path) -> None:
    outcome = read_files(tmp_path, {"a.ctx/settings.yaml": "", "a.ctx/messages": ""})
    assert only(outcome)[0] == "not-a-file"


# -- samples ----------------------------------------------------------------------------------------------------------


def test_samples_of_a_directory_are_files_by_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.ctx/settings.yaml": "",
        "a.ctx/samples/two.yaml": "variables: {x: 1}",
        "a.ctx/samples/one.yaml": "variables: {}",
        "a.ctx/samples/three.yml": "",
    }
    outcome = read_files(tmp_path, files)
    assert [(sample.name, sample.file) for sample in outcome["a"].samples] == [
        ("one", "a.ctx/samples/one.yaml"),
        ("two", "a.ctx/samples/two.yaml"),
    ]
    assert outcome.found == ["unknown-file"]


def test_samples_of_a_single_file_stand_beside_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"d/a.ctx": "x", "d/a.samples.yaml": "one: {variables: {}}\ntwo: {variables: {}}\n"}
    outcome = read_files(tmp_path, files)
    assert [(sample.name, sample.file) for sample in outcome["d/a"].samples] == [
        ("one", "d/a.samples.yaml"),
        ("two", "d/a.samples.yaml"),
    ]


@pytest.mark.parametrize(
    ("files", "finding"),
    [
        ({"a.ctx": "x", "a.samples.yaml": "- x"}, ("bad-sample", "a.samples.yaml", 1, 1)),
        ({"a.ctx": "x", "a.samples.yaml": "x: {variables: {}}\nx: {}"}, ("duplicate-key", "a.samples.yaml", 2, 1)),
        ({"a.ctx/settings.yaml": "", "a.ctx/samples/x.yaml": ""}, ("bad-sample", "a.ctx/samples/x.yaml", 0, 0)),
        ({"a.ctx/settings.yaml": "", "a.ctx/samples/x.yaml": "a: ["}, ("yaml-syntax", "a.ctx/samples/x.yaml", 1, 4)),
        ({"a.ctx/settings.yaml": "", "a.ctx/samples/x.yaml": b"\xff"}, ("not-utf-8", "a.ctx/samples/x.yaml", 1, 1)),
    ],
)
def test_a_mistake_in_samples_is_reported(
    tmp_path: Path, files: dict[str, str | bytes], finding: tuple[str, str, int, int]
) -> None:
    assert only(read_files(tmp_path, files)) == finding


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    write(tmp_path, {"a.ctx": "{% include 'x' ignore missing %}", "b.ctx/settings.yaml": SETTINGS})
    first, second = read_tree(tmp_path), read_tree(tmp_path)
    assert first.sources.observed() == second.sources.observed()
    assert [package.files for package in first.packages.values()] == [p.files for p in second.packages.values()]


def test_samples_that_are_no_directory_are_a_fault(tmp_path: Path) -> None:
    outcome = read_files(tmp_path, {"a.ctx/settings.yaml": SETTINGS, "a.ctx/prompt.j2": "x", "a.ctx/samples": "x"})
    assert (outcome.only.code, outcome.only.headline) == ("not-a-file", "`a.ctx/samples` is not a directory")
