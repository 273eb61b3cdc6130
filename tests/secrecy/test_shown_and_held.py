"""Where a secret may hide: in programs, behind other values, in words that are shown, in arguments of commands."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import build
from secrecy.test_never_frozen import Done, run, written  # noqa: F401

LONG = "Zk39fjPq" * 12
KEY = "sk-ant-" + "api03-" + "aB3dE5gH7jK9mN2pQ4sT6vW8xY1zC0fL" * 2


def tree(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / "tree" / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def rich(root: Path, prompt: str, settings: str = "model: openai/gpt-5\n") -> None:
    tree(root, a_DOT_ctx__settings_DOT_yaml=settings, a_DOT_ctx__prompt_DOT_j2=prompt)


@pytest.mark.parametrize(
    ("value", "prompt", "line"),
    [
        ("line-one\nline-two", "A line-one\nline-two B", 1),
        ("line-one\r\nline-two", "A\nline-one\nline-two B", 2),
        ("ab{{cd}}ef", 'Hello {{ "ab{{cd}}ef" ~ name }}', 1),
        ("ab{cd}ef", "Hello ab{cd}ef{{ name }}", 1),
        ("hunter2-Hunt\n", "Hello hunter2-Hunt", 1),
        ("hunter2-Hunt", "Hello {{ 'hunter2' ~ '-Hunt' }}", 0),
        ('it\'s "both"', 'Hello it\'s "both" {{ name }}', 1),
    ],
)
def test_a_template_holds_what_its_program_holds(value: str, prompt: str, line: int, tmp_path: Path) -> None:
    rich(tmp_path, prompt)
    result = build(tmp_path / "tree", tmp_path / "out", env={"SALT": value}, secret_env=["SALT"])
    (found,) = [each for each in result.report.diagnostics if each.code == "secret-frozen"]
    assert (found.headline, result.written) == ("the secret `SALT` would be frozen", False)
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("a.ctx/prompt.j2", line)


def test_a_value_that_something_stronger_replaced_is_a_secret_still(tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx="---\nmodel: openai/gpt-5\n---\nhunter2-Hunt99", f_DOT_env="API_KEY=hunter2-Hunt99\n")
    done = run("build", "tree", "-o", "out", "--env-file", "tree/f.env", "--env", "API_KEY=otherSecret1")
    assert (done.code, "[secret-frozen]" in done.err) == (1, True)
    tree(tmp_path, frozenctx_DOT_toml='[env]\nvalues = {API_KEY = "hunter2-Hunt99"}\n')
    done = run("build", "tree", "-o", "out", "--env", "API_KEY=otherSecret1")
    assert (done.code, "[secret-frozen]" in done.err, "hunter2" in done.err) == (1, True, False)


@pytest.mark.parametrize(
    "key",
    ["temperature", "max_tokens", "agent", "reasoning_effort", "tools", "skills", "sub", "response_format", "meta"],
)
@pytest.mark.parametrize("value", [LONG, KEY])
def test_messages_that_cut_a_text_show_no_beginning_of_a_secret(key: str, value: str, tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx=f"---\nmodel: openai/gpt-5\n{key}: {value}\n---\nx")
    done = run("check", "tree", "--env", f"API_KEY={value}")
    assert done.code == 1
    assert value[:7] not in done.err.replace("sk-ant-•", "")
    assert "API_KEY" in done.err


@pytest.mark.parametrize(
    "text",
    [
        f"---\n{KEY}: 1\n---\nx", f"---\ntemperature: {KEY}\n---\nx", f"---\nmeta: {{{KEY}: 1, {KEY}: 2}}\n---\nx",
        f'---\nmodel: x\n---\n{{% include "{KEY}" %}}', f"---\nmodel: !? $env.get('{KEY}')\n---\nx",
        f"---\nmodel: x\n---\n{{{{ x | {KEY.replace('-', '_')} }}}} {KEY}",
    ],
)  # fmt: skip
def test_no_word_shows_what_was_pasted(text: str, tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx=text)
    done = run("check", "tree")
    assert done.code == 1
    assert KEY[:16] not in done.err


@pytest.mark.parametrize(
    "text",
    [
        '[env]\nvalues = {API_KEY = "hunter2-Hunt99"\n', '[env]\nvalues = {A = "hunter2-Hunt99", A = "x"}\n',
        '[env]\nvaluse = {API_KEY = "hunter2-Hunt99"}\n', '[env]\nvalues = {"API KEY" = "hunter2-Hunt99"}\n',
        '[env]\nvalues = "API_KEY=hunter2-Hunt99"\n', '[env]\nsecret = ["API_KEY=hunter2-Hunt99"]\n',
        '[env]\nfiles = ["API_KEY=hunter2-Hunt99"]\n',
        '["hunter2-Hunt99"]\n[env]\nvalues = {API_KEY = "hunter2-Hunt99"}\n',
        '[env.values]\nAPI_KEY = hunter2-Hunt99\n', 'env.values.API_KEY = hunter2-Hunt99\n',
    ],
)  # fmt: skip
def test_mistakes_in_the_project_file_show_no_value(text: str, tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx="x", frozenctx_DOT_toml=text)
    done = run("check", "tree")
    assert done.code == 1
    assert "hunter2" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "tree", "--env-from-process", "API_KEY=hunter2"], ["check", "tree", "--env-file", "API_KEY=hunter2"],
        ["build", "tree", "-o", "out", "--profile", "prod=API_KEY=hunter2"], ["check", "API_KEY=hunter2"],
        ["check", "tree", "api_key=hunter2"], ["check", "tree", "--secret-env", "API_KEY=hunter2"],
        ["ls", "out", "API_KEY=hunter2"], ["render", "API_KEY=hunter2"],
        ["check", "tree", "--env", "A=hunter2", "-e", "A=hunter2"],
        ["check", "--evn=API_KEY=hunter2"],
    ],
)  # fmt: skip
def test_usage_errors_stop_at_the_equals_sign(arguments: list[str], tmp_path: Path, run: Callable[..., Done]) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx="x")
    done = run(*arguments)
    assert done.code == 2
    assert "hunter2" not in done.err + done.out


def test_paths_and_profiles_may_be_secrets_too(tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, hunter2_DOT_ctx="---\nmodel: openai/gpt-5\n---\n{{ x | uper }}")
    (tmp_path / "tree" / "hunter2.ctx").rename(tmp_path / "tree" / "hunter2-Hunt99.ctx")
    done = run("check", "tree", "--env", "API_KEY=hunter2-Hunt99")
    assert (done.code, "hunter2" in done.err) == (1, False)
    (tmp_path / "tree" / "hunter2-Hunt99.ctx").write_text("---\nmodel: openai/gpt-5\n---\nx")
    (tmp_path / "tree" / "hunter2-Hunt99.ctx").rename(tmp_path / "tree" / "b.ctx")
    assert run("build", "tree", "-o", "out", "--env", "API_KEY=hunter2-Hunt99").code == 0
    done = run("build", "tree", "-o", "two", "--env", "API_KEY=hunter2-Hunt99", "--profile", "hunter2-Hunt99")
    assert (done.code, "the name of a profile would hold it" in done.err) == (1, True)
    assert b"hunter2" not in written(tmp_path / "two")


def test_a_key_as_the_name_of_a_package_is_found(tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx="---\nmodel: openai/gpt-5\n---\nx")
    (tmp_path / "tree" / "a.ctx").rename(tmp_path / "tree" / f"{KEY}.ctx")
    done = run("build", "tree", "-o", "out")
    assert (done.code, "[pasted-secret]" in done.err, KEY[:16] in done.err) == (1, True, False)


@pytest.mark.parametrize(
    "prompt", ['{% set x = "sk-ant-" ~ "api03-" ~ "KEY" %}{{ x }}', '{{ "sk-ant-api03-" ~ "KEY" ~ y }}']
)
def test_a_key_that_an_expression_puts_together_is_found(prompt: str, tmp_path: Path, run: Any) -> None:  # noqa: F811
    rich(tmp_path, prompt.replace("KEY", KEY[13:]))
    done = run("build", "tree", "-o", "out")
    assert (done.code, "[pasted-secret]" in done.err) == (1, True)


def test_digests_are_nobodys_secret(tmp_path: Path, run: Any) -> None:  # noqa: F811
    rich(tmp_path, "Hello")
    options = [word for i in range(16) for word in ("--env", f"P{i}={i:x}{i:x}{i:x}{i:x}", "--secret-env", f"P{i}")]
    short = [word for i in range(0x100, 0x400) for word in ("--env", f"Q{i}={i:04x}", "--secret-env", f"Q{i}")]
    assert run("build", "tree", "-o", "out", *options, *short).code == 0
    digest = "0f9a8b7c6d5e4f3a2b1c0f9a8b7c6d5e" * 2
    rich(tmp_path, "Hello", f"model: openai/gpt-5\nmeta: {{version: 'sha256:{digest}', program: x}}\n")
    assert run("build", "tree", "-o", "out", "--env", f"API_SECRET={digest}").code == 1


def test_env_prints_the_defaults_of_names_that_are_given(tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(tmp_path, a_DOT_ctx="---\nmodel: !? $env.get('MODEL', 'openai/gpt-5')\n---\nx")
    plain = run("env", "tree").out
    assert "MODEL=openai/gpt-5\n" in plain
    assert run("env", "tree", "--env", "MODEL=openai/x").out == plain
    tree(tmp_path, a_DOT_ctx='---\nmodel: !? \'$env.get("MODEL", "openai/gpt-5") + ""\'\n---\nx')
    assert run("env", "tree", "--env", "MODEL=openai/x").out == plain == run("env", "tree").out


def test_a_profile_that_is_not_there_is_not_built(tmp_path: Path, run: Any) -> None:  # noqa: F811
    tree(
        tmp_path,
        a_DOT_ctx="---\nmodel: openai/gpt-5\n---\nx",
        frozenctx_DOT_toml="[profiles]\nprod = []\nstaging = []\n",
    )
    done = run("build", "tree", "-o", "out", "--profile", "stagign")
    assert (done.code, "did you mean `staging`?" in done.err, (tmp_path / "out").exists()) == (1, True, False)
    assert run("build", "tree", "-o", "out", "--profile", "default").code == 0
    assert run("render", "a", "--src", "tree", "--profile", "stagign").code == 1
    assert run("render", "a", "--src", "tree").code == 0
    assert " 1 prompt\n" in run("profiles", "out").out
