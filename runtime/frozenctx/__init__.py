"""Renders compiled prompt packages. Standard library only.

    prompts = frozenctx.load("dist/prompts")
    prompts["briefs/draft"].messages(title="Acme")
"""

from . import errors as errors
from .errors import FrozenctxError as FrozenctxError
from .format import VERSION as __version__
from .prompt import Prompt as Prompt
from .prompt import Settings as Settings
from .prompts import Prompts as Prompts
from .prompts import load as load

__all__ = ["FrozenctxError", "Prompt", "Prompts", "Settings", "__version__", "errors", "load"]
