"""What `score` does with a model's answer: find its text, take a Markdown fence off, parse it as JSON.

In: an answer in one of the usual shapes. Out: text or data. `standing_in` offers these names as `dotctx` and
`dotctx.llm_utils` (CTX-FORMAT §8).
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_FENCE = re.compile(r"`{3,}")
_LANGUAGE = re.compile(r"[\w+#.-]*")


def strip_markdown_codeblock(text: str) -> str:
    """The text without the fence around it, and without what follows the fence; stripped. Text that does not begin
    with a fence is only stripped. A fence that is never closed, or closed on the line of the text, is taken off too."""
    text = text.strip()
    fence = _FENCE.match(text)
    if fence is None:
        return text
    first, newline, rest = text[fence.end() :].partition("\n")
    if not newline:
        return first.strip("` \t").removeprefix("json").strip()
    lines = rest.split("\n")
    closing = [number for number, line in enumerate(lines) if _FENCE.fullmatch(line.strip())]
    inside = "\n".join(lines[: closing[-1]]) if closing else rest.rstrip("`")
    if not _LANGUAGE.fullmatch(first.strip()):  # no name of a language: the text begins beside the fence
        inside = f"{first}\n{inside}"
    return inside.strip()


def extract_llm_content(response: Any) -> str | None:
    """The text of an answer: of a text itself, of `choices[0].message.content`, of `content`, be it text or a list of
    parts, or of what stands in `output`; in objects and mappings alike. None when there is none."""
    if response is None or isinstance(response, str):
        return response
    choices = _member(response, "choices")
    if isinstance(choices, list | tuple) and choices:
        return _text(_member(_member(choices[0], "message"), "content"))
    content = _member(response, "content")
    if content is not None:
        return _text(content)
    inner = _member(response, "output")
    return None if inner is None or inner is response else extract_llm_content(inner)


def parse_llm_json(content: str) -> Any:
    """The data in an answer of JSON, with or without a Markdown fence. Raises json.JSONDecodeError."""
    return json.loads(strip_markdown_codeblock(content))


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _text(content: Any) -> str | None:
    """Content as one text; parts that are no text (images, tool calls) are passed over."""
    if isinstance(content, list | tuple):
        texts = [part if isinstance(part, str) else _member(part, "text") for part in content]
        found = [text for text in texts if isinstance(text, str)]
        return "".join(found) if found else None
    return content if isinstance(content, str) else None
