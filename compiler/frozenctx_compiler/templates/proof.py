"""Proves that a program can be loaded: `break` outside of a loop, or an argument given twice, parse as a template and
show only here.

In: the text of a program. Out: its code for the running interpreter, or `NotAProgram`, in the template's own names and
lines.
"""

import re
from types import CodeType

from frozenctx.packing import code_of, lines_of
from frozenctx.template.text import source_line

_LOCAL = re.compile(r"'l_\d+_(\w+)'")  # how programs spell the names of a template


class NotAProgram(Exception):
    """Python refuses the program. `line`: of the template's file; `too_deep`: for how much it says, not for what."""

    def __init__(self, message: str, line: int, too_deep: bool) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.too_deep = too_deep


def prove(text: str, quote: str) -> CodeType:
    """Return the code of the program. Raises NotAProgram, with names of the template in `quote`s."""
    try:
        return code_of(text)
    except SyntaxError as error:
        message = error.msg or "the template has no meaning"
        line = source_line(lines_of(text), error.lineno or 0) or 1
        too_deep = "too many" in message or "too deep" in message
        raise NotAProgram(_LOCAL.sub(rf"{quote}\1{quote}", message), line, too_deep) from error
