"""Renders compiled prompt packages. Standard library only.

    prompts = frozenctx.load("dist/prompts")
    prompts["briefs/draft"].messages(title="Acme")
"""

from .prompts import load as load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import errors as errors
    from .encoded import Template as Template
    from .encoded import load_template as load_template
    from .errors import FrozenctxError as FrozenctxError
    from .format import VERSION as __version__
    from .prompts import Prompt as Prompt
    from .prompts import Prompts as Prompts
    from .settings import Settings as Settings
    from .skills import Skill as Skill
    from .skills import Skills as Skills
    from .tools import Tool as Tool
else:
    # What rendering a prompt does not need is imported when someone asks for it.
    _LATER = {
        "FrozenctxError": ("errors", "FrozenctxError"),
        "Prompt": ("prompts_rest", "Prompt"),  # whole, for whoever looks at the class itself
        "Prompts": ("prompts_rest", "Prompts"),
        "Settings": ("settings", "Settings"),
        "Skill": ("skills", "Skill"),
        "Skills": ("skills", "Skills"),
        "Template": ("encoded", "Template"),
        "Tool": ("tools", "Tool"),
        "__version__": ("format", "VERSION"),
        "load_template": ("encoded", "load_template"),
    }

    def __getattr__(name):
        if name == "errors":
            return __import__(f"{__name__}.errors", fromlist=["errors"])
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = _LATER[name]
        return getattr(__import__(f"{__name__}.{module}", fromlist=[attribute]), attribute)


__all__ = [
    "FrozenctxError", "Prompt", "Prompts", "Settings", "Skill", "Skills", "Template", "Tool", "__version__",
    "errors", "load", "load_template",
]  # fmt: skip
