"""A second, plain reading of `examples/prompts`, for tests that must not ask the compiler.

In: the tree. Out: one `Package` per package, with the template text of each role, the base directory of its partials
and its samples, as CTX-FORMAT §2 and §5 define them. It reads well-formed packages only and checks nothing.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import yaml
from template_corpus import oracle

TREE = Path(__file__).resolve().parents[2] / "examples" / "prompts"
MARKER = re.compile(r"<<<\s*role:(\w+)\s*>>>")
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
NOT_DATA = re.compile(r"\{#.*?#\}|\{%-?\s*raw.*?endraw\s*[-+]?%\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


class _Settings(yaml.SafeLoader):
    """YAML with `!? $env.get("NAME", default)`, read with an empty environment."""


def _default(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    text = str(loader.construct_scalar(node))  # type: ignore[arg-type]
    while match := re.fullmatch(r'\s*\$env\.get\("\w+",\s*(.*)\)\s*', text, re.DOTALL):
        text = match[1]
    return ast.literal_eval(text)


_Settings.add_constructor("!?", _default)


@dataclass(frozen=True, slots=True)
class Package:
    key: str
    path: Path
    base: Path
    settings: dict[str, Any]
    layout: str
    """minimal, prompt, messages or file."""
    templates: dict[str, str]
    """Role → template text; a minimal package has none."""
    samples: dict[str, dict[str, Any]] = field(default_factory=dict)

    def environment(self) -> jinja2.Environment:
        return oracle.environment(jinja2.FileSystemLoader(self.base), self.base)


def packages(tree: Path = TREE) -> list[Package]:
    """Every package below `tree`, sorted by key."""
    return sorted((_read(path, tree) for path in _walk(tree)), key=lambda package: package.key)


def _walk(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.suffix == ".ctx":
            yield path
        elif path.is_dir():
            yield from _walk(path)


def _read(path: Path, tree: Path) -> Package:
    key = path.relative_to(tree).as_posix().removesuffix(".ctx")
    if path.is_file():
        settings, body = _front_matter(_text(path))
        samples_file = path.with_name(path.stem + ".samples.yaml")
        samples = yaml.safe_load(_text(samples_file)) if samples_file.exists() else {}
        return Package(key, path, _base(path.parent, tree), settings, "file", split_roles(body), samples)
    settings_file = next(path / name for name in ("settings.yaml", "settings.yml") if (path / name).exists())
    settings = yaml.load(_text(settings_file), _Settings) or {}
    samples = {file.stem: yaml.safe_load(_text(file)) for file in sorted(path.glob("samples/*.yaml"))}
    if (path / "prompt.j2").exists():
        layout, templates = "prompt", split_roles(_text(path / "prompt.j2"))
    elif (path / "messages").is_dir():
        messages = [yaml.safe_load(_text(file)) for file in sorted((path / "messages").glob("*.y*ml"))]
        layout, templates = "messages", {message["role"]: message["content"] for message in messages}
    else:
        layout, templates = "minimal", {}
    return Package(key, path, _base(path, tree), settings, layout, templates, samples)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _base(directory: Path, tree: Path) -> Path:
    for candidate in (directory, *directory.parents):
        if (candidate / "partials").is_dir():
            return candidate
        if candidate == tree:
            break
    return directory


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    end = next(i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---")
    return yaml.load("\n".join(lines[1:end]), _Settings) or {}, "\n".join(lines[end + 1 :])


def split_roles(text: str) -> dict[str, str]:
    """Role → source, by markers that stand in template data; everything is `system` if there are none."""
    hidden = [match.span() for match in NOT_DATA.finditer(text)]
    marks = [m for m in MARKER.finditer(text) if not any(start <= m.start() < end for start, end in hidden)]
    if not marks:
        return {"system": text}
    preamble = "\n".join(COMMENT.findall(text[: marks[0].start()])).strip()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    sections = {m[1].lower(): text[m.end() : end].strip() for m, end in zip(marks, ends, strict=True)}
    sections["system"] = preamble + sections["system"]
    return sections
