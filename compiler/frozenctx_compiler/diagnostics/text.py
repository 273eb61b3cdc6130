"""Diagnostics as text for people: headline, place, excerpt with carets, notes, help, docs (the shape of STYLE.md).

In: diagnostics and a callable that answers the text of a root-relative file, or None when it cannot be had (the
finding is then drawn without an excerpt). Out: plain text, with ANSI colours only when asked. The invariant: any
diagnostic can be drawn, spans that point past a line or a file included, and carets stand under the characters they
mean, whatever the line holds: tabs, wide characters, combining marks. What a terminal would obey rather than show
(control characters, direction overrides, invisible characters) is written out.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import category, combining, east_asian_width

from .model import Diagnostic, Level, Related

TextOf = Callable[[str], str | None]

DOCS = "frozenctx explain {code}"  # works wherever the compiler is installed, without a network
TAB = 4
WIDEST = 140  # columns of an excerpt; a longer line is cut around what is marked
WHOLE = 6  # a span of more lines than this is drawn with its middle left out
NAMED_PACKAGES = 4  # so many packages of a shared mistake are named, the rest counted

_Style = Literal["error", "warning", "note", "frame", "second", "strong"]
_ANSI: dict[_Style, str] = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "frame": "1;34",
    "second": "1;34",
    "strong": "1",
}


def render_text(diagnostics: Iterable[Diagnostic], text_of: TextOf, *, colour: bool = False) -> str:
    """All findings in the order given, a blank line after each; "" when there are none."""
    pages = _Pages(text_of)
    return "".join(_rendered(diagnostic, pages, colour) + "\n" for diagnostic in diagnostics)


def render(diagnostic: Diagnostic, text_of: TextOf, *, colour: bool = False) -> str:
    """One finding. Ends with a newline."""
    return _rendered(diagnostic, _Pages(text_of), colour)


def _rendered(diagnostic: Diagnostic, pages: "_Pages", colour: bool) -> str:
    paint = _painter(colour)
    level = diagnostic.level
    rows = [
        paint(f"{level}[{diagnostic.code}]", level) + paint(f": {visible(diagnostic.headline)}", "strong"),
    ]
    snippets = list(_snippets(diagnostic, pages))
    gutter = max([1, *(snippet.widest_number for snippet in snippets)])
    for snippet in snippets:
        rows += snippet.rows(gutter, paint)
    bar = paint(" " * gutter + " |", "frame")
    if any(snippet.lines for snippet in snippets):
        rows.append(bar)
    for kind, words in _remarks(diagnostic):
        first, *rest = words.split("\n")
        indent = " " * (gutter + 1)
        rows.append(paint(f"{indent}= ", "frame") + paint(f"{kind}: ", "strong") + visible(first))
        rows += [indent + " " * len(f"= {kind}: ") + visible(line) for line in rest]
    return "".join(row.rstrip(" ") + "\n" for row in rows)


def closing(diagnostics: Sequence[Diagnostic], packages: int, outcome: str) -> str:
    """The last line of a run: how many errors and warnings, in how many of the `packages` looked at, the outcome."""
    errors = sum(diagnostic.level == "error" for diagnostic in diagnostics)
    warnings = sum(diagnostic.level == "warning" for diagnostic in diagnostics)
    hit = {name for diagnostic in diagnostics if diagnostic.level != "note" for name in diagnostic.packages}
    of = f"{len(hit)} of " if hit and len(hit) != packages else ""
    where = f" in {of}{counted(packages, 'package')}" if packages else ""
    return f"{counted(errors, 'error')}, {counted(warnings, 'warning')}{where}; {outcome}"


def counted(number: int, noun: str) -> str:
    """`no errors`, `1 error`, `2 errors`."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def visible(text: str) -> str:
    """`text` on one line, with everything a terminal would obey or hide written out."""
    return "".join(" " if char in "\n\t" else _shown(char) for char in text)


