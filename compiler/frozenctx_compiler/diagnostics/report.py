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
        self._hide: Callable[[str], str] | None = None

    def move(self, levels: Mapping[str, Level]) -> None:
        """Apply further lint levels, such as those of `frozenctx.toml`; levels that are set already stay stronger."""
        self._levels = {**levels, **self._levels}

    def conceal(self, hide: Callable[[str], str]) -> None:
        """Put every word of every finding, those before included, through `hide`, which keeps secrets out of them."""
        self._hide = hide
        before, self._found = self._found, {}
        for diagnostic in before.values():
            self._keep(diagnostic)

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
        known = CODES[code]
        level: Level = "error" if known.kind == "fault" else self._levels.get(code, known.level)
        diagnostic = Diagnostic(
            code, level, headline, span, label, tuple(related), tuple(notes), help, (package,) if package else ()
        )
        self._keep(diagnostic)
        if level == "error" and package:
            self._failed.add(package)

    def _keep(self, found: Diagnostic) -> None:
        found = found if self._hide is None else _concealed(found, self._hide)
        identity = (found.code, found.headline, found.span, found.label, found.related, found.notes, found.help)
        before = self._found.get(identity)
        if before is not None:
            found = replace(before, packages=tuple(sorted({*before.packages, *found.packages})))
        self._found[identity] = found

    def copy(self) -> "Report":
        """A report that begins with the findings of this one, and goes on alone."""
        copy = Report(self._levels)
        copy._found, copy._failed = dict(self._found), set(self._failed)
        copy._hide = self._hide
        return copy

    @classmethod
    def merged(cls, reports: Mapping[str, "Report"]) -> "Report":
        """The reports of several profiles as one. What not all of them found has a note that says which did."""
        merged = cls()
        for report in reports.values():
            merged._levels, merged._hide = report._levels, report._hide
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


def _concealed(found: Diagnostic, hide: Callable[[str], str]) -> Diagnostic:
    def place(span: Span) -> Span:
        return replace(span, file=hide(span.file))

    return replace(
        found,
        headline=hide(found.headline),
        span=found.span and place(found.span),
        label=hide(found.label),
        related=tuple(Related(place(each.span), hide(each.label)) for each in found.related),
        notes=tuple(map(hide, found.notes)),
        help=found.help and hide(found.help),
        packages=tuple(map(hide, found.packages)),
    )


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
