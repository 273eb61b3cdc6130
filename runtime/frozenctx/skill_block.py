"""What a system text with skills begins with. docs/skills.md has the text byte for byte. See `skills`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOAD_SKILL = "__load_skill__"  # the tool that models load skills with

_BLOCK = (
    "<skills>\n"
    "You have these skills. Each is a set of instructions for one kind of task; here stand only names and"
    " descriptions.",
    f"When a task fits a description, call the tool `{LOAD_SKILL}` with that name before you begin, and follow what it"
    " answers. Load a skill once, and only when you need it.\n"
    "</skills>",
)


def put_before(messages: "list[dict[str, Any]]", entries: "list[dict[str, Any]]") -> None:
    """Put the block, and a blank line, before the system text of a prompt."""
    system = next(message for message in messages if message["role"] == "system")
    system["content"] = f"{block(entries)}\n\n{system['content']}"


def block(entries: "list[dict[str, Any]]") -> str:
    """The block of names and descriptions."""
    return "\n".join([_BLOCK[0], *map(line, entries), _BLOCK[1]])


def line(entry: "dict[str, Any]") -> str:
    return f"- {entry['name']}: {entry['description'] or '(no description)'}"
