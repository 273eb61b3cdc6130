"""Large trees of packages, made of the texts of `examples/prompts`.

In: how many packages, a directory. Out: a tree with that many packages, in the layouts and the proportions of the
example tree; the same bytes on every machine. Package number n is the example number n modulo their count, with a name
of its own and with a sentence of its own in each of its texts, so that no two packages share a program. Partials are
shared, as they are in a real tree.
"""

import re
import shutil
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples" / "prompts"
TEAMS = ("North", "Harbour", "Inland", "Islands", "Customs", "Returns", "Night", "Key accounts", "Partners")

_MARKER = re.compile(r"^<<<\s*role:(\w+)\s*>>>\n", re.MULTILINE)
_SENTENCE = re.compile(r"^[ \-]*[A-Z][^{}<>#\"\\:]*\.$", re.MULTILINE)
_NAME = re.compile(r"^name: (\S+)$", re.MULTILINE)


def write_tree(directory: Path, count: int) -> list[str]:
    """Write `count` packages into the new directory. Return their keys, sorted."""
    examples = sorted(path for path in EXAMPLES.rglob("*.ctx") if ".ctx" not in path.parent.suffixes)
    shutil.copytree(EXAMPLES / "partials", directory / "partials")
    shutil.copytree(EXAMPLES / "evals" / "partials", directory / "evals" / "partials")
    shutil.copy(EXAMPLES / "frozenctx.toml", directory)
    keys = []
    for number in range(count):
        example = examples[number % len(examples)]
        series = number // len(examples) + 1
        area = directory / example.parent.relative_to(EXAMPLES)
        area.mkdir(parents=True, exist_ok=True)
        target = area / f"{example.stem}-{series:04d}.ctx"
        if example.is_dir():
            _write_package(example, target, series)
        else:
            target.write_text(_own_text(example.read_text("utf-8"), series), "utf-8")
            samples = example.with_name(f"{example.stem}.samples.yaml")
            shutil.copy(samples, target.with_name(f"{target.stem}.samples.yaml"))
        keys.append(target.relative_to(directory).as_posix().removesuffix(".ctx"))
    return sorted(keys)


def _write_package(example: Path, target: Path, series: int) -> None:
    for source in sorted(path for path in example.rglob("*") if path.is_file()):
        place = target / source.relative_to(example)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text("utf-8")
        is_own = source.parent == example or source.parent.name == "messages"
        if is_own and source.suffix in (".j2", ".txt", ".md", ".yaml", ".yml"):
            text = _own_text(text, series)
        place.write_text(text, "utf-8")


def _own_text(text: str, series: int) -> str:
    """Give a file of a package a name and sentences that no other package has."""
    desk = f"{TEAMS[series % len(TEAMS)]}, {series}"
    text = _NAME.sub(rf"name: \1-{series:04d}", text)
    if text.startswith("role: user"):
        return text.replace("content: |\n", f"content: |\n  Desk: {desk}.\n", 1)
    head, *sections = _MARKER.split(text)
    if not sections:
        return _SENTENCE.sub(lambda match: f"{match[0]} (Desk: {desk}.)", head, count=1)
    for at in range(0, len(sections), 2):
        role, body = sections[at : at + 2]
        if role == "user":
            body = f"Desk: {desk}.\n{body}"
        else:
            body = _SENTENCE.sub(lambda match: f"{match[0]} (Desk: {desk}.)", body, count=1)
        head += f"<<<role:{role}>>>\n{body}"
    return head
