"""Programs render in an interpreter that has only the standard library and the runtime's folder."""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from pathlib import Path
from typing import Any

import frozenctx
import jinja2
from frozenctx_compiler.templates.dialect import CTX
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
from templates.cases import CASES, sources_of, variables_of
from templates.oracle import by_jinja, without_addresses

RUNTIME = Path(str(frozenctx.__file__)).parent.parent


def programs_of(sources: dict[str, str]) -> dict[str, str] | None:
    """Return programs by name, or None if the compile step refuses a template."""
    try:
        return {
            name: lower(parse(source, name, CTX), name=name, file=name, dialect=CTX).text
            for name, source in sources.items()
        }
    except jinja2.TemplateSyntaxError:
        return None


def run_bare(cases: list[Any], *flags: str) -> tuple[list[Any], list[str]]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", *flags, str(Path(__file__).with_name("bare_renderer.py")), str(RUNTIME)],
        input=repr(cases).encode("utf-8"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    result: tuple[list[Any], list[str]] = literal_eval(done.stdout.decode("utf-8"))
    return result


def test_bare_interpreter_renders_every_case_as_jinja2_does() -> None:
    simple = lower(parse("Dear {{ name|upper }}{% for x in [1] %}{{ x }}{% endfor %}"), name=None, file="x").text
    chosen, cases = [], [simple]
    for name in CASES:
        programs = programs_of(sources_of(name))
        variables = repr(variables_of(name))
        if programs is not None:
            # Classes print as <class 'dict'>, which is no literal.
            cases.append((programs, "StrictUndefined", variables.replace("<class 'dict'>", "dict")))  # type: ignore[arg-type]
            chosen.append(name)
    outcomes, _loaded = run_bare(cases, "-OO")
    assert len(chosen) > 100
    for name, outcome in zip(chosen, outcomes, strict=True):
        text = outcome if isinstance(outcome, str) else tuple(map(without_addresses, outcome))
        text = without_addresses(text) if isinstance(text, str) else text
        assert (name, text) == (name, by_jinja(sources_of(name), variables_of(name)))


def test_first_render_loads_no_module_but_the_runtimes_own() -> None:
    simple = lower(parse("Dear {{ name|upper }}{% for x in [1] %}{{ x }}{% endfor %}"), name=None, file="x").text
    done = subprocess.run(
        [
            sys.executable, "-I", "-S", "-c",
            "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
            "from frozenctx.template import Engine, Template\n"
            "print(Template(sys.stdin.read(), Engine(), None).render({'name': 'x'}))\n"
            "print(*sorted(set(sys.modules) - before))",
            str(RUNTIME),
        ],
        input=simple, capture_output=True, check=True, text=True,
    )  # fmt: skip
    text, loaded = done.stdout.splitlines()
    assert text == "Dear X1"
    heavy = {"re", "json", "typing", "functools", "collections", "enum", "string", "dataclasses", "pathlib", "hashlib"}
    assert heavy.isdisjoint(loaded.split())
    assert "frozenctx.template" in loaded.split()
