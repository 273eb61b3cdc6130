"""What packs are asked for besides prompts that render: the other half of `Pack`, loaded when something of it is asked
for. See `pack`."""

from marshal import loads

from .errors import Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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

    def _damaged(self, file: "File", reason: str) -> Damaged:
        return Damaged(f"the pack `{file.where}` is damaged: {reason}")
