"""Trees whose bytes a checkout would change: line ends, byte order marks."""

from corpus_cases import Tree, made

PACKAGE = "---\nmodel: openai/gpt-5\n---\nOne {{ 1 +\n1 }}\n<<<\nthree\n"


@made("line-ends-and-a-bom-change-nothing", listing=True, render={"lf": {}, "crlf": {}, "cr": {}, "bom": {}})
def _(tree: Tree) -> None:
    tree.write("lf.ctx", PACKAGE)
    tree.write("crlf.ctx", PACKAGE.replace("\n", "\r\n"))
    tree.write("cr.ctx", PACKAGE.replace("\n", "\r"))
    tree.write("bom.ctx", "\ufeff" + PACKAGE)
