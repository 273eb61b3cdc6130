"""Makes the pack of a release for the running interpreter. FORMAT.md describes the bytes, pack.py reads them.

In: the objects of a release. Out: bytes, the same for the same objects and interpreter. Every program is compiled,
here or by the compiler before; its code bears the lines of the template, so that a traceback, and `where`, speak of the
template's file alone.
"""

import sys
from _imp import source_hash
from marshal import dumps

from .errors import Damaged, LoadError
from .format import DIGEST, PACK_KEY, VERSION, interpreter, pack_line
from .objects import Objects
from .pack import FIXED
from .template.text import FILENAME_PREFIX, compile_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType
    from typing import Any

    from .pack import Slice

PAGE = 64  # keys on one page of an index
OPTIMIZE = 0


class Packed:
    """A pack. `as_text`: the files of templates whose code cannot be marshalled and is compiled at its first use."""

    __slots__ = ("data", "as_text")

    def __init__(self, data: bytes, as_text: "tuple[str, ...]") -> None:
        self.data = data
        self.as_text = as_text


def packed(objects: Objects, codes: "Mapping[str, CodeType] | None" = None) -> Packed:
    """Return the pack of a release. Raises a LoadError when its objects are damaged, or here no bytecode is kept.

    `codes` spares compiling: digest (hex digits) of a program → what `code_of` makes of its text.
    """
    mine = interpreter()
    if mine is None:
        raise LoadError("this interpreter keeps no bytecode (`sys.implementation.cache_tag` is None); it gets no pack")
    known = codes or {}
    slices = _Slices()
    programs: dict[str, Slice] = {}
    as_text: list[str] = []
    rows: list[tuple[str, Any]] = []
    keys_of: dict[str, list[str]] = {}
    for key in sorted(objects.entries):
        stored = objects.head(key)
        assert stored is not None
        templates: dict[str, str] = stored.get("templates") or {}
        used = [message["program"] for message in stored["messages"] if "program" in message]
        for digest in [*used, *templates.values()]:
            if digest not in programs:
                text = objects.object(digest, ".py", f"a program of `{key}`").decode("ascii")
                code = known.get(digest.removeprefix(DIGEST))
                programs[digest], file = _add_program(slices, text, digest, code, not programs)
                as_text.extend(file)
        skills = [_skill(slices, objects, entry) for entry in stored.get("skills") or ()]
        rows.append((key, slices.add(dumps(_prompt(slices, stored, programs, skills), 2))))
        keys_of.setdefault(stored["name"], []).append(key)
    names = [(name, tuple(keys)) for name, keys in sorted(keys_of.items())]
    body = (
        writer(),
        objects.needs,
        objects.host_names,
        slices.add(dumps({name: list(objects.keys_that_need(name)) for name in objects.host_names}, 2)),
        len(rows),
        _tree(slices, rows),
        _tree(slices, names),
    )
    return Packed(_whole(pack_line(objects.hex, mine), dumps(body, 2), b"".join(slices.parts)), tuple(as_text))


def damage(data: bytes) -> "str | None":
    """Return what is wrong with the bytes of a pack, of whichever interpreter, or None. Unmarshals nothing."""
    start = data.find(b"\n", 0, 200) + 1
    fixed = data[start : start + FIXED]
    if not start or len(fixed) < FIXED:
        return "it does not begin as a pack does"
    end = start + FIXED + int.from_bytes(fixed[24:], "little")
    if len(data) < end or source_hash(PACK_KEY, data[:start] + data[start + 8 : end]) != fixed[:8]:
        return "its head has another check sum"
    if len(data) != int.from_bytes(fixed[16:24], "little"):
        return f"it has {len(data)} bytes and should have {int.from_bytes(fixed[16:24], 'little')}"
    if source_hash(PACK_KEY, data[end:]) != fixed[8:16]:
        return "what follows its head has another check sum"
    return None


