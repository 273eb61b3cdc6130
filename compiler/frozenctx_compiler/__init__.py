"""The build-time compiler of frozenctx. Importing this imports nothing; the names load on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .api import CompileError as CompileError
    from .api import build as build
    from .api import check as check
    from .api import load as load

__all__ = ["CompileError", "build", "check", "load"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from . import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
