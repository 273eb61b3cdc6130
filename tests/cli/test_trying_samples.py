"""`frozenctx test`: which samples are tried, what is printed in each form, and the exit code."""

import json
import re
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from frozenctx_compiler import check, cli
from frozenctx_compiler.trials import nearest, try_samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from source_trees import write

ROOT = Path(__file__).parents[2]
TREE = {
    "frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n[host]\nfilters = ["money"]\ntests = ["even"]\n',
    "good.ctx": "<<<role:system>>>\nHello {{ name }}.\n<<<role:user>>>\nHow is {{ name }}?\n",
    "good.samples.yaml": """
ada: {variables: {name: Ada}, expect: {system: {contains: [Hello Ada.]}, user: {max_chars: 20}}}
bob: {variables: {name: Bob}, description: The second one.}
""",
    "bad/wrong.ctx": "Hello {{ name }}.\n",
    "bad/wrong.samples.yaml": "ada: {variables: {name: Ada}, expect: {system: {contains: [Hello <Bob> & \\o/]}}}\n",
    "bad/raises.ctx": "Hello {{ name.first }}.\n",
    "bad/raises.samples.yaml": "ada: {variables: {name: {frist: 1}}}\n",
    "host.ctx": "{{ 3 | money }}{% if 3 is even %}{% endif %}\n",
    "host.samples.yaml": "euro: {variables: {}, expect: {system: {contains: [3 EUR]}}}\n",
    "without.ctx": "Hello.\n",
}


