"""A pytest plugin that sends jinja2's own test-suite through frozenctx.

What the suite asks of jinja2 it gets from compiled programs: a template's tree is lowered, its text kept as bytes and
nothing else, and at the first render the bytes are decoded and bound in the runtime. jinja2 itself only parses, loads
sources, and raises the errors of the compile step. The classes that templates and tests both handle (undefined values,
exceptions of a render) are those of the runtime, in jinja2's place.

Sandboxed environments become the engine of chat templates, whose sandbox is jinja2's immutable one. Environments of
another kind (async, native types, own code generators, intercepted operators) go jinja2's way; each template made or
rendered so counts as a fallback. Per test, `report.json` (option `--frozenctx-report`) holds the outcome, the
renders through bytes and the fallbacks.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import frozenctx.errors as errors
import frozenctx.template.undefined as undefined
import jinja2
import jinja2.compiler
import jinja2.defaults
import jinja2.environment
import jinja2.exceptions
import jinja2.ext
import jinja2.filters
import jinja2.nativetypes
import jinja2.runtime
import jinja2.sandbox
import jinja2.tests
import jinja2.utils
import pytest
from frozenctx.template import Engine, Template
from frozenctx.template.chat import ChatEngine
from frozenctx.template.context import Context
from frozenctx.template.globals import Cycler, generate_lorem_ipsum
from frozenctx.template.language import GLOBALS
from frozenctx.template.loops import LoopContext
from frozenctx.template.urlize import urlize
from frozenctx_compiler.templates.dialect import Dialect, adopt_names
from frozenctx_compiler.templates.generate import Kind, lower


def urlize_as_jinja2s(
    text: str, trim_url_limit: int | None = None, rel: str | None = None, target: str | None = None,
    extra_schemes: Iterable[str] | None = None,
) -> str:  # fmt: skip
    return urlize(text, trim_url_limit, rel or "", target, extra_schemes or ())


REPLACED: dict[Any, Any] = {
    **{getattr(jinja2.runtime, name): getattr(undefined, name) for name in (
        "Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined",
    )},
    **{getattr(jinja2.exceptions, name): getattr(errors, name) for name in (
        "TemplateNotFound", "TemplatesNotFound", "TemplateRuntimeError", "UndefinedError", "SecurityError",
        "FilterArgumentError",
    )},
    jinja2.runtime.LoopContext: LoopContext,
    jinja2.utils.Cycler: Cycler,
    jinja2.utils.generate_lorem_ipsum: generate_lorem_ipsum,
    jinja2.utils.object_type_repr: undefined.object_type_repr,
    jinja2.utils.urlize: urlize_as_jinja2s,
}  # fmt: skip

DEFAULTS = {
    "filters": dict(jinja2.filters.FILTERS),
    "tests": dict(jinja2.tests.TESTS),
    "globals": dict(jinja2.defaults.DEFAULT_NAMESPACE),
}

class Tally:
    """What happened during one test."""

    def __init__(self) -> None:
        self.renders = 0
        self.fallbacks = 0


tally = Tally()


def replace_classes() -> None:
    """Put the runtime's classes where jinja2's modules have their own."""
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] == "jinja2":
            for key, value in list(vars(module).items()):
                try:
                    replacement = REPLACED.get(value)
                except TypeError:
                    continue
                if replacement is not None:
                    setattr(module, key, replacement)
    for function in (jinja2.runtime.make_logging_undefined, jinja2.Environment.__init__, jinja2.Template.__new__):
        defaults = function.__defaults__ or ()
        function.__defaults__ = tuple(
            REPLACED.get(value, value) if isinstance(value, type) else value for value in defaults
        )


def own(kind: str, environment: jinja2.Environment) -> dict[str, Any]:
    """Return the filters, tests or globals that a test gave to its environment."""
    builtin = DEFAULTS[kind]
    return {name: f for name, f in getattr(environment, kind).items() if builtin.get(name) is not f}


def is_foreign(environment: jinja2.Environment) -> bool:
    return (
        environment.is_async
        or bool(getattr(environment, "intercepted_binops", ()) or getattr(environment, "intercepted_unops", ()))
        or isinstance(environment, jinja2.nativetypes.NativeEnvironment)
        or environment.code_generator_class is not jinja2.compiler.CodeGenerator
    )


# Compiling

jinja2_generate = jinja2.Environment._generate


def generate(
    self: jinja2.Environment,
    source: jinja2.nodes.Template,
    name: str | None,
    filename: str | None,
    defer_init: bool = False,
) -> str:
    """Lower the tree; what jinja2 gets to compile is a module that holds the program's bytes."""
    if is_foreign(self):
        tally.fallbacks += 1
        return jinja2_generate(self, source, name, filename, defer_init)
    dialect = Dialect(
        host_filters=tuple(own("filters", self)), host_tests=tuple(own("tests", self)), finalize=bool(self.finalize),
        chat=self.sandboxed,
    )  # fmt: skip
    build = copy.copy(self)
    adopt_names(build, dialect)
    # A class of contexts of the test's own can be asked only by programs that have a context.
    kind: Kind = "kept" if self.context_class is not jinja2.runtime.Context and KIND["kind"] == "lean" else KIND["kind"]
    lowered = lower(source, name=name, file=filename or "<template>", dialect=dialect, environment=build, kind=kind)
    return f"name = {name!r}\nblocks = {{}}\nroot = None\ndebug_info = ''\nprogram = {lowered.text.encode()!r}\n"


