"""The commands: what goes to stdout and to stderr, and the exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from frozenctx import commands
from frozenctx_compiler import api, cli

GREETING = """---
model: !? $env.get("MODEL", "openai/gpt-5")
---
<<<role:system>>>
You greet people{% if tone %}, {{ tone }}{% endif %}.
<<<role:user>>>
Greet {{ name }}, {{ visits }} visits.
"""
SAMPLES = """first:
  variables: {name: Ada, visits: 3, tone: warmly}
"""


class Done(NamedTuple):
    out: str
    err: str
    code: int


Frozenctx = Callable[..., Done]


@pytest.fixture
def frozenctx(capsys: pytest.CaptureFixture[str]) -> Frozenctx:
    def run(*arguments: str) -> Done:
        code = cli.run(arguments)
        out, err = capsys.readouterr()
        return Done(out, err, code)

    return run


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of two packages below the current directory, `prompts/`."""
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "prompts"
    write(root / "greeting.ctx", GREETING)
    write(root / "greeting.samples.yaml", SAMPLES)
    write(root / "sub/other.ctx", "---\nmodel: openai/gpt-5\nmeta: {description: another}\n---\nNothing to say.\n")
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


# -- build, check --


def test_a_build_says_what_it_did_and_prints_the_release(frozenctx: Frozenctx, tree: Path) -> None:
    done = frozenctx("build", "prompts", "-o", "dist")
    assert done.code == 0
    assert done.out.startswith("sha256:")
    assert len(done.out) == 72
    assert done.err.startswith("no errors, no warnings in 2 packages; ")
    assert done.err.endswith(" objects written to dist, profile `default` switched\n")
    again = frozenctx("build", "prompts", "-o", "dist")
    assert again.out == done.out
    assert again.err.endswith("no objects written to dist, profile `default` unchanged\n")


def test_a_broken_package_writes_nothing_and_the_last_line_says_so(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "broken.ctx", "{% if %}\n")
    done = frozenctx("build", "prompts", "-o", "dist")
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("\n1 error, 1 warning in 1 of 3 packages; nothing was written\n")
    assert not (tree.parent / "dist").exists()


def test_findings_of_all_packages_are_shown_in_one_run(frozenctx: Frozenctx, tree: Path) -> None:
    for number in range(9):
        write(tree / f"broken{number}.ctx", "---\nmodel: m\n---\n{{ x | nofilter }}\n")
    done = frozenctx("check", "prompts")
    assert done.code == 1
    assert done.err.count("error[") == 9
    assert "9 errors, no warnings in 9 of 11 packages" in done.err


def test_out_and_profile_default_from_the_project_file(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "frozenctx.toml", '[defaults]\nout = "../made"\nprofile = "prod"\n')
    assert frozenctx("build", "prompts").code == 0
    assert (tree.parent / "made/profiles/prod").is_file()


def test_without_a_place_to_write_to_a_build_is_a_usage_error(frozenctx: Frozenctx, tree: Path) -> None:
    done = frozenctx("build", "prompts")
    assert done.code == 2
    assert "--out OUT" in done.err


def test_a_directory_that_is_not_ours_is_left_alone(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree.parent / "dist/mine.txt", "mine")
    done = frozenctx("build", "prompts", "-o", "dist")
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert sorted(os.listdir("dist")) == ["mine.txt"]


@pytest.mark.parametrize("argument", ["prompts/sub", "prompts/sub/other.ctx"])
def test_a_path_selects_what_is_below_it(frozenctx: Frozenctx, tree: Path, argument: str) -> None:
    write(tree / "frozenctx.toml", "")
    assert frozenctx("build", argument, "-o", "dist").code == 0
    assert frozenctx("ls", "dist", "--json").out.count('"key"') == 1
    assert "sub/other@v" in frozenctx("ls", "dist").out


