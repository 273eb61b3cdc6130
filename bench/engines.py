"""The three engines of the render benchmark, each set up as a service that renders templates would set it up.

In: templates by name. Out: for each engine a function that gives, for a template's name, the function that renders it.
All of them follow CTX-FORMAT section 5: strict undefined values, trimmed blocks, kept final newline, no autoescape,
loop controls and `do`. Compiling is done before anything is timed. What the packages capture with `import_text` and
`import_yaml` is read once for jinja2 and minijinja as well, which favours them: their filters would read the file in
every rendering.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, NoReturn

import jinja2
from frozenctx.errors import TemplateNotFound
from frozenctx.template import Engine, Template
from frozenctx.template.limits import LimitedEngine
from frozenctx_compiler.templates.dialect import CTX
from frozenctx_compiler.templates.generate import lower
from frozenctx_compiler.templates.parse import parse

from bench.loaders.filters import FILTERS

Sources = Mapping[str, str]
Render = Callable[[Mapping[str, Any]], str]
Kind = str
"""One of `generate.KINDS`, the ways the compiler has to lower a template."""


def raise_exception(message: str) -> NoReturn:
    """What chat templates call when a conversation is not one that their model was trained on."""
    raise ValueError(message)


GLOBALS = {"raise_exception": raise_exception}


def captured(contents: Mapping[str, Any]) -> Callable[[str], Any]:
    """A filter that answers what the file of that name holds."""
    return contents.__getitem__


# The engines


def frozenctx_renderers(sources: Sources, kind: Kind | None = None) -> Callable[[str], Render]:
    """Templates are compiled to program text, and only the text goes over to the runtime."""
    dialect = replace(CTX, host_globals=tuple(sorted(GLOBALS)))
    engine = (LimitedEngine if kind == "limited" else Engine)(globals=GLOBALS)
    options: dict[str, Any] = {} if kind is None else {"kind": kind}
    made: dict[str, Template] = {}

    def lookup(name: str) -> Template:
        if name not in sources:
            raise TemplateNotFound(name)
        if name not in made:
            program = lower(parse(sources[name], name, dialect), name=name, file=name, dialect=dialect, **options)
            made[name] = Template(program.text, engine, lookup)
        return made[name]

    return lambda name: lookup(name).render


def jinja2_renderers(
    sources: Sources, texts: Mapping[str, str] | None = None, data: Mapping[str, Any] | None = None
) -> Callable[[str], Render]:
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(dict(sources)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    environment.globals.update(GLOBALS)
    environment.filters.update(FILTERS)
    environment.filters.update(import_text=captured(texts or {}), import_yaml=captured(data or {}))
    return lambda name: environment.get_template(name).render


def minijinja_renderers(
    sources: Sources, texts: Mapping[str, str] | None = None, data: Mapping[str, Any] | None = None
) -> Callable[[str], Render]:
    """Filters of CTX-FORMAT are called back in Python, as jinja2 calls them. Raises ImportError without minijinja."""
    environment = import_module("minijinja").Environment(
        loader=sources.get,
        undefined_behavior="strict",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_escape_callback=lambda name: False,
    )
    for name, function in GLOBALS.items():
        environment.add_global(name, function)
    for name, filter_ in FILTERS.items():
        environment.add_filter(name, filter_)
    environment.add_filter("import_text", captured(texts or {}))
    environment.add_filter("import_yaml", captured(data or {}))
    return lambda name: lambda variables: environment.render_template(name, **variables)
