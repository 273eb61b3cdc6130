from functools import cache

from elsewhere import *


@cache
def sample():
    return []
