"""Samples: composed nodes → the variables a template is tried with and what the text must hold (CTX-FORMAT §2).

In: a package's SampleFiles. Out: Samples, in the order given. Samples hold no expressions, and every scalar has one
meaning, as in settings.
"""

from collections.abc import Iterable
from typing import Any

from .diagnostics import Scope, Span
from .package import Located, Sample, SampleFile
from .yamltree import Path, plain, span_of

_KEYS = ("variables", "description", "expect")
_ROLES = ("system", "user")
_EXPECTATIONS = ("contains", "not_contains", "max_chars")


def check_samples(files: Iterable[SampleFile], scope: Scope) -> tuple[Sample, ...]:
    """The samples without a fault; the faults of the others are reported."""
    samples = []
    for file in files:
        located = plain(file.node, file.file, scope)
        if located is None:
            continue
        sample = _Checker(file.name, located, scope, span_of(file.node, file.file)).sample()
        if sample is not None:
            samples.append(sample)
    return tuple(samples)


class _Checker:
    __slots__ = ("located", "name", "scope", "sound", "start")

    def __init__(self, name: str, located: Located, scope: Scope, start: Span) -> None:
        self.name, self.located, self.scope, self.start = name, located, scope, start
        self.sound = True

    def fault(self, path: Path, headline: str, help: str | None = None, *, key: bool = False) -> None:
        self.sound = False
        place = self.located.keys if key else self.located.spans
        self.scope.add("bad-sample", headline, place.get(path, self.start), help=help)

    def sample(self) -> Sample | None:
        content = self.located.value
        if not isinstance(content, dict):
            self.fault((), f"the sample `{self.name}` must be a mapping with `variables`")
            return None
        self.known(content, _KEYS, (), f"the sample `{self.name}`")
        variables: dict[str, Any] = {}
        if "variables" not in content:
            self.fault((), f"the sample `{self.name}` has no `variables`", "write `variables: {}` when it needs none")
        elif not isinstance(content["variables"], dict):
            self.fault(("variables",), "`variables` must be a mapping of names to values")
        else:
            variables = content["variables"]
            for name in variables:
                if not isinstance(name, str):
                    self.fault(("variables", name), f"the variable `{name}` is not named by a string", key=True)
        description = content.get("description")
        if description is not None and not isinstance(description, str):
            self.fault(("description",), "`description` must be a string")
            description = None
        expect = self.expect(content.get("expect"))
        return Sample(self.name, variables, description or "", expect) if self.sound else None

    def expect(self, expect: object) -> dict[str, Any]:
        if expect is None:
            return {}
        if not isinstance(expect, dict):
            self.fault(("expect",), "`expect` must be a mapping with `system` or `user`")
            return {}
        self.known(expect, _ROLES, ("expect",), "`expect`")
        for role in _ROLES:
            wanted = expect.get(role)
            if wanted is None:
                continue
            path: Path = ("expect", role)
            if not isinstance(wanted, dict):
                self.fault(path, f"`expect.{role}` must be a mapping of {_listed(_EXPECTATIONS)}")
                continue
            self.known(wanted, _EXPECTATIONS, path, f"`expect.{role}`")
            for name in ("contains", "not_contains"):
                texts = wanted.get(name)
                if texts is None:
                    continue
                if not isinstance(texts, list):
                    self.fault((*path, name), f"`{name}` must be a list of strings", "write `[…]` around it")
                    continue
                for index, text in enumerate(texts):
                    if not isinstance(text, str) or not text:
                        self.fault((*path, name, index), f"`{name}` holds strings that are not empty", "quote it")
            most = wanted.get("max_chars")
            if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
                self.fault((*path, "max_chars"), "`max_chars` must be an integer of 0 or more")
        return {role: wanted for role, wanted in expect.items() if wanted is not None}

    def known(self, content: dict[Any, Any], names: tuple[str, ...], path: Path, where: str) -> None:
        for name in content:
            if name not in names:
                self.fault((*path, name), f"{where} has no key `{name}`", f"it knows {_listed(names)}", key=True)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`"
