"""The one exception of `load_ctx_evals`. It is a ValueError because Julep's loader raises those."""

from ..diagnostics import Diagnostic


class EvalError(ValueError):
    """Evals that cannot be loaded. `package`: the path that was given; `file`, `line`: where it lies (None when nowhere
    in particular); `note`: what is known besides, "" for nothing; `diagnostics`: the findings, when there are some.

    An exception of `eval.py` itself is its `__cause__`, with the traceback that leads into that file.
    """

    def __init__(
        self,
        message: str,
        package: str,
        file: str | None = None,
        line: int | None = None,
        note: str = "",
        diagnostics: tuple[Diagnostic, ...] = (),
    ) -> None:
        super().__init__(message, package, file, line, note, diagnostics)
        self.message, self.package, self.file, self.line, self.note = message, package, file, line, note
        self.diagnostics = diagnostics
        if note:
            self.add_note(note)

    def __str__(self) -> str:
        place = self.package if self.file is None else self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"
