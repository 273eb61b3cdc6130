"""What a template captures is in its version, whatever links and contents make of it (CTX-FORMAT §3, the law)."""

import itertools
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import frozenctx
import frozenctx_compiler
from frozenctx_compiler.api import check, prompts
from source_trees import write

HEADING = "\n\n# dotctx dependency bundle\n"
CONTENTS = (None, "A", "B", "A\n# template: c.j2\nA", "A\n# template: b.j2\nB", "@a.j2", "@b.j2")
"""Of each of a.j2, b.j2, c.j2: absent, a text, or a link."""
TEMPLATE = '{% include "a.j2" ignore missing %}{% include "b.j2" ignore missing %}{% include "c.j2" ignore missing %}'


def tree(home: Path, files: Mapping[str, str | None], template: str) -> Path:
    """A tree of one package, `p.ctx`; a content `@name` is a link to that name."""
    texts = {name: text for name, text in files.items() if text is not None and not text.startswith("@")}
    write(home, {"p.ctx": f"---\nmodel: openai/gpt-5\n---\n{template}", **texts})
    for name, text in files.items():
        if text is not None and text.startswith("@"):
            (home / name).symlink_to(text[1:])
    return home


def prompt_of(home: Path) -> frozenctx.Prompt:
    compilation = check(home)
    assert not compilation.report.has_errors, compilation.report.diagnostics
    return prompts(compilation)["p"]


def combinations() -> Iterator[dict[str, str | None]]:
    for contents in itertools.product(CONTENTS[:5], CONTENTS[:6], CONTENTS):
        yield dict(zip(("a.j2", "b.j2", "c.j2"), contents, strict=True))


def test_templates_of_one_version_render_one_text(tmp_path: Path) -> None:
    texts: dict[str, set[str]] = {}
    for number, files in enumerate(combinations()):
        prompt = prompt_of(tree(tmp_path / str(number), files, TEMPLATE))
        texts.setdefault(prompt.version, set()).add(prompt.system())
    assert {version: found for version, found in texts.items() if len(found) > 1} == {}
    assert len(texts) > 100


def test_a_source_that_looks_like_a_bundle_is_told_from_one(tmp_path: Path) -> None:
    source = '{% include "a.j2" ignore missing %}'
    captured = prompt_of(tree(tmp_path / "1", {"a.j2": "A"}, source))
    written = prompt_of(tree(tmp_path / "2", {}, f"{source}{HEADING}\n# template: a.j2\nA"))
    assert captured.identity["systemRender"] == written.identity["systemRender"]  # as the format of the name has it
    assert captured.version != written.version


def test_imported_texts_and_data_are_told_apart_by_name_too(tmp_path: Path) -> None:
    files = {"a.txt": "A", "b.txt": "B"}
    template = '{{ "a.txt" | import_text }}{{ "b.txt" | import_text }}{{ "c.txt" | import_yaml }}'
    one = prompt_of(tree(tmp_path / "1", {**files, "c.txt": "@a.txt"}, template))
    other = prompt_of(tree(tmp_path / "2", {**files, "c.txt": "@b.txt"}, template))
    assert (one.system(), other.system()) == ("ABA", "ABB")
    assert one.version != other.version


def test_ordinary_captures_are_hashed_as_the_renderer_name_hashes_them(tmp_path: Path) -> None:
    """Spelled out by hand: nothing moves for templates without links and look-alikes."""
    home = tree(
        tmp_path,
        {"a.j2": "A # template: x\n", "b.txt": " # template: y"},
        '{% include "a.j2" %}{{ "b.txt" | import_text }}',
    )
    body = '{% include "a.j2" %}{{ "b.txt" | import_text }}'
    hashed = f"{body}{HEADING}\n# template: a.j2\nA # template: x\n\n# import_text: b.txt\n # template: y"
    digest = sha256(hashed.encode()).hexdigest()
    identity = frozenctx_compiler.load(home)["p"].identity
    assert identity["sources"] == {"system": digest}
    assert identity["systemRender"] == f"dotctx/p/system@v{digest[:12]}"
