"""One case on both sides: what jinja2 makes of it, and what frozenctx makes of it.

In: sources, tagged variables, a setting. Out: `Outcome`: a text, or the class name and message of an exception. Each
side gets variables of its own. What is chance or differs by design is evened out: addresses, modules of classes, how
deep the stack was, and which of the pieces of text that a template's text is joined from was no text.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from zlib import crc32

import frozenctx.template.undefined as frozen_undefined
import jinja2
import jinja2.nodes as nodes
import markupsafe
from frozenctx.errors import TemplateNotFound
from frozenctx.template import Engine, Template, chat, pass_context, pass_environment, pass_eval_context
from frozenctx.template.limits import LimitedEngine, Meter
from frozenctx.template.markup import Markup
from frozenctx.template.where import where
from frozenctx_compiler.templates.generate import KINDS, kind_of, lower
from frozenctx_compiler.templates.parse import parse
from fuzz.format_filters import FORMAT_FILTERS
from fuzz.settings import HOST_FILTERS, HOST_GLOBALS, HOST_TESTS, Setting
from jinja2.compiler import CodeGenerator, Frame
from jinja2.sandbox import ImmutableSandboxedEnvironment
from template_corpus import contexts
from templates_library.transformers_like import equip

MAIN = "main.j2"
MIXED = "mixed"
Way = Literal["render", "generate", "module"]
NOW = datetime(2026, 7, 4, 15, 30)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}", re.IGNORECASE)
# What is left of an address after it was cut, wrapped or turned to other letters.
SHOWN_ADDRESS = re.compile(
    r"0\s*x\s*(?:…|[0-9a-f\s]{6,})|(?:object|method|function|generator)\b.{0,80}\bat\b", re.IGNORECASE | re.DOTALL
)
# Where the classes of jinja2's and our values live, which a template without guard can print.
HOME = re.compile(r"\b(?:jinja2\.runtime|markupsafe|frozenctx(?:\.\w+)+)\.(?=[A-Z])")
# Lowering joins fewer and longer pieces than jinja2 does.
PLACE = re.compile(r"sequence item \d+: expected str instance")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`error`: the class of an exception, or nothing. `place`: template and line where it was raised, if known."""

    error: str
    text: str
    place: tuple[str, int] | None = field(default=None, compare=False)


class Ticking:
    """Its attributes and items change each time they are read."""

    def __init__(self, start: int) -> None:
        self._count = start

    @property
    def tick(self) -> int:
        self._count += 1
        return self._count

    def __getitem__(self, key: str) -> str:
        return f"{key}{self.tick}"

    def __len__(self) -> int:
        return self.tick % 3

    def __repr__(self) -> str:
        return f"Ticking({self._count})"


def build(variables: dict[str, Any], kit: contexts.Kit) -> dict[str, Any]:
    """Return new variables: the corpus's tagged values, and `{"$ticking": n}` as the whole of a variable."""
    ticking = {
        name: Ticking(value["$ticking"])
        for name, value in variables.items()
        if isinstance(value, dict) and "$ticking" in value
    }
    built = contexts.build({name: value for name, value in variables.items() if name not in ticking}, kit)
    return {name: ticking[name] if name in ticking else built[name] for name in variables}


class NotCompiled(Exception):
    """jinja2 breaks while it compiles a valid template."""


class Unfolded(CodeGenerator):
    """jinja2's code generator, which computes nothing while compiling."""

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)


def jinja_environment(sources: dict[str, str], how: Setting, fold: bool = True) -> jinja2.Environment:
    """Return jinja2 for these templates. `fold`: it may compute constants while compiling, as it does by itself."""
    dialect = how.dialect
    environment = (ImmutableSandboxedEnvironment if dialect.chat else jinja2.Environment)(
        optimized=fold,
        # With a file name, which jinja2 puts into its traceback.
        loader=jinja2.FunctionLoader(lambda name: (sources[name], name, None) if name in sources else None),
        undefined=getattr(jinja2, dialect.undefined),
        trim_blocks=dialect.trim_blocks,
        lstrip_blocks=dialect.lstrip_blocks,
        keep_trailing_newline=dialect.keep_trailing_newline,
        autoescape=dialect.autoescape,
        newline_sequence=dialect.newline_sequence,
        block_start_string=dialect.block_start_string,
        block_end_string=dialect.block_end_string,
        variable_start_string=dialect.variable_start_string,
        variable_end_string=dialect.variable_end_string,
        comment_start_string=dialect.comment_start_string,
        comment_end_string=dialect.comment_end_string,
        line_statement_prefix=dialect.line_statement_prefix,
        line_comment_prefix=dialect.line_comment_prefix,
        extensions=[f"jinja2.ext.{name}" for name in dialect.extensions],
        finalize=how.finalize,
    )
    if not fold:
        environment.code_generator_class = Unfolded
    environment.filters.update(FORMAT_FILTERS)
    if dialect.chat:
        equip(environment, NOW)
    environment.filters.update(HOST_FILTERS)
    environment.tests.update(HOST_TESTS)
    environment.globals.update(HOST_GLOBALS)
    return environment


