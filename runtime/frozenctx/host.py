"""What the host program supplies: filters, tests, globals and renderers that packages ask for.

In: what was given to `load`, by kind and name. Out: what the packages need of it. What none of them needs is ignored,
but nothing built in can be replaced that way.
"""

from .errors import HostNamesMissing
from .template.language import FILTERS, GLOBALS, TESTS
from .words import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .objects import Objects
    from .pack import Pack

_BUILT_IN: "dict[str, Mapping[str, Any]]" = {"filter": FILTERS, "test": TESTS, "global": GLOBALS}


def wanted(contents: "Objects | Pack", given: "Mapping[str, Mapping[str, Any] | None]") -> "dict[str, dict[str, Any]]":
    """Return by kind what the packages need. Raises HostNamesMissing, TypeError, ValueError."""
    for kind, supplied in given.items():
        if supplied is not None and not hasattr(supplied, "keys"):
            raise TypeError(f"{kind}s= takes a mapping of names, not {type(supplied).__name__}")
    taken: dict[str, dict[str, Any]] = {}
    lacking = []
    for host_name in contents.host_names:
        kind, _, name = host_name.partition(":")
        supplied = given[kind]
        if supplied is None or name not in supplied:
            lacking.append(f"the {kind} `{name}` ({listed(contents.keys_that_need(host_name))})")
        elif kind != "global" and not callable(supplied[name]):
            raise TypeError(f"the {kind} `{name}` is not callable: {supplied[name]!r}")
        else:
            taken.setdefault(kind, {})[name] = supplied[name]
    if lacking:
        raise HostNamesMissing(f"packages need of the host program: {'; '.join(lacking)}. Pass them to `load`")
    for kind, built_in in _BUILT_IN.items():
        for name in sorted((given[kind] or {}).keys() - taken.get(kind, {}).keys()):
            if name in built_in:
                raise ValueError(f"the {kind} `{name}` is built in, and no package asks the host for it")
    return taken


def renderer(supplied: "Mapping[str, Any]", name: str) -> "Callable[[dict[str, Any]], str]":
    """Return the function that renders a role by a renderer of the host."""
    if name not in supplied:
        raise HostNamesMissing(f"the renderer `{name}` comes from the host program, and there is none here")
    render = supplied[name]

    def part(variables: "dict[str, Any]") -> str:
        text = render(dict(variables))
        if not isinstance(text, str):
            raise TypeError(f"the renderer `{name}` returned {type(text).__name__}, not str")
        return text

    return part
