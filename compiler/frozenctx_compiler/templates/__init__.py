"""Jinja templates to standalone Python programs. Importing this imports nothing; the names load on first use."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .compile import CompiledTemplate as CompiledTemplate
    from .compile import compile_template as compile_template
    from .dialect import CTX as CTX
    from .dialect import HF as HF
    from .dialect import Dialect as Dialect
    from .generate import Lowered as Lowered
    from .generate import lower as lower

_HOMES = {
    "CTX": "dialect",
    "CompiledTemplate": "compile",
    "Dialect": "dialect",
    "HF": "dialect",
    "Lowered": "generate",
    "compile_template": "compile",
    "lower": "generate",
}


__all__ = ["CTX", "HF", "CompiledTemplate", "Dialect", "Lowered", "compile_template", "lower"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
