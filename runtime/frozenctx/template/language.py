"""All filters, tests and globals of the language by name, loaded: for those who ask what there is."""

from . import Names

FILTERS, TESTS, GLOBALS = (Names(kind).all() for kind in ("filters", "tests", "globals"))
