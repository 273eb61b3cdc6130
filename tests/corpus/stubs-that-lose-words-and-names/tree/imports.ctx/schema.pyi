from .. import shared as Input
from shared import *
from shared import Reply as Output, Thing


class Thing:
    x: int
