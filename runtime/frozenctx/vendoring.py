"""The runtime as a folder beside the artifacts, with bytecode that no start has to check or write.

In: where the folder goes. Out: a copy of this package, byte for byte, and for the running interpreter `.pyc` files of
all optimisation levels with unchecked hashes: whatever a file system or an image builder does to times, they are used.
"""

import os

from .errors import LoadError
from .format import RUNTIME

LEVELS = (0, 1, 2)  # python, python -O, python -OO


def vendor(root: str) -> str:
    """Put the runtime into an output directory and return the folder to add to `sys.path`. What is there and equal
    stays; a folder that differs is replaced as a whole."""
    source = os.path.dirname(os.path.abspath(__file__))
    folder = f"{root}/{RUNTIME}"
    target = f"{folder}/frozenctx"
    wanted = _files(source)
    if not wanted:
        raise LoadError(f"the runtime in `{source}` cannot be copied: it is not a folder of files")
    if (_files(target) if os.path.isdir(target) else None) != wanted:
        fresh = f"{folder}/.new-{os.getpid()}"
        for name, data in wanted.items():
            os.makedirs(os.path.dirname(f"{fresh}/{name}"), exist_ok=True)
            with open(f"{fresh}/{name}", "wb") as file:
                file.write(data)
        old = f"{folder}/.old-{os.getpid()}"
        if os.path.isdir(target):
            os.rename(target, old)
        os.rename(fresh, target)
        if os.path.isdir(old):
            import shutil

            shutil.rmtree(old)
    compile_runtime(target)
    return folder


def compile_runtime(folder: str) -> None:
    """Write the `.pyc` files of the running interpreter for the runtime in `folder`. That they cannot be written is an
    error only when one is not there or of another module."""
    from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
    from py_compile import PycInvalidationMode, compile

    for name, data in _files(folder).items():
        if name.endswith(".py"):
            for level in LEVELS:
                # The name in tracebacks is the one below the folder: the same bytes wherever it is built.
                try:
                    compile(
                        f"{folder}/{name}",
                        dfile=f"frozenctx/{name}",
                        doraise=True,
                        optimize=level,
                        invalidation_mode=PycInvalidationMode.UNCHECKED_HASH,
                    )
                except OSError:
                    expected = MAGIC_NUMBER + b"\1\0\0\0" + source_hash(data)
                    bytecode = cache_from_source(f"{folder}/{name}", optimization=level or "")
                    if not os.path.isfile(bytecode) or open(bytecode, "rb").read(16) != expected:  # noqa: SIM115
                        raise


def _files(folder: str) -> "dict[str, bytes]":
    """The files of a copy of the runtime, by name below `folder`, without bytecode."""
    found = {}
    for directory, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if name != "__pycache__")
        for name in sorted(files):
            path = f"{directory}/{name}"
            if name.endswith(".py") or name in ("LICENSE", "py.typed"):
                with open(path, "rb") as file:
                    found[path[len(folder) + 1 :]] = file.read()
    return found
