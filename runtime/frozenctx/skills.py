"""The skills of a prompt: names and descriptions for the system text, bodies and files when a model asks for them.

In: a prompt's entries for its skills, and the contents of the release. Out: `Skills`, a mapping of name to `Skill`, and
the texts that models get to see: the block before the system text, the tool `__load_skill__`, its answers, and the form
in which everything stands in one text. No file system is asked. docs/skills.md has these texts byte for byte: they are
part of the format, for no identity holds them.
"""

import sys

from .errors import ResourceNotText, UnknownResource, UnknownSkill
from .problems import quoted
from .prompts import copied
from .skill_block import LOAD_SKILL, block, line
from .words import listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .objects import Objects
    from .pack import Pack
    from .tools import Tool

    NamedSkills = Mapping[str, "Skill"]
else:
    NamedSkills = object

_INLINED = (
    "<skills>\n"
    "Each of these skills is a set of instructions for one kind of task. When a task fits a description, follow that"
    " skill.",
    "</skills>",
)
_TOOL = (
    "Load a skill: instructions for one kind of task. Call this with the name of a skill before you begin a task that"
    " its description fits. Not loaded yet:"
)
_TOOL_FOR_FILES = "Read a file of a skill. All skills are loaded already."


class Skill:
    """One skill. It is read when its body, its files or its other keys are asked for."""

    __slots__ = ("_contents", "_entry", "_whole")

    def __init__(self, contents: "Objects | Pack", entry: "dict[str, Any]") -> None:
        self._contents = contents
        self._entry = entry
        self._whole: dict[str, Any] | None = None

    @property
    def _stored(self) -> "dict[str, Any]":
        if self._whole is None:
            self._whole = self._contents.skill(self._entry)
        return self._whole

    @property
    def name(self) -> str:
        return self._entry["name"]  # type: ignore[no-any-return]

    @property
    def key(self) -> str:
        """`skill/<name>@v<12 hex>`: cut from the sha256 of name, description and body."""
        return self._entry["key"]  # type: ignore[no-any-return]

    @property
    def description(self) -> str:
        """One line; "" when the skill has none."""
        return self._entry["description"]  # type: ignore[no-any-return]

    @property
    def body(self) -> str:
        """The instructions: Markdown, what stands below the front matter without the blanks around it."""
        return self._stored["body"]  # type: ignore[no-any-return]

    @property
    def extra(self) -> "dict[str, Any]":
        """The other keys of the front matter, such as `license` and `metadata`: a copy."""
        return copied(self._stored.get("extra") or {})  # type: ignore[no-any-return]

    @property
    def resources(self) -> "tuple[str, ...]":
        """The paths of its other files, such as `references/x.md`, sorted."""
        return tuple(self._stored.get("resources") or ())

    def read(self, path: str) -> str:
        """The text of a file of the skill. Raises UnknownResource, and ResourceNotText when it is not UTF-8. `path`:
        one of `resources`, in any Unicode normalisation; they are NFC."""
        data = self.read_bytes(path)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ResourceNotText(
                f"`{path}` of the skill `{self.name}` is no text: byte 0x{data[error.start]:02x} at offset"
                f" {error.start} is not UTF-8; `read_bytes` gives its {len(data)} bytes"
            ) from None

    def read_bytes(self, path: str) -> bytes:
        """The bytes of a file of the skill. Raises UnknownResource. `path`: as for `read`."""
        resources = self._stored.get("resources") or {}
        if path not in resources and isinstance(path, str) and not path.isascii():
            from unicodedata import normalize

            path = normalize("NFC", path)
        if path not in resources:
            meant = near(path, resources) or (f"; it has {listed(list(resources))}" if resources else "; it has none")
            raise UnknownResource(f"the skill `{self.name}` has no file `{path}`{meant}")
        return self._contents.resource(resources[path], f"`{path}` of the skill `{self.name}`")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skill):
            return NotImplemented
        same = [
            getattr(self, name) == getattr(other, name)
            for name in ("name", "description", "key", "body", "extra", "resources")
        ]
        return all(same) and all(self.read_bytes(path) == other.read_bytes(path) for path in self.resources)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<frozenctx.Skill {self.key}>"


class Answer(str):
    """What a call of `__load_skill__` is answered: a text. `skill`: the name of the skill that it loads, if it does;
    `is_error`: whether the model made a mistake, which the text tells it."""

    __slots__ = ("skill", "is_error")
    skill: "str | None"
    is_error: bool

    def __new__(cls, text: str, skill: "str | None" = None, is_error: bool = False) -> "Answer":
        answer = super().__new__(cls, text)
        answer.skill = skill
        answer.is_error = is_error
        return answer

    def __reduce__(self) -> "tuple[Any, ...]":
        return Answer, (str(self), self.skill, self.is_error)


