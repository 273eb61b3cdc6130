"""The other half of `Template`: what most renderings do without, loaded when something of it is asked for.

In: a template. Out: `TemplateRest` has its modules where these differ from rendering to rendering, its text in pieces,
its root function and a context for callers that want these, and other templates by several names.
"""

from . import Template, made
from .engine import Absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Iterator, Mapping
    from typing import Any

    from . import TemplateModule
    from .context import Block, Context
    from .engine import Engine

def current() -> "ContextVar[dict[Template, TemplateModule] | None]":
    """Return the variable with the modules of renderings."""
    if not made:
        from _contextvars import ContextVar

        made.setdefault(None, ContextVar("frozenctx_modules", default=None))
    return made[None]


class TemplateRest:
    """See the module."""

    if TYPE_CHECKING:
        engine: Engine
        constant: bool
        _bound: tuple[Any, ...] | None
        _globals: Mapping[str, Any] | None

        def _kept_module(self) -> TemplateModule: ...

        def make_module(self, vars: Mapping[str, Any] | None = None) -> TemplateModule: ...

        def exported(self, own: dict[str, Any]) -> list[str]: ...

        def _parts(self) -> tuple[Any, ...]: ...

        @property
        def root_render_func(self) -> Block: ...

        @property
        def globals(self) -> Mapping[str, Any]: ...

        def new_context(
            self, vars: Mapping[str, Any] | None = None, shared: bool = False, locals: Mapping[str, Any] | None = None
        ) -> Context: ...

        def get_template(self, name: Any) -> Template: ...

    def generate(self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "Iterator[str]":
        """Yield the text in pieces; how it is cut is not promised."""
        root = self.root_render_func
        context = self.new_context(dict(variables or (), **more))
        # All at once: between pieces the caller's own renderings may run.
        token = current().set({})
        try:
            pieces = list(root(context))
        finally:
            current().reset(token)
        yield from pieces

    def with_context(self, context: "Context") -> "list[str]":
        """Do what the root function does that takes no context, for callers that have one."""
        own: dict[str, Any] = {}
        text = self._parts()[0](context.get_all(), own)
        context.vars.update(own)
        context.exported_vars.update(self.exported(own))
        return [text] if isinstance(text, str) else text

    @property
    def module(self) -> "TemplateModule":
        """What the template exports when rendered without variables. Made once, and kept for calls from outside of
        renderings; those have their own, unless there are only macros and constants in it."""
        if self.constant or not made or current().get() is None:
            return self._kept_module()
        return self._get_default_module()

    def _get_default_module(self, context: "Context | None" = None) -> "TemplateModule":
        # Globals that only the importing template has are not in the module that is kept.
        if context is not None:
            extra = context.globals_keys - self.globals.keys()
            if extra:
                return self.make_module({name: context.parent[name] for name in sorted(extra)})
        if self.constant:
            return self._kept_module()
        known = current().get()
        if known is None:  # the first that this rendering needs
            current().set(known := {})
        module = known.get(self)  # type: ignore[call-overload]
        if module is None:
            module = known[self] = self.make_module()  # type: ignore[index]
        return module  # type: ignore[no-any-return]

    def imported_by(self, importer: "Template") -> "TemplateModule":
        """What the template exports to one that imports it without its variables."""
        extra = importer.globals.keys() - self.globals.keys() if importer._globals is not self._globals else ()
        if extra:
            return self.make_module({name: importer.globals[name] for name in sorted(extra)})
        return self._get_default_module()

    def context_of(self, variables: "dict[str, Any]", own: "dict[str, Any]") -> "Context":
        """Return the context of a rendering that went without: `own` is what its top level has set so far."""
        context = self.new_context(variables)
        context.vars.update(own)
        return context

    def select_template(self, names: "Any") -> "Template":
        from ..errors import TemplateNotFound, TemplatesNotFound, UndefinedError

        if isinstance(names, Absent):
            names._fail_with_undefined_error()
        if not names:
            raise TemplatesNotFound(message="Tried to select from an empty list of templates.")
        for name in names:
            try:
                return self.get_template(name)
            except (TemplateNotFound, UndefinedError):
                pass
        raise TemplatesNotFound(names)

    def get_or_select_template(self, name_or_names: "Any") -> "Template":
        if isinstance(name_or_names, (str, Absent, Template)):
            return self.get_template(name_or_names)
        return self.select_template(name_or_names)
