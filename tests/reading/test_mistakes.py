"""Templates with mistakes: what is found agrees with jinja2, and looking for more of it always ends well."""

import random

import jinja2
import pytest
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.excerpt import Excerpt
from frozenctx_compiler.mistakes import mended
from frozenctx_compiler.syntax import MOST, report, syntax
from templates.cases import CASES, sources_of
from templates.random_templates import case

STOCK = jinja2.Environment(
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
)
TEXTS = [text for name in CASES for text in sources_of(name).values() if "\r" not in text]
TEXTS += [text for seed in range(40) for text in case(seed)[0].values() if "\r" not in text]
PIECES = ["{{", "}}", "{%", "%}", "{#", "#}", "if", "endif", "'", '"', "(", ")", "|", "=", "?", "\n", "{% esle %}"]


def broken(text: str, chance: random.Random) -> str:
    """`text` with a piece taken out, doubled, or put in."""
    at = chance.randrange(len(text) + 1)
    end = min(len(text), at + chance.randrange(4))
    return text[:at] + chance.choice([*PIECES, "", text[at:end] * 2]) + text[end:]


def jinjas(text: str) -> tuple[str | None, int] | None:
    """Message and line of stock jinja2's error, if there is one."""
    try:
        STOCK.parse(text)
    except jinja2.TemplateSyntaxError as error:
        return error.message, error.lineno
    return None


@pytest.mark.parametrize("seed", range(8))
def test_the_first_mistake_is_jinjas_and_each_search_for_more_keeps_every_other_place(seed: int) -> None:
    chance = random.Random(seed)
    failed = 0
    for source in TEXTS:
        text = broken(source, chance)
        found = syntax(text)
        expected = jinjas(text)
        failed += expected is not None
        first = found.mistakes[0].error if found.mistakes else None
        assert (first and (first.message, int(first.lineno))) == expected, text
        assert found.mistakes or found.tree is not None
        assert len(found.mistakes) <= MOST
        for mistake in found.mistakes:
            rest = mended(mistake.text, mistake.error)
            for other in [mistake.text, *([rest] if rest is not None else [])]:
                assert [len(line) for line in other.split("\n")] == [len(line) for line in text.split("\n")]
        findings = Report()
        report(found.mistakes, Excerpt("t.j2", text), findings.scoped("t"))
        lines = text.split("\n")
        for diagnostic in findings.diagnostics:
            for span in [diagnostic.span, *(related.span for related in diagnostic.related)]:
                assert span is not None
                assert 1 <= span.line <= len(lines), text
                assert 1 <= span.column <= len(lines[span.line - 1]) + 1, text
    assert failed > len(TEXTS) / 4


def test_a_file_full_of_mistakes_is_looked_at_a_bounded_number_of_times() -> None:
    assert len(syntax("{{ a ? b }}\n" * 500).mistakes) == MOST
    assert len(syntax("{{ a ? b }}\n" * 5 + "text " * 300_000).mistakes) == 2
