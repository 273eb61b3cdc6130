"""Trees of skills that a checkout would damage: line ends, links, names that cannot be stored, large files."""

import os

from corpus_cases import Tree, made

SETTINGS = "model: openai/gpt-5\nsystem: You help.\nskills: [reading]\n"
SKILL = "---\nname: reading\ndescription: Reads\n  contracts.\n---\nRead the order form first.\n\nThen the terms.\n"


@made("skills-with-line-ends-and-a-bom", show=["lf", "windows"], render={"windows": {}})
def skills_with_line_ends_and_a_bom(tree: Tree) -> None:
    """One text, so one key; the other file is bytes, so two digests."""
    for package, end, mark in (("lf", "\n", ""), ("windows", "\r\n", "\ufeff")):
        tree.write(f"{package}.ctx/settings.yaml", SETTINGS)
        tree.write(f"{package}.ctx/skills/reading/SKILL.md", mark + SKILL.replace("\n", end))
        tree.write(f"{package}.ctx/skills/reading/references/terms.md", f"{mark}Terms.{end}")


@made(
    "skills-that-lead-elsewhere",
    select="main",
    covers=["outside-package", "outside-root", "link-loop", "not-a-file"],
)
def skills_that_lead_elsewhere(tree: Tree) -> None:
    tree.write("main/frozenctx.toml", "")
    tree.write("main/shared/terms.md", "Terms.\n")
    tree.write("main/shared/whole/SKILL.md", SKILL)
    tree.write("elsewhere/terms.md", "Terms.\n")
    skills = "main/a.ctx/skills"
    tree.write("main/a.ctx/settings.yaml", SETTINGS)
    tree.write(f"{skills}/reading/SKILL.md", SKILL)
    tree.write(f"{skills}/reading/references/terms.md", "Terms.\n")
    tree.link(f"{skills}/reading/references/inside.md", "terms.md")
    tree.link(f"{skills}/reading/references/out-of-the-package.md", "../../../../shared/terms.md")
    tree.link(f"{skills}/reading/references/out-of-the-root.md", "../../../../../elsewhere/terms.md")
    tree.link(f"{skills}/reading/references/nothing.md", "gone.md")
    tree.link(f"{skills}/reading/references/loop.md", "loop.md")
    tree.link(f"{skills}/reading/references/back", "..")
    tree.link(f"{skills}/whole", "../../shared/whole")
    os.mkfifo(tree.root / f"{skills}/reading/pipe")


@made("skills-that-are-followed", args=["--links=follow"], show=["a"], render={"a": {}})
def skills_that_are_followed(tree: Tree) -> None:
    tree.write("a.ctx/settings.yaml", SETTINGS)
    tree.write("shared/whole/SKILL.md", SKILL)
    tree.write("shared/whole/references/terms.md", "Terms.\n")
    tree.link("a.ctx/skills/reading", "../../shared/whole")


@made("skills-with-files-that-cannot-be-kept", covers=["bad-resource", "large-resource", "not-utf-8"])
def skills_with_files_that_cannot_be_kept(tree: Tree) -> None:
    tree.write("a.ctx/settings.yaml", SETTINGS)
    tree.write("a.ctx/skills/reading/SKILL.md", SKILL)
    tree.write("a.ctx/skills/reading/line\nend.md", "x")
    tree.write("a.ctx/skills/reading/back\\slash.md", "x")
    tree.write("a.ctx/skills/reading/large.bin", bytes(3 << 19))
    tree.write("a.ctx/skills/latin/SKILL.md", b"---\nname: latin\n---\nCaf\xe9.\n")
    with open(os.fsencode(tree.root) + b"/a.ctx/skills/reading/caf\xe9.md", "wb"):
        pass


@made("skills-with-names-that-windows-lacks", covers=["bad-resource"])
def skills_with_names_that_windows_lacks(tree: Tree) -> None:
    """Files, directories and skills; the last few are none, and only look like it."""
    tree.write("a.ctx/settings.yaml", SETTINGS)
    tree.write("a.ctx/skills/reading/SKILL.md", SKILL)
    tree.write("a.ctx/skills/con/SKILL.md", SKILL.replace("reading", "con"))
    tree.write("a.ctx/skills/end./SKILL.md", SKILL.replace("reading", "end."))
    for name in ("a:b.md", "why?.md", "a<b>.md", "NUL", "nul.txt", "Com1.tar.gz", "lpt².md", "dot.", "blank "):
        tree.write(f"a.ctx/skills/reading/references/{name}", "x")
    tree.write("a.ctx/skills/reading/references/aux/x.md", "x")
    for name in ("null.md", "com10.md", "x.con", "a b.md", "a;b.md", "{a}.md", "console.md", "com.md"):
        tree.write(f"a.ctx/skills/reading/references/{name}", "x")


