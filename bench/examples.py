"""The packages of `examples/prompts` as cases of the render benchmark, one sample each.

In: nothing. Out: for each package that has templates, how it is rendered by each engine with its longest sample. Ours
is `Prompt.messages` of the tree compiled in memory; the peers render one template a role and build the same list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import frozenctx_compiler

from bench.baking import before
from bench.engines import Kind, Render

TREE = Path(__file__).parents[1] / "examples" / "prompts"
CATEGORY = "packages"


@dataclass(frozen=True, slots=True)
class Example:
    key: str
    prompt: Any
    """frozenctx.Prompt"""
    variables: Mapping[str, Any]
    roles: tuple[str, ...]
    sources: Mapping[str, str]
    """Its templates by name; those of the roles are named `<role>`."""
    texts: Mapping[str, str]
    data: Mapping[str, Any]


def examples(kind: Kind | None = None) -> list[Example]:
    """Compile the tree and return its packages with templates and samples, sorted by key."""
    compilation = frozenctx_compiler.check(TREE)
    prompts = _prompts(kind)
    made = []
    for package in compilation.packages:
        checked = package.lowered.checked
        read = checked.read
        if not read.roles or not checked.samples:
            continue
        sources = {name: template.text for name, template in read.partials.items()}
        prompt = prompts[read.files.key]
        sources |= {role.role: before(role.role, prompt) + role.template.text for role in read.roles}
        variables = max(
            (sample.variables for sample in checked.samples),
            key=lambda variables: sum(len(message["content"]) for message in prompt.messages(variables)),
        )
        roles = tuple(role.role for role in read.roles)
        made.append(Example(read.files.key, prompt, variables, roles, sources, read.texts, read.data))
    return made


def _prompts(kind: Kind | None) -> Mapping[str, Any]:
    if kind is None:
        return frozenctx_compiler.load(TREE)
    # A build has no option for this: packages get the best kind. Only the benchmark wants to see the others.
    lower: Any = import_module("frozenctx_compiler.lower")
    original = lower.generate
    lower.generate = partial(original, kind=kind)
    try:
        return frozenctx_compiler.load(TREE)
    finally:
        lower.generate = original


def messages(template: Callable[[str], Render], example: Example) -> Render:
    """What a program that uses another engine does to get the messages of a package."""
    parts = [(role, template(role)) for role in example.roles]
    return lambda variables: [{"role": role, "content": render(variables)} for role, render in parts]  # type: ignore[return-value]
