"""jinja2 with templates compiled ahead of time, and settings baked into one JSON file for each prompt.

In: `baked/` and `modules/` of `bench.baking`.
"""

import json
from collections.abc import Callable
from typing import Any

import jinja2

from .filters import FILTERS


class Prompts:
    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._environments: dict[str, jinja2.Environment] = {}
        self._loaded: dict[str, tuple[dict[str, Any], dict[str, jinja2.Template]]] = {}

    def load(self, key: str) -> tuple[dict[str, Any], dict[str, jinja2.Template]]:
        """Return what was baked, templates by role."""
        if key not in self._loaded:
            with open(f"{self._directory}/baked/{key}.json", encoding="utf-8") as file:
                baked = json.load(file)
            environment = self._environment(baked["base"])
            names = {role: f"{key}/{role}" for role in baked["roles"]}
            self._loaded[key] = baked, {role: environment.get_template(name) for role, name in names.items()}
        return self._loaded[key]

    def messages(self, key: str, variables: dict[str, Any]) -> list[dict[str, str]]:
        baked, templates = self.load(key)
        if "text" in baked:
            return [{"role": "system", "content": baked["text"]}]
        return [{"role": role, "content": template.render(variables)} for role, template in templates.items()]

    def _environment(self, base: str) -> jinja2.Environment:
        if base not in self._environments:
            environment = self._environments[base] = jinja2.Environment(
                loader=jinja2.ModuleLoader(f"{self._directory}/modules/{base}"),
                undefined=jinja2.StrictUndefined,
                auto_reload=False,
                extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
            )
            environment.filters.update(FILTERS)
            environment.filters.update(captures(f"{self._directory}/captured/{base}"))
        return self._environments[base]


def captures(directory: str) -> dict[str, Callable[..., Any]]:
    """The two import filters. They take the context, or jinja2 would call them while it compiles."""

    @jinja2.pass_context
    def read(_context: object, path: str) -> Any:
        with open(f"{directory}/{path}.json", encoding="utf-8") as file:
            return json.load(file)

    return {"import_text": read, "import_yaml": read}