class Done(NamedTuple):
    out: str
    err: str
    code: int


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`frozenctx test` in a directory that holds the tree."""
    write(tmp_path, TREE)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        code = cli.run(["test", *arguments])
        return Done(*capsys.readouterr(), code)

    return run


def outcomes(done: Done) -> list[tuple[str, ...]]:
    return [tuple(line.split()[:3]) for line in done.out.splitlines()]


def test_every_sample_has_a_line_and_the_last_one_counts(run: Run) -> None:
    done = run()
    assert outcomes(done) == [
        ("failed", "bad/raises", "ada"),
        ("failed", "bad/wrong", "ada"),
        ("passed", "good", "ada"),
        ("passed", "good", "bob"),
        ("skipped", "host", "euro:"),
    ]
    assert done.code == 1
    assert done.err.endswith("\n5 samples of 4 packages: 2 passed, 2 failed, 1 skipped; 1 package without\n")
    assert "euro: it needs the filter `money` and the test `even` of the host program\n" in done.out


@pytest.mark.parametrize("selected", ["good", "good.ctx", "./good.ctx"])
def test_paths_and_keys_select(run: Run, selected: str) -> None:
    done = run(selected)
    assert (len(done.out.splitlines()), done.code) == (2, 0)
    assert done.err == "2 samples of 1 package: 2 passed\n"


def test_a_name_selects_samples_and_a_near_one_is_named(run: Run) -> None:
    assert outcomes(run("--sample", "bob")) == [("passed", "good", "bob")]
    assert len(outcomes(run("--sample", "bob", "--sample", "ada"))) == 4
    assert outcomes(run("good", "--sample", "ada")) == [("passed", "good", "ada")]
    absent = run("--sample", "bobb")
    assert (absent.code, absent.out) == (2, "")
    assert "there is no sample `bobb`; did you mean `bob`?" in absent.err


def test_what_is_expected_is_shown_with_its_place_and_the_text(run: Run) -> None:
    shown = run("bad/wrong").err
    assert "error[sample-expectation]: the system text does not contain `Hello <Bob> & \\o/`\n" in shown
    assert " --> bad/wrong.samples.yaml:1:" in shown
    assert "1 | Hello Ada.\n  | ------ the nearest: this much is equal\n" in shown


def test_a_rendering_that_fails_is_shown_as_render_shows_it(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run("bad/raises").err
    assert cli.run(["render", "bad/raises.ctx", "--sample", "ada"]) == 1
    rendered = capsys.readouterr().err
    assert rendered.startswith("error: UndefinedError: 'dict object' has no attribute 'first'\n --> bad/raises.ctx:1\n")
    assert rendered in shown
    assert shown.startswith("error: `bad/raises` cannot be rendered with the sample `ada`\n --> bad/raises.samples")


def test_json_has_everything_with_fixed_keys(run: Run) -> None:
    done = run("--format", "json")
    assert done.code == 1
    assert done.err.count("\n") == 1
    document = json.loads(done.out)
    assert (document["passed"], document["failed"], document["skipped"]) == (2, 2, 1)
    raises, wrong, good, _, host = document["samples"]
    assert len({tuple(each) for each in document["samples"]}) == 1
    assert (good["key"], good["sample"], good["outcome"], good["findings"]) == ("good", "ada", "passed", [])
    assert (good["file"], good["line"]) == ("good.samples.yaml", 2)
    assert raises["error"]["type"] == "UndefinedError"
    assert (raises["error"]["file"], raises["error"]["line"]) == ("bad/raises.ctx", 1)
    (finding,) = wrong["findings"]
    assert (finding["code"], finding["file"], finding["line"]) == ("sample-expectation", "bad/wrong.samples.yaml", 1)
    assert finding["rendered"][0]["line"] == 1
    assert host["needs"] == ["filter:money", "test:even"]


def test_junit_is_xml_with_a_case_for_each_sample(run: Run) -> None:
    done = run("--format", "junit")
    suites = ElementTree.fromstring(done.out.encode())
    assert suites.attrib == {
        "name": "frozenctx test", "tests": "5", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    raises = next(suite for suite in suites if suite.get("name") == "bad/raises")
    assert (raises.get("tests"), raises.get("failures"), raises.get("errors")) == ("1", "0", "1")
    cases = {(case.get("classname"), case.get("name")): case for case in suites.iter("testcase")}
    assert len(cases) == 5
    failure = cases["bad/wrong", "ada"].find("failure")
    assert failure is not None
    assert failure.get("message") == "the system text does not contain `Hello <Bob> & \\o/`"
    assert "Hello Ada." in (failure.text or "")
    assert cases["bad/raises", "ada"].find("error") is not None
    assert cases["host", "euro"].find("skipped") is not None
    assert list(cases["good", "ada"]) == []


def test_an_error_of_the_source_comes_before_any_trial(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"broken.ctx": "{% if %}"})
    done = run()
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("nothing was tried, because of the errors above\n")


def test_errors_of_the_source_are_in_the_document_too(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"broken.ctx": "one\n{% if %}", "lost.ctx": "{{ x | nofilter }}"})
    done = run("--format", "json")
    assert done.code == 1
    document = json.loads(done.out)
    assert document.keys() == json.loads(run("good", "--format", "json").out).keys()
    assert (document["samples"], document["passed"], document["failed"]) == ([], 0, 0)
    found = [(each["code"], each["file"], each["line"]) for each in document["sources"]]
    assert found == [("template-syntax", "broken.ctx", 2), ("unknown-filter", "lost.ctx", 1)]
    done = run("--format", "junit")
    assert done.code == 1
    suites = ElementTree.fromstring(done.out.encode())
    assert suites.attrib["errors"] == suites.attrib["tests"] == "2"
    cases = [case.attrib for case in suites.iter("testcase")]
    assert [tuple(case.values()) for case in cases] == [
        ("sources", "template-syntax", "broken.ctx", "2"),
        ("sources", "unknown-filter", "lost.ctx", "1"),
    ]
    errors = list(suites.iter("error"))
    assert "{{ x | nofilter }}" in (errors[1].text or "")
    assert (errors[1].get("message") or "").startswith("there is no filter `nofilter`")


def test_a_tree_without_samples_says_so(run: Run) -> None:
    assert run("without") == Done("", "no samples of no packages: nothing tried\n", 0)


def test_the_environment_is_given_as_to_a_build(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"env.ctx": "---\nmodel: !? $env.MODEL\n---\nHello.\n", "env.samples.yaml": "x: {variables: {}}\n"})
    assert run("env").code == 1
    assert run("env", "--env", "MODEL=openai/gpt-5").code == 0


def test_a_secret_of_the_environment_is_not_shown(run: Run, tmp_path: Path) -> None:
    secret = "hunter2hunter2hunter2"
    sample = f"x: {{variables: {{word: {secret}}}, expect: {{system: {{contains: [{secret}!]}}}}}}\n"
    write(
        tmp_path,
        {
            "env.ctx": "---\nmodel: !? $env.get('MODEL', 'm')\n---\nIt is {{ word }}. {{ word.x }}\n",
            "env.samples.yaml": sample,
            "env2.ctx": "It is {{ word }}.\n",
            "env2.samples.yaml": sample,
        },
    )
    for form in ("text", "json", "junit"):
        done = run("env", "env2", "--env", f"API_KEY={secret}", "--warn", "unused-env", "--format", form)
        assert done.code == 1
        assert "hunter2" not in done.out + done.err


def test_a_secret_in_the_name_of_a_file_or_package_is_not_shown(run: Run, tmp_path: Path) -> None:
    secret = "hunter2secretvalue99"
    tree = {f"{secret}.ctx/settings.yaml": "model: m\n", f"{secret}.ctx/prompt.j2": "{{ word.x.y }}\n"}
    tree |= {f"{secret}.ctx/samples/{secret}.yaml": "variables: {word: 1}\n"}
    tree |= {"lost.ctx": "{% include 'hunter2secretvalue99' %}"}
    write(tmp_path, tree)
    given = ("--env", f"X_TOKEN={secret}", "--warn", "unused-env")
    for form in ("text", "json", "junit"):
        done = run(f"{secret}.ctx", *given, "--format", form)
        assert done.code == 1
        assert "hunter2" not in done.out + done.err
        done = run("lost.ctx", *given, "--format", form)
        assert done.code == 1
        assert "hunter2" not in done.out + done.err
        assert "hunter2" not in run("--sample", "hunter2", *given).err.replace("there is no sample `hunter2`", "")


def test_what_the_host_supplies_can_be_given_to_the_library(run: Run, tmp_path: Path) -> None:
    supplied = {"filters": {"money": lambda n: f"{n} EUR"}, "tests": {"even": lambda n: n % 2 == 0}}
    (trial,) = try_samples(check(tmp_path), **supplied, names=["euro"])
    assert (trial.key, trial.outcome) == ("host", "passed")
    (only,) = try_samples(check(tmp_path), filters={"money": str}, names=["euro"])
    assert (only.outcome, only.needs) == ("skipped", ("test:even",))


def test_all_samples_of_the_example_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["test", str(ROOT / "examples/prompts")]) == 0
    done = capsys.readouterr()
    assert len(done.out.splitlines()) >= 43
    assert {line.split()[0] for line in done.out.splitlines()} == {"passed"}


def test_the_commands_and_the_example_of_the_page_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs/samples.md").read_text("utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    for line in commands.splitlines():
        assert cli.run(shlex.split(line, comments=True)[1:]) == 0, line
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(example, {})


def test_something_near_is_found_in_bounded_time_and_is_the_longest() -> None:
    wanted = "a" * 199 + "b"
    started = time.process_time()
    for _ in range(20):
        found = nearest(wanted, "a" * 50_000)
    assert time.process_time() - started < 4
    assert found is not None
    assert (found.start, found.end) == (0, 199)
    found = nearest("the quick brown fox", "a lazy dog, the brown one; quick brown feet; quick brown few")
    assert found is not None
    assert (found.start, found.end) == (26, 40)


WORDS = st.lists(st.text("ab \n日", min_size=1, max_size=3), max_size=3)


@given(st.text("ab \n日", max_size=8), WORDS, WORDS, st.none() | st.integers(0, 9))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_sample_passes_exactly_when_its_text_is_as_expected(
    tmp_path: Path, text: str, contains: list[str], not_contains: list[str], most: int | None
) -> None:
    expected = {"contains": contains, "not_contains": not_contains, **({} if most is None else {"max_chars": most})}
    sample = {"variables": {"text": text}, "expect": {"system": expected}}
    write(tmp_path, {"p.ctx": "---\nmodel: m\n---\n{{ text }}", "p.samples.yaml": json.dumps({"x": sample})})
    (trial,) = try_samples(check(tmp_path))
    wrong = sum(word not in text for word in contains) + sum(word in text for word in not_contains)
    wrong += most is not None and len(text) > most
    assert (trial.outcome == "passed") == (wrong == 0)
    assert len(trial.findings) <= wrong
    assert trial.texts == {"<system text of p with x>": text}


@given(st.text("aAb \n\t.ß", max_size=12), st.text("aAb \n\t.ß", max_size=30))
@settings(max_examples=200, deadline=None)
def test_what_is_nearest_lies_in_the_text(wanted: str, text: str) -> None:
    found = nearest(wanted, text)
    if found is not None:
        assert 0 <= found.start < found.end <= len(text)
        part = text[found.start : found.end]
        if found.label.startswith("the nearest"):
            assert part in wanted
        else:
            assert "".join(part.split()).casefold() == "".join(wanted.split()).casefold()
