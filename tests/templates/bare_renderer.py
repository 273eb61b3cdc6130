"""Renders programs where nothing but the standard library and the runtime can be imported.

Run as a script, by `python -I -S`, with the runtime's folder as argument. In, on stdin: a Python literal, a list of
cases (programs by name, undefined class, variables as source). Out, on stdout: a literal, the list of outcomes, and
the modules that the first render had loaded.
"""

import sys

for name in ("jinja2", "markupsafe", "yaml", "msgspec", "yglu", "click", "frozenctx_compiler"):
    sys.modules[name] = None  # type: ignore[assignment]
sys.path[:] = [sys.argv[1], *(path for path in sys.path if "site-packages" not in path)]

from frozenctx import errors  # noqa: E402
from frozenctx.template import Engine, Template, undefined  # noqa: E402


def render(programs: dict, undefined_name: str, variables: dict) -> object:  # type: ignore[type-arg]
    engine = Engine(undefined=getattr(undefined, undefined_name), guard=False)
    made: dict[str, Template] = {}

    def lookup(name: str) -> Template:
        if name not in programs:
            raise errors.TemplateNotFound(name)
        if name not in made:
            made[name] = Template(programs[name], engine, lookup)
        return made[name]

    try:
        return lookup("main").render(variables)
    except Exception as error:
        return type(error).__name__, str(error)


if __name__ == "__main__":
    from ast import literal_eval

    cases = literal_eval(sys.stdin.buffer.read().decode("utf-8"))
    before = set(sys.modules)
    render({"main": cases[0]}, "StrictUndefined", {"name": "x"})
    loaded = sorted(set(sys.modules) - before)
    outcomes = [
        render(programs, name, eval(variables, {"range": range, "dict": dict}))
        for programs, name, variables in cases[1:]
    ]
    sys.stdout.buffer.write(repr((outcomes, loaded)).encode("utf-8"))
