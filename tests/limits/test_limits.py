"""Building with limits, loading with caps, and what is counted: the promises of docs/limits.md."""

import asyncio
import copy
import itertools
import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx import errors
from frozenctx.commands import main
from frozenctx_compiler import build
from frozenctx_compiler.cli import run

SYSTEM = "---\nmodel: m\n---\n<<<role:system>>>\n"
LOOP = "{% for x in xs %}{{ x }}{% endfor %}"


def prompts(tmp_path: Path, **texts: str) -> Mapping[str, frozenctx.Prompt]:
    caps: Any = {name: int(texts.pop(name)) for name in ("max_steps", "max_output") if name in texts}
    write(tmp_path, **texts)
    return frozenctx_compiler.load(tmp_path, limits=True, **caps)


def write(tmp_path: Path, **texts: str) -> None:
    for name, text in texts.items():
        place = tmp_path / ("partials" if name.startswith("part") else ".")
        place.mkdir(exist_ok=True)
        file = place / (f"{name}.j2" if name.startswith("part") else f"{name}.ctx")
        file.write_text(text if name.startswith("part") or "<<<" in text else SYSTEM + text, "utf-8")


def fits(tmp_path: Path, text: str, variables: dict[str, Any], limit: str, cap: int, **partials: str) -> bool:
    given: dict[str, str] = {**partials, limit: str(cap)}
    loaded = prompts(tmp_path, p=text, **given)
    try:
        loaded["p"].system(variables)
    except errors.LimitExceeded as error:
        return error.limit != limit
    return True


# What is counted


@pytest.mark.parametrize(
    ("text", "variables", "steps"),
    [
        ("", {}, 1),
        ("{{ a }}", {"a": 1}, 1),
        ("{% for x in xs %}{% endfor %}", {"xs": [1, 2, 3]}, 4),
        ("{% for x in xs %}{{ loop.index }}{% endfor %}", {"xs": [1, 2, 3]}, 4 + 3),
        ("{% for x in xs if x > 1 %}{% endfor %}", {"xs": [1, 2, 3]}, 1 + 3 + 2),
        ("{% macro m() %}{% endmacro %}{{ m() }}{{ m() }}", {}, 3),
        ("{% set x %}a{% endset %}{% filter upper %}b{% endfilter %}", {}, 3),
        ("{% block b %}{% endblock %}", {}, 2),
        ('{% include "partials/part.j2" %}{% include "partials/part.j2" %}', {}, 3),
        ("{{ range(10)|length }}", {}, 11),
        ("{{ range(10)|list|length }}", {}, 21),
        ("{{ xs|list|length }}", {"xs": [1, 2, 3]}, 4),
        ("{{ ([0] * 5)|length }}", {}, 6),
        ("{{ xs }}", {"xs": [1, [2, 3], {"a": 1}]}, 1 + 3 + 2 + 2),
        ("{{ xs == xs }}", {"xs": [1, 2]}, 1 + 2 + 2),
        ("{{ xs|map('upper')|join }}", {"xs": ["a", "b"]}, 1 + 2 + 2),
        ("{% if d.keys() - xs %}{% endif %}", {"d": {"a": 1, "b": 2}, "xs": ["a"]}, 1 + 2 + 1 + 1),
        ("{% if w in h %}{% endif %}", {"w": "x" * 256, "h": "y" * 128}, 1 + 2),
        ("{% if h.rfind(w) %}{% endif %}", {"w": "x" * 256, "h": "y" * 128}, 1 + 2),
        ("{{ xs|length }}{{ xs|first }}{{ xs[1] }}{{ xs is defined }}", {"xs": [1, 2, 3]}, 2),
    ],
)
def test_steps(tmp_path: Path, text: str, variables: dict[str, Any], steps: int) -> None:
    assert fits(tmp_path, text, variables, "max_steps", steps, part="")
    assert not fits(tmp_path, text, variables, "max_steps", steps - 1, part="")


@pytest.mark.parametrize(
    ("text", "variables", "characters"),
    [
        ("abc", {}, 3),
        ("a{{ x }}", {"x": "ßß"}, 3),
        ("a{{ x }}", {"x": 123}, 4),
        ("{% for x in [1, 2] %}ab{% endfor %}", {}, 4),
        ("{{ ('x' * 5)|length }}", {}, 5 + 1),
        ("{% if x ~ y %}{% endif %}", {"x": "ab", "y": "c"}, 3),
        ("{% if x + y %}{% endif %}", {"x": "ab", "y": "c"}, 3),
        ("{% set x %}ab{% endset %}", {}, 2),
        ("{% macro m() %}ab{% endmacro %}{{ m() }}", {}, 2 + 2),
        ("{% block b %}ab{% endblock %}", {}, 4),
        ("{% if x|center(9) %}{% endif %}", {"x": "ab"}, 2 + 9 + 9),
        ("{% if x[:2] %}{% endif %}", {"x": "abcd"}, 2),
        ("{% if x.split('-') %}{% endif %}", {"x": "ab-cd"}, 4),
        ("{% if x - 1 %}{% endif %}", {"x": 2**400}, 100),
        ("{% if x - 1 %}a{% endif %}", {"x": 2**200}, 1),
    ],
)
def test_characters_of_text(tmp_path: Path, text: str, variables: dict[str, Any], characters: int) -> None:
    assert fits(tmp_path, text, variables, "max_output", characters)
    assert not fits(tmp_path, text, variables, "max_output", characters - 1)


