"""What a finding is: where (Span), what (Diagnostic), how bad (Level). Pure data, no rendering, no policy."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one source file.

    `file` is the root-relative POSIX path (`@mount/...` for mounts). Lines and columns are 1-based and count
    code points of the normalised text (BOM dropped, line ends LF); `end_column` is exclusive. Line 0 means
    "the file as a whole" and is drawn without an excerpt.
    """

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    @classmethod
    def at(cls, file: str, line: int, column: int, width: int = 1) -> "Span":
        """`width` code points on one line."""
        return cls(file, line, column, line, column + max(width, 1))


@dataclass(frozen=True, slots=True, order=True)
class Related:
    """A second place that explains the first, with the words drawn under it."""

    span: Span
    label: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, ready for any renderer. The words follow STYLE: headline is one lower-case clause, no full stop."""

    code: str
    level: Level
    headline: str
    span: Span | None = None
    label: str = ""
    related: tuple[Related, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    packages: tuple[str, ...] = ()

    def sort_key(self) -> tuple[str, int, int, str, str]:
        span = self.span or Span("")
        return (span.file, span.line, span.column, self.code, self.headline)