@made("skills-with-names-of-one-case", covers=["bad-resource", "name-collision"])
def skills_with_names_of_one_case(tree: Tree) -> None:
    """Files, directories and skills that a file system which folds case, or normalises, cannot hold side by side."""
    tree.write("a.ctx/settings.yaml", SETTINGS)
    skills = "a.ctx/skills"
    tree.write(f"{skills}/reading/SKILL.md", SKILL)
    for name in ("Terms.md", "terms.md", "straße.md", "STRASSE.md", "a/x.md", "A/y.md", "b/Terms.md", "skill.md"):
        tree.write(f"{skills}/reading/references/{name}", name)
    tree.write(f"{skills}/Reading/SKILL.md", SKILL.replace("reading", "Reading"))
    for name in ("\u00e9", "e\u0301"):
        tree.write(f"{skills}/normalised/{name}.md", name)
        tree.write(f"{skills}/below/{name}/x.md", name)
    for name in ("normalised", "below"):
        tree.write(f"{skills}/{name}/SKILL.md", SKILL.replace("reading", name))


@made("skills-that-are-too-large", covers=["skill-too-large"])
def skills_that_are_too_large(tree: Tree) -> None:
    """As many files as a skill may have, one more, and a file that is too large to be read."""
    tree.write("a.ctx/settings.yaml", SETTINGS)
    skills = "a.ctx/skills"
    for name in ("reading", "many", "large", "together"):
        tree.write(f"{skills}/{name}/SKILL.md", SKILL.replace("reading", name))
    for number in range(1000):
        tree.write(f"{skills}/reading/node_modules/{number}", "")
        tree.write(f"{skills}/many/node_modules/{number}", "")
    tree.write(f"{skills}/many/terms.md", "x")
    for path, size in (("large/model.bin", 1 << 40), ("together/small.bin", 1000), ("together/corpus/a.bin", 64 << 20)):
        tree.write(f"{skills}/{path}", "")
        os.truncate(tree.root / skills / path, size)  # sparse


@made(
    "skills-with-lines-that-look-right",
    covers=["bad-skill", "skill-description", "unclosed-front-matter", "yaml-syntax"],
)
def skills_with_lines_that_look_right(tree: Tree) -> None:
    """Blanks that are no spaces, the rest of a description in the first column, control characters, keys of numbers,
    lines of which no help could show the whole."""
    tree.write("a.ctx/settings.yaml", "model: openai/gpt-5\nsystem: Hello.\nskills: [sound]\n")
    front = {
        "sound": "name: sound",
        "behind-the-colon": "name:\u00a0behind-the-colon\ndescription: Reads.",
        "behind-its-colon": "name: behind-its-colon\ndescription:\u2003Reads.",
        "before-a-key": "name: before-a-key\nmetadata:\n\u00a0\u00a0language: en",
        "first-column": "name: first-column\ndescription: Reads contracts\nand order forms.",
        "first-column-below-name": "name: first-column-below-name\nReads contracts.",
        "control": 'name: control\ndescription: "Reads\\0contracts."',
        "escape": 'name: escape\ndescription: "Reads \\e[31mcontracts."',
        "turned": 'name: turned\ndescription: "Reads \\u202Estcartnoc."',
        "number": "name: number\n1: first",
        "number-below": "name: number-below\nmetadata:\n  1: first",
        "brackets": f"name: brackets\nmetadata: {'[' * 5000}",
        "long": f"name: long\ndescription: {'Reads contracts ' * 200}: all of them",
        "closing-fence": "name: closing-fence\n---\u00a0",
        "indented-fence": "name: indented-fence\n ---",
    }
    for name, lines in front.items():
        end = "" if name.endswith("-fence") else "\n---"
        tree.write(f"a.ctx/skills/{name}/SKILL.md", f"---\n{lines}{end}\nRead the order form first.\n")
    for name, fence in (("opening-fence", "---\u00a0"), ("opening-fence-indented", "  ---")):
        tree.write(f"a.ctx/skills/{name}/SKILL.md", f"{fence}\nname: {name}\n---\nRead the order form first.\n")
