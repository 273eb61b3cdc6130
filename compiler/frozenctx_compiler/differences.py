"""Where the releases of several profiles differ: prompts that only some have, and what is not the same in the others.

In: profile → prompts, loaded. Out: data that says for each prompt and each part of it which profiles have what. Two
prompts with one digest are the same; their identities say why two are not (CTX-FORMAT §3: all that a provider can
notice), and what is left are parts that no provider sees.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frozenctx import Prompt, Prompts


@dataclass(frozen=True, slots=True)
class Difference:
    """`part`: `prompt` when not every profile has it, else a key of the identity, `meta`, or `programs`. `values`:
    profile → what it has there, None for nothing."""

    key: str
    part: str
    values: Mapping[str, Any]


def differences(releases: Mapping[str, Prompts]) -> list[Difference]:
    """All differences, sorted by key; within a prompt in the order of its identity."""
    found: list[Difference] = []
    for key in sorted({key for prompts in releases.values() for key in prompts}):
        of = {profile: prompts.get(key) for profile, prompts in releases.items()}
        if None in of.values():
            found.append(Difference(key, "prompt", {name: each and each.version for name, each in of.items()}))
            continue
        if len({each.digest for each in of.values() if each}) == 1:
            continue
        parts = {profile: _parts(prompt) for profile, prompt in of.items() if prompt}
        for part in dict.fromkeys(part for each in parts.values() for part in each):
            values = {profile: each.get(part) for profile, each in parts.items()}
            if any(value != next(iter(values.values())) for value in values.values()):
                found.append(Difference(key, part, values))
    return found


def _parts(prompt: Prompt) -> dict[str, Any]:
    return {**prompt.identity, "meta": prompt.meta, "programs": prompt.programs()}
