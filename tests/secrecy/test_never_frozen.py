"""Secrets planted in every place of a package: the build stops, and no byte of what it writes or says holds one."""

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from frozenctx_compiler import cli
from secrecy.test_secrets import REAL

VALUE = "correct-horse+battery/staple=é"
PLACES = {
    "the model": "model: !? '$env.get(\"{name}\")'\nsystem: x\n",
    "meta": "system: x\nmeta: {{deep: [1, {{of: !? '$env.{name}'}}]}}\n",
    "a part of a text": "system: !? '\"https://x:\" + $env.{name} + \"@example.org\"'\n",
    "a default": "system: !? $env.get('OTHER', $env.get('{name}'))\n",
    "a reply schema": "system: x\nreply_schema: {{type: object, description: !? '$env.{name}'}}\n",
    "a key of a schema": "system: x\nreply_schema: !? 'dict($env.{name} => 1)'\n",
    "a wrong type": "system: x\nmax_tokens: !? $env.{name}\n",
    "a name with a finding": "system: x\nname: !? '\"a/\" + $env.{name}'\n",
    "a tool": "system: x\ntools: [!? '$env.{name}']\n",
    "the system text": "system: !? $env.{name}\n",
    "in capitals": "system: !? '$env.{name}.toUpper()'\n",
}


class Done:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        code = cli.run(arguments)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


def written(root: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()) if root.exists() else b""


def holds(data: bytes, value: str) -> bool:
    raw = value.encode()
    forms = [raw, json.dumps(value)[1:-1].encode(), raw.hex().encode(), base64.b64encode(raw)[:-4]]
    return any(form in data for form in forms)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("how", ["by its name", "by an option", "in frozenctx.toml"])
def test_a_secret_stops_the_build_wherever_it_would_be(place: str, how: str, tmp_path: Path, run: Any) -> None:
    name = {"by its name": "SERVICE_TOKEN"}.get(how, "PEPPER")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ctx").mkdir()
    (tmp_path / "tree" / "a.ctx" / "settings.yaml").write_text(PLACES[place].format(name=name), "utf-8")
    if how == "in frozenctx.toml":
        (tmp_path / "tree" / "frozenctx.toml").write_text(f'[env]\nsecret = ["{name}"]\n')
    options = ["--secret-env", name] if how == "by an option" else []
    done = run("build", "tree", "-o", "out", "--env", f"{name}={VALUE}", *options)
    assert done.code == 1
    assert "[secret-frozen]" in done.err or "[bad-" in done.err
    if "[secret-frozen]" in done.err and "a finding" not in done.err:
        assert f"the secret `{name}` would be frozen" in done.err
    assert not holds((done.out + done.err).encode(), VALUE)
    assert not holds(written(tmp_path / "out"), VALUE)
    assert not (tmp_path / "out" / "profiles").exists()


def test_without_a_mark_the_same_value_is_frozen(tmp_path: Path, run: Any) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ctx").write_text("---\nmodel: openai/gpt-5\nmeta: {x: !? '$env.PEPPER'}\n---\nx")
    assert run("build", "tree", "-o", "out", "--env", f"PEPPER={VALUE}").code == 0
    assert holds(written(tmp_path / "out" / "objects"), VALUE)
    (tmp_path / "tree" / "frozenctx.toml").write_text('[env]\npublic = ["CACHE_KEY"]\n')
    (tmp_path / "tree" / "a.ctx").write_text("---\nmodel: openai/gpt-5\nmeta: {x: !? '$env.CACHE_KEY'}\n---\nx")
    assert run("build", "tree", "-o", "out", "--env", f"CACHE_KEY={VALUE}").code == 0


def test_a_secret_that_nothing_freezes_is_no_matter(tmp_path: Path, run: Any) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ctx").write_text(
        "---\nmodel: !? $env.get('MODEL')\nmax_tokens: !? $env.get('DRAFT_MAX_TOKENS')\n---\nx"
    )
    given = ["--env", "MODEL=openai/gpt-5", "--env", "DRAFT_MAX_TOKENS=800", "--env", f"SERVICE_TOKEN={VALUE}"]
    done = run("build", "tree", "-o", "out", *given)
    assert (done.code, "[unused-env]" in done.err) == (0, True)
    assert not holds((done.out + done.err).encode() + written(tmp_path / "out"), VALUE)


