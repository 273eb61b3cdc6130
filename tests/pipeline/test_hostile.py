"""Whatever stands in a tree, a build ends soon, with a release or with a report; never with an exception of ours.

Odd names, files in the place of directories and the other way round, files of a megabyte, endless nesting, numbers that
Python refuses to print, templates that Python would refuse when they are loaded. Each case says which errors it has;
one without errors must also load and render.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler.api import CompileError
from pipeline.outputs import command
from source_trees import write

CONFIG = '[defaults]\nmodel = "openai/gpt-5"\n'
LIMIT = 20
"""Seconds for one case, on a slow and busy machine. What has no bound takes for ever, or all memory."""


def codes(root: Path, files: Mapping[str, str | bytes], make: Callable[[Path], Any] | None = None) -> set[str]:
    """Build the tree, and return the codes of its errors; without errors, load it and render everything."""
    write(root / "src", {"frozenctx.toml": CONFIG, **files})
    if make is not None:
        make(root / "src")
    started = time.monotonic()
    built = frozenctx_compiler.build(root / "src", root / "out")
    assert time.monotonic() - started < LIMIT
    errors = {finding.code for finding in built.report.diagnostics if finding.level == "error"}
    assert built.written == (not errors)
    if errors:
        with pytest.raises(CompileError):
            frozenctx_compiler.load(root / "src")
        return errors
    for prompt in frozenctx.load(root / "out", verify=True).values():
        try:
            prompt.messages({"x": [1, 2], "y": [[1], [2]]})
        except frozenctx.errors.LoadError:
            raise
        except Exception:  # the template's own: what it raises is another test's matter
            pass
    return set()


# -- names --

NAMES: Mapping[str, set[str]] = {
    "a b": set(),
    "it's": set(),
    'quo"te': set(),
    "日本 😀": set(),
    "e\u0301": set(),
    "a.ctx": set(),
    "-": set(),
    "--out": set(),
    "back\\slash": set(),
    "%s{}[red]$HOME*?~#:": set(),
    "x" * 250: set(),
    "\u202eabc": set(),
    "a\nb": {"bad-key"},
    "\x1b[31m": {"bad-key"},
    "a\x7f": {"bad-key"},
    "a@b": {"bad-name"},
    "a,b": {"bad-name"},
    " ": {"bad-name"},
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["file", "directory", "above"])
def test_a_package_may_have_any_name_or_is_told_why_not(name: str, form: str, tmp_path: Path) -> None:
    if form == "above":  # part of the key, and not of the package's name
        expected = NAMES[name] - {"bad-name"}
        assert name == "a.ctx" or codes(tmp_path, {f"{name}/p.ctx": "Hello."}) == expected
    elif form == "file":
        assert codes(tmp_path, {f"{name}.ctx": "Hello."}) == NAMES[name]
    else:
        assert codes(tmp_path, {f"{name}.ctx/settings.yaml": "", f"{name}.ctx/prompt.j2": "Hello."}) == NAMES[name]


@pytest.mark.parametrize("place", ["@scope/p.ctx", "@p.ctx"])
def test_a_name_at_the_root_that_reads_as_a_mount_is_never_passed_over(place: str, tmp_path: Path) -> None:
    assert codes(tmp_path, {place: "Hello.", "q.ctx": "Hello."}) != set()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("A", "a", "key-collision"),
        ("straße", "STRASSE", "key-collision"),
        ("é", "e\u0301", "name-collision"),
        ("d/x", "D/x", "key-collision"),
    ],
)
def test_names_that_some_file_system_takes_for_one_are_refused(
    one: str, other: str, expected: str, tmp_path: Path
) -> None:
    write(tmp_path / "src", {f"{one}.ctx": "x", f"{other}.ctx": "x"})
    if len(list((tmp_path / "src").rglob("*.ctx"))) < 2:
        pytest.skip("this file system takes the two for one")
    assert codes(tmp_path, {}) == {expected}


@pytest.mark.parametrize(
    ("place", "error"),
    [
        ("\udcff.ctx", True),
        ("\udcff/p.ctx", True),  # a package may be behind it
        ("p.ctx/samples/\udcff.yaml", True),
        ("p.ctx/\udcff", False),
        ("notes/\udcff", False),
    ],
)
def test_a_name_that_is_not_utf_8_is_reported_where_it_matters(place: str, error: bool, tmp_path: Path) -> None:
    write(tmp_path / "src", {"frozenctx.toml": CONFIG, "p.ctx/settings.yaml": "", "p.ctx/prompt.j2": "x", "q.ctx": "x"})
    path = os.fsencode(tmp_path / "src") + b"/" + place.encode("utf-8", "surrogateescape")
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"variables: {}\n")
    except OSError:
        pytest.skip("this file system keeps no such names")
    done = command("build", tmp_path / "src", "-o", tmp_path / "out")
    assert "has a bug" not in done.stderr
    if error:
        assert (done.returncode, done.stderr.count("error[not-utf-8]")) == (1, 1), done.stderr
    else:
        assert done.returncode in (0, 1), done.stderr


# -- things in the place of others --

PACKAGE = {"p.ctx/settings.yaml": "", "p.ctx/prompt.j2": "x"}


EMPTY = {"p.ctx/settings.yaml": ""}


def without(name: str) -> dict[str, str]:
    return {path: text for path, text in PACKAGE.items() if path != name}


MISPLACED: Mapping[str, tuple[Mapping[str, str], Callable[[Path], Any] | None, set[str]]] = {
    "settings.yaml": (without("p.ctx/settings.yaml"), lambda r: (r / "p.ctx/settings.yaml").mkdir(), {"not-a-file"}),
    "prompt.j2": (without("p.ctx/prompt.j2"), lambda r: (r / "p.ctx/prompt.j2").mkdir(), {"not-a-file"}),
    "a sample": (PACKAGE, lambda r: (r / "p.ctx/samples/a.yaml").mkdir(parents=True), {"not-a-file"}),
    "samples of a file": ({"p.ctx": "x"}, lambda r: (r / "p.samples.yaml").mkdir(), {"not-a-file"}),
    "a message": (EMPTY, lambda r: (r / "p.ctx/messages/1.yaml").mkdir(parents=True), {"not-a-file"}),
    "no message": (EMPTY, lambda r: (r / "p.ctx/messages").mkdir(), {"bad-message"}),
    "messages": ({"p.ctx/settings.yaml": "", "p.ctx/messages": "x"}, None, {"not-a-file"}),
    "a partial": ({"p.ctx": '{% include "partials" %}', "partials/x": ""}, None, {"not-a-file"}),
    "an imported text": ({"p.ctx": '{{ "partials" | import_text }}', "partials/x": ""}, None, {"not-a-file"}),
    "partials": ({"p.ctx": '{% include "partials/x" %}', "partials": "x"}, None, {"missing-file"}),
    "a system file": ({"p.ctx/settings.yaml": 'system_file: "."'}, None, {"not-a-file"}),
    "a pipe as package": ({"p.ctx": "x"}, lambda r: os.mkfifo(r / "q.ctx"), {"not-a-file"}),
    "a pipe as prompt": (without("p.ctx/prompt.j2"), lambda r: os.mkfifo(r / "p.ctx/prompt.j2"), {"not-a-file"}),
    "a pipe as partial": ({"p.ctx": '{% include "x" %}'}, lambda r: os.mkfifo(r / "x"), {"not-a-file"}),
    "a device": ({"p.ctx": "x"}, lambda r: (r / "q.ctx").symlink_to("/dev/zero"), {"outside-root"}),
    "a link to itself": ({"p.ctx": "x"}, lambda r: (r / "q.ctx").symlink_to("q.ctx"), {"link-loop"}),
    "a link to nothing": ({"p.ctx": "x"}, lambda r: (r / "q.ctx").symlink_to("nothing"), {"not-a-file"}),
    "a link to the root": ({"p.ctx": "x"}, lambda r: (r / "below").symlink_to("."), {"link-loop"}),
    "an empty file": ({"p.ctx": ""}, None, set()),
    "empty settings": ({"p.ctx/settings.yaml": ""}, None, set()),
    "four hundred directories": ({"d/" * 400 + "p.ctx": "x"}, None, set()),
}  # fmt: skip


@pytest.mark.parametrize(("files", "make", "expected"), MISPLACED.values(), ids=MISPLACED.keys())
def test_one_thing_in_the_place_of_another_is_reported(
    files: Mapping[str, str], make: Callable[[Path], Any] | None, expected: set[str], tmp_path: Path
) -> None:
    assert codes(tmp_path, files, make) == expected


@pytest.mark.parametrize("name", [*PACKAGE, "p.ctx/samples/a.yaml", "frozenctx.toml", "partials/x"])
def test_a_file_that_may_not_be_read_is_reported(name: str, tmp_path: Path) -> None:
    files = {**PACKAGE, "p.ctx/prompt.j2": '{% include "partials/x" %}', "partials/x": "", "frozenctx.toml": CONFIG}
    write(tmp_path, {**files, "p.ctx/samples/a.yaml": "variables: {}"})
    (tmp_path / name).chmod(0)
    if os.access(tmp_path / name, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(CompileError, match="unreadable-file"):
        frozenctx_compiler.load(tmp_path)


# -- templates --

MANY = 3000
TEMPLATES: Mapping[str, tuple[str, set[str]]] = {
    "a megabyte of text": ("x" * 1_000_000, set()),
    "a megabyte of lines": ("line\n" * 200_000, set()),
    "a megabyte of comment": ("{#" + "x" * 1_000_000 + "#}", set()),
    "a megabyte of raw": ("{% raw %}" + "{{" * 500_000 + "{% endraw %}", set()),
    "an error after a megabyte": ("x" * 1_000_000 + "{{", {"template-syntax"}),
    "an error in a wide line": ("日" * 200_000 + "{{ x | nope }}\t" * 2, {"unknown-filter"}),
    "many variables": ("{{ x }} " * 5_000, set()),
    "many variables side by side": ("{{ x }}" * 5_000, set()),
    "many ifs": ("{% if x %}a{% endif %}" * MANY, set()),
    "many includes": ('{% include "a.j2" %}' * 1000, set()),
    "many macros": ("".join(f"{{% macro m{i}() %}}{{% endmacro %}}" for i in range(500)), set()),
    "a long list": ("{{ [" + "1, " * 10_000 + "] }}", set()),
    "a long concatenation": ("{{ " + " ~ ".join(["x"] * MANY) + " }}", set()),
    "nested ifs": ("{% if x %}" * 1000 + "{% endif %}" * 1000, {"template-syntax"}),
    "nested loops": ("{% for a in x %}" * 30 + "{% endfor %}" * 30, {"template-syntax"}),
    "a long sum": ("{{ " + " + ".join(["x"] * MANY) + " }}", {"template-syntax"}),
    "a long sum of constants": ("{{ " + " + ".join(["1"] * MANY) + " }}", {"template-syntax"}),
    "many filters": ("{{ x" + " | upper" * MANY + " }}", {"template-syntax"}),
    "many attributes": ("{{ x" + ".y" * MANY + " }}", {"template-syntax"}),
    "many parentheses": ("{{ " + "(" * MANY + "x" + ")" * MANY + " }}", {"template-syntax"}),
    "many brackets": ("{{ " + "[" * 100_000, {"template-syntax"}),
    "many nots": ("{{ " + "not " * MANY + "x }}", {"template-syntax"}),
    "many elifs": ("{% if x %}" + "{% elif y %}a" * 200 + "{% endif %}", set()),
    "an enormous power": ("{{ 9 ** 9 ** 9 if false else 1 }}", set()),
    "an enormous string": ('{{ "x" * 10 ** 12 if false else 1 }}', set()),
    "an enormous list": ("{% if false %}{{ [0] * 10 ** 12 }}{{ range(10 ** 12) | list }}{% endif %}", set()),
    "an enormous width": ('{% if false %}{{ "x" | center(10 ** 12) }}{{ "%1000000000000d" % 1 }}{% endif %}', set()),
    "an enormous integer": ("{{ " + "9" * 5000 + " }}", {"template-syntax"}),
    "an enormous hexadecimal": ("{{ 0x" + "f" * 5000 + " }}", set()),
    "a division by zero": ("{{ 1 // 0 }}", set()),
    "half a surrogate pair": ('{{ "\\ud800" | length }}', set()),
    "a form feed": ("\x0c", set()),
    "NUL": ("a\0b", {"nul-character"}),
    "no UTF-8": ("\udcff", {"not-utf-8"}),
    "break outside a loop": ("{% break %}", {"template-syntax"}),
    "continue in an else": ("{% for a in x %}{% else %}{% continue %}{% endfor %}", {"template-syntax"}),
    "break in a macro in a loop": (
        "{% for a in x %}{% macro f() %}{% break %}{% endmacro %}{% endfor %}",
        {"template-syntax"},
    ),
    "an argument twice": ("{{ f(a=1, a=2) }}", {"template-syntax"}),
    "a parameter twice": ("{% macro f(a, a) %}{% endmacro %}", {"template-syntax"}),
    "a parameter of call twice": ("{% call(a, a) x() %}{% endcall %}", {"template-syntax"}),
    "only markers": ("<<<role:system>>>", set()),
    "many half markers": ("<<<role:" * 20_000, set()),
    "an unclosed fence": ("---\n", {"unclosed-front-matter"}),
    "nothing between fences": ("---\n---", set()),
    "an include of itself": ('{% include "p.ctx" %}', {"template-cycle"}),
    "an include of nothing": ('{% include "" %}', {"not-a-file"}),
    "an include of a long name": ('{% include "' + "a/" * 5000 + '" %}', {"missing-file"}),
    "an include of NUL": ('{% include "\\0" %}', {"missing-file"}),
    "an include of a surrogate": ('{% include "\\ud800" %}', {"missing-file"}),
    "an include of the root": ('{% include "/" %}', {"outside-root"}),
    "an include of a drive": ('{% include "C:\\\\x" %}', {"outside-root"}),
}


@pytest.mark.parametrize(("template", "expected"), TEMPLATES.values(), ids=TEMPLATES.keys())
def test_no_template_breaks_a_build_and_none_that_was_built_breaks_at_load(
    template: str, expected: set[str], tmp_path: Path
) -> None:
    source = template.encode("utf-8", "surrogateescape")
    assert codes(tmp_path, {"p.ctx": source, "a.j2": "a"}) == expected


def test_a_chain_of_includes_is_followed_however_long(tmp_path: Path) -> None:
    chain = {f"p{i}.j2": f'{{% include "p{i + 1}.j2" %}}' for i in range(50)}
    assert codes(tmp_path / "short", {"p.ctx": '{% include "p0.j2" %}', **chain, "p50.j2": "end"}) == set()
    assert frozenctx.load(tmp_path / "short/out")["p"].system() == "end"
    chain = {f"p{i}.j2": f'{{% include "p{i + 1}.j2" %}}' for i in range(1000)}
    assert codes(tmp_path / "long", {"p.ctx": '{% include "p0.j2" %}', **chain, "p1000.j2": "end"}) == set()


# -- YAML and JSON --

LAUGHS = "meta:\n  a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"  {chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)
YAML: Mapping[str, tuple[str, set[str]]] = {
    "open brackets": ("[" * 100_000, {"yaml-too-large"}),
    "nested lists": ("meta: {a: " + "[" * 500 + "]" * 500 + "}", {"yaml-too-large"}),
    "nested mappings": ("".join(" " * i + "a:\n" for i in range(500)), {"yaml-too-large"}),
    "a billion laughs": (LAUGHS, {"yaml-too-large"}),
    "a value in itself": ("meta: &a {b: *a}", {"recursive-alias"}),
    "a merge of itself": ("meta: &a {<<: *a}", {"recursive-alias"}),
    "a merge of a number": ("meta: {<<: 1}", {"bad-merge"}),
    "a list as key": ("meta: {[a]: b}", {"complex-key"}),
    "an enormous integer": ("meta: {a: " + "9" * 5000 + "}", {"yaml-too-large"}),
    "an enormous hexadecimal": ("meta: {a: 0x" + "f" * 5000 + "}", {"bad-value"}),
    "a wrong boolean": ("meta: {a: !!bool x}", {"misplaced-tag"}),
    "a wrong date": ("meta: {a: 2020-13-45}", {"ambiguous-scalar"}),
    "half a surrogate pair": ('meta: {a: "\\ud800"}', {"yaml-syntax"}),
    "a foreign object": ("meta: !!python/object:os.system {}", {"unknown-tag"}),
    "two documents": ("a: 1\n---\nb: 2", {"yaml-syntax"}),
    "a tab": ("meta:\n\ta: 1", {"yaml-syntax"}),
    "a control character": ("meta: {a: \x01}", {"yaml-syntax"}),
    "a long key": ("meta: {" + "a" * 500 + ": 1}", set()),
    "a megabyte": ("meta: {a: " + "x" * 1_000_000 + "}", set()),
    "no mapping": ("- a", {"bad-value"}),
    "nothing but a comment": ("# nothing", set()),
    "many gets": ("model: !? " + '$env.get("X", ' * 500 + "1" + ")" * 500, {"expression-syntax"}),
}


@pytest.mark.parametrize(("text", "expected"), YAML.values(), ids=YAML.keys())
def test_no_settings_break_a_build(text: str, expected: set[str], tmp_path: Path) -> None:
    assert codes(tmp_path, {"p.ctx/settings.yaml": text, "p.ctx/prompt.j2": "x"}) == expected


@pytest.mark.parametrize("text", [text for text, _ in YAML.values()], ids=YAML.keys())
@pytest.mark.parametrize("place", ["sample", "variables", "message", "front matter", "import_yaml"])
def test_no_other_yaml_breaks_a_build(text: str, place: str, tmp_path: Path) -> None:
    inside = "".join(f"  {line}\n" for line in text.split("\n"))
    files = {
        "sample": {**PACKAGE, "p.ctx/samples/a.yaml": text},
        "variables": {**PACKAGE, "p.ctx/samples/a.yaml": f"variables:\n{inside}"},
        "message": {"p.ctx/settings.yaml": "", "p.ctx/messages/1.yaml": text},
        "front matter": {"p.ctx": f"---\n{text}\n---\nx"},
        "import_yaml": {"p.ctx": '{{ "d.yaml" | import_yaml }}', "d.yaml": text},
    }
    codes(tmp_path, files[place])


JSON: Mapping[str, tuple[str, set[str]]] = {
    "nothing": ("", {"json-syntax"}),
    "open brackets": ("[" * 100_000, {"json-syntax"}),
    "nested objects": ('{"a":' * 500 + "1" + "}" * 500, {"json-syntax"}),
    "not a number": ('{"a": NaN}', {"json-syntax"}),
    "an enormous integer": ('{"a": ' + "9" * 5000 + "}", {"json-syntax"}),
    "an enormous number": ('{"a": 1e999}', {"json-syntax"}),
    "half a surrogate pair": ('{"a": "\\ud800"}', {"json-syntax"}),
    "a key twice": ('{"a": 1, "a": 2}', {"duplicate-key"}),
    "no schema": ("[]", {"bad-value"}),
    "a megabyte": (json.dumps({"description": "x" * 1_000_000}), set()),
    "true": ("true", set()),
}


@pytest.mark.parametrize(("text", "expected"), JSON.values(), ids=JSON.keys())
def test_no_schema_file_breaks_a_build(text: str, expected: set[str], tmp_path: Path) -> None:
    assert codes(tmp_path, {"p.ctx/settings.yaml": "schema_file: s.json", "p.ctx/s.json": text}) == expected


TOML: Mapping[str, tuple[str, set[str]]] = {
    "open brackets": ("x = " + "[" * 100_000, {"toml-syntax"}),
    "NUL": ("\0", {"nul-character"}),
    "a mount of NUL": ('[mounts]\nx = "\\u0000"', {"bad-option"}),
    "a tree of NUL": ('[trees]\n"." = "\\u0000"', {"bad-option"}),
    "a tree outside": ('[trees]\n"../x" = ""', {"outside-root"}),
    "a tree that is a list": ("[[trees]]", {"bad-option"}),
    "a pattern of stars": (f'[packages]\nalso = ["{"*" * 100}b"]', set()),
    "a date": ("required-version = 2020-01-01", {"bad-option"}),
}


@pytest.mark.parametrize(("text", "expected"), TOML.values(), ids=TOML.keys())
def test_no_frozenctx_toml_breaks_a_build(text: str, expected: set[str], tmp_path: Path) -> None:
    assert codes(tmp_path, {"frozenctx.toml": text, "p.ctx": "x"}) == expected


# -- arguments --


@pytest.mark.parametrize("select", ["..", "/", "nowhere", "P", "*", "\0", "\udcff", "a" * 5000, "p.ctx/../../x"])
def test_selecting_what_is_not_there_is_reported(select: str, tmp_path: Path) -> None:
    write(tmp_path, {"frozenctx.toml": CONFIG, "p.ctx": "x"})
    with pytest.raises(CompileError, match="no-packages"):
        frozenctx_compiler.load(tmp_path, select=[select])


@pytest.mark.parametrize("out", ["file", "src", "src/p.ctx", "src/p.ctx/out", "foreign", "missing/deep/out"])
def test_an_output_that_cannot_be_one_is_refused_without_harm(out: str, tmp_path: Path) -> None:
    write(tmp_path, {"src/p.ctx": "x", "src/q.ctx/settings.yaml": "", "file": "x", "foreign/precious.txt": "x"})
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = command("build", tmp_path / "src", "-o", tmp_path / out)
    assert done.returncode == (0 if out.startswith("missing") else 1), done.stderr
    assert "has a bug" not in done.stderr
    assert {path: path.read_bytes() for path in before} == before
