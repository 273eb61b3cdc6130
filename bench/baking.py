"""What the peers of `bench.cold` read, made of a compiled tree: the same settings, templates and captures for each.

In: a compilation. Out: a directory with
    sources/<key>/             settings.yaml (its first line names the base), <role>.j2, text.txt if the text is literal
    sources/<base>/<partial>   the partials under the names that templates use
    captured/<base>/<path>.json  what `import_text` and `import_yaml` capture
    baked/<key>.json           settings, base, sources of the roles or the literal text
    modules/<base>/            every template compiled by jinja2
"""

import compileall
import json
from pathlib import Path
from typing import Any

import jinja2
from frozenctx import Prompt
from frozenctx_compiler.api import Compilation, prompts

from bench.loaders.filters import FILTERS
from bench.loaders.precompiled import captures


def bake(compilation: Compilation, tree: Path, directory: Path) -> None:
    """Write everything that the peers need into `directory`."""
    templates: dict[str, dict[str, str]] = {}
    loaded = prompts(compilation)
    for package in compilation.packages:
        checked = package.lowered.checked
        read, settings = checked.read, checked.settings
        key, base = read.files.key, "root" if read.base == "." else read.base
        partials = {name: template.text for name, template in read.partials.items()}
        roles = {role.role: before(role.role, loaded[key]) + role.template.text for role in read.roles}
        templates.setdefault(base, {}).update({**partials, **{f"{key}/{role}": roles[role] for role in roles}})
        place = directory / "sources" / key
        for name, text in partials.items():
            _write(directory / "sources" / base / name, text)
        for name, value in {**read.texts, **read.data}.items():
            _write(directory / "captured" / base / f"{name}.json", json.dumps(value, ensure_ascii=False))
            if isinstance(value, str):
                _write(directory / "sources" / base / name, value)
            else:
                _write(directory / "sources" / base / name, (tree / read.base / name).read_text("utf-8"))
        _write(place / "settings.yaml", f"# {base}\n{read.settings.text or '{}'}")
        baked: dict[str, Any] = {"model": settings.model, "base": base, "roles": roles}
        baked["settings"] = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        for role, text in roles.items():
            _write(place / f"{role}.j2", text)
        if not roles:
            _write(place / "text.txt", settings.system)
            baked["text"] = settings.system
        _write(directory / "baked" / f"{key}.json", json.dumps(baked, ensure_ascii=False))
    for base, sources in templates.items():
        _compile(sources, directory / "modules" / base)


def before(role: str, prompt: Prompt) -> str:
    """What a template of a peer begins with, so that its text says of skills what ours does."""
    return f"{{% raw %}}{prompt.skills.block()}\n\n{{% endraw %}}" if prompt.skills and role == "system" else ""


def _compile(sources: dict[str, str], target: Path) -> None:
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(sources),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    environment.filters.update({**FILTERS, **captures("")})
    environment.compile_templates(target, zip=None, ignore_errors=False)
    compileall.compile_dir(target, quiet=1)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
