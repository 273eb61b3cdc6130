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

    def __getattr__(name):  # the others are imported when someone asks for them
        from .halves import exported

        return exported(name)


__all__ = [
    "FrozenctxError", "Prompt", "Prompts", "Settings", "Skill", "Skills", "Template", "Tool", "__version__",
    "errors", "load", "load_template",
]  # fmt: skip
