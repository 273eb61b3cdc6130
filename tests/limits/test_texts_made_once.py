"""Counting asks a value for its text no more often than the filter does: a value may notice."""

from pathlib import Path
from typing import Any

import frozenctx_compiler
import pytest


class Loud:
    """Each text of it is another one."""

    def __init__(self) -> None:
        self.asked = 0

    def __str__(self) -> str:
        self.asked += 1
        return f"a#{self.asked}"


EXPRESSIONS = ["'a'|replace('a', x)", "x|replace('a', 'b')", "'a#1'|replace(old=x, new='c')", "x|trim", "x|trim('a')"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_text_is_made_once(expression: str, tmp_path: Path) -> None:
    (tmp_path / "a.ctx").write_text(f"---\nmodel: openai/gpt-5\n---\n{{{{ {expression} }}}}")
    texts = []
    without: dict[str, Any] = {}
    for limits in (without, {"limits": True, "max_steps": 1000, "max_output": 1000}):
        loud = Loud()
        texts.append((frozenctx_compiler.load(tmp_path, **limits)["a"].system(x=loud), loud.asked))
    assert texts[0] == texts[1]
