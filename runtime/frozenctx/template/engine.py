"""Where the engine was: the names of the package, until nothing asks for them here."""

from . import *  # noqa: F403
from . import _KINDS, _seen  # noqa: F401
from .language import FILTERS, GLOBALS, TESTS  # noqa: F401