def _remarks(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    for note in diagnostic.notes:
        yield "note", note
    if len(diagnostic.packages) > 1:
        named = ", ".join(diagnostic.packages[:NAMED_PACKAGES])
        more = len(diagnostic.packages) - NAMED_PACKAGES
        yield "note", f"in {len(diagnostic.packages)} packages: {named}" + (f" and {more} more" if more > 0 else "")
    if diagnostic.help is not None:
        yield "help", diagnostic.help
    yield "docs", DOCS.format(code=diagnostic.code)


# -- colour ---------------------------------------------------------------------------------------------------------

_Paint = Callable[[str, _Style], str]


def _painter(colour: bool) -> _Paint:
    if not colour:
        return lambda text, style: text
    return lambda text, style: f"\x1b[{_ANSI[style]}m{text}\x1b[0m"


# -- a line as it is drawn ------------------------------------------------------------------------------------------


def _shown(char: str) -> str:
    """What stands for a character on a terminal."""
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    kind = category(char)
    if kind in ("Cc", "Cs", "Zl", "Zp") or (kind == "Cf" and not _joins(char)):
        return f"<U+{ord(char):04X}>"
    return char


def _joins(char: str) -> bool:
    """Format characters that ordinary emoji, Persian and Indic text is full of: joiners and flag tags."""
    return char in "\u200c\u200d" or "\U000e0020" <= char <= "\U000e007f"


def columns(text: str) -> int:
    """How many terminal columns a text of one line takes."""
    return sum(map(_width, text))


def _width(char: str) -> int:
    """Terminal columns of one shown character."""
    if combining(char) or category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


class _Line:
    """A source line in terminal columns: character i covers the columns `begin[i]` up to `end[i]`."""

    __slots__ = ("begin", "end", "pieces", "width")

    pieces: Sequence[str]
    begin: Sequence[int]
    end: Sequence[int]

    def __init__(self, text: str) -> None:
        self.width = len(text)
        self.pieces, self.begin, self.end = text, range(self.width), range(1, self.width + 1)
        if not text.isascii() or not text.isprintable():
            self._lay_out(text)

    def _lay_out(self, text: str) -> None:
        pieces: list[str] = []
        begin: list[int] = []
        end: list[int] = []
        column = 0
        for char in text:
            piece = " " * (TAB - column % TAB) if char == "\t" else _shown(char)
            width = sum(map(_width, piece))
            if width == 0 and begin:  # drawn over the character before it
                begin.append(begin[-1])
                end.append(end[-1])
            else:
                begin.append(column)
                end.append(column + width)
            pieces.append(piece)
            column += width
        self.pieces, self.begin, self.end, self.width = pieces, begin, end, column

    def columns(self, start: int, stop: int) -> tuple[int, int]:
        """The terminal columns of the characters start..stop (0-based, exclusive), at least one column wide."""
        length = len(self.pieces)
        start = min(max(start, 0), length)
        stop = min(max(stop, start), length)
        first = self.begin[start] if start < length else self.width
        last = self.end[stop - 1] if stop > start else first
        return first, max(last, first + 1)

    def window(self, focus: tuple[int, int] | None) -> tuple[str, int]:
        """The text to draw and the columns it is shifted to the left; a long line is cut around `focus`."""
        if self.width <= WIDEST:
            return "".join(self.pieces), 0
        first, last = focus or (0, 0)
        low = max(0, min(first - WIDEST // 3, self.width - WIDEST))
        if last - low < WIDEST // 2:  # room to the right is worth more than room to the left
            low = max(0, min(low, last - WIDEST // 2))
        start = bisect_left(self.begin, low)
        stop = max(bisect_right(self.end, self.begin[start] + WIDEST), start + 1) if start < len(self.begin) else start
        head = "…" if start else ""
        tail = "…" if stop < len(self.pieces) else ""
        shift = self.begin[start] - len(head) if start < len(self.begin) else 0
        return head + "".join(self.pieces[start:stop]) + tail, shift


class _Pages:
    """The files that findings are in, each taken apart once, however many findings there are."""

    def __init__(self, text_of: TextOf) -> None:
        self._text_of = text_of
        self._pages: dict[str, _Page] = {}

    def __getitem__(self, file: str) -> "_Page":
        if file not in self._pages:
            text = self._text_of(file)
            self._pages[file] = _Page(text.split("\n") if text is not None else [])
        return self._pages[file]


class _Page:
    """The lines of a file; none when its text cannot be had."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._drawn: dict[int, _Line] = {}

    def __getitem__(self, number: int) -> _Line:
        if number not in self._drawn:
            self._drawn[number] = _Line(self.lines[number])
        return self._drawn[number]


# -- one file's excerpt ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mark:
    """A marked stretch: lines and characters 0-based, `stop` exclusive on line `last`."""

    first: int
    start: int
    last: int
    stop: int
    label: str
    sign: str
    style: _Style


def _snippets(diagnostic: Diagnostic, pages: _Pages) -> Iterator["_Snippet"]:
    """The primary file first, then each further file in the order it is named."""
    if diagnostic.span is None:
        places = [*diagnostic.related]
    else:
        places = [Related(diagnostic.span, diagnostic.label), *diagnostic.related]
    for file in dict.fromkeys(place.span.file for place in places):
        page = pages[file]
        mine = [place for place in places if place.span.file == file]
        primary = mine[0].span is diagnostic.span
        marks = []
        for number, place in enumerate(mine):
            sign, style = _look(diagnostic.level, primary and number == 0)
            mark = _mark(place, page.lines, sign, style)
            if mark is not None:
                marks.append(mark)
        yield _Snippet(mine[0], "-->" if primary else ":::", page, marks)


def _look(level: Level, primary: bool) -> tuple[str, _Style]:
    return ("^", level) if primary else ("-", "second")


def _mark(place: Related, lines: Sequence[str], sign: str, style: _Style) -> _Mark | None:
    """A span as something that can be drawn on `lines`; None when it is about the file or points past its end."""
    span = place.span
    first, start = span.line - 1, max(span.column - 1, 0)
    if not 0 <= first < len(lines):
        return None
    last, stop = span.end_line - 1, span.end_column - 1
    if last < first:
        last, stop = first, start + 1
    if last >= len(lines):
        last, stop = len(lines) - 1, len(lines[-1])
    while last > first and (stop <= 0 or not lines[last][:stop].strip()):  # an end before any text: the line above
        last -= 1
        stop = len(lines[last])
    return _Mark(first, start, last, stop, visible(place.label), sign, style)


class _Snippet:
    """The header of one file and the lines of it that are shown."""

    def __init__(self, place: Related, arrow: str, page: _Page, marks: Sequence[_Mark]) -> None:
        self._place = place
        self._arrow = arrow
        self._page = page
        self._single = [mark for mark in marks if mark.first == mark.last]
        self._rails = [mark for mark in marks if mark.first != mark.last]  # a rail on the left joins their ends
        self._margin = 2 * len(self._rails)
        self.lines = sorted({number for mark in marks for number in _lines_of(mark)})

    @property
    def widest_number(self) -> int:
        return len(str(self.lines[-1] + 1)) if self.lines else 1

    def rows(self, gutter: int, paint: _Paint) -> Iterator[str]:
        yield paint(f"{' ' * gutter}{self._arrow} ", "frame") + self._header()
        if not self.lines:
            return
        bar = paint(f"{' ' * gutter} | ", "frame")
        yield bar
        before = self.lines[0] - 1
        for number in self.lines:
            if number == before + 2:
                yield from self._excerpt(before + 1, gutter, paint)
            elif number > before + 2:
                yield paint("...".ljust(gutter + 3), "frame") + _row(self._rails_at(before + 1, below=False), paint)
            yield from self._excerpt(number, gutter, paint)
            for row in self._annotations(number, paint):
                yield bar + row
            before = number

    def _header(self) -> str:
        span = self._place.span
        where = visible(span.file)
        if span.line:
            where += f":{span.line}:{max(span.column, 1)}"
        if not self.lines and self._place.label:
            where += f" ({visible(self._place.label)})"
        return where

    def _excerpt(self, number: int, gutter: int, paint: _Paint) -> Iterator[str]:
        text, _ = self._drawn(number)[1]
        rails = _row(self._rails_at(number, below=False), paint, self._margin)
        yield paint(f"{number + 1:>{gutter}} | ", "frame") + rails + text

    def _drawn(self, number: int) -> tuple[_Line, tuple[str, int]]:
        line = self._page[number]
        ends = [line.columns(mark.start, mark.stop) for mark in self._single if mark.first == number]
        ends += [line.columns(mark.start, mark.start + 1) for mark in self._rails if mark.first == number]
        ends += [line.columns(mark.stop - 1, mark.stop) for mark in self._rails if mark.last == number]
        focus = (min(first for first, _ in ends), max(last for _, last in ends)) if ends else None
        return line, line.window(focus)

    def _rails_at(self, number: int, *, below: bool) -> "_Cells":
        """The rails that pass line `number`; `below` it those count that begin there and not those that end there."""
        cells: _Cells = {}
        for index, mark in enumerate(self._rails):
            inside = mark.first <= number < mark.last if below else mark.first < number <= mark.last
            if inside:
                cells[2 * index] = ("|", mark.style)
        return cells

    def _annotations(self, number: int, paint: _Paint) -> Iterator[str]:
        """The rows under line `number`: marks with their labels, then the ends of rails that begin or end here."""
        line, (drawn, shift) = self._drawn(number)
        widest = sum(map(_width, drawn))

        def place(start: int, stop: int) -> tuple[int, int]:
            first, last = line.columns(start, stop)
            first = min(max(first - shift, 0), widest)
            return self._margin + first, self._margin + max(min(last - shift, widest), first + 1)

        passing = self._rails_at(number, below=False)
        marks = [(*place(m.start, m.stop), m) for m in self._single if m.first == number]
        yield from _underlines(marks, passing, paint)
        for index, mark in enumerate(self._rails):
            if mark.last == number:
                _, last = place(mark.stop - 1, mark.stop)
                corner = {2 * index: ("|", mark.style), **_stroke(2 * index + 1, last - 1, mark)}
                yield _row({**corner, **passing}, paint) + _label(mark, paint)
                del passing[2 * index]
        for index, mark in enumerate(self._rails):
            if mark.first == number:
                first, _ = place(mark.start, mark.start + 1)
                yield _row({**_stroke(2 * index + 1, first, mark), **passing}, paint)
                passing[2 * index] = ("|", mark.style)


def _lines_of(mark: _Mark) -> Iterable[int]:
    if mark.last - mark.first < WHOLE:
        return range(mark.first, mark.last + 1)
    return (mark.first, mark.first + 1, mark.last)


# -- rows of marks --------------------------------------------------------------------------------------------------

_Cells = dict[int, tuple[str, _Style]]


def _row(cells: _Cells, paint: _Paint, width: int = 0) -> str:
    """Cells as text: runs of one style are painted together, gaps are blanks."""
    width = max([width, *(column + 1 for column in cells)])
    text, run, style = "", "", None
    for column in range(width):
        char, next_style = cells.get(column, (" ", None))
        if next_style != style:
            text += paint(run, style) if style else run
            run, style = "", next_style
        run += char
    return text + (paint(run, style) if style else run)


def _stroke(start: int, corner: int, mark: _Mark) -> _Cells:
    """A rail's way from the left to its character: `____^`."""
    cells: _Cells = dict.fromkeys(range(start, corner), ("_", mark.style))
    cells[corner] = (mark.sign, mark.style)
    return cells


def _label(mark: _Mark, paint: _Paint) -> str:
    return " " + paint(mark.label, mark.style) if mark.label else ""


def _underlines(marks: Sequence[tuple[int, int, _Mark]], rails: _Cells, paint: _Paint) -> Iterator[str]:
    """All marks of a line in one row; the rightmost label beside it, the others hanging below, each from its start."""
    if not marks:
        return
    signs: _Cells = dict(rails)
    for first, last, mark in sorted(marks, key=lambda item: (item[0] - item[1], item[2].sign != "-")):
        signs.update(dict.fromkeys(range(first, last), (mark.sign, mark.style)))
    rightmost = max(marks, key=lambda item: (item[0], item[1]))
    beside = rightmost[1] == max(last for _, last, _ in marks)
    yield _row(signs, paint) + (_label(rightmost[2], paint) if beside else "")
    hanging = sorted(
        (item for item in marks if item[2].label and not (beside and item is rightmost)), key=lambda item: item[0]
    )
    if hanging:
        yield _row({**rails, **{first: ("|", mark.style) for first, _, mark in hanging}}, paint)
    while hanging:
        first, _, mark = hanging.pop()
        row = _row({**rails, **{left: ("|", other.style) for left, _, other in hanging if left < first}}, paint, first)
        yield row + paint(mark.label, mark.style)
