"""Says at an exception where in which prompt it happened, and what an undefined name may have meant.

In: an exception on its way out of a rendering. Out: the same one, with attributes and one note. Names of variables,
keys and attributes are shown, values never. Imported only when there is an exception.
"""

from itertools import islice

from .errors import FrozenctxError
from .template import missing
from .template.namespace import attributes_of
from .template.undefined import Undefined
from .template.where import places, steps
from .words import listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .prompts import Prompt

CALLERS = 4  # so many of the places that led to the mistake are named
KEYS = 1000  # so many keys of a mapping are compared


def explain(
    exception: BaseException, prompt: "Prompt", role: str, variables: "dict[str, Any]"
) -> "RuntimeError | None":
    """Give an exception of a template `key version role file line` and a note; one of the caller's own only a note.

    An exception that was explained already (a prompt rendered inside a filter of another's) keeps what it says.
    Returns what a StopIteration, from a value's method, has to be raised as: as in jinja2, whose templates are
    generators.
    """
    if isinstance(exception, StopIteration):
        ended = RuntimeError("generator raised StopIteration").with_traceback(exception.__traceback__)
        explain(ended, prompt, role, variables)
        return ended
    chain = places(exception)
    if isinstance(exception, FrozenctxError):
        if exception.key is not None:
            return None
        exception.key, exception.version, exception.role = prompt.key, prompt.version, role
        exception.file, exception.line = chain[0] if chain else (None, None)
    _note(exception, f"in {prompt.version}, role {role}{_path(chain)}{_meant(exception, variables)}")
    return None


def explain_single(exception: BaseException, variables: "dict[str, Any]") -> None:
    """Do for an exception of a template without a prompt what `explain` does: `file line` and a note."""
    chain = places(exception)
    if isinstance(exception, FrozenctxError):
        if exception.file is not None:
            return
        exception.file, exception.line = chain[0] if chain else (None, None)
    if chain:
        _note(exception, f"in {_path(chain).removeprefix(', ')}{_meant(exception, variables)}")


def _note(exception: BaseException, note: str) -> None:
    try:
        if note not in getattr(exception, "__notes__", ()):
            exception.add_note(note)
    except Exception:  # a class of the caller's that lets nothing be set, or has notes of another kind
        pass


def _path(chain: "list[tuple[str, int]]") -> str:
    """Return `, FILE line N, called from line M, …` for places, innermost first; the same file is named once."""
    parts, before = [], ""
    for file, line in chain:
        parts.append(f"line {line}" if file == before else f"{file} line {line}")
        before = file
    if len(parts) > CALLERS + 2:  # the outermost says which line of the prompt it was
        parts[CALLERS:] = [f"{len(parts) - CALLERS - 1} more places", f"{chain[-1][0]} line {chain[-1][1]}"]
    return ", " + ", called from ".join(parts) if parts else ""


def _meant(exception: BaseException, variables: "dict[str, Any]") -> str:
    """Return what an undefined name may have meant, as the end of a note; "" for exceptions of other kinds."""
    undefined = _raiser(exception)
    if undefined is None or undefined._undefined_hint or not isinstance(undefined._undefined_name, str):
        return ""
    name = undefined._undefined_name
    if undefined._undefined_obj is not missing:
        return near(name, _members(undefined._undefined_obj), 1)
    given = [key for key in variables if type(key) is str]
    if name in given:
        return f"; `{name}` was given, but does not reach this place"
    known = dict.fromkeys([*given, *_names_set(exception)])
    return near(name, known, 1) or f"; given: {listed(given) or 'no variables'}"


def _raiser(exception: BaseException) -> "Undefined | None":
    """Return the undefined value that raised the exception."""
    traceback = exception.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or traceback.tb_frame.f_code is not Undefined._fail_with_undefined_error.__code__:
        return None
    return traceback.tb_frame.f_locals["self"]  # type: ignore[no-any-return]


def _names_set(exception: BaseException) -> "list[str]":
    """Return the names with values where it happened: loop targets, arguments, what was set. Programs spell the name
    `item` as `l_1_item`."""
    found: list[list[str]] = []
    for frame, _line in reversed([*steps(exception)]):
        found += [local.split("_", 2) for local, value in frame.f_locals.items() if value is not missing]
        if frame.f_code.co_name[:1] != "<":  # a function of the template, and no generator or key within it
            break
    return [parts[2] for parts in found if len(parts) == 3 and parts[0] == "l" and parts[1].isdigit()]


def _members(value: "Any") -> "list[str]":
    """Return the keys, or else the attributes, that a template could have meant."""
    try:
        data = attributes_of(value) or value
        names = islice(data, KEYS) if isinstance(data, dict) else dir(data)
        return [name for name in names if type(name) is str and name[:1] != "_"]
    except Exception:  # the value's own methods
        return []
