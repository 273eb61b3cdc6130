"""What a docstring says of a function's parameters (CTX-FORMAT §6): Google, numpy and Sphinx style, mixed or alone.

In: a cleaned docstring (`docstrings.clean`). Out: the text without what describes single parameters, and that by name.
The invariants: every other word of the docstring stays in the text, in its order; of a parameter's description every
paragraph and line stays, without the type that some styles put before it, which the annotation says. Words that stand
where a type does and are none (`x : How many.`) are a description. What a fence encloses is kept as it is.

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
_GOOGLE_ENTRY = re.compile(_NAMES + r"\s*(?:\((?P<typed>.*?)\)\s*)?:(?:\s+(?P<text>.*))?\Z")
_NUMPY_ENTRY = re.compile(_NAMES + r"\s*(?P<typed>:.*)?\Z")
_NUMPY_LINE = re.compile(r"\s*(?:-{3,}|={3,})\s*\Z")
_FIELD = re.compile(r":(?P<kind>[A-Za-z]+)(?P<about>(?:\s[^:]*)?):(?:\s+(?P<text>.*))?\Z")
_ABOUT_PARAMETERS = frozenset({"param", "parameter", "arg", "argument", "key", "keyword", "kwarg"})
_WORD = re.compile(r"\w+\Z")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}|~{3,})(?P<rest>.*)\Z")
_BRACKETS = re.compile(r"[\[({][^\[\](){}]*[\])}]")
_JOINTS = re.compile(r"\s*(?:,|\||\bor\b|\bof\b|\band\b)\s*")


@dataclass(frozen=True, slots=True)
class Documented:
    """`parameters`: name → description, in the order of the docstring; of a name described twice, the first; "" of one
    that is only named. `repeated`: the names that are described again."""

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

    __slots__ = ("at", "cut", "fences", "found", "kept", "lines", "repeated")

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, self.at = lines, 0
        self.kept: list[str] = []
        self.found: dict[str, str] = {}
        self.repeated: list[str] = []
        self.cut = False  # whether what stood before the next line was taken out
        self.fences = _fences(lines)

    def read(self) -> None:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            field = _FIELD.match(line)
            if self.at in self.fences:
                for line in self.fenced(self.at):
                    self.keep(line)
                self.at = self.fences[self.at]
            elif self.is_numpy_section(self.at) and _is_section(line):
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
            if not self.found.get(name):
                self.found[name] = text
            elif text:
                self.repeated.append(name)

    # -- the three styles -------------------------------------------------------------------------------------------

    def google(self) -> None:
        """The lines of a section are indented, and its entries stand where the first of them does."""
        end = self.at
        # The indentation of a docstring that begins with the title is gone: such a section goes on to the next one.
        deepest = -1 if self.at == 1 and not self.is_followed_by_indented(0) else 0
        while end < len(self.lines) and (not self.lines[end].strip() or _indent(self.lines[end]) > deepest):
            if deepest < 0 and self.is_heading(end):
                break
            end = self.fences.get(end, end + 1)
        column = next(_indent(line) for line in self.lines[self.at : end] if line.strip())
        entries = self.google_entries(end, column)
        before = self.lines[self.at : min(entries, default=end)]  # not of any parameter
        if not entries:  # a section that names nothing stays as it is
            before = [self.lines[self.at - 1], *before]
        for line in before:
            self.keep(line)
        for (start, entry), stop in zip(entries.items(), [*entries, end][1:], strict=True):
            typed = (entry["typed"] or "").strip()
            first = entry["text"] or ""
            if typed and not _is_type(typed):
                first = f"({typed}) {first}"
            self.describe(_names(entry), [first, *self.lines[start + 1 : stop]])
        self.at = end

    def google_entries(self, end: int, column: int) -> "dict[int, re.Match[str]]":
        """The lines up to `end` on which entries begin: no further in than `column`, and in no fence."""
        entries = {}
        at = self.at
        while at < end:
            entry = _GOOGLE_ENTRY.match(self.lines[at].strip()) if _indent(self.lines[at]) <= column else None
            if entry and at not in self.fences:
                entries[at] = entry
            at = self.fences.get(at, at + 1)
        return entries

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
            typed = (entry["typed"] or "").strip(": ") if entry else ""
            if entry is None or self.is_heading(self.at) or not (typed or below):
                break
            self.at += 1 + len(below)
            names = _names(entry)
            self.describe(names, ["" if _is_type(typed) else typed, *below])
        if not names:  # a section that names nothing stays as it is
            for line in self.lines[start - 2 : self.at]:
                self.keep(line)

    def sphinx(self, field: "re.Match[str]") -> None:
        """A field goes on in the indented lines below it, and what describes a parameter in those at the margin that
        follow without a blank."""
        lines = [field["text"] or ""]
        start = self.at
        name = _described_by(field)
        self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at]
            at_margin = bool(line.strip()) and not _indent(line)
            if at_margin and (not name or _FIELD.match(line) or not lines[-1].strip() or self.is_heading(self.at)):
                break
            below = self.fenced(self.at) or ([line] if at_margin else self.below(self.at))
            if not below:
                break
            lines += below
            self.at += len(below)
        if name:
            self.describe([name], lines)
        elif _is_type(" ".join(lines)):
            self.cut = True
        else:
            for line in self.lines[start : self.at]:
                self.keep(line)

    # -- lines ------------------------------------------------------------------------------------------------------

    def fenced(self, at: int) -> list[str]:
        """The lines of the fence that begins with a line, if one does."""
        return list(self.lines[at : self.fences.get(at, at)])

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


def _fences(lines: Sequence[str]) -> dict[int, int]:
    """Where fences begin → the line behind their end. One that is never closed is none."""
    found: dict[int, int] = {}
    opened: tuple[int, str] | None = None
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and opened is None:
            opened = at, mark["fence"]
        elif mark and opened and mark["fence"].startswith(opened[1]) and not mark["rest"].strip():
            found[opened[0]] = at + 1
            opened = None
    return found


def _is_type(words: str) -> bool:
    """Whether words are a type as docstrings write it: `list of str, optional`, `{'a', 'b'}`, `int, default: 5`."""
    words = words.partition(", default")[0].strip()
    while (without := _BRACKETS.sub("", words)) != words:
        words = without
    return not words.endswith(".") and not any(" " in part.strip() for part in _JOINTS.split(words))


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
