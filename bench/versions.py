"""Which versions a benchmark ran with: of the interpreter and of packages. Nothing about the machine."""

import platform
from importlib.metadata import PackageNotFoundError, version


def versions(*packages: str) -> dict[str, str]:
    """Interpreter and packages → version, `not installed` for what is not there."""
    found = {platform.python_implementation(): platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = _own() if package == "frozenctx" else "not installed"
    return found


def line(*packages: str) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions(*packages).items())


def _own() -> str:
    """A checkout that is on the path without being installed."""
    from frozenctx.format import VERSION

    return VERSION
