"""The Report that every pass writes to. It merges repeats, applies levels, and answers in one stable order.

A mistake in a shared file is found once per package that uses it; the report keeps one diagnostic and the set of
packages it hits. The order of `add` calls never shows (parallel or serial, the output is the same).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from .codes import CODES
from .model import Diagnostic, Level, Related, Span


class Report:
    """Collects diagnostics. `levels` moves lints only: code → level, as `[lint]`, `--deny`, `--warn` say."""

    def __init__(self, levels: Mapping[str, Level] | None = None) -> None:
        self._levels = dict(levels or {})
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._failed: set[str] = set()
        # What keeps secrets out of findings, once it is known which there are; whether it had anything to do.
        self.hide: Callable[[str], str] | None = None
        self.hid = False

    def move(self, levels: Mapping[str, Level]) -> None:
        """Apply further lint levels, such as those of `frozenctx.toml`; levels that are set already stay stronger."""
        self._levels = {**levels, **self._levels}

    def add(
        self,
        code: str,
        headline: str,
        span: Span | None = None,
        *,
        label: str = "",
        related: Iterable[Related] = (),
        notes: Iterable[str] = (),
        help: str | None = None,
        package: str | None = None,
    ) -> None:
        """Record one finding. `code` must be registered; its level comes from the registry and the lint levels."""
        if self.hide is not None:
            shown = headline, label, help or "", *notes, *(each.label for each in related)
            self.hid = self.hid or any(self.hide(text) != text for text in shown)
            headline, label, help = self.hide(headline), self.hide(label), help and self.hide(help)
            notes = tuple(map(self.hide, notes))
            related = tuple(replace(each, label=self.hide(each.label)) for each in related)
        known = CODES[code]
        level: Level = "error" if known.kind == "fault" else self._levels.get(code, known.level)
        diagnostic = Diagnostic(
            code, level, headline, span, label, tuple(related), tuple(notes), help, (package,) if package else ()
        )
        identity = (code, headline, span, label, diagnostic.related, diagnostic.notes, help)
        before = self._found.get(identity)
        if before is not None:
            packages = tuple(sorted({*before.packages, *diagnostic.packages}))
            diagnostic = replace(before, packages=packages)
        self._found[identity] = diagnostic
        if level == "error" and package:
            self._failed.add(package)

    def copy(self) -> "Report":
        """A report that begins with the findings of this one, and goes on alone."""
        copy = Report(self._levels)
        copy._found, copy._failed = dict(self._found), set(self._failed)
        copy.hide = self.hide
        return copy

    @classmethod
    def merged(cls, reports: Mapping[str, "Report"]) -> "Report":
        """The reports of several profiles as one. What not all of them found has a note that says which did."""
        merged = cls()
        for report in reports.values():
            merged._levels = report._levels
            merged._failed |= report._failed
            for identity, diagnostic in report._found.items():
                found_by = [name for name, other in reports.items() if identity in other._found]
                if len(found_by) < len(reports):
                    which = ", ".join(f"`{name}`" for name in found_by)
                    note = f"with the profile{'s' if len(found_by) > 1 else ''} {which}"
                    diagnostic = replace(diagnostic, notes=(*diagnostic.notes, note))
                before = merged._found.get(identity, diagnostic)
                packages = tuple(sorted({*before.packages, *diagnostic.packages}))
                merged._found[identity] = replace(diagnostic, packages=packages)
        return merged

    def scoped(self, package: str) -> "Scope":
        """A view for the work on one package: same `add`, and `failed` for that package alone."""
        return Scope(self, package)

    def failed(self, package: str) -> bool:
        return package in self._failed

    @property
    def has_errors(self) -> bool:
        return any(d.level == "error" for d in self._found.values())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings, sorted by path, line, column, code."""
        return tuple(sorted(self._found.values(), key=Diagnostic.sort_key))

    def count(self, level: Level) -> int:
        return sum(d.level == level for d in self._found.values())


class Scope:
    """A Report seen from one package."""

    __slots__ = ("package", "report")

    def __init__(self, report: Report, package: str) -> None:
        self.report = report
        self.package = package

    def add(
        self,
        code: str,
        headline: str,
        span: Span | None = None,
        *,
        label: str = "",
        related: Iterable[Related] = (),
        notes: Iterable[str] = (),
        help: str | None = None,
    ) -> None:
        self.report.add(
            code, headline, span, label=label, related=related, notes=notes, help=help, package=self.package
        )

    @property
    def failed(self) -> bool:
        return self.report.failed(self.package)
