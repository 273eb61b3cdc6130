"""From the text of a Python file to its syntax tree. Nothing of it is compiled or run.

In: text and the file that findings name. Out: an `ast.Module`, or None after a finding `python-syntax` at the place of
the mistake. The grammar is that of Python 3.11 on every version, as far as `ast` can be told so: a file is sound on all
of them or on none.
"""

import ast
import re
import warnings

from .diagnostics import Scope, Span

GRAMMAR = (3, 11)
_MEND = "mend it; nothing of it was run"
_TYPE_STATEMENT = re.compile(r"\s*type\s+([^\W\d]\w*)\s*(?:\[[^=]*\])?\s*=(?!=)")
_TYPE_PARAMETERS = re.compile(r"\s*(?:class|(?:async\s+)?def)\s+([^\W\d]\w*)\s*\[")


def parse_python(text: str, path: str, scope: Scope) -> ast.Module | None:
    """Parse the normalised text of a file; None after what keeps it from being Python has been reported."""
    name = path.rpartition("/")[2]
    try:
        with warnings.catch_warnings():  # about escapes in strings and the like: they change no tree
            warnings.simplefilter("ignore")
            return ast.parse(text, path, feature_version=GRAMMAR)
    except SyntaxError as error:
        _report(error, text, path, name, scope)
    except (RecursionError, MemoryError):
        scope.add("python-syntax", f"`{name}` is nested too deeply", Span(path), help="write it in smaller parts")
    except ValueError as error:  # a NUL, which `Sources` refuses before
        scope.add("python-syntax", f"`{name}` is not Python: {error}", Span(path), help=_MEND)
    return None


def _report(error: SyntaxError, text: str, path: str, name: str, scope: Scope) -> None:
    lines = text.split("\n")
    span = place_of(error, path, text)
    number = span.line
    if "Python 3.12" in error.msg:  # said of where the statement ends; Python 3.11 stops where it begins
        while number > 1 and not any(new.match(lines[number - 1]) for new in (_TYPE_STATEMENT, _TYPE_PARAMETERS)):
            number -= 1
    line = lines[number - 1]
    if alias := _TYPE_STATEMENT.match(line):
        scope.add(
            "python-syntax",
            f"`type {alias[1]} = …` is a statement of Python 3.12, and stubs are read as Python 3.11",
            Span.at(path, number, len(line) - len(line.lstrip()) + 1, 4),
            help=f"write `{alias[1]} = …` without `type`",
        )
    elif generic := _TYPE_PARAMETERS.match(line):
        scope.add(
            "python-syntax",
            f"`{generic[1]}` has type parameters, which Python 3.12 brought; stubs are read as Python 3.11",
            Span.at(path, number, generic.start(1) + 1, len(generic[1])),
            help="write the types out",
        )
    else:
        headline = f"`{name}` is not Python: {error.msg}"
        scope.add("python-syntax", headline, span, help=_MEND)


def place_of(error: SyntaxError, path: str, text: str) -> Span:
    """Where an error is. Python may name a place behind the last line, or none."""
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max(error.offset or 1, 1), len(lines[line - 1]) + 1)
    end = error.end_offset or 0
    return Span.at(path, line, column, end - column if error.end_lineno == line else 1)
