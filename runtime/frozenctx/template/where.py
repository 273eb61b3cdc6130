"""Where in which templates an exception happened. Imported only then.

In: an exception that came out of a program. Out: files and lines of the templates, by the program's LINES, or by the
line table that code from a pack bears.
"""

from .text import FILENAME_PREFIX, source_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


def steps(exception: BaseException) -> "Iterator[tuple[FrameType, int]]":
    """Yield each function of a program that `exception` left, with the template's line there, outermost first."""
    traceback = exception.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        line: int | None = traceback.tb_lineno
        traceback = traceback.tb_next
        if frame.f_code.co_filename.startswith(FILENAME_PREFIX):
            if "LINES" in frame.f_globals:  # else it is code from a pack, which bears the lines of the template itself
                line = source_line(frame.f_globals["LINES"], line or 0)
            if line is not None:
                yield frame, line


def places(exception: BaseException) -> "list[tuple[str, int]]":
    """Return file and line of where it happened, of what called that, and so on outwards; each place once."""
    found = [(frame.f_globals["FILE"], line) for frame, line in steps(exception)]
    return list(dict.fromkeys(reversed(found)))


def where(exception: BaseException) -> "tuple[str, int] | None":
    """Return file and line of the innermost template source line that `exception` passed through, or None."""
    found = places(exception)
    return found[0] if found else None
