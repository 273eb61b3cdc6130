"""One opened release: its contents, and what its prompts share.

Nothing is locked: threads that race make the same thing twice, and `dict.setdefault` keeps the first for all.
"""

from .prompt import Prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType
    from typing import Any

    from .objects import Objects
    from .pack import Pack
    from .source import Source
    from .template.engine import Engine


class Release:
    """One opened release. `contents`: its objects, or its pack. `host`: what the host supplies, by kind."""

    __slots__ = ("source", "profile", "contents", "extra", "host", "_prompts", "_codes", "_engine")

    def __init__(self, source: "Source", profile: "str | None", contents: "Objects | Pack") -> None:
        self.source = source
        self.profile = profile
        self.contents = contents
        self.extra = "error"
        self.host: dict[str, dict[str, Any]] = {}
        self._prompts: dict[str, Prompt] = {}
        self._codes: dict[str, CodeType] = {}
        self._engine: dict[None, Engine] = {}

    def take_host_names(self, given: "dict[str, Mapping[str, Any] | None]") -> None:
        """Keep of the host's filters, tests, globals and renderers what the packages need."""
        lacking = []
        for wanted in self.contents.host_names:
            kind, _, name = wanted.partition(":")
            supplied = given[kind]
            if supplied is None or name not in supplied:
                lacking.append(wanted)
            elif kind != "global" and not callable(supplied[name]):
                raise TypeError(f"the {kind} `{name}` is not callable: {supplied[name]!r}")
            else:
                self.host.setdefault(kind, {})[name] = supplied[name]
        if lacking:
            raise _lacking(lacking, self.contents)
        for kind in ("filter", "test", "global"):
            if given[kind]:
                spare = given[kind].keys() - self.host.get(kind, {}).keys()  # type: ignore[union-attr]
                _refuse_builtin(kind, spare)

    def host_renderer(self, name: str) -> "Callable[[dict[str, Any]], str]":
        supplied = self.host.get("renderer") or {}
        if name not in supplied:
            from .errors import HostNamesMissing

            raise HostNamesMissing(f"the renderer `{name}` comes from the host program, and there is none here")
        render: Callable[[dict[str, Any]], str] = supplied[name]
        return render

    def prompt(self, key: "Any") -> "Prompt | None":
        """Return the prompt, always the same object; None if there is no such prompt."""
        prompt = self._prompts.get(key) if isinstance(key, str) else None
        if prompt is None:
            head = self.contents.head(key)
            if head is not None:
                prompt = self._prompts.setdefault(key, Prompt(self, head))
        return prompt

    def code(self, digest: str, what: str) -> "CodeType":
        code = self._codes.get(digest)
        if code is None:
            code = self._codes.setdefault(digest, self.contents.code(digest, what))
        return code

    def engine(self) -> "Engine":
        engine = self._engine.get(None)
        if engine is None:
            from .template.engine import Engine

            host = self.host
            engine = Engine(filters=host.get("filter"), tests=host.get("test"), globals=host.get("global"))
            engine = self._engine.setdefault(None, engine)
        return engine


def _lacking(wanted: "list[str]", contents: "Objects | Pack") -> Exception:
    from .errors import HostNamesMissing
    from .words import listed

    named = [(*name.partition(":"), contents.keys_that_need(name)) for name in wanted]
    needs = "; ".join(f"the {kind} `{name}` ({listed(keys)})" for kind, _, name, keys in named)
    return HostNamesMissing(f"packages need of the host program: {needs}. Pass them to `load`")


def _refuse_builtin(kind: str, spare: "set[str]") -> None:
    from .template.filters import FILTERS
    from .template.globals import GLOBALS
    from .template.tests import TESTS

    builtin: dict[str, dict[str, Any]] = {"filter": FILTERS, "test": TESTS, "global": GLOBALS}
    for name in sorted(spare):
        if name in builtin[kind]:
            raise ValueError(f"the {kind} `{name}` is built in, and no package asks the host for it")
