"""What a model replied → the value that the reply schema describes.

In: a prompt, and the text of a reply. Out: plain data, or one ReplyError that says everything that is wrong with it and
what to send back to the model. The invariant: a text that cannot be used raises that error and nothing else, whatever
is in it, and what the error says is short.

JSON is read as its standard has it, more strictly than Python does by itself: NaN and Infinity are none, nor are
numbers that no float or integer of Python holds; a name stands once in an object; half of a surrogate pair is no text.
"""

from .errors import ReplyError, SchemaError
from .keywords import unknown_keywords
from .problems import Problem, quoted
from .validation import Validator, how_far

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from json import JSONDecodeError
    from typing import Any

    from .problems import Path
    from .prompts import Prompt

SHOWN = 10  # problems that feedback lists
PLACE = 100  # characters of a pointer that it shows
TRIED = 1000  # places in prose at which JSON may begin, and code blocks
_BLANKS = " \t\r\n"
_OPENING = r"""\{(?=\s*["}])|\[(?=\s*[\[{"\-0-9tfn\]])"""


class _Unreadable(Exception):
    """What is at a place is no JSON value. `read`: how many characters of it were one; `last`: whether where it would
    end is not known, so that there is nothing to look for behind it."""

    def __init__(self, message: str, read: int = 0, last: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.read = read
        self.last = last


def parsed(prompt: "Prompt", text: str, prose: str) -> "Any":
    """What `Prompt.parse` returns."""
    if prose not in ("error", "strip"):
        raise ValueError(f"prose is 'error' or 'strip', not {prose!r}")
    if not isinstance(text, str):
        raise TypeError(f"a reply is text, not {type(text).__name__}")
    stored = prompt._rest
    schema = stored.get("replySchema")
    if schema is None:
        if stored["settings"].get("responseFormat") != "json_object":
            return text
        schema = {"type": "object"}
    validator = prompt._validators.get("reply")
    if validator is None:
        validator = prompt._validators.setdefault("reply", _validator(prompt, schema))
    problems: list[Problem] = []
    furthest: tuple[int, ...] = ()
    for value in _candidates(text.lstrip(_BLANKS + "\ufeff"), prose == "strip"):
        if isinstance(value, _Unreadable):
            found = [Problem((), (), "", value.message)]
            reached: tuple[int, ...] = (int(value.last), value.read)
        else:
            found = _problems(validator, value)
            if not found:
                return value
            reached = (2, *how_far(found))
        if reached > furthest:
            furthest, problems = reached, found
    raise _error(prompt, [(problem.pointer, problem.message) for problem in problems])


def _validator(prompt: "Prompt", schema: "Any") -> Validator:
    unknown = unknown_keywords(schema)
    if unknown:
        first = unknown[0]
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        error = SchemaError(
            f"no reply can be compared with the reply schema of `{prompt.key}`:"
            f" {first.reason}, at {quoted(first.pointer)}{f'; {first.help}' if first.help else ''}{more}"
        )
        error.key, error.version = prompt.key, prompt.version
        error.keywords = tuple((each.pointer, each.reason) for each in unknown)
        raise error
    return Validator(schema)


def _problems(validator: Validator, value: "Any") -> "list[Problem]":
    try:
        halves = list(_halves(value, ()))
    except RecursionError:
        return [Problem((), (), "", "the JSON is nested too deeply")]
    if halves:
        return [Problem(path, (), "", "half of a surrogate pair is no text") for path in halves]
    return validator.problems(value)


def _halves(value: "Any", path: "Path") -> "Iterator[Path]":
    """Yield where texts hold code points that no encoding writes."""
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                yield path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _halves(item, (*path, index))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _halves(name, path)
            yield from _halves(item, (*path, name))


def _error(prompt: "Prompt", problems: "list[tuple[str, str]]") -> ReplyError:
    lines = [f"- {_place(place)}{message}" for place, message in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"- and {len(problems) - SHOWN} more problems")
    wanted = "JSON value that fits the schema" if prompt.reply_schema is not None else "JSON object"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    error = ReplyError(
        f"the reply to `{prompt.key}` cannot be used: {lines[0].removeprefix('- ')}{more}",
        tuple(problems),
        "\n".join(["Your reply cannot be used:", *lines, f"Reply again, with nothing but one {wanted}."]),
    )
    error.key, error.version = prompt.key, prompt.version
    return error


def _place(pointer: str) -> str:
    """A pointer as feedback shows it."""
    if not pointer:
        return ""
    shown = pointer if len(pointer) <= PLACE else pointer[:PLACE] + "…"
    if not shown.isprintable():
        shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown)
    return f"{shown}: "


# Where the JSON is


def _candidates(text: str, strip: bool) -> "Iterator[Any]":
    """Yield the values that a text may hold, the likeliest first, or an _Unreadable in the place of one. `strip`: there
    may be prose around them."""
    blocks = _blocks(text)
    fenced = bool(blocks) and blocks[0][0] == 0
    if not fenced:
        yield _whole(text)
    elif not strip and text[blocks[0][3] :].strip(_BLANKS):
        yield _Unreadable(f"text follows the code block: {_excerpt(text, blocks[0][3])}", last=False)
        return
    for _, start, stop, _ in blocks if strip else blocks[:fenced]:
        yield _whole(text[start:stop])
    if strip:
        yield from _in_prose(text)


