"""Whatever stands at any place of a tree, a check ends with findings and never with an exception of ours."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from frozenctx_compiler import api
from source_trees import write

SKILL = "---\nname: {0}\n---\nDo it.\n"
FILES = {
    "frozenctx.toml": '[defaults]\nmodel = "openai/gpt-5"\n[mounts]\nteam = "mounted"\n',
    "mounted/x.j2": "X",
    "partials/tone.j2": "Be kind.",
    "shared/models.yaml": "fast: openai/gpt-5\n",
    "a.ctx/settings.yaml": 'model: !? $import("../shared/models.yaml").fast\nskills: [s]\n',
    "a.ctx/prompt.j2": '{% include "partials/own.j2" %}{{ "partials/own.j2" | import_text }}{{ x }}',
    "a.ctx/schema.pyi": "class Input:\n    x: str\nclass Output:\n    y: int\n",
    "a.ctx/tools.pyi": "def f(a: int) -> None: ...\n",
    "a.ctx/eval.yaml": "{}\n",
    "a.ctx/samples/one.yaml": "variables: {x: b}\n",
    "a.ctx/partials/own.j2": "o",
    "a.ctx/skills/s/SKILL.md": SKILL.format("s"),
    "a.ctx/skills/s/references/x.md": "x",
    "a.ctx/skills/t/SKILL.md": SKILL.format("t"),
    "files.ctx/settings.yaml": "system_file: system.txt\nschema_file: reply.json\n",
    "files.ctx/system.txt": "Hi",
    "files.ctx/reply.json": "{}",
    "messages.ctx/settings.yaml": "",
    "messages.ctx/messages/01-system.yaml": "role: system\ncontent: x\n",
    "unlisted.ctx/settings.yaml": "system: x\n",
    "unlisted.ctx/skills/s/SKILL.md": SKILL.format("s"),
    "single.ctx": 'Hi {% include "partials/tone.j2" %}{% include "@team/x.j2" %}',
    "single.samples.yaml": "one: {variables: {}}\n",
}
DIRECTORIES = sorted({str(directory) for file in FILES for directory in Path(file).parents})
PLACES = sorted({*FILES, *DIRECTORIES} - {"."})


def two_files(directory: Path) -> None:
    """é composed, and é decomposed."""
    for name in ("\u00e9.md", "e\u0301.md"):
        (directory / name).write_text("x")


def two_directories(directory: Path) -> None:
    for name in ("\u00e9", "e\u0301"):
        (directory / name).mkdir()


def link_out(place: Path) -> None:
    place.symlink_to("/" if place.suffix == "" else "/etc/hosts")


def link_to_itself(place: Path) -> None:
    place.symlink_to(place.name)


def pipe(place: Path) -> None:
    os.mkfifo(place)


def directory(place: Path) -> None:
    place.mkdir()


def checked(root: Path) -> list[str]:
    return [found.code for found in api.check(root, evals=True).report.diagnostics]


def test_the_tree_is_sound(tmp_path: Path) -> None:
    assert checked(write(tmp_path, FILES)) == ["unlisted-skills"]


@pytest.mark.parametrize("place", DIRECTORIES)
@pytest.mark.parametrize("add", [two_files, two_directories])
def test_two_names_that_are_one_after_normalisation_are_a_finding(
    add: Callable[[Path], None], place: str, tmp_path: Path
) -> None:
    add(write(tmp_path, FILES) / place)
    found = checked(tmp_path)
    if place != "unlisted.ctx/skills/s":  # nothing there is looked at
        assert "name-collision" in found


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("put", [link_out, link_to_itself, pipe, directory])
def test_whatever_stands_there_is_a_finding_at_most(put: Callable[[Path], None], place: str, tmp_path: Path) -> None:
    target = write(tmp_path, FILES) / place
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    put(target)
    checked(tmp_path)
