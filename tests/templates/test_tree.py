"""Walking trees gives what jinja2's own walk gives, in its order."""

from frozenctx_compiler.templates.parse import parse
from frozenctx_compiler.templates.tree import children, descendants
from jinja2 import nodes
from template_corpus.example_tree import TREE


def test_every_node_has_the_children_that_jinja2_gives_it() -> None:
    count = 0
    for path in sorted(TREE.rglob("*.j2")):
        tree = parse(path.read_text("utf-8"))
        for node in [tree, *tree.find_all(nodes.Node)]:
            assert children(node) == list(node.iter_child_nodes())
            count += 1
        assert [id(node) for node in descendants(tree)] == [id(node) for node in tree.find_all(nodes.Node)]
    assert count > 1000