# Rendering

jinja2_from_namespace = jinja2.Template._from_namespace.__func__  # type: ignore[attr-defined]


class Counterpart:
    """The runtime's template for one of jinja2's, made at its first use."""

    def __init__(self, template: jinja2.Template, program: bytes) -> None:
        self.template = template
        self.program = program
        self.made: Template | None = None

    def get(self) -> Any:
        globals = {
            name: GLOBALS[name] if name in GLOBALS and value is DEFAULTS["globals"][name] else value
            for name, value in self.template.globals.items()
        }
        if self.made is None or self.made.globals != globals:
            # Tests change globals between renders; a program looks at them once.
            engine = engine_for(self.template.environment)
            self.made = Template(self.program.decode(), engine, self.lookup, globals)
        return self.made

    def lookup(self, name: Any) -> Any:
        return counterpart(self.template.environment.get_template(name, self.template.name))


def engine_for(environment: jinja2.Environment) -> Engine:
    kind: Any = ChatEngine if environment.sandboxed else partial(Engine, guard=False)
    result: Engine = kind(
        filters=own("filters", environment),
        undefined=environment.undefined,
        tests=own("tests", environment),
        autoescape=environment.autoescape,
        finalize=environment.finalize,
        newline_sequence=environment.newline_sequence,
    )
    # The same object: tests change policies between renders.
    result.policies = environment.policies
    custom = environment.context_class
    if custom is not jinja2.runtime.Context:
        methods = {name: value for name, value in vars(custom).items() if not name.startswith("__")}
        result.context_class = type(custom.__name__, (Context,), methods)
    for name, value in vars(environment).items():
        if not hasattr(result, name):
            setattr(result, name, value)
    return result


def counterpart(template: Any) -> Any:
    found = getattr(template, "frozenctx", None)
    return found.get() if isinstance(found, Counterpart) else template


def from_namespace(cls: type[jinja2.Template], environment: Any, namespace: Any, globals: Any) -> Any:
    template = jinja2_from_namespace(cls, environment, namespace, globals)
    if "program" in namespace:
        template.frozenctx = Counterpart(template, namespace["program"])
        template.root_render_func = lambda context: template.frozenctx.get().root_render_func(context)
    return template


def translated(value: Any) -> Any:
    """Replace templates among variables by their counterparts."""
    if isinstance(value, jinja2.Template):
        return counterpart(value)
    if type(value) in (list, tuple) and any(isinstance(item, jinja2.Template) for item in value):
        return type(value)(map(counterpart, value))
    return value


def variables(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: translated(value) for name, value in dict(*args, **kwargs).items()}


def through(method: str, original: Any) -> Any:
    """Return a method of jinja2's Template that asks the counterpart."""

    def replacement(self: jinja2.Template, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "frozenctx"):
            tally.fallbacks += 1
            return original(self, *args, **kwargs)
        tally.renders += 1
        own_method = getattr(self.frozenctx.get(), method)
        return own_method(variables(args, kwargs)) if method in ("render", "generate") else own_method(*args, **kwargs)

    return replacement


def by_engine(method: str) -> Any:
    """Return a method of jinja2's Environment that asks the runtime's engine."""

    def replacement(self: jinja2.Environment, *args: Any, **kwargs: Any) -> Any:
        return getattr(engine_for(self), method)(*args, **kwargs)

    return replacement


KIND: dict[str, Any] = {"kind": "lean"}
results: dict[str, dict[str, Any]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--frozenctx-report", default=None, help="file to write the results to, as JSON")
    parser.addoption("--frozenctx-kind", default="lean", help="kind of program: lean, kept or reference")


def pytest_configure(config: pytest.Config) -> None:
    KIND["kind"] = config.getoption("--frozenctx-kind")
    replace_classes()
    jinja2.Environment._generate = generate  # type: ignore[method-assign]
    jinja2.Template._from_namespace = classmethod(from_namespace)  # type: ignore[assignment]
    for method in ("call_filter", "call_test"):
        setattr(jinja2.Environment, method, by_engine(method))
    for method in ("render", "generate", "make_module", "new_context", "_get_default_module"):
        setattr(jinja2.Template, method, through(method, getattr(jinja2.Template, method)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    tally.__init__()  # type: ignore[misc]
    result = yield
    results[item.nodeid]["renders"] = tally.renders
    results[item.nodeid]["fallbacks"] = tally.fallbacks
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    entry = results.setdefault(report.nodeid, {"outcome": "passed"})
    if report.outcome != "passed":
        entry["outcome"] = report.outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--frozenctx-report")
    if path:
        Path(path).write_text(json.dumps(results, indent=1))
