"""Filters that make markup. See the package."""

from . import Absent, pass_eval_context
from .filters_json import dumped, refuse
from .markup import Markup, escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def do_forceescape(value: "Any") -> Markup:
    if hasattr(value, "__html__"):
        value = value.__html__()
    return escape(str(value))


def do_mark_safe(value: "Any") -> Markup:
    return Markup(value)


@pass_eval_context
def do_tojson(eval_ctx: "Any", value: "Any", indent: int | None = None) -> Markup:
    """By the policies `json.dumps_function` and `json.dumps_kwargs`, safe inside HTML."""
    policies = eval_ctx.environment.policies
    dumps = policies["json.dumps_function"]
    options = policies["json.dumps_kwargs"]
    if dumps is None and options == {"sort_keys": True}:
        text = dumped(value, refuse, True, True, indent)
    else:
        if dumps is None:
            from json import dumps
        text = dumps(value, **(options if indent is None else {**options, "indent": indent}))
    for mark, code in ("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("'", "\\u0027"):
        if mark in text:
            text = text.replace(mark, code)
    return str.__new__(Markup, text)


@pass_eval_context
def do_xmlattr(eval_ctx: "Any", d: "Any", autospace: bool = True) -> str:
    attributes = []
    for key, value in d.items():
        if value is None or isinstance(value, Absent):
            continue
        if not isinstance(key, str):
            from re import search

            search("[ ]", key)  # for the TypeError that jinja2 raises here
        if any(character in " \t\n\r\f\v/>=" for character in key):
            raise ValueError(f"Invalid character in attribute name: {key!r}")
        attributes.append(f'{escape(key)}="{escape(value)}"')
    text = " ".join(attributes)
    if autospace and text:
        text = " " + text
    return Markup(text) if eval_ctx.autoescape else text


@pass_eval_context
def do_urlize(
    eval_ctx: "Any", value: "Any", trim_url_limit: int | None = None, nofollow: bool = False,
    target: str | None = None, rel: str | None = None, extra_schemes: "Iterable[str] | None" = None,
) -> str:
    from .urlize import check_scheme, urlize

    policies = eval_ctx.environment.policies
    relations = (rel or "").split() + ["nofollow"] * bool(nofollow) + (policies["urlize.rel"] or "").split()
    rel = " ".join(sorted(set(relations)))
    if target is None:
        target = policies["urlize.target"]
    if extra_schemes is None:
        extra_schemes = policies["urlize.extra_schemes"] or ()
    for scheme in extra_schemes:
        check_scheme(scheme)
    text = urlize(value, trim_url_limit, rel, target, extra_schemes)
    return Markup(text) if eval_ctx.autoescape else text
