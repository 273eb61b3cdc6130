"""Trees that a checkout would damage or cannot hold: bad bytes, links, special files, names that some systems fold."""

import os

from corpus_cases import Tree, made

PROJECT = '[defaults]\nmodel = "openai/gpt-5"\n'


@made("bytes-that-are-no-text", covers=["not-utf-8", "nul-character"])
def bytes_that_are_no_text(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("a-latin.ctx", b"First line.\r\nCaf" + b"\xe9.\n")
    tree.write("b-utf-16.ctx", "\ufeffHello".encode("utf-16-le"))
    tree.write("c-nul.ctx/settings.yaml", "")
    tree.write("c-nul.ctx/prompt.j2", "Hello\nto\0 you\n")
    tree.write("d-partial.ctx", '{% include "partials/latin.j2" %}\n')
    tree.write("e-partial.ctx", '{% include "partials/latin.j2" %}\n')
    tree.write("partials/latin.j2", b"\xfcber\n")
    tree.write("f-text.ctx", '{{ "partials/binary.dat" | import_text }}\n')
    tree.write("partials/binary.dat", b"\x00\x01\x02")


@made("names-that-are-no-text", covers=["not-utf-8", "bad-key"])
def names_that_are_no_text(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("dra\nft.ctx", "Hello\n")
    tree.write("fine.ctx", "Hello\n")
    with open(os.fsencode(tree.root) + b"/caf\xe9.ctx", "wb"):
        pass
    os.mkdir(os.fsencode(tree.root) + b"/\xff")  # packages may lie in it
    os.mkdir(os.fsencode(tree.root) + b"/.\xff")


@made("a-directory-that-looks-like-a-mount", covers=["unknown-mount"])
def a_directory_that_looks_like_a_mount(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("@team/a.ctx", "Hello\n")
    tree.write("b/@team/c.ctx", "Hello\n")


@made("links-that-leave-and-loops", covers=["outside-root", "link-loop", "not-a-file"])
def links_that_leave_and_loops(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("fine.ctx", "Hello\n")
    tree.link("a-outside", "..")
    tree.link("b-absolute.ctx", "/etc/hostname")
    tree.link("c-loop.ctx", "c-loop.ctx")
    tree.write("d-deep/below/x.ctx", "Hello\n")
    tree.link("d-deep/below/up", "..")
    tree.link("e-nothing.ctx", "gone.ctx")
    tree.write("f-partial.ctx", '{% include "partials/link.j2" %}\n')
    tree.link("partials/link.j2", "../../../motd")
    tree.link("harmless-link-to-nothing", "gone")
    os.mkfifo(tree.root / "g-pipe.ctx")
    tree.write("h-pipe.ctx", '{{ "partials/pipe" | import_text }}\n')
    os.mkfifo(tree.root / "partials/pipe")


@made("links-that-stay-inside", listing=True, render={"a": {}, "linked/b": {}, "c": {}})
def links_that_stay_inside(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("partials/tone.j2", "Be kind.")
    tree.link("partials/voice.j2", "tone.j2")
    tree.write("a.ctx", '{% include "partials/voice.j2" %}')
    tree.write("real/b.ctx", '{% include "partials/tone.j2" %}')
    tree.link("linked", "real")
    tree.link("c.ctx", "linked/b.ctx")


@made(
    "links-are-followed-on-request", select="main", args=["--links=follow"], listing=True, render={"a": {}, "dir/b": {}}
)
def links_are_followed_on_request(tree: Tree) -> None:
    tree.write("store/1/frozenctx.toml", PROJECT)
    tree.write("store/2/a", '{% include "partials/tone.j2" %}')
    tree.write("store/3/tone", "Be kind.")
    tree.write("store/4/b.ctx", "Hello.")
    tree.link("main/frozenctx.toml", "../store/1/frozenctx.toml")
    tree.link("main/a.ctx", "../store/2/a")
    tree.link("main/partials/tone.j2", "../../store/3/tone")
    tree.link("main/dir", "../store/4")


@made("a-file-that-cannot-be-read", args=["--links=follow"], covers=["unreadable-file"])
def a_file_that_cannot_be_read(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("fine.ctx", "Hello\n")
    # A regular file whose every read fails, also for root, whom no permission stops (Linux).
    tree.link("a.ctx", "/proc/self/mem")


@made("names-that-differ-in-case-or-normalisation", covers=["key-collision", "name-collision", "missing-file"])
def names_that_differ_in_case_or_normalisation(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write("Draft.ctx", "Hello\n")
    tree.write("draft.ctx", "Hello\n")
    tree.write("stra\u00dfe.ctx", "Hello\n")
    tree.write("STRASSE.ctx", "Hello\n")
    tree.write("partials/Header.j2", "Hello\n")
    tree.write("case.ctx", '{% include "partials/header.j2" %}\n')
    tree.write("accents/caf\u00e9.txt", "composed")
    tree.write("accents/cafe\u0301.txt", "decomposed")


@made("keys-and-targets-in-any-normalisation", listing=True, render={"caf\u00e9/\u00fc": {}})
def keys_and_targets_in_any_normalisation(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT)
    tree.write(
        "cafe\u0301/u\u0308.ctx",
        '{% include "partials/na\u00efve.j2" %}, {% include "partials/re\u0301sume\u0301.j2" %}',
    )
    tree.write("partials/nai\u0308ve.j2", "one")
    tree.write("partials/r\u00e9sum\u00e9.j2", "two")


@made("what-is-never-walked", listing=True)
def what_is_never_walked(tree: Tree) -> None:
    tree.write("frozenctx.toml", PROJECT + 'out = "dist/prompts"\n')
    for place in (".hidden", ".ctx", "a/.ctx", "a/.git", "__pycache__", "a/__pycache__", "dist/prompts"):
        tree.write(f"{place}/broken.ctx", "{{ never read")
    tree.write("a/.ctx/settings.yaml", "{{ never read")
    tree.write("dist/found.ctx", "Beside the output.")
    tree.write("a/found.ctx/settings.yaml", "")
    tree.write("a/found.ctx/prompt.j2", "Nothing inside a package is a package.")
    tree.write("a/found.ctx/tests/broken.ctx", "{{ never read")


@made("links-in-mounts", select="main", covers=["outside-root", "link-loop"])
def links_in_mounts(tree: Tree) -> None:
    tree.write("main/frozenctx.toml", PROJECT + '\n[mounts]\nshared = "../shared"\n')
    tree.write("main/inside.ctx", '{% include "@shared/link.j2" %}')
    tree.write("main/leaves.ctx", '{% include "@shared/leaves.j2" %}')
    tree.write("main/loop.ctx", '{{ "@shared/loop.txt" | import_text }}')
    tree.write("main/part.j2", "of the root")
    tree.write("shared/real.j2", "of the mount")
    tree.link("shared/link.j2", "real.j2")
    tree.link("shared/leaves.j2", "../main/part.j2")
    tree.link("shared/loop.txt", "loop.txt")
    tree.link("main/through-the-mount.ctx", "../shared/real.j2")


@made("links-are-followed-by-default-of-the-project", select="main", listing=True)
def links_are_followed_by_default_of_the_project(tree: Tree) -> None:
    tree.write("main/frozenctx.toml", PROJECT + 'links = "follow"\n')
    tree.write("store/a", "Hello.")
    tree.link("main/a.ctx", "../store/a")
