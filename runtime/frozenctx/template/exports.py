"""What a template exports to others, and what stands for a context where there is none."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Template
    from .context import Context
    from .markup import Markup


class TemplateModule:
    """What a template exports, as attributes; as text, what it renders."""

    def __init__(self, template: "Template", context: "Context") -> None:
        self._body_stream = list(template.root_render_func(context))
        self.__dict__.update(context.get_exported())
        self.__name__ = template.name

    def __html__(self) -> "Markup":
        from .markup import Markup

        return Markup("".join(self._body_stream))

    def __str__(self) -> str:
        return "".join(self._body_stream)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__!r}>"


class NoContext:
    """What has an environment, and becomes a context of the template without variables when it is asked for more."""

    def __init__(self, template: "Template") -> None:
        self.environment = template.engine
        self._template = template

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            return getattr(self._template.context_of({}, {}), name)
