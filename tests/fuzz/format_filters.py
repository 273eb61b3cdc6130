"""The filters that the package format adds to Jinja's, in plain Python, from what CTX-FORMAT section 5 says of them.

In: values as jinja2 has them. Out: text, or values. They are what the runtime's own are compared with, so they are
written in another way: with `json`, `html`, `operator`, `re` and `textwrap`.
"""

from __future__ import annotations

import html
import json
import operator
import re
import textwrap
from collections.abc import Iterable
from typing import Any

import jinja2


def refused(value: Any) -> Any:
    if isinstance(value, jinja2.Undefined):
        value._fail_with_undefined_error()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def do_to_json(value: Any, indent: int | str | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=refused)


def do_from_json(value: Any) -> Any:
    if isinstance(value, jinja2.Undefined):
        value._fail_with_undefined_error()
    return json.loads(value)


def do_as_xml(value: Any, tag: str = "data") -> str:
    text = "" if value is None else html.escape(str(value), quote=False)  # the value is the first to be wrong
    return f"<{tag}>{text}</{tag}>"


def do_as_codeblock(value: Any, lang: str = "") -> str:
    text = str(value)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{lang}\n" + text + ("" if text.endswith("\n") else "\n") + fence


def do_numbered_list(value: Iterable[Any], start: int = 1) -> str:
    # Whatever is there, or not, of items: first it has to be something with items, then `start` an integer.
    items = iter(value)
    if isinstance(start, jinja2.Undefined):
        start._fail_with_undefined_error()
    number = operator.index(start)
    lines: list[str] = []
    for item in items:
        lines.append(f"{number + len(lines)}. {item}")
    return "\n".join(lines)


def do_bulleted_list(value: Iterable[Any], bullet: str = "-") -> str:
    return "\n".join(f"{bullet} {item}" for item in value)


def do_dedent(value: Any) -> str:
    return textwrap.dedent(str(value))


FORMAT_FILTERS = {
    function.__name__.removeprefix("do_"): function
    for function in (
        do_to_json, do_from_json, do_as_xml, do_as_codeblock, do_numbered_list, do_bulleted_list, do_dedent,
    )
}  # fmt: skip
