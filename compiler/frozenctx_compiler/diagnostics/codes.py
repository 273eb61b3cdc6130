"""The registry of diagnostic codes: kebab-case, never renamed or reused, one line of meaning each.

A *fault* has no single meaning or is unsafe to ship: always an error. A *lint* has a default level that a project
moves. Every code has a page `docs/errors/<code>.md` and a corpus case; a test holds the three together.
"""

from dataclasses import dataclass
from typing import Literal

from .model import Level


@dataclass(frozen=True, slots=True)
class Code:
    name: str
    kind: Literal["fault", "lint"]
    level: Level
    meaning: str


def _fault(name: str, meaning: str) -> Code:
    return Code(name, "fault", "error", meaning)


def _lint(name: str, level: Level, meaning: str) -> Code:
    return Code(name, "lint", level, meaning)


_ALL: tuple[Code, ...] = (
    # -- project and discovery (frozenctx.toml, roots, packages, keys) --
    # -- files (links, encodings, confinement) --
    # -- layouts, front matter, role markers, messages, samples --
    # -- YAML and expressions --
    # -- settings --
    _fault("not-json", "a value in the settings cannot be written as JSON"),
    # -- templates --
    _fault("internal-name", "a template names something that begins with two underscores"),
    _lint("private-attribute", "warning", "a template reads an attribute whose name begins with an underscore"),
    _fault("template-cycle", "templates include, import or extend each other without end"),
    _fault("token-filter-not-yet", "a filter that counts tokens, which this version does not support"),
    _fault("unknown-filter", "a template uses a filter that does not exist"),
    _fault("unknown-test", "a template uses a test that does not exist"),
)

CODES: dict[str, Code] = {code.name: code for code in _ALL}