def test_a_secret_as_name_of_a_file_is_found_in_the_record(tmp_path: Path, run: Any) -> None:
    (tmp_path / "tree" / "a.ctx").mkdir(parents=True)
    (tmp_path / "tree" / "a.ctx" / "settings.yaml").write_text("model: openai/gpt-5\n")
    (tmp_path / "tree" / "a.ctx" / "prompt.j2").write_text("x")
    (tmp_path / "tree" / "a.ctx" / "README.correct-horse-battery").write_text("x")
    done = run("build", "tree", "-o", "out", "--env", "SERVICE_TOKEN=correct-horse-battery")
    assert (done.code, "the record of the build would hold it" in done.err) == (1, True)
    assert b"correct-horse" not in written(tmp_path / "out") + (done.out + done.err).encode()


def test_secrets_of_one_profile_are_looked_for_in_the_release_of_another(tmp_path: Path, run: Any) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ctx").write_text("---\nmodel: openai/gpt-5\nmeta: {x: !? '$env.REGION'}\n---\nx")
    (tmp_path / "one.env").write_text("SERVICE_TOKEN=correct-horse-battery\nREGION=eu\n")
    (tmp_path / "two.env").write_text("REGION=correct-horse-battery\n")
    done = run("build", "tree", "-o", "out", "--profile", "one=one.env", "--profile", "two=two.env")
    assert (done.code, "[secret-frozen]" in done.err) == (1, True)
    assert b"correct-horse" not in written(tmp_path / "out") + (done.out + done.err).encode()


def planted(tree: Path, text: str) -> Sequence[Path]:
    files = {
        "a.ctx/prompt.j2": f"Hello\n{{# {text} #}}\n", "a.ctx/settings.yaml": f"model: openai/gpt-5  # {text}\n",
        "partials/q.j2": text, "b.ctx": f"---\nmodel: openai/gpt-5\n---\n{text}\n",
    }  # fmt: skip
    for name, content in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content)
    (tree / "a.ctx" / "prompt.j2").write_text(f"{{% include 'partials/q.j2' %}}\n{text}")
    return [tree / name for name in files]


@pytest.mark.parametrize("text", [text for text in REAL if "\n" not in text])
def test_pasted_secrets_are_found_in_every_file_and_never_shown(text: str, tmp_path: Path, run: Any) -> None:
    files = planted(tmp_path / "tree", text)
    done = run("build", "tree", "-o", "out")
    assert done.code == 1
    for file in files:
        assert f"--> {file.relative_to(tmp_path / 'tree')}:" in done.err
    secret = max(text.replace("=", " ").replace("@", " ").split(), key=len)[12:]
    assert secret[:16] not in done.err
    assert not (tmp_path / "out").exists()


def test_a_fingerprint_with_a_reason_allows_one(tmp_path: Path, run: Any) -> None:
    planted(tmp_path / "tree", REAL[2])
    done = run("check", "tree")
    (fingerprint,) = {line.partition("`")[2][:16] for line in done.err.splitlines() if "fingerprint is" in line}
    (tmp_path / "tree" / "frozenctx.toml").write_text(f'[secrets]\nallow = {{"{fingerprint}" = "an example"}}\n')
    assert run("check", "tree").code == 0
    (tmp_path / "tree" / "frozenctx.toml").write_text(f'[secrets]\nallow = {{"{fingerprint}" = " "}}\n')
    assert run("check", "tree").code == 1


def test_a_fingerprint_of_nothing_is_told_of_when_everything_was_looked_at(tmp_path: Path, run: Any) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "frozenctx.toml").write_text('[secrets]\nallow = {"0123456789abcdef" = "an example"}\n')
    for file in (tree / "a.ctx", tree / "sub" / "b.ctx"):
        file.write_text("---\nmodel: openai/gpt-5\n---\nx\n")
    assert "[unmatched-fingerprint]" in run("check", "tree").err
    built = run("build", "tree", "-o", "out", "--profile", "a", "--profile", "b")
    assert built.err.count("[unmatched-fingerprint]") == 1
    assert not run("check", "tree/sub").err.count("[")
    assert not run("check", "tree", "sub/b").err.count("[")
    (tree / "a.ctx").write_text("---\nmodel: openai/gpt-5\n---\n{{ x | uper }}\n")
    assert "[unmatched-fingerprint]" not in run("check", "tree").err


def test_a_finding_beside_a_secret_does_not_show_it(tmp_path: Path, run: Any) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.ctx").write_text(f"---\nmodel: openai/gpt-5\n---\n{{{{ x | uper }}}} {REAL[2]} {VALUE}\n")
    done = run("check", "tree", "--env", f"SERVICE_TOKEN={VALUE}")
    assert done.code == 1
    assert "[unknown-filter]" in done.err
    assert REAL[2][8:20] not in done.err
    assert VALUE not in done.err
