"""The exception of a rendering as text for people, in the shape of findings.

In: an exception that the runtime gave `file` and `line`, as far as they are known, and a callable as for `render_text`.
Out: lines: class and message, the line of the template, and the notes, which say where in which prompt it was.
"""

from .text import TextOf, visible


def render_failure(error: BaseException, text_of: TextOf) -> str:
    """Ends with a newline."""
    rows = [f"error: {type(error).__name__}: {visible(str(error))}"]
    file, line = getattr(error, "file", None), getattr(error, "line", None)
    if file is not None:
        rows.append(f" --> {visible(file)}:{line}")
        lines = (text_of(file) or "").split("\n")
        if line and line <= len(lines) and lines[line - 1]:
            gutter = " " * len(str(line))
            rows += [f"{gutter} |", f"{line} | {visible(lines[line - 1])}", f"{gutter} |"]
    rows += [f"  = note: {visible(note)}" for note in getattr(error, "__notes__", ())]
    return "".join(f"{row}\n" for row in rows)
