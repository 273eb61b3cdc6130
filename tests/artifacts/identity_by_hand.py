"""Identities, versions and renderer names as CTX-FORMAT §3 and §5 define them, written a second time.

Plain dicts, hashlib, json and `jinja2.meta`; nothing of the compiler, the artifacts or the runtime. In: settings as the
YAML says them (either spelling), the source of each role, and for a tree the directory that templates are found in.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
from jinja2 import nodes

CAMEL = {
    "reply_schema": "replySchema",
    "system_render": "systemRender",
    "user_render": "userRender",
    "max_tokens": "maxTokens",
    "max_rounds": "maxRounds",
    "reasoning_effort": "reasoningEffort",
    "output_retries": "outputRetries",
    "require_tool_call": "requireToolCall",
    "response_format": "responseFormat",
    "prompt_cache": "promptCache",
    "input_defaults": "inputDefaults",
}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
Captured = tuple[str, str, str]  # kind, label, content


def slug(text: str, effort: str | None = None) -> tuple[str, str | None]:
    """Model and reasoning effort of a model slug."""
    text = text.strip()
    head, at, tail = text.rpartition("@")
    if at and tail.strip().lower() in EFFORTS:
        text, effort = head.strip(), effort or tail.strip().lower()
    cuts = [text.index(mark) for mark in ":/" if mark in text]
    if not cuts:
        return text, effort
    provider, name = text[: min(cuts)], text[min(cuts) + 1 :]
    return f"{ {'vertex_ai': 'vertexai', 'google': 'gemini'}.get(provider, provider)}:{name}", effort


def hashed(source: str, captures: Iterable[Captured]) -> str:
    """The full digest that a renderer name is cut from."""
    entries = [f"\n# {kind}: {label}\n{content}" for kind, label, content in captures]
    if entries:
        source += "\n\n# dotctx dependency bundle\n" + "".join(entries)
    return hashlib.sha256(source.encode("utf-8")).hexdigest()


def targets(tree: nodes.Template) -> Iterable[str]:
    """What jinja2.meta finds, and of a choice between literals, which it does not look into, both."""
    found = list(jinja2.meta.find_referenced_templates(tree))
    for choice in tree.find_all(nodes.CondExpr):
        if None in found:
            assert found == [None], "a template whose only target is a choice"
            return [each.value for each in choice.find_all(nodes.Const)]
    return [target for target in found if target is not None]


def captures(source: str, base: Path, environment: jinja2.Environment) -> list[Captured]:
    """What one role's template captures below its base directory."""
    found: list[Captured] = []
    seen: set[tuple[str, str]] = set()

    def add(kind: str, target: str) -> str | None:
        path = base / target
        real = os.path.realpath(path)
        family = "template" if kind == "template" else "import"
        if (family, real) in seen or not path.is_file():
            return None
        seen.add((family, real))
        content = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        found.append((kind, os.path.relpath(path, base).replace(os.sep, "/"), content))
        return content

    def walk(text: str) -> None:
        tree = environment.parse(text)
        for target in targets(tree):
            content = add("template", target)
            if content is not None:
                walk(content)
        for call in tree.find_all(nodes.Filter):
            if call.name in ("import_text", "import_yaml") and isinstance(call.node, nodes.Const):
                add(call.name, call.node.value)

    walk(source)
    return found


def number(value: Any) -> Any:
    return (float(value) if "." in value else int(value)) if isinstance(value, str) else value


def identity(
    stem: str,
    settings: dict[str, Any],
    roles: dict[str, tuple[str, list[Captured]]],
    host_names: Iterable[str] = (),
    default_model: str = "claude-sonnet-4",
) -> dict[str, Any]:
    """`roles`: role → its source and what that captures; empty for a package of literal text."""
    given = {CAMEL.get(key, key): value for key, value in settings.items() if value is not None}
    name = given.get("name", stem)
    effort = given.get("reasoningEffort")
    model, effort = slug(given.get("model", default_model), effort.strip().lower() if effort else None)
    result: dict[str, Any] = {
        "name": name,
        "model": model,
        "system": "" if roles else given.get("system", ""),
        "replySchema": given.get("replySchema"),
        "tools": list(given.get("tools", [])),
    }
    if effort is not None:
        result["reasoningEffort"] = effort
    for role, (source, captured) in roles.items():
        result[f"{role}Render"] = f"dotctx/{name}/{role}@v{hashed(source, captured)[:12]}"
        result.setdefault("sources", {})[role] = hashed(source, captured)
    for key in ("systemRender", "userRender", "promptCache", "sub", "inputDefaults"):
        if key in given and key not in result:
            result[key] = given[key]
    for key in ("maxTokens", "maxRounds"):
        if key in given:
            result[key] = int(number(given[key]))
    if "temperature" in given:
        result["temperature"] = float(given["temperature"])
    if int(number(given.get("outputRetries", 0))) > 0:
        result["outputRetries"] = int(number(given["outputRetries"]))
    for key in ("requireToolCall", "agent"):
        if given.get(key) in (True, "true"):
            result[key] = True
    if "responseFormat" in given:
        result["responseFormat"] = "json_object"
    if given.get("context", "local") != "local":
        result["context"] = given["context"]
    if host_names:
        result["hostNames"] = sorted(host_names)
    return result


def digest(identity: dict[str, Any]) -> str:
    text = json.dumps(dict(sorted(identity.items())), separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def version(key: str, identity: dict[str, Any]) -> str:
    return f"{key}@v{digest(identity)[:12]}"