def test_keys_select_packages_of_the_tree_around_the_current_directory(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    assert frozenctx("build", "sub/other", "-o", "../dist").code == 0
    assert [p["key"] for p in json.loads(frozenctx("ls", "../dist", "--json").out)["prompts"]] == ["sub/other"]


@pytest.mark.parametrize("arguments", [("prompts", "sub/other"), ("sub/other", "--src", "prompts")])
@pytest.mark.parametrize("command", ["build", "check", "test", "env"])
def test_every_command_takes_keys_of_a_tree_elsewhere(
    frozenctx: Frozenctx, tree: Path, command: str, arguments: Sequence[str]
) -> None:
    done = frozenctx(command, *arguments, *(("-o", "dist") if command == "build" else ()))
    assert done.code == 0
    if command == "env":
        assert "MODEL" not in done.out
    else:
        assert " of 1 package" in done.err or " in 1 package;" in done.err or "no packages: nothing tried" in done.err
    if command == "build":
        assert [p["key"] for p in json.loads(frozenctx("ls", "dist", "--json").out)["prompts"]] == ["sub/other"]
        assert frozenctx("render", *arguments[:1], "--src", "prompts").code == (0 if "--src" in arguments else 2)


def test_a_key_that_is_not_there_is_answered_with_those_that_are(frozenctx: Frozenctx, tree: Path) -> None:
    assert frozenctx("build", "prompts", "-o", "dist").code == 0
    for command in (("show", "dist"), ("tools", "dist"), ("render", "--from", "dist")):
        done = frozenctx(*command, "nothing-like-it")
        assert done.code == 2
        assert "no prompt has the key `nothing-like-it`; the keys are `greeting`, `sub/other`" in done.err
        assert "`other`; it is the name of `sub/other`" in frozenctx(*command, "other").err
    for command in (("test", "--src", "prompts"), ("check", "prompts")):
        assert "the keys are `greeting`, `sub/other`" in frozenctx(*command, "nothing-like-it").err
        assert "did you mean `sub/other`?" in frozenctx(*command, "other").err


def test_several_paths_are_built_together(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "frozenctx.toml", "")
    assert frozenctx("build", "prompts/sub", "prompts/greeting.ctx", "-o", "dist").code == 0
    assert frozenctx("ls", "dist", "--json").out.count('"key"') == 2


def test_a_lint_is_moved_by_deny_and_warn(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "nomodel.ctx", "Hello.\n")
    assert "warning[default-model]" in frozenctx("check", "prompts").err
    denied = frozenctx("check", "prompts", "--deny", "default-model")
    assert denied.code == 1
    assert "error[default-model]" in denied.err
    assert frozenctx("check", "prompts", "--warn", "default-model").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--deny", "default-modle"), "did you mean `default-model`?"),
        (("--warn", "duplicate-key"), "`duplicate-key` is always an error"),
        (("--deny", "default-model", "--warn", "default-model"), "both denied and a warning"),
        (("--env", "NAME"), "NAME=value"),
        (("--env-file", "nowhere.env"), "nowhere.env"),
        (("--links", "maybe"), "maybe"),
    ],
)
def test_a_wrong_option_is_a_usage_error(
    frozenctx: Frozenctx, tree: Path, arguments: Sequence[str], words: str
) -> None:
    done = frozenctx("check", "prompts", *arguments)
    assert done.code == 2
    assert words in done.err


def test_what_does_not_exist_is_a_finding(frozenctx: Frozenctx, tree: Path) -> None:
    done = frozenctx("check", "nowhere/at/all")
    assert done.code == 1
    assert "nowhere/at/all" in done.err


# -- the environment --


def model_of(frozenctx: Frozenctx, *arguments: str) -> str:
    assert frozenctx("build", "prompts", "-o", "dist", *arguments).code == 0
    prompts = json.loads(frozenctx("ls", "dist", "--json").out)["prompts"]
    return str(next(p["model"] for p in prompts if p["key"] == "greeting"))


