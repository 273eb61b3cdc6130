"""From the text of a Python file to its syntax tree. Nothing of it is compiled or run.

In: text and the file that findings name. Out: an `ast.Module`, or None after a finding `python-syntax` at the place of
the mistake. The grammar is that of Python 3.11 on every version: a file is sound on all of them or on none. What `ast`
takes for other things on other versions is looked for in the text, before it is parsed.
"""

import ast
import re
import warnings
from collections.abc import Iterator

from .character_names import is_known_everywhere
from .diagnostics import Scope, Span

GRAMMAR = (3, 11)
_MEND = "mend it; nothing of it was run"
_BLANKS = r"(?:[ \t\f]|\\\n)"
_START = r"(?:^|[;:])[ \t\f]*"
_TYPE_STATEMENT = re.compile(  # `type` is a name as well, which operators may follow
    rf"{_START}(type){_BLANKS}+(?!(?:and|as|for|if|in|is|not|or)\b)([^\W\d]\w*)", re.MULTILINE
)
_TYPE_PARAMETERS = re.compile(
    rf"{_START}(?:class|(?:async{_BLANKS}+)?def){_BLANKS}+([^\W\d]\w*){_BLANKS}*\[", re.MULTILINE
)
# A comment, or a string with its prefix; one without an end ends with its line, or with the text.
_LITERAL = re.compile(
    r"#[^\n]*|(?P<prefix>(?<!\w)(?:[rR][bBfF]?|[bBfF][rR]?|[uU]))?"
    r"(?:\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\\?\Z)|'''(?:[^\\]|\\.)*?(?:'''|\\?\Z)"
    r"|\"(?:[^\\\n\"]|\\.)*(?:\"|(?=\n)|\\?\Z)|'(?:[^\\\n']|\\.)*(?:'|(?=\n)|\\?\Z))",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:N\{[^}]*\}|x[0-9A-Fa-f]{0,2}|u[0-9A-Fa-f]{0,4}|U[0-9A-Fa-f]{0,8}|.)", re.DOTALL)
_DIGITS = {"x": 2, "u": 4, "U": 8}
# Without any of these, there is nothing to look for.
_SUSPECT = re.compile(
    r"\btype\b|\\[NxuU]|(?<!\w)(?:[fF][rR]?|[rR][fF])[\"']"
    rf"|\b(?:class|def)\b{_BLANKS}+\w+{_BLANKS}*\["
)
# What later versions say in other words, as Python 3.11 says it.
_WORDS = {
    "Expected one or more names after 'import'": "invalid syntax",
    "parameter without a default follows parameter with a default": "non-default argument follows default argument",
}
_TOP = re.compile(r"^(?=[^\s#)\]}])", re.MULTILINE)


def parse_python(text: str, path: str, scope: Scope) -> ast.Module | None:
    """Parse the normalised text of a file; None after what keeps it from being Python has been reported."""
    name = path.rpartition("/")[2]
    faults = list(_of_other_versions(text)) if _SUSPECT.search(text) else []
    for start, length, headline, help in faults:
        line = text.count("\n", 0, start) + 1
        span = Span.at(path, line, start - text.rfind("\n", 0, start), length)
        scope.add("python-syntax", headline.format(name=name), span, help=help)
    if faults:
        return None
    try:
        return _parsed(text, path)
    except SyntaxError as error:
        if "integer string conversion" in error.msg:
            headline, help = f"`{name}` has an integer of thousands of digits", "write a smaller one, or a text"
            scope.add("python-syntax", headline, place_of(error, path, text), help=help)
        else:
            headline = f"`{name}` is not Python: {_WORDS.get(error.msg, error.msg)}"
            scope.add("python-syntax", headline, place_of(error, path, text), help=_MEND)
    except (RecursionError, MemoryError):
        span = Span.at(path, _deepest(text), 1, 1)
        scope.add("python-syntax", f"`{name}` is nested too deeply", span, help="write it in smaller parts")
    except ValueError as error:  # a NUL, which `Sources` refuses before
        scope.add("python-syntax", f"`{name}` is not Python: {error}", Span(path), help=_MEND)
    return None


def parse_expression(text: str) -> ast.expr | None:
    """The expression that a text is, as in a quoted annotation; None when it is none, on any Python."""
    if _SUSPECT.search(text) and any(_of_other_versions(text)):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval", feature_version=GRAMMAR).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed(text: str, path: str) -> ast.Module:
    with warnings.catch_warnings():  # about escapes in strings and the like: they change no tree
        warnings.simplefilter("ignore")
        return ast.parse(text, path, feature_version=GRAMMAR)


def _deepest(text: str) -> int:
    """The line where the first statement begins that no parser takes; it says of none itself."""
    starts = [found.start() for found in _TOP.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        try:
            _parsed(text[start:end], "")
        except SyntaxError:
            continue  # a part of a statement
        except (RecursionError, MemoryError):
            return text.count("\n", 0, start) + 1
    return 1


def _of_other_versions(text: str) -> Iterator[tuple[int, int, str, str]]:
    """What is Python on some versions alone, or another mistake there: where it begins, how long it is, words, help."""
    parts: list[str] = []  # the text without what stands in strings and comments
    end = 0
    for found in _LITERAL.finditer(text):
        parts += [text[end : found.start()], re.sub(r"[^\n]", "'", found[0])]
        end = found.end()
        prefix = (found["prefix"] or "").lower()
        if "f" in prefix:
            headline = "`{name}` has an f-string, which means something only when it is run"
            yield found.start(), len(prefix) + 1, headline, "write a text without `f`"
            return  # where it ends is another question on Python 3.12
        if "r" not in prefix and "\\" in found[0] and not found[0].startswith("#"):
            for escape in _ESCAPE.finditer(found[0]):
                if not _is_character(escape[0], in_bytes="b" in prefix):
                    known = " that every Python knows by name" if escape[0].startswith("\\N") else ""
                    headline = f"`{escape[0]}` is no character{known}".replace("{", "{{").replace("}", "}}")
                    yield found.start() + escape.start(), len(escape[0]), headline, "write the character itself"
    bare = "".join([*parts, text[end:]])
    for found in _TYPE_STATEMENT.finditer(bare):
        headline = f"`type {found[2]} = …` is a statement of Python 3.12, and stubs are read as Python 3.11"
        yield found.start(1), len("type"), headline, f"write `{found[2]} = …` without `type`"
    for found in _TYPE_PARAMETERS.finditer(bare):
        headline = f"`{found[1]}` has type parameters, which Python 3.12 brought; stubs are read as Python 3.11"
        yield found.start(1), len(found[1]), headline, "write the types out"


def _is_character(escape: str, in_bytes: bool) -> bool:
    """Whether an escape of a string means a character, on every Python."""
    kind, rest = escape[1], escape[2:]
    if kind == "N" and not in_bytes:
        return is_known_everywhere(rest[1:-1])
    if kind in _DIGITS and (kind == "x" or not in_bytes):
        return len(rest) == _DIGITS[kind] and int(rest, 16) <= 0x10FFFF
    return True


def place_of(error: SyntaxError, path: str, text: str) -> Span:
    """Where an error is. Python may name a place behind the last line, or none."""
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max(error.offset or 1, 1), len(lines[line - 1]) + 1)
    end = error.end_offset or 0
    return Span.at(path, line, column, end - column if error.end_lineno == line else 1)
