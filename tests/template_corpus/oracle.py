"""jinja2 itself, set up as CTX-FORMAT §5 says: what every rendered text and every exception is compared with.

In: a loader, and a base directory for the two import filters. Out: a `jinja2.Environment`.
Invariant: nothing here comes from the compiler or the runtime; the filters that jinja2 lacks are written a second
time, as plainly as possible, so that a mistake in one place cannot hide in the other.
"""

import json
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import markupsafe
import yaml
from template_corpus import contexts
from template_corpus.cases import MAIN, Case

CTX_FILTERS = (
    "as_codeblock",
    "as_xml",
    "bulleted_list",
    "dedent",
    "from_json",
    "numbered_list",
    "to_json",
)
"""The names of CTX-FORMAT §5 beyond jinja2's, without those that read files or count tokens."""


def to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_refuse)


def _refuse(value: Any) -> Any:
    str(value)  # an undefined value says what it is, wherever it sits
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def from_json(value: str) -> Any:
    return json.loads(str(value))


def as_xml(value: Any, tag: str = "data") -> str:
    text = "" if value is None else str(value)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, entity)
    return f"<{tag}>{text}</{tag}>"


def as_codeblock(value: Any, lang: str = "") -> str:
    text = str(value)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    line_end = "" if text.endswith("\n") else "\n"
    return f"{fence}{lang}\n{text}{line_end}{fence}"


def numbered_list(value: Iterable[Any], start: int = 1) -> str:
    items = iter(value)
    if isinstance(start, jinja2.Undefined):
        start._fail_with_undefined_error()
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, start))


def bulleted_list(value: Iterable[Any], bullet: str = "-") -> str:
    return "\n".join(f"{bullet} {item}" for item in value)


def dedent(value: str) -> str:
    return textwrap.dedent(value)


def environment(loader: jinja2.BaseLoader | None = None, base: Path | None = None) -> jinja2.Environment:
    """The environment of CTX-FORMAT §5; with `base`, `import_text` and `import_yaml` read files below it."""
    env = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    for name in CTX_FILTERS:
        env.filters[name] = globals()[name]
    if base is not None:
        env.filters["import_text"] = lambda path: (base / path).read_text(encoding="utf-8")
        env.filters["import_yaml"] = lambda path: yaml.safe_load((base / path).read_text(encoding="utf-8"))
    return env


class Outcome(NamedTuple):
    """What one render gave: `text` with an empty `error`, or the class name of an exception with its message."""

    error: str
    text: str


def kit() -> contexts.Kit:
    """jinja2's own classes and decorators, for `contexts.build`."""
    return contexts.Kit(
        markupsafe.Markup,
        jinja2.StrictUndefined,
        jinja2.pass_context,
        jinja2.pass_environment,
        jinja2.pass_eval_context,
    )


def refusal(error: jinja2.TemplateSyntaxError) -> Outcome:
    """What a template gave that does not compile; `str(error)` would also quote the source when it can be found."""
    return Outcome(type(error).__name__, f"line {error.lineno}: {error.message}")


def outcome(case: Case) -> Outcome:
    """Render one case of the corpus with plain jinja2."""
    env = environment(jinja2.DictLoader({MAIN: case.main, **case.extras}))
    variables = contexts.build(json.loads(case.context_json), kit())
    try:
        return Outcome("", env.get_template(MAIN).render(variables))
    except jinja2.TemplateSyntaxError as error:
        return refusal(error)
    except Exception as error:  # whatever a template raises is the outcome
        return Outcome(type(error).__name__, str(error))
