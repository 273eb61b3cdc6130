"""What `--host MODULE:NAME` names: a module of the user's own, for `render` and `test` (docs/commands.md).

In: the words behind the option. Out: what `frozenctx.load` takes of a host program: filters, tests, globals, renderers.
The invariant: nothing but this option brings the module in; no package, and no file of a tree, can name one.
"""

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .check_document import all_of
from .spelling import did_you_mean

KINDS: Final = ("filters", "tests", "globals", "renderers")


class NoHost(Exception):
    """The option names nothing that could be a host. The message is a clause about it."""


def host_of(named: str) -> dict[str, Mapping[str, Any]]:
    """The options of `frozenctx.load` that `MODULE:NAME` stands for: a mapping with some of KINDS as keys, or anything
    with attributes of those names; `MODULE` alone is the module itself.

    Modules are looked for as Python does, and in the current directory first. Raises NoHost.
    """
    module, colon, name = named.partition(":")
    parts = [*module.split("."), *(name.split(".") if colon else ())]
    if not all(part.isidentifier() for part in parts):
        raise NoHost(f"expected MODULE:NAME, found `{named}`")
    found = _imported(module)
    for part in name.split(".") if colon else ():
        if not hasattr(found, part):
            known = [each for each in dir(found) if not each.startswith("_")]
            hint = did_you_mean(part, known, "")
            raise NoHost(f"`{module}` has no `{name}`" + (f"; {hint}" if hint else ""))
        found = getattr(found, part)
    host = dict(_parts(named, found))
    if not host:
        raise NoHost(f"`{named}` has none of {all_of(list(KINDS))}")
    return host


def _imported(module: str) -> Any:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise NoHost(f"`{module}` imports `{error.name}`, which there is not") from error
        raise NoHost(f"there is no module `{error.name}`") from error
    except Exception as error:  # of the module, when it is executed
        raise NoHost(f"`{module}` cannot be imported: {type(error).__name__}: {error}") from error


def _parts(named: str, found: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(found, Mapping):
        for key in found:
            if key not in KINDS:
                hint = did_you_mean(str(key), KINDS, f"it may have {all_of(list(KINDS))}")
                raise NoHost(f"`{named}` has the key `{key}`; {hint}")
    for kind in KINDS:
        part = found.get(kind) if isinstance(found, Mapping) else getattr(found, kind, None)
        if part is None:
            continue
        if not isinstance(part, Mapping):
            raise NoHost(f"`{kind}` of `{named}` must be a mapping of names, found {type(part).__name__}")
        yield kind, part