def test_both_messages_are_one_rendering_and_the_next_one_begins_anew(tmp_path: Path) -> None:
    text = f"{SYSTEM}{LOOP}\n<<<role:user>>>\n{LOOP}"
    prompt = prompts(tmp_path, p=text, max_steps="7")["p"]
    assert len(prompt.messages(xs=[1, 2])) == 2
    for _ in range(3):
        assert prompt.system(xs=[1, 2, 3, 4, 5]) == "12345"
        with pytest.raises(errors.LimitExceeded):
            prompt.messages(xs=[1, 2, 3])


def test_threads_and_tasks_do_not_count_for_each_other(tmp_path: Path) -> None:
    prompt = prompts(tmp_path, p=LOOP, max_steps="1001")["p"]
    failed: list[Exception] = []

    def render() -> None:
        try:
            for _ in range(20):
                prompt.system(xs=range(1000))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=render) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def tasks() -> None:
        await asyncio.gather(*[asyncio.to_thread(render) for _ in range(4)])

    asyncio.run(tasks())
    assert not failed


def test_a_prompt_rendered_inside_of_another_has_a_meter_of_its_own(tmp_path: Path) -> None:
    text = "{{ render() }}{% for x in xs %}{% endfor %}{{ render() }}"
    loaded = prompts(tmp_path, inner=LOOP, outer=text, max_steps="5")
    outer = loaded["outer"]
    assert outer.system(render=lambda: loaded["inner"].system(xs=[1, 2, 3, 4]), xs=[1, 2, 3, 4]) == "1234" * 2
    with pytest.raises(errors.LimitExceeded) as caught:
        outer.system(render=lambda: loaded["inner"].system(xs=range(9)), xs=[])
    assert caught.value.key == "inner"


def test_who_catches_the_exception_has_won_nothing(tmp_path: Path) -> None:
    prompt = prompts(tmp_path, p="{{ swallow(xs|map('upper')) }}{% for x in xs %}{% endfor %}", max_steps="10")["p"]

    def swallow(items: Any) -> str:
        try:
            return str(len(list(items)))
        except errors.LimitExceeded:
            return "caught"

    with pytest.raises(errors.LimitExceeded):
        prompt.system(swallow=swallow, xs=itertools.repeat("a"))


def test_the_error_says_which_limit_and_where(tmp_path: Path) -> None:
    write(tmp_path, p='ok\n{% include "partials/part.j2" %}', part="\n" + LOOP)
    prompt = frozenctx_compiler.load(tmp_path, limits=True, max_steps=9)["p"]
    with pytest.raises(errors.LimitExceeded) as caught:
        prompt.messages(xs=itertools.count())
    error = caught.value
    assert str(error) == "the rendering needs more than 9 steps (max_steps=9)"
    assert (error.limit, error.value) == ("max_steps", 9)
    assert (error.key, error.role, error.file, error.line) == ("p", "system", "partials/part.j2", 2)
    assert error.version == prompt.version
    assert isinstance(error, errors.TemplateRuntimeError)
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (other.limit, other.value, str(other)) == (error.limit, error.value, str(error))
    with pytest.raises(errors.LimitExceeded, match=r"^the rendering needs more than 2 characters of text \(max_out"):
        frozenctx_compiler.load(tmp_path, limits=True, max_output=2)["p"].system(xs=[])


# Releases


def test_without_limits_programs_carry_no_counters_and_identities_are_the_same(tmp_path: Path) -> None:
    write(tmp_path, p=LOOP)
    plain = build(tmp_path, tmp_path / "plain")
    limited = build(tmp_path, tmp_path / "limited", limits=True)
    assert plain.release != limited.release
    assert plain.prompts == limited.prompts
    programs = {name: [path.read_text() for path in (tmp_path / name).rglob("*.py")] for name in ("plain", "limited")}
    assert not any("step()" in text or "Buffer" in text for text in programs["plain"])
    assert all("step()" in text and "Buffer()" in text for text in programs["limited"])
    assert build(tmp_path, tmp_path / "again", limits=True).release == limited.release


@pytest.mark.parametrize("pack", ["require", "never"])
def test_a_release_without_limits_refuses_caps_by_name(tmp_path: Path, pack: Any) -> None:
    write(tmp_path, p=LOOP)
    release = build(tmp_path, tmp_path / "out").release
    both: Any = ({"max_steps": 1}, {"max_output": 1})
    for caps in both:
        with pytest.raises(errors.NotLimited) as caught:
            frozenctx.load(tmp_path / "out", pack=pack, **caps)
        assert str(release) in str(caught.value)
        assert "`frozenctx build --limits`" in str(caught.value)
        with pytest.raises(errors.NotLimited):
            frozenctx_compiler.load(tmp_path, **caps)


