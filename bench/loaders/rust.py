"""minijinja with the templates' sources and the settings baked into one JSON file for each prompt.

In: `baked/` of `bench.baking`.
"""

import json
from typing import Any

import minijinja

from .filters import FILTERS


class Prompts:
    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._environments: dict[str, Any] = {}
        self._loaded: dict[str, dict[str, Any]] = {}

    def load(self, key: str) -> dict[str, Any]:
        """Return what was baked; its templates are parsed."""
        if key not in self._loaded:
            with open(f"{self._directory}/baked/{key}.json", encoding="utf-8") as file:
                baked = self._loaded[key] = json.load(file)
            environment = self._environment(baked["base"])
            for role, source in baked["roles"].items():
                environment.add_template(f"{key}/{role}", source)
        return self._loaded[key]

    def messages(self, key: str, variables: dict[str, Any]) -> list[dict[str, str]]:
        baked = self.load(key)
        if "text" in baked:
            return [{"role": "system", "content": baked["text"]}]
        render = self._environment(baked["base"]).render_template
        return [{"role": role, "content": render(f"{key}/{role}", **variables)} for role in baked["roles"]]

    def _environment(self, base: str) -> Any:
        if base not in self._environments:
            partials = f"{self._directory}/sources/{base}"
            environment = self._environments[base] = minijinja.Environment(
                loader=lambda name: _text(f"{partials}/{name}"),
                undefined_behavior="strict",
                trim_blocks=True,
                lstrip_blocks=True,
                keep_trailing_newline=True,
                auto_escape_callback=lambda name: False,
            )
            for name, function in FILTERS.items():
                environment.add_filter(name, function)
            captured = f"{self._directory}/captured/{base}"
            environment.add_filter("import_text", lambda path: json.loads(_text(f"{captured}/{path}.json") or ""))
            environment.add_filter("import_yaml", lambda path: json.loads(_text(f"{captured}/{path}.json") or ""))
        return self._environments[base]


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None
