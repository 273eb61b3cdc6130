"""Options of single filters, under jinja2's names; those of an engine may be changed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def new() -> "dict[str, Any]":
    return {
        "compiler.ascii_str": True, "urlize.rel": "noopener", "urlize.target": None, "urlize.extra_schemes": None,
        "truncate.leeway": 5, "json.dumps_function": None, "json.dumps_kwargs": {"sort_keys": True},
        "ext.i18n.trimmed": False,
    }  # fmt: skip
