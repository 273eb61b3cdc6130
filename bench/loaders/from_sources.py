"""jinja2 and PyYAML at run time: settings and templates are read, parsed and compiled when a prompt is asked for.

In: `sources/` of `bench.baking`: for each prompt its settings file and a template for each role; the partials.
"""

from pathlib import Path
from typing import Any

import jinja2
import yaml

from .filters import FILTERS


class Settings(yaml.CSafeLoader):
    """Takes the text of an expression for its value."""


def expression(loader: Settings, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


Settings.add_constructor("!?", expression)


class Prompts:
    def __init__(self, directory: str) -> None:
        self._directory = Path(directory) / "sources"
        self._environments: dict[str, jinja2.Environment] = {}
        self._loaded: dict[str, tuple[Any, str | None, dict[str, jinja2.Template]]] = {}

    def load(self, key: str) -> tuple[Any, str | None, dict[str, jinja2.Template]]:
        """Return settings, literal text, templates by role."""
        if key not in self._loaded:
            place = self._directory / key
            base, _, settings = (place / "settings.yaml").read_text("utf-8").partition("\n")
            text = (place / "text.txt").read_text("utf-8") if (place / "text.txt").exists() else None
            templates = {
                role: self._environment(base.removeprefix("# ")).from_string((place / f"{role}.j2").read_text("utf-8"))
                for role in ("system", "user")
                if (place / f"{role}.j2").exists()
            }
            self._loaded[key] = yaml.load(settings, Settings), text, templates
        return self._loaded[key]

    def messages(self, key: str, variables: dict[str, Any]) -> list[dict[str, str]]:
        _, text, templates = self.load(key)
        if text is not None:
            return [{"role": "system", "content": text}]
        return [{"role": role, "content": template.render(variables)} for role, template in templates.items()]

    def _environment(self, base: str) -> jinja2.Environment:
        if base not in self._environments:
            root = self._directory / base
            environment = self._environments[base] = jinja2.Environment(
                loader=jinja2.FileSystemLoader(root),
                undefined=jinja2.StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
                keep_trailing_newline=True,
                extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
            )
            environment.filters.update(FILTERS)
            environment.filters["import_text"] = lambda path: (root / path).read_text("utf-8")
            environment.filters["import_yaml"] = lambda path: yaml.load((root / path).read_text("utf-8"), Settings)
        return self._environments[base]