@pytest.mark.parametrize("pack", ["require", "never"])
def test_packs_and_objects_count_alike_and_verify(tmp_path: Path, pack: Any) -> None:
    write(tmp_path, p=LOOP)
    build(tmp_path, tmp_path / "out", limits=True)
    loaded = frozenctx.load(tmp_path / "out", pack=pack, max_steps=4, verify=True)
    assert loaded["p"].system(xs=[1, 2, 3]) == "123"
    with pytest.raises(errors.LimitExceeded):
        loaded["p"].system(xs=[1, 2, 3, 4])
    assert frozenctx.load(tmp_path / "out", pack=pack)["p"].system(xs=range(1000))


@pytest.mark.parametrize("pack", ["require", "never"])
def test_a_runtime_that_does_not_know_limits_refuses_the_release(
    tmp_path: Path, pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, p=LOOP)
    build(tmp_path, tmp_path / "out", limits=True)
    for reader in ("objects", "pack"):
        monkeypatch.setattr(f"frozenctx.{reader}.FEATURES", frozenset())
    with pytest.raises(errors.UnsupportedFormat, match="needs `limits`, which frozenctx 0.1.0 has"):
        frozenctx.load(tmp_path / "out", pack=pack)


@pytest.mark.parametrize("cap", [-1, 1.5, "9", True])
def test_a_cap_is_a_number(tmp_path: Path, cap: Any) -> None:
    write(tmp_path, p=LOOP)
    build(tmp_path, tmp_path / "out", limits=True)
    with pytest.raises(ValueError, match="max_steps is a number, 0 or more, not"):
        frozenctx.load(tmp_path / "out", max_steps=cap)


def test_a_literal_prompt_and_host_names_work_with_limits(tmp_path: Path) -> None:
    write(tmp_path, p="{{ 1|twice }}{{ 2 is big }}{{ site }}{{ [1, 2]|map('twice')|list }}")
    (tmp_path / "literal.ctx").mkdir()
    (tmp_path / "literal.ctx" / "settings.yaml").write_text("model: m\nsystem: Hi\n")
    (tmp_path / "frozenctx.toml").write_text('[host]\nfilters = ["twice"]\ntests = ["big"]\nglobals = ["site"]\n')
    host: Any = {"filters": {"twice": lambda n: n * 2}, "tests": {"big": lambda n: n > 1}, "globals": {"site": "s"}}
    loaded = frozenctx_compiler.load(tmp_path, limits=True, max_steps=100, **host)
    assert loaded["p"].system() == "2Trues[2, 4]"
    assert loaded["literal"].system() == "Hi"


# Command lines


def test_the_commands_take_caps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, p=LOOP)
    out = str(tmp_path / "out")
    assert run(["build", str(tmp_path), "-o", out, "--limits"]) == 0
    given = ["--var", "xs:=[1, 2, 3]"]
    assert main(["render", out, "p", *given, "--max-steps", "4", "--max-output", "9"]) == 0
    assert main(["render", out, "p", *given, "--max-steps", "3"]) == 1
    assert "LimitExceeded: the rendering needs more than 3 steps (max_steps=3)" in capsys.readouterr().err
    for place in (["--from", out], ["--src", str(tmp_path)]):
        assert run(["render", "p", *place, *given, "--max-steps", "4"]) == 0
        assert run(["render", "p", *place, *given, "--max-output", "2"]) == 1
        said = capsys.readouterr().err
        assert "LimitExceeded: the rendering needs more than 2 characters of text (max_output=2)" in said


def test_the_commands_refuse_caps_for_a_release_without_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, p=LOOP)
    out = str(tmp_path / "out")
    assert run(["build", str(tmp_path), "-o", out]) == 0
    assert main(["render", out, "p", "--max-steps", "4"]) == 2
    assert run(["render", "p", "--from", out, "--max-steps", "4"]) == 1
    assert capsys.readouterr().err.count("`frozenctx build --limits`") == 2
    with pytest.raises(SystemExit, match="2"):
        main(["render", out, "p", "--max-steps", "-4"])
    assert run(["render", "p", "--from", out, "--max-steps", "-4"]) == 2


BARE = """
import sys
sys.path.insert(0, {runtime!r})
import frozenctx
prompts = frozenctx.load({out!r}, max_steps={cap})
print(prompts["p"].system(xs=["a", "b"]), "frozenctx.template.limits" in sys.modules)
print(sorted({{"re", "json", "typing", "collections", "string", "random"}} & set(sys.modules)))
"""


@pytest.mark.parametrize("limits", [False, True])
def test_counting_needs_no_import_and_who_does_not_count_does_not_load_it(tmp_path: Path, limits: bool) -> None:
    write(tmp_path, p="{% for x in xs %}{{ x|upper }}{{ '%s' % x }}{% endfor %}")
    assert build(tmp_path, tmp_path / "out", limits=limits).written
    runtime = str(Path(frozenctx.__file__).parents[1])
    script = BARE.format(runtime=runtime, out=str(tmp_path / "out"), cap=100 if limits else None)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True)
    assert done.stdout == f"AaBb {limits}\n[]\n", done.stderr
