"""Writes what is made from the tables of keys: docs/settings.md and docs/schemas/. Run it after changing a table.

    python tools/tables.py [DIRECTORY]      (default: docs)
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / part) for part in ("runtime", "artifacts", "compiler")]

from frozenctx_compiler.documents import DOCUMENTS  # noqa: E402
from frozenctx_compiler.keys import Document, Key, Type  # noqa: E402
from frozenctx_compiler.schema import DIFFERENCES, described, text  # noqa: E402

_INTRODUCTION = """\
# Settings, and the keys of every other file

Made from the tables that the check reads (`python tools/tables.py` writes it anew). `frozenctx schema KIND` prints the
same as JSON Schema; [editors.md](editors.md) says how editors use it.

- *Unknown keys* are errors, with the nearest known one. A key twice in one mapping is an error at any depth.
- *Null* means that a key is not given, except where "not null" is said.
- *Numbers and booleans in text* count where "or in text" is said, because every value of the environment is text:
  `"1200"`, `" 0.5 "`, `"true"`, `"false"`. `nan` and `inf` are no numbers, a boolean is no number.
- *Expressions* (`!? $env.get("NAME", default)`) may stand for every value of settings, front matter and eval.yaml, and
  are checked when they are evaluated. Messages, samples, SKILL.md and frozenctx.toml have none.
- *Both spellings* of a key in one file are the lint `both-spellings`.
- *One meaning*: unquoted text that YAML 1.1 and YAML 1.2 read differently (`012`, `12:30`, `yes`, dates) is an error.
"""
_RULES = {
    "any": "text",
    "not empty": "non-empty text",
    "filled": "non-blank text",
    "path": "text without NUL",
    "filled path": "non-blank text without NUL",
    "name": "a name",
    "model": "a model",
    "skill name": "letters, digits, `.`, `_`, `-`",
    "identifier": "a name of letters, digits and `_`",
    "mount name": "letters, digits, `_`, `-`, `.`",
    "profile name": "letters, digits, `.`, `_`, `-`",
    "fingerprint": "16 digits of a fingerprint",
}
_IDENTITY = {
    "always": "always",
    "set": "when set",
    "positive": "when above 0",
    "true": "when true",
    "not local": "when not `local`",
    "any": "when there are any",
    "never": "never",
    "elsewhere": "through what it names",
}
_LAYOUTS = {"minimal": "without templates", "rich": "with templates", "single": "single file"}


def value(type: Type) -> str:
    """What a key takes, in words."""
    worded = " or in text" if type.worded else ""
    match type.kind:
        case "string":
            return _RULES[type.rule]
        case "integer":
            return f"integer ≥ {type.least}{worded}"
        case "number":
            return f"finite number{worded}"
        case "boolean":
            return f"`true`, `false`{worded}"
        case "choice":
            folded = ", trimmed, in any case" if type.folded else ""
            return ", ".join(f"`{choice}`" for choice in type.choices) + folded
        case "list":
            items = " or ".join(map(value, type.of))
            return f"list of {items}" + (", each once" if type.distinct else "")
        case "table":
            names = "" if type.rule == "any" else f" ({_RULES[type.rule]})"
            return f"name{names} → {value(type.of[0])}"
        case "record":
            return "mapping of the keys below" if not type.open else "mapping"
        case "either":
            return " or ".join(map(value, type.of))
        case "schema":
            return "JSON Schema"
        case _:
            return "mapping of plain data"


def rows(keys: tuple[Key, ...], above: str = "") -> Iterator[tuple[str, Key]]:
    """Every key with its path, those of records inside below it."""
    for key in keys:
        name = above + key.name
        yield name, key
        inner = key.type.of[0] if key.type.kind == "table" else key.type
        yield from rows(inner.keys, f"{name}.*." if key.type.kind == "table" else f"{name}.")
        for item in key.type.of if key.type.kind == "list" else ():
            yield from rows(item.keys, f"{name}[].")


def table(document: Document) -> str:
    """The keys of a document. Settings have a column more: what counts in the identity."""
    body = document.body if document.body.keys else document.body.of[0]
    above = "" if document.body.keys else "<name>."
    settings = document.kind == "settings"
    nulls = document.nulls
    lines = ["| key | takes | means |" + (" in the identity |" if settings else "")]
    lines.append("| --- | --- | --- |" + (" --- |" if settings else ""))
    for name, key in rows(body.keys, above):
        spelled = f"`{name}`" + (f", `{key.twin}`" if key.twin else "")
        takes = "nothing yet" if key.later else value(key.type)
        takes += ", required" if key.required else ", not null" if nulls and not key.null else ""
        if len(key.layouts) < 3:
            takes += f"; only {' and '.join(_LAYOUTS[layout] for layout in key.layouts)}"
        top = "." not in name
        cells = [spelled, takes, described(key), *([_IDENTITY[key.identity] if top else ""] if settings else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    parts = [_INTRODUCTION]
    for document in DOCUMENTS:
        files = ", ".join(f"`{file}`" for file in document.files)
        words = document.meaning + (f" Files: {files}." if files else "")
        parts.append(f"\n## {document.title}\n\n`frozenctx schema {document.kind}`. {words}\n\n")
        if document.kind == "frontmatter":
            parts.append("The keys of settings, without those that are only for packages in a directory.\n")
        elif document.kind == "samples-of-file":
            parts.append("Each value is a sample, as above.\n")
        else:
            parts.append(table(document))
        if document.ignored:
            parts.append("\nKeys `x-…` are ignored: a home for anchors.\n")
        if document.body.open:
            parts.append("\nOther keys are kept, unchecked.\n")
        if document.notes:
            parts.append("\nBesides: " + "; ".join(document.notes) + ".\n")
    differences = "".join(f"- {difference}\n" for difference in DIFFERENCES)
    parts.append(f"\n## What the schemas cannot say\n\n{differences}- what \"Besides\" says above\n")
    return "".join(parts)


def main(directory: Path) -> None:
    (directory / "schemas").mkdir(parents=True, exist_ok=True)
    (directory / "settings.md").write_text(page(), "utf-8", newline="\n")
    for document in DOCUMENTS:
        path = directory / "schemas" / f"{document.kind}.schema.json"
        path.write_text(text(document), "utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs")
