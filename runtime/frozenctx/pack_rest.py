"""What packs are asked for besides prompts that render: the other half of `Pack`, loaded when something of it is asked
for. See `pack`."""

from marshal import loads

from .errors import Damaged
from .pack import FIXED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any, NoReturn

    from .pack import Slice
    from .protocols import File


class PackRest:
    """See the module."""

    def keys(self: "Any") -> "Iterator[str]":
        return self._walk(self._keys)  # type: ignore[no-any-return]

    def names(self: "Any") -> "Iterator[str]":
        return self._walk(self._names)  # type: ignore[no-any-return]

    def has(self: "Any", key: "Any") -> bool:
        return isinstance(key, str) and self._find(self._keys, key) is not None

    def keys_named(self: "Any", name: "Any") -> "list[str]":
        """Return the keys of the prompts with this name, sorted."""
        return list(self._find(self._names, name) or ()) if isinstance(name, str) else []

    def keys_that_need(self: "Any", host_name: str) -> "list[str]":
        return loads(self._bytes(self._host_keys))[host_name]  # type: ignore[no-any-return]

    def _walk(self: "Any", place: "Slice") -> "Iterator[str]":
        level, keys, values = self._page(place)
        if level:
            for value in values:
                yield from self._walk(value)
        else:
            yield from keys

    def rest(self: "Any", head: "dict[str, Any]") -> "dict[str, Any]":
        """Return the other fields of the prompt object."""
        rest: dict[str, Any] = loads(self._bytes(head["rest"]))
        if rest["identity"].get("system", "") is None:  # a literal text is stored once, with the message
            places = [message["text"] for message in head["messages"] if message["role"] == "system"]
            rest["identity"]["system"] = self.text(places[-1])
        return rest

    def skill(self: "Any", entry: "dict[str, Any]") -> "dict[str, Any]":
        """Return the skill that an entry of a prompt refers to, with the slices of its files."""
        return loads(self._bytes(entry["skill"]))  # type: ignore[no-any-return]

    def resource(self: "Any", place: "Slice", what: str) -> bytes:
        return self._bytes(place)  # type: ignore[no-any-return]

    def _compiled(self, text: str) -> "CodeType":
        """Return the code of a program that the pack has as text, because its code could not be marshalled."""
        from .template.text import compile_program

        return compile_program(text)

    def _shown(self: "Any") -> str:
        return f"<the pack {self.file.where}>"

    def _damaged(self, file: "File", reason: str) -> Damaged:
        return Damaged(f"the pack `{file.where}` is damaged: {reason}")

    def _refuse(self, file: "File", begins: bool, fixed: bytes, check: bytes) -> "NoReturn":
        """Raise Damaged because of the head of a pack. `begins`: whether its first line is right; `fixed`: what stands
        behind that; `check`: the check sum."""
        size = int.from_bytes(fixed[16:24], "little")
        if not begins or len(fixed) < FIXED:
            raise self._damaged(file, "it begins with another line than its name asks for")
        if fixed[:8] != check:
            raise self._damaged(file, "its head has another check sum")
        raise self._damaged(file, f"it has {file.size} bytes and should have {size}")
