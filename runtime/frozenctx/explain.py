"""Says at an exception where in which prompt it happened. Imported only then."""

from .errors import FrozenctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .prompt import Prompt


def explain(exception: BaseException, prompt: "Prompt", role: str) -> None:
    """Give an exception of a template `key version role file line` and a note; one of the caller's own only a note.

    An exception that was explained already (a prompt rendered inside a filter of another's) keeps what it says.
    """
    from .template.program import where

    place = where(exception)
    file, line = place or (None, None)
    if isinstance(exception, FrozenctxError):
        if exception.key is not None:
            return
        exception.key, exception.version, exception.role = prompt.key, prompt.version, role
        exception.file, exception.line = file, line
    note = f"while rendering the {role} text of {prompt.version}" + (f" ({file}, line {line})" if file else "")
    if note not in getattr(exception, "__notes__", ()):
        exception.add_note(note)
