"""From a text to a Jinja tree, and everything that is wrong with the text.

In: an excerpt. Out: a TemplateText, whose tree lacks what could not be parsed; that was reported then. jinja2 stops at
the first mistake, so its tag is replaced by a harmless one and the rest looked at again.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jinja2 import TemplateSyntaxError, nodes

from .diagnostics import Scope
from .excerpt import Excerpt
from .mistakes import ends_too_early, mended, report_mistake, unknown_tag
from .package import TemplateText
from .templates.parse import parse

MOST = 20  # mistakes that are looked for in one text
MOST_READ = 4_000_000  # characters that are parsed again for that


@dataclass(frozen=True, slots=True)
class Mistake:
    """What jinja2 says of `text`, in which the mistakes before are mended already."""

    error: TemplateSyntaxError
    text: str


@dataclass(frozen=True, slots=True)
class Syntax:
    """`tree` is None when not all mistakes could be passed over."""

    tree: nodes.Template | None
    mistakes: tuple[Mistake, ...] = ()


def syntax(text: str) -> Syntax:
    """Parse a template of CTX-FORMAT §5."""
    mistakes: list[Mistake] = []
    unknown: set[str] = set()
    while True:
        try:
            return Syntax(parse(text), tuple(mistakes))
        except TemplateSyntaxError as error:
            if mistakes and ends_too_early(error):  # perhaps for what was mended: one cause, one error
                return Syntax(None, tuple(mistakes))
            tag = unknown_tag(error)
            ends_unknown = tag is not None and tag.removeprefix("end") in unknown
            if not ends_unknown:
                mistakes.append(Mistake(error.with_traceback(None), text))
            unknown.add(tag or "")
            rest = mended(text, error, means_nothing=ends_unknown)
            if rest is None or rest == text or len(mistakes) == min(MOST, MOST_READ // len(text)):
                return Syntax(None, tuple(mistakes))
            text = rest


def parsed(excerpt: Excerpt, name: str | None, scope: Scope) -> TemplateText | None:
    """The excerpt as a Jinja template. Mistakes are reported where they stand in the file; None: no tree is left."""
    found = syntax(excerpt.text)
    report(found.mistakes, excerpt, scope)
    if found.tree is None:
        return None
    return TemplateText(name, excerpt.file, excerpt.text, found.tree, excerpt.lines, excerpt.columns)


def report(mistakes: Iterable[Mistake], excerpt: Excerpt, scope: Scope) -> None:
    for mistake in mistakes:
        report_mistake(mistake.error, replace(excerpt, text=mistake.text), scope)