def test_values_come_from_options_and_never_from_the_process(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "openai/of-the-process")
    write(tree.parent / "a.env", "MODEL=openai/a\n")
    write(tree.parent / "b.env", "MODEL=openai/b\n")
    assert model_of(frozenctx) == "openai:gpt-5"
    assert model_of(frozenctx, "--env-file", "a.env") == "openai:a"
    assert model_of(frozenctx, "--env-file", "a.env", "--env-file", "b.env") == "openai:b"
    assert model_of(frozenctx, "--env", "MODEL=openai/c", "--env-file", "a.env") == "openai:c"


def test_single_variables_of_the_process_are_taken_when_they_are_named(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "openai/of-the-process")
    monkeypatch.delenv("ABSENT", raising=False)
    write(tree.parent / "a.env", "MODEL=openai/a\n")
    assert model_of(frozenctx, "--env-from-process", "MODEL", "--env-file", "a.env") == "openai:of-the-process"
    assert model_of(frozenctx, "--env-from-process", "MODEL", "--env", "MODEL=openai/c") == "openai:c"
    absent = frozenctx("check", "prompts", "--env-from-process", "ABSENT")
    assert (absent.code, "the process has no variable `ABSENT`" in absent.err) == (2, True)


def test_the_record_says_what_gave_each_name(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL", "openai/of-the-process")
    write(tree.parent / "a.env", "MODEL=openai/a\n")

    def given(*arguments: str) -> object:
        release = frozenctx("build", "prompts", "-o", "dist", *arguments).out.strip()
        return json.loads((tree.parent / "dist" / "records" / f"{release[7:]}.json").read_bytes())["environment"]

    assert given() == {}
    assert given("--env-file", str(tree.parent / "a.env")) == {"MODEL": "a.env"}
    assert given("--env-from-process", "MODEL") == {"MODEL": "--env-from-process"}
    assert given("--env", "MODEL=openai/c") == {"MODEL": "--env"}


def test_several_profiles_are_built_and_compared(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree.parent / "a.env", "MODEL=openai/a\n")
    write(tree.parent / "b.env", "MODEL=openai/b\n")
    done = frozenctx("build", "prompts", "-o", "dist", "--profile", "prod=a.env", "--profile", "spare=b.env")
    assert (done.code, done.err.count(" switched")) == (0, 2)
    releases = dict(line.split() for line in done.out.splitlines())
    assert list(releases) == ["prod", "spare"]
    shown = frozenctx("profiles", "dist").out
    assert f"prod   {releases['prod']}" in shown
    assert "\ngreeting\n  model\n    prod   openai:a\n    spare  openai:b\n" in shown
    (difference,) = json.loads(frozenctx("profiles", "dist", "--json").out)["differences"]
    assert difference == {"key": "greeting", "part": "model", "values": {"prod": "openai:a", "spare": "openai:b"}}
    absent = frozenctx("build", "prompts", "-o", "dist", "--profile", "prod=absent.env")
    assert (absent.code, "`absent.env` of `prod` does not exist" in absent.err) == (2, True)


def test_a_faulty_env_file_is_pointed_at_without_showing_a_value(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree.parent / "prod.env", "MODEL=openai/a\nTOKEN = s3cret\n")
    done = frozenctx("check", "prompts", "--env-file", "prod.env")
    assert done.code == 1
    assert "prod.env:2:" in done.err
    assert "s3cret" not in done.err


def test_env_lists_every_name_as_a_file_that_changes_nothing(frozenctx: Frozenctx, tree: Path) -> None:
    write(
        tree / "many.ctx",
        "---\n"
        'model: !? $env.get("MODEL", "openai/gpt-5")\n'
        'max_tokens: !? $env.get("LIMIT", 800)\n'
        'temperature: !? $env.get("HEAT", null)\n'
        'reasoning_effort: !? $env.get("EFFORT", $env.get("BASE_EFFORT", "low"))\n'
        'name: !? $env.get("LABEL", "two \'words\'")\n'
        "---\nHello.\n",
    )
    listed = frozenctx("env", "prompts")
    assert (listed.code, listed.err) == (0, "")
    assert "# greeting, many\nMODEL=openai/gpt-5\n" in listed.out
    assert "# many\nLIMIT=800\n" in listed.out
    assert "# many: default null\n#HEAT=\n" in listed.out
    assert '# many: default $env.get("BASE_EFFORT", "low")\n#EFFORT=\n' in listed.out
    write(tree.parent / "listed.env", listed.out)
    bare = frozenctx("build", "prompts", "-o", "bare").out
    assert frozenctx("build", "prompts", "-o", "with", "--env-file", "listed.env").out == bare != ""


def test_env_lists_names_that_a_build_would_stop_for(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "needs.ctx", '---\nmodel: !? $env.get("NEEDED")\n---\nHello.\n')
    assert frozenctx("check", "prompts").code == 1
    listed = frozenctx("env", "prompts")
    assert listed.code == 0
    assert "# needs\nNEEDED=\n" in listed.out


def test_env_says_that_a_default_differs_between_packages(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "other.ctx", '---\nmodel: !? $env.get("MODEL", "openai/gpt-4")\n---\nHello.\n')
    listed = frozenctx("env", "prompts").out
    assert '# greeting: default "openai/gpt-5"\n# other: default "openai/gpt-4"\n#MODEL=\n' in listed


# -- render --

GREETED = "--- system ---\nYou greet people, warmly.\n--- user ---\nGreet Ada, 3 visits.\n"
VARIABLES = ("--var", "name=Ada", "--var", "visits:=3", "--var", "tone=warmly")


def test_source_and_artifacts_render_the_same(frozenctx: Frozenctx, tree: Path) -> None:
    assert frozenctx("build", "prompts", "-o", "dist").code == 0
    from_source = frozenctx("render", "prompts/greeting.ctx", *VARIABLES)
    assert from_source == (GREETED, "", 0)
    assert frozenctx("render", "--src", "prompts", "greeting", *VARIABLES) == from_source
    assert frozenctx("render", "--from", "dist", "greeting", *VARIABLES) == from_source


def test_variables_come_from_a_sample_a_file_and_options_the_later_stronger(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree.parent / "vars.json", '{"visits": 4, "tone": "coolly"}')
    write(tree.parent / "vars.yaml", "{visits: 5, tone: 寒}")
    render = ("render", "prompts/greeting.ctx", "--sample", "first")
    assert frozenctx(*render).out == GREETED
    assert "coolly" in frozenctx(*render, "--vars", "vars.json").out
    assert "5 visits" in frozenctx(*render, "--vars", "vars.yaml").out
    assert "6 visits" in frozenctx(*render, "--vars", "vars.json", "--var", "visits:=6").out


def test_one_role_is_printed_as_it_is_and_messages_as_json(frozenctx: Frozenctx, tree: Path) -> None:
    assert frozenctx("render", "prompts/greeting.ctx", *VARIABLES, "--role", "user").out == "Greet Ada, 3 visits."
    messages = json.loads(frozenctx("render", "prompts/greeting.ctx", *VARIABLES, "--json").out)
    assert [message["role"] for message in messages] == ["system", "user"]


def test_control_sequences_of_a_value_are_printed_as_the_runtime_prints_them(
    frozenctx: Frozenctx, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    red = ("--var", "name=\x1b[31mred", "--var", "visits=1", "--var", "tone=")
    assert frozenctx("build", "prompts", "-o", "dist").code == 0
    for form in ((), ("--json",)):
        assert commands.main(["render", "dist", "greeting", *red, *form]) == 0
        printed = capsys.readouterr().out
        assert ("\x1b[31mred" if not form else "\\u001b[31mred") in printed
        assert frozenctx("render", "greeting", "--src", "prompts", *red, *form).out == printed
        assert frozenctx("render", "greeting", "--from", "dist", *red, *form).out == printed
    assert "\x1b[31mred" in frozenctx("render", "prompts/greeting.ctx", *red, "--role", "user").out


def test_an_exception_of_a_template_shows_its_line(frozenctx: Frozenctx, tree: Path) -> None:
    done = frozenctx("render", "prompts/greeting.ctx", "--var", "tone=warmly")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(
        "error: UndefinedError: 'name' is undefined\n"
        " --> greeting.ctx:7\n"
        "  |\n"
        "7 | Greet {{ name }}, {{ visits }} visits.\n"
        "  |\n"
        "  = note: in greeting@v"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("prompts/greeting.ctx", "--sample", "frist"), "no sample `frist`; did you mean `first`?"),
        (("prompts/greeting.ctx", "--sample", "other"), "it has `first`"),
        (("prompts/sub/other.ctx", "--sample", "first"), "it has none"),
        (("prompts/greeting.ctx", "--var", "name"), "expected NAME=text or NAME:=JSON"),
        (("prompts/greeting.ctx", "--var", "name:=Ada"), "`name` is not JSON"),
        (("prompts/sub/other.ctx", "--role", "user"), "has no user text"),
        (("prompts", ), "holds 2 packages"),
        (("greeting", "--from", "dist", "--sample", "first"), "samples are part of the source"),
    ],
)
def test_render_refuses_what_has_no_meaning(
    frozenctx: Frozenctx, tree: Path, arguments: Sequence[str], words: str
) -> None:
    done = frozenctx("render", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_an_unknown_key_names_a_near_one(frozenctx: Frozenctx, tree: Path) -> None:
    assert frozenctx("build", "prompts", "-o", "dist").code == 0
    for arguments in (("--from", "dist"), ("--src", "prompts")):
        done = frozenctx("render", "greetings", *arguments)
        assert done.code in (1, 2)
        assert "did you mean `greeting`?" in done.err


def test_errors_of_the_source_are_shown_before_rendering(frozenctx: Frozenctx, tree: Path) -> None:
    write(tree / "broken.ctx", "{% if %}\n")
    done = frozenctx("render", "prompts/broken.ctx")
    assert (done.code, done.out) == (1, "")
    assert "error[" in done.err
    assert frozenctx("render", "prompts/greeting.ctx", *VARIABLES).code == 0


# -- artifacts --


def test_ls_show_and_verify_answer_as_the_runtime_does(frozenctx: Frozenctx, tree: Path) -> None:
    release = frozenctx("build", "prompts", "-o", "dist").out.strip()
    assert "another" in frozenctx("ls", "dist").out
    shown = json.loads(frozenctx("show", "dist", "greeting", "--json").out)
    assert shown["release"] == release
    assert shown["model"] == "openai:gpt-5"
    assert frozenctx("verify", "dist").code == 0
    assert frozenctx("verify", "dist", "--expect", "sha256:" + "0" * 64).code != 0
    damaged = next(path for path in (tree.parent / "dist/objects").rglob("*.py"))
    os.chmod(damaged, 0o644)
    damaged.write_bytes(damaged.read_bytes() + b"\n")
    done = frozenctx("verify", "dist")
    assert done.code == 1
    assert "damaged" in done.err


def test_a_profile_is_asked_for_when_there_are_several(frozenctx: Frozenctx, tree: Path) -> None:
    for profile in ("one", "two"):
        assert frozenctx("build", "prompts", "-o", "dist", "--profile", profile).code == 0
    assert frozenctx("ls", "dist").code == 2
    several = "`dist` has several profiles (`one`, `two`); say which with --profile"
    for command in (["ls", "dist"], ["show", "dist", "greeting"], ["stubs", "dist"], ["render", "--from", "dist", "x"]):
        done = frozenctx(*command)
        assert (done.out, done.err) == ("", f"error: {several}\n")
    assert frozenctx("ls", "dist", "--profile", "one").code == 0
    assert frozenctx("render", "--from", "dist", "--profile", "two", "greeting", *VARIABLES).out == GREETED


# -- explain, and the program itself --


def test_explain_shows_the_page_of_a_code(frozenctx: Frozenctx) -> None:
    done = frozenctx("explain", "default-model")
    assert done.code == 0
    assert done.out.startswith("# default-model\n")
    assert frozenctx("explain", "[default-model]").out == done.out


def test_explain_lists_all_codes(frozenctx: Frozenctx) -> None:
    assert "default-model" in frozenctx("explain").out


def test_explain_names_a_near_code(frozenctx: Frozenctx) -> None:
    done = frozenctx("explain", "default-modle")
    assert done.code == 2
    assert "did you mean `default-model`?" in done.err


def test_a_command_that_only_the_other_program_has_is_answered_with_its_name(
    frozenctx: Frozenctx, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = commands._parser().format_help().split("\npositional arguments:\n")[1].split("\noptions:")[0]
    of_the_runtime = {line.split()[0] for line in listed.splitlines() if line.startswith("    ") and line[4] != " "}
    ours = set(cli.frozenctx.commands)
    assert of_the_runtime - ours == set(cli.OF_THE_RUNTIME)
    assert ours - of_the_runtime == set(commands.OF_THE_COMPILER)
    for name in cli.OF_THE_RUNTIME:
        done = frozenctx(name, "dist")
        assert done.code == 2
        assert f"`{name}` is a command of the runtime: `python -m frozenctx {name}`" in done.err
    for name in commands.OF_THE_COMPILER:
        with pytest.raises(SystemExit) as exit:
            commands.main([name, "prompts"])
        assert exit.value.code == 2
        said = f"`{name}` is a command of the compiler: `frozenctx {name}` (pip install 'frozenctx[compiler]')"
        assert said in capsys.readouterr().err
    assert "No such command 'relese'" in frozenctx("relese").err


def test_the_version_is_that_of_the_runtime(frozenctx: Frozenctx) -> None:
    import frozenctx as runtime

    assert frozenctx("--version").out == f"frozenctx {runtime.__version__}\n"


def test_a_bug_of_ours_is_not_blamed_on_the_author(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(api, "check", broken)
    done = frozenctx("check", "prompts")
    assert (done.code, done.out) == (70, "")
    assert "has a bug: KeyError: 'ours' (test_commands.py:" in done.err
    assert "FROZENCTX_TRACEBACK=1" in done.err
    assert "Traceback" not in done.err
    monkeypatch.setenv("FROZENCTX_TRACEBACK", "1")
    assert "Traceback" in frozenctx("check", "prompts").err


def test_colour_is_for_terminals_that_want_it(
    frozenctx: Frozenctx, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree / "broken.ctx", "{% if %}\n")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" not in frozenctx("check", "prompts").err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert "\x1b[" in frozenctx("check", "prompts").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in frozenctx("check", "prompts").err


def test_a_reader_that_goes_away_is_no_error(tree: Path) -> None:
    roots = [str(Path(module.__file__ or "").parents[1]) for module in (cli, sys.modules["frozenctx"])]
    roots.append(str(Path(roots[0]).parent / "artifacts"))
    program = f"import sys; sys.path[:0] = {roots!r}\nfrom frozenctx_compiler.__main__ import main\nsys.exit(main())"
    done = subprocess.run(
        ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "-", sys.executable, "-c", program, "explain"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_build_of_fewer_packages_says_which_are_served_no_more(frozenctx: Frozenctx, tree: Path) -> None:
    assert "served before" not in frozenctx("build", "prompts", "-o", "dist").err
    write(tree / "extra.ctx", "---\nmodel: m\n---\nx\n")
    assert "served before" not in frozenctx("build", "prompts", "-o", "dist").err
    done = frozenctx("build", "prompts/extra.ctx", "-o", "dist")
    assert done.code == 0
    assert "note: 2 prompts that `default` served before: not in this release: `" in done.err
    assert "served before" not in frozenctx("build", "prompts/extra.ctx", "-o", "dist", "--profile", "other").err
