"""The part of the pass read that opens stubs: `schema.pyi` and `tools.pyi` → a StubFile (CTX-FORMAT §6).

In: the path of a stub. Out: its text and syntax tree, or None after a finding. A stub is parsed, never executed.
"""

from .diagnostics import Scope
from .package import StubFile
from .python_text import parse_python
from .sources import SourceFault, Sources


def read_stub(path: str, sources: Sources, scope: Scope) -> StubFile | None:
    """Read and parse one stub. What keeps it from being Python is reported where it stands."""
    try:
        text = sources.text(path)
    except SourceFault as fault:
        fault.add_to(scope)
        return None
    tree = sources.once(text, "tree", lambda: parse_python(text, path, scope))
    return None if tree is None else StubFile(path, text, tree)
