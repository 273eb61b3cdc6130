"""Under caps no construct of the language takes more time or memory than they allow, and none changes below them."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import frozenctx
import pytest
from frozenctx_compiler import build
from limits.constructs import ALL, PARTIALS, innocent, template

EVERY = range(len(ALL))
NAMES = [construct[:60] for construct in ALL]


def built(root: Path, hostile: bool, limits: bool) -> str:
    for name, text in PARTIALS.items():
        (root / "partials").mkdir(exist_ok=True)
        (root / "partials" / name).write_text(text, "utf-8")
    for number, construct in enumerate(ALL):
        text = f"---\nmodel: m\n---\n<<<role:system>>>\n{template(construct, hostile)}"
        (root / f"c{number}.ctx").write_text(text, "utf-8")
    result = build(root, root / "out", limits=limits)
    assert result.written, result.report.diagnostics
    return str(root / "out")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, float]]:
    out = built(tmp_path_factory.mktemp("hostile"), True, True)
    script = Path(__file__).parent / "render_hostile.py"
    done = subprocess.run([sys.executable, str(script), out], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    result: list[tuple[str, float]] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("number", EVERY, ids=NAMES)
def test_a_hostile_value_reaches_a_cap_in_bounded_time_and_memory(
    number: int, outcomes: list[tuple[str, float]]
) -> None:
    outcome, seconds = outcomes[number]
    assert outcome in ("max_steps", "max_output")
    assert seconds < 5


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> list[Mapping[str, frozenctx.Prompt]]:
    plain = built(tmp_path_factory.mktemp("plain"), False, False)
    limited = built(tmp_path_factory.mktemp("limited"), False, True)
    capped = frozenctx.load(limited, max_steps=100_000, max_output=10_000_000)
    return [frozenctx.load(plain), capped, frozenctx.load(limited)]


@pytest.mark.parametrize("number", EVERY, ids=NAMES)
def test_below_the_caps_the_outcome_is_that_without_limits(
    number: int, releases: list[Mapping[str, frozenctx.Prompt]]
) -> None:
    plain, capped, without_caps = [outcome(prompts[f"c{number}"]) for prompts in releases]
    assert capped == plain
    assert without_caps == plain


def outcome(prompt: frozenctx.Prompt) -> tuple[str, ...]:
    import random

    random.seed(1)  # `lipsum`
    try:
        return ("text", prompt.system(innocent()))
    except Exception as error:
        return (type(error).__name__, str(error))


def test_nearly_all_constructs_render_with_innocent_values(releases: list[Mapping[str, frozenctx.Prompt]]) -> None:
    raised = [ALL[number] for number in EVERY if outcome(releases[0][f"c{number}"])[0] != "text"]
    assert len(raised) < 0.1 * len(ALL), "\n".join(raised)