class Skills(NamedSkills):
    """The active skills of a prompt by name, in the order of its settings."""

    __slots__ = ("_found",)

    def __init__(self, contents: "Objects | Pack", entries: "list[dict[str, Any]]") -> None:
        self._found = {entry["name"]: Skill(contents, entry) for entry in entries}

    # What models are told

    def block(self) -> str:
        """The names and descriptions, as `messages` puts them before the system text; "" when there are no skills."""
        return block([skill._entry for skill in self._found.values()]) if self._found else ""

    def tool(self, loaded: "Iterable[str]" = ()) -> "Tool | None":
        """The definition of the tool `__load_skill__`, which lists the skills that are not `loaded` yet. None when
        nothing is left to load or read. Raises UnknownSkill for a name in `loaded` that is none."""
        known = {self[name].name for name in _names(loaded)}
        left = [skill._entry for name, skill in self._found.items() if name not in known]
        with_files = [skill for skill in self._found.values() if skill.resources]
        if not left and not with_files:
            return None
        properties: dict[str, Any] = {"name": {"type": "string", "description": "The name of the skill."}}
        if with_files:
            properties["resource"] = {
                "type": "string",
                "description": "The path of a file of the skill, to read that file. Leave it out to load the skill.",
            }
        schema = {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}
        from .tools import Tool

        description = "\n".join([_TOOL, *map(line, left)]) if left else _TOOL_FOR_FILES
        called = {"key": LOAD_SKILL, "wireName": LOAD_SKILL, "name": LOAD_SKILL}
        return Tool({**called, "description": description, "inputSchema": schema})

    def answer(self, arguments: "Mapping[str, Any] | str") -> Answer:
        """Answer a call of `__load_skill__`. `arguments`: what the model gave, as a mapping or as JSON text; anything
        else is a TypeError. A mistake of the model is answered with a text that teaches it, never raised: it can be
        sent, and shows of what the model gave no more than a few words."""
        from collections.abc import Mapping

        given: Any = arguments
        if isinstance(arguments, str):
            import json

            try:
                given = json.loads(arguments)
            except (ValueError, RecursionError):
                return self._mistake("The arguments are no JSON.")
            if not isinstance(given, dict):
                return self._mistake("The arguments are no JSON object.")
        elif not isinstance(arguments, Mapping):
            raise TypeError(f"a call is answered by its arguments, a mapping or JSON text, not {type(given).__name__}")
        name, path = given.get("name"), given.get("resource")
        if not isinstance(name, str):
            missing = "is missing" if name is None else "must be text"
            return self._mistake(f"`name` {missing}: the name of a skill.")
        if name not in self._found:
            return self._mistake(f"There is no skill {quoted(name)}.{_question(near(name, self._found))}")
        skill = self._found[name]
        if path is None or path == "":
            return Answer(_loaded(skill), name)
        if not isinstance(path, str):
            return Answer("`resource` must be text: the path of a file of the skill.", is_error=True)
        try:
            return Answer(skill.read(path))
        except ResourceNotText:
            size = len(skill.read_bytes(path))
            return Answer(f"`{path}` is no text but {size} bytes of something else; it cannot be shown.", is_error=True)
        except UnknownResource:
            meant = _question(near(path, skill.resources))
            return Answer(f"The skill `{name}` has no file {quoted(path)}.{meant} {_files(skill)}", is_error=True)

    def _mistake(self, what: str) -> Answer:
        if not self._found:
            return Answer(f"{what} There are no skills.", is_error=True)
        names = ", ".join([f"`{name}`" for name in self._found])
        return Answer(f"{what} {'The skills are' if len(self._found) > 1 else 'The skill is'} {names}.", is_error=True)

    def inlined(self, names: "Iterable[str] | None" = None, *, resources: bool = False) -> str:
        """Whole skills in one text, for a request that cannot call tools: all of them, or those named. `resources`:
        with their files, which must be text. "" when there are none. Raises UnknownSkill, ResourceNotText."""
        chosen = list(self._found.values()) if names is None else [self[name] for name in _names(names)]
        if not chosen:
            return ""
        parts = [_INLINED[0]]
        for skill in chosen:
            parts += [f'<skill name="{skill.name}">', skill.description or "(no description)", "", skill.body]
            for path in skill.resources if resources else ():
                parts += [f'<file path="{path}">', skill.read(path).strip("\n"), "</file>"]
            parts.append("</skill>")
        return "\n".join([*parts, _INLINED[1]])

    # The mapping

    def __getitem__(self, name: str) -> Skill:
        skill = self._found.get(name)
        if skill is None:
            have = f"; it has {listed(list(self._found))}" if self._found else "; it has none"
            raise UnknownSkill(f"the prompt has no skill `{name}`{near(name, self._found) or have}")
        return skill

    def __iter__(self) -> "Iterator[str]":
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __eq__(self, other: object) -> bool:
        return self._found == other._found if isinstance(other, Skills) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<frozenctx.Skills: {', '.join(self._found) or 'none'}>"

    if not TYPE_CHECKING:  # what Mapping would supply if importing it were free

        def __contains__(self, name):
            return name in self._found

        def get(self, name, default=None):
            return self._found.get(name, default)

        def keys(self):
            return self._found.keys()

        def values(self):
            return self._found.values()

        def items(self):
            return self._found.items()


if not TYPE_CHECKING and "_collections_abc" in sys.modules:  # always, unless the interpreter was started with -S
    sys.modules["_collections_abc"].Mapping.register(Skills)


def _names(names: "Iterable[str]") -> "Iterable[str]":
    if isinstance(names, str):
        raise TypeError(f"names of skills are given as a list: write [{names!r}] for {names!r}")
    return names


def _loaded(skill: Skill) -> str:
    text = f'<skill name="{skill.name}">\n{skill.body}\n</skill>'
    return f"{text}\n{_files(skill)}" if skill.resources else text


def _question(hint: str) -> str:
    """`; did you mean …?` as a sentence of its own."""
    return f" Did{hint.removeprefix('; did')}" if hint else ""


def _files(skill: Skill) -> str:
    if not skill.resources:
        return "It has no files."
    paths = "\n".join(f"- {path}" for path in skill.resources)
    return f"Files of this skill, each to be read with `{LOAD_SKILL}`, this name, and its path as `resource`:\n{paths}"
