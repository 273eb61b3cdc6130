"""A text cut out of a source file, and the way back from its lines to the file's.

In: the text and, per line, where it came from. Out: spans in the file. Invariant: `lines` and `columns` are both empty
(the text is the file) or as long as the text has lines.
"""

from dataclasses import dataclass

from jinja2 import TemplateSyntaxError, nodes

from .diagnostics import Scope, Span
from .package import TemplateText
from .sources import line_of, line_starts
from .tags import open_at_end
from .templates.parse import parse


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`lines[i]` is the file's line that line i + 1 of `text` came from, `columns[i]` its shift to the right there."""

    file: str
    text: str
    lines: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()

    def span(self, line: int, column: int = 1, width: int = 1) -> Span:
        """The place in the file of a 1-based line and column of the text."""
        if not self.lines:
            return Span.at(self.file, line, column, width)
        index = min(max(line, 1), len(self.lines)) - 1
        return Span.at(self.file, self.lines[index], max(column + self.columns[index], 1), width)

    def span_at(self, offset: int, width: int = 1) -> Span:
        """The place in the file of an offset into the text."""
        starts = line_starts(self.text)
        index = line_of(starts, offset)
        return self.span(index + 1, offset - starts[index] + 1, width)

    def cut(self, start: int, end: int) -> "Excerpt":
        """The part of the text between two offsets, as an excerpt of the same file."""
        if start == 0 and end == len(self.text):
            return self
        starts = line_starts(self.text)
        first = line_of(starts, start)
        text = self.text[start:end]
        indexes = range(first, first + text.count("\n") + 1)
        lines = tuple(self.lines[i] if self.lines else i + 1 for i in indexes)
        columns = [self.columns[i] if self.columns else 0 for i in indexes]
        columns[0] += start - starts[first]
        return Excerpt(self.file, text, lines, tuple(columns))


def parsed(excerpt: Excerpt, name: str | None, scope: Scope) -> TemplateText | None:
    """The excerpt as a Jinja template; a syntax error is reported where it stands in the file, and gives None."""
    tree = syntax(excerpt.text)
    if isinstance(tree, TemplateSyntaxError):
        report_syntax(tree, excerpt, scope)
        return None
    return TemplateText(name, excerpt.file, excerpt.text, tree, excerpt.lines, excerpt.columns)


def syntax(text: str) -> nodes.Template | TemplateSyntaxError:
    """The tree of a template of CTX-FORMAT §5, or what is wrong with it."""
    try:
        return parse(text)
    except TemplateSyntaxError as error:
        return error
    except RecursionError:
        return TemplateSyntaxError("the template is nested too deeply", 1)
    except ValueError:  # of Python's int(), which has a limit against long conversions
        return TemplateSyntaxError("a number has too many digits", 1)


def report_syntax(error: TemplateSyntaxError, excerpt: Excerpt, scope: Scope) -> None:
    """jinja2's message as a finding: its first sentence is the headline, the rest stands under it.

    A block that is never ended is shown where it begins; jinja2 only says that the template ends too early.
    """
    message = error.message or "the template cannot be parsed"
    unended = open_at_end(excerpt.text) if message.startswith("Unexpected end of template") else ()
    if unended:
        block = unended[-1]
        scope.add(
            "template-syntax",
            f"the block `{block.word}` is never ended",
            excerpt.span_at(block.start, block.end - block.start),
            label="opens here",
            help=f"end it with `{{% end{block.word} %}}`",
        )
        return
    headline, _, rest = message.partition(". ")
    headline = headline[:1].lower() + headline[1:]
    span = excerpt.span(int(error.lineno), getattr(error.lineno, "column", 1), getattr(error.lineno, "width", 1))
    scope.add("template-syntax", headline.rstrip("."), span, notes=(rest.rstrip("."),) if rest else ())
