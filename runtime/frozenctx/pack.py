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
    from types import CodeType
    from typing import Any

    from .pack_rest import PackRest
    from .protocols import File

    Slice = tuple[int, int, bytes]  # offset behind the head, size, check sum
else:
    PackRest = object

FIRST = 4096  # bytes that are read at once; nearly every head fits
FIXED = 28  # bytes between first line and body: check sum of the head, check sum of the rest, size, length of the body


class Pack(PackRest):
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
            raise self._damaged(file, "it begins with another line than its name asks for")
        end = start + FIXED + int.from_bytes(fixed[24:], "little")
        if FIRST < end <= file.size:
            data = file.read(0, end)
        if source_hash(PACK_KEY, line + data[start + 8 : end]) != fixed[:8] or len(data) < end:
            raise self._damaged(file, "its head has another check sum")
        if file.size != int.from_bytes(fixed[16:24], "little"):
            size = int.from_bytes(fixed[16:24], "little")
            raise self._damaged(file, f"it has {file.size} bytes and should have {size}")
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
            raise self._damaged(self.file, f"the {size} bytes at {self._base + offset} have another check sum")
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

    # What a release holds

    def head(self, key: "Any") -> "dict[str, Any] | None":
        """Return what rendering needs of the prompt object, and where the rest is; None if there is no such prompt."""
        place = self._find(self._keys, key) if isinstance(key, str) else None
        if place is None:
            return None
        head, programs = loads(self._bytes(place))
        self._programs.update(programs)
        return head  # type: ignore[no-any-return]

    def text(self, place: "Any") -> str:
        return self._bytes(place).decode()

    def code(self, digest: str, what: str) -> "CodeType":
        code = loads(self._bytes(self._programs[digest]))
        if type(code) is str:  # the text of a program whose code could not be marshalled
            from .template.text import compile_program

            return compile_program(code)
        return code  # type: ignore[no-any-return]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from .halves import member
            from .pack_rest import PackRest

            return member(PackRest, self, name)
