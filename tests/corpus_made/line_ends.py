"""Trees whose bytes a checkout would change: line ends, byte order marks."""

from corpus_cases import Tree, made

PACKAGE = "---\nname: same\nmodel: openai/gpt-5\n---\nOne {{ 1 +\n1 }}\n<<<\nthree\n"


@made("line-ends-and-a-bom-change-nothing", listing=True, render={"lf": {}, "crlf": {}, "cr": {}, "bom": {}})
def line_ends_and_a_bom_change_nothing(tree: Tree) -> None:
    tree.write("lf.ctx", PACKAGE)
    tree.write("crlf.ctx", PACKAGE.replace("\n", "\r\n"))
    tree.write("cr.ctx", PACKAGE.replace("\n", "\r"))
    tree.write("bom.ctx", "\ufeff" + PACKAGE)


@made("line-ends-and-a-bom-in-every-kind-of-file", listing=True, render={"lf/rich": {}, "windows/rich": {}})
def line_ends_and_a_bom_in_every_kind_of_file(tree: Tree) -> None:
    """The packages of both directories have one name each and so equal versions after the key."""
    files = {
        "rich.ctx/settings.yaml": "name: rich\nschema_file: reply.json\nmeta:\n  text: |\n    a\n    b\n",
        "rich.ctx/reply.json": '{\n  "type":\n  "object"}\n',
        "rich.ctx/messages/1.yaml": "role: system\ncontent: |\n  {% include 'partials/a.j2' %}\n"
        "  {{ 'partials/b.txt' | import_text }}{{ 'partials/c.yaml' | import_yaml }}\n",
        "partials/a.j2": "one\ntwo\n",
        "partials/b.txt": "three\n\nfour",
        "partials/c.yaml": "a: |\n  five\n  six\n",
        "minimal.ctx/settings.yml": "name: minimal\nsystem_file: text.md\n",
        "minimal.ctx/text.md": "seven\neight\n",
    }
    tree.write("frozenctx.toml", '\ufeff[defaults]\r\nmodel = "openai/gpt-5"\r\n')
    for path, text in files.items():
        tree.write(f"lf/{path}", text)
        tree.write(f"windows/{path}", "\ufeff" + text.replace("\n", "\r\n"))
