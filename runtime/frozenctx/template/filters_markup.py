"""Filters that make markup, or encode text for a URL. See `filters`."""

from . import Absent, pass_eval_context
from .filters import soft_str
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


def do_striptags(value: "Any") -> str:
    if hasattr(value, "__html__"):
        value = value.__html__()
    return Markup(str(value)).striptags()


def url_quote(value: "Any", query: bool = False) -> str:
    """Percent-encode the UTF-8 of `value` (RFC 3986); in a query `/` is encoded too and a space becomes `+`."""
    if not isinstance(value, bytes):
        value = soft_str(value).encode("utf-8")
    kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~" + (b" " if query else b"/")
    text = "".join([chr(byte) if byte in kept else f"%{byte:02X}" for byte in value])
    return text.replace(" ", "+")


def do_urlencode(value: "Any") -> str:
    if isinstance(value, str) or getattr(type(value), "__iter__", None) is None:
        return url_quote(value)
    pairs = value.items() if isinstance(value, dict) else value
    return "&".join([f"{url_quote(k, query=True)}={url_quote(v, query=True)}" for k, v in pairs])


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