def _blocks(text: str) -> "list[tuple[int, int, int, int]]":
    """Return the code blocks of Markdown: where each begins, its content begins and ends, and it ends. One that is not
    closed ends with the text; one may begin and end on one line."""
    found: list[tuple[int, int, int, int]] = []
    at = 0
    while at < len(text) and len(found) < TRIED:
        line, following = _line(text, at)
        fence = line[: len(line) - len(line.lstrip(line[:1]))]
        content = line[len(fence) :]
        start, at = at, following
        if len(fence) < 3 or fence[0] not in "`~":
            continue
        if content.endswith(fence):
            inside = text.index(fence, start) + len(fence)
            content = content.rstrip(fence[0])
            word = content.lstrip(_BLANKS).partition(" ")[0]
            named = content.index(word) + len(word) if word.isidentifier() and word != content.strip(_BLANKS) else 0
            found.append((start, inside + named, inside + len(content), following))
        elif fence[0] not in content:
            stop = at
            while at < len(text):
                line, following = _line(text, at)
                stop, at = at, following
                if line.startswith(fence) and not line.strip(fence[0]):
                    break
            else:
                stop = len(text)
            found.append((start, min(_line(text, start)[1], stop), stop, at))
    return found


def _line(text: str, at: int) -> "tuple[str, int]":
    """Return the line at a place, without blanks around it, and where the next one begins."""
    end = text.find("\n", at) + 1 or len(text)
    return text[at:end].strip(_BLANKS), end


def _in_prose(text: str) -> "Iterator[Any]":
    """Yield the objects and arrays that stand in a text, but none from inside of another."""
    import re

    opening = re.compile(_OPENING)
    at = 0
    for _ in range(TRIED):
        found = opening.search(text, at)
        if found is None:
            return
        try:
            value, at = _read(text, found.start())
            yield value
        except _Unreadable as unreadable:
            yield unreadable
            if unreadable.last:
                return
            at = max(found.start() + unreadable.read, found.end())


def _whole(text: str) -> "Any":
    """Return the value that the whole of a text is, or an _Unreadable."""
    text = text.strip(_BLANKS)
    try:
        if not text:
            raise _Unreadable("the reply is empty")
        value, end = _read(text, 0)
        if end < len(text):
            raise _Unreadable(f"text follows the JSON value: {_excerpt(text, end)}", end, last=False)
        return value
    except _Unreadable as unreadable:
        return unreadable


def _excerpt(text: str, at: int) -> str:
    return quoted(text[at : at + 1000].lstrip(_BLANKS)[:30])


# JSON


def _read(text: str, start: int) -> "tuple[Any, int]":
    """Return the JSON value that begins at a place, and where it ends. Raises _Unreadable."""
    from json import JSONDecodeError, JSONDecoder

    decoder = JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    try:
        return decoder.raw_decode(text, start)
    except JSONDecodeError as error:
        raise _explained(text, start, error) from None
    except RecursionError:
        raise _Unreadable("the JSON is nested too deeply") from None


def _object(pairs: "list[tuple[str, Any]]") -> "dict[str, Any]":
    made = dict(pairs)
    if len(made) != len(pairs):
        left = dict(pairs)
        twice = next(name for name, _ in pairs if left.pop(name, pairs) is pairs)
        raise _Unreadable(f"an object has the property {quoted(twice)} twice")
    return made


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's limit, 4,300 digits unless the host sets another
        raise _Unreadable(f"a number has {len(digits)} digits") from None


def _float(digits: str) -> float:
    number = float(digits)
    if number - number:  # infinite
        raise _Unreadable(f"the number {quoted(digits)[1:-1]} is too large")
    return number


def _constant(name: str) -> None:
    raise _Unreadable(f"`{name}` is not JSON")


def _explained(text: str, start: int, error: "JSONDecodeError") -> _Unreadable:
    """Say what is wrong in words of ours: those of the standard library, and some places, differ between versions."""
    at, said = error.pos, error.msg
    rest = text[at : at + 10].rstrip(_BLANKS)
    if said.startswith("Unterminated") or (said.startswith("Invalid \\") and '"' not in text[at:]):
        return _Unreadable("the JSON is cut off inside a text", len(text) - start)
    if at + len(rest) >= len(text.rstrip(_BLANKS)) and any(w.startswith(rest) for w in ("true", "false", "null", "-")):
        return _Unreadable("the JSON is cut off", len(text) - start)
    before = text[start:at].rstrip(_BLANKS)
    if before.endswith(",") and rest[0] in "]}":
        at = start + len(before) - 1
        what = "a comma stands before a closing bracket"
    elif "trailing comma" in said:
        what = "a comma stands before a closing bracket"
    elif said.startswith("Invalid \\"):
        what = "a backslash in a text begins no escape that JSON has"
    elif said.startswith("Invalid control"):
        what = "a line break or another control character in a text must be an escape, such as \\n"
    elif said.startswith("Expecting property"):
        what = "the name of a property must stand in double quotes"
    elif said.startswith("Expecting ':'"):
        what = "expected `:` after the name of a property"
    elif said.startswith("Expecting ','"):
        what = "expected `,` or the end of an array or object"
    else:
        what = "expected a JSON value"
    line = text.count("\n", start, at) + 1
    column = at - max(text.rfind("\n", start, at), start - 1)
    return _Unreadable(f"{what}, found {_excerpt(text, at)} (line {line}, column {column})", at - start, last=False)
