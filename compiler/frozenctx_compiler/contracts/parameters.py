"""What a docstring says of a function's parameters (CTX-FORMAT §6): Google, numpy and Sphinx style, mixed or alone.

In: a cleaned docstring (`docstrings.clean`). Out: the text without what describes single parameters, and that by name.
The invariants: every other word of the docstring stays in the text, in its order; of a parameter's description every
paragraph and line stays, without the type that some styles put before it, which the annotation says.

    Google              numpy                     Sphinx
    Args:               Parameters                :param name: What it
        name (str):     ----------                    is.
            What        name : str                :type name: str
            it is.          What it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SECTIONS = frozenset(
    {
        "args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "keyword parameters",
        "other parameters",
    }  # fmt: skip
)
_OTHERS = frozenset(
    {
        "returns", "return", "yields", "yield", "raises", "raise", "warns", "warnings", "warning", "example",
        "examples", "note", "notes", "attributes", "references", "see also", "todo",
    }  # fmt: skip
)
_NAMES = r"(?P<names>\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)"
_GOOGLE_ENTRY = re.compile(_NAMES + r"\s*(?:\(.*?\)\s*)?:(?:\s+(?P<text>.*))?\Z")
_NUMPY_ENTRY = re.compile(_NAMES + r"\s*(?P<typed>:.*)?\Z")
_NUMPY_LINE = re.compile(r"\s*(?:-{3,}|={3,})\s*\Z")
_FIELD = re.compile(r":(?P<kind>[A-Za-z]+)(?P<about>(?:\s[^:]*)?):(?:\s+(?P<text>.*))?\Z")
_ABOUT_PARAMETERS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword", "kwarg"})
_WORD = re.compile(r"\w+\Z")


@dataclass(frozen=True, slots=True)
class Documented:
    """`parameters`: name → description, in the order of the docstring; of a name described twice, the first.
    `repeated`: the names that are described again."""

    text: str
    parameters: Mapping[str, str]
    repeated: tuple[str, ...] = ()


def documented(docstring: str) -> Documented:
    """Take apart a cleaned docstring."""
    reader = _Reader(docstring.split("\n"))
    reader.read()
    return Documented("\n".join(reader.kept).strip("\n"), reader.found, tuple(reader.repeated))


class _Reader:
    """Goes through the lines once; `at` is the next one. `kept`: the lines that describe no parameter."""

    __slots__ = ("at", "cut", "found", "kept", "lines", "repeated")

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, self.at = lines, 0
        self.kept: list[str] = []
        self.found: dict[str, str] = {}
        self.repeated: list[str] = []
        self.cut = False  # whether what stood before the next line was taken out

    def read(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            field = _FIELD.match(line)
            if self.is_numpy_section(self.at) and _is_section(line):
                self.at += 2
                self.numpy()
            elif line.rstrip().endswith(":") and _is_section(line.rstrip()[:-1]) and self.has_entries():
                self.at += 1
                self.google()
            elif field and _described_by(field) is not None:
                self.sphinx(field)
            else:
                self.keep(line)
                self.at += 1

    def keep(self, line: str) -> None:
        """One blank line stands where something was taken out."""
        if self.cut:
            if not line.strip():
                return
            while self.kept and not self.kept[-1].strip():
                self.kept.pop()
            if self.kept:
                self.kept.append("")
            self.cut = False
        self.kept.append(line)

    def describe(self, names: Sequence[str], lines: Sequence[str]) -> None:
        """`lines`: what follows the name on its line, and the lines below, as they are indented."""
        self.cut = True
        first, rest = lines[0].strip(), _dedented(lines[1:])
        text = "\n".join([first, *rest] if first else rest).strip("\n")
        for name in names:
            if name in self.found:
                self.repeated.append(name)
            elif text:
                self.found[name] = text

    # -- the three styles -------------------------------------------------------------------------------------------

    def google(self) -> None:
        """The lines of a section are indented, and its entries stand where the first of them does."""
        end = self.at
        # The indentation of a docstring that begins with the title is gone: such a section goes on to the next one.
        deepest = -1 if self.at == 1 and not self.is_followed_by_indented(0) else 0
        while end < len(self.lines) and (not self.lines[end].strip() or _indent(self.lines[end]) > deepest):
            if deepest < 0 and self.is_heading(end):
                break
            end += 1
        body = self.lines[self.at : end]
        column = next(_indent(line) for line in body if line.strip())
        names: list[str] = []
        lines: list[str] = []
        if not any(_indent(line) <= column and _GOOGLE_ENTRY.match(line.strip()) for line in body):
            for line in (self.lines[self.at - 1], *body):  # a section that names nothing stays as it is
                self.keep(line)
            body = []
        for line in body:
            entry = _GOOGLE_ENTRY.match(line.strip()) if _indent(line) <= column else None
            if entry:
                if names:
                    self.describe(names, lines)
                names, lines = _names(entry), [entry["text"] or ""]
            elif names:
                lines.append(line)
            else:
                self.keep(line)  # not of any parameter
        if names:
            self.describe(names, lines)
        self.at = end

    def numpy(self) -> None:
        """Entries stand at the margin, what they say is indented; the next section, or a sentence, ends it."""
        start = self.at
        names: list[str] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip():
                self.at += 1
                continue
            entry = _NUMPY_ENTRY.match(line.rstrip())
            below = self.below(self.at + 1)
            is_typed = entry is not None and (entry["typed"] or "").strip(": ")
            if entry is None or self.is_heading(self.at) or not (is_typed or below):
                break
            self.at += 1 + len(below)
            names = _names(entry)
            self.describe(names, ["", *below])
        if not names:  # a section that names nothing stays as it is
            for line in self.lines[start - 2 : self.at]:
                self.keep(line)

    def sphinx(self, field: "re.Match[str]") -> None:
        """A field goes on in the indented lines below it, and in those at the margin that follow without a blank."""
        lines = [field["text"] or ""]
        self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            at_margin = bool(line.strip()) and not _indent(line)
            if at_margin and (_FIELD.match(line) or not lines[-1].strip() or self.is_heading(self.at)):
                break
            below = [line] if at_margin else self.below(self.at)
            if not below:
                break
            lines += below
            self.at += len(below)
        name = _described_by(field)
        self.cut = True
        if name:
            self.describe([name], lines)

    # -- lines ------------------------------------------------------------------------------------------------------

    def below(self, start: int) -> list[str]:
        """The indented lines from `start` on, with the blank ones between them."""
        end = last = start
        while end < len(self.lines) and (not self.lines[end].strip() or _indent(self.lines[end])):
            end += 1
            if self.lines[end - 1].strip():
                last = end
        return list(self.lines[start:last])

    def is_numpy_section(self, at: int) -> bool:
        """Whether a line is underlined."""
        is_title = bool(self.lines[at].strip()) and not _indent(self.lines[at])
        return is_title and at + 1 < len(self.lines) and _NUMPY_LINE.match(self.lines[at + 1]) is not None

    def is_heading(self, at: int) -> bool:
        """Whether a section begins here, of either style."""
        title, colon, rest = self.lines[at].rstrip().lower().partition(":")
        return self.is_numpy_section(at) or (bool(colon) and not rest and title in _SECTIONS | _OTHERS)

    def has_entries(self) -> bool:
        """Whether indented lines follow, or the docstring begins with this line and its indentation is gone."""
        if self.is_followed_by_indented(self.at):
            return True
        is_first = self.at == 0 and len(self.lines) > 1
        return is_first and _GOOGLE_ENTRY.match(self.lines[1]) is not None and not self.is_heading(1)

    def is_followed_by_indented(self, at: int) -> bool:
        return _indent(next((line for line in self.lines[at + 1 :] if line.strip()), "")) > 0


def _is_section(line: str) -> bool:
    """Whether a line is the title of a section about parameters."""
    return not _indent(line) and line.strip().lower() in _SECTIONS


def _described_by(field: "re.Match[str]") -> str | None:
    """The parameter that a field describes; "" when it says its type alone; None for any other field."""
    words = field["about"].split()
    name = words[-1].lstrip("*\\") if words else ""
    if not _WORD.match(name):
        return None
    if field["kind"].lower() in _ABOUT_PARAMETERS:
        return name
    return "" if field["kind"].lower() == "type" else None


def _names(entry: "re.Match[str]") -> list[str]:
    return [name.strip().lstrip("*") for name in entry["names"].split(",")]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _dedented(lines: Sequence[str]) -> list[str]:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip() for line in lines]
