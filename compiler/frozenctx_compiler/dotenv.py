"""What packages ask `$env` for, as a `.env` file that a build accepts.

In: for each package key what it asked for. Out: text. A name with one literal default is set to it; a name without a
default is set to nothing and has to be filled in; anything else (`null`, a nested look-up, defaults that differ
between packages) stays a comment, because a value there would change what the packages mean. So a build with the
file, as soon as the empty ones are filled in, is the build without it.
"""

import re
from collections.abc import Mapping
from textwrap import fill

from .package import EnvUse

_LITERAL = re.compile(r"""(?:"([^"\\]*)"|'([^'\\]*)'|(-?\d[\d.eE+-]*|true|false|True|False))\Z""")
_BARE = re.compile(r"[A-Za-z0-9_./:@,+=%-]+\Z")


def dotenv(uses: Mapping[str, EnvUse]) -> str:
    """One block a name, sorted by name: comments with the packages and the default, then the line."""
    packages: dict[str, list[str]] = {}
    defaults: dict[str, dict[str, list[str]]] = {}  # name → default → the packages that have it
    for key, use in sorted(uses.items()):
        for name in sorted({*use.found, *use.defaulted, *use.missing}):
            packages.setdefault(name, []).append(key)
            default = use.defaulted.get(name) or use.unused.get(name)
            if default is not None:
                defaults.setdefault(name, {}).setdefault(default, []).append(key)
    return "\n".join(_block(name, keys, defaults.get(name, {})) for name, keys in sorted(packages.items()))


def _block(name: str, packages: list[str], defaults: Mapping[str, list[str]]) -> str:
    if not defaults:
        return f"{_comment(packages)}{name}=\n"
    if len(defaults) > 1:
        return "".join(_comment(keys, default) for default, keys in defaults.items()) + f"#{name}=\n"
    (default,) = defaults
    value = _value(default)
    if value is None:
        return f"{_comment(packages, default)}#{name}=\n"
    return f"{_comment(packages)}{name}={value}\n"


def _comment(packages: list[str], default: str | None = None) -> str:
    text = ", ".join(packages) + (f": default {default}" if default is not None else "")
    return fill(text, 100, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False) + "\n"


def _value(default: str) -> str | None:
    """A literal of an expression as a value of a `.env` file; None when it is something else."""
    literal = _LITERAL.match(default)
    if literal is None:
        return None
    text = next(part for part in literal.groups() if part is not None)
    if text == "" or _BARE.match(text):
        return text
    return None if re.search(r"['\n\r]", text) else f"'{text}'"
