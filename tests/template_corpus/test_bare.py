"""Compiled templates, rendered where only the standard library and the runtime exist, equal jinja2.

Every case of the corpus is lowered in both kinds; all programs are rendered by one bare interpreter; text, or class
name and message of the exception, is compared with jinja2's.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Literal

import jinja2
import pytest
from frozenctx_compiler.templates import lower
from frozenctx_compiler.templates.parse import parse
from template_corpus import oracle
from template_corpus.cases import MAIN, Case, load_cases

Kind = Literal["lean", "kept", "reference"]
KINDS: tuple[Kind, ...] = ("lean", "kept", "reference")
HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parents[1] / "runtime"
CASES = {case.id: case for case in load_cases()}
EVERY = [(case_id, kind) for case_id in CASES for kind in KINDS]


def programs(case: Case, kind: Kind) -> dict[str, str] | oracle.Outcome:
    """Template name → program text, or what the build refuses the case with."""
    try:
        return {
            name: lower(parse(source, name), name=name, file=f"{case.id}/{name}", kind=kind).text
            for name, source in {MAIN: case.main, **case.extras}.items()
        }
    except jinja2.TemplateSyntaxError as error:
        return oracle.refusal(error)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, Kind], oracle.Outcome]:
    lowered = {(case_id, kind): programs(CASES[case_id], kind) for case_id, kind in EVERY}
    result = {key: value for key, value in lowered.items() if isinstance(value, oracle.Outcome)}
    compiled = {key: value for key, value in lowered.items() if isinstance(value, dict)}
    jobs = tmp_path_factory.mktemp("bare") / "jobs.json"
    jobs.write_text(
        json.dumps(
            [
                {"programs": texts, "main": MAIN, "context": CASES[case_id].context_json}
                for (case_id, _), texts in compiled.items()
            ]
        ),
        encoding="utf-8",
    )
    command = [sys.executable, "-I", "-S", str(HERE / "bare.py"), str(RUNTIME), str(HERE.parent), str(jobs)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    rendered = [oracle.Outcome(*outcome) for outcome in json.loads(done.stdout)]
    return result | dict(zip(compiled, rendered, strict=True))


@pytest.mark.parametrize(("case_id", "kind"), EVERY, ids=[f"{case_id}-{kind}" for case_id, kind in EVERY])
def test_a_bare_interpreter_gives_what_jinja2_gives(
    case_id: str, kind: Kind, outcomes: dict[tuple[str, Kind], oracle.Outcome]
) -> None:
    assert outcomes[case_id, kind] == oracle.outcome(CASES[case_id])
