"""Rendering as a container does it: an interpreter started with `-I -S` that has the runtime folder and nothing else.

In: an output directory, and jobs of (key, role, variables) where the variables are JSON. Out: for each job the text,
or the class name and message of the exception, in the order given.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import frozenctx
from template_corpus.oracle import Outcome

RUNTIME = Path(frozenctx.__file__).resolve().parent.parent
DEPENDENCIES = ("click", "jinja2", "markupsafe", "msgspec", "yaml", "yaql", "yglu")
BLOCKED = (*DEPENDENCIES, "frozenctx_artifacts", "frozenctx_compiler")

Job = tuple[str, str, dict[str, Any]]

_PROGRAM = """
import sys
runtime, out, pack, *blocked = sys.argv[1:]
for name in blocked:
    sys.modules[name] = None
sys.path.append(runtime)
import frozenctx
import json

prompts = frozenctx.load(out, pack=pack)
outcomes = []
for key, role, variables in json.load(sys.stdin.buffer):
    try:
        outcomes.append(["", getattr(prompts[key], role)(variables)])
    except Exception as error:
        outcomes.append([type(error).__name__, str(error)])
known = {*sys.stdlib_module_names, "__main__", "frozenctx"}
loaded = sorted(name for name, module in sys.modules.items() if module is not None)
foreign = [name for name in loaded if name.partition(".")[0] not in known]
sys.stdout.buffer.write(json.dumps([outcomes, foreign]).encode())
"""


def render_bare(out: Path, jobs: Iterable[Job], *, pack: Literal["require", "never"]) -> list[Outcome]:
    """The outcome of every job, from the pack or from the objects. Fails when anything foreign was imported."""
    command = [sys.executable, "-I", "-S", "-B", "-c", _PROGRAM, str(RUNTIME), str(out), pack, *BLOCKED]
    done = subprocess.run(command, input=json.dumps(list(jobs)).encode(), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    outcomes, foreign = json.loads(done.stdout)
    assert foreign == []
    return [Outcome(error, text) for error, text in outcomes]