class _Slices:
    """The parts of a pack behind its head, each stored once."""

    __slots__ = ("parts", "_size", "_places")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self._size = 0
        self._places: dict[bytes, Slice] = {}

    def add(self, data: bytes) -> "Slice":
        place = self._places.get(data)
        if place is None:
            place = self._places[data] = (self._size, len(data), source_hash(PACK_KEY, data))
            self.parts.append(data)
            self._size += len(data)
        return place


def _whole(line: bytes, body: bytes, rest: bytes) -> bytes:
    size = len(line) + FIXED + len(body) + len(rest)
    fixed = source_hash(PACK_KEY, rest) + size.to_bytes(8, "little") + len(body).to_bytes(4, "little")
    return line + source_hash(PACK_KEY, line + fixed + body) + fixed + body + rest


def writer() -> str:
    """Who makes the bytes: another patch release may compile the same text to other code."""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"frozenctx {VERSION} on {sys.implementation.name} {version}"


def made_by(data: bytes) -> str:
    """Return who made an undamaged pack, as `writer` says it. Unmarshals nothing: it is the first text of the body."""
    start = data.find(b"\n") + 1 + FIXED + 10  # behind a tuple's head and a text's
    return data[start : start + int.from_bytes(data[start - 4 : start], "little")].decode("utf-8", "replace")[:100]


def _skill(slices: _Slices, objects: Objects, entry: "dict[str, Any]") -> "dict[str, Any]":
    """Store a skill and its files, and return the entry of a prompt that leads there."""
    skill = objects.skill(entry)
    if "resources" in skill:
        skill["resources"] = {
            path: slices.add(objects.resource(digest, f"`{path}` of the skill `{entry['name']}`"))
            for path, digest in skill["resources"].items()
        }
    return {**entry, "skill": slices.add(dumps(skill, 2))}


def _prompt(
    slices: _Slices, stored: "dict[str, Any]", programs: "dict[str, Slice]", skills: "list[dict[str, Any]]"
) -> "tuple[dict[str, Any], dict[str, Slice]]":
    """Split a prompt object into what rendering needs, and the rest in a slice of its own."""
    messages = [
        {**message, "text": slices.add(message["text"].encode())} if "text" in message else message
        for message in stored["messages"]
    ]
    head = {name: stored[name] for name in ("key", "name", "version", "prompt")}
    head["messages"] = messages
    head["model"] = stored["settings"]["model"]  # what a service asks all its prompts for
    templates: dict[str, str] = stored.get("templates") or {}
    if templates:
        head["templates"] = templates
    if skills:
        head["skills"] = skills
    schema = stored.get("inputSchema")
    if schema is not None:
        head["inputSchema"] = {
            "properties": dict.fromkeys(schema.get("properties") or {}),
            "required": schema.get("required") or [],
        }
    defaults = stored.get("inputDefaultValues")
    if defaults:
        head["inputDefaultValues"] = defaults
    rest = {name: value for name, value in stored.items() if name not in head or name == "inputSchema"}
    texts = [message["text"] for message in stored["messages"] if message["role"] == "system" and "text" in message]
    if texts and texts[-1] == rest["identity"].get("system"):
        rest["identity"] = {**rest["identity"], "system": None}  # the text is in the pack already
    head["rest"] = slices.add(dumps(rest, 2))
    used = [message["program"] for message in messages if "program" in message]
    return head, {digest: programs[digest] for digest in dict.fromkeys([*used, *templates.values()])}


def _tree(slices: _Slices, rows: "Sequence[tuple[str, Any]]", level: int = 0) -> "Slice":
    """Store sorted rows as pages, the pages' first keys as pages above them, and so on up to one page."""
    above = []
    for start in range(0, max(1, len(rows)), PAGE):
        keys, values = zip(*rows[start : start + PAGE], strict=True) if rows else ((), ())
        above.append((keys[0] if keys else "", slices.add(dumps((level, keys, values), 2))))
    return above[0][1] if len(above) == 1 else _tree(slices, above, level + 1)


