"""What a system text with skills begins with. docs/skills.md has the text byte for byte. See `skills`."""

from .format import LOAD_SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLOCK = (
    "<skills>\n"
    "You have these skills. Each is a set of instructions for one kind of task; here stand only names and"
    " descriptions.",
    f"When a task fits a description, call the tool `{LOAD_SKILL}` with that name before you begin, and follow what it"
    " answers. Load a skill once, and only when you need it.\n"
    "</skills>",
)


def block(entries: "list[dict[str, Any]]") -> str:
    """The block of names and descriptions that `messages` puts, with a blank line, before the system text."""
    return "\n".join([_BLOCK[0], *map(line, entries), _BLOCK[1]])


def line(entry: "dict[str, Any]") -> str:
    return f"- {entry['name']}: {entry['description'] or '(no description)'}"
