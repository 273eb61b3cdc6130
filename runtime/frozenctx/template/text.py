"""The text of a program: what it compiles to, and which line of the template a line of it comes from."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import Any, NoReturn

FILENAME_PREFIX = "frozenctx:"


def compile_program(text: str, optimize: int = 0) -> "CodeType":
    """Return the code object of a program's text. The same text gives an equal one everywhere."""
    start = text.find("\nFILE = ")
    if start < 0:
        from ..errors import ProgramError

        raise ProgramError("not the text of a template program: it has no line `FILE = …`")
    file = text[start + 8 : text.find("\n", start + 8)].strip()
    if "\\" in file:
        file = file.encode("ascii").decode("unicode_escape")
    return compile(text, FILENAME_PREFIX + file[1:-1], "exec", dont_inherit=True, optimize=optimize)


def refuse_shape(program: "dict[str, Any]", shape: int) -> "NoReturn":
    """Raise ProgramError for a program of another shape than the one that is run here."""
    from ..errors import ProgramError

    raise ProgramError(
        f"`{program.get('FILE')}` is a program of shape {program.get('PROGRAM')!r}; this runtime runs shape {shape}"
    )


def source_line(lines: "Iterable[tuple[int, int]]", emitted: int) -> "int | None":
    """Return the template's line that the line `emitted` of its program comes from, by the program's LINES.

    None before the first of them: what stands there is no part of the template, and reads for the frames around it.
    """
    found = None
    for start, line in lines:
        if start > emitted:
            break
        found = line
    return found
