"""Nine packages, each broken in its own way, and a tenth: one run names all of them, and writes nothing.

The corpus holds the words (`nine-broken-one-sound`); here is what happens around them: the output directory, the exit
code, what is counted, and what a caller of the library gets.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx_compiler import CompileError
from frozenctx_compiler.api import check
from pipeline.outputs import command, files
from source_trees import write

CONFIG = {"frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n'}

BROKEN: Mapping[str, tuple[str, Mapping[str, str | bytes]]] = {
    "a": ("template-syntax", {"a.ctx": "{% if x %}never closed"}),
    "b": ("missing-file", {"b.ctx": '{% include "partials/nowhere.j2" %}'}),
    "c": ("unclosed-front-matter", {"c.ctx": "---\nname: c\n"}),
    "d": ("missing-settings", {"d.ctx/prompt.j2": "Hello."}),
    "e": ("yaml-syntax", {"e.ctx/settings.yaml": "name: [e\n", "e.ctx/prompt.j2": "Hello."}),
    "f": ("not-utf-8", {"f.ctx/settings.yaml": "", "f.ctx/prompt.j2": b"caf\xe9"}),
    "g": ("role-order", {"g.ctx": "<<<role:system>>>a<<<role:system>>>b"}),
    "h": ("bad-value", {"h.ctx/settings.yaml": "system: x\nmax_tokens: many\n"}),
    "i": ("bad-message", {"i.ctx/settings.yaml": "", "i.ctx/messages/1.yaml": "role: system\n"}),
}
"""Key → the code of its one error, and its files."""

SOUND = {"j.ctx/settings.yaml": "x-mine: 1\n", "j.ctx/prompt.j2": "{{ thing._secret }}"}
"""No error, and the lint `private-attribute` (a warning): it can only be found if the package is still checked."""

WORKING = {"a.ctx": "Hello, {{ x }}.", "j.ctx": "Fine."}


def broken(root: Path) -> Path:
    write(root, CONFIG)
    for _, sources in BROKEN.values():
        write(root, sources)
    return write(root, SOUND)


def test_all_nine_are_reported_and_the_tenth_is_checked(tmp_path: Path) -> None:
    result = frozenctx_compiler.build(broken(tmp_path / "src"), tmp_path / "out")
    found = {finding.packages: finding.code for finding in result.report.diagnostics if finding.level == "error"}
    assert found == {(key,): code for key, (code, _) in BROKEN.items()}
    assert [(f.code, f.packages) for f in result.report.diagnostics if f.level == "warning"] == [
        ("private-attribute", ("j",))
    ]
    assert not result.written
    assert result.release is None
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("pair", [(one, other) for one in BROKEN for other in BROKEN if one < other], ids="-".join)
def test_no_broken_package_hides_another(pair: tuple[str, str], tmp_path: Path) -> None:
    write(tmp_path, CONFIG)
    for key in pair:
        write(tmp_path, BROKEN[key][1])
    with pytest.raises(CompileError) as caught:
        frozenctx_compiler.load(tmp_path)
    assert Counter(f.code for f in caught.value.diagnostics) == Counter(BROKEN[key][0] for key in pair)


def test_the_release_before_is_untouched_byte_for_byte(tmp_path: Path) -> None:
    src, out = tmp_path / "src", tmp_path / "out"
    frozenctx_compiler.build(write(src, CONFIG | WORKING), out)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in out.rglob("*")}
    content = files(out)
    opened = frozenctx.load(out)
    (src / "j.ctx").unlink()
    broken(src)
    for select in ((), ("a",), ("a", "j")):
        assert not frozenctx_compiler.build(src, out, select=select, prune=True).written
    assert files(out) == content
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in out.rglob("*")} == before
    assert opened["a"].system(x=1) == frozenctx.load(out, verify=True)["a"].system(x=1) == "Hello, 1."


def test_the_command_line_names_them_all_counts_them_and_exits_with_1(tmp_path: Path) -> None:
    src = broken(tmp_path / "src")
    done = command("build", src, "-o", tmp_path / "out")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[-1] == "9 errors, 1 warning in 10 packages; nothing was written"
    shown = Counter(line.partition("]")[0] for line in lines if line.startswith(("error[", "warning[")))
    assert shown == Counter([*(f"error[{code}" for code, _ in BROKEN.values()), "warning[private-attribute"])
    assert not (tmp_path / "out").exists()
    checked = command("check", src)
    assert checked.returncode == 1
    assert checked.stderr.splitlines()[:-1] == lines[:-1]


def test_a_chain_of_templates_longer_than_the_stack_builds_and_a_loop_of_them_is_a_cycle(tmp_path: Path) -> None:
    length = 2 * sys.getrecursionlimit()
    chain = {f"c{n}.j2": f'{{% include "c{n + 1}.j2" %}}' for n in range(length)}
    write(tmp_path, {"p.ctx": '---\nmodel: openai/gpt-5\n---\n{% include "c0.j2" %}', **chain, f"c{length}.j2": "end"})
    assert check(tmp_path).report.diagnostics == ()
    write(tmp_path, {f"c{length}.j2": '{% include "c0.j2" %}'})
    assert [found.code for found in check(tmp_path).report.diagnostics] == ["template-cycle"]


@pytest.mark.parametrize("count", [1, 2, 9])
def test_the_closing_line_counts_packages_and_errors(count: int, tmp_path: Path) -> None:
    write(tmp_path / "src", {**CONFIG, "sound.ctx": "Fine.", "other.ctx": "Fine."})
    for _, sources in list(BROKEN.values())[:count]:
        write(tmp_path / "src", sources)
    last = command("build", tmp_path / "src", "-o", tmp_path / "out").stderr.splitlines()[-1]
    errors = "1 error" if count == 1 else f"{count} errors"
    assert last == f"{errors}, no warnings in {count} of {count + 2} packages; nothing was written"


def test_a_mistake_in_a_shared_file_is_one_error_of_many_packages(tmp_path: Path) -> None:
    write(tmp_path, {**CONFIG, "partials/shared.j2": "{{ x | upcas }}", "other.ctx": "Fine."})
    for key in "abc":
        write(tmp_path, {f"{key}.ctx": '{% include "partials/shared.j2" %}'})
    done = command("check", tmp_path)
    assert done.stderr.count("error[") == 1
    assert done.stderr.splitlines()[-1] == "1 error, no warnings in 3 of 4 packages; check writes nothing"


def test_a_lint_that_is_denied_stops_the_build_and_one_that_is_not_does_not(tmp_path: Path) -> None:
    src = write(tmp_path / "src", CONFIG | SOUND)
    allowed = command("build", src, "-o", tmp_path / "allowed")
    assert (allowed.returncode, (tmp_path / "allowed" / "profiles" / "default").exists()) == (0, True)
    denied = command("build", src, "-o", tmp_path / "denied", "--deny", "private-attribute")
    assert (denied.returncode, (tmp_path / "denied").exists()) == (1, False)


def test_selecting_a_sound_package_among_broken_ones_builds_it(tmp_path: Path) -> None:
    result = frozenctx_compiler.build(broken(tmp_path / "src"), tmp_path / "out", select=("j",))
    assert result.written
    assert list(frozenctx.load(tmp_path / "out")) == ["j"]
