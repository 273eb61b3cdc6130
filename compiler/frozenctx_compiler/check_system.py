"""Whether a package's system prompt has any text, as far as that is known before it is rendered.

In: a CheckedPackage. A prompt without text can be sent, and means that something was forgotten: a lint.
"""

from jinja2 import nodes

from .diagnostics import Scope, Span
from .package import CheckedPackage
from .yamltree import span_of


def check_system(checked: CheckedPackage, scope: Scope) -> None:
    """Report a system prompt that is empty or blank. Stubs that wait for a template are passed over."""
    read, settings = checked.read, checked.settings
    if read.layout == "minimal" and not settings.system.strip() and settings.system_render is None:
        help = "write the prompt as `system:`, or as a template in `prompt.j2`"
        scope.add("empty-system", "the system prompt has no text", _place(checked), help=help)
    for role in read.roles:
        if role.role == "system" and _is_blank(role.template.tree):
            span, help = Span(role.template.file), "write the text of the prompt"
            scope.add("empty-system", "the system prompt has no text", span, help=help)


def _place(checked: CheckedPackage) -> Span:
    """Where the settings give the text that is none; else the file."""
    document = checked.read.settings
    for key, value in document.node.value if document.node is not None else ():
        if key.value in ("system", "system_file"):
            return span_of(value, document.file)
    return Span(document.file)


def _is_blank(tree: nodes.Template) -> bool:
    """Whether a template holds nothing but blanks and comments."""
    parts = [part for node in tree.body for part in (node.nodes if isinstance(node, nodes.Output) else [node])]
    return all(isinstance(part, nodes.TemplateData) and not part.data.strip() for part in parts)
