"""One release as one file, for one interpreter: what a cold start reads instead of objects.

In: a file that can be read at any offset, and the release that it must hold. Out: prompts by key, found by reading a
few pages of a sorted index, and the code of programs, not compiled again. FORMAT.md describes the bytes.

Nothing is unmarshalled before it is checked: the first line says for which interpreter and release the pack is, and
whoever points to a slice has its check sum, from the head down. They find damage, not tampering.
"""

from _imp import source_hash
from marshal import loads

from .format import FEATURES, PACK_KEY, pack_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

    from .errors import Damaged
    from .protocols import File

    Slice = tuple[int, int, bytes]  # offset behind the head, size, check sum

FIRST = 4096  # bytes that are read at once; nearly every head fits
FIXED = 28  # bytes between first line and body: check sum of the head, check sum of the rest, size, length of the body


class Pack:
    """The contents of a release, from its pack. `_pages`: those of the indexes that were read."""

    __slots__ = (
        "file", "hex", "needs", "host_names", "count", "_host_keys", "_keys", "_names", "_base", "_pages", "_programs",
    )  # fmt: skip
    kind = "pack"

    def __init__(self, file: "File", hexdigits: str, interpreter: str) -> None:
        line = pack_line(hexdigits, interpreter)
        data = file.read(0, FIRST)
        start = len(line)
        fixed = data[start : start + FIXED]
        if not data.startswith(line) or len(fixed) < FIXED:
            raise _damaged(file, "it begins with another line than its name asks for")
        end = start + FIXED + int.from_bytes(fixed[24:], "little")
        if FIRST < end <= file.size:
            data = file.read(0, end)
        if source_hash(PACK_KEY, line + data[start + 8 : end]) != fixed[:8] or len(data) < end:
            raise _damaged(file, "its head has another check sum")
        if file.size != int.from_bytes(fixed[16:24], "little"):
            raise _damaged(file, f"it has {file.size} bytes and should have {int.from_bytes(fixed[16:24], 'little')}")
        self.file = file
        self.hex = hexdigits
        _writer, self.needs, self.host_names, self._host_keys, self.count, self._keys, self._names = loads(
            data[start + FIXED : end]
        )
        if any(need.partition(" ")[0] not in FEATURES for need in self.needs):
            from .objects import require_features

            require_features(file.where, hexdigits, self.needs)
        self._base = end
        self._pages: dict[int, Any] = {}
        self._programs: dict[str, Slice] = {}

    def _bytes(self, place: "Slice") -> bytes:
        offset, size, check = place
        data = self.file.read(self._base + offset, size)
        if source_hash(PACK_KEY, data) != check:
            raise _damaged(self.file, f"the {size} bytes at {self._base + offset} have another check sum")
        return data

    # The indexes: trees of pages `(level, keys, values)`. On level 0 a value belongs to its key; above, it is the
    # page of the keys from its key on.

    def _page(self, place: "Slice") -> "Any":
        page = self._pages.get(place[0])
        if page is None:
            page = self._pages.setdefault(place[0], loads(self._bytes(place)))
        return page

    def _find(self, tree: "Slice", key: str) -> "Any":
        """Return what the tree has at `key`, or None."""
        place: Any = tree
        while True:
            level, keys, values = self._page(place)
            low, high = 0, len(keys)
            while low < high:
                middle = (low + high) // 2
                if keys[middle] <= key:
                    low = middle + 1
                else:
                    high = middle
            if not low or (not level and keys[low - 1] != key):
                return None
            place = values[low - 1]
            if not level:
                return place

    def _walk(self, place: "Slice") -> "Iterator[str]":
        level, keys, values = self._page(place)
        if level:
            for value in values:
                yield from self._walk(value)
        else:
            yield from keys

    # What a release holds

    def keys(self) -> "Iterator[str]":
        return self._walk(self._keys)

    def names(self) -> "Iterator[str]":
        return self._walk(self._names)

    def has(self, key: "Any") -> bool:
        return isinstance(key, str) and self._find(self._keys, key) is not None

    def keys_named(self, name: "Any") -> "list[str]":
        """Return the keys of the prompts with this name, sorted."""
        return list(self._find(self._names, name) or ()) if isinstance(name, str) else []

    def keys_that_need(self, host_name: str) -> "list[str]":
        return loads(self._bytes(self._host_keys))[host_name]  # type: ignore[no-any-return]

    def head(self, key: "Any") -> "dict[str, Any] | None":
        """Return what rendering needs of the prompt object, and where the rest is; None if there is no such prompt."""
        place = self._find(self._keys, key) if isinstance(key, str) else None
        if place is None:
            return None
        head, programs = loads(self._bytes(place))
        self._programs.update(programs)
        return head  # type: ignore[no-any-return]

    def rest(self, head: "dict[str, Any]") -> "dict[str, Any]":
        """Return the other fields of the prompt object."""
        rest: dict[str, Any] = loads(self._bytes(head["rest"]))
        if rest["identity"].get("system", "") is None:  # a literal text is stored once, with the message
            places = [message["text"] for message in head["messages"] if message["role"] == "system"]
            rest["identity"]["system"] = self.text(places[-1])
        return rest

    def text(self, place: "Any") -> str:
        return self._bytes(place).decode()

    def skill(self, entry: "dict[str, Any]") -> "dict[str, Any]":
        """Return the skill that an entry of a prompt refers to, with the slices of its files."""
        return loads(self._bytes(entry["skill"]))  # type: ignore[no-any-return]

    def resource(self, place: "Slice", what: str) -> bytes:
        return self._bytes(place)

    def code(self, digest: str, what: str) -> "CodeType":
        code = loads(self._bytes(self._programs[digest]))
        if type(code) is str:  # the text of a program whose code could not be marshalled
            from .template.text import compile_program

            return compile_program(code)
        return code  # type: ignore[no-any-return]


def _damaged(file: "File", reason: str) -> "Damaged":
    from .errors import Damaged

    return Damaged(f"the pack `{file.where}` is damaged: {reason}")
