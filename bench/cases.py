"""The corpus of the render benchmark: which template is rendered with what, by category.

Templates are in `templates/`, named by their path there; contexts are functions in `contexts/`. The packages of
`examples/prompts` are one more category, which `bench.render` adds. The corpus was committed before any optimising:
a case is added to it, never taken out or changed because of what it shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.contexts import conversations, records, short

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Case:
    category: str
    name: str
    template: str
    """Path below `templates/`."""
    context: Callable[[], dict[str, Any]]


def _cases(category: str, *rows: tuple[str, str, Callable[[], dict[str, Any]]]) -> list[Case]:
    return [Case(category, name, f"{category}/{file}.j2", context) for name, file, context in rows]


CASES: list[Case] = [
    *_cases(
        "tiny",
        ("fixed", "fixed", short.nothing),
        ("welcome", "welcome", short.welcome),
        ("classify", "classify", short.classify),
        ("translate", "translate", short.translate),
        ("list", "list", short.short_list),
    ),
    *_cases(
        "prompt-5kb",
        ("support-agent", "support-agent", short.support_agent),
        ("code-review", "code-review", short.code_review),
    ),
    *_cases(
        "transcripts",
        ("tagged-10", "tagged", conversations.transcript_10),
        ("tagged-100", "tagged", conversations.transcript_100),
        ("tagged-1000", "tagged", conversations.transcript_1000),
        ("minutes-10", "minutes", conversations.transcript_10),
        ("minutes-100", "minutes", conversations.transcript_100),
        ("minutes-1000", "minutes", conversations.transcript_1000),
    ),
    *_cases(
        "objects",
        ("dataclasses", "order", records.order),
        ("namespaces", "incident", records.incident),
        ("slots", "people", records.people),
    ),
    *_cases(
        "dict-subclasses",
        ("standard", "inventory", records.inventory),
        ("with-attributes", "records", records.records),
    ),
    *_cases(
        "tools",
        ("function-list-20", "function-list", conversations.function_list),
        ("function-list-2", "function-list", conversations.function_pair),
        ("documented", "documented", conversations.documented),
        ("results", "results", conversations.results),
    ),
    *_cases(
        "macros",
        ("form", "form", records.form),
        ("call-blocks", "blocks", records.blocks),
        ("recursive", "outline", records.outline),
    ),
    *_cases(
        "filter-chains",
        ("keywords", "keywords", records.keywords),
        ("cleaning", "cleaning", records.cleaning),
        ("batches", "batches", records.batches),
    ),
    *_cases(
        "conditionals",
        ("persona-full", "persona", short.persona_full),
        ("persona-empty", "persona", short.persona_empty),
        ("locale", "locale", short.locale),
    ),
    *_cases(
        "includes",
        ("three-levels", "brief", records.brief),
        ("assembled", "assembled", records.assembled),
        ("page-and-macros", "handover", records.handover),
    ),
    *_cases(
        "static-50kb",
        ("handbook", "handbook", short.handbook),
        ("policy", "policy", short.policy),
        ("policy-excerpt", "policy", short.policy_excerpt),
    ),
    *_cases(
        "integer-tables",
        ("usage", "usage", records.usage),
        ("products", "products", records.products),
        ("ledger", "ledger", records.ledger),
    ),
    *_cases(
        "chat-templates",
        ("chatml", "chatml", conversations.chatml),
        ("chatml-long", "chatml", conversations.chatml_long),
        ("chatml-tools", "chatml-tools", conversations.chatml_tools),
        ("header", "header", conversations.header),
        ("header-plain", "header", conversations.header_plain),
        ("inst", "inst", conversations.inst),
        ("turns", "turns", conversations.turns),
        ("role-tags", "role-tags", conversations.role_tags),
        ("sentences", "sentences", conversations.sentences),
        ("grounded", "grounded", conversations.grounded),
    ),
]


def sources() -> dict[str, str]:
    """Every template of the corpus, parts that others include too, by the name it is found under."""
    paths = sorted(TEMPLATES.rglob("*.j2"))
    return {path.relative_to(TEMPLATES).as_posix(): path.read_text("utf-8") for path in paths}
