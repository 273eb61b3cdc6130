"""The examples of docs/templates.md run, and its tables name what there is."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import frozenctx
from frozenctx_compiler.templates import CompiledTemplate, Dialect, compile_template

PAGE = (Path(__file__).parents[2] / "docs/templates.md").read_text("utf-8")


def test_the_examples_do_what_they_say() -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert sum(example.count("assert ") for example in examples) == 3
    names: dict[str, object] = {}
    for example in examples:
        exec(example, names)  # examples of our own


def test_every_option_has_a_row() -> None:
    named = {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    signs = {f"{kind}_{end}_string" for kind in ("variable", "comment") for end in ("start", "end")}
    assert {field.name for field in fields(Dialect)} - signs <= named


def test_the_signatures_and_attributes_are_those_that_are_described() -> None:
    for function in (compile_template, frozenctx.load_template):
        described = re.search(rf"{function.__name__}\(\w+, \*, (.*?)\)` gives", PAGE)
        assert described is not None
        keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert described[1] == ", ".join(f"{parameter.name}={parameter.default}" for parameter in keywords)
    rows = set(re.findall(r"^\| `(\w+)(?:\(\))?` \|", PAGE, re.MULTILINE))
    assert {"encode", *(field.name for field in fields(CompiledTemplate))} - {"name", "options"} <= rows
    methods = {name for name in vars(frozenctx.Template) if name[0] != "_"}
    assert methods == {name for line in re.findall(r"^- (`.*)$", PAGE, re.MULTILINE) for name in re.findall(
        r"`(render|generate|render_with_generation|name|variables)[(`]", line)}  # fmt: skip
