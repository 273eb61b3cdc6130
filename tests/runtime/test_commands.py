"""`python -m frozenctx`: what each command prints, and its exit status."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from frozenctx.format import interpreter
from frozenctx.vendoring import vendor
from handmade import package, stored

RUNTIME = Path(__file__).parents[2] / "runtime"
DRAFT = package(
    "briefs/draft",
    "Be {{ tone }}.",
    "{{ items | join(', ') }}",
    max_tokens=100,
    meta={"description": "writes a first draft"},
)
TITLE = package("chat/title", literal="Give a title.")
MONEY = package("money", "{{ 1 | money }}")


def run(*arguments: object, text: str = "") -> tuple[int, str, str]:
    """Exit status, stdout, stderr of a bare interpreter: nothing but the standard library and the runtime folder."""
    start = f"import sys, runpy; sys.path.insert(0, {str(RUNTIME)!r}); runpy.run_module('frozenctx', None, '__main__')"
    command = [sys.executable, "-I", "-S", "-c", start, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, input=text.encode(), env={})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    stored(tmp_path / "out", DRAFT, TITLE)
    return tmp_path / "out"


def test_ls_lists_the_prompts(out: Path) -> None:
    status, text, _ = run("ls", out)
    header, draft, title = text.splitlines()
    assert status == 0
    assert header.split() == ["KEY", "NAME", "VERSION", "MODEL", "DESCRIPTION"]
    assert draft.startswith("briefs/draft  draft  briefs/draft@v")
    assert draft.endswith("openai:gpt-5  writes a first draft")
    assert title.endswith("openai:gpt-5")
    status, text, _ = run("ls", out, "--json")
    assert [row["key"] for row in json.loads(text)["prompts"]] == ["briefs/draft", "chat/title"]


def test_show_says_what_a_prompt_is(out: Path) -> None:
    status, text, _ = run("show", out, "briefs/draft", "--json")
    shown = json.loads(text)
    assert status == 0
    assert shown["settings"] == {"max_tokens": 100, "model": "openai:gpt-5"}
    assert shown["version"].startswith("briefs/draft@v")
    assert [message["role"] for message in shown["messages"]] == ["system", "user"]
    assert "max_tokens" in run("show", out, "briefs/draft")[1]


def test_render_takes_text_json_and_a_file_and_prints_messages(out: Path, tmp_path: Path) -> None:
    variables = '{"tone": "kind", "items": ["ä"]}'
    file = tmp_path / "v.json"
    file.write_text(variables, "utf-8")
    expected = "--- system ---\nBe kind.\n--- user ---\nä\n"
    assert run("render", out, "briefs/draft", "--vars", file) == (0, expected, "")
    assert run("render", out, "briefs/draft", "--vars", "-", text=variables) == (0, expected, "")
    status, text, _ = run(
        "render", out, "briefs/draft", "--json", "--var", "tone=a=b", "--var", 'items:=["x", 1]', "--vars", file
    )
    assert (status, json.loads(text)) == (
        0, [{"role": "system", "content": "Be a=b."}, {"role": "user", "content": "x, 1"}],
    )  # fmt: skip


def test_render_of_a_template_that_fails_says_where_and_exits_1(out: Path) -> None:
    status, text, error = run("render", out, "briefs/draft", "--var", "items:=[]")
    assert (status, text) == (1, "")
    first, note = error.splitlines()
    assert first == "error: UndefinedError: 'tone' is undefined"
    assert re.fullmatch(
        r"in briefs/draft@v[0-9a-f]{12}, role system, briefs/draft\.ctx/prompt\.j2 line 1; given: `items`", note
    )
    status, _, error = run("render", out, "briefs/draft", "--var", "tone=x", "--var", "items:=3")
    assert status == 1
    assert error.startswith("error: TypeError: ")
    assert "in briefs/draft@v" in error


def test_prompts_that_need_the_host_can_be_looked_at_and_rendering_them_says_what_is_missing(tmp_path: Path) -> None:
    stored(tmp_path, DRAFT, MONEY, package("r", literal="", system_render="corp"))
    assert run("ls", tmp_path)[0] == run("show", tmp_path, "money")[0] == run("verify", tmp_path)[0] == 0
    assert run("render", tmp_path, "briefs/draft", "--var", "tone=x", "--var", "items:=[]")[0] == 0
    status, _, error = run("render", tmp_path, "money")
    assert status == 1
    assert "filter `money`" in error
    status, _, error = run("render", tmp_path, "r")
    assert status == 1
    assert "the renderer `corp`" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["render", "OUT", "briefs/drft"], "did you mean `briefs/draft`"),
        (["ls", "OUT", "--profile", "prod"], "no profile `prod`"),
        (["ls", "OUT/nowhere"], "does not exist"),
        (["ls", "OUT", "--release", "latest"], "expected `sha256:`"),
        (["render", "OUT", "chat/title", "--var", "x"], "expected NAME=TEXT or NAME:=JSON"),
        (["render", "OUT", "chat/title", "--var", "x:=}"], "is not JSON"),
        (["render", "OUT", "chat/title", "--var", "x=1", "--var", "x:=2"], "`x` is given twice"),
        (["render", "OUT", "chat/title", "--vars", "OUT/nowhere.json"], "cannot be read"),
        (["render", "OUT", "chat/title", "--vars", "OUT/frozenctx.txt"], "is not JSON"),
        (["rollback", "OUT", "--to", "yesterday"], "64 hexadecimal digits"),
        (["rollback", "OUT"], "--to"),
        (["releases", "OUT/nowhere"], "is no directory"),
        (["verify", "OUT", "--profile", "x"], "no profile `x`"),
        (["verify", "OUT", "--expect", "x"], "expected `sha256:`"),
        (["nonsense"], "invalid choice"),
        ([], "required"),
    ],
)
def test_a_wrong_argument_exits_2_and_says_why(out: Path, arguments: list[str], message: str) -> None:
    status, text, error = run(*(argument.replace("OUT", str(out)) for argument in arguments))
    assert (status, text) == (2, "")
    assert message in error
    assert "Traceback" not in error


def test_verify_says_whole_or_names_every_fault(out: Path) -> None:
    status, text, error = run("verify", out)
    assert (status, error) == (0, "")
    assert text.endswith(f", 2 prompts, whole, pack for {interpreter()}\n")
    for path in (out / "objects").rglob("*.json"):
        data = path.read_bytes()
        if not data.startswith(b'{"format"'):
            path.write_bytes(data[:-2] + b" }")
    status, text, error = run("verify", out)
    assert status == 1
    assert "2 faults" in text
    assert error.count("is damaged: its bytes have another digest") == 2
    (out / "profiles" / "default").write_text("garbage")
    assert run("verify", out)[0] == 1


def test_a_pack_that_is_there_is_enough_where_nothing_can_be_written() -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        os.chmod(root, 0o755)
        stored(root / "out", DRAFT)
        vendor(str(root / "out"))
        (pack_file,) = (root / "out" / "packs").iterdir()
        pack_file.unlink()

        def pack() -> tuple[int, str, str]:
            # Whoever may do everything becomes nobody, when all of the standard library that is needed is there.
            start = f"import sys; sys.path.insert(0, {str(root / 'out' / 'runtime')!r})"
            start += "; from frozenctx import commands; import contextlib, fcntl, importlib.util, io, os, py_compile\n"
            start += "with contextlib.redirect_stdout(io.StringIO()): commands.main(['verify', sys.argv[2]])\n"
            start += "os.geteuid() or os.setuid(65534); sys.exit(commands.main(sys.argv[1:]))"
            command = [sys.executable, "-I", "-S", "-c", start, "pack", str(root / "out")]
            for path in root.rglob("*"):
                path.chmod(0o555 if path.is_dir() else 0o444)
            done = subprocess.run(command, capture_output=True, text=True, env={})
            for path in root.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
            return done.returncode, done.stdout, done.stderr

        assert pack() == (1, "", f"error: `{root / 'out'}` cannot be written: Permission denied\n")
        assert run("pack", root / "out")[0] == 0
        status, text, err = pack()
        assert (status, err) == (0, "")
        assert text.endswith(".pack (was there already)\n")
        (root / "out" / "runtime" / "frozenctx" / "words.py").write_text("")
        assert pack()[0] == 1  # bytecode of another module is not what was asked for


def test_helps_promise_a_zip_file_only_where_one_is_read(out: Path) -> None:
    for name in ("ls", "show", "render", "verify", "fresh", "pack", "rollback", "releases"):
        promised = "zip file" in run(name, "--help")[1]
        assert promised == (name not in ("pack", "rollback", "releases"))


def test_verify_expects_a_release(out: Path) -> None:
    status, _, error = run("verify", out, "--expect", "sha256:" + "0" * 64)
    assert status == 1
    assert "is expected" in error


def test_releases_and_rollback(out: Path) -> None:
    first = run("releases", out)[1].split()[1]
    stored(out, TITLE)
    status, text, _ = run("releases", out)
    rows = [line.split() for line in text.splitlines()]
    assert status == 0
    assert [row[1] for row in rows][1] == first
    assert [row[-1] for row in rows] == ["current", "prompts"]
    assert run("rollback", out, "--to", first) == (0, f"profile `default` points to {first}\n", "")
    assert run("ls", out)[1].count("\n") == 3
    assert run("releases", out)[1].split("\n")[0].endswith("2 prompts  current")
    status, _, error = run("rollback", out, "--to", "sha256:" + "3" * 64)
    assert status == 1
    assert "is not in" in error
    assert run("ls", out)[1].count("\n") == 3


def test_where_there_are_several_profiles_the_option_that_says_which_is_named(out: Path) -> None:
    release = run("releases", out)[1].split()[1]
    stored(out, TITLE, profile="staging")
    for command in (
        ["ls", out],
        ["show", out, "chat/title"],
        ["tools", out],
        ["render", out, "chat/title"],
        ["rollback", out, "--to", release],
        ["pack", out, "--output", out / "p"],
    ):
        status, text, error = run(*command)
        said = f"error: `{out}` has several profiles (`default`, `staging`); say which with --profile\n"
        assert (status, text, error) == (2, "", said)
    assert run("ls", out, "--release", release)[0] == run("ls", out, "--profile", "staging")[0] == 0


def test_rollback_to_a_release_that_is_not_whole_is_refused(out: Path) -> None:
    first = run("releases", out)[1].split()[1]
    second = stored(out, TITLE).release
    for path in (out / "objects").rglob("*.py"):
        path.unlink()
    status, _, error = run("rollback", out, "--to", first)
    assert status == 1
    assert "missing" in error
    assert second in (out / "profiles" / "default").read_text()