# Programs


def _add_program(
    slices: _Slices, text: str, digest: str, code: "CodeType | None", is_first: bool
) -> "tuple[Slice, list[str]]":
    """Store the code of a program, or its text if the code cannot be marshalled (then also return its file)."""
    try:
        code = code or code_of(text)
        # Whether this interpreter reads line tables as they are written here shows in one program as in all.
        relined = _relined(code, _template_lines(text), check=is_first)
    except (SyntaxError, ValueError) as error:
        raise Damaged(f"the program {DIGEST}{digest.removeprefix(DIGEST)} is damaged: {error}") from error
    try:
        return slices.add(dumps(relined, 2)), []
    except ValueError:
        return slices.add(dumps(text, 2)), [code.co_filename.removeprefix(FILENAME_PREFIX)]


def code_of(text: str) -> "CodeType":
    """Compile a program without its LINES. Raises SyntaxError, with the line of `text`, and ValueError."""
    return compile_program(text[: _end(text)], OPTIMIZE)


def lines_of(text: str) -> "list[tuple[int, int]]":
    """Return a program's LINES, which are the last of its names: only numbers, in pairs. Raises ValueError."""
    words = text[_end(text) :].removeprefix(_LINES).translate({ord(mark): " " for mark in "(,)"}).split()
    numbers = [int(word) for word in words]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


_LINES = "LINES = "


def _end(text: str) -> int:
    """Where the LINES of a program begin."""
    end = text.rfind("\n" + _LINES) + 1
    if not end:
        raise ValueError("it has no LINES")
    return end


def _template_lines(text: str) -> "list[int | None]":
    """Return the template's line for each line of a program, which are counted from 1; None where it has none."""
    found: list[int | None] = []
    current = None  # what stands before the first of LINES is no part of the template
    for start, line in lines_of(text):
        found += [current] * (start - len(found))
        current = line
    return found + [current] * (text.count("\n") + 1 - len(found))


def _relined(code: "CodeType", template_lines: "Sequence[int | None]", check: bool) -> "CodeType":
    """Return the code with a table of template lines, and without columns."""
    first = template_lines[code.co_firstlineno] or 1
    runs = _runs(code, template_lines)
    constants = tuple(
        [
            _relined(constant, template_lines, check) if isinstance(constant, type(code)) else constant
            for constant in code.co_consts
        ]
    )
    new = code.replace(co_firstlineno=first, co_linetable=_line_table(first, runs), co_consts=constants)
    if check and _runs(new) != runs:
        raise LoadError(f"{sys.implementation.cache_tag} has another form of line tables than this runtime writes")
    return new


def _runs(code: "CodeType", template_lines: "Sequence[int | None] | None" = None) -> "list[list[int | None]]":
    """Return [end, line] for each run of code with one line: of the template, or its own. Neighbours differ."""
    runs: list[list[int | None]] = []
    last: int | None = -1
    for _start, end, line in code.co_lines():
        if template_lines is not None and line is not None:
            line = template_lines[line]
        if line == last:
            runs[-1][0] = end
        else:
            runs.append([end, line])
            last = line
    return runs


def _line_table(line: int, runs: "list[list[Any]]") -> bytes:
    """CPython's location table (Objects/locations.md, the same since 3.11): each entry says of at most 8 code units of
    2 bytes how far their line is from that of the entry before (form 13), or that they have none (form 15)."""
    table = bytearray()
    start = 0
    for end, new in runs:
        units = (end - start) // 2
        start = end
        form = 0x80 | (15 if new is None else 13) << 3
        while units > 0:
            table.append(form | (units if units < 8 else 8) - 1)
            units -= 8
            if new is not None:
                rest = (line - new) << 1 | 1 if new < line else (new - line) << 1
                line = new
                while rest > 63:
                    table.append(64 | rest & 63)
                    rest >>= 6
                table.append(rest)
    return bytes(table)