def jinja_outcome(
    sources: dict[str, str], variables: dict[str, Any], how: Setting, way: Way, fold: bool = True
) -> Outcome:
    kit = contexts.Kit(
        markupsafe.Markup, getattr(jinja2, how.dialect.undefined), jinja2.pass_context, jinja2.pass_environment,
        jinja2.pass_eval_context,
    )  # fmt: skip
    built = build(variables, kit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment = jinja_environment(sources, how, fold)
        try:
            for name in sources:
                environment.get_template(name)
        except jinja2.TemplateSyntaxError as error:
            return failed(error)
        except Exception as error:
            # Some constants fail when they are folded, also where nothing would evaluate them.
            raise NotCompiled from error
        try:
            return rendered(environment.get_template(MAIN), built, way)
        except Exception as error:  # whatever a template raises is the outcome
            # jinja2 gives template lines to exceptions of `render` and `generate` only.
            return failed(error, None if way == "module" else jinja_place(error, sources))


def frozen_outcome(
    sources: dict[str, str], variables: dict[str, Any], how: Setting, way: Way, kind: str, guard: bool,
    programs: dict[tuple[str, str], str], caps: tuple[int, int] = (10**12, 10**12),
) -> Outcome:  # fmt: skip
    """`programs`: (kind, template name) → the text of the program; what is not there yet is added. `caps`: of steps and
    output, for the kind that counts."""
    dialect = how.dialect
    undefined = getattr(frozen_undefined, dialect.undefined)
    kit = contexts.Kit(Markup, undefined, pass_context, pass_environment, pass_eval_context)
    built = build(variables, kit)
    options: dict[str, Any] = {
        "undefined": undefined, "filters": HOST_FILTERS, "tests": HOST_TESTS, "globals": HOST_GLOBALS,
        "autoescape": dialect.autoescape, "finalize": how.finalize, "newline_sequence": dialect.newline_sequence,
    }  # fmt: skip
    engine: Engine
    if dialect.chat:
        engine = chat.ChatEngine(lambda: NOW, **options)
    else:
        engine = (LimitedEngine if kind == "limited" else Engine)(guard=guard, **options)
    templates: dict[str, Template] = {}

    def lookup(name: Any) -> Template:
        if name not in sources:
            raise TemplateNotFound(name)
        if name not in templates:
            if (kind, name) not in programs:
                tree = parse(sources[name], name, dialect)
                how_lowered: Any = mixed(name, sources[MAIN]) if kind == MIXED else kind
                if how_lowered == "lean":
                    how_lowered = kind_of(tree, escapes=any("autoescape" in source for source in sources.values()))
                programs[kind, name] = lower(tree, name=name, file=name, dialect=dialect, kind=how_lowered).text
            with warnings.catch_warnings():
                # A program that Python warns about would be a nuisance for those who build.
                warnings.simplefilter("error")
                templates[name] = Template(programs[kind, name], engine, lookup)
        return templates[name]

    try:
        with Meter(*caps):
            return rendered(lookup(MAIN), built, way)
    except Exception as error:
        return failed(error, where(error))


def generated(template: Any, variables: dict[str, Any]) -> str:
    """Return the text of all pieces; for chat templates also where their generation blocks are."""
    if isinstance(template, Template) and template.engine.sandboxed:
        spans: list[tuple[int, int]] = []
        token = chat.spans.set(spans)
        try:
            text = template.render(variables)
        finally:
            chat.spans.reset(token)
    elif template.environment.sandboxed:
        text, spans = template.environment.tracker.collected(template.generate(variables))
    else:
        return "".join(template.generate(variables))
    return f"{text}{spans}"


def rendered(template: Any, variables: dict[str, Any], way: Way) -> Outcome:
    if way == "generate":
        text = generated(template, variables)
    elif way == "module":
        module = template.make_module(variables)
        text = str(module) + "|" + ",".join(sorted(name for name in vars(module) if not name.startswith("_")))
    else:
        text = template.render(variables)
    return Outcome("", HOME.sub("", ADDRESS.sub("0x…", text)))


def jinja_place(error: Exception, sources: dict[str, str]) -> tuple[str, int] | None:
    """Return the template and line of the innermost template in jinja2's traceback."""
    place = None
    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file in sources:
            place = file, traceback.tb_lineno
        traceback = traceback.tb_next
    return place


def failed(error: Exception, place: tuple[str, int] | None = None) -> Outcome:
    if isinstance(error, jinja2.TemplateSyntaxError):
        return Outcome(type(error).__name__, f"{error.message} (line {error.lineno})")
    if isinstance(error, RecursionError):
        return Outcome("RecursionError", "")
    text = PLACE.sub("sequence item …: expected str instance", HOME.sub("", ADDRESS.sub("0x…", str(error))))
    return Outcome(type(error).__name__, text, place)


def kinds() -> list[str]:
    """The kinds of program, by name, and `mixed`: some templates of a case are lean, the others kept."""
    return sorted([*KINDS, MIXED])


def mixed(name: str, source: str) -> str:
    """Return one of the two kinds, by chance, but each time the same."""
    return ("lean", "kept")[crc32(f"{name}:{source}".encode("utf-8", "surrogatepass")) >> 7 & 1]
