"""The filters of CTX-FORMAT section 5 that jinja2 and minijinja lack, as a program that uses them would write them."""

import json
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any


def to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def from_json(value: str) -> Any:
    return json.loads(value)


def as_xml(value: Any, tag: str = "data") -> str:
    text = "" if value is None else str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{tag}>{text}</{tag}>"


def as_codeblock(value: Any, lang: str = "") -> str:
    text = str(value)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{lang}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def numbered_list(value: Iterable[Any], start: int = 1) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(value, start))


def bulleted_list(value: Iterable[Any], bullet: str = "-") -> str:
    return "\n".join(f"{bullet} {item}" for item in value)


FILTERS: dict[str, Callable[..., Any]] = {
    "as_codeblock": as_codeblock,
    "as_xml": as_xml,
    "bulleted_list": bulleted_list,
    "dedent": textwrap.dedent,
    "from_json": from_json,
    "numbered_list": numbered_list,
    "to_json": to_json,
}
