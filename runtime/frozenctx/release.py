"""One opened release: where its objects are, and what its prompts share.

Nothing is locked: threads that race make the same thing twice, and `dict.setdefault` keeps the first for all.
"""

from .errors import Damaged, HostNamesMissing
from .format import DIGEST, HOST_KINDS, hex_of
from .objects import listed, read_object, read_release
from .prompt import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType
    from typing import Any

    from .source import Source
    from .template.engine import Engine


class Release:
    """One opened release: where its objects are, and what its prompts share."""

    __slots__ = ("source", "hex", "profile", "entries", "host_names", "extra", "host", "_prompts", "_codes", "_engine")

    def __init__(self, source: "Source", hexdigits: str, profile: "str | None", stored: "dict[str, Any]") -> None:
        self.source = source
        self.hex = hexdigits
        self.profile = profile
        self.extra = "error"
        self.host: dict[str, dict[str, Any]] = {}
        self._prompts: dict[str, Prompt] = {}
        self._codes: dict[str, CodeType] = {}
        self._engine: dict[None, Engine] = {}
        try:
            if type(stored["prompts"]) is not list:
                raise TypeError
            for entry in stored["prompts"]:
                if not type(entry["key"]) is type(entry["name"]) is type(entry["version"]) is str:
                    raise TypeError
            self.entries: dict[str, dict[str, Any]] = {entry["key"]: entry for entry in stored["prompts"]}
            self.host_names: dict[str, list[str]] = stored.get("hostNames") or {}
            if any(name.partition(":")[0] not in HOST_KINDS for name in self.host_names):
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise Damaged(
                f"release {DIGEST}{hexdigits} in `{source.where}` is damaged: not as FORMAT.md says"
            ) from error

    def take_host_names(self, given: "dict[str, Mapping[str, Any] | None]") -> None:
        """Keep of the host's filters, tests, globals and renderers what the packages need."""
        lacking = []
        for wanted, keys in self.host_names.items():
            kind, _, name = wanted.partition(":")
            supplied = given[kind]
            if supplied is None or name not in supplied:
                lacking.append(f"the {kind} `{name}` ({listed(keys)})")
            elif kind != "global" and not callable(supplied[name]):
                raise TypeError(f"the {kind} `{name}` is not callable: {supplied[name]!r}")
            else:
                self.host.setdefault(kind, {})[name] = supplied[name]
        if lacking:
            raise HostNamesMissing(f"packages need of the host program: {'; '.join(lacking)}. Pass them to `load`")
        for kind in ("filter", "test", "global"):
            spare = (given[kind] or {}).keys() - self.host.get(kind, {}).keys()
            if spare:
                _refuse_builtin(kind, spare)

    def host_renderer(self, name: str) -> "Callable[[dict[str, Any]], str]":
        supplied = self.host.get("renderer") or {}
        if name not in supplied:
            raise HostNamesMissing(f"the renderer `{name}` comes from the host program, and there is none here")
        render: Callable[[dict[str, Any]], str] = supplied[name]
        return render

    def prompt(self, key: str) -> "Prompt":
        prompt = self._prompts.get(key)
        if prompt is None:
            prompt = self._prompts.setdefault(key, Prompt(self, self.entries[key]))
        return prompt

    def object(self, digest: "Any", suffix: str, what: str) -> bytes:
        """Return the checked bytes of an object that the release refers to."""
        hexdigits = hex_of(digest)
        if hexdigits is None:
            raise Damaged(f"{what} in `{self.source.where}` is damaged: {digest!r} is no digest")
        try:
            return read_object(self.source, hexdigits, suffix)
        except KeyError:
            pass
        # Prune removes the release object before anything that it leads to.
        read_release(self.source, self.hex)
        raise Damaged(f"{what} in `{self.source.where}` is damaged: the object {digest} is missing")

    def code(self, digest: str, what: str) -> "CodeType":
        code = self._codes.get(digest)
        if code is None:
            from .template.program import compile_program

            data = self.object(digest, ".py", what)
            try:
                code = compile_program(data.decode("ascii"))
            except (SyntaxError, ValueError) as error:
                raise Damaged(f"{what} in `{self.source.where}` is damaged: {error}") from error
            code = self._codes.setdefault(digest, code)
        return code

    def engine(self) -> "Engine":
        engine = self._engine.get(None)
        if engine is None:
            from .template.engine import Engine

            host = self.host
            engine = Engine(filters=host.get("filter"), tests=host.get("test"), globals=host.get("global"))
            engine = self._engine.setdefault(None, engine)
        return engine


def _refuse_builtin(kind: str, spare: "set[str]") -> None:
    if kind == "filter":
        from .template.filters import FILTERS as builtin
    elif kind == "test":
        from .template.tests import TESTS as builtin
    else:
        from .template.globals import GLOBALS as builtin
    for name in sorted(spare):
        if name in builtin:
            raise ValueError(f"the {kind} `{name}` is built in, and no package asks the host for it")
