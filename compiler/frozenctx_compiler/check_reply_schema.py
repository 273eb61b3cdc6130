"""A reply schema against what replies can be compared with: `Prompt.parse` refuses a schema that it knows in part.

In: a schema as the author wrote it, where its parts stand, and which of them came from the environment and are not
shown. Out: nothing; a lint for each keyword that is not known, or that has a value it cannot have.
"""

from collections.abc import Callable

from frozenctx.keywords import unknown_keywords

from .diagnostics import Scope, Span
from .yamltree import Path

_NOTE = "`parse` refuses all replies of a package whose schema it cannot work with"


def check_reply_schema(
    schema: object, span_of: Callable[[Path], Span], scope: Scope, is_shown: Callable[[Path], bool] = lambda path: True
) -> None:
    for unknown in unknown_keywords(schema):
        code = "bad-reply-schema" if unknown.wrong else "schema-keyword-unknown"
        headline, help = unknown.reason, unknown.help
        if not is_shown(unknown.place):
            headline, help = "a value of the environment is no part of a schema that replies can be compared with", None
        scope.add(code, headline, span_of(unknown.place), notes=(_NOTE,), help=help)
