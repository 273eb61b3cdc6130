"""From a stored Struct to its bytes and its name. The bytes are the name: sha256 of what is stored.

JSON as msgspec writes it: no blanks, UTF-8, keys in the order given and never sorted.
"""

from math import isfinite
from typing import Any

import msgspec
from frozenctx.objects import sha256_hex as sha256_hex

from .objects import Stored

Path = tuple[str | int, ...]


class NotJson(ValueError):
    """A value that JSON cannot hold: `path` says where in the data, the message what."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


def encode(struct: Stored) -> bytes:
    """Return the bytes that are stored. What is inside must be JSON data: see `require_json`."""
    return msgspec.json.encode(struct)


def require_json(value: Any, path: Path = ()) -> None:
    """Raise NotJson unless `value` is JSON data: what is written comes back the same, and is the same everywhere."""
    if value is None or type(value) in (bool, int):
        return
    if type(value) is float:
        if not isfinite(value):
            raise NotJson(path, f"`{value}` is no JSON number")
    elif type(value) is str:
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise NotJson(path, f"the text holds half a character (`\\u{ord(value[error.start]):04x}`)") from None
    elif type(value) is list:
        for index, item in enumerate(value):
            require_json(item, (*path, index))
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotJson(path, f"the key `{key}` is not text")
            require_json(key, path)
            require_json(item, (*path, key))
    else:
        raise NotJson(path, f"a value of type {type(value).__name__} is not JSON data")
