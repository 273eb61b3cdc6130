"""Lowers every case and writes the programs to stdout, as a literal. For runs by other interpreters and hash seeds."""

from __future__ import annotations

import sys

import jinja2
from frozenctx_compiler.templates.dialect import CTX
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse
from templates.cases import CASES, sources_of
from templates.random_templates import case


def programs() -> dict[str, str]:
    result = {}
    tables = {name: sources_of(name) for name in CASES} | {f"random {seed}": case(seed)[0] for seed in range(40)}
    for name, sources in tables.items():
        for template, source in sources.items():
            for kind in ("lean", "kept", "reference"):
                key = f"{name}/{template}/{kind}"
                try:
                    tree = parse(source, template, CTX)
                    result[key] = lower(tree, name=template, file=template, dialect=CTX, kind=kind).text
                except jinja2.TemplateSyntaxError as error:
                    result[key] = f"{error.message} {error.lineno}"
    return result


if __name__ == "__main__":
    sys.stdout.buffer.write(repr(programs()).encode("utf-8"))
