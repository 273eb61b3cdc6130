"""The other half of `Template`: what most renderings do without, loaded when something of it is asked for.

In: a template. Out: `TemplateRest` has its modules where these differ from rendering to rendering, its text in pieces,
and other templates by several names.
"""

from . import Absent, Template, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .context import Context
    from .sharing import TemplateModule


def current() -> "ContextVar[dict[Template, TemplateModule] | None]":
    """Return the variable with the modules of renderings."""
    if not made:
        from _contextvars import ContextVar

        made.setdefault(None, ContextVar("frozenctx_modules", default=None))
    return made[None]


class TemplateRest:
    """See the module."""

    def generate(self: "Any", variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "Iterator[str]":
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

    @property
    def module(self: "Any") -> "TemplateModule":
        """What the template exports when rendered without variables. Made once, and kept for calls from outside of
        renderings; those have their own, unless there are only macros and constants in it."""
        if self.constant or not made or current().get() is None:
            return self._kept_module()  # type: ignore[no-any-return]
        return self._get_default_module()  # type: ignore[no-any-return]

    def _get_default_module(self: "Any", context: "Context | None" = None) -> "TemplateModule":
        # Globals that only the importing template has are not in the module that is kept.
        if context is not None:
            extra = context.globals_keys - self.globals.keys()
            if extra:
                return self.make_module({name: context.parent[name] for name in sorted(extra)})  # type: ignore[no-any-return]
        if self.constant:
            return self._kept_module()  # type: ignore[no-any-return]
        known = current().get()
        if known is None:  # the first that this rendering needs
            current().set(known := {})
        module = known.get(self)
        if module is None:
            module = known[self] = self.make_module()
        return module

    def imported_by(self: "Any", importer: "Template") -> "TemplateModule":
        """What the template exports to one that imports it without its variables."""
        extra = importer.globals.keys() - self.globals.keys() if importer._globals is not self._globals else ()
        if extra:
            return self.make_module({name: importer.globals[name] for name in sorted(extra)})  # type: ignore[no-any-return]
        return self._get_default_module()  # type: ignore[no-any-return]

    def select_template(self: "Any", names: "Any") -> "Template":
        from ..errors import TemplateNotFound, TemplatesNotFound, UndefinedError

        if isinstance(names, Absent):
            names._fail_with_undefined_error()
        if not names:
            raise TemplatesNotFound(message="Tried to select from an empty list of templates.")
        for name in names:
            try:
                return self.get_template(name)  # type: ignore[no-any-return]
            except (TemplateNotFound, UndefinedError):
                pass
        raise TemplatesNotFound(names)

    def get_or_select_template(self: "Any", name_or_names: "Any") -> "Template":
        if isinstance(name_or_names, (str, Absent, Template)):
            return self.get_template(name_or_names)  # type: ignore[no-any-return]
        return self.select_template(name_or_names)  # type: ignore[no-any-return]
