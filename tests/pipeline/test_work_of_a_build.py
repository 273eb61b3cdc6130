"""How much work a build does, in counts: what is done twice shows here, and not in any result."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
from source_trees import write

CONFIG = '[defaults]\nmodel = "openai/gpt-5"\n'

watching = False
compiled: Counter[str] = Counter()


def hook(event: str, arguments: tuple[Any, ...]) -> None:
    if watching and event == "compile" and str(arguments[1]).startswith("frozenctx:"):
        compiled[str(arguments[1])] += 1


sys.addaudithook(hook)  # stays for the life of the process


def test_a_build_compiles_each_program_once_for_its_proof_and_its_pack(tmp_path: Path) -> None:
    global watching
    write(
        tmp_path / "tree",
        {
            "frozenctx.toml": CONFIG,
            "partials/p.j2": "{{ x }}",
            "a.ctx": "<<<role:system>>>\n{% include 'partials/p.j2' %}\n<<<role:user>>>\n{{ y }}\n",
            "b.ctx": "{% include 'partials/p.j2' %} and more",
        },
    )
    compiled.clear()
    watching = True
    try:
        done = frozenctx_compiler.build(tmp_path / "tree", tmp_path / "out")
    finally:
        watching = False
    assert done.written
    assert compiled == {"frozenctx:a.ctx": 2, "frozenctx:b.ctx": 1, "frozenctx:partials/p.j2": 1}
    # The pack is what the objects alone make.
    prompts = frozenctx.load(tmp_path / "out", pack="require", verify=True)
    assert prompts["b"].system(x=1) == "1 and more"
