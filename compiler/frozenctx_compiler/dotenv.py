"""What packages ask `$env` for, as a `.env` file that a build accepts.

In: for each package key what it asked for. Out: text. A name with a literal default is set to it; a name that has
no default is set to nothing and has to be filled in; anything else (`null`, a nested look-up, defaults that differ
between packages) stays a comment, because a value there would change what the packages mean.
"""

import re
from collections.abc import Mapping

from .package import EnvUse

_LITERAL = re.compile(r"""(?:"([^"\\]*)"|'([^'\\]*)'|(-?\d[\d.eE+-]*|true|false|True|False))\Z""")
_BARE = re.compile(r"[A-Za-z0-9_./:@,+=%-]*\Z")


def dotenv(uses: Mapping[str, EnvUse]) -> str:
    """One block a name, sorted by name: a comment that names the packages, then the line."""
    packages: dict[str, list[str]] = {}
    defaults: dict[str, dict[str, None]] = {}
    for key, use in sorted(uses.items()):
        for name in sorted({*use.found, *use.defaulted, *use.missing}):
            packages.setdefault(name, []).append(key)
            if name in use.defaulted:
                defaults.setdefault(name, {})[use.defaulted[name]] = None
    blocks = []
    for name, keys in sorted(packages.items()):
        blocks.append(f"# {', '.join(keys)}\n" + _line(name, list(defaults.get(name, ()))))
    return "\n".join(blocks)


def _line(name: str, defaults: list[str]) -> str:
    if not defaults:
        return f"{name}=\n"
    if len(defaults) > 1:
        return "".join(f"# {name}=  (default there: {default})\n" for default in defaults)
    literal = _LITERAL.match(defaults[0])
    value = None if literal is None else next(part for part in literal.groups() if part is not None)
    if value is None or (not _BARE.match(value) and re.search(r"['\n\r]", value)):
        return f"# {name}=  (default: {defaults[0]})\n"
    return f"{name}={value}\n" if _BARE.match(value) else f"{name}='{value}'\n"
