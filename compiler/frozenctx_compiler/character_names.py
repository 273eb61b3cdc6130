r"""Which `\N{…}` of a string means the same character on every Python.

In: what stands between the braces, or a string with escapes. Out: the names that do not. Every version of Python has
Unicode tables of its own, and the escape knows the names that are in them. One table all of them have, that of Unicode
3.2: the first names of its characters, in capitals, are known everywhere and never change.
"""

import re
import unicodedata

_ESCAPE = re.compile(r"\\(?:N\{([^}]*)\}|.)", re.DOTALL)


def is_known_everywhere(name: str) -> bool:
    """Whether every Python knows a character by this name."""
    try:
        character = unicodedata.lookup(name)
    except KeyError:
        return False
    is_old = len(character) == 1 and unicodedata.ucd_3_2_0.category(character) != "Cn"
    return is_old and unicodedata.name(character, "") == name


def unknown_in(text: str) -> str | None:
    """The first escape with a name that not every Python knows, in the source of a string that has escapes."""
    if "\\N{" not in text:
        return None
    names = (found for found in _ESCAPE.finditer(text) if found[1] is not None)
    return next((found[0] for found in names if not is_known_everywhere(found[1])), None)
